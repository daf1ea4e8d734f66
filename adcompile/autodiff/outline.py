"""What the reverse sweep reads of an array only for its shape: an outline is kept in its place,
which has the shape and dtype and no memory.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.views import fn_of
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms

SHAPE_ONLY: dict[Any, int] = {
    rt.unbroadcast: 1, rt.broadcast_like: 1, rt.expand: 1, rt.contract: 1, np.zeros_like: 0, rt.zeros_like: 0,
    np.shape: 0, np.size: 0, np.ndim: 0, len: 0, np.ndarray.shape: 0, np.ndarray.size: 0, np.ndarray.ndim: 0,
}  # fmt: skip
"""Which argument of these is read for its shape alone."""


def read_for_shape(block: Block, types: Any) -> set[Var]:
    """The arrays that a block, and those inside it, read for their shapes and nothing else."""
    shape: set[Var] = set()
    whole: set[Atom] = set()
    for inner in all_blocks(block):
        whole.update(end_atoms(inner.end))
        for s in inner.statements:
            found = shape_operand(s)
            whole.update(a for a in atoms_of(s) if a is not found or is_read_twice(s, found))
            if found is not None:
                shape.add(found)
    return {v for v in shape - whole if isinstance(types[v], Array)}


def shape_operand(s: Statement) -> Var | None:
    """The argument of a call that is read for its shape."""
    if not isinstance(s, Call):
        return None
    place = SHAPE_ONLY.get(fn_of(s))
    operand = s.args[place] if place is not None and place < len(s.args) else None
    return operand if isinstance(operand, Var) else None


def is_read_twice(s: Statement, operand: Atom | None) -> bool:
    return sum(a is operand for a in atoms_of(s)) > 1


def outlined(v: Var, value: Atom, types: MutableMapping[Var, Type], definition: MutableMapping[Var, Call]) -> Call:
    """The statement that makes the outline of an array."""
    made = Var(v.name, v.place)
    types[made] = types[v]
    call = Call(made, Const(rt.outline), (value,), (), v.place, "adjoint")
    definition[made] = call
    return call
