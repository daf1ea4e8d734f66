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
from adcompile.ir.walk import atoms_of, end_atoms, results_of
from adcompile.optimise.rewrite import leaves
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.sharing import is_fresh, sometimes_real
from adcompile.optimise.typing import definite, type_of

_Sources = tuple[Atom, ...]
_Counts = dict[Var, int]


def owned(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The results of `operator.add` calls that may be computed into their first operand.

    That operand is an array made by an adjoint or tangent statement of this function; on every
    path this sum is its only reader, in the same iteration in which it was made or handed on; and
    it has the dtype and the full shape of the result. Through branches and carried values an
    array stays our own if every way to it hands over one.
    """
    return _Owned(types).run(function)


@dataclass
class _Owned:
    types: Mapping[Var, Type]
    uses: _Counts = field(default_factory=_Counts)  # on the path that has most of them
    home: dict[Var, Block] = field(default_factory=dict[Var, Block])  # the loop body that defines a value
    fresh: set[Var] = field(default_factory=set[Var])
    joins: dict[Var, _Sources] = field(default_factory=dict[Var, _Sources])
    around: set[Block] = field(default_factory=set[Block])  # the bodies of the loops around
    sums: list[tuple[Call, Block]] = field(default_factory=list)

    def run(self, function: Function) -> frozenset[Var]:
        self.shapes = Shapes(self.types, {})
        self.doubtful = sometimes_real(function, self.types)
        self._define((*function.params, *function.captured), function.body)
        self._block(function.body, function.body)
        ours = self._settle()
        return frozenset(call.result for call, loop in self.sums if self._takes(call.args[0], loop, ours))

    # -- gathering --------------------------------------------------------------------------

    def _block(self, block: Block, loop: Block) -> _Counts:
        """How often each value is read, at most, when the block runs once. `loop` is the body of
        the innermost loop around."""
        mark = self.shapes.mark()
        counts: _Counts = {}
        self._define(block.params, loop)
        for s in block.statements:
            self._count(counts, atoms_of(s))
            self._statement(s, loop, counts)
        self._count(counts, end_atoms(block.end))
        self.shapes.undo(mark)
        self.uses.update(counts)  # a block further out sees more of the reads, and comes later
        for v in (*block.params, *(r for s in block.statements for r in results_of(s))):
            counts.pop(v, None)  # nobody outside reads it
        return counts

    def _count(self, counts: _Counts, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            if isinstance(a, Var) and isinstance(self.types.get(a), Array):
                counts[a] = counts.get(a, 0) + 1

    def _define(self, vars_: Iterable[Var], loop: Block) -> None:
        for v in vars_:
            self.home[v] = loop

    def _statement(self, s: Statement, loop: Block, counts: _Counts) -> None:
        self._define(results_of(s), loop)
        match s:
            case Call():
                self.shapes.note(s)
                if s.role != "primal" and is_fresh(s, self.types):
                    self.fresh.add(s.result)
                if self._is_sum(s):
                    self.sums.append((s, loop))
            case If():
                then, orelse = self._block(s.then, loop), self._block(s.orelse, loop)
                for v in {**then, **orelse}:
                    counts[v] = counts.get(v, 0) + max(then.get(v, 0), orelse.get(v, 0))
                self._branches(s, loop)
            case For() | While():
                self.around.add(loop)
                for v, n in self._block(s.body, s.body).items():
                    if self.home[v] in self.around:
                        counts[v] = counts.get(v, 0) + 2 * n  # once an iteration
                self.around.discard(loop)
                self._loop(s, loop)
            case _:
                raise AssertionError("an Attempt in a specialised program")

    def _branches(self, s: If, loop: Block) -> None:
        for k, r in enumerate(s.results):
            sources = tuple(b.end.values[k] for b in (s.then, s.orelse) if isinstance(b.end, Yield))
            if all(self._from(v, loop) for v in sources):
                self.joins[r] = sources

    def _loop(self, s: For | While, loop: Block) -> None:
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        ends = [e for e in leaves(s.body) if isinstance(e, (Continue, Break))]
        for k, (param, result) in enumerate(zip(params, s.results)):
            following = tuple(e.values[k] for e in ends)
            # an array made outside would be handed on anew in each iteration
            if self._from(s.init[k], loop) and all(self._from(v, s.body) for v in following):
                self.joins[param] = self.joins[result] = (s.init[k], *following)

    def _from(self, atom: Atom, loop: Block) -> bool:
        return isinstance(atom, Var) and self.home.get(atom) is loop

    def _is_sum(self, call: Call) -> bool:
        if call.role == "primal" or not isinstance(call.fn, Const) or call.fn.value is not operator.add:
            return False
        first, result = type_of(call.args[0], self.types), self.types.get(call.result)
        if not isinstance(first, Array) or not isinstance(result, Array) or first.dtype != result.dtype:
            return False
        if self.doubtful and first.dtype.kind == "c":
            return False
        return self.shapes.same(call.args[0], call.result) or definite(first) and first.dims == result.dims

    # -- deciding ---------------------------------------------------------------------------

    def _settle(self) -> set[Var]:
        """The arrays that are ours to write: assume that every join is, and drop what is not."""
        ours = self.fresh | set(self.joins)
        lost = list(self.joins)
        while lost:
            lost = [v for v in self.joins if v in ours and not all(self._given(a, ours) for a in self.joins[v])]
            ours.difference_update(lost)
        return ours

    def _given(self, atom: Atom, ours: set[Var]) -> bool:
        return isinstance(atom, Var) and atom in ours and self.uses.get(atom) == 1

    def _takes(self, first: Atom, loop: Block, ours: set[Var]) -> bool:
        return self._given(first, ours) and self._from(first, loop)
