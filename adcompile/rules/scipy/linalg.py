"""scipy.linalg: solving and factorising single matrices, matrix equations, the matrix exponential."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adcompile import runtime as rt
from adcompile.ir.types import TupleT, Type
from adcompile.rules.kinds import composite, vjps
from adcompile.rules.numpy import factor
from adcompile.rules.numpy.dims import argument, array, dims_of, dtype_of
from adcompile.rules.numpy.linalg import adjoint, column, float_dtype


def outer(x: Any, y: Any) -> Any:
    """x·yᴴ of vectors, or of matrices."""
    return np.outer(x, np.conj(y)) if x.ndim == 1 else x @ adjoint(y)


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
    """Of a matrix that is said to be symmetric or Hermitian one triangle is read, and has a cotangent."""
    if a.ndim != 2:
        raise NotImplementedError("the derivative of scipy.linalg.solve of stacks; use np.linalg.solve")
    if assume_a is None or assume_a == "general" or assume_a == "gen":
        if transposed:
            b_bar = np.linalg.solve(np.conj(a), y_bar)
            return (-np.outer(np.conj(y), b_bar) if b.ndim == 1 else -(np.conj(y) @ b_bar.T)), b_bar
        b_bar = np.linalg.solve(adjoint(a), y_bar)
        return -outer(b_bar, y), b_bar
    if transposed:
        raise NotImplementedError("the derivative of scipy.linalg.solve with assume_a and transposed")
    if assume_a in ("her", "hermitian", "pos", "positive definite"):
        b_bar = linalg.solve(a, y_bar, lower, assume_a=assume_a)
        return factor.one_triangle(-outer(b_bar, y), "L" if lower else "U"), b_bar
    if assume_a in ("sym", "symmetric"):
        b_bar = np.conj(linalg.solve(a, np.conj(y_bar), lower, assume_a=assume_a))
        full = -outer(b_bar, y)
        return (np.tril(full) + np.triu(full, 1).T if lower else np.triu(full) + np.tril(full, -1).T), b_bar
    raise NotImplementedError("the derivative of scipy.linalg.solve with this assume_a; use np.linalg.solve")


def banded_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    ab, b = float_dtype(args[1]), float_dtype(args[2])
    return array(None if ab is None or b is None else np.result_type(ab, b), dims_of(args[2]))


@vjps(linalg.solve_banded, wrt=(1, 2), typing=banded_type)
def solve_banded(
    y_bar: Any,
    y: Any,
    l_and_u: Any,
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:
    """Row k of `ab` holds a[j + k − u, j] at column j; what lies outside of the matrix is not read."""
    low, up = l_and_u[0], l_and_u[1]
    k, n = ab.shape[0], ab.shape[1]
    lines = np.arange(n) + (np.arange(k) - up)[:, None]  # of a, for each place of ab
    back = np.arange(n) - (low - np.arange(k))[:, None]  # the column in ab of each place of the adjoint
    turned = np.take_along_axis(np.conj(ab)[::-1], np.clip(back, 0, n - 1), axis=1)
    inside = (back >= 0) & (back < n)
    b_bar = linalg.solve_banded((up, low), np.where(inside, turned, 0), y_bar)
    rows = b_bar[np.clip(lines, 0, n - 1)]
    full = rows * np.conj(y) if b.ndim == 1 else np.sum(rows * np.conj(y), axis=-1)
    return None, np.where((lines >= 0) & (lines < n), -full, 0), b_bar


@vjps(linalg.solve_sylvester)
def solve_sylvester(y_bar: Any, y: Any, a: Any, b: Any, q: Any) -> Any:
    """From a·y + y·b = q: the adjoint equation for the cotangent of q."""
    is_complex = np.iscomplexobj(y)
    if np.iscomplexobj(a) != is_complex or np.iscomplexobj(b) != is_complex:
        # what SciPy gives is no solution where the real matrix has complex eigenvalues
        raise NotImplementedError("the derivative of solve_sylvester of real and complex matrices; make all complex")
    q_bar = linalg.solve_sylvester(adjoint(a), adjoint(b), y_bar)
    return -(q_bar @ adjoint(y)), -(adjoint(y) @ q_bar), q_bar


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


def cho_factor_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The second result is the argument `lower` again."""
    factor_type = array(float_dtype(args[0]), dims_of(args[0]))
    return TupleT((factor_type, argument(args, kwargs, 1, "lower", False)))


