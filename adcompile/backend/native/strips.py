"""Elementary functions of loops, computed for thirty-two iterations at once.

    for i in range(n):                    for b in range(n / 32):
        s += w[i] * exp(-x[i])    →           for l in range(32): lanes[l] = -x[32 b + l]
                                              for l in range(32): lanes[l] = exp(lanes[l])
                                              for l in range(32): s += w[32 b + l] * lanes[l]

The loop in the middle is made of vector instructions (`runtime/vecmath`), whatever the loop around does beside: sums in
their order, branches, writes into many arrays. What a function is computed of must not depend on what the loop has done
before; what depends on the results of such functions is computed in a further loop of its own.

A loop that the compiler makes vector instructions of as it stands is left to it where it is long: such instructions
begin where they have several vectors of each array, and a loop of a dozen iterations never gets there. Of such a loop
in another one the kernel has both, and asks how long it is.
"""

from __future__ import annotations

import builtins
import operator
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.classes import undecided
from adcompile.backend.native.iterations import carried
from adcompile.backend.native.lanes import Calls, Unfit, may_raise
from adcompile.backend.native.lockstep import ROW
from adcompile.backend.native.stages import Staged, Stages, function_of
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    Continue,
    For,
    If,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import BOOL, FLOAT64, INT, RangeT
from adcompile.ir.walk import Copier, Rewriter, statements_of, substitute
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import DEAD, Unit, run_passes
from adcompile.runtime.loops import strip, strips

WIDTH = 32
"""Iterations of a strip: with sixteen the compiler takes the loop apart, and makes no vector instructions."""
SOME = 8
"""Iterations: fewer are computed one by one, as the rest of a strip would be computed in vain."""
SHORT = range(12, 64)
"""The same of loops of which LLVM makes vector instructions as they stand: where there are more, these are as good."""


def in_strips(
    new: Lowered, elements: Sequence[Var], ufuncs: frozenset[Any], effects: Effects, inexact: bool
) -> Lowered:
    """The function with such loops in strips, of those with these elements; `ufuncs` are the functions that have vector
    instructions. `inexact`: nobody asks what classes the numbers have that it gives."""
    for element in elements if ufuncs else ():
        loops = (s for s in statements_of(new.function.body) if isinstance(s, For))
        loop = next((s for s in loops if s.body.params[0] is element), None)
        if loop is None or any(isinstance(s, (For, While)) for s in statements_of(loop.body)):
            continue
        if not any(isinstance(s, Call) and function_of(s) in ufuncs for s in statements_of(loop.body)):
            continue
        classes = frozenset[Var]() if inexact else undecided(new.function, new.types)
        try:
            new = Strips(Stages(new, loop, ufuncs, effects, classes)).rewritten()
        except Unfit:
            continue
    return new


