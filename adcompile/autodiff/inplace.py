"""What functions that write into their first argument store there, as functions without effects.

The first parameter is what the target held before; the result is what all of it holds then. They
are followed like any code of the user, so that both modes come of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile import runtime as rt


def fill(a, value):
    return np.zeros_like(a) + value


def copyto(dst, src, casting="same_kind", where=True):
    return np.where(where, src, dst)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    return np.sort(a, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    return np.partition(a, kth, axis)


def putmask(a, mask, values):
    """The mask may have any shape, if it has as many elements."""
    shape = np.shape(a)
    return np.where(np.reshape(mask, shape), np.resize(values, shape), a)


def fill_diagonal(a, val, wrap=False):
    """The diagonal is every so manyeth element in order; a vector is repeated, or cut, to its length."""
    shape = np.shape(a)
    step, end = 1, np.size(a)
    for n in shape[:0:-1]:
        step = step * n + 1
    if len(shape) == 2 and not wrap:
        end = shape[1] * shape[1]
    out = np.ravel(a).copy()
    if np.ndim(val) == 0:
        out[:end:step] = val
    else:
        out[:end:step] = np.resize(val, np.shape(out[:end:step]))
    return np.reshape(out, shape)


def put(a, ind, v, mode="raise"):
    out = np.ravel(a).copy()
    places = rt.wrapped(ind, np.size(a), mode)
    out[places] = np.resize(v, np.shape(places))
    return np.reshape(out, np.shape(a))


def place(arr, mask, vals):
    out = np.ravel(arr).copy()
    places = np.flatnonzero(mask)
    out[places] = np.resize(vals, np.shape(places))
    return np.reshape(out, np.shape(arr))


def put_along_axis(arr, indices, values, axis: int | None = -1):
    if axis is None:
        return put(arr, indices, np.broadcast_to(values, np.shape(indices)))
    out = arr.copy()
    out[rt.along_axis(indices, axis, np.shape(arr))] = values
    return out


def at(ufunc, a, indices, b):
    """Of an element that is named several times each result goes into the next."""
    out = a.copy()
    flat = out.reshape(-1)
    places, turns, count = rt.occurrences(a, indices)
    values = np.ravel(rt.broadcast_like(b, places))
    places = np.ravel(places)
    for turn in range(count):
        chosen = turns == turn
        flat[places[chosen]] = ufunc(flat[places[chosen]], values[chosen])
    return out


def at_each(ufunc, a, indices):
    """The same with a function of one argument."""
    out = a.copy()
    flat = out.reshape(-1)
    places, turns, count = rt.occurrences(a, indices)
    places = np.ravel(places)
    for turn in range(count):
        chosen = turns == turn
        flat[places[chosen]] = ufunc(flat[places[chosen]])
    return out


def masked(out, where, fn, *args):
    return np.where(where, fn(*args), out)


def spread(out, fn, *args, **settings):
    """What is stored has the shape of `out`, which may be larger than what the function gives."""
    return np.broadcast_to(fn(*args, **settings), np.shape(out))


BODIES: dict[Any, Callable[..., Any]] = {
    np.ndarray.fill: fill,
    np.copyto: copyto,
    np.ndarray.sort: sort,
    np.ndarray.partition: partition,
    np.putmask: putmask,
    np.fill_diagonal: fill_diagonal,
    np.put: put,
    np.ndarray.put: put,
    np.place: place,
    np.put_along_axis: put_along_axis,
}
