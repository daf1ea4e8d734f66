"""Recurrences and quantile positions that rules need and NumPy has no function for."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from adcompile.runtime.adjoints import positions


def recurrence(g: Any, a: Any) -> Any:
    """y[0] = g[0], y[i] = g[i] + a[i] * y[i - 1] along axis 0; a[0] is not read."""
    y = np.array(g, dtype=np.result_type(g, a))
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]
    return y


def some_rows(a: Any) -> Any:
    """A matrix with a row of zeros where it has no row."""
    return a if len(a) else np.zeros((1, *a.shape[1:]), a.dtype)


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


def vectorized_object(made: Any, *args: Any) -> Any:
    """The call of an np.vectorize, whose function and dtypes may be others when the code runs."""
    dtypes: Any = None
    if made.otypes is not None:
        dtypes = ()
        for k in positions(made.otypes):
            dtypes = (*dtypes, np.dtype(made.otypes[k]))
        dtypes = dtypes[0] if len(dtypes) == 1 else dtypes
    return vectorized(made.pyfunc, dtypes, *args)


def vectorized(function: Any, dtypes: Any, *args: Any) -> Any:
    """A function of numbers for each element of arrays that broadcast together. It gets numbers of
    Python's. Without dtypes, one for each result, it is run once more, for those of the first results."""
    shapes: tuple[Any, ...] = ()
    for k in positions(args):
        shapes = (*shapes, np.shape(args[k]))
    shape = shapes[0] if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    columns: tuple[Any, ...] = ()
    for k in positions(args):
        columns = (*columns, np.ravel(args[k] if len(args) == 1 else np.broadcast_to(args[k], shape)))
    if dtypes is None:
        if columns[0].size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        dtypes = dtypes_of(function(*[column[0] for column in columns]))
    if len(columns) == 1:
        values = [function(t) for t in columns[0].tolist()]
    else:
        values = [function(*row) for row in zip(*[column.tolist() for column in columns])]
    if not isinstance(dtypes, tuple):
        made = np.array(values, dtypes)
        if np.ndim(made) != 1:
            raise ValueError("np.vectorize of a function that gives lists, tuples or arrays")
        return np.reshape(made, shape)
    results: tuple[Any, ...] = ()
    for k in positions(dtypes):
        results = (*results, np.reshape(np.array([value[k] for value in values], dtypes[k]), shape))
    return results


def dtypes_of(first: Any) -> Any:
    """The dtypes of all results of a function that np.vectorize was given, by the first."""
    if not isinstance(first, tuple):
        return dtype_of(first)
    dtypes: tuple[Any, ...] = ()
    for k in positions(first):
        dtypes = (*dtypes, dtype_of(first[k]))
    return dtypes


def dtype_of(first: Any) -> Any:
    """The dtype of all results of a function, by one of them; the compiler refuses a function of several."""
    return np.result_type(first)


# -- places of elements ------------------------------------------------------------------------------


def unique_places(ar: Any, axis: Any, equal_nan: bool) -> tuple[Any, Any, Any]:
    """Where each of the different elements is met first, where each element is among these, and how many are equal."""
    return np.unique(ar, True, True, True, axis, equal_nan=equal_nan)[1:]


def drawn_places(source: Any, name: str, a: Any, *settings: Any, **named: Any) -> Any:
    """What a generator's choice or permutation gives for the places of the elements of `a`; of a number for itself."""
    shape = np.shape(a)
    return getattr(source, name)(np.arange(np.size(a)).reshape(shape) if shape else a, *settings, **named)


def drawn_order(source: Any, x: Any, **named: Any) -> Any:
    """Where a generator's shuffle takes each element of x from."""
    order: Any = np.arange(x.size).reshape(x.shape) if isinstance(x, np.ndarray) else list(range(len(x)))
    source.shuffle(order, **named)
    return order
