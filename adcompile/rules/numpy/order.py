"""Medians and quantiles: sorted once, then interpolated between two neighbours."""

from __future__ import annotations

import numpy as np

from adcompile.ir.types import Array
from adcompile.rules.kinds import composite, constant, linear, vjp
from adcompile.rules.numpy.reduce import in_front
from adcompile.runtime import scans

constant(scans.quantile_slope)


def some_rows_type(args, kwargs):
    """The number of rows may be another one."""
    t = args[0]
    return Array(t.dtype, ("any", *t.dims[1:])) if isinstance(t, Array) and t.dims else t


@linear(scans.some_rows, typing=some_rows_type, view=True)
def some_rows(y_bar, y, a):
    return y_bar[: np.shape(a)[0]]


@vjp(scans.quantile_position)
def quantile_position(y_bar, y, q, *, counts, method):
    weighted = y_bar * scans.quantile_slope(q, counts, method)
    return np.sum(weighted, axis=tuple(range(np.ndim(q), np.ndim(y_bar))))


def ordered(a, q, axis, keepdims, method, counts):
    """The quantiles of `a` over `axis`; `counts` says how many elements of each are no nan."""
    columns = in_front(a, axis)
    rest = np.shape(columns)[1:]
    # the quantiles of nothing are nan, and depend on nothing: on a row that is not there
    ranked = np.sort(scans.some_rows(np.reshape(columns, (np.shape(columns)[0], np.size(counts)))), axis=0)
    position = scans.quantile_position(np.reshape(q, (-1,)), np.reshape(counts, (-1,)), method)
    below = np.floor(position).astype(int)
    above = np.ceil(position).astype(int)
    low = np.take_along_axis(ranked, below, axis=0)
    high = np.take_along_axis(ranked, above, axis=0)
    result = low + (high - low) * (position - below)
    if keepdims:
        reduced = range(np.ndim(a)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = [i % np.ndim(a) for i in reduced]
        rest = tuple([1 if i in axes else np.shape(a)[i] for i in range(np.ndim(a))])
    shape = np.shape(q) + rest
    return np.reshape(result, shape) if len(shape) > 0 else result[0, 0]


def all_counts(a, axis):
    columns = in_front(a, axis)
    return np.full(np.shape(columns)[1:], np.shape(columns)[0])


def valid_counts(a, axis):
    return np.sum(~np.isnan(in_front(a, axis)), axis=0)


def middle(a):
    """The median of a vector: the mean of one or two elements, or of none."""
    count = np.shape(a)[0]
    return np.mean(a[np.argsort(a, kind="stable")[(count - 1) // 2 : count // 2 + 1]])


@composite(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    if np.ndim(a) == 1 and np.isrealobj(a) and axis is None and not keepdims:
        return middle(a if isinstance(a, np.ndarray) else np.asarray(a))
    return ordered(a, 0.5, axis, keepdims, "linear", all_counts(a, axis))


@composite(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return ordered(a, 0.5, axis, keepdims, "linear", valid_counts(a, axis))


@composite(np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return ordered(a, q, axis, keepdims, method, all_counts(a, axis))


@composite(np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return ordered(a, q, axis, keepdims, method, valid_counts(a, axis))


@composite(np.percentile)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return ordered(a, np.true_divide(q, 100.0), axis, keepdims, method, all_counts(a, axis))


@composite(np.nanpercentile)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return ordered(a, np.true_divide(q, 100.0), axis, keepdims, method, valid_counts(a, axis))
