"""Which adjoint statements are read by anybody, write into a shadow or check something. The rest goes."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.writing import AUGMENTED
from adcompile.ir.nodes import Atom, Attempt, Block, Call, Const, If, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.walk import FreeVars, atoms_of, free_vars, is_border, occupied, statements_of

WRITES: tuple[Any, ...] = (
    *AUGMENTED, operator.setitem, rt.add_at, rt.add_each, rt.put_each, rt.refill, np.ufunc.at,
    rt.put_back, setattr, rt.set_own, rt.unset, rt.hand_over,
    rt.check_cotangent, rt.check_tangent_of, rt.check_partial, rt.check_shadow, rt.check_apart, rt.check_kept,
)  # fmt: skip
"""How adjoint code writes into shadows and puts back what is the caller's, and what debug mode checks."""


def live_statements(
    statements: Sequence[Statement], keep: Iterable[Atom], known: FreeVars | None = None, computing: bool = False
) -> list[Statement]:
    """The statements whose results reach `keep`; branches lose the results nobody reads. `known` as
    for `walk.free_vars`. What is run again of the primal may write and stays, unless all of it is known to be
    `computing` only."""
    known = {} if known is None else known
    wanted = {a for a in keep if isinstance(a, Var)}
    out: list[Statement] = []
    for s in reversed(statements):
        kept = live_statement(s, wanted, known, computing)
        if kept is None:
            continue
        wanted.update(a for a in atoms_of(kept) if isinstance(a, Var))
        if not isinstance(kept, Call):
            for block in (kept.then, kept.orelse) if isinstance(kept, If) else (kept.body,):
                wanted.update(free_vars(block, known))
        out.append(kept)
    return occupied(out[::-1])


def live_statement(s: Statement, wanted: set[Var], known: FreeVars, computing: bool) -> Statement | None:
    if isinstance(s, Call):
        writes_perhaps = s.role == "primal" and not computing
        return s if s.result in wanted or writes_perhaps or is_write(s) or is_border(s) or is_noted(s) else None
    if not isinstance(s, If):
        whole = isinstance(s, Attempt) or s.role == "primal"  # it may raise, or write
        return s if whole or any(r in wanted for r in s.results) or writes(s.body.statements) else None
    if not isinstance(s.then.end, Yield) or not isinstance(s.orelse.end, Yield):  # one of them is left, or not reached
        return s
    kept = [k for k, r in enumerate(s.results) if r in wanted]
    if not kept and not writes((*s.then.statements, *s.orelse.statements)):
        return None
    if len(kept) == len(s.results):
        return s
    return replace(
        s,
        results=tuple(s.results[k] for k in kept),
        then=prune(s.then, kept, known),
        orelse=prune(s.orelse, kept, known),
    )


def prune(block: Block, kept: list[int], known: FreeVars) -> Block:
    assert isinstance(block.end, Yield)
    end = Yield(tuple(block.end.values[k] for k in kept))
    return Block(block.params, tuple(live_statements(block.statements, end.values, known)), end)


def is_write(s: Call) -> bool:
    if isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef):
        return s.fn.value.forward is not None and len(s.args) > 2  # a pullback that is given shadows
    return isinstance(s.fn, Const) and any(s.fn.value is fn for fn in WRITES)


def is_noted(s: Call) -> bool:
    """Whether this is what derivatives of the adjoint may ask for (`containers.put_item`)."""
    return isinstance(s.fn, Const) and s.fn.value is rt.replaced


def writes(statements: Sequence[Statement]) -> bool:
    """Whether adjoint statements, or blocks inside them, write into a shadow."""
    inner = statements_of(Block((), tuple(statements), Yield()))
    return any(isinstance(s, Call) and (s.role == "primal" or is_write(s)) for s in inner)
