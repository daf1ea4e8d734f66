"""Eigenvalues of real matrices, which are complex or not as the numbers want: what code asks of that is not answered
before it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.analysis.views import fn_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.types import Array, Scalar, Type, is_complex

BY_CHANCE = (np.linalg.eig, np.linalg.eigvals)


def is_by_chance(fn: Any) -> bool:
    """Whether the numbers that it is given say whether the result of a function is complex."""
    return any(fn is f for f in BY_CHANCE)


def note_spectrum(b: Builder, fn: Any, types: Iterable[Type]) -> None:
    """From a call of these on, what counts as complex may be real."""
    if is_by_chance(fn) and b.role == "primal" and not any(map(is_complex, types)):
        b.context.by_chance = True


def may_be_real(b: Builder, types: Iterable[Type]) -> bool:
    """Whether only the run time knows if values of these types are complex."""
    return b.context.by_chance and b.role == "primal" and any(map(is_complex, types))


def perhaps_real(b: Builder, t: Type) -> bool:
    """Whether values of this type count as complex and may be real, as the eigenvalues of a real matrix are."""
    return b.context.by_chance and isinstance(t, (Array, Scalar)) and is_complex(t)


WIDE = (ops.index_add, rt.accumulate, rt.as_complex)
"""What is added to in place once has been widened before."""


def widened(b: Builder, total: Atom) -> Atom:
    """A cotangent or tangent to which complex numbers are added in place: a complex one, though what it is that of, or
    what came first, may be real."""
    t = b.type(total)
    made = b.context.definition.get(total) if isinstance(total, Var) else None
    complex_now = made is not None and (fn_of(made) in WIDE or "dtype" in dict(made.kwargs))
    if complex_now or not isinstance(t, Array) or not perhaps_real(b, t):
        return total
    out = b.emit(rt.as_complex, (total,), t, (), getattr(total, "name", ""))
    b.context.shape[out] = b.context.shape.get(total, total)  # type: ignore[arg-type]
    return out


def as_like(b: Builder, g: Atom, like: Atom) -> Atom:
    """What is added to memory that is complex where a value is: real where that is by chance."""
    if not isinstance(like, Var) or not perhaps_real(b, b.type(like)) or not is_complex(b.type(g)):
        return g
    made = b.emit(rt.as_found, (g, b.real(like)), b.type(g))
    if isinstance(g, Var):
        b.context.shape[made] = b.context.shape.get(g, g)
    return made
