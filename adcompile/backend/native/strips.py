"""Elementary functions of loops, computed for thirty-two iterations at once.

    for i in range(n):                    for b in range(n / 32):
        s += w[i] * exp(-x[i])    →           for l in range(32): lanes[l] = -x[32 b + l]
                                              for l in range(32): lanes[l] = exp(lanes[l])
                                              for l in range(32): s += w[32 b + l] * lanes[l]

The loop in the middle is made of vector instructions (`runtime/vecmath`), whatever the loop around does beside: sums in
their order, branches, writes into many arrays. What a function is computed of must not depend on what the loop has done
before; what depends on the results of such functions is computed in a further loop of its own.

A loop that the compiler makes vector instructions of as it stands is left to it where it is long: such instructions
begin where they have several vectors of each array, and a loop of a dozen iterations never gets there. Of a loop in
another one the kernel has both, and asks how long it is.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adcompile.backend.native.classes import undecided
from adcompile.backend.native.iterations import carried, facts_of
from adcompile.backend.native.lanes import ARITHMETIC, OF_NUMPY, TESTS, Calls, Unfit, may_raise, sort_of
from adcompile.backend.native.lockstep import ROW
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
    Raise,
    Return,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import BOOL, FLOAT64, INT, Array, RangeT, Seq, TupleT
from adcompile.ir.walk import Copier, Rewriter, all_blocks, blocks_of, defined, statements_of, substitute
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import DEAD, Unit, run_passes
from adcompile.optimise.trails import writes_into
from adcompile.optimise.typing import INPLACE, kinds, type_of
from adcompile.runtime.loops import Leave, strip

WIDTH = 32
"""Iterations of a strip: with sixteen the compiler takes the loop apart, and makes no vector instructions."""
PAIRS = 128
"""Arrays that a loop writes, each with another one that it reads or writes: with more of them LLVM does not look
whether they share memory, and makes no vector instructions."""
SHORT = 64
"""Iterations: with fewer of them LLVM's own vectors are not worth their beginning."""
FEW = 8
"""Iterations: with no more of them the loop is written out."""
CHEAP = ARITHMETIC | TESTS | {operator.truediv, operator.getitem, math.sqrt, math.fabs, np.where}
"""What is computed twice, in front of a function and behind it."""


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
            new = Strips(new, loop, ufuncs, effects, classes).rewritten()
        except Unfit:
            continue
    return new


def function_of(s: Call) -> Any:
    """NumPy's function in place of Python's."""
    fn = INPLACE.get(called(s), called(s))
    return np.power if fn is operator.pow else OF_NUMPY.get(fn, fn)


@dataclass(eq=False)
class Staged:
    """A function that is computed for a strip, of `args`, once those of the stages before have been."""

    call: Call
    function: Any
    args: tuple[Atom, ...]
    stage: int
    slot: int = 0


