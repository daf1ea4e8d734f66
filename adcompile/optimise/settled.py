"""What a loop keeps of memory that it does not write again is read again, not copied.

    for i in range(n):                          for i in range(n):
        kept.append(x[:i].copy())                   x[i] = b[i] - a[i, :i] @ x[:i]
        x[i] = b[i] - a[i, :i] @ x[:i]      →
    for i in reversed(range(n)):                for i in reversed(range(n)):
        a_bar[i, :i] -= b_bar * kept[i]             a_bar[i, :i] -= b_bar * x[:i]

A copy of part of an array is *settled* if nothing writes into that part from there on until the copy is read: each
write that comes later, in the same iteration or a later one of the loops around, is elsewhere (`order`), and between
the loops and where the copy is read nobody writes into the array at all. What reads it makes new memory of it.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace

from adcompile.analysis.mutation import calls_in
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Function, Var
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import COPIES, called
from adcompile.optimise.effects import Effects
from adcompile.optimise.indexed import Part
from adcompile.optimise.sharing import STORING, classes
from adcompile.optimise.trails import Reread, Trail, Trails, each_function, writes_into
from adcompile.optimise.typing import INPLACE


def settled(program: Program) -> Program:
    """The program with settled copies read again; the same object if there are none."""
    return large_stack(each_function, program, _function)


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    kept = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.push]
    copied = {s.result for s in statements_of(function.body) if isinstance(s, Call) and called(s) in COPIES}
    if not copied or not any(s.args[1] in copied for s in kept):
        return function
    search = _Search(function, types, effects)
    reread = {r: again for r in search.reads() if (again := search.again(r))}
    return replace(function, body=Reread(reread).block(function.body)) if reread else function


class _Search(Trails):
    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        super().__init__(function, types, effects)
        self.classes = classes(function.body, effects)

    def again(self, r: Var) -> list[Call] | None:
        """The statements that read the part of an array anew whose copy `r` is; None if it is not settled."""
        call = self.places.definition[r]
        trail = self.trail(call.args[0], call.args[1])
        copy = None if trail is None else self.places.definition.get(trail.value)
        if trail is None or copy is None or called(copy) not in COPIES or len(copy.args) != 1 or copy.kwargs:
            return None
        part = self.indexed.part(copy.args[0], copy.result)
        whole = None if part is None else self.types.get(part.array)
        if part is None or not isinstance(whole, Array) or whole.dims is None or not self.is_read_only(r):
            return None
        if not self.is_settled(part, trail, r):
            return None
        out: list[Call] = []
        made = self.rebuilt(copy.args[0], trail, out)
        return [*out[:-1], replace(out[-1], result=r, place=call.place)] if made is not None and out else None

    # -- what is written -----------------------------------------------------------------------

    def is_settled(self, part: Part, trail: Trail, r: Var) -> bool:
        """Whether nobody writes into a part of an array until `r` is read."""
        loop = trail.turns[0][0]
        path, later = self.places.path[loop.results[0]], self.places.path[r]
        block, first = path[-1]
        if len(later) < len(path) or later[len(path) - 1][0] is not block:
            return False
        if loop in self.places.loops.get(part.array, ()):
            return False
        last = later[len(path) - 1][1]
        mine = self.classes.get(part.array)
        for k in range(first, last + 1):
            for call in calls_in(block.statements[k]):
                targets = writes_into(call, self.types, self.effects)
                if targets is None:
                    return False
                if any(self.classes.get(t, t) is mine for t in targets):
                    write = self.written(call) if k == first else None
                    if write is None or write.array is not part.array:
                        return False
                    if not self.indexed.stays_apart(part, write):
                        return False
        return first < last

    def written(self, call: Call) -> Part | None:
        """The part of an array that a call writes into."""
        fn = called(call)
        if fn in STORING:
            return self.indexed.item(call.args[0], call.args[1], call.result)
        if fn in INPLACE:
            return self.indexed.part(call.args[0], call.result)
        return None
