"""Ways back through loops that carry a few numbers: the Jacobians of sixty-four iterations at once, and what is left of
the chain.

    for k in reversed(range(n)):          for l in range(64): J[l] = Jacobian of iteration l
        … x_bar, y_bar …            →     for l in reversed(range(64)): x_bar, y_bar = J[l] @ (x_bar, y_bar), kept
                                          for l in range(64): the iteration as it is written, of what was kept
                                          for l in reversed(range(64)): sums, writes

An integrator hands a few cotangents from step to step through dozens of operations, each of which waits for the one
before. What they are multiplied by is known in front, so that Jacobians are made by vector instructions (Griewank and
Walther, Evaluating Derivatives, 2008, chapter 10), and two operations for each iteration wait for each other.

A product with a Jacobian may round otherwise than the iteration does: `K * (x_bar - y_bar)` loses what is small beside
`K`. So each iteration is computed as it is written, too, of the numbers that the chain has for it; that waits for
nothing, and is vector instructions again. Where it does not give what the chain has gone on with, but for some
roundings of its own last operation, or that is not finite, the block runs as it is written, from its start. Sums and
writes have what was computed as written.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from adcompile.backend.native.blockwise import Blockwise, gone_through
from adcompile.backend.native.classes import undecided
from adcompile.backend.native.iterations import carried
from adcompile.backend.native.lanes import OF_NUMPY, Calls, Unfit, may_raise, sort_of
from adcompile.backend.native.linear import ADD, MUL, NEG, SUB, LinearIteration, kind_of, work_of
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, If, Var, Yield
from adcompile.ir.types import BOOL, FLOAT64, INT, Array
from adcompile.ir.walk import substitute
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.typing import INPLACE, type_of

WIDTH = 64
"""Iterations of a block."""
STATES = 4
"""Carried numbers: with more of them Jacobians cost more than the chain."""
LANES = 6
"""Operations in a cycle, of vector instructions."""
CHAIN = 16
"""Cycles that an iteration takes where its Jacobian is there."""
WORTH = 1.25
"""How many times as long as that the chain must take."""
ROUNDINGS = 64 * 2.0**-53
"""What the chain may differ by, relative to the numbers that an iteration makes its result of last."""
ONE = Const(1.0)
Jacobian = Mapping[tuple[int, int], Atom | int]
"""By row and column, a number that is the same for all iterations, or the slot of one."""
SHIFT = -1
"""The column of what an iteration adds whatever the states are."""


def preaccumulated(new: Lowered, effects: Effects, inexact: bool) -> Lowered:
    """The function with such loops in blocks. `inexact`: nobody asks what classes the numbers have that it gives."""
    for loop in new.function.body.statements:
        if isinstance(loop, For) and loop.role == "adjoint":
            try:
                found = Preaccumulated(new, loop, effects)
                if inexact or undecided(new.function, new.types).isdisjoint(carried(loop)):
                    new = found.rewritten()
            except Unfit:
                continue
    return new


class Preaccumulated(Blockwise):
    """Writes a loop in blocks, each with its Jacobians. The lanes hold these, the states that iterations begin and end
    with, and what sums and writes wait for."""

    width = WIDTH

    def __init__(self, new: Lowered, loop: For, effects: Effects) -> None:
        super().__init__(new, loop, gone_through(new, loop))
        self.body = LinearIteration(new, loop, effects)
        self.slots = 0
        if not 0 < len(self.body.states) <= STATES or not all(map(self.is_read_in_vectors, self.body.given)):
            raise Unfit

    def rewritten(self) -> Lowered:
        statements = self.with_blocks(self.loop.results)
        first = Call(self.lanes, Const(np.zeros), (Const(self.slots * WIDTH),), role="adjoint")
        return self.lowered(self.replaced((first, *statements)))

    def block(self, calls: Calls, base: Var, width: Var, params: tuple[Var, ...]) -> tuple[Atom, ...]:
        steps = self.through(calls, "steps", width, False)
        back = self.through(calls, "steps", width, True) if self.range.backwards else steps
        self.now: dict[Var, Atom] = dict(zip(self.body.params, params))
        jacobian = self.jacobians(calls, steps, base)
        begins, ends = ([self.slot() for _ in self.body.states] for _ in range(2))
        states = self.chain(calls, back, jacobian, begins, ends)
        fine, slots = self.as_written(calls, steps, base, begins, ends)
        then, after = self.calls(), list[Atom](params)
        for k, v in zip(self.body.states, states):
            after[k] = v
        self.late(then, back, base, slots, after)
        results = tuple(map(self.fresh, params))
        otherwise = self.calls()
        again = self.once_more(otherwise, back, base, params)
        one, other = Block((), tuple(then.out), Yield(tuple(after))), Block((), tuple(otherwise.out), Yield(again))
        calls.out.append(If(results, fine, one, other))
        return results

    def is_read_in_vectors(self, s: Call) -> bool:
        """Whether a call reads of no array, or of one that surely has an element for each iteration."""
        if not s.args or not isinstance(type_of(s.args[0], self.types), Array):
            return True
        return called(s) is operator.getitem and s.args[1] is self.element and s.args[0] is self.range.length_of

    # -- parts of loops

    def lane(self) -> Var:
        lane = Var("l")
        self.types[lane] = INT
        return lane

    def each(self, calls: Calls, steps: Var, body: Block, first: Sequence[Atom] = ()) -> tuple[Var, ...]:
        """Write a loop over the iterations of a block."""
        results = tuple(self.fresh(p) for p in body.params[1:])
        calls.out.append(For(results, steps, tuple(first), body, role=self.loop.role))
        return results

    def slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def put(self, calls: Calls, lane: Var, slot: int, value: Atom) -> None:
        calls.store(self.lanes, self.at(calls, lane, slot * WIDTH), value)

    def got(self, calls: Calls, lane: Var, slot: int, name: str) -> Var:
        return calls.load(self.lanes, self.at(calls, lane, slot * WIDTH), "float", name)

    def again(self, calls: Calls, s: Call, now: dict[Var, Atom]) -> None:
        """Write a call of what stands for its arguments now: NumPy's, in place of one of Python's that may raise."""
        if may_raise(s, self.types):
            fn = INPLACE.get(called(s), called(s))
            if fn not in OF_NUMPY:
                raise Unfit
            s = replace(s, fn=Const(OF_NUMPY[fn]))
        args = tuple(now.get(a, a) if isinstance(a, Var) else a for a in s.args)
        now[s.result] = result = self.fresh(s.result)
        calls.out.append(replace(s, result=result, args=args))

    def as_float(self, calls: Calls, atom: Atom, now: Mapping[Var, Atom]) -> Atom:
        """What stands for a number, as it is beside floats."""
        if isinstance(atom, Const):
            return Const(float(atom.value))
        counts = sort_of(type_of(atom, self.types)) != "float"
        value = now.get(atom, atom)
        return calls.call(atom.name, FLOAT64, float, value) if counts else value

    def coefficients(self, calls: Calls, lane: Var, base: Atom) -> dict[Var, Atom]:
        """What stands for all that an iteration knows."""
        now = {**self.now, **self.number(calls, lane, base)}
        for s in self.body.given:
            self.again(calls, s, now)
        return now

    # -- Jacobians

    def jacobians(self, calls: Calls, steps: Var, base: Var) -> Jacobian:
        """The Jacobian of each iteration: of the state in a row, by the state in a column, what is the same for all, or
        the slot where it lies."""
        lane, inside, found = self.lane(), self.calls(), dict[tuple[int, int], Atom | int]()
        known, slots = self.coefficients(inside, lane, base), dict[Atom, int]()
        for column in (*self.body.states, SHIFT):
            for row, value in zip(self.body.states, self.column(inside, column, known)):
                if isinstance(value, Var) and value in {c.result for c in inside.out}:
                    if value not in slots:
                        slots[value] = self.slot()
                        self.put(inside, lane, slots[value], value)
                    found[row, column] = slots[value]
                elif value is not None:
                    found[row, column] = value
        work = sum(map(work_of, (*inside.out, *self.body.given, *self.body.moved)))
        if self.body.depth() < WORTH * (CHAIN + work / LANES):
            raise Unfit
        self.each(calls, steps, Block((lane,), tuple(inside.out), Continue(())))
        return found

    def column(self, calls: Calls, column: int, known: Mapping[Var, Atom]) -> list[Atom | None]:
        """What an iteration makes of one state that is one, where the others are zero, or what it adds; None for
        zero."""
        body = self.body
        now: dict[Atom, Atom | None] = {body.params[k]: ONE if k == column else None for k in body.states}

        def value(a: Atom, added: bool) -> Atom | None:
            if a in body.moving:
                return now[a]
            return self.as_float(calls, a, known) if not added or column == SHIFT else None

        wanted = [body.ends[k] for k in body.states]
        for s in body.needed(body.moved, wanted):
            args = [value(a, kind_of(s) in (ADD, SUB)) for a in s.args]
            now[s.result] = self.linear(calls, s, args)
        return [value(e, True) for e in wanted]

    def linear(self, calls: Calls, s: Call, args: Sequence[Atom | None]) -> Atom | None:
        kind, name, one, other = kind_of(s), s.result.name, args[0], args[-1]
        if kind in (ADD, SUB):
            if other is None:
                return one
            if one is None:
                return other if kind is ADD else calls.call(name, FLOAT64, NEG, other)
            return calls.call(name, FLOAT64, kind, one, other)
        if one is None or other is None:
            return None
        if kind is NEG:
            return calls.call(name, FLOAT64, NEG, one)
        return self.product(calls, one, other) if kind is MUL else calls.call(name, FLOAT64, np.true_divide, one, other)

    def product(self, calls: Calls, one: Atom, other: Atom) -> Atom:
        if ONE in (one, other):
            return other if one == ONE else one
        return calls.call("t", FLOAT64, MUL, one, other)

    def chain(self, calls: Calls, back: Var, jacobian: Jacobian, begins: list[int], ends: list[int]) -> tuple[Var, ...]:
        """The states from iteration to iteration, as the Jacobians have them; what each begins and ends with is put
        down."""
        lane, inside, states = self.lane(), self.calls(), self.body.states
        params = [self.body.params[k] for k in states]
        carry, first = [*map(self.fresh, params)], [self.now[p] for p in params]
        for p, slot in zip(carry, begins):
            self.put(inside, lane, slot, p)
        after = list[Atom]()
        for row, slot in zip(states, ends):
            total: Atom | None = None
            for column, p in (*zip(states, carry), (SHIFT, ONE)):
                entry = jacobian.get((row, column))
                if entry is None:
                    continue
                entry = self.got(inside, lane, entry, "J") if isinstance(entry, int) else entry
                term = self.product(inside, entry, p)
                total = term if total is None else inside.call("t", FLOAT64, ADD, total, term)
            after.append(Const(0.0) if total is None else total)
            self.put(inside, lane, slot, after[-1])
        return self.each(calls, back, Block((lane, *carry), tuple(inside.out), Continue(tuple(after))), first)

    # -- what the chain has, as it is written

    def as_written(
        self, calls: Calls, steps: Var, base: Var, begins: list[int], ends: list[int]
    ) -> tuple[Var, dict[Var, int]]:
        """Whether all iterations give what the chain has gone on with, and the slots of what sums and writes are made
        of, by what they make."""
        lane, inside, body = self.lane(), self.calls(), self.body
        now = self.coefficients(inside, lane, base)
        for k, slot in zip(body.states, begins):
            now[body.params[k]] = self.got(inside, lane, slot, body.params[k].name)
        for s in body.moved:
            self.again(inside, s, now)
        fine = before = Var("fine")
        self.types[fine] = BOOL
        for k, slot in zip(body.states, ends):
            fine = inside.call("fine", BOOL, operator.and_, fine, self.is_near(inside, lane, now, body.ends[k], slot))
        for s in body.given:
            if may_raise(s, self.types):
                finite = inside.call("finite", BOOL, np.isfinite, now[s.result])
                fine = inside.call("fine", BOOL, operator.and_, fine, finite)
        slots = dict[Var, int]()
        for result, value in self.waited_for(inside, now).items():
            slots[result] = self.slot()
            self.put(inside, lane, slots[result], value)
        loop = Block((lane, before), tuple(inside.out), Continue((fine,)))
        return self.each(calls, steps, loop, (Const(True),))[0], slots

    def is_near(self, calls: Calls, lane: Var, now: Mapping[Var, Atom], end: Atom, slot: int) -> Var:
        """Whether an iteration gives a state as the chain has it, which must be finite. It has rounded the state, and
        what it adds up last, where it has computed that itself."""
        made = self.body.made.get(end)  # type: ignore[arg-type]
        parts = made.args if made is not None and kind_of(made) in (ADD, SUB) else ()
        rounded = [a for a in parts if a in self.body.made and kind_of(self.body.made[a]) is not None]

        def size(a: Atom) -> Var:
            return calls.call("size", FLOAT64, operator.abs, now.get(a, a) if isinstance(a, Var) else a)

        scale = size(end)
        for a in rounded:
            scale = calls.call("size", FLOAT64, builtins.max, scale, size(a))
        value, has = now.get(end, end) if isinstance(end, Var) else end, self.got(calls, lane, slot, "t")
        off = calls.call("off", FLOAT64, operator.abs, calls.call("off", FLOAT64, SUB, value, has))
        return calls.call("near", BOOL, operator.le, off, calls.call("most", FLOAT64, MUL, scale, Const(ROUNDINGS)))

    def waited_for(self, calls: Calls, now: Mapping[Var, Atom]) -> dict[Var, Atom]:
        """What an iteration adds to each sum, and to elements of arrays."""
        out = dict[Var, Atom]()
        for found in self.body.sums:
            total: Atom | None = None
            for s, term in found.terms:
                total = self.linear(calls, s, (total, self.as_float(calls, term, now)))
            assert total is not None
            out[found.result] = total
        for s in (s for found in self.body.scattered for s in found.calls):
            out[s.result] = self.as_float(calls, s.args[2], now)
        return out

    # -- sums

    def late(self, calls: Calls, back: Var, base: Var, slots: Mapping[Var, int], after: list[Atom]) -> None:
        """Write the loop over what had to wait, one iteration behind the other; `after` is what the block hands on."""
        if not slots:
            return
        lane, inside, body = self.lane(), self.calls(), self.body
        all_ = [*body.sums, *body.scattered]
        carry, ends = [self.fresh(body.params[found.index]) for found in all_], list[Atom]()
        for p, found in zip(carry, body.sums):
            value = self.got(inside, lane, slots[found.result], "t")
            ends.append(inside.call(p.name, FLOAT64, ADD, p, value))
        now: dict[Var, Atom] = {**self.now, **(self.number(inside, lane, base) if body.scattered else {})}
        for s in body.needed(body.given, [s.args[1] for found in body.scattered for s in found.calls]):
            self.again(inside, s, now)
        for p, found in zip(carry[len(ends) :], body.scattered):
            now[body.params[found.index]] = p
            for s in found.calls:
                self.again(inside, replace(s, args=(*s.args[:2], self.got(inside, lane, slots[s.result], "t"))), now)
            end = body.ends[found.index]
            ends.append(now[end] if isinstance(end, Var) else end)
        loop = Block((lane, *carry), tuple(inside.out), Continue(tuple(ends)))
        for found, r in zip(all_, self.each(calls, back, loop, [after[found.index] for found in all_])):
            after[found.index] = r

    def once_more(self, calls: Calls, back: Var, base: Var, params: tuple[Var, ...]) -> tuple[Var, ...]:
        """The iterations as they are written."""
        lane, inside, body = self.lane(), self.calls(), self.loop.body
        number = self.number(inside, lane, base)
        inside.out += body.statements
        return self.each(
            calls, back, substitute(Block((lane, *carried(self.loop)), tuple(inside.out), body.end), number), params
        )
