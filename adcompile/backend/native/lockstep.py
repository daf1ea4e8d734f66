"""Loops whose iterations run a loop each until it is done, sixteen of them side by side.

    for i in range(n):            for b in range(n / 16):
        x = …                         for l in range(16): x of i = 16 b + l
        while …:             →        while any lane runs:
            step                          for l in range(16): step, and what it changes where lane l runs
        … x …                         for l in range(16): … x …

Newton's method for one element after another waits for each sine before it can begin the next; those of several
elements are computed at once, by vector instructions (`runtime/vecmath`). What the inner loop keeps, a row for each
turn, holds the numbers of all lanes.

That is done where the iterations know nothing of each other but sums in the tail, which are formed in their order, and
where a function is computed that has vector instructions: what the lanes that are done compute in vain costs less.
"""

from __future__ import annotations

import builtins
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.classes import undecided
from adcompile.backend.native.iterations import Iterations, carried, inner_loop
from adcompile.backend.native.lanes import Calls, Lane, Unfit, is_small, sort_of
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    If,
    Statement,
    Unreachable,
    Var,
    While,
)
from adcompile.ir.types import BOOL, INT, Array, RangeT, Seq, Type
from adcompile.ir.walk import Rewriter, statements_of, substitute
from adcompile.nests import Lowered
from adcompile.optimise.effects import Effects
from adcompile.optimise.typing import type_of

WIDTH = 16
"""Lanes: two vectors of the widest kind, so that one is computed while the other waits."""
MANY = 2**18
"""Turns of a loop; where what stands behind it may raise, one that takes more is left to NumPy."""
ROW = Array(np.dtype(np.float64), ("many",))


def in_lockstep(new: Lowered, ufuncs: frozenset[Any], effects: Effects, inexact: bool) -> Lowered:
    """The function with such loops side by side; `ufuncs` are the functions that have vector instructions. `inexact`:
    nobody asks what classes the numbers have that it gives."""
    elements = [s.body.params[0] for s in statements_of(new.function.body) if isinstance(s, For) and inner_loop(s)]
    for element in elements if ufuncs else ():
        loops = (s for s in statements_of(new.function.body) if isinstance(s, For))
        loop = next(s for s in loops if s.body.params[0] is element)
        classes = frozenset[Var]() if inexact else undecided(new.function, new.types)
        try:
            new = Lockstep(new, Iterations(new, loop, effects), ufuncs, classes).made()
        except Unfit:
            continue
    return new


