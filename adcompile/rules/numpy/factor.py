"""numpy.linalg: singular values, Cholesky and QR factors, norms and what follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.rules.kinds import vjps
from adcompile.rules.numpy.linalg import (
    adjoint,
    diagonal_matrix,
    diagonals,
    gap_reciprocals,
    one_triangle,
    real_diagonal,
    reciprocal,
)


def scaled(u: Any, s: Any, vh: Any) -> Any:
    """u · diag(s) · vh."""
    return (u * s[..., None, :]) @ vh


def svd_bar(u_bar: Any, s_bar: Any, vh_bar: Any, u: Any, s: Any, vh: Any) -> Any:
    """From the cotangents (or None) of thin factors."""
    v = adjoint(vh)
    middle = np.zeros_like(adjoint(u) @ u)
    if s_bar is not None:
        middle = middle + diagonal_matrix(s_bar)
    if u_bar is None and vh_bar is None:
        return u @ middle @ vh
    gaps = gap_reciprocals(s * s)
    if u_bar is not None:
        g = adjoint(u) @ u_bar
        skew = g - adjoint(g)
        middle = middle + (gaps * skew) * s[..., None, :]
        if u.dtype.kind == "c":
            middle = middle + diagonal_matrix(diagonals(skew) * (0.5 * reciprocal(s)))
    if vh_bar is not None:
        g = adjoint(v) @ adjoint(vh_bar)
        middle = middle + s[..., :, None] * (gaps * (g - adjoint(g)))
    bar = u @ middle @ vh
    # what turns out of the space of the vectors; of square factors none does, and rounding must not
    if u_bar is not None:
        leaving = reciprocal(s) * (u.shape[-2] > s.shape[-1])
        bar = bar + ((u_bar - u @ (adjoint(u) @ u_bar)) * leaving[..., None, :]) @ vh
    if vh_bar is not None:
        leaving = reciprocal(s) * (vh.shape[-1] > s.shape[-1])
        bar = bar + u @ ((vh_bar - (vh_bar @ v) @ vh) * leaving[..., :, None])
    return bar


@vjps(np.linalg.svd, wrt=(0,))
def svd(y_bar: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if hermitian:  # one triangle is read, and a factor turns into the other
        if compute_uv:
            raise NotImplementedError("the derivative of svd(hermitian=True) by its vectors; use np.linalg.eigh")
        w, v = np.linalg.eigh(a)
        order = np.argsort(-np.abs(w), axis=-1)
        w_bar = np.take_along_axis(y_bar, np.argsort(order, axis=-1), -1) * np.sign(w)
        return one_triangle((v * w_bar[..., None, :]) @ adjoint(v), "L")
    if not compute_uv:
        return svdvals(y_bar, y, a)
    u_bar, s_bar, vh_bar = y_bar[0], y_bar[1], y_bar[2]
    u, s, vh = y[0], y[1], y[2]
    k = s.shape[-1]
    thin_u, thin_vh = u[..., :, :k], vh[..., :k, :]
    if full_matrices and u_bar is not None:
        # the other columns only complete the first to a unitary matrix, and turn with them
        rest, rest_bar = u[..., :, k:], u_bar[..., :, k:]
        u_bar = u_bar[..., :, :k] - rest @ (adjoint(rest_bar) @ thin_u)
    if full_matrices and vh_bar is not None:
        rest, rest_bar = vh[..., k:, :], vh_bar[..., k:, :]
        vh_bar = vh_bar[..., :k, :] - (thin_vh @ adjoint(rest_bar)) @ rest
    return svd_bar(u_bar, s_bar, vh_bar, thin_u, s, thin_vh)


@vjps(np.linalg.svdvals)
def svdvals(y_bar: Any, y: Any, x: Any) -> Any:
    factors = np.linalg.svd(x, full_matrices=False)
    return scaled(factors[0], y_bar, factors[2])


def cholesky_bar(y_bar: Any, y: Any) -> Any:
    """The cotangent of the lower triangle of a from that of its lower factor."""
    h = adjoint(y)
    middle = np.tril(h @ y_bar)
    middle = middle - 0.5 * diagonal_matrix(diagonals(middle))
    outer = adjoint(np.linalg.solve(h, adjoint(np.linalg.solve(h, middle))))
    return one_triangle(outer, "L")


@vjps(np.linalg.cholesky, wrt=(0,))
def cholesky(y_bar: Any, y: Any, a: Any, /, *, upper: Any = False) -> Any:
    if upper:
        return adjoint(cholesky_bar(adjoint(y_bar), adjoint(y)))
    return cholesky_bar(y_bar, y)


def qr_bar(q_bar: Any, r_bar: Any, q: Any, r: Any) -> Any:
    """For q with orthonormal columns and square r; None for a factor without cotangent."""
    inner = np.zeros_like(r)
    if r_bar is not None:
        inner = inner + r @ adjoint(r_bar)
    if q_bar is not None:
        inner = inner - adjoint(q_bar) @ q
    lower = np.tril(inner, -1)
    hermitian = lower + adjoint(lower) + real_diagonal(inner)
    g = q @ hermitian
    if q_bar is not None:
        g = g + q_bar
    return adjoint(np.linalg.solve(r, adjoint(g)))


@vjps(np.linalg.qr, wrt=(0,))
def qr(y_bar: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
    if mode == "raw":
        raise NotImplementedError("the derivative of np.linalg.qr(mode='raw'); use mode='reduced'")
    n = min(a.shape[-2], a.shape[-1])
    if mode == "r":
        return tall_or_wide(None, y_bar, np.linalg.qr(a)[0], y, a, n)
    q_bar, r_bar, q, r = y_bar[0], y_bar[1], y[0], y[1]
    if mode == "complete":
        if q_bar is not None:
            rest, rest_bar = q[..., :, n:], q_bar[..., :, n:]
            q_bar = q_bar[..., :, :n] - rest @ (adjoint(rest_bar) @ q[..., :, :n])
        if r_bar is not None:
            r_bar = r_bar[..., :n, :]
        q, r = q[..., :, :n], r[..., :n, :]
    return tall_or_wide(q_bar, r_bar, q, r, a, n)


def tall_or_wide(q_bar: Any, r_bar: Any, q: Any, r: Any, a: Any, n: Any) -> Any:
    """The columns of a wide matrix beyond the square part only enter r."""
    if a.shape[-1] <= n:
        return qr_bar(q_bar, r_bar, q, r)
    right = np.zeros_like(a[..., :, n:]) if r_bar is None else q @ r_bar[..., :, n:]
    if r_bar is not None:
        through = a[..., :, n:] @ adjoint(r_bar[..., :, n:])
        q_bar = through if q_bar is None else q_bar + through
        r_bar = r_bar[..., :, :n]
    return np.concatenate((qr_bar(q_bar, r_bar, q, r[..., :, :n]), right), axis=-1)


# -- norms -----------------------------------------------------------------------------------


def unit(x: Any) -> Any:
    """x/|x|, 0 at 0."""
    if x.dtype.kind != "c":
        return np.sign(x)
    size = np.abs(x)
    return x / np.where(size == 0, 1, size)


def nonzero(y: Any) -> Any:
    """A divisor that is 1 where y is 0."""
    return y + (y == 0)


def shared(mask: Any, axis: Any) -> Any:
    """Equal shares for the elements of a mask along an axis."""
    return mask / np.sum(mask, axis=axis, keepdims=True)


def vector_norm_bar(y_bar: Any, y: Any, x: Any, ord: Any, axis: Any) -> Any:
    """`y_bar` and `y` broadcast against `x`."""
    if ord is None or ord == 2:
        return (y_bar / nonzero(y)) * x
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return y_bar * unit(x)
    size = np.abs(x)
    if ord == np.inf or ord == -np.inf:
        return y_bar * unit(x) * shared(size == y, axis)
    ratio = np.where(size == 0, 1, size) / nonzero(y)
    return y_bar * unit(x) * np.where(size == 0, 0, ratio ** (ord - 1))


def matrix_norm_bar(y_bar: Any, y: Any, x: Any, ord: Any, row: Any, col: Any) -> Any:
    """`y_bar` and `y` have axes of length 1 for row and col."""
    if ord is None or ord == "fro" or ord == "f":
        return (y_bar / nonzero(y)) * x
    if ord == 1 or ord == -1:
        sums = np.sum(np.abs(x), axis=row, keepdims=True)
        return y_bar * unit(x) * shared(sums == y, col)
    if ord == np.inf or ord == -np.inf:
        sums = np.sum(np.abs(x), axis=col, keepdims=True)
        return y_bar * unit(x) * shared(sums == y, row)
    matrices = np.moveaxis(x, (row, col), (-2, -1))
    factors = np.linalg.svd(matrices, full_matrices=False)
    s = factors[1]
    if ord == "nuc":
        share = np.where(s == 0, 0, np.ones_like(s))
    elif ord == 2:
        share = np.where(s == 0, 0, shared(s == s[..., :1], -1))
    elif ord == -2:
        share = np.where(s == 0, 0, shared(s == s[..., -1:], -1))
    else:
        raise ValueError("Invalid norm order for matrices.")
    bar = scaled(factors[0], share, factors[2])
    return y_bar * np.moveaxis(bar, (-2, -1), (row, col))


def norm_bar(y_bar: Any, y: Any, x: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    if axis is None and (ord is None or x.ndim == 1):
        return vector_norm_bar(y_bar, y, x, ord, None)
    axes = (0, 1) if axis is None else axis
    if isinstance(axes, tuple) and len(axes) == 2:
        row, col = axes[0] % x.ndim, axes[1] % x.ndim
        g = y_bar if keepdims else np.expand_dims(y_bar, axes)
        wide = y if keepdims else np.expand_dims(y, axes)
        return matrix_norm_bar(g, wide, x, ord, row, col)
    g = y_bar if keepdims else np.expand_dims(y_bar, axes)
    return vector_norm_bar(g, y if keepdims else np.expand_dims(y, axes), x, ord, axes)


@vjps(np.linalg.norm, wrt=(0,))
def norm(y_bar: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    return norm_bar(y_bar, y, x, ord, axis, keepdims)


@vjps(np.linalg.matrix_norm, wrt=(0,))
def matrix_norm(y_bar: Any, y: Any, x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return norm_bar(y_bar, y, x, ord, (-2, -1), keepdims)


@vjps(np.linalg.vector_norm, wrt=(0,))
def vector_norm(
    y_bar: Any,
    y: Any,
    x: Any,
    /,
    *,
    axis: Any = None,
    keepdims: Any = False,
    ord: Any = 2,
) -> Any:
    if axis is None:
        return vector_norm_bar(y_bar, y, x, ord, None)
    g = y_bar if keepdims else np.expand_dims(y_bar, axis)
    return vector_norm_bar(g, y if keepdims else np.expand_dims(y, axis), x, ord, axis)


@vjps(np.linalg.cond, wrt=(0,))
def cond(y_bar: Any, y: Any, x: Any, p: Any = None) -> Any:
    if p is None or p == 2 or p == -2:
        factors = np.linalg.svd(x, full_matrices=False)
        s = factors[1]
        top, bottom = s[..., 0], s[..., -1]
        top_bar = -y_bar * bottom / (top * top) if p == -2 else y_bar / bottom
        bottom_bar = y_bar / top if p == -2 else -y_bar * top / (bottom * bottom)
        k = np.arange(s.shape[-1])
        s_bar = (k == 0) * top_bar[..., None] + (k == s.shape[-1] - 1) * bottom_bar[..., None]
        return scaled(factors[0], s_bar, factors[2])
    inverse = rt.inverse(x)
    size = np.linalg.norm(x, p, axis=(-2, -1))
    other = np.linalg.norm(inverse, p, axis=(-2, -1))
    inverse_bar = norm_bar(y_bar * size, other, inverse, p, (-2, -1), False)
    back = adjoint(inverse) @ inverse_bar @ adjoint(inverse)
    return norm_bar(y_bar * other, size, x, p, (-2, -1), False) - back
