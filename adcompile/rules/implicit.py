"""The rules of `adcompile.runtime.implicit`: what solvers find, by the equations that it solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import FLOAT64, UNKNOWN, Array, Scalar, TupleT, Type, widen
from adcompile.rules.kinds import constant, implicit
from adcompile.rules.numpy.constant import without_rule
from adcompile.rules.typing import always

UNKNOWNS = Array(np.dtype(np.float64), ("any",))


def doubled(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Solvers that keep the shape of their start compute in doubles, unless that is of single precision or complex."""
    start = widen(args[1])
    if isinstance(start, Scalar) and all(k in (bool, int, float, np.float64) for k in start.kinds):
        return FLOAT64
    if isinstance(start, Array) and start.dtype.type in (np.float64, np.int64, np.bool_):
        return Array(np.dtype(np.float64), start.dims) if start.dims != () else FLOAT64
    return UNKNOWN


def arrays(args: list[Type], kwargs: dict[str, Type]) -> Type:
    found = doubled(args, kwargs)
    return Array(np.dtype(np.float64), ()) if isinstance(found, Scalar) else found


constant(rt.solve, pure=False)
constant(rt.inside, pure=False)
constant(rt.vector, typing=always(UNKNOWNS))
constant(rt.shaped, typing=doubled)
constant(rt.arrayed, typing=arrays)
without_rule(rt.limits, typing=always(TupleT((UNKNOWNS, UNKNOWNS))))
without_rule(rt.beside, typing=lambda args, kwargs: args[0])


@implicit(rt.solution, typing=lambda args, kwargs: args[0])
def solution(y: Any, found: Any, residual: Any) -> Any:
    return residual(y)
