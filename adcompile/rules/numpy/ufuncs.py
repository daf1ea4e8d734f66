"""The methods of ufuncs: reduce, accumulate and outer of those that have rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.rules.kinds import composite, constant
from adcompile.runtime import scans
from adcompile.runtime.marks import stop_gradient


@composite(np.add.reduce)
def add_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return np.sum(array, axis=axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.multiply.reduce)
def multiply_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return np.prod(array, axis=axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.maximum.reduce)
def maximum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial: Any = None, where=True):
    if where is not True or initial is not None:
        return np.max(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    return np.max(array, axis=axis, keepdims=keepdims)


@composite(np.minimum.reduce)
def minimum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial: Any = None, where=True):
    if where is not True or initial is not None:
        return np.min(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    return np.min(array, axis=axis, keepdims=keepdims)


@composite(np.logaddexp.reduce)
def logaddexp_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    top = np.max(array, axis=axis, keepdims=True)
    total = top + np.log(np.sum(np.exp(array - top), axis=axis, keepdims=True))
    return total if keepdims else np.sum(total, axis=axis)


@composite(np.add.accumulate)
def add_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumsum(array, axis=axis)


@composite(np.multiply.accumulate)
def multiply_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumprod(array, axis=axis)


def in_front(array, axis):
    return np.reshape(array, (-1,)) if axis is None else np.moveaxis(array, axis, 0)


def first_by_the_others(fn, total, running):
    """The rules of the methods of `fn`, which takes the others away from the first: `total` and
    `running` say what the others come to together."""

    @composite(fn.reduce)
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False):
        moved = in_front(array, axis)
        result = fn(moved[0], total(moved[1:], axis=0))
        return np.reshape(result, np.shape(np.max(array, axis=axis, keepdims=True))) if keepdims else result

    @composite(fn.accumulate)
    def accumulate(array, axis=0, dtype=None, out=None):
        moved = in_front(array, axis)
        return np.moveaxis(np.concatenate((moved[:1], fn(moved[:1], running(moved[1:], axis=0)))), 0, axis)


first_by_the_others(np.subtract, np.sum, np.cumsum)
first_by_the_others(np.divide, np.prod, np.cumprod)


def beside_each_other(a, b):
    """`a` with an axis of length 1 for each of `b`."""
    return np.reshape(a, np.shape(a) + (1,) * np.ndim(b))


def outer_of(fn):
    """The rule of `fn.outer`, for a ufunc of two arguments."""

    @composite(fn.outer)
    def outer(a, b):
        return fn(beside_each_other(a, b), b)

    return outer


OUTER = "add subtract multiply divide power float_power maximum minimum fmax fmin hypot arctan2 logaddexp logaddexp2"
for name in (*OUTER.split(), "copysign", "remainder", "fmod"):
    outer_of(getattr(np, name))


def accumulate_of(fn):
    """The rule of `fn.accumulate`, where every result is one of the elements."""

    @composite(fn.accumulate)
    def accumulate(array, axis=0, dtype=None, out=None):
        return np.take_along_axis(array, scans.leaders(fn, array, axis), axis)

    return accumulate


accumulate_of(np.maximum)
accumulate_of(np.minimum)
constant(scans.leaders, scans.segments)


@composite(np.logaddexp.accumulate)
def logaddexp_accumulate(array, axis=0, dtype=None, out=None):
    top = stop_gradient(np.max(array, axis=axis, keepdims=True))
    return top + np.log(np.cumsum(np.exp(array - top), axis=axis))


@composite(np.hypot.reduce)
def hypot_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return np.linalg.norm(array, axis=axis, keepdims=keepdims)


def reduceat_of(fn):
    """The rule of `fn.reduceat`: a reduction for each stretch."""

    @composite(fn.reduceat)
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        moved = np.moveaxis(array, axis, 0)
        parts = [fn.reduce(moved[low:high], axis=0) for low, high in scans.segments(indices, len(moved))]
        return np.moveaxis(np.stack(parts), 0, axis)

    return reduceat


for fn in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp):
    reduceat_of(fn)
