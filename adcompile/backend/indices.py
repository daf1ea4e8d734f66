"""Indices and ranges stand where they are used: `x[1:]` each time, not `s = slice(1, None)` and `x[s]`.

Merging made one of equal ones; a reader wants to see them, and they cost next to nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace

from adcompile.backend.fold import TEMPORARY
from adcompile.backend.purity import callee
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, For, Function, Statement, Var
from adcompile.ir.types import Type
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, end_atoms
from adcompile.runtime import arrays

_INDEXED = (operator.getitem, operator.setitem, operator.delitem, ops.index_add, ops.put_item, arrays.accumulate)
"""Calls whose second argument is an index, printed between brackets or as an argument."""
_NAMELESS = TEMPORARY | {"s"}
"""What the frontend calls slices and tuples without a name of the user's."""


def spread_indices(function: Function, types: Mapping[Var, Type]) -> tuple[Function, Mapping[Var, Type]]:
    """The function with an index of its own for each subscript and a range for each loop; and its types."""
    statements = [s for block in all_blocks(function.body) for s in block.statements]
    made = {s.result: s for s in statements if isinstance(s, Call) and _is_index(s)}
    if not any(_index(s) in made for s in statements):
        return function, types
    spread = _Spread(made, types)
    for s in statements:
        if not (isinstance(s, Call) and s.result in made):
            index = _index(s)
            spread.need(a for a in atoms_of(s) if a is not index)
    for block in all_blocks(function.body):
        spread.need(end_atoms(block.end))
    return replace(function, body=spread.block(function.body)), spread.types


def _is_index(call: Call) -> bool:
    fn = callee(call)
    return any(fn is f for f in (slice, range, ops.build_tuple)) and not call.kwargs and call.result.name in _NAMELESS


def _index(s: Statement) -> Atom | None:
    """What is printed between brackets, or as what a loop runs over."""
    if isinstance(s, For):
        return s.iterable
    if not isinstance(s, Call):
        return None
    fn = callee(s)
    if fn is reversed:
        return s.args[0]
    return s.args[1] if any(fn is f for f in _INDEXED) else None


class _Spread(Rewriter):
    def __init__(self, made: Mapping[Var, Call], types: Mapping[Var, Type]) -> None:
        self.made, self.types = made, dict(types)
        self.needed: set[Var] = set()  # what is read elsewhere, too

    def need(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            if isinstance(atom, Var) and atom in self.made and atom not in self.needed:
                self.needed.add(atom)
                self.need(self.made[atom].args)

    def call(self, call: Call) -> tuple[Statement, ...]:
        if call.result in self.made:
            return (call,) if call.result in self.needed else ()
        index = _index(call)
        if not isinstance(index, Var) or index not in self.made:
            return (call,)
        out: list[Statement] = []
        copy = self._copy(index, call, out)
        return (*out, replace(call, args=tuple(copy if a is index else a for a in call.args)))

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        made = super().statement(s)
        if not isinstance(s, For) or not isinstance(s.iterable, Var) or s.iterable not in self.made:
            return made
        out: list[Statement] = []
        copy = self._copy(s.iterable, s, out)
        return (*out, *(replace(loop, iterable=copy) for loop in made if isinstance(loop, For)))

    def _copy(self, index: Var, reader: Call | For, out: list[Statement]) -> Var:
        """The index made once more, for this reader, with the parts it is made of."""
        made = self.made[index]
        parts = (self._copy(a, reader, out) if isinstance(a, Var) and a in self.made else a for a in made.args)
        copy = Var(index.name, index.place)
        if index in self.types:
            self.types[copy] = self.types[index]
        out.append(Call(copy, made.fn, tuple(parts), (), reader.place, reader.role))
        return copy