class Lockstep:
    """Writes a loop whose iterations go side by side.

    What lanes hold lies in one array: whether each runs, what the inner loop carries, and what it and the tail read of
    the head.
    """

    def __init__(self, new: Lowered, found: Iterations, ufuncs: frozenset[Any], classes: frozenset[Var]) -> None:
        self.new, self.found, self.ufuncs = new, found, ufuncs
        self.types = dict(new.types)
        self.sure = set(new.sure)
        self.lanes = Var("lanes")
        self.types[self.lanes] = ROW
        inner = found.inner
        self.states = [k for k in range(len(carried(inner))) if k not in found.filled]
        self.filled = [carried(inner)[k] for k in found.filled]
        self.slots = {carried(inner)[k]: n + 1 for n, k in enumerate(self.states)}
        self.slots |= {v: len(self.slots) + 1 + n for n, v in enumerate(found.given)}
        if classes & {*(inner.results[k] for k in self.states), *found.given}:  # lanes do not hold them
            raise Unfit

    def made(self) -> Lowered:
        replaced = self.loop()
        for v in self.found.listed():
            self.types[v] = of_rows(self.types[v])
        function = self.new.function
        body = _Replaced(self, tuple(replaced)).block(function.body)
        return replace(self.new, function=replace(function, body=body), types=self.types, sure=frozenset(self.sure))

    def calls(self) -> Calls:
        return Calls(self.types, self.found.loop.role, sure=self.sure)

    def place(self, calls: Calls, lane: Atom, slot: int) -> Atom:
        return lane if slot == 0 else calls.call("at", INT, operator.add, lane, Const(slot * WIDTH))

    # -- the loop over blocks

    def loop(self) -> list[Statement]:
        loop, found, inner = self.found.loop, self.found, self.found.inner
        front = self.calls()
        trips, first = found.trips(front)
        front.out.append(Call(self.lanes, Const(np.empty), (Const(WIDTH * (len(self.slots) + 1)),)))
        more = front.call("t", INT, operator.add, trips, Const(WIDTH - 1))
        count = front.call("n", INT, operator.floordiv, more, Const(WIDTH))
        blocks = front.call("blocks", RangeT(True), range, count)
        b, params = Var("b"), tuple(self.fresh(p) for p in carried(loop))
        self.types[b] = INT
        inside = self.calls()
        base = inside.call("base", INT, operator.mul, b, Const(WIDTH))
        left = inside.call("left", INT, operator.sub, trips, base)
        width = inside.call("width", INT, builtins.min, left, Const(WIDTH))
        steps = inside.call("steps", RangeT(True), range, width)
        is_zero = isinstance(first, Const) and first.value == 0
        offset = base if is_zero else inside.call("base", INT, operator.add, base, first)
        now: dict[int, Atom] = {}
        inside.out += found.front
        inside.out += self.head(params, steps, offset, now)
        inside.out += [s for s in found.begun.values() if s.result in [inner.init[k] for k in found.filled[:1]]]
        inside.out += self.turns(width, steps)
        inside.out += self.tail(params, steps, offset, now)
        end = Continue(tuple(now[k] for k in range(len(params))))
        body = Block((b, *params), tuple(inside.out), end)
        return [*front.out, For(loop.results, blocks, loop.init, body, loop.place, loop.role)]

    def fresh(self, var: Var) -> Var:
        new = Var(var.name, var.place)
        if var in self.types:
            self.types[new] = self.types[var]
        return new

    def head(self, params: tuple[Var, ...], steps: Var, offset: Atom, now: dict[int, Atom]) -> list[Statement]:
        """What stands in front of the inner loop, for each lane."""
        found, lane = self.found, Var("l")
        self.types[lane] = INT
        calls = self.calls()
        i = calls.call(found.element.name, INT, operator.add, offset, lane)
        calls.out += found.head
        calls.store(self.lanes, lane, Const(1.0))
        inner = found.inner
        for k in self.states:
            first = inner.init[k]
            if sort_of(type_of(first, self.types)) == "count" and not is_small(first):
                raise Unfit
            calls.store(self.lanes, self.place(calls, lane, self.slots[carried(inner)[k]]), first)
        for v in found.given:
            calls.store(self.lanes, self.place(calls, lane, self.slots[v]), v)
        return [self.part(found.early, params, steps, lane, calls, {found.element: i}, now)]

    def part(self, which: list[int], params: tuple[Var, ...], steps: Var, lane: Var, calls: Calls,
             mapping: dict[Var, Atom], now: dict[int, Atom]) -> For:  # fmt: skip
        """A loop over lanes that carries a part of what the loop carries."""
        loop = self.found.loop
        assert isinstance(loop.body.end, Continue)
        own, end = tuple(carried(loop)[k] for k in which), tuple(loop.body.end.values[k] for k in which)
        results = tuple(self.fresh(p) for p in own)
        body = substitute(Block((lane, *own), tuple(calls.out), Continue(end)), mapping)
        now.update(zip(which, results))
        return For(results, steps, tuple(params[k] for k in which), body, loop.place, loop.role)

    # -- the inner loop

    def turns(self, width: Var, steps: Var) -> list[Statement]:
        """The turns of the inner loop, until no lane runs. One list of rows stands for all that it fills."""
        found, inner = self.found, self.found.inner
        calls, rows = self.calls(), Var("row")
        one = found.filled[:1]
        keeps = [self.fresh(carried(inner)[k]) for k in one]
        if keeps:
            self.types[rows] = ROW
            length = calls.call("length", INT, operator.mul, width, Const(len(found.filled)))
            calls.out.append(Call(rows, Const(np.empty), (length,), role="adjoint"))
        some, bad = self.turn(calls, steps, rows)
        calls.leave_unless(calls.call("fine", BOOL, operator.not_, bad))
        now = tuple(calls.call(v.name, of_rows(self.types[v]), ops.push, v, rows) for v in keeps)
        init, results = tuple(inner.init[k] for k in one), tuple(inner.results[k] for k in one)
        if isinstance(inner, While) and found.tail_raises:
            now, init, results, keeps = self.counted(calls, now, init, results, keeps)
        calls.out.append(If((), some, Block((), (), Continue(now)), Block((), (), Break(now))))
        params = (*((inner.body.params[0],) if isinstance(inner, For) else ()), *keeps)
        body = Block(params, tuple(calls.out), Unreachable())
        if isinstance(inner, For):
            return [For(results, inner.iterable, init, body, inner.place, inner.role)]
        return [While(results, init, body, inner.place, inner.role)]

    def counted(
        self,
        calls: Calls,
        now: tuple[Atom, ...],
        init: tuple[Atom, ...],
        results: tuple[Var, ...],
        keeps: list[Var],
    ) -> tuple[tuple[Atom, ...], tuple[Atom, ...], tuple[Var, ...], list[Var]]:
        """The turns are counted, and the kernel is left where there are more than any: perhaps the function raises
        behind the loop of an iteration before, and never comes to one that runs for ever."""
        turns, after = Var("turns"), Var("turns")
        self.types |= {turns: INT, after: INT}
        more = calls.call("turns", INT, operator.add, turns, Const(1))
        calls.leave_unless(calls.call("few", BOOL, operator.le, more, Const(MANY)))
        return (*now, more), (*init, Const(0)), (*results, after), [*keeps, turns]

    def turn(self, out: Calls, steps: Var, rows: Var) -> tuple[Var, Var]:
        """One turn for all lanes: whether any runs on, and whether one has met what leaves the kernel."""
        lane, some, bad = Var("l"), Var("some"), Var("bad")
        self.types |= {lane: INT, some: BOOL, bad: BOOL}
        calls = self.calls()
        runs = calls.call("runs", BOOL, operator.gt, calls.load(self.lanes, lane, "float", "t"), Const(0.0))
        flat = self.flat(calls, out, lane, bad)
        flat.block(self.found.inner.body, runs)
        if not flat.heavy:
            raise Unfit
        goes_on = self.put(flat, lane)
        self.keep(flat, lane, rows)
        end = Continue((flat.test(operator.or_, some, goes_on), flat.bad))
        results = self.fresh(some), self.fresh(bad)
        body = Block((lane, some, bad), tuple(calls.out), end)
        out.out.append(For(results, steps, (Const(False), Const(False)), body, role=self.found.loop.role))
        return results

    def flat(self, calls: Calls, front: Calls, lane: Var, bad: Var) -> Lane:
        """The inner loop in a lane, with what it holds."""
        inner = self.found.inner
        now: dict[Var, Atom] = {}
        for v, slot in self.slots.items():
            now[v] = calls.load(self.lanes, self.place(calls, lane, slot), sort_of(type_of(v, self.types)), v.name)
        differ = set(now.values())
        if isinstance(inner, For):
            now[inner.body.params[0]] = inner.body.params[0]
        lists: dict[Var, tuple[Var, Atom | None]] = {p: (p, None) for p in self.filled}
        return Lane(
            calls,
            front,
            self.found.effects.pure,
            now,
            differ,
            lists,
            self.ufuncs,
            self.found.own,
            self.found.hoisted,
            bad,
        )

    def put(self, flat: Lane, lane: Var) -> Atom:
        """Put into a lane what it carries, and whether it runs on, which it gives."""
        for k in self.states:
            p = carried(self.found.inner)[k]
            value = flat.carried(k, flat.now[p])
            if value is not flat.now[p]:
                flat.calls.store(self.lanes, self.place(flat.calls, lane, self.slots[p]), value)
        goes_on = flat.goes_on()
        flat.calls.store(self.lanes, lane, goes_on)
        return goes_on

    def keep(self, flat: Lane, lane: Var, rows: Var) -> None:
        """Put into a row what a lane keeps, all of one lane side by side."""
        calls, many = flat.calls, len(self.filled)
        first = calls.call("at", INT, operator.mul, lane, Const(many)) if many else lane
        for n, (k, p) in enumerate(zip(self.found.filled, self.filled)):
            kept = flat.kept(k, p)
            if kept is None:
                raise Unfit
            calls.store(rows, calls.call("at", INT, operator.add, first, Const(n)), kept)

    # -- behind it

    def tail(self, params: tuple[Var, ...], steps: Var, offset: Atom, now: dict[int, Atom]) -> list[Statement]:
        """What stands behind the inner loop, for each lane."""
        found, lane, inner = self.found, Var("l"), self.found.inner
        self.types[lane] = INT
        calls = self.calls()
        mapping: dict[Var, Atom] = {found.element: calls.call(found.element.name, INT, operator.add, offset, lane)}
        mapping |= {inner.results[k]: inner.results[found.filled[0]] for k in found.filled}
        for k in self.states:
            if inner.results[k] in found.wanted:
                place = self.place(calls, lane, self.slots[carried(inner)[k]])
                self.as_it_was(calls, inner.results[k], self.lanes, place)
        for v in found.given:
            if v in found.wanted:
                mapping[v] = again = self.fresh(v)
                self.as_it_was(calls, again, self.lanes, self.place(calls, lane, self.slots[v]))
        for s in found.again:
            mapping[s.result] = again = self.fresh(s.result)
            calls.out.append(replace(s, result=again))
        calls.out += found.tail
        return [self.part(found.late, params, steps, lane, calls, mapping, now)]

    def as_it_was(self, calls: Calls, result: Var, array: Var, place: Atom) -> None:
        """What a lane holds, of the class that it has outside."""
        sort = sort_of(type_of(result, self.types))
        if sort == "float":
            calls.out.append(Call(result, Const(operator.getitem), (array, place), role=calls.role))
            self.sure.add(result)
            return
        value = calls.load(array, place, "float", result.name)
        fn, more = (operator.ne, (Const(0.0),)) if sort == "test" else (int, ())
        calls.out.append(Call(result, Const(fn), (value, *more), role=calls.role))


