"""The methods of ufuncs: reduce, accumulate and outer of those that have rules."""

from __future__ import annotations

import numpy as np

from adcompile.rules.kinds import composite


@composite(np.add.reduce)
def add_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return np.sum(array, axis=axis, keepdims=keepdims, where=where)


@composite(np.multiply.reduce)
def multiply_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return np.prod(array, axis=axis, keepdims=keepdims, initial=initial, where=where)


@composite(np.maximum.reduce)
def maximum_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return np.max(array, axis=axis, keepdims=keepdims)


@composite(np.minimum.reduce)
def minimum_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
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


def beside_each_other(a, b):
    """`a` with an axis of length 1 for each of `b`."""
    return np.reshape(a, np.shape(a) + (1,) * np.ndim(b))


@composite(np.add.outer)
def add_outer(a, b):
    return beside_each_other(a, b) + b


@composite(np.subtract.outer)
def subtract_outer(a, b):
    return beside_each_other(a, b) - b


@composite(np.multiply.outer)
def multiply_outer(a, b):
    return beside_each_other(a, b) * b


@composite(np.divide.outer)
def divide_outer(a, b):
    return beside_each_other(a, b) / b


@composite(np.power.outer)
def power_outer(a, b):
    return beside_each_other(a, b) ** b


@composite(np.maximum.outer)
def maximum_outer(a, b):
    return np.maximum(beside_each_other(a, b), b)


@composite(np.minimum.outer)
def minimum_outer(a, b):
    return np.minimum(beside_each_other(a, b), b)
