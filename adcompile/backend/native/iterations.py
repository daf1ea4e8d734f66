"""Whether the iterations of a loop, each of which runs a loop of its own, may go side by side: taken apart into what
stands in front of the inner loop, the inner loop and what comes behind it."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

from adcompile.backend.native.lanes import Calls, Unfit, sort_of
from adcompile.backend.native.lists import lists_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, Function, Statement, Unreachable, Var, While
from adcompile.ir.types import INT, Array, RangeT, TupleT
from adcompile.ir.walk import all_blocks, atoms_of, defined, end_atoms, free_vars, statements_of
from adcompile.nests import Lowered
from adcompile.nests.extents import Extents, Scopes
from adcompile.nests.facts import Facts
from adcompile.nests.frames import Frames
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import writes_into
from adcompile.optimise.typing import type_of


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
        self.function, self.types, self.loop = new.function, new.types, loop
        self.effects = Effects(new.types, effects.summaries)
        inner = inner_loop(loop)
        if inner is None or not isinstance(loop.body.end, Continue):
            raise Unfit
        self.inner, self.element, body = inner, loop.body.params[0], loop.body.statements
        at = body.index(inner)
        self.tail = body[at + 1 :]
        self.own = defined(loop.body)
        self.lists = lists_of(self.function, self.types)
        self.front: list[Call] = []  # of the inner loop: what its range is made of
        self.head: list[Call] = []
        self.begun: dict[Var, Call] = {}  # the lists that it fills
        for s in body[:at]:
            self.begin(s)
        self.hoist()
        self.part()
        self.memory()
        self.keeps()

    # -- what stands in front of the inner loop

    def begin(self, s: Statement) -> None:
        if not isinstance(s, Call) or not self.effects.pure(s):
            raise Unfit
        t = self.types.get(s.result)
        if called(s) is ops.build_list and not s.args:
            self.begun[s.result] = s
        elif isinstance(t, (RangeT, TupleT)) and not any(a in self.own for a in s.args):
            self.front.append(s)
            self.own.discard(s.result)
        else:
            sort_of(type_of(s.result, self.types))
            self.head.append(s)

    def hoist(self) -> None:
        """Elements that the inner loop reads at places which stay: they are read in front of it."""
        inside = defined(self.inner.body)
        for s in statements_of(self.inner.body):
            if isinstance(s, Call) and called(s) is operator.getitem and not any(a in inside for a in s.args):
                if isinstance(type_of(s.args[0], self.types), Array):
                    sort_of(type_of(s.result, self.types))
                    self.head.append(s)

    # -- what the iterations carry

    def part(self) -> None:
        """What they carry, by whether the head or the tail has to do with it, and what the tail reads of the head."""
        made = {s.result for s in self.head}
        first = {a for s in self.head for a in atoms_of(s)} | {*free_vars(self.inner.body), *self.inner.init}
        behind = Block((), self.tail, Unreachable())
        last = free_vars(behind)
        assert isinstance(self.loop.body.end, Continue)
        self.early, self.late = list[int](), list[int]()
        wanted = dict.fromkeys(last)
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
        inside = {s.result for s in statements_of(self.inner.body) if isinstance(s, Call)}
        reads = (*wanted, *free_vars(self.inner.body), *(v for v in made if v in inside))
        self.given = [v for v in dict.fromkeys(reads) if v in made or v in held]
        """Of the head, what the inner loop or the tail reads."""
        self.late_reads = [v for v in wanted if v in made]

    # -- memory

    def memory(self) -> None:
        """The tail of one iteration now comes behind the heads of others: it may write nothing that they read, but
        an element at the place of the iteration."""
        reads = [(a, s) for s in self.head for a in s.args if isinstance(type_of(a, self.types), Array)]
        scopes = Scopes(self.function, self.types)
        facts = Facts(scopes, Extents(scopes), Frames(dict(self.types)), dict(self.types))
        for s in statements_of(Block((), self.tail, Unreachable())):
            if not isinstance(s, Call) or called(s) is ops.push:
                continue
            written = writes_into(s, self.types, self.effects)
            if written is None:
                raise Unfit
            for w in written:
                for r, reading in reads:
                    same = w is r and self.at_element(s) and self.at_element(reading)
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
        starts = [self.inner.init[k] for k in self.filled]
        if set(starts) != set(self.begun):
            raise Unfit
        roots = {self.lists.find(params[k]): n for n, k in enumerate(self.filled)}
        if len(roots) < len(self.filled):
            raise Unfit
        kept = {results[k] for k in self.filled}
        pushed = [s for s in self.tail if isinstance(s, Call) and called(s) is ops.push and s.args[1] in kept]
        outer = {self.lists.find(s.args[0]) for s in pushed if isinstance(s.args[0], Var)}
        if len(outer) < len(self.filled) or len(pushed) != len(self.filled):
            raise Unfit
        self.read: dict[Var, int] = {}  # what is read of them, and in which of them
        self.rows: dict[Var, Atom] = {}  # the lists that are read, by the number of their iteration
        places = {self.inner, *self.begun.values(), *pushed}
        for s, atoms in reading(self.function.body, set(all_blocks(self.inner.body))):
            for a in atoms:
                if isinstance(a, Var) and self.lists.find(a) in roots and s not in places:
                    if not isinstance(s, Call) or called(s) is not operator.getitem or s.args[0] is not a:
                        raise Unfit
                    self.read[s.result] = roots[self.lists.find(a)]
            if isinstance(s, Call) and called(s) is operator.getitem and self.lists.find(s.result) in roots:
                self.rows[s.result] = s.args[1]
            elif isinstance(s, Call) and called(s) is ops.push and s not in pushed:
                if isinstance(s.args[0], Var) and self.lists.find(s.args[0]) in outer:
                    raise Unfit
        bases = {s.args[0] for s in statements_of(self.function.body) if isinstance(s, Call) and s.result in self.read}
        if not bases <= set(self.rows) or any(sort_of(type_of(v, self.types)) == "count" for v in self.read):
            raise Unfit

    def listed(self) -> list[Var]:
        """The values that are such lists, or lists of them, or of those."""
        roots = {self.lists.find(carried(self.inner)[k]) for k in self.filled}
        while more := {self.lists.find(v) for v, item in self.lists.item.items() if self.lists.find(item) in roots} - roots:
            roots |= more
        return [v for v in self.types if self.lists.find(v) in roots]

    def trips(self, calls: Calls) -> tuple[Atom, Atom]:
        """How many iterations there are, and the number of the first."""
        made = {s.result: s for s in statements_of(self.function.body) if isinstance(s, Call)}
        found = made.get(self.loop.iterable) if isinstance(self.loop.iterable, Var) else None
        if found is None or called(found) is not range or len(found.args) > 2:
            raise Unfit
        *start, stop = found.args
        if not start:
            return stop, Const(0)
        return calls.call("n", INT, operator.sub, stop, start[0]), start[0]


def reading(body: Block, left_out: set[Block]) -> Iterator[tuple[Statement | None, Sequence[Atom]]]:
    """What each statement reads, and each end of a block, outside of some blocks."""
    for block in all_blocks(body):
        if block not in left_out:
            yield from ((s, atoms_of(s)) for s in block.statements)
            yield None, end_atoms(block.end)