class _Replaced(Rewriter):
    """The function with a loop in place of another, and reads of what that has kept as those of lanes."""

    def __init__(self, writer: Lockstep, replaced: tuple[Statement, ...]) -> None:
        self.writer, self.replaced = writer, replaced
        self.lane: dict[Var, Atom] = {}  # of lists that are read

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        found = self.writer.found
        if s is found.loop:
            return self.replaced
        if isinstance(s, Call) and s.result in found.rows:
            calls = Calls(self.writer.types, s.role)
            lane = calls.call("lane", INT, operator.and_, found.rows[s.result], Const(WIDTH - 1))
            self.lane[s.result] = calls.call("at", INT, operator.mul, lane, Const(len(found.filled)))
            return (s, *calls.out)
        if isinstance(s, Call) and s.result in found.read:
            items = s.args[0]
            assert isinstance(items, Var)
            calls = Calls(self.writer.types, s.role, sure=self.writer.sure)
            row = calls.call("row", ROW, operator.getitem, *s.args)
            place = calls.call("at", INT, operator.add, self.lane[items], Const(found.read[s.result]))
            self.writer.as_it_was(calls, s.result, row, place)
            return tuple(calls.out)
        return super().statement(s)


def of_rows(t: Type) -> Type:
    """The type of lists of numbers, or of lists of these, with rows in place of the numbers."""
    return replace(t, item=of_rows(t.item)) if isinstance(t, Seq) else ROW
