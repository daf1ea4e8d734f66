"""Which sums may be written as `x_bar += v`: their first operand is an array of our own that
nobody reads afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import atoms_of, end_atoms
from adcompile.optimise.rewrite import leaves
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.sharing import is_fresh
from adcompile.optimise.typing import definite, type_of

_Sources = tuple[Atom, ...]


def owned(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The results of `operator.add` calls that may be computed into their first operand.

    That operand is an array made by an adjoint or tangent statement of this function, this sum
    is its only reader, in the same iteration in which it was made or handed on, and it has the
    dtype and the full shape of the result. Through branches and carried values an array stays
    our own if every way to it hands over one.
    """
    return _Owned(types).run(function)


@dataclass
class _Owned:
    types: Mapping[Var, Type]
    uses: dict[Var, int] = field(default_factory=dict[Var, int])
    home: dict[Var, Block] = field(default_factory=dict[Var, Block])  # the block that defines a value
    fresh: set[Var] = field(default_factory=set[Var])
    joins: dict[Var, tuple[_Sources, Block | None]] = field(default_factory=dict)
    sums: list[tuple[Call, Block]] = field(default_factory=list)

    def run(self, function: Function) -> frozenset[Var]:
        self.shapes = Shapes(self.types, {})
        self.full: set[Var] = set()
        self._block(function.body)
        ours = self._settle()
        return frozenset(call.result for call, block in self.sums if self._takes(call.args[0], block, ours))

    # -- gathering --------------------------------------------------------------------------

    def _use(self, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            if isinstance(a, Var):
                self.uses[a] = self.uses.get(a, 0) + 1

    def _block(self, block: Block) -> None:
        mark = self.shapes.mark()
        self.home.update((p, block) for p in block.params)
        for s in block.statements:
            self._use(atoms_of(s))
            self._statement(s, block)
        self._use(end_atoms(block.end))
        self.shapes.undo(mark)

    def _statement(self, s: Statement, block: Block) -> None:
        match s:
            case Call():
                self.home[s.result] = block
                self.shapes.note(s)
                if s.role != "primal" and is_fresh(s, self.types):
                    self.fresh.add(s.result)
                if self._is_sum(s):
                    self.sums.append((s, block))
            case If():
                self.home.update((r, block) for r in s.results)
                self._block(s.then)
                self._block(s.orelse)
                self._branches(s)
            case For() | While():
                self.home.update((r, block) for r in s.results)
                self._block(s.body)
                self._loop(s, block)
            case _:
                raise AssertionError("an Attempt in a specialised program")

    def _branches(self, s: If) -> None:
        for k, r in enumerate(s.results):
            sides = [(b.end.values[k], b) for b in (s.then, s.orelse) if isinstance(b.end, Yield)]
            # each branch hands over an array that it made itself
            if all(isinstance(v, Var) and self.home.get(v) is b for v, b in sides):
                self.joins[r] = (tuple(v for v, _ in sides), None)

    def _loop(self, s: For | While, block: Block) -> None:
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        ends = [e for e in leaves(s.body) if isinstance(e, (Continue, Break))]
        for k, (param, result) in enumerate(zip(params, s.results)):
            start = s.init[k]
            if not isinstance(start, Var) or self.home.get(start) is not block:
                continue  # made outside a loop that runs this one many times
            sources = (start, *(e.values[k] for e in ends))
            self.joins[param] = (sources, None)
            self.joins[result] = (sources, None)

    def _is_sum(self, call: Call) -> bool:
        if call.role == "primal" or not isinstance(call.fn, Const) or call.fn.value is not operator.add:
            return False
        first, result = type_of(call.args[0], self.types), self.types.get(call.result)
        if not isinstance(first, Array) or not isinstance(result, Array) or first.dtype != result.dtype:
            return False
        return self.shapes.same(call.args[0], call.result) or definite(first) and first.dims == result.dims

    # -- deciding ---------------------------------------------------------------------------

    def _settle(self) -> set[Var]:
        """The values that are ours to write: assume that every join is, and drop what is not."""
        ours = self.fresh | set(self.joins)
        changed = True
        while changed:
            lost = [v for v, (sources, _) in self.joins.items() if v in ours and not self._handed(v, sources, ours)]
            ours.difference_update(lost)
            changed = bool(lost)
        return ours

    def _handed(self, join: Var, sources: _Sources, ours: set[Var]) -> bool:
        return all(self._given(a, ours) for a in sources)

    def _given(self, atom: Atom, ours: set[Var]) -> bool:
        if not isinstance(atom, Var) or atom not in ours:
            return False
        # a carried value may leave the iteration by any of its ends, but by one at a time
        return self.uses[atom] == 1

    def _takes(self, first: Atom, block: Block, ours: set[Var]) -> bool:
        return isinstance(first, Var) and first in ours and self.uses[first] == 1 and self.home.get(first) is block
