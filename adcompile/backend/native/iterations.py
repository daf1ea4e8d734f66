"""Whether the iterations of a loop, each of which runs a loop of its own, may go side by side: taken apart into what
stands in front of the inner loop, the inner loop and what comes behind it."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence

from adcompile.backend.native.lanes import Calls, Unfit, may_raise, never_raises, sort_of
from adcompile.backend.native.lists import lists_of
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    While,
)
from adcompile.ir.types import INT, UNKNOWN, Array, Maybe, RangeT, TupleT, Type
from adcompile.ir.walk import all_blocks, atoms_of, defined, end_atoms, free_vars, results_of, statements_of
from adcompile.nests import Lowered
from adcompile.nests.extents import Extents, Scopes
from adcompile.nests.facts import Facts
from adcompile.nests.frames import Frame, Frames
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import writes_into
from adcompile.optimise.typing import kinds, type_of
from adcompile.runtime.loops import disjoint

SELDOM = (math.sin, math.cos, math.tan, math.exp, math.expm1, math.sinh, math.cosh, math.tanh, math.atan, math.atan2)
"""These raise where a number is too large alone."""
PLACES = (operator.getitem, operator.add, operator.sub, operator.mul)
"""What elements are read by, and where."""


def inner_loop(loop: For) -> For | While | None:
    """The first loop in a loop, if it has none itself."""
    found = next((s for s in loop.body.statements if isinstance(s, (For, While))), None)
    if found is None or any(isinstance(s, (For, While)) for s in statements_of(found.body)):
        return None
    return found


def carried(loop: For | While) -> tuple[Var, ...]:
    return loop.body.params[isinstance(loop, For) :]


class Iterations:
    """A loop, taken apart. Raises Unfit where its iterations do not go side by side."""

    def __init__(self, new: Lowered, loop: For, effects: Effects) -> None:
        self.function, self.types, self.loop, self.sure = new.function, new.types, loop, new.sure
        self.effects = Effects(new.types, effects.summaries)
        inner = inner_loop(loop)
        if inner is None or not isinstance(loop.body.end, Continue):
            raise Unfit
        self.inner, body = inner, loop.body.statements
        at = body.index(inner)
        self.tail = body[at + 1 :]
        self.own = defined(loop.body)
        self.front: list[Call] = []  # of the inner loop: what its range is made of
        self.head: list[Call] = []
        self.hoisted: set[Var] = set()
        self.begun: dict[Var, Call] = {}  # the lists that it fills
        self.element = self.own_number()
        self.lists = lists_of(self.function, self.types)
        for s in body[:at]:
            self.begin(s)
        self.hoist()
        self.part()
        self.memory()
        self.keeps()

    def own_number(self) -> Var:
        """The number of an iteration, which reads an element of the array that the loop goes through, if it does."""
        element, array = self.loop.body.params[0], self.loop.iterable
        if not isinstance(type_of(array, self.types), Array):
            return element
        number = Var("i")
        self.own.add(number)
        self.head.append(Call(element, Const(operator.getitem), (array, number), place=self.loop.place))
        sort_of(type_of(element, self.types))
        return number

    # -- what stands in front of the inner loop

    def begin(self, s: Statement) -> None:
        if not isinstance(s, Call) or not self.effects.pure(s):
            raise Unfit
        t = self.types.get(s.result)
        if called(s) is ops.build_list and not s.args:
            self.begun[s.result] = s
        elif (isinstance(t, (RangeT, TupleT)) or kinds(t or UNKNOWN)) and not any(a in self.own for a in s.args):
            self.front.append(s)
            self.own.discard(s.result)
        else:
            sort_of(type_of(s.result, self.types))
            self.head.append(s)

    def hoist(self) -> None:
        """Elements that the inner loop reads at places which stay are read in front of it: those of the iteration's own
        number, and what each turn reads. What a turn perhaps does not read need not be there."""
        inside, body = defined(self.inner.body), self.inner.body.statements
        always = set(body[: next((k for k, s in enumerate(body) if isinstance(s, If)), len(body))])
        for s in statements_of(self.inner.body):
            if not isinstance(s, Call) or called(s) not in PLACES or any(a in inside for a in s.args):
                continue
            if called(s) is operator.getitem:
                array = isinstance(type_of(s.args[0], self.types), Array)
                if not array or s not in always and s.args[1] is not self.element:
                    continue
            elif sort_of(type_of(s.result, self.types)) != "count":
                continue
            sort_of(type_of(s.result, self.types))
            self.head.append(s)
            self.hoisted.add(s.result)
            inside.discard(s.result)

    # -- what the iterations carry

    def part(self) -> None:
        """What they carry, by whether the head or the tail has to do with it; `wanted` is what the tail reads."""
        made = {s.result for s in self.head}
        first = {a for s in self.head for a in atoms_of(s)} | {*free_vars(self.inner.body), *self.inner.init}
        behind = Block((), self.tail, Unreachable())
        last = free_vars(behind)
        assert isinstance(self.loop.body.end, Continue)
        self.early, self.late = list[int](), list[int]()
        self.wanted = wanted = dict.fromkeys(last)
        for k, (p, value) in enumerate(zip(carried(self.loop), self.loop.body.end.values)):
            if p not in first:
                self.late.append(k)
                wanted.update({value: None} if isinstance(value, Var) else {})
            elif p not in last and (value in made or value is p or value not in self.own):
                self.early.append(k)
            else:
                raise Unfit
        held = {carried(self.loop)[k] for k in self.early}
        if held & set(wanted):
            raise Unfit
        needed = {a for s in statements_of(self.inner.body) if not self.is_hoisted(s) for a in atoms_of(s)}
        needed.update(a for block in all_blocks(self.inner.body) for a in end_atoms(block.end))
        reads = [v for v in dict.fromkeys((*made, *held)) if v in needed or v in wanted]
        integers = [v for v in reads if v not in needed and sort_of(type_of(v, self.types)) == "count"]
        self.given = [v for v in reads if v not in integers]
        """Of the head, what the inner loop or the tail reads, but integers in the tail: these are computed again."""
        self.again = self.needed_for(integers, held)
        if any(sort_of(type_of(v, self.types)) == "count" for v in self.given):  # it may be too large for a float
            raise Unfit
        if any(isinstance(self.types.get(v), Maybe) for v in (*carried(self.inner), *self.given)):
            raise Unfit

    def is_hoisted(self, s: Statement) -> bool:
        return isinstance(s, Call) and s.result in self.hoisted

    def needed_for(self, integers: Sequence[Var], held: set[Var]) -> list[Call]:
        """The calls of the head that give these."""
        wanted, out = set[Atom](integers), list[Call]()
        for s in reversed(self.head):
            if s.result in wanted:
                out.append(s)
                wanted.update(s.args)
        if wanted & held:
            raise Unfit
        return out[::-1]

    # -- memory

    def memory(self) -> None:
        """The tail of one iteration now comes behind the heads of others: it may write nothing that they read, but
        an element at the place of the iteration."""
        calls = [s for s in (*self.front, *self.head, *statements_of(self.inner.body)) if isinstance(s, Call)]
        reads = [(a, s) for s in calls for a in s.args if isinstance(type_of(a, self.types), Array)]
        facts = facts_of(self.function, self.types)
        once = self.trips(Calls({}, "primal"))[1]  # whether no number stands for an element that another one has
        each = isinstance(once, Const) and once.value >= 0
        read = {s.args for s in self.head if called(s) is operator.getitem}
        self.tail_raises = False
        """Whether an iteration may raise behind its loop, where those of others would have run."""
        for s in statements_of(Block((), self.tail, Unreachable())):
            if not isinstance(s, Call) or called(s) is ops.push:
                continue
            if isinstance(self.inner, While) and may_raise(s, self.types) and called(s) not in SELDOM:
                raise Unfit  # in front of which the loops of others would run, for ever perhaps
            if not never_raises(s) and s.args not in read and s.result not in self.sure:
                self.tail_raises = True
            written = writes_into(s, self.types, self.effects)
            if written is None:
                raise Unfit
            for w in written:
                for r, reading in reads:
                    same = each and w is r and self.at_element(s) and self.at_element(reading)
                    if not same and not (isinstance(r, Var) and facts.apart(w, r)):
                        raise Unfit

    def at_element(self, s: Call) -> bool:
        return called(s) in (operator.getitem, operator.setitem) and s.args[1] is self.element

    # -- what is kept

    def keeps(self) -> None:
        """The lists that the inner loop fills, one row for each turn: what they hold is read by number, from lists of
        them that have one for each iteration."""
        params, results = carried(self.inner), self.inner.results
        self.filled = [k for k, p in enumerate(params) if self.lists.is_list(p)]
        if {self.inner.init[k] for k in self.filled} != set(self.begun):
            raise Unfit
        self.roots = {self.lists.find(params[k]): n for n, k in enumerate(self.filled)}
        kept = {results[k] for k in self.filled}
        pushed = [s for s in self.tail if isinstance(s, Call) and called(s) is ops.push and s.args[1] in kept]
        outer = {self.lists.find(s.args[0]) for s in pushed if isinstance(s.args[0], Var)}
        if not len(self.roots) == len(outer) == len(pushed) == len(self.filled):
            raise Unfit
        self.begin_here(outer)
        self.read: dict[Var, int] = {}  # what is read of them, and in which of them
        self.rows: dict[Var, Atom] = {}  # the lists that are read, by the number of their iteration
        self.readings({self.inner, *self.begun.values(), *pushed}, outer, set(self.listed()))

    def begin_here(self, outer: set[Var]) -> None:
        """The lists that have one list for each iteration are empty when the loop begins."""
        calls = (s for s in statements_of(self.function.body) if isinstance(s, Call))
        made = {s.result for s in calls if called(s) is ops.build_list and not s.args}
        for p, value in zip(carried(self.loop), self.loop.init):
            if self.lists.find(p) in outer and value not in made:
                raise Unfit

    def readings(self, filling: set[Statement], outer: set[Var], listed: set[Var]) -> None:
        """Find what is read of the lists, and that nothing else is done with them. `filling`: what fills them."""
        counting = counts(self.function.body, self.types)
        if listed & {*self.function.params, *self.function.captured}:
            raise Unfit
        inner = set(all_blocks(self.inner.body))
        for block in all_blocks(self.function.body):
            if block in inner:
                continue
            if isinstance(block.end, Return) and block.end.value in listed:
                raise Unfit
            if any(isinstance(a, Var) and self.lists.find(a) in self.roots for a in end_atoms(block.end)):
                raise Unfit
            for s in block.statements:
                if s not in filling and listed & {*atoms_of(s), *results_of(s)}:
                    self.reading(s, outer, counting)
        calls = [s for s in statements_of(self.function.body) if isinstance(s, Call)]
        if not {s.args[0] for s in calls if s.result in self.read} <= set(self.rows):
            raise Unfit
        asked = {a for s in calls if called(s) in (operator.is_, operator.is_not) for a in s.args}
        if asked & set(self.read):  # what is not there is not told from what is
            raise Unfit

    def reading(self, s: Statement, outer: set[Var], counting: set[Var]) -> None:
        """A statement that has to do with the lists, or with lists of them."""
        roots = [self.lists.find(a) for a in atoms_of(s) if isinstance(a, Var)]
        if not isinstance(s, Call):
            if any(root in self.roots for root in roots):
                raise Unfit
        elif called(s) is operator.getitem:
            number = s.args[1]
            if s.role == "primal":  # by the function itself, at a place that may not be there
                raise Unfit
            if number not in counting and not (isinstance(number, Const) and number.value >= 0):
                raise Unfit
            if self.lists.find(s.result) in self.roots:
                self.rows[s.result] = number
            elif any(root in self.roots for root in roots):
                if sort_of(type_of(s.result, self.types)) == "count":
                    raise Unfit
                self.read[s.result] = next(self.roots[root] for root in roots if root in self.roots)
        elif called(s) is ops.push:
            if any(root in outer or root in self.roots for root in roots[:1]):
                raise Unfit
        elif called(s) is not ops.build_list or s.args:
            raise Unfit

    def listed(self) -> list[Var]:
        """The values that are such lists, or lists of them, or of those."""
        roots = set(self.roots)
        while (
            more := {self.lists.find(v) for v, item in self.lists.item.items() if self.lists.find(item) in roots}
            - roots
        ):
            roots |= more
        return [v for v in self.types if self.lists.find(v) in roots]

    def trips(self, calls: Calls) -> tuple[Atom, Atom]:
        """How many iterations there are, and the number of the first."""
        made = {s.result: s for s in statements_of(self.function.body) if isinstance(s, Call)}
        if isinstance(type_of(self.loop.iterable, self.types), Array):
            return calls.call("n", INT, len, self.loop.iterable), Const(0)
        found = made.get(self.loop.iterable) if isinstance(self.loop.iterable, Var) else None
        match found.args if found is not None and called(found) is range else ():
            case (stop,):
                return stop, Const(0)
            case (start, stop):
                return calls.call("n", INT, operator.sub, stop, start), start
            case _:
                raise Unfit


def facts_of(function: Function, types: Mapping[Var, Type]) -> Facts:
    """What is known of the arrays of a function; also where it leaves because they share memory."""
    scopes, frames, known = Scopes(function, types), Frames(dict(types)), Frame()
    frames.stack.append(known)
    for s in function.body.statements:
        made = scopes.defs.get(s.test) if isinstance(s, If) and isinstance(s.test, Var) else None
        if made is not None and called(made) is disjoint and isinstance(s, If) and isinstance(s.orelse.end, Raise):
            known.apart.add(frozenset(a for a in made.args if isinstance(a, Var)))
    return Facts(scopes, Extents(scopes), frames, dict(types))


def counts(body: Block, types: Mapping[Var, Type]) -> set[Var]:
    """The numbers of iterations: they count from 0 on, or down to it."""
    made = {s.result: s for s in statements_of(body) if isinstance(s, Call)}
    out: set[Var] = set()
    for s in statements_of(body):
        if isinstance(s, For):
            found = made.get(s.iterable) if isinstance(s.iterable, Var) else None
            backwards = found is not None and called(found) is reversed
            if type_of(found.args[0] if found is not None and backwards else s.iterable, types) == RangeT(True):
                out.add(s.body.params[0])
    return out
