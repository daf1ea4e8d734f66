"""What loops keep although little arithmetic gives it again from what else they keep.

    for …:                                  for …:
        e = np.exp(-x)                          e = np.exp(-x)
        d = 1.0 + e                             d = 1.0 + e
        y = 1.0 / d                             y = 1.0 / d
        kept.append(e), append(d), append(y) →  kept.append(e)
    for … reversed:                         for … reversed:
        … e, d, y                               … e, 1.0 + e, 1.0 / (1.0 + e)

In kernels such arithmetic is part of the loop that reads what it gives: it costs less than to write numbers into
memory and to read them again. On NumPy each operation is a pass over memory, and nothing is gained. Views of arrays
that are there in front of the loops are not kept either: what is known to be part of an array needs no test of whether
it shares memory with it. Of two copies of one part of an array, between which nobody writes into it, one is enough:
the copy of `np.flip(y[:k])` is the flip of the copy of `y[:k]`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, MutableMapping
from dataclasses import replace

import numpy as np

from adcompile.analysis.views import item_kind
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, For, Function, Var
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Scalar, Type
from adcompile.ir.walk import atoms_of, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import optimise
from adcompile.optimise.trails import Reread, Trail, Trails, each_function, writes_into
from adcompile.optimise.typing import type_of, widened

ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)
VIEWS = (operator.getitem, np.flip)
MOST = 3
"""Operations that give one value again: about what it costs to store and to load it."""


def recomputed(program: Program) -> Program:
    """The program in which kept arrays are computed again; the same object if there are none."""
    made = large_stack(each_function, program, _function)
    return made if made is program else optimise(made)


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    if not any(isinstance(s, Call) and called(s) is ops.push for s in statements_of(function.body)):
        return function
    search = Search(function, types, effects)
    again = {r: made for r in list(search.reads()) if (made := search.again(r))}
    return replace(function, body=Reread(again).block(function.body)) if again else function


class Search(Trails):
    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        super().__init__(function, types, effects)
        self.changed = {self.memory.get(v) for v in changed(function, types, effects)}
        self.trails = {r: found for r in self.reads() if (found := self.trail_of(r)) is not None}
        self.read = {(trail.value, trail.loops) for trail in self.trails.values()}
        self.kept: dict[For, dict[Var, int]] = {}
        """By loop: what each turn keeps, by the number of the list."""

    def trail_of(self, r: Var) -> Trail | None:
        call = self.places.definition[r]
        return self.trail(call.args[0], call.args[1], r)

    def again(self, r: Var) -> list[Call] | None:
        """The statements that compute what `r` reads; None if it is to be kept."""
        trail = self.trails.get(r)
        if trail is None:
            return None
        out: list[Call] = []
        if self.view(trail.value, trail, out) is not None:
            return [*out[:-1], replace(out[-1], result=r)]
        out = []
        if self.shown(r, trail, out):
            return out
        made = self.arithmetic(trail.value, trail, MOST)
        if made is None:
            return None
        out = []
        args = tuple(self.had(a, trail, out) for a in made.args)
        return [*out, Call(r, made.fn, args, (), made.place, "adjoint")]

    def view(self, value: Atom, trail: Trail, out: list[Call]) -> Atom | None:
        """A view of an array from in front of the loops: it shows the same memory wherever it is made."""
        call = self.of_a_view(value)
        if call is None:
            return None
        base: Atom | None = call.args[0]
        if isinstance(base, Var) and trail.loops[0] in self.places.loops.get(base, ()):
            base = self.view(base, trail, out)
        args = [base, *(self.rebuilt(a, trail, out) for a in call.args[1:])]
        found = [a for a in args if a is not None]
        return self.emit(out, call.result, called(call), found) if len(found) == len(args) else None

    def shown(self, r: Var, trail: Trail, out: list[Call]) -> bool:
        """Whether `r` reads what views of another kept copy show; the statements that make them go to `out`."""
        copy = self.places.made(trail.value, np.ndarray.copy)
        if copy is None or copy.kwargs or not self.is_fixed_array(trail.value) or not self.is_fixed_array(r):
            return False
        views: list[Call] = []
        seen = copy.args[0]
        while (call := self.of_a_view(seen)) is not None:
            views.append(call)
            seen = call.args[0]
            other = self.copied(seen, trail, copy)
            if other is not None:
                return self.seen(r, self.reading(other, trail, out), views[::-1], trail, out)
        return False

    def seen(self, r: Var, base: Var, views: list[Call], trail: Trail, out: list[Call]) -> bool:
        """Whether the views can be made once more of another array; the last of them is `r`."""
        for call in views:
            rest = [self.rebuilt(a, trail, out) for a in call.args[1:]]
            if None in rest:
                return False
            base = self.emit(out, call.result, called(call), [base, *(a for a in rest if a is not None)])
        self.types[r] = self.types[base]
        out[-1] = replace(out[-1], result=r)
        return True

    def of_a_view(self, seen: Atom) -> Call | None:
        """The call that made a view of an array."""
        call = self.places.definition.get(seen) if isinstance(seen, Var) else None
        if call is None or called(call) not in VIEWS or call.kwargs or not isinstance(self.types[call.result], Array):
            return None
        whole = called(call) is np.flip or item_kind(call, self.types) == "view"
        return call if whole and isinstance(type_of(call.args[0], self.types), Array) else None

    def copied(self, seen: Atom, trail: Trail, copy: Call) -> Var | None:
        """What the loop keeps as a copy of the part of an array that `seen` shows, as it is when `copy` is made."""
        self.number(trail.value, trail)
        for kept in self.kept[trail.loops[-1]]:
            made = self.places.made(kept, np.ndarray.copy)
            if made is None or made is copy or made.kwargs or not self.is_fixed_array(kept):
                continue
            same = made.args[0] is seen or self.are_alike(made.args[0], seen)
            if same and self.is_untouched(made.args[0], made.result, copy.result):
                return kept
        return None

    def are_alike(self, a: Atom, b: Atom) -> bool:
        """Whether two values are the same view of one array."""
        first, second = self.of_a_view(a), self.of_a_view(b)
        if first is None or second is None or called(first) is not called(second):
            return False
        return len(first.args) == len(second.args) and all(x == y for x, y in zip(first.args, second.args))

    def is_untouched(self, array: Atom, since: Var, until: Var) -> bool:
        """Whether nobody writes into an array from one statement of a block to another one of it."""
        (block, first), (other, last) = self.places.path[since][-1], self.places.path[until][-1]
        if block is not other or not isinstance(array, Var):
            return False
        memory = self.memory.get(array, array)
        for s in block.statements[min(first, last) : max(first, last)]:
            into = writes_into(s, self.types, self.effects) if isinstance(s, Call) else None
            if into is None or memory in (self.memory.get(v, v) for v in into):
                return False
        return True

    def arithmetic(self, value: Atom, trail: Trail, most: int) -> Call | None:
        """The operation that gives a value again from what is at hand, with at most so many of them."""
        call = self.places.definition.get(value) if isinstance(value, Var) else None
        if call is None or called(call) not in ARITHMETIC or call.kwargs or not self.is_fixed_array(call.result):
            return None
        needed = [self.needed(a, trail, most - 1) for a in call.args]
        return call if all(n is not None for n in needed) and 1 + sum(n or 0 for n in needed) <= most else None

    def needed(self, atom: Atom, trail: Trail, most: int) -> int | None:
        """How many operations it takes to have an operand; None if it cannot be had."""
        if isinstance(atom, Const):
            return 0 if isinstance(widened(type_of(atom, self.types)), Scalar) else None
        if trail.loops[0] not in self.places.loops.get(atom, ()):
            return 0 if isinstance(self.types[atom], Scalar) else None
        if self.number(atom, trail) is None or not self.is_fixed_array(atom):
            return None
        made = self.arithmetic(atom, trail, most) if most > 0 else None
        if made is not None:
            return 1 + sum(self.needed(a, trail, most - 1) or 0 for a in made.args)
        return 0 if (atom, trail.loops) in self.read else None

    def is_fixed_array(self, var: Var) -> bool:
        """Whether a value is an array of floats into which nobody writes."""
        t = self.types.get(var)
        floats = isinstance(t, Array) and t.dtype.kind == "f" and t.dims is not None
        return floats and self.memory.get(var, var) not in self.changed

    def had(self, atom: Atom, trail: Trail, out: list[Call]) -> Atom:
        """An operand where it is read: computed, or read from where it was kept."""
        if isinstance(atom, Const) or trail.loops[0] not in self.places.loops.get(atom, ()):
            return atom
        made = self.arithmetic(atom, trail, MOST - 1)
        if made is None:
            return self.reading(atom, trail, out)
        return self.emit(out, atom, called(made), [self.had(a, trail, out) for a in made.args])

    def number(self, value: Var, trail: Trail) -> int | None:
        """Of which of its lists an innermost loop keeps a value in."""
        loop = trail.loops[-1]
        if loop not in self.kept:
            found = ((self.pushed(loop, k), k) for k in range(len(loop.results)))
            self.kept[loop] = {v: k for v, k in found if v is not None}
        return self.kept[loop].get(value)

    def reading(self, value: Var, trail: Trail, out: list[Call]) -> Var:
        """Read what was kept by the numbers of the turns."""
        (loop, number), around = trail.turns[-1], trail.turns[:-1]
        k = self.number(value, trail)
        assert k is not None
        items = loop.results[k]
        if around:
            items = self.reading(items, Trail(items, around, trail.at), out)
        return self.emit(out, value, operator.getitem, (items, number))


def changed(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Iterator[Var]:
    """What calls of a function write into, or may; lists that only grow keep what they hold."""
    for s in statements_of(function.body):
        if isinstance(s, Call) and called(s) not in (ops.push, ops.pop):
            into = writes_into(s, types, effects)
            yield from (a for a in (atoms_of(s) if into is None else into) if isinstance(a, Var))