@vjps(linalg.cho_factor, wrt=(0,), typing=cho_factor_type)
def cho_factor(
    y_bar: Any, y: Any, a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True
) -> Any:
    """The other triangle of the result holds what happened to be there: its cotangent counts for nothing."""
    if lower:
        return factor.cholesky_bar(np.tril(y_bar[0]), np.tril(y[0]))
    return adjoint(factor.cholesky_bar(np.tril(adjoint(y_bar[0])), np.tril(adjoint(y[0]))))


def unpacked(lu: Any) -> Any:
    """The factors that lu_factor gives in one matrix."""
    return np.tril(lu, -1) + np.eye(lu.shape[-1], dtype=lu.dtype), np.triu(lu)


@vjps(linalg.lu_factor, wrt=(0,))
def lu_factor(y_bar: Any, y: Any, a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The pivots are piecewise constant. From dl·u + l·du = da[p], where l⁻¹·dl is strictly lower and du·u⁻¹ upper
    triangular (de Hoog, Anderssen and Lukas, Mathematics of Computation 80, 2011)."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise NotImplementedError("the derivative of scipy.linalg.lu_factor of what is not a square matrix")
    lower, upper = unpacked(y[0])
    inner = np.tril(adjoint(lower) @ np.tril(y_bar[0], -1), -1) + np.triu(np.triu(y_bar[0]) @ adjoint(upper))
    left = linalg.solve_triangular(lower, inner, trans=2, lower=True, unit_diagonal=True)
    rows = adjoint(linalg.solve_triangular(upper, adjoint(left)))
    return rows[np.argsort(rt.row_order(y[1]))]


@vjps(linalg.lu_solve, wrt=(0, 1))
def lu_solve(
    y_bar: Any, y: Any, lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    """By way of the cotangent of the matrix that was factorised, and of its product of factors."""
    lu, piv = lu_and_piv[0], lu_and_piv[1]
    if lu.ndim != 2 or b.ndim > 2:
        raise NotImplementedError("the derivative of scipy.linalg.lu_solve of stacks; use np.linalg.solve")
    if trans == 0:
        b_bar = linalg.lu_solve(lu_and_piv, y_bar, trans=2)
        a_bar = -outer(b_bar, y)
    elif trans == 1:
        b_bar = np.conj(linalg.lu_solve(lu_and_piv, np.conj(y_bar)))
        a_bar = -outer(b_bar, y).T
    else:
        b_bar = linalg.lu_solve(lu_and_piv, y_bar)
        a_bar = -outer(y, b_bar)
    lower, upper = unpacked(lu)
    rows = a_bar[rt.row_order(piv)]
    return (np.tril(rows @ adjoint(upper), -1) + np.triu(adjoint(lower) @ rows), None), b_bar


def root_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The root of a real matrix is real or complex, as its eigenvalues say."""
    dtype = dtype_of(args[0])
    return array(dtype if dtype is not None and dtype.kind == "c" else None, dims_of(args[0]))


@vjps(linalg.sqrtm, wrt=(0,), typing=root_type)
def sqrtm(y_bar: Any, y: Any, A: Any, disp: Any = True, blocksize: Any = 64) -> Any:
    """From y·y = a: dy solves a Sylvester equation."""
    root = rt.as_complex(adjoint(y))
    return rt.like(linalg.solve_sylvester(root, root, rt.as_complex(y_bar)), A)


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
