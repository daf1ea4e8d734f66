"""What a loop keeps of memory that it does not write again is read again, not copied.

    for i in range(n):                          for i in range(n):
        kept.append(x[:i].copy())                   x[i] = b[i] - a[i, :i] @ x[:i]
        x[i] = b[i] - a[i, :i] @ x[:i]      →
    for i in reversed(range(n)):                for i in reversed(range(n)):
        a_bar[i, :i] -= b_bar * kept[i]             a_bar[i, :i] -= b_bar * x[:i]

A copy of part of an array is *settled* if nothing writes into that part from there on until the copy is read: each
write that comes later, in the same iteration or a later one of the loops around, is elsewhere (`order`), and between
the loops and where the copy is read nobody writes into the array at all. What reads it makes new memory of it. The
same goes for a number that is read from an item of an array, or has been written into one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, MutableMapping
from dataclasses import replace

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Function, Var
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, ListT, Scalar, Seq, Type
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import COPIES, called
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import Reread, Trail, Trails, each_function


def settled(program: Program) -> Program:
    """The program with settled copies read again; the same object if there are none."""
    return large_stack(each_function, program, _function)


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    if not any(isinstance(s, Call) and called(s) is ops.push for s in statements_of(function.body)):
        return function
    search = _Search(function, types, effects)
    reread = {r: again for r in search.reads() if (again := search.again(r))}
    return replace(function, body=Reread(reread).block(function.body)) if reread else function


class _Search(Trails):
    def reads(self) -> Iterator[Var]:
        """What may be read from a list that a loop has filled, numbers too."""
        yield from super().reads()
        for r, call in self.places.definition.items():
            if called(call) is operator.getitem and isinstance(self.types.get(r), Scalar):
                if isinstance(call.args[0], Var) and isinstance(self.types[call.args[0]], (ListT, Seq)):
                    yield r

    def again(self, r: Var) -> list[Call] | None:
        """The statements that read anew the part of an array whose copy, or the item, that `r` is; None if it is not
        settled."""
        call = self.places.definition[r]
        trail = self.trail(call.args[0], call.args[1], r)
        if trail is None:
            return None
        out: list[Call] = []
        found = self.item(trail, out) if isinstance(self.types[r], Scalar) else self.part(trail, out)
        return [*out[:-1], replace(out[-1], result=r, place=call.place)] if found and out else None

    def part(self, trail: Trail, out: list[Call]) -> bool:
        """Whether a copy that has been kept is of a settled part; `out`: what shows that."""
        copy = self.places.definition.get(trail.value)
        if copy is None or called(copy) not in COPIES or len(copy.args) != 1 or copy.kwargs:
            return False
        part = self.indexed.part(copy.args[0], copy.result)
        whole = None if part is None else self.types.get(part.array)
        if part is None or not isinstance(whole, Array) or whole.dims is None or not self.is_read_only(trail.at):
            return False
        return self.is_settled(part, trail) and self.rebuilt(copy.args[0], trail, out) is not None

    def item(self, trail: Trail, out: list[Call]) -> bool:
        """Whether a number that has been kept is one of an array that is settled; `out`: what reads that."""
        return any(
            self.is_settled_item(owner, index, since, trail) and self.read(owner, index, trail, out)
            for owner, index, since in self.items(trail.value)
        )

    def items(self, value: Var) -> Iterator[tuple[Var, Atom, Var]]:
        """The items of arrays that hold a number, and the statements that have read or written it there."""
        made = self.places.made(value, operator.getitem)
        if made is not None and isinstance(made.args[0], Var):
            yield made.args[0], made.args[1], value
        for s in self.readers.get(value, ()):
            if isinstance(s, Call) and called(s) is operator.setitem and s.args[2] is value:
                beside = self.places.path[s.result][-1][0] is self.places.path[value][-1][0]
                if beside and isinstance(s.args[0], Var) and self.holds(s.args[0], value):
                    yield s.args[0], s.args[1], s.result

    def holds(self, owner: Var, value: Var) -> bool:
        """Whether an array holds numbers of just the class of one."""
        t, number = self.types.get(owner), self.types[value]
        return isinstance(t, Array) and isinstance(number, Scalar) and number.kinds == frozenset((t.dtype.type,))

    def read(self, owner: Var, index: Atom, trail: Trail, out: list[Call]) -> bool:
        """Whether an item can be read anew by the numbers of the turns."""
        array, where = self.rebuilt(owner, trail, out), self.rebuilt(index, trail, out)
        if array is None or where is None:
            return False
        self.emit(out, trail.value, operator.getitem, (array, where))
        return True
