"""Loops taken in blocks of some iterations: what goes through them, the loop over blocks, and what an iteration of a
block has for the number of its own."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from adcompile.backend.native.iterations import carried
from adcompile.backend.native.lanes import Calls, Unfit, sort_of
from adcompile.backend.native.lockstep import ROW
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, Statement, Var
from adcompile.ir.types import INT, Array, RangeT
from adcompile.ir.walk import Rewriter, statements_of
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.typing import type_of
from adcompile.runtime.loops import strip, strips

FEW = 8
"""Iterations: with no more of them the loop is written out."""


@frozen
class Numbers:
    """What a loop goes through: a range, or an `array`; `backwards`: from its end."""

    items: Atom
    start: Atom
    step: int
    backwards: bool
    array: bool = False
    length_of: Atom | None = None
    """An array as long as there are iterations, where the code says that."""


def gone_through(new: Lowered, loop: For) -> Numbers:
    """What a loop goes through. Raises Unfit where that is neither a range of a known step nor an array of numbers, or
    it is short."""
    if isinstance(type_of(loop.iterable, new.types), Array):
        sort_of(type_of(loop.body.params[0], new.types))
        return Numbers(loop.iterable, Const(0), 1, False, True)
    made = {s.result: s for s in statements_of(new.function.body) if isinstance(s, Call)}
    found, backwards = made.get(loop.iterable), False  # type: ignore[arg-type]
    if found is not None and called(found) is reversed:
        found, backwards = made.get(found.args[0]), True  # type: ignore[arg-type]
    if found is None or called(found) is not range:
        raise Unfit
    start, stop, step = found.args if len(found.args) == 3 else (*[Const(0), *found.args][-2:], Const(1))
    if not isinstance(step, Const) or type(step.value) is not int or step.value == 0:
        raise Unfit
    if isinstance(start, Const) and isinstance(stop, Const):
        if len(range(start.value, stop.value, step.value)) <= FEW:
            raise Unfit
    counted = made.get(stop) if is_zero(start) and step.value == 1 else None  # type: ignore[arg-type]
    length_of = counted.args[0] if counted is not None and called(counted) is len else None
    return Numbers(found.result, start, step.value, backwards, length_of=length_of)


class Blockwise:
    """Writes a loop in blocks of `width` iterations. What an iteration leaves for the loops behind its own lies in one
    array, `lanes`."""

    width: int

    def __init__(self, new: Lowered, loop: For, numbers: Numbers) -> None:
        self.new, self.loop, self.range, self.element = new, loop, numbers, loop.body.params[0]
        self.types, self.sure, self.sums = dict(new.types), set(new.sure), set(new.sums)
        self.lanes = Var("lanes")
        self.types[self.lanes] = ROW

    def calls(self) -> Calls:
        return Calls(self.types, self.loop.role, sure=self.sure)

    def replaced(self, statements: tuple[Statement, ...]) -> Block:
        """The body of the function, with statements in place of the loop."""
        return _Replaced(self.loop, statements).block(self.new.function.body)

    def with_blocks(self, results: tuple[Var, ...]) -> list[Statement]:
        """The loop over blocks."""
        loop, front = self.loop, self.calls()
        trips = self.trips(front)
        count = front.call("n", INT, strips, trips, Const(self.width))
        numbers = self.through(front, "blocks", count, self.range.backwards)
        b, params = Var("b"), tuple(self.fresh(p) for p in carried(loop))
        self.types[b] = INT
        calls = self.calls()
        base = calls.call("base", INT, operator.mul, b, Const(self.width))
        width = calls.call("width", INT, strip, trips, base, Const(self.width))
        after = self.block(calls, base, width, params)
        body = Block((b, *params), tuple(calls.out), Continue(after))
        return [*front.out, For(results, numbers, loop.init, body, loop.place, loop.role)]

    def block(self, calls: Calls, base: Var, width: Var, params: tuple[Var, ...]) -> tuple[Atom, ...]:
        """Write what a block does, and give what it hands on."""
        raise NotImplementedError

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
        return calls.call("n", INT, len, self.range.items)

    def number(self, calls: Calls, lane: Var, base: Atom) -> dict[Var, Atom]:
        """The number of an iteration, or the element that the loop has from it."""
        numbers = self.range
        k = calls.call("i", INT, operator.add, base, lane)
        if not numbers.array and is_zero(numbers.start) and numbers.step == 1:
            return {self.element: k}
        item = self.fresh(self.element)
        calls.out.append(Call(item, Const(operator.getitem), (numbers.items, k), role="adjoint"))
        self.sure.add(item)
        return {self.element: item}

    def at(self, calls: Calls, lane: Var, place: int) -> Atom:
        return calls.call("at", INT, operator.add, lane, Const(place)) if place else lane

    def lowered(self, body: Block) -> Lowered:
        """The function with this body."""
        function = replace(self.new.function, body=body)
        known = {"sure": frozenset(self.sure), "sums": frozenset(self.sums)}
        return replace(self.new, function=function, types=self.types, **known)


def is_zero(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value == 0


class _Replaced(Rewriter):
    """The function with statements in place of a loop."""

    def __init__(self, loop: For, replaced: tuple[Statement, ...]) -> None:
        self.loop, self.replaced = loop, replaced

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        return self.replaced if s is self.loop else super().statement(s)
