"""Recurrences and quantile positions that rules need and NumPy has no function for."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from adcompile.errors import Unsupported
from adcompile.runtime.adjoints import is_static, positions


def recurrence(g: Any, a: Any) -> Any:
    """y[0] = g[0], y[i] = g[i] + a[i] * y[i - 1] along axis 0; a[0] is not read."""
    y = np.array(g, dtype=np.result_type(g, a))
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]
    return y


def quantile_position(q: Any, counts: Any, method: str) -> Any:
    """Where among `counts` sorted values the quantile `q` lies, by one of NumPy's methods.

    `counts` has any shape and `q` any other: the result has shape `q.shape + counts.shape`.
    All methods interpolate between neighbours, so the quantile of 0, 1, 2, … is the position.
    """
    q, counts = np.asarray(q, float), np.asarray(counts)
    out = np.zeros(q.shape + counts.shape)
    for n in np.unique(counts):
        places: Any = np.arange(float(n))
        position = np.quantile(places, q, method=cast(Any, method)) if n else np.zeros(q.shape)
        out[..., counts == n] = np.asarray(position)[..., None]
    return out


# the plotting positions of the continuous methods
_PARAMETERS = {
    "linear": (1.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}


def quantile_slope(q: Any, counts: Any, method: str) -> Any:
    """The derivative of `quantile_position` for `q`: 0 for the methods that select an element."""
    q, counts = np.asarray(q, float), np.asarray(counts)
    q = q.reshape(q.shape + (1,) * counts.ndim)
    if method not in _PARAMETERS:
        return np.zeros(np.broadcast_shapes(q.shape, counts.shape))
    alpha, beta = _PARAMETERS[method]
    slope = counts + 1.0 - alpha - beta
    position = counts * q + alpha + q * (1.0 - alpha - beta) - 1.0
    return np.where((position < 0) | (position > counts - 1), 0.0, slope)


def leaders(fn: Any, a: Any, axis: int) -> Any:
    """Along an axis, where the element is that `fn.accumulate` (of maximum or minimum) has come to."""
    reached = fn.accumulate(a, axis=axis)
    before = np.roll(reached, 1, axis=axis)
    places = np.moveaxis(np.broadcast_to(np.arange(np.shape(a)[axis]), np.moveaxis(a, axis, -1).shape), -1, axis)
    return np.maximum.accumulate(np.where((reached != before) | (places == 0), places, 0), axis=axis)


def segments(indices: Any, n: int) -> list[tuple[int, int]]:
    """The stretches that `ufunc.reduceat` reduces of n elements: single elements where the next
    index is not larger."""
    starts = [int(k) % n for k in indices]
    ends = [*starts[1:], n]
    return [(low, high if high > low else low + 1) for low, high in zip(starts, ends)]


def vectorized(function: Any, *args: Any) -> Any:
    """A function of numbers for each element of arrays that broadcast together. As in NumPy, the
    first result gives the dtype: it must be that of all."""
    shapes: tuple[Any, ...] = ()
    for k in positions(args):
        shapes = (*shapes, np.shape(args[k]))
    shape = shapes[0] if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    columns: tuple[Any, ...] = ()
    for k in positions(args):
        columns = (*columns, np.ravel(args[k] if len(args) == 1 else np.broadcast_to(args[k], shape)))
    if len(columns) == 1:
        values = [function(t) for t in columns[0]]
    else:
        values = [function(*row) for row in zip(*columns)]
    first = values[0]
    if not isinstance(first, tuple):
        return np.reshape(of_one_dtype(values), shape)
    results: tuple[Any, ...] = ()
    for k in positions(first):
        results = (*results, np.reshape(of_one_dtype([value[k] for value in values]), shape))
    return results


def of_one_dtype(values: Any) -> Any:
    """An array of the results of a function that np.vectorize was given."""
    if not is_static(np.result_type(values[0])):
        remedy = "return floats on all paths"
        raise Unsupported("np.vectorize of a function whose results are of several types", None, remedy)
    return np.array(values)
