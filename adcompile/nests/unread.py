"""Memory of temporaries that nobody reads any more: what was put there has been handed on as numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from adcompile.ir.nodes import Block, Call, Statement, Unreachable, Var
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, end_atoms, statements_of
from adcompile.optimise.direct import called


def unread(statements: Sequence[Statement], own: Iterable[Var]) -> frozenset[Var]:
    """Those of the arrays that only the statements know, and into which these do no more than write."""
    body = Block((), tuple(statements), Unreachable())
    read = {a for s in statements_of(body) for a in (atoms_of(s)[2:] if _writes(s) else atoms_of(s))}
    read.update(a for block in all_blocks(body) for a in end_atoms(block.end))
    return frozenset(own) - read


def without(statements: Sequence[Statement], arrays: frozenset[Var]) -> list[Statement]:
    """The statements without these arrays, and the writes into them."""
    return list(_Without(arrays).block(Block((), tuple(statements), Unreachable())).statements)


def _writes(s: Statement) -> bool:
    return isinstance(s, Call) and called(s) is operator.setitem


class _Without(Rewriter):
    def __init__(self, arrays: frozenset[Var]) -> None:
        self.arrays = arrays

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        if not isinstance(s, Call):
            return super().statement(s)
        return () if s.result in self.arrays or _writes(s) and s.args[0] in self.arrays else (s,)
