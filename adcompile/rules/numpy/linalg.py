"""numpy.linalg: solving, factorisations, norms.

All bodies work on stacks of matrices. Gradients of eigenvectors and singular vectors are those
of functions that do not depend on the vectors' phases; eigh and cholesky read one triangle, so
only that triangle has a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Scalar, TupleT, Type
from adcompile.rules.kinds import composite, constant, vjps
from adcompile.rules.kinds_beside import beside
from adcompile.rules.numpy.dims import MISSING, Dims, argument, array, dims_of, dtype_of, sequence, static
from adcompile.rules.typing import truth
from adcompile.rules.typing_standin import standin_type


def adjoint(a: Any) -> Any:
    """The conjugate transpose of the last two axes."""
    if a.ndim == 2:
        return np.conj(a).T
    return np.swapaxes(np.conj(a), -1, -2)


def column(x: Any) -> Any:
    """Numbers, one for each matrix of a stack, so that they broadcast with the matrices."""
    return x[..., None, None] if np.ndim(x) > 0 else x


def diagonals(a: Any) -> Any:
    """The diagonals of square matrices, along the last axis."""
    return np.diagonal(a, axis1=-2, axis2=-1)


def diagonal_matrix(d: Any) -> Any:
    """Matrices with the given diagonals."""
    return d[..., :, None] * np.eye(d.shape[-1], dtype=d.dtype)


def real_diagonal(a: Any) -> Any:
    """The matrices with only the real part of their diagonals left."""
    return diagonal_matrix(np.real(diagonals(a)))


def reciprocal(x: Any) -> Any:
    """1/x, and 0 where x is 0."""
    return np.where(x == 0, 0, 1 / np.where(x == 0, 1, x))


def gap_reciprocals(w: Any) -> Any:
    """1 / (w_j − w_i), and 0 where the two are equal."""
    return reciprocal(w[..., None, :] - w[..., :, None])


# -- solving ---------------------------------------------------------------------------------


def itself(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return args[0]


@vjps(rt.inverse, typing=itself)
@vjps(np.linalg.inv)
def inv(y_bar: Any, y: Any, a: Any) -> Any:
    return -(adjoint(y) @ y_bar @ adjoint(y))


@vjps(np.linalg.det)
def det(y_bar: Any, y: Any, a: Any) -> Any:
    return column(y_bar) * np.conj(rt.cofactors(a))


constant(rt.is_regular, typing=truth)


@vjps(rt.cofactors, typing=itself)
def cofactors(y_bar: Any, y: Any, a: Any) -> Any:
    if not rt.is_regular(a):
        return rt.cofactors_bar(y_bar, a)
    h = np.conj(np.linalg.inv(a))
    by_determinant = column(np.sum(y_bar * np.conj(y), axis=(-2, -1))) * np.swapaxes(h, -1, -2)
    return by_determinant - np.conj(y) @ np.swapaxes(y_bar, -1, -2) @ np.swapaxes(h, -1, -2)


composite(rt.cofactors_bar, typing=lambda args, kwargs: args[1])(rt.cofactors_bar)


@vjps(np.linalg.slogdet)
def slogdet(y_bar: Any, y: Any, a: Any) -> Any:
    sign_bar, log_bar = y_bar[0], y_bar[1]
    inverse = adjoint(rt.inverse(a))
    bar = 0.0 if log_bar is None else log_bar
    if sign_bar is not None and a.dtype.kind == "c":
        bar = bar - 1j * np.imag(np.conj(sign_bar) * y[0])
    return column(bar) * inverse


@vjps(np.linalg.solve, wrt=(0, 1))
def solve(y_bar: Any, y: Any, a: Any, b: Any) -> Any:
    if a.ndim == 2:
        b_bar = np.linalg.solve(adjoint(a), y_bar)
        if b.ndim == 1:
            return -np.outer(b_bar, np.conj(y)), b_bar
        if b.ndim == 2:
            return -(b_bar @ adjoint(y)), b_bar
    if y.ndim == a.ndim - 1:
        b_bar = np.linalg.solve(adjoint(a), y_bar[..., None])[..., 0]
        a_bar = -(b_bar[..., :, None] * np.conj(y)[..., None, :])
    else:
        b_bar = np.linalg.solve(adjoint(a), y_bar)
        a_bar = -(b_bar @ adjoint(y))
    return rt.unbroadcast(a_bar, a), rt.unbroadcast(b_bar, b)


def pinv_bar(y_bar: Any, y: Any, a: Any) -> Any:
    """The cotangent of a matrix from that of its pseudoinverse `y`."""
    outside = -(adjoint(y) @ y_bar @ adjoint(y))
    g = adjoint(y_bar)
    rows = g @ (y @ adjoint(y))
    columns = (adjoint(y) @ y) @ g
    return outside + rows - a @ (y @ rows) + columns - (columns @ y) @ a


def cut_pinv_bar(y_bar: Any, y: Any, a: Any) -> Any:
    """The same where singular values may have been cut off that are not zero. Of a = u·s·vᴴ the pseudoinverse is the
    adjoint of u·f(s)·vᴴ, with f(s) = 1/s or 0: in the bases u and v the even part of a change meets the divided
    differences of f, (fᵢ − fⱼ)/(sᵢ − sⱼ), the odd one those of its continuation to −s, (fᵢ + fⱼ)/(sᵢ + sⱼ)."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    v, bar = adjoint(vh), adjoint(y_bar)
    kept = np.real(diagonals(vh @ y @ u)) * s > 0.5
    f = np.where(kept, reciprocal(s), 0.0)
    f_1, f_2, s_1, s_2 = f[..., :, None], f[..., None, :], s[..., :, None], s[..., None, :]
    even = np.where(kept[..., :, None] & kept[..., None, :], -f_1 * f_2, (f_1 - f_2) * reciprocal(s_1 - s_2))
    odd = (f_1 + f_2) * reciprocal(s_1 + s_2)
    g, ratio = adjoint(u) @ bar @ v, f * reciprocal(s)
    inner = 0.5 * (even * (g + adjoint(g)) + odd * (g - adjoint(g)))
    columns = (bar - u @ (adjoint(u) @ bar)) @ (v * ratio[..., None, :]) @ vh
    rows = (u * ratio[..., None, :]) @ adjoint(u) @ (bar - (bar @ v) @ vh)
    return u @ inner @ vh + columns + rows