class Strips:
    """Writes a loop in strips.

    What the functions are computed of lies in one array, and what they give in its place.
    """

    def __init__(self, found: Stages) -> None:
        self.found, self.loop = found, found.loop
        self.types, self.sure, self.sums = dict(found.new.types), set(found.new.sure), set(found.new.sums)
        self.lanes = Var("lanes")
        self.types[self.lanes] = ROW
        self.groups: dict[tuple[int, Any], list[Staged]] = defaultdict(list)
        for s in found.staged.values():
            self.groups[s.stage, s.function].append(s)
        self.slots: dict[Staged, int] = {}
        """Where their first arguments lie, those of one function and one stage side by side."""
        self.size = 0
        for (_, fn), group in self.groups.items():
            for k, s in enumerate(group):
                self.slots[s] = self.size + k * WIDTH
            self.size += len(group) * WIDTH * fn.nin

    def calls(self) -> Calls:
        return Calls(self.types, self.loop.role, sure=self.sure)

    # -- the loops

    def rewritten(self) -> Lowered:
        function = self.found.new.function
        loop = self.by_length() if self.found.both else self.blocks(self.loop.results)
        body = _Replaced(self.loop, tuple(loop)).block(function.body)
        first = Call(self.lanes, Const(np.zeros), (Const(self.size),), role="adjoint")
        body = replace(body, statements=(first, *body.statements))
        body = run_passes(body, Unit(self.types), DEAD)
        function = replace(function, body=body)
        sure, sums = frozenset(self.sure), frozenset(self.sums)
        return replace(self.found.new, function=function, types=self.types, sure=sure, sums=sums)

    def by_length(self) -> list[Statement]:
        """The loop in strips where it is short, else as it is."""
        calls, results = self.calls(), [tuple(map(self.fresh, self.loop.results)) for _ in range(2)]
        trips = self.trips(calls)
        some = calls.call("some", BOOL, operator.ge, trips, Const(SHORT.start))
        few = calls.call("few", BOOL, operator.lt, trips, Const(SHORT.stop))
        short = calls.call("short", BOOL, operator.and_, some, few)
        copier = Copier({})
        as_it_is = copier.statement(replace(self.loop, results=results[1]))
        for old, new in copier.mapping.items():
            self.alike(old, new)
        in_strips = Block((), tuple(self.blocks(results[0])), Yield(results[0]))
        other = Block((), as_it_is, Yield(tuple(copier.mapping[r] for r in results[1])))
        return [*calls.out, If(self.loop.results, short, in_strips, other)]

    def blocks(self, results: tuple[Var, ...]) -> list[Statement]:
        """The loop over strips."""
        loop, front, backwards = self.loop, self.calls(), self.found.range.backwards
        trips = self.trips(front)
        count = front.call("n", INT, strips, trips, Const(WIDTH))
        numbers = self.through(front, "blocks", count, backwards)
        b, params = Var("b"), tuple(self.fresh(p) for p in carried(loop))
        self.types[b] = INT
        calls = self.calls()
        base = calls.call("base", INT, operator.mul, b, Const(WIDTH))
        width = calls.call("width", INT, strip, trips, base, Const(WIDTH))
        steps = self.through(calls, "steps", width, False)
        some = calls.call("some", BOOL, operator.ge, width, Const(SOME))
        for stage in range(1, 1 + max(s.stage for s in self.found.staged.values())):
            calls.out.append(self.arguments(stage, steps, base))
            for group in (group for (k, _), group in self.groups.items() if k == stage):
                calls.out.append(If((), some, self.at_once(group), self.one_by_one(group, steps)))
        last = self.through(calls, "steps", width, True) if backwards else steps
        after = tuple(self.fresh(p) for p in params)
        calls.out.append(self.last(last, base, params, after))
        body = Block((b, *params), tuple(calls.out), Continue(after))
        return [*front.out, For(results, numbers, loop.init, body, loop.place, loop.role)]

    def through(self, calls: Calls, name: str, count: Atom, backwards: bool) -> Var:
        numbers = calls.call(name, RangeT(True), range, count)
        return calls.call(name, RangeT(True), reversed, numbers) if backwards else numbers

    def fresh(self, var: Var) -> Var:
        new = Var(var.name, var.place)
        self.alike(var, new)
        return new

    def alike(self, var: Var, new: Any) -> None:
        """Know of a copy what is known of a value."""
        if var in self.types:
            self.types[new] = self.types[var]
        for known in (self.sure, self.sums):
            if var in known:
                known.add(new)

    def trips(self, calls: Calls) -> Atom:
        """How many iterations there are."""
        return calls.call("n", INT, len, self.found.range.items)

    def number(self, calls: Calls, lane: Var, base: Atom) -> dict[Var, Atom]:
        """The number of an iteration, or the element that the loop has from it."""
        numbers = self.found.range
        k = calls.call("i", INT, operator.add, base, lane)
        if not self.found.array and is_zero(numbers.start) and numbers.step == 1:
            return {self.found.element: k}
        item = self.fresh(self.found.element)
        calls.out.append(Call(item, Const(operator.getitem), (numbers.items, k), role="adjoint"))
        self.sure.add(item)
        return {self.found.element: item}

    def arguments(self, stage: int, steps: Var, base: Atom) -> For:
        """What the functions of a stage are computed of, put into the lanes."""
        lane, calls = Var("l"), self.calls()
        self.types[lane] = INT
        now = self.number(calls, lane, base)
        these = [s for s in self.found.staged.values() if s.stage == stage]
        needed = {c for s in these for c in self.found.slices[s.call.result]}
        before = {a for c in (*needed, *(s.call for s in these)) for a in c.args if a in self.found.staged}
        given = {self.found.staged[v].call for v in before}  # type: ignore[index]
        for c in sorted(needed | given, key=self.found.order.__getitem__):
            now[c.result] = again = self.fresh(c.result)
            if c.result in self.found.staged:
                calls.out.append(self.result(calls, again, self.found.staged[c.result], lane))
            else:
                args = tuple(now.get(a, a) if isinstance(a, Var) else a for a in c.args)
                in_vain = c not in self.found.always and called(c) is operator.truediv
                calls.out.append(replace(c, result=again, args=args, fn=Const(np.true_divide) if in_vain else c.fn))
        for s in these:
            for k, a in enumerate(s.call.args):
                value = now.get(a, a) if isinstance(a, Var) else a
                calls.store(self.lanes, self.at(calls, lane, self.of(s, k)), value)
        return For((), steps, (), Block((lane,), tuple(calls.out), Continue(())), role=self.loop.role)

    def of(self, s: Staged, k: int) -> int:
        """Where an argument lies."""
        return self.slots[s] + k * WIDTH * len(self.groups[s.stage, s.function])

    def at(self, calls: Calls, lane: Var, place: int) -> Atom:
        return calls.call("at", INT, operator.add, lane, Const(place)) if place else lane

    def result(self, calls: Calls, result: Var, s: Staged, lane: Var) -> Call:
        self.sure.add(result)
        place = self.at(calls, lane, self.slots[s])
        return Call(result, Const(operator.getitem), (self.lanes, place), role=self.loop.role)

    def at_once(self, group: Sequence[Staged]) -> Block:
        """One function, for all that it is computed of in a stage."""
        many = len(group) * WIDTH
        places = [self.of(group[0], k) for k in range(group[0].function.nin)]
        return Block((), (self.function(group[0].function, Const(builtins.range(many)), places),), Yield())

    def one_by_one(self, group: Sequence[Staged], steps: Var) -> Block:
        each = ([self.of(s, k) for k in range(s.function.nin)] for s in group)
        return Block((), tuple(self.function(group[0].function, steps, places) for places in each), Yield())

    def function(self, fn: Any, steps: Atom, places: Sequence[int]) -> For:
        """A function of what lies from these places on."""
        lane, calls = Var("l"), self.calls()
        self.types[lane] = INT
        at = [self.at(calls, lane, place) for place in places]
        value = calls.call("t", FLOAT64, fn, *[calls.load(self.lanes, place, "float", "t") for place in at])
        calls.store(self.lanes, at[0], value)
        return For((), steps, (), Block((lane,), tuple(calls.out), Continue(())), role=self.loop.role)

    def last(self, steps: Var, base: Atom, params: tuple[Var, ...], results: tuple[Var, ...]) -> For:
        """The loop's own work, with what the functions have given."""
        lane, calls = Var("l"), self.calls()
        self.types[lane] = INT
        now = self.number(calls, lane, base)
        calls.out += _Computed(self, lane).block(self.loop.body).statements
        body = Block((lane, *carried(self.loop)), tuple(calls.out), self.loop.body.end)
        return For(results, steps, params, substitute(body, now), self.loop.place, self.loop.role)

    def computed(self, s: Staged, lane: Var) -> list[Statement]:
        """What a function has given; where one of Python's would have raised, leave."""
        calls = self.calls()
        calls.out.append(self.result(calls, s.call.result, s, lane))
        if may_raise(s.call, self.types):
            calls.leave_unless(calls.call("fine", BOOL, np.isfinite, s.call.result))
        return calls.out


class _Computed(Rewriter):
    """The loop's own work, with what has been computed."""

    def __init__(self, strips: Strips, lane: Var) -> None:
        self.strips, self.lane = strips, lane

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        staged = self.strips.found.staged.get(s.result) if isinstance(s, Call) else None
        return tuple(self.strips.computed(staged, self.lane)) if staged is not None else super().statement(s)


def is_zero(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value == 0


class _Replaced(Rewriter):
    """The function with statements in place of a loop."""

    def __init__(self, loop: For, replaced: tuple[Statement, ...]) -> None:
        self.loop, self.replaced = loop, replaced

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        return self.replaced if s is self.loop else super().statement(s)
