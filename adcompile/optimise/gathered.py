"""What a loop adds to one item of an array is added up first, and what is emptied to be filled again is not emptied.

    for j in range(n):                         s = x_bar[i]
        g = y_bar[i, j]                        for j in range(n):
        y_bar[i, j] = 0.0                          g = y_bar[i, j]
        x_bar[i] += a[j] * g            →          s += a[j] * g
        y_bar[i, j] += g                       x_bar[i] = s

A number is where a processor adds; an item of an array is stored and loaded each time, as others may be the same. Here
nobody else reads or writes the item meanwhile: all other items that the loop asks for are elsewhere (`order`). The sum
is that of before, bit for bit.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adcompile.analysis.mutation import calls_in
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, Function, If, Statement, Var, Yield
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import BOOL, INT, Array, Known, RangeT, Scalar, Type
from adcompile.ir.walk import Rewriter, atoms_of, blocks_of, substitute
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.indexed import Index, Part
from adcompile.optimise.sharing import STORING
from adcompile.optimise.trails import Trails, each_function
from adcompile.runtime.memory import add_at

ITEMS = (operator.getitem, *STORING)


def gathered(program: Program) -> Program:
    """The program with sums in numbers; the same object if there are none."""
    return large_stack(each_function, large_stack(each_function, program, _summed), _kept_full)


def _summed(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    search = _Items(function, types, effects)
    rewriter = _Summed(search)
    body = rewriter.block(function.body)
    return replace(function, body=body) if rewriter.found else function


def _kept_full(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    rewriter = _Full(_Items(function, types, effects))
    body = rewriter.block(function.body)
    return replace(function, body=body) if rewriter.found else function


class _Items(Trails):
    """Items of arrays, and who else may mean them."""

    def item(self, call: Call) -> Part | None:
        """The one number of an array that an adjoint statement writes into."""
        if called(call) not in STORING or call.role != "adjoint" or not isinstance(call.args[0], Var):
            return None
        t = self.types.get(call.args[0])
        if not isinstance(t, Array) or t.dims is None or t.dtype.kind not in "fc":
            return None
        part = self.indexed.item(call.args[0], call.args[1], call.result)
        if part is None or not self.names_a_number(t, call.args[1]):
            return None
        points = all(axis is not None and axis.point for axis in part.axes)
        return part if points and len(part.axes) == self.rank(part.array) else None

    def rank(self, array: Var) -> int:
        t = self.types.get(array)
        return len(t.dims) if isinstance(t, Array) and t.dims is not None else -1

    def is_alone(self, part: Part, others: Iterator[Call], shared: int) -> bool:
        """Whether calls mean other items, wherever they stand in the loops that are not the `shared` ones around."""
        mine = self.memory.get(part.array, part.array)
        for call in others:
            for met in self.parts_of(call, mine):
                if met is None or met.array is not part.array or not self.indexed.apart(part, met, shared, shared):
                    return False
        return True

    def parts_of(self, call: Call, memory: Var) -> Iterator[Part | None]:
        """The parts of a memory that a call is given, of which None may be any."""
        of_item = called(call) in ITEMS and not call.kwargs
        owner = call.args[0] if of_item else None
        if isinstance(owner, Var) and self.memory.get(owner, owner) is memory:
            yield self.indexed.item(owner, call.args[1], call.result)
        for a in call.args[1:] if of_item else atoms_of(call):
            if isinstance(a, Var) and self.memory.get(a, a) is memory:
                yield self.indexed.part(a, call.result)

    def number_of(self, call: Call) -> Part | None:
        """The item of an array that is handed on to which a call adds."""
        owner = call.args[0]
        t = self.types.get(owner) if isinstance(owner, Var) else None
        if not isinstance(t, Array) or t.dims is None or not self.names_a_number(t, call.args[1]):
            return None
        assert isinstance(owner, Var)
        return Part(owner, call.result, self.indexed.axes(call.args[1]))

    def is_same_item(self, a: Call, b: Call) -> bool:
        return a.args[0] is b.args[0] and self.is_same_index(a.args[1], b.args[1])

    def is_same_index(self, a: Atom, b: Atom) -> bool:
        """Whether two indices are one, or tuples of the same numbers."""
        return a == b or None not in (p := self.parts(a)) and p == self.parts(b)

    def parts(self, index: Atom) -> tuple[object, ...]:
        return tuple(None if axis is None else axis.low for axis in self.indexed.axes(index)) or (None,)


@dataclass
class _Sum:
    """What is added to one item in the turns of a loop: in memory, or in an array that the loop carries as its k-th."""

    calls: list[Call]
    t: Scalar
    k: int | None = None


@dataclass
class _Summed(Rewriter):
    search: _Items
    found: bool = False

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        out = super().statement(s)
        if not isinstance(s, For):
            return out
        (loop,) = out
        assert isinstance(loop, For)
        ahead, behind = list[Statement](), list[Statement]()
        for each in self.sums(s):
            self.found = True
            first, loop, last = self.with_sum(s, loop, each)
            ahead += first
            behind += last
        return (*ahead, loop, *behind)

    # -- what may be summed

    def sums(self, loop: For) -> Iterator[_Sum]:
        """The items to which a loop adds, and that it does not ask for."""
        if not isinstance(loop.body.end, Continue) or any(map(leaves, loop.body.statements)):
            return
        if self.range_of(loop) is None:
            return
        adding = [s for s in loop.body.statements if isinstance(s, Call) and called(s) is add_at]
        for same in self.alike(adding):
            t = self.type_of_sum(same)
            if t is not None and self.is_of_loop(loop, same):
                yield _Sum(same, t)
        for k in range(len(loop.results)):
            adding = self.chain(loop, k)
            for same in self.alike(adding):
                t = self.type_of_sum(same)
                if t is not None and self.is_of_chain(loop, same, [c for c in adding if c not in same]):
                    yield _Sum(same, t, k)

    def alike(self, calls: Sequence[Call]) -> Iterator[list[Call]]:
        """The calls by what item they are of."""
        groups: list[list[Call]] = []
        for call in calls:
            mine = next((g for g in groups if self.is_alike(g[0], call)), None)
            if mine is None:
                groups.append([call])
            else:
                mine.append(call)
        yield from groups

    def is_alike(self, a: Call, b: Call) -> bool:
        """Whether two calls add to one item, in memory or in an array that is handed from one to the other."""
        handed_on = called(a) is not add_at
        return self.search.is_same_index(a.args[1], b.args[1]) and (handed_on or a.args[0] is b.args[0])

    def chain(self, loop: For, k: int) -> list[Call]:
        """What a turn adds to an array that a loop carries, if it does nothing else with it."""
        end = loop.body.end
        now, out = loop.body.params[k + 1], list[Call]()
        while isinstance(end, Continue) and now is not end.values[k]:
            (s, *others) = self.search.readers.get(now, [None])
            here = isinstance(s, Call) and self.search.places.path[s.result][-1][0] is loop.body
            if others or not here or called(s) is not ops.index_add or s.args[0] is not now:  # type: ignore[union-attr, arg-type]
                return []
            assert isinstance(s, Call)
            out.append(s)
            now = s.result
        return out if self.search.readers.get(now) == [None] else []

    def range_of(self, loop: For) -> Atom | None:
        """The range that a loop runs over, in whichever order."""
        turned = self.search.places.made(loop.iterable, reversed)
        steps = loop.iterable if turned is None else turned.args[0]
        known = isinstance(steps, Const) and isinstance(steps.value, range)
        return steps if known or isinstance(self.search.types.get(steps), RangeT) else None  # type: ignore[arg-type]

    def type_of_sum(self, calls: Sequence[Call]) -> Scalar | None:
        t = self.search.types.get(calls[0].args[0])  # type: ignore[arg-type]
        if not isinstance(t, Array) or t.dtype.kind not in "fc":
            return None
        kind = t.dtype.type
        like = {kind, float} if kind is np.float64 else {kind}
        added = [self.search.types.get(c.args[2]) for c in calls if isinstance(c.args[2], Var)]
        fits = len(added) == len(calls) and all(isinstance(a, Scalar) and a.kinds <= like for a in added)
        return Scalar(frozenset((kind,))) if fits else None

    def is_of_loop(self, loop: For, same: Sequence[Call]) -> bool:
        """Whether each turn adds to one item, and does nothing else with it."""
        part = self.search.item(same[0])
        around = self.search.places.loops[loop.body.params[0]][:-1]
        if part is None or any(self.is_inside(a, loop) for a in (same[0].args[0], part.array, *numbers(part.axes))):
            return False
        others = (c for c in calls_in(loop) if c not in same)
        return self.search.is_alone(part, others, len(around))

    def is_of_chain(self, loop: For, same: Sequence[Call], others: Sequence[Call]) -> bool:
        """The same of an array that is carried: what else is added to it goes elsewhere."""
        around = self.search.places.loops[loop.body.params[0]][:-1]
        parts = [self.search.number_of(c) for c in (same[0], *others)]
        mine = parts[0]
        if mine is None or any(self.is_inside(a, loop) for a in numbers(mine.axes)):
            return False
        apart = self.search.indexed.apart
        return all(p is not None and apart(mine, p, len(around), len(around)) for p in parts[1:])

    def is_inside(self, atom: Atom, loop: For) -> bool:
        return isinstance(atom, Var) and loop in self.search.places.loops.get(atom, ())

    # -- what becomes of it

    def with_sum(self, before: For, loop: For, found: _Sum) -> tuple[list[Statement], For, list[Statement]]:
        """The loop with one more number, which is what the item holds, and the statements that read and store it."""
        start, total, now = (self.new("total", found.t, found.calls[0]) for _ in range(3))
        body, mapping = list(loop.body.statements), dict[Var, Atom]()
        held: Var = start
        for call in found.calls:
            k, as_now = next((k, s) for k, s in enumerate(body) if isinstance(s, Call) and s.result is call.result)
            added = self.new("total", found.t, call)
            body[k] = Call(added, Const(operator.add), (held, as_now.args[2]), (), call.place, "adjoint")
            held = added
            if found.k is not None:  # the array goes on without what is added here
                got = as_now.args[0]
                mapping[call.result] = mapping.get(got, got) if isinstance(got, Var) else got
        end = loop.body.end
        assert isinstance(end, Continue)
        block = Block((*loop.body.params, start), tuple(body), Continue((*end.values, held)))
        whole = replace(
            loop,
            results=(*loop.results, total),
            init=(*loop.init, now),
            body=substitute(block, mapping) if mapping else block,
        )
        call = found.calls[0]
        given, got = (call.args[0], call.args[0]) if found.k is None else (loop.init[found.k], loop.results[found.k])
        some = self.new("t", BOOL, call)
        ahead = [*self.asked(before, some, call), self.read(before, found, given, now, some)]
        return ahead, whole, [self.stored(before, found, got, total, some)]

    def asked(self, loop: For, some: Var, call: Call) -> list[Statement]:
        """Whether there is a turn: else the item need not be there."""
        steps = self.range_of(loop)
        assert steps is not None
        length = self.new("t", INT, call)
        return [
            Call(length, Const(len), (steps,), (), call.place, "adjoint"),
            Call(some, Const(operator.gt), (length, Const(0)), (), call.place, "adjoint"),
        ]

    def read(self, loop: For, found: _Sum, array: Atom, now: Var, some: Var) -> If:
        call = found.calls[0]
        made, index = self.index(loop, call)
        item = self.new("total", found.t, call)
        reading = Call(item, Const(operator.getitem), (array, index), (), call.place, "adjoint")
        (kind,) = found.t.kinds
        none = Block((), (), Yield((Const(kind(0)),)))
        return If((now,), some, Block((), (*made, reading), Yield((item,))), none, call.place, "adjoint")

    def stored(self, loop: For, found: _Sum, array: Atom, total: Var, some: Var) -> If:
        call = found.calls[0]
        made, index = self.index(loop, call)
        done = self.new("t", Known(None), call)
        storing = Call(done, Const(operator.setitem), (array, index, total), (), call.place, "adjoint")
        return If((), some, Block((), (*made, storing), Yield(())), Block((), (), Yield(())), call.place, "adjoint")

    def index(self, loop: For, call: Call) -> tuple[list[Call], Atom]:
        """The index of an item outside of the loop: a tuple that the loop makes of its numbers is made once more."""
        index = call.args[1]
        if not isinstance(index, Var) or not self.is_inside(index, loop):
            return [], index
        again = self.new("t", self.search.types[index], call)
        return [replace(self.search.places.definition[index], result=again, role="adjoint")], again

    def new(self, name: str, t: Type, like: Call) -> Var:
        var = Var(name, like.place)
        self.search.types[var] = t
        return var


def numbers(axes: Sequence[Index | None]) -> list[Atom]:
    return [axis.low for axis in axes if axis is not None]


def leaves(s: Statement) -> bool:
    """Whether a statement may end the turn that it stands in, or the loop."""
    if not isinstance(s, If):
        return False
    return any(not isinstance(b.end, Yield) or any(map(leaves, b.statements)) for b in blocks_of(s))


@dataclass
class _Full(Rewriter):
    """Stores what is added to an item that has been emptied, or leaves it as it is."""

    search: _Items
    found: bool = False

    def block(self, block: Block) -> Block:
        block = super().block(block)
        statements: list[Statement | None] = list(block.statements)
        for k, s in enumerate(block.statements):
            if isinstance(s, Call) and self.empties(s):
                self.filled(statements, k, s)
        if None not in statements:
            return block
        self.found = True
        return Block(block.params, tuple(s for s in statements if s is not None), block.end)

    def empties(self, call: Call) -> bool:
        zero = called(call) is operator.setitem and isinstance(call.args[2], Const) and call.args[2].value == 0
        return zero and self.search.item(call) is not None

    def filled(self, statements: list[Statement | None], k: int, emptied: Call) -> None:
        """Look for what is added next to an item that has been emptied, before anybody asks for it."""
        part, search = self.search.item(emptied), self.search
        assert part is not None
        shared = len(search.places.loops[emptied.result])
        for j in range(k + 1, len(statements)):
            s = statements[j]
            if isinstance(s, Call) and called(s) is add_at and search.is_same_item(s, emptied):
                same = self.is_held(statements[:k], part, emptied, s.args[2])
                statements[k] = None
                statements[j] = None if same else replace(s, fn=Const(operator.setitem))
                return
            if s is not None and not search.is_alone(part, iter(calls_in(s)), shared):
                return

    def is_held(self, before: Sequence[Statement | None], part: Part, emptied: Call, value: Atom) -> bool:
        """Whether a value is what the item held before it was emptied."""
        shared = len(self.search.places.loops[emptied.result])
        for s in reversed(before):
            if isinstance(s, Call) and s.result is value:
                return called(s) is operator.getitem and self.search.is_same_item(s, emptied)
            if s is not None and not self.search.is_alone(part, iter(calls_in(s)), shared):
                return False
        return False