@vjps(np.linalg.pinv, wrt=(0,))
def pinv(y_bar: Any, y: Any, a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    whole = np.tril(a) + adjoint(np.tril(a, -1)) if hermitian else a  # one triangle is read
    bar = pinv_bar(y_bar, y, whole) if rcond is None and rtol is None else cut_pinv_bar(y_bar, y, whole)
    return one_triangle(bar, "L") if hermitian else bar


def lstsq_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Whether there are residuals depends on the values."""
    a, b = dims_of(args[0]), dims_of(args[1])
    dtypes = [dtype_of(args[0]), dtype_of(args[1])]
    if a is None or b is None or len(a) != 2 or any(d is None for d in dtypes):
        return UNKNOWN
    dtype = np.result_type(*[d for d in dtypes if d is not None], np.float32)
    real = np.finfo(dtype).dtype
    rank = Scalar(frozenset({type(np.linalg.lstsq(np.eye(1), np.eye(1), rcond=None)[2])}))
    x, least = array(dtype, (a[1], *b[1:])), a[0] if a[0] == a[1] else "any"
    return TupleT((x, array(real, ("any",)), rank, array(real, (least,))))


@vjps(np.linalg.lstsq, wrt=(0, 1), typing=lstsq_type)
def lstsq(y_bar: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    x_bar, residual_bar, s_bar = y_bar[0], y_bar[1], y_bar[3]
    inverse = np.linalg.pinv(a) if rcond is None else np.linalg.pinv(a, rcond)
    flat = b.ndim == 1
    x = y[0][:, None] if flat else y[0]
    target = b[:, None] if flat else b
    a_bar, b_bar = np.zeros_like(a), np.zeros_like(target)
    if x_bar is not None:
        g = x_bar[:, None] if flat else x_bar
        inverse_bar = g @ adjoint(target)
        a_bar = pinv_bar(inverse_bar, inverse, a) if rcond is None else cut_pinv_bar(inverse_bar, inverse, a)
        b_bar = adjoint(inverse) @ g
    if residual_bar is not None:
        r = 2.0 * (target - a @ x)
        # a matrix without full rank has no residuals
        r = np.zeros_like(r) if residual_bar.shape[0] == 0 else residual_bar * r
        a_bar = a_bar - r @ adjoint(x)
        b_bar = b_bar + r
    if s_bar is not None:
        factors = np.linalg.svd(a, full_matrices=False)
        a_bar = a_bar + (factors[0] * s_bar) @ factors[2]
    return a_bar, b_bar[:, 0] if flat else b_bar


def tensorinv_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dims, ind = dims_of(args[0]), static(argument(args, kwargs, 1, "ind", 2))
    found = None if dims is None or not isinstance(ind, int) else (*dims[ind:], *dims[:ind])
    return array(float_dtype(args[0]), found)


def tensorsolve_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, b = dims_of(args[0]), dims_of(args[1])
    axes = static(argument(args, kwargs, 2, "axes"))
    first, second = float_dtype(args[0]), float_dtype(args[1])
    dtype = None if first is None or second is None else np.result_type(first, second)
    if a is None or b is None or axes is MISSING:
        return array(dtype, None)
    moved: Dims = a if axes is None else tuple(a[k] for k in rt.axes_to_end(axes, len(a)))
    return array(dtype, moved[len(b) :])


def float_dtype(t: Type) -> np.dtype[Any] | None:
    """The dtype that numpy.linalg computes in."""
    dtype = dtype_of(t)
    return None if dtype is None else dtype if dtype.kind in "fc" else np.dtype(float)


@composite(np.linalg.tensorinv, typing=tensorinv_type)
def tensorinv(a: Any, ind: Any = 2) -> Any:
    square = np.reshape(a, (rt.size_of(a.shape[ind:]), -1))
    return np.reshape(np.linalg.inv(square), a.shape[ind:] + a.shape[:ind])


@composite(np.linalg.tensorsolve, typing=tensorsolve_type)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    moved = a if axes is None else np.transpose(a, rt.axes_to_end(axes, a.ndim))
    shape = moved.shape[b.ndim :]
    square = np.reshape(moved, (-1, rt.size_of(shape)))
    return np.reshape(np.linalg.solve(square, np.ravel(b)), shape)


# -- powers and chains -----------------------------------------------------------------------


def power_bar(y_bar: Any, a: Any, n: Any) -> Any:
    """Σ (aᴴ)ᵏ ȳ (aᴴ)ⁿ⁻¹⁻ᵏ for n ≥ 1, by Horner's scheme."""
    h = adjoint(a)
    total, power = y_bar, h
    for _ in range(n - 1):
        total = h @ total + y_bar @ power
        power = power @ h
    return total


@vjps(np.linalg.matrix_power, wrt=(0,))
def matrix_power(y_bar: Any, y: Any, a: Any, n: Any) -> Any:
    if n == 0:
        return np.zeros_like(a)
    if n == 1:
        return y_bar
    if n == 2:
        return y_bar @ adjoint(a) + adjoint(a) @ y_bar
    if n > 0:
        return power_bar(y_bar, a, n)
    inverse = np.linalg.inv(a)
    return -(adjoint(inverse) @ power_bar(y_bar, inverse, -n) @ adjoint(inverse))


def multi_dot_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The first and the last one may be vectors."""
    t = standin_type(np.linalg.multi_dot, tuple(args), tuple(sorted(kwargs.items())))
    known = all(dims_of(a) is not None for a in sequence(args[0]) or ())
    return t if known or not isinstance(t, Array) else Array(t.dtype, None)


@vjps(np.linalg.multi_dot, wrt=(0,), typing=multi_dot_type)
def multi_dot(y_bar: Any, y: Any, arrays: Any, *, out: Any = None) -> Any:
    first, last = arrays[0].ndim == 1, arrays[-1].ndim == 1
    g = np.reshape(y_bar, (1 if first else arrays[0].shape[0], 1 if last else arrays[-1].shape[-1]))
    chain: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        a = arrays[k]
        chain = (*chain, a if a.ndim == 2 else a[None, :] if k == 0 else a[:, None])
    bars: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        bar = g
        if k > 0:
            bar = adjoint(chained(chain[:k])) @ bar
        if k < len(arrays) - 1:
            bar = bar @ adjoint(chained(chain[k + 1 :]))
        bars = (*bars, np.reshape(bar, arrays[k].shape))
    return (bars,)


def chained(arrays: Any) -> Any:
    return arrays[0] if len(arrays) == 1 else np.linalg.multi_dot(arrays)


# -- eigenvalues -----------------------------------------------------------------------------


def one_triangle(g: Any, uplo: Any) -> Any:
    """The cotangent of a Hermitian matrix that is given by one triangle."""
    both = g + adjoint(g)
    diagonal = real_diagonal(g)
    if uplo == "L" or uplo == "l":
        return np.tril(both, -1) + diagonal
    return np.triu(both, 1) + diagonal


@vjps(np.linalg.eigh, wrt=(0,))
def eigh(y_bar: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    w_bar, v_bar = y_bar[0], y_bar[1]
    w, v = y[0], y[1]
    if v_bar is None:
        return one_triangle((v * w_bar[..., None, :]) @ adjoint(v), UPLO)
    inner = gap_reciprocals(w) * (adjoint(v) @ v_bar)
    if w_bar is not None:
        inner = inner + diagonal_matrix(w_bar)
    return one_triangle(v @ inner @ adjoint(v), UPLO)


@vjps(np.linalg.eigvalsh, wrt=(0,))
def eigvalsh(y_bar: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    v = np.linalg.eigh(a, UPLO)[1]
    return one_triangle((v * y_bar[..., None, :]) @ adjoint(v), UPLO)


def spectrum_type(t: Type) -> tuple[Type, Type]:
    """Of eigenvalues and eigenvectors. Those of a real matrix are complex numbers, although NumPy
    gives arrays of real ones where all of them happen to be: what is true of complex arrays is
    true of these."""
    dtype, dims = float_dtype(t), dims_of(t)
    if dtype is None or dims is None:
        return UNKNOWN, UNKNOWN
    dtype = np.result_type(dtype, np.complex64)
    return array(dtype, dims[:-1]), array(dtype, dims)


def eig_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return TupleT(spectrum_type(args[0]), type(np.linalg.eig(np.eye(1))))


def eigvals_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return spectrum_type(args[0])[0]


def eig_forward(a: Any, a_dot: Any) -> Any:
    y = np.linalg.eig(a)
    w, v = rt.as_complex(y[0]), rt.as_complex(y[1])
    inner = np.linalg.solve(v, a_dot @ v)
    v_dot = v @ (gap_reciprocals(w) * inner)
    lengthened = np.real(np.sum(np.conj(v) * v_dot, axis=-2))
    return y, (rt.as_found(diagonals(inner), y[0]), rt.as_found(v_dot - v * lengthened[..., None, :], y[1]))


def eigvals_forward(a: Any, a_dot: Any) -> Any:
    y, v = np.linalg.eigvals(a), np.linalg.eig(a)[1]
    return y, rt.as_found(diagonals(np.linalg.solve(v, a_dot @ v)), y)


@beside(np.linalg.eig, frule=eig_forward, typing=eig_type)
def eig(y_bar: Any, y: Any, a: Any) -> Any:
    w_bar, v_bar = y_bar[0], y_bar[1]
    v = rt.as_complex(y[1])
    h = adjoint(v)
    if v_bar is None:
        return rt.like(np.linalg.solve(h, rt.as_complex(w_bar)[..., :, None] * h), a)
    g = h @ rt.as_complex(v_bar)
    # the columns of v have length 1: what changes their lengths does not count
    inner = (g - (h @ v) * np.real(diagonals(g))[..., None, :]) * np.conj(gap_reciprocals(rt.as_complex(y[0])))
    if w_bar is not None:
        inner = inner + diagonal_matrix(rt.as_complex(w_bar))
    return rt.like(np.linalg.solve(h, inner @ h), a)


@beside(np.linalg.eigvals, frule=eigvals_forward, typing=eigvals_type)
def eigvals(y_bar: Any, y: Any, a: Any) -> Any:
    h = adjoint(rt.as_complex(np.linalg.eig(a)[1]))
    return rt.like(np.linalg.solve(h, rt.as_complex(y_bar)[..., :, None] * h), a)
