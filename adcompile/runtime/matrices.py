"""Matrices that derivatives need where the function itself has a value and an inverse is not to be had.

All functions take stacks of square matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def inverse(a: Any) -> Any:
    """The inverse; nan where there is none."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        pass
    out = np.full(a.shape, np.nan, a.dtype)
    for where in np.ndindex(a.shape[:-2]):
        if is_invertible(a[where]):
            out[where] = np.linalg.inv(a[where])
    return out


def is_invertible(a: Any) -> bool:
    """Whether NumPy finds an inverse of every matrix."""
    try:
        np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return False
    return True


def is_regular(a: Any) -> bool:
    """Whether all matrices are so far from singular that formulas with their inverses are exact."""
    s = np.linalg.svd(a, compute_uv=False)
    return bool(np.all(s[..., -1] > 1e-3 * s[..., 0]))


def cofactors(a: Any) -> Any:
    """The derivative of the determinant by the elements, which a singular matrix has too: the
    products of the singular values but one, turned as the matrix is."""
    if is_invertible(a):
        return np.linalg.det(a)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)
    u, s, vh = np.linalg.svd(a)
    sign = _sign(u, vh)[..., None, None]
    return sign * ((np.conj(u) * _products(s, 1)[..., None, :]) @ np.conj(vh))


def cofactors_bar(g: Any, a: Any) -> Any:
    """The cotangent of `a` from that of its cofactors: those of a diagonal matrix move by the
    products of its elements but two."""
    u, s, vh = np.linalg.svd(a)
    sign = _sign(u, vh)[..., None, None]
    turned = np.conj(sign) * (np.swapaxes(u, -1, -2) @ g @ np.swapaxes(vh, -1, -2))
    products = _products(s, 2)
    along = (products @ np.diagonal(turned, axis1=-2, axis2=-1)[..., None])[..., 0]
    inner = along[..., None] * np.eye(s.shape[-1], dtype=along.dtype) - products * np.swapaxes(turned, -1, -2)
    return u @ inner @ vh


def _sign(u: Any, vh: Any) -> Any:
    """The determinant of what two unitary matrices make; of real ones it does not move."""
    d = np.linalg.det(u) * np.linalg.det(vh)
    return np.sign(d) if u.dtype.kind == "f" else d


def _products(s: Any, left_out: int) -> Any:
    """The products of all elements of each row but one (a row of them), or but two (a square; zero
    where the two are the same)."""
    n = s.shape[-1]
    eye = np.eye(n, dtype=bool)
    if left_out == 1:
        return np.prod(np.where(eye, 1, s[..., None, :]), axis=-1)
    pairs = eye[:, None, :] | eye[None, :, :]
    return np.where(eye, 0, np.prod(np.where(pairs, 1, s[..., None, None, :]), axis=-1))
