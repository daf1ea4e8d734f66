"""scipy.linalg: solving and factorising single matrices, the matrix exponential."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adcompile import runtime as rt
from adcompile.rules.kinds import composite, vjps
from adcompile.rules.numpy import factor
from adcompile.rules.numpy.linalg import adjoint, column


@vjps(linalg.inv, wrt=(0,))
def inv(
    y_bar: Any, y: Any, a: Any, overwrite_a: Any = False, check_finite: Any = True, **settings: Any
) -> Any:
    assume_a = settings.get("assume_a")
    if assume_a is not None and assume_a != "general" and assume_a != "gen":
        return rt.no_derivative("scipy.linalg.inv with assume_a")
    return -(adjoint(y) @ y_bar @ adjoint(y))


@vjps(linalg.det, wrt=(0,))
def det(y_bar: Any, y: Any, a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return column(y_bar * np.conj(y)) * adjoint(np.linalg.inv(a))


@vjps(linalg.solve, wrt=(0, 1))
def solve(
    y_bar: Any,
    y: Any,
    a: Any,
    b: Any,
    lower: Any = False,
    overwrite_a: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
    assume_a: Any = None,
    transposed: Any = False,
) -> Any:
    if (assume_a is not None and assume_a != "general" and assume_a != "gen") or transposed or a.ndim != 2:
        raise NotImplementedError("the derivative of this form of scipy.linalg.solve; use np.linalg.solve")
    b_bar = np.linalg.solve(adjoint(a), y_bar)
    a_bar = -np.outer(b_bar, np.conj(y)) if b.ndim == 1 else -(b_bar @ adjoint(y))
    return a_bar, b_bar


@vjps(linalg.solve_triangular, wrt=(0, 1))
def solve_triangular(
    y_bar: Any,
    y: Any,
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: Any = False,
    unit_diagonal: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:
    """Only the triangle that is read has a cotangent."""
    if trans == 0 or trans == "N":
        b_bar = linalg.solve_triangular(a, y_bar, trans=2, lower=lower, unit_diagonal=unit_diagonal)
        full = -np.outer(b_bar, np.conj(y)) if b.ndim == 1 else -(b_bar @ adjoint(y))
    elif trans == 1 or trans == "T":
        b_bar = linalg.solve_triangular(np.conj(a), y_bar, lower=lower, unit_diagonal=unit_diagonal)
        full = -np.outer(np.conj(y), b_bar) if b.ndim == 1 else -(np.conj(y) @ b_bar.T)
    else:
        b_bar = linalg.solve_triangular(a, y_bar, lower=lower, unit_diagonal=unit_diagonal)
        full = -np.outer(y, np.conj(b_bar)) if b.ndim == 1 else -(y @ adjoint(b_bar))
    k = 1 if unit_diagonal else 0
    return (np.tril(full, -k) if lower else np.triu(full, k)), b_bar


@vjps(linalg.cholesky, wrt=(0,))
def cholesky(y_bar: Any, y: Any, a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    if lower:
        return factor.cholesky_bar(np.tril(y_bar), y)
    return adjoint(factor.cholesky_bar(np.tril(adjoint(y_bar)), adjoint(y)))


@vjps(linalg.cho_solve, wrt=(0, 1))
def cho_solve(y_bar: Any, y: Any, c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, lower = c_and_lower[0], c_and_lower[1]
    b_bar = linalg.cho_solve((c, lower), y_bar)
    outer = np.outer(b_bar, np.conj(y)) if b.ndim == 1 else b_bar @ adjoint(y)
    both = outer + adjoint(outer)
    return ((-np.tril(both @ np.tril(c)) if lower else -np.triu(np.triu(c) @ both)), None), b_bar


@vjps(linalg.expm)
def expm(y_bar: Any, y: Any, A: Any) -> Any:
    """The adjoint of the Fréchet derivative is that of the adjoint: a block of a larger exponential."""
    h, zero = adjoint(A), np.zeros_like(A)
    rows = (np.concatenate((h, y_bar), axis=-1), np.concatenate((zero, h), axis=-1))
    n = A.shape[-1]
    return linalg.expm(np.concatenate(rows, axis=-2))[..., :n, n:]


@composite(linalg.norm)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.norm(a, ord, axis, keepdims)
