"""Which results of adjoints are computed into an operand, as in `t *= s`: an array of our own that
is read there for the last time. What a fresh array costs is mostly the memory.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from adcompile.backend.fold import Folding, fold
from adcompile.backend.names import positions_of
from adcompile.backend.purity import BUFFERED, callee
from adcompile.ir.nodes import Atom, Block, Call, Function, Var
from adcompile.ir.types import UNKNOWN, Array, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms
from adcompile.optimise.effects import Effects
from adcompile.optimise.inplace import owned
from adcompile.optimise.shapes import is_elementwise
from adcompile.optimise.sharing import is_fresh, sometimes_real
from adcompile.optimise.typing import definite, is_immutable

AUGMENTED = {operator.add: "Add", operator.sub: "Sub", operator.mul: "Mult", operator.truediv: "Div"}
_COMMUTE = (operator.add, operator.mul)
_LARGE = 2
"""Arrays of so many axes are likely large: worth a line of their own, where an expression takes fresh memory."""

Reused = Mapping[Call, int]
"""By call: which of its operands the result is written over."""


def fold_and_reuse(function: Function, types: Mapping[Var, Type]) -> tuple[Folding, Reused]:
    """What is printed inside expressions, and what is computed in place, which needs a line of its own."""
    folding = fold(function.body, types)
    reading = _Reading(function, types)
    wanted = frozenset(call for call in reading.candidates if reading.is_worth_a_line(call, folding))
    while True:
        if wanted:
            folding = fold(function.body, types, wanted)
        reused = reading.reused(function, folding)
        if all(call in reused for call in wanted):
            return folding, reused
        wanted = frozenset(call for call in wanted if call in reused)
        if not wanted:
            folding = fold(function.body, types)


class _Reading:
    """Who reads what, and who may hold on to the memory of what it reads."""

    def __init__(self, function: Function, types: Mapping[Var, Type]) -> None:
        self.types, self.effects = types, Effects(types)
        self.doubtful = sometimes_real(function, types)
        self.made: dict[Var, Block] = {}  # arrays of their own, and where
        self.candidates: dict[Call, Block] = {}
        self.sums = owned(function, types)
        self.accumulating: list[Call] = []
        self.reader: dict[Atom, Call] = {}  # the last call that reads a value
        self.views: list[tuple[Var, Atom]] = []  # what may share the memory of what, each after its base
        self.held: set[Atom] = set()  # what is read by somebody who may keep hold of it
        for block in all_blocks(function.body):
            for s in block.statements:
                if isinstance(s, Call):
                    self._call(s, block)
                else:
                    self.held.update(atoms_of(s))
            self.held.update(end_atoms(block.end))
        for view, base in reversed(self.views):
            if view in self.held:
                self.held.add(base)

    def _call(self, call: Call, block: Block) -> None:
        operands = atoms_of(call)
        self.reader.update((atom, call) for atom in operands)
        if not self.effects.pure(call):
            self.held.update(operands)
        elif is_fresh(call, self.types) and not _writes(call):
            self.made[call.result] = block
        elif not is_immutable(self.types.get(call.result, UNKNOWN)):
            self.views.extend((call.result, atom) for atom in operands if isinstance(atom, Var))
        if call.result in self.sums:
            self.accumulating.append(call)
        elif call.role != "primal" and callee(call) in AUGMENTED and not call.kwargs:
            if any(self._may_take(call, k) for k in (0, 1)):
                self.candidates[call] = block

    def _may_take(self, call: Call, k: int) -> bool:
        """Whether the result has the dtype and the shape of this operand, which may be written over."""
        operand, other = call.args[k], call.args[1 - k]
        if not isinstance(operand, Var) or operand is other:
            return False
        t = self.types.get(operand)
        if self.doubtful and isinstance(t, Array) and t.dtype.kind == "c":
            return False
        if k == 1 and (callee(call) not in _COMMUTE or not _is_large(t)):
            return False  # `y = 2.0 * x` reads better than `y = x` and `y *= 2.0`
        return isinstance(t, Array) and t == self.types.get(call.result) and t.dims != () and definite(t)

    def is_worth_a_line(self, call: Call, folding: Folding) -> bool:
        """Whether an inlined call would take fresh memory that a line of its own does not: where the
        reader is arithmetic too, or an operand is no more than an expression, NumPy reuses that."""
        t = self.types.get(call.result)
        if call.result not in folding.inlined or not _is_large(t):
            return False
        if any(a in folding.inlined and self.types.get(a) == t for a in call.args if isinstance(a, Var)):
            return False
        reader = self.reader.get(call.result)
        return reader is not None and not is_elementwise(callee(reader)) and self.operand(call, folding) is not None

    def operand(self, call: Call, folding: Folding) -> int | None:
        """The operand to write over, but for the question whether it is read later."""
        block = self.candidates[call]
        for k in (0, 1):
            operand = call.args[k]
            if self._may_take(call, k) and operand not in self.held and operand not in folding.inlined:
                if isinstance(operand, Var) and self.made.get(operand) is block:
                    return k
        return None

    def reused(self, function: Function, folding: Folding) -> Reused:
        """The calls that may be printed as `x *= …`: `x` was made in the same block, whatever may share its
        memory is read by nobody later, and it has the dtype and the shape of the result."""
        out = {call: 0 for call in self.accumulating if call.args[0] not in folding.inlined}
        if not self.candidates:
            return out
        positions = positions_of(function, folding)
        last: dict[Atom, int] = {var: uses[-1] for var, uses in positions.uses.items()}
        for view, base in reversed(self.views):
            last[base] = max(last.get(base, 0), last.get(view, 0))
        for call in self.candidates:
            if call.result in folding.inlined:
                continue
            k = self.operand(call, folding)
            if k is not None and last.get(call.args[k]) == positions.at.get(call):
                out[call] = k
        return out


def _is_large(t: Type | None) -> bool:
    return isinstance(t, Array) and len(t.dims or ()) >= _LARGE


def _writes(call: Call) -> bool:
    return callee(call) in BUFFERED
