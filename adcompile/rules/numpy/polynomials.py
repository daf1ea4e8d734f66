"""np.polyfit and its family, np.piecewise, np.apply_along_axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Dim, Known, Type, dim_of
from adcompile.rules.kinds import composite, vjps
from adcompile.rules.numpy.dims import argument, array, dims_of, dtype_of, static
from adcompile.rules.numpy.shape import shape_of

# -- polynomials -----------------------------------------------------------------------------


def polynomial_bars(y_bar: Any, y: Any, p: Any, x: Any) -> Any:
    n = len(p)
    p_bar = np.ravel(y_bar) @ np.vander(np.conj(np.ravel(x)) * 1.0, n)  # powers of integers wrap around
    slope = np.polyval(p[:-1] * np.arange(n - 1, 0, -1), x) if n > 1 else np.zeros_like(y)
    return rt.like(p_bar, p), rt.like(rt.unbroadcast(y_bar * np.conj(slope), x), x)


@vjps(np.polyval, wrt=(0, 1))
def polyval(y_bar: Any, y: Any, p: Any, x: Any) -> Any:
    if np.ndim(p) > 1:
        raise NotImplementedError("the derivative of np.polyval of a matrix; write Horner's rule: y = y * x + row")
    if isinstance(p, np.ndarray):
        return polynomial_bars(y_bar, y, p, x)
    p_bar, x_bar = polynomial_bars(y_bar, y, np.asarray(p), x)
    return rt.unjoin(np.array, p_bar, p), x_bar


@vjps(np.vander, wrt=(0,))
def vander(y_bar: Any, y: Any, x: Any, N: Any = None, increasing: Any = False) -> Any:
    g, powers = (y_bar, y) if increasing else (y_bar[:, ::-1], y[:, ::-1])
    if y.shape[1] < 2:
        return np.zeros_like(x)
    return np.sum(g[:, 1:] * np.conj(powers[:, :-1]) * np.arange(1, y.shape[1]), axis=1)


@composite(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    p = np.asarray(p)
    for _ in rt.axes_from(0, m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@composite(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if k is not None and (m != 1 or np.ndim(k) > 0):
        raise NotImplementedError("the derivative of np.polyint with several constants; integrate once at a time")
    p = np.asarray(p)
    for _ in rt.axes_from(0, m):
        end = np.zeros(1) if k is None else np.reshape(k, (1,))
        p = np.concatenate((p / np.arange(len(p), 0, -1), end))
    return p


@composite(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(a1, a2)


def aligned(a: Any, n: int) -> Any:
    """Coefficients with zeros in front up to length n."""
    a = np.atleast_1d(np.asarray(a))
    return np.concatenate((np.zeros(n - len(a), a.dtype), a))


@composite(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    n = max(np.size(a1), np.size(a2))
    return aligned(a1, n) + aligned(a2, n)


@composite(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    n = max(np.size(a1), np.size(a2))
    return aligned(a1, n) - aligned(a2, n)


@composite(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    roots = np.atleast_1d(np.asarray(seq_of_zeros))
    if roots.ndim == 2:
        roots = np.linalg.eigvals(roots)
    a = np.ones(1, roots.dtype)
    for root in roots:
        a = np.convolve(a, np.stack((np.ones_like(root), -root)))
    return a


def polyfit_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    y, deg = dims_of(argument(args, kwargs, 1, "y")), argument(args, kwargs, 2, "deg")
    dtypes = [dtype_of(argument(args, kwargs, k, name)) for k, name in ((0, "x"), (1, "y"))]
    alone = all(argument(args, kwargs, k, name, False) == Known(False) for k, name in ((4, "full"), (6, "cov")))
    if y is None or any(d is None for d in dtypes) or not alone:
        return UNKNOWN
    count = static(deg)
    coefficients: Dim = dim_of(count + 1) if isinstance(count, int) else "any"
    return array(np.result_type(*[d for d in dtypes if d is not None], float), (coefficients, *y[1:]))


@composite(np.polyfit, typing=polyfit_type)
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False) -> Any:
    if full or cov:
        raise NotImplementedError("the derivative of np.polyfit with full=True or cov=True; use the coefficients alone")
    x, y = x * 1.0, y * 1.0
    limit = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    columns, target = np.vander(x, deg + 1), y
    if w is not None:
        columns = columns * w[:, None]
        target = y * w[:, None] if y.ndim == 2 else y * w
    scale = np.sqrt((columns * columns).sum(axis=0))
    coefficients = np.linalg.lstsq(columns / scale, target, limit)[0]
    return (coefficients.T / scale).T


# -- functions of pieces ---------------------------------------------------------------------


def wide(mask: Any, x: Any) -> Any:
    """A mask that may select rows, as one of elements."""
    missing = np.ndim(x) - np.ndim(mask)
    return np.reshape(mask, np.shape(mask) + (1,) * missing) if missing > 0 else mask


@composite(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function sees its own elements alone; where conditions overlap, the last has the say."""
    points = np.asarray(x)
    if np.ndim(condlist) == 0 or np.ndim(points) and not isinstance(condlist[0], (list, np.ndarray)):
        condlist = (condlist,)
    masks: tuple[Any, ...] = ()
    for k in rt.positions(condlist):
        masks = (*masks, np.asarray(condlist[k], dtype=bool))
    if len(funclist) == len(masks) + 1:
        rest = np.ones(shape_of(masks[0]), dtype=bool)
        for k in rt.positions(masks):
            rest = rest & ~masks[k]
        masks = (*masks, rest)
    y = np.zeros(shape_of(points), points.dtype)
    for k in rt.positions(masks):
        f = funclist[k]
        if callable(f):
            part = points[masks[k]]
            given = rt.broadcast_like(f(part, *args, **kw), part)
            y = np.where(wide(masks[k], points), 0, y) + rt.scatter(points, masks[k], given)
        else:
            y = np.where(wide(masks[k], points), f, y)
    return np.asarray(y)


@composite(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    moved = np.moveaxis(arr, axis, -1)
    rows = np.reshape(moved, (-1, moved.shape[-1]))
    out = np.stack([func1d(row, *args, **kwargs) for row in rows])
    shaped = np.reshape(out, moved.shape[:-1] + out.shape[1:])
    return shaped if out.ndim == 1 else np.moveaxis(shaped, -1, axis)


@vjps(np.geomspace, wrt=(0, 1))
def geomspace(
    y_bar: Any, y: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0
) -> Any:
    """y = start¹⁻ᵗ stopᵗ."""
    g, values = (np.moveaxis(y_bar, axis, -1), np.moveaxis(y, axis, -1)) if y.ndim > 1 else (y_bar, y)
    t = np.linspace(0.0, 1.0, num, endpoint)
    start_bar = np.sum(g * np.conj(values) * (1.0 - t), axis=-1) / np.conj(start)
    stop_bar = np.sum(g * np.conj(values) * t, axis=-1) / np.conj(stop)
    return rt.unbroadcast(start_bar, start), rt.unbroadcast(stop_bar, stop)
