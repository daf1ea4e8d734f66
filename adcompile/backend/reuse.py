"""Which results of adjoints are computed into their first operand, as in `t *= s`: an array of our
own that is read there for the last time. What a fresh array costs is mostly the memory.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompile.backend.fold import Folding
from adcompile.backend.names import positions_of
from adcompile.backend.purity import callee, hashable
from adcompile.ir.nodes import Block, Call, Function, Var
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms
from adcompile.optimise.typing import definite

AUGMENTED = {operator.add: "Add", operator.sub: "Sub", operator.mul: "Mult", operator.truediv: "Div"}
_MAKERS: frozenset[Any] = frozenset({*AUGMENTED, operator.neg, operator.pow, operator.matmul})
"""What gives memory of its own; and so do ufuncs."""
_READERS: frozenset[Any] = _MAKERS | {np.sum, np.mean, np.max, np.min, operator.eq, np.zeros_like, np.ones_like}
"""What keeps no hold of what it reads; nor do ufuncs."""


def reusable(function: Function, folding: Folding, types: Mapping[Var, Type]) -> frozenset[Call]:
    """The calls that may be printed as `x *= …` on their first operand.

    That operand was made in the same block by arithmetic, all that read it give memory of their
    own, and none reads it later; it has the dtype and the shape of the result.
    """
    candidates = {
        call: block
        for block in all_blocks(function.body)
        if block in folding.items
        for call in folding.items[block]
        if isinstance(call, Call) and _is_candidate(call, types)
    }
    if not candidates:
        return frozenset()
    held, made = _held(function.body), {block: _made(block) for block in set(candidates.values())}
    positions = positions_of(function, folding)
    out: list[Call] = []
    for call, block in candidates.items():
        first = call.args[0]
        if not isinstance(first, Var) or first not in made[block] or first in held or first in folding.inlined:
            continue
        if positions.uses.get(first, [0])[-1] == positions.at.get(call):
            out.append(call)
    return frozenset(out)


def _is_candidate(call: Call, types: Mapping[Var, Type]) -> bool:
    if call.role == "primal" or callee(call) not in AUGMENTED or call.kwargs or not isinstance(call.args[0], Var):
        return False
    first, result = types.get(call.args[0]), types.get(call.result)
    if not isinstance(first, Array) or first != result or first.dims == () or not definite(first):
        return False
    return call.args[1] is not call.args[0]


def _made(block: Block) -> dict[Any, Call]:
    """What arithmetic of this very block makes."""
    return {s.result: s for s in block.statements if isinstance(s, Call) and _is_one_of(s, _MAKERS)}


def _is_one_of(call: Call, known: frozenset[Any]) -> bool:
    fn = callee(call)
    plain = all(name in ("axis", "keepdims") for name, _ in call.kwargs)
    if not hashable(fn) or not plain:
        return False
    return fn in known or isinstance(fn, np.ufunc) and len(call.args) == fn.nin


def _held(body: Block) -> set[Any]:
    """What somebody reads who may keep hold of it."""
    out: set[Any] = set()
    for block in all_blocks(body):
        for s in block.statements:
            if not isinstance(s, Call) or not _is_one_of(s, _READERS):
                out.update(atoms_of(s))
        out.update(end_atoms(block.end))
    return out
