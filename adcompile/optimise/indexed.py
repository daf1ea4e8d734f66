"""Where statements stand, which part of an array an index names there, and whether a later write may meet it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from adcompile.analysis.views import item_kind
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Statement, Var, While
from adcompile.ir.types import RangeT, Scalar, Type
from adcompile.ir.walk import blocks_of, results_of
from adcompile.optimise.direct import called
from adcompile.optimise.order import ZERO, Axis, Linear, Order
from adcompile.optimise.typing import type_of, widened

Path = tuple[tuple[Block, int], ...]
"""The blocks around a statement, from the outermost in, and its number in each."""


@dataclass
class Places:
    """What makes each value of a function, and where."""

    path: dict[Var, Path] = field(default_factory=dict[Var, Path])
    loops: dict[Var, tuple[Statement, ...]] = field(default_factory=dict[Var, tuple[Statement, ...]])
    definition: dict[Var, Call] = field(default_factory=dict[Var, Call])
    loop_of: dict[Var, For] = field(default_factory=dict[Var, For])
    """By element."""

    def walk(self, block: Block, path: Path = (), loops: tuple[Statement, ...] = ()) -> Places:
        for k, s in enumerate(block.statements):
            here = (*path, (block, k))
            for r in results_of(s):
                self.path[r], self.loops[r] = here, loops
            if isinstance(s, Call):
                self.definition[s.result] = s
                continue
            inner = (*loops, s) if isinstance(s, (For, While)) else loops
            for body in blocks_of(s):
                for p in body.params:
                    self.path[p], self.loops[p] = (*here, (body, -1)), inner
                self.walk(body, here, inner)
            if isinstance(s, For):
                self.loop_of[s.body.params[0]] = s
        return self

    def made(self, atom: Atom, fn: object) -> Call | None:
        """The call of a function that made a value."""
        call = self.definition.get(atom) if isinstance(atom, Var) else None
        return call if call is not None and called(call) is fn else None

    def follows(self, first: Var, second: Var) -> bool:
        """Whether the statement that makes `second` comes behind that of `first` within one turn of the loops
        around both."""
        for (block, k), (other, j) in zip(self.path[first], self.path[second]):
            if block is not other:
                return False  # two branches of one If
            if k != j:
                return k < j
        return False


@frozen
class Part:
    """Part of an array, as read or written by the statement that makes `at`: its indices on the first axes, of
    which None may be anything."""

    array: Var
    at: Var
    axes: tuple[Index | None, ...]


@frozen
class Index:
    """An element, or a slice from `low` up to `high`; Const(None) where it has no such bound."""

    low: Atom
    high: Atom
    point: bool


@frozen
class Indexed:
    """Parts of arrays, seen from the statements of one loop."""

    places: Places
    types: Mapping[Var, Type]

    def part(self, view: Atom, at: Var) -> Part | None:
        """The part of an array that a value is a view of, one item of another."""
        call = self.places.made(view, operator.getitem)
        if call is None or item_kind(call, self.types) != "view":
            return None
        return self.item(call.args[0], call.args[1], at)

    def item(self, owner: Atom, index: Atom, at: Var) -> Part | None:
        """The part that an item of an array is, which may be a view of another."""
        around = self.part(owner, at)
        if around is None:
            return Part(owner, at, self.axes(index)) if isinstance(owner, Var) else None
        points = all(axis is not None and axis.point for axis in around.axes)
        return Part(around.array, at, (*around.axes, *self.axes(index)) if points and around.axes else around.axes)

    def axes(self, index: Atom) -> tuple[Index | None, ...]:
        """What an index names on the first axes; none where it is of another kind than numbers and slices."""
        made = self.places.made(index, ops.build_tuple)
        parts: tuple[Atom, ...] = (index,) if made is None else made.args
        if made is None and isinstance(index, Const) and isinstance(index.value, tuple):
            parts = tuple(map(Const, index.value))
        found = tuple(map(self.index, parts))
        return () if any(axis is None for axis in found) else found

    def index(self, atom: Atom) -> Index | None:
        sliced = self.places.made(atom, slice)
        if sliced is not None:
            parts = sliced.args if len(sliced.args) > 1 else (Const(None), *sliced.args)
            step = parts[2] if len(parts) == 3 else Const(None)
            forward = is_none(step) or isinstance(step, Const) and is_int(step.value) and step.value > 0
            return Index(parts[0], parts[1], False) if forward else None
        if isinstance(atom, Const) and isinstance(atom.value, slice):
            return self.constant(atom.value)
        return Index(atom, atom, True) if self.is_integer(atom) else None

    def constant(self, value: slice) -> Index | None:
        known = all(v is None or is_int(v) for v in (value.start, value.stop, value.step))
        forward = known and (value.step is None or value.step > 0)
        return Index(Const(value.start), Const(value.stop), False) if forward else None

    def is_integer(self, atom: Atom) -> bool:
        if isinstance(atom, Const):
            return is_int(atom.value)
        t = widened(type_of(atom, self.types))
        return isinstance(t, Scalar) and all(k is int or issubclass(k, np.integer) for k in t.kinds)

    def stays_apart(self, read: Part, write: Part) -> bool:
        """Whether a write never meets, after it has been read, what a statement has read: both are in loops."""
        ours, theirs = self.places.loops[read.at], self.places.loops[write.at]
        common = 0
        while common < min(len(ours), len(theirs)) and ours[common] is theirs[common]:
            common += 1
        cases = [k for k in range(common) if isinstance(ours[k], For)]
        if any(not isinstance(s, For) for s in ours[:common]):
            return False
        if self.places.follows(read.at, write.at):
            cases.append(common)
        return all(self.apart(read, write, case, common) for case in cases)

    def apart(self, read: Part, write: Part, shared: int, common: int) -> bool:
        """Whether the two parts are apart where the first `shared` of the loops around both are in one turn, and
        the next, if there is one, is in a later turn when it is written."""
        order = Order()
        first, second = _Turn(self, order, shared, "read"), _Turn(self, order, shared, "write")
        for s in self.places.loops[read.at]:
            first.bounded(s)
        for s in self.places.loops[write.at]:
            second.bounded(s)
        if shared < common:
            loop = self.places.loops[read.at][shared]
            assert isinstance(loop, For)
            if not self.later(order, loop):
                return False
        return order.apart(map(first.axis, read.axes), map(second.axis, write.axes))

    def later(self, order: Order, loop: For) -> bool:
        """Add that the second turn of a loop is a later one."""
        steps = self.steps(loop.iterable)
        if steps is None:
            return False
        element = loop.body.params[0]
        now, then = ((element, "read"), 0), ((element, "write"), 0)
        if steps.step > 0:
            order.add(now, then, steps.step)
        else:
            order.add(then, now, -steps.step)
        return True

    def steps(self, iterable: Atom) -> Steps | None:
        """What a loop runs over, if that is a range with a known step, or one reversed."""
        if isinstance(iterable, Const) and isinstance(iterable.value, range):
            r = iterable.value
            return Steps(Const(r.start), Const(r.stop), r.step)
        turned = self.places.made(iterable, reversed)
        if turned is not None:
            inner = self.steps(turned.args[0])
            return None if inner is None or inner.turned else Steps(inner.start, inner.stop, -inner.step, True)
        made = self.places.made(iterable, range)
        if made is None or made.kwargs or not isinstance(type_of(iterable, self.types), RangeT):
            return None
        if len(made.args) == 1:
            return Steps(Const(0), made.args[0], 1)
        step = made.args[2] if len(made.args) == 3 else Const(1)
        known = isinstance(step, Const) and is_int(step.value) and step.value != 0
        return Steps(made.args[0], made.args[1], step.value) if known else None  # type: ignore[union-attr]

    def is_length(self, var: Var) -> bool:
        """Whether a value is the length of something."""
        call = self.places.made(var, operator.getitem)
        shaped = call is not None and self.places.made(call.args[0], np.ndarray.shape) is not None
        return shaped or self.places.made(var, len) is not None


@frozen
class Steps:
    """A range; `turned`: its elements from the last to the first, by `step`."""

    start: Atom
    stop: Atom
    step: int
    turned: bool = False


@frozen
class _Turn:
    """Names for what the statements in loops compute, in the turns when it is read or when it is written."""

    indexed: Indexed
    order: Order
    shared: int
    when: str

    def linear(self, atom: Atom) -> Linear | None:
        """An integer as a variable and a constant."""
        if isinstance(atom, Const):
            return (None, atom.value) if is_int(atom.value) else None
        if not self.indexed.is_integer(atom):
            return None
        call = self.indexed.places.definition.get(atom)
        fn = None if call is None else called(call)
        if call is not None and fn in (operator.add, operator.sub) and all(map(self.is_exact, call.args)):
            left, right = call.args
            if isinstance(right, Const) or isinstance(left, Const) and fn is operator.add:
                of, by = (left, right) if isinstance(right, Const) else (right, left)
                assert isinstance(by, Const)
                base = self.linear(of)
                return None if base is None else (base[0], base[1] + (by.value if fn is operator.add else -by.value))
        name = (atom, "" if len(self.indexed.places.loops.get(atom, ())) <= self.shared else self.when)
        if self.indexed.is_length(atom):
            self.order.add(ZERO, (name, 0))
        steps = None if call is None or fn is not operator.getitem else self.indexed.steps(call.args[0])
        if steps is not None:
            self.between((name, 0), steps)
        return (name, 0)

    def is_exact(self, atom: Atom) -> bool:
        """Whether this is an integer of Python's, which does not wrap around."""
        t = widened(type_of(atom, self.indexed.types))
        return isinstance(t, Scalar) and t.kinds == frozenset((int,))

    def axis(self, index: Index | None) -> Axis | None:
        if index is None:
            return None
        low = ZERO if is_none(index.low) else self.linear(index.low)
        if index.point:
            return None if low is None else Axis(low, (low[0], low[1] + 1))
        high = None if is_none(index.high) else self.linear(index.high)
        return None if low is None or high is None and not is_none(index.high) else Axis(low, high)

    def bounded(self, loop: Statement) -> None:
        """Add what is known of the element of a loop."""
        steps = self.indexed.steps(loop.iterable) if isinstance(loop, For) else None
        element = self.linear(loop.body.params[0]) if isinstance(loop, For) else None
        if steps is not None and element is not None:
            self.between(element, steps)

    def between(self, element: Linear, steps: Steps) -> None:
        """Add that an integer is one of a range."""
        start, stop = self.linear(steps.start), self.linear(steps.stop)
        ascends = steps.step > 0 if not steps.turned else steps.step < 0
        if start is not None:
            self.order.add(*((start, element) if ascends else (element, start)))
        if stop is not None:
            if ascends:
                self.order.add(element, stop, 1)
            else:
                self.order.add(stop, element, 1)


def is_int(value: object) -> bool:
    return type(value) is int


def is_none(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is None