class Strips:
    """Writes a loop in strips. Raises Unfit where it has no function for them."""

    def __init__(
        self, new: Lowered, loop: For, ufuncs: frozenset[Any], effects: Effects, classes: frozenset[Var]
    ) -> None:
        self.new, self.loop, self.ufuncs, self.classes = new, loop, ufuncs, classes
        self.types, self.sure, self.sums = dict(new.types), set(new.sure), set(new.sums)
        self.effects = Effects(self.types, effects.summaries)
        self.element, self.array = loop.body.params[0], isinstance(type_of(loop.iterable, self.types), Array)
        if any(isinstance(b.end, (Break, Return)) for b in all_blocks(loop.body)):
            raise Unfit
        self.own = defined(loop.body)
        self.order = {s: k for k, s in enumerate(statements_of(loop.body))}
        self.made = {s.result: s for s in self.order if isinstance(s, Call)}
        self.always = set(before_continue(loop.body))
        self.slices: dict[Var, dict[Call, None]] = {}
        self.staged: dict[Var, Staged] = {}
        self.range = self.gone_through()
        self.writes = self.written()
        for s in self.order:
            self.look_at(s)
        self.both = self.is_vectorised()
        """Whether the loop stays as it is where it is long."""
        outermost = loop in new.function.body.statements
        arrays = any(isinstance(type_of(p, self.types), Array) for p in carried(loop))
        if not self.staged or self.both and (outermost or arrays or self.array):
            raise Unfit
        self.lanes = Var("lanes")
        self.types[self.lanes] = ROW
        self.place()

    # -- what there is

    def gone_through(self) -> tuple[Atom, Atom, int, bool]:
        """The range that the loop goes through, and whether it does so from its end."""
        made = {s.result: s for s in statements_of(self.new.function.body) if isinstance(s, Call)}
        found, backwards = made.get(self.loop.iterable), False  # type: ignore[arg-type]
        if self.array:
            sort_of(type_of(self.element, self.types))
            return Const(0), Const(None), 1, False
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
        return start, stop, step.value, backwards

    def written(self) -> list[tuple[Call, Var]]:
        """What the loop writes into, and where."""
        out: list[tuple[Call, Var]] = []
        for s in statements_of(self.loop.body):
            if isinstance(s, If):
                continue
            into = None if not isinstance(s, Call) else [] if called(s) is ops.push else self.into(s)
            if into is None:
                raise Unfit
            assert isinstance(s, Call)
            out += [(s, w) for w in into]
        return out

    def into(self, s: Call) -> list[Var] | None:
        return writes_into(s, self.types, self.effects)

    def look_at(self, s: Statement) -> None:
        """Stage a statement that computes such a function of what is known in front of the loop's own work."""
        if not isinstance(s, Call) or s.kwargs or s.result in self.classes:
            return
        fn = function_of(s)
        if fn not in self.ufuncs or fn in ARITHMETIC or len(s.args) != fn.nin or not self.is_float(s.result):
            return
        if fn is np.power and (s not in self.always or is_half(s.args[1])):
            return  # not worth it in vain; by multiplications and roots
        if not all(self.is_number(a) for a in s.args):
            return
        needed: dict[Call, None] = {}
        if all(self.is_known(a, needed) for a in s.args):
            before = [self.staged[a].stage for c in (s, *needed) for a in c.args if a in self.staged]  # type: ignore[index]
            self.slices[s.result] = needed
            self.staged[s.result] = Staged(s, fn, s.args, max(before, default=0) + 1)

    def is_float(self, var: Var) -> bool:
        found = kinds(type_of(var, self.types))
        return bool(found) and found <= {float, np.float64}

    def is_number(self, atom: Atom) -> bool:
        try:
            return sort_of(type_of(atom, self.types)) in ("float", "count")
        except Unfit:
            return False

    def is_known(self, atom: Atom, needed: dict[Call, None]) -> bool:
        """Whether a value is known in front of the loop's own work; `needed` is what computes it."""
        if not isinstance(atom, Var) or atom not in self.own or atom in self.staged:
            return True
        if atom is self.element:
            return not self.array or self.is_read(None, self.loop.iterable)
        s = self.made.get(atom)
        if s is None or s.kwargs or not self.effects.pure(s) or not self.is_cheap(s):
            return False
        if not all(self.is_known(a, needed) for a in s.args):
            return False
        needed[s] = None
        return True

    def is_cheap(self, s: Call) -> bool:
        """Whether a statement may be done twice; one that the loop perhaps does not do must not raise, either."""
        fn, t = INPLACE.get(called(s), called(s)), self.types.get(s.result)
        if s not in self.always:
            return fn in ARITHMETIC and bool(kinds(t)) if t is not None else False
        if fn is operator.getitem:
            source = type_of(s.args[0], self.types)
            if isinstance(source, (Array, Seq)):
                return s.args[0] not in self.own and self.is_number(s.result) and self.is_read(s, s.args[0])
            return isinstance(source, TupleT)
        if fn is ops.build_tuple:
            return all(self.is_number(a) for a in s.args)
        if fn is operator.pow:
            return isinstance(s.args[1], Const) and s.args[1].value in (2, 3)
        return fn in CHEAP and bool(kinds(t)) if t is not None else False

    def is_read(self, s: Call | None, source: Atom) -> bool:
        """Whether what is read here is the same in front of the loop's own work."""
        if not isinstance(source, Var):
            return False
        if isinstance(type_of(source, self.types), Seq):  # what is pushed to is carried
            return True
        start, _, step, _ = self.range
        # no number stands for an element that another one has
        each = step > 0 and isinstance(start, Const) and start.value >= 0
        for writing, w in self.writes:
            own = each and w is source and self.at_element(writing) and (s is None or self.at_element(s))
            earlier = s is None or self.order[s] < self.order[writing]
            if not (own and earlier) and not self.facts.apart(w, source):
                return False
        return True

    def at_element(self, s: Call) -> bool:
        return called(s) in (operator.getitem, operator.setitem) and s.args[1] is self.element

    @property
    def facts(self) -> Any:
        found = self.__dict__.get("_facts")
        if found is None:
            found = self.__dict__["_facts"] = facts_of(self.new.function, self.types)
        return found

    def is_vectorised(self) -> bool:
        """Whether the compiler makes vector instructions of the loop as it stands."""
        calls = [s for s in self.order if isinstance(s, Call)]
        if len(calls) < len(self.order) or any(called(s) is ops.push for s in calls):
            return False
        if any(may_raise(s, self.types) for s in calls):
            return False
        if not isinstance(self.loop.body.end, Continue):
            return False
        for p, value in zip(carried(self.loop), self.loop.body.end.values):
            if value is not p and value not in self.new.sums and not isinstance(type_of(p, self.types), Array):
                return False
        written = {w for _, w in self.writes}
        read = {s.args[0] for s in calls if isinstance(type_of(s.args[0], self.types) if s.args else None, Array)}
        many = len(written) * (len(written) - 1) // 2 + len(written) * len(read - written)
        return many <= PAIRS

    # -- where it lies

    def place(self) -> None:
        """Give each argument a place in the lanes, those of one function and one stage side by side."""
        self.groups: dict[tuple[int, Any], list[Staged]] = defaultdict(list)
        for s in self.staged.values():
            self.groups[s.stage, s.function].append(s)
        size = 0
        for (_, fn), group in self.groups.items():
            for k, s in enumerate(group):
                s.slot = size + k * WIDTH
            size += len(group) * WIDTH * fn.nin
        self.size = size

    def calls(self) -> Calls:
        return Calls(self.types, self.loop.role, sure=self.sure)

    # -- the loops

    def rewritten(self) -> Lowered:
        function = self.new.function
        loop = self.by_length() if self.both else self.blocks(self.loop.results)
        body = _Replaced(self.loop, tuple(loop)).block(function.body)
        first = Call(self.lanes, Const(np.zeros), (Const(self.size),), role="adjoint")
        body = replace(body, statements=(first, *body.statements))
        body = run_passes(body, Unit(self.types), DEAD)
        function = replace(function, body=body)
        return Lowered(function, self.types, frozenset(self.sure), frozenset(self.sums))

    def by_length(self) -> list[Statement]:
        """The loop as it is where it is long, else in strips."""
        calls, results = self.calls(), [tuple(map(self.fresh, self.loop.results)) for _ in range(2)]
        short = calls.call("short", BOOL, operator.lt, self.trips(calls), Const(SHORT))
        copier = Copier({})
        as_it_is = copier.statement(replace(self.loop, results=results[1]))
        for old, new in copier.mapping.items():
            self.alike(old, new)
        strips = Block((), tuple(self.blocks(results[0])), Yield(results[0]))
        long = Block((), as_it_is, Yield(tuple(copier.mapping[r] for r in results[1])))
        return [*calls.out, If(self.loop.results, short, strips, long)]

    def blocks(self, results: tuple[Var, ...]) -> list[Statement]:
        """The loop over strips."""
        loop, front, backwards = self.loop, self.calls(), self.range[-1]
        trips = self.trips(front)
        more = front.call("t", INT, operator.add, trips, Const(WIDTH - 1))
        count = front.call("n", INT, operator.floordiv, more, Const(WIDTH))
        numbers = self.through(front, "blocks", count, backwards)
        b, params = Var("b"), tuple(self.fresh(p) for p in carried(loop))
        self.types[b] = INT
        calls = self.calls()
        base = calls.call("base", INT, operator.mul, b, Const(WIDTH))
        width = calls.call("width", INT, strip, trips, base, Const(WIDTH))
        steps = self.through(calls, "steps", width, False)
        for stage in range(1, 1 + max(s.stage for s in self.staged.values())):
            calls.out.append(self.arguments(stage, steps, base))
            calls.out += [self.functions(fn, group) for (k, fn), group in self.groups.items() if k == stage]
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
        start, stop, step, _ = self.range
        if self.array or step != 1:
            return calls.call("n", INT, len, self.loop.iterable)
        return stop if is_zero(start) else calls.call("n", INT, operator.sub, stop, start)

    def number(self, calls: Calls, lane: Var, base: Atom) -> dict[Var, Atom]:
        """The number of an iteration, or the element that the loop has from it."""
        start, _, step, _ = self.range
        i = calls.call("i", INT, operator.add, base, lane)
        if step != 1:
            i = calls.call("i", INT, operator.mul, i, Const(step))
        if not is_zero(start):
            i = calls.call("i", INT, operator.add, i, start)
        if not self.array:
            return {self.element: i}
        item = self.fresh(self.element)
        calls.out.append(Call(item, Const(operator.getitem), (self.loop.iterable, i), role=self.loop.role))
        self.sure.add(item)
        return {self.element: item}

    def arguments(self, stage: int, steps: Var, base: Atom) -> For:
        """What the functions of a stage are computed of, put into the lanes."""
        lane, calls = Var("l"), self.calls()
        self.types[lane] = INT
        now = self.number(calls, lane, base)
        these = [s for s in self.staged.values() if s.stage == stage]
        needed = {c for s in these for c in self.slices[s.call.result]}
        before = {a for c in (*needed, *(s.call for s in these)) for a in c.args if a in self.staged}
        for c in sorted(needed | {self.staged[v].call for v in before}, key=self.order.__getitem__):  # type: ignore[index]
            now[c.result] = again = self.fresh(c.result)
            if c.result in self.staged:
                calls.out.append(self.result(calls, again, self.staged[c.result], lane))
            else:
                args = tuple(now.get(a, a) if isinstance(a, Var) else a for a in c.args)
                calls.out.append(replace(c, result=again, args=args))
        for s in these:
            for k, a in enumerate(s.args):
                value = now.get(a, a) if isinstance(a, Var) else a
                calls.store(self.lanes, self.at(calls, lane, self.of(s, k)), value)
        return For((), steps, (), Block((lane,), tuple(calls.out), Continue(())), role=self.loop.role)

    def of(self, s: Staged, k: int) -> int:
        """Where an argument lies."""
        return s.slot + k * WIDTH * len(self.groups[s.stage, s.function])

    def at(self, calls: Calls, lane: Var, place: int) -> Atom:
        return calls.call("at", INT, operator.add, lane, Const(place)) if place else lane

    def result(self, calls: Calls, result: Var, s: Staged, lane: Var) -> Call:
        self.sure.add(result)
        place = self.at(calls, lane, s.slot)
        return Call(result, Const(operator.getitem), (self.lanes, place), role=self.loop.role)

    def functions(self, fn: Any, group: list[Staged]) -> For:
        """One function, for all that it is computed of in a stage."""
        lane, calls = Var("l"), self.calls()
        self.types[lane] = INT
        many = len(group) * WIDTH
        places = [self.at(calls, lane, group[0].slot + k * many) for k in range(fn.nin)]
        args = [calls.load(self.lanes, place, "float", "t") for place in places]
        value = calls.call("t", FLOAT64, fn, *args)
        calls.store(self.lanes, places[0], value)
        steps = Const(builtins.range(many))
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
            fine = calls.call("fine", BOOL, np.isfinite, s.call.result)
            calls.out.append(If((), fine, Block((), (), Yield()), Block((), (), Raise(Const(Leave)))))
        return calls.out


class _Computed(Rewriter):
    """The loop's own work, with what has been computed."""

    def __init__(self, strips: Strips, lane: Var) -> None:
        self.strips, self.lane = strips, lane

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        staged = self.strips.staged.get(s.result) if isinstance(s, Call) else None
        return tuple(self.strips.computed(staged, self.lane)) if staged is not None else super().statement(s)


def before_continue(body: Block) -> Sequence[Statement]:
    """The statements that each iteration comes to."""
    for k, s in enumerate(body.statements):
        if any(isinstance(b.end, Continue) for part in blocks_of(s) for b in all_blocks(part)):
            return body.statements[: k + 1]
    return body.statements


def is_zero(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value == 0


def is_half(atom: Atom) -> bool:
    """Whether an exponent is written as a number of halves."""
    return isinstance(atom, Const) and float(atom.value * 2).is_integer()


class _Replaced(Rewriter):
    """The function with statements in place of a loop."""

    def __init__(self, loop: For, replaced: tuple[Statement, ...]) -> None:
        self.loop, self.replaced = loop, replaced

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        return self.replaced if s is self.loop else super().statement(s)
