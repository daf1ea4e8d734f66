"""The blocks that are being written, outermost first, and what is known or computed in each.

Lengths and guards go to the outermost block in which all that they name is known: in front of the
loops in which they are needed, those about parameters to the very start, where nothing has been
written yet.
"""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, If, Raise, Statement, Var, Yield
from adcompile.ir.types import BOOL, INT, Array, TupleT, Type
from adcompile.nests.keys import Key, Keys, counts, least, less, size, span, vars_in
from adcompile.nests.views import Axis, Linear, linear, plus
from adcompile.runtime.loops import Leave, disjoint, ordered

FOLDED = {operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul, max: max, min: min}


@dataclass(eq=False)
class Frame:
    """`branch`: the block runs only where a test has come out one way."""

    branch: bool = False
    out: list[Statement] = field(default_factory=list[Statement])
    values: dict[Key, Atom] = field(default_factory=dict[Key, Atom])
    equal: dict[Key, Key] = field(default_factory=dict[Key, Key])
    parts: list[tuple[Key, Key]] = field(default_factory=list[tuple[Key, Key]])  # slices and their lengths
    apart: set[frozenset[Var]] = field(default_factory=set[frozenset[Var]])


class Frames:
    def __init__(self, types: MutableMapping[Var, Type]) -> None:
        self.types = types
        self.stack: list[Frame] = []
        self.home: dict[Var, int] = {}
        self.made: set[Var] = set()  # here, in order
        self.age: dict[Key, int] = {}
        self.sure: set[Var] = set()  # results of reads and writes of elements that are there
        self.sums: set[Var] = set()  # results of steps of sums and extrema, whose order is free
        self.independent: set[Var] = set()  # elements of loops whose iterations share no memory that is written

    @property
    def here(self) -> Frame:
        return self.stack[-1]

    def define(self, var: Var) -> None:
        self.home[var] = len(self.stack) - 1

    def frame_of(self, key: Any) -> Frame:
        """The outermost frame in which all that a key names is known. Nothing leaves a branch: a value
        that is read on one path only may be None on the other."""
        at = max((self.home[v] for v in vars_in(key)), default=0)
        return self.stack[max(at, *(k for k, frame in enumerate(self.stack) if frame.branch or k == 0))]

    # -- statements -----------------------------------------------------------------------------

    def call(self, frame: Frame, name: str, t: Type, fn: Any, *args: Atom) -> Atom:
        """A call behind what the frame has, folded where it is of known numbers."""
        if fn in FOLDED and all(isinstance(a, Const) for a in args):
            return Const(FOLDED[fn](*(a.value for a in args if isinstance(a, Const))))
        if fn in (operator.add, operator.sub) and isinstance(args[1], Const) and args[1].value == 0:
            return args[0]
        if fn is operator.add and isinstance(args[0], Const) and args[0].value == 0:
            return args[1]
        if fn is operator.mul and isinstance(args[0], Const) and args[0].value == 1:
            return args[1]
        var = Var(name)
        self.types[var] = t
        self.home[var] = self.stack.index(frame)
        frame.out.append(Call(var, Const(fn), args))
        return var

    # -- lengths --------------------------------------------------------------------------------

    def canonical(self, key: Key) -> Key:
        """The same key for all that are known to be equal."""
        passed: list[Key] = []
        while True:
            key = self._of_parts(key)
            if key in passed:  # two ways round: any of them that all would choose
                return min(passed[passed.index(key) :], key=self._rank)
            self.age.setdefault(key, len(self.age))
            found = next((f.equal[key] for f in self.stack if key in f.equal), None)
            if found is None:
                return key
            passed.append(key)
            key = found

    def _rank(self, key: Key) -> tuple[int, int]:
        """The simpler one stands for equal ones, of those the one that has been spoken of longer."""
        return size(key), self.age.get(key, -1)

    def _of_parts(self, key: Key) -> Key:
        match key:
            case ("less", of, n):
                return less(self.canonical(of), n)
            case ("least", of, n):
                return least(self.canonical(of), n)
            case ("span", start, stop, step):
                return span(self.canonical(start), self.canonical(stop), step)
            case ("clip" | "place", of, v):
                return (key[0], self.canonical(of), v)
            case _:
                return key

    def canonical_all(self, keys: Keys) -> Keys:
        return tuple(map(self.canonical, keys))

    def canonical_index(self, index: tuple[Axis, ...]) -> tuple[Axis, ...]:
        return tuple(Axis(a.loop, self._form(a.start), a.step) for a in index)

    def _form(self, form: Linear) -> Linear:
        out: Linear = (form[0], ())
        for key, n in form[1]:
            out = plus(out, linear(self.canonical(key)), n)
        return out

    def settled(self, index: tuple[Axis, ...], space: Keys) -> tuple[Axis, ...]:
        """Where the loops over a space find something, by the starts of slices that are as long as one of them:
        what stops such a slice lies that far behind its start. Of others nobody knows that they are not empty."""
        known = [part for frame in self.stack for part in frame.parts]
        ends = {self.canonical(part[2]): (part[1], n) for part, n in known if self.canonical(n) in space}
        return tuple(Axis(a.loop, self._from_starts(self._form(a.start), ends), a.step) for a in index)

    def _from_starts(self, form: Linear, ends: dict[Key, tuple[Key, Key]]) -> Linear:
        for _ in ends:
            found = next(((key, n) for key, n in form[1] if key in ends), None)
            if found is None:
                break
            (key, n), (start, length) = found, ends[found[0]]
            behind = plus(self._form(linear(start)), linear(self.canonical(length)))
            form = plus(plus(form, linear(key), -n), behind, n)
        return form

    def value(self, key: Key) -> Atom:
        """A length as a number, computed once."""
        key = self.canonical(key)
        if isinstance(key, int):
            return Const(key)
        if isinstance(key, Var):
            return key
        frame = self.frame_of(key)
        if key not in frame.values:
            frame.values[key] = self._computed(frame, key)
        return frame.values[key]

    def _computed(self, frame: Frame, key: Key) -> Atom:
        def number(fn: Any, *args: Atom, t: Type = INT, name: str = "n") -> Atom:
            return self.call(frame, name, t, fn, *args)

        match key:
            case ("dim", x, k):
                shape = frame.values.get(("shape", x))
                if shape is None:
                    t = self.types[x]
                    rank = len(t.dims or ()) if isinstance(t, Array) else 0
                    shape = self.call(frame, "shape", TupleT((INT,) * rank), getattr, x, Const("shape"))
                    frame.values[("shape", x)] = shape
                return number(operator.getitem, shape, Const(k))
            case ("less", of, n):
                return number(max, number(operator.sub, self.value(of), Const(n)), Const(0))
            case ("least", of, n):
                return number(min, self.value(of), Const(n) if isinstance(n, int) else n)
            case ("span", start, stop, step):
                room = number(operator.sub, self.value(stop), self.value(start))
                if step != 1:
                    room = number(operator.add, room, Const(step - 1))
                    room = number(operator.floordiv, room, Const(step))
                return number(max, room, Const(0))
            case ("place", of, v):
                return self._from_end(frame, v, self.value(of))
            case ("clip", of, v):
                n = self.value(of)
                return number(min, number(max, self._from_end(frame, v, n), Const(0)), n)
            case _:
                raise AssertionError(key)

    def _from_end(self, frame: Frame, v: Var, n: Atom) -> Atom:
        """A place, counted from the end where it is negative."""
        negative = self.call(frame, "negative", BOOL, operator.lt, v, Const(0))
        back = self.call(frame, "back", INT, operator.add, v, n)
        out = Var("at")
        self.types[out] = INT
        self.home[out] = self.stack.index(frame)
        frame.out.append(If((out,), negative, _block((), Yield((back,))), _block((), Yield((v,)))))
        return out

    def form(self, form: Linear) -> Atom:
        """The number that a linear form gives; by what is known here, which is not known further out."""
        form = self._form(form)
        frame = self.frame_of(form[1])
        if form not in frame.values:
            total: Atom = Const(form[0])
            for key, n in form[1]:
                term = self.call(frame, "at", INT, operator.mul, Const(n), self.value(key))
                total = self.call(frame, "at", INT, operator.add, term, total)
            frame.values[form] = total
        return frame.values[form]

    # -- guards ---------------------------------------------------------------------------------

    def agree(self, a: Key, b: Key) -> None:
        """See to it that two lengths are equal."""
        a, b = self.canonical(a), self.canonical(b)
        while a != b and isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] == "less" and a[2] == b[2]:
            a, b = self.canonical(a[1]), self.canonical(b[1])
        if a == b:
            return
        frame = self.frame_of((a, b))
        x, y = self.value(a), self.value(b)
        self._guard(frame, self.call(frame, "same", BOOL, operator.eq, x, y))
        frame.parts += [(x, y) for x, y in ((a, b), (b, a)) if isinstance(x, tuple) and x[0] == "span" and x[3] == 1]
        if self._rank(a) < self._rank(b):
            a, b = b, a
        frame.equal[a] = b

    def inside(self, place: Linear, key: Key) -> None:
        """See to it that a place lies on an axis."""
        place, key = self._form(place), self.canonical(key)
        if isinstance(key, int) and not place[1]:
            if 0 <= place[0] < key:
                return
        fact = ("inside", place, key)
        if any(fact in f.values for f in self.stack):
            return
        frame = self.frame_of((place[1], key))
        frame.values[fact] = Const(True)
        at, n = self.form(place), self.value(key)
        if place[0] < 0 or not all(counts(k) and n > 0 for k, n in place[1]):
            self._guard(frame, self.call(frame, "inside", BOOL, operator.ge, at, Const(0)))
        if place[0] >= 0 or not place[1]:
            self._guard(frame, self.call(frame, "inside", BOOL, operator.lt, at, n))

    def known_apart(self, a: Var, b: Var) -> bool:
        return any(frozenset((a, b)) in f.apart for f in self.stack)

    def part(self, a: Var, b: Var) -> None:
        """See to it that two arrays share no memory."""
        if self.known_apart(a, b):
            return
        frame = self.frame_of((a, b))
        frame.apart.add(frozenset((a, b)))
        self._guard(frame, self.call(frame, "apart", BOOL, disjoint, a, b))

    def ordered(self, x: Var) -> None:
        """See to it that the axes of an array lie in memory in their order."""
        if any(("ordered", x) in f.values for f in self.stack) or x in self.made:
            return
        frame = self.frame_of(x)
        frame.values["ordered", x] = Const(True)
        self._guard(frame, self.call(frame, "ordered", BOOL, ordered, x))

    def _guard(self, frame: Frame, test: Atom) -> None:
        if isinstance(test, Const) and test.value:
            return
        frame.out.append(If((), test, _block((), Yield()), Block((), (), Raise(Const(Leave)))))

    def array(self, var: Var, space: Keys, here: bool) -> None:
        """Memory for an array of these lengths, not filled: made here each time, or once as far out as may be."""
        space = self.canonical_all(space)
        frame = self.here if here else self.frame_of(space)
        shape = self.shape(frame, space)
        t = self.types[var]
        assert isinstance(t, Array)
        dtype = () if t.dtype == np.float64 else (Const(t.dtype),)
        self.home[var] = self.stack.index(frame)
        self.made.add(var)
        frame.out.append(Call(var, Const(np.empty), (shape, *dtype)))

    def shape(self, frame: Frame, space: Keys) -> Atom:
        """These lengths as a tuple."""
        sizes = tuple(map(self.value, space))
        return self.call(frame, "shape", TupleT((INT,) * len(sizes)), ops.build_tuple, *sizes)


def _block(statements: tuple[Statement, ...], end: Yield) -> Block:
    return Block((), statements, end)
