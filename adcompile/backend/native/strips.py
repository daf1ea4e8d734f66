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

from adcompile.backend.native.blockwise import Blockwise
from adcompile.backend.native.classes import undecided
from adcompile.backend.native.iterations import carried
from adcompile.backend.native.lanes import Calls, Unfit, may_raise
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
from adcompile.ir.types import BOOL, FLOAT64, INT
from adcompile.ir.walk import Copier, Rewriter, statements_of, substitute
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import DEAD, Unit, run_passes

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


class Strips(Blockwise):
    """Writes a loop in strips.

    What the functions are computed of lies in one array, and what they give in its place.
    """

    width = WIDTH

    def __init__(self, found: Stages) -> None:
        super().__init__(found.new, found.loop, found.range)
        self.found = found
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

    # -- the loops

    def rewritten(self) -> Lowered:
        loop = self.by_length() if self.found.both else self.with_blocks(self.loop.results)
        body = self.replaced(tuple(loop))
        first = Call(self.lanes, Const(np.zeros), (Const(self.size),), role="adjoint")
        body = replace(body, statements=(first, *body.statements))
        return self.lowered(run_passes(body, Unit(self.types), DEAD))

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
        in_strips = Block((), tuple(self.with_blocks(results[0])), Yield(results[0]))
        other = Block((), as_it_is, Yield(tuple(copier.mapping[r] for r in results[1])))
        return [*calls.out, If(self.loop.results, short, in_strips, other)]

    def block(self, calls: Calls, base: Var, width: Var, params: tuple[Var, ...]) -> tuple[Atom, ...]:
        backwards = self.range.backwards
        steps = self.through(calls, "steps", width, False)
        some = calls.call("some", BOOL, operator.ge, width, Const(SOME))
        for stage in range(1, 1 + max(s.stage for s in self.found.staged.values())):
            calls.out.append(self.arguments(stage, steps, base))
            for group in (group for (k, _), group in self.groups.items() if k == stage):
                calls.out.append(If((), some, self.at_once(group), self.one_by_one(group, steps)))
        last = self.through(calls, "steps", width, True) if backwards else steps
        after = tuple(self.fresh(p) for p in params)
        calls.out.append(self.last(last, base, params, after))
        return after

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
