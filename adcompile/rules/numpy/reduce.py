"""Reductions and scans.

The settings carry the defaults that NumPy means by "no value". `out` is refused before a body is
looked at.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.rules.kinds import composite, linear, reduction, vjp, with_settings
from adcompile.rules.numpy.constant import present
from adcompile.runtime import scans
from adcompile.runtime.marks import stop_gradient


def methods(name):
    """The function of NumPy and the methods of arrays and NumPy's scalars."""
    return [*present(np, name), *present(np.ndarray, name), *present(np.generic, name)]


def count_of(a, axis, where):
    """How many elements each result has; an int unless `where` selects some."""
    if where is not True:
        return np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=True)
    if axis is None:
        return np.size(a)
    if isinstance(axis, tuple):
        return math.prod([np.shape(a)[i] for i in axis])
    return np.shape(a)[axis]


def selected(where):
    return 1.0 if where is True else where


# -- sums ------------------------------------------------------------------------------------------


@reduction(*methods("sum"), total=True)
def total(y, a, *, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return selected(where)


@reduction(np.nansum)
def nansum(y, a, *, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return valid_of(a, where)


@reduction(*methods("mean"), total=True)
def mean(y, a, *, axis=None, dtype=None, out=None, keepdims=False, where: Any = True):
    if where is True:
        return 1.0 / max(count_of(a, axis, where), 1)  # the mean of nothing is nan, and nothing has a share in it
    return np.broadcast_to(where / np.maximum(count_of(a, axis, where), 1), np.shape(a)).astype(np.result_type(y))


@reduction(np.nanmean)
def nanmean(y, a, *, axis=None, dtype=None, out=None, keepdims=False, where=True):
    valid = valid_of(a, where)
    return (valid / np.maximum(np.sum(valid, axis=axis, keepdims=True), 1)).astype(np.result_type(y))


def deviation(y, a, axis, where, dtype, mean):
    """Each element less the mean; conjugated, since what follows is the partial of |a|²."""
    if np.iscomplexobj(y):
        raise NotImplementedError("the derivative of a complex variance; leave dtype= out")
    if mean is None and axis is None and where is True and dtype is None:
        mean = np.mean(a)
    elif mean is None:
        mean = np.mean(a, axis=axis, keepdims=True, where=where, dtype=dtype)
    d = a - mean
    d = d if where is True else np.where(where, d, 0.0)
    return np.conjugate(d) if np.iscomplexobj(a) else d


def among(partial, where, a):
    """The partials of what is selected, even where too little is for a variance."""
    return np.where(where, partial, 0.0).astype(np.result_type(a))


def degrees_of_freedom(a, axis, where, ddof, correction):
    return count_of(a, axis, where) - (ddof if correction is None else correction)


@reduction(*methods("var"), total=True)
def var(y, a, *, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    partial = 2.0 * deviation(y, a, axis, where, dtype, mean) / degrees_of_freedom(a, axis, where, ddof, correction)
    return partial if where is True else among(partial, where, a)


@reduction(*methods("std"), total=True)
def std(y, a, *, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    # the gradient of equal elements is 0
    size = degrees_of_freedom(a, axis, where, ddof, correction) * (y + (y == 0))
    partial = deviation(y, a, axis, where, dtype, mean) / size
    return partial if where is True else among(partial, where, a)


@with_settings(*methods("var"))
def var_about(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    d = a - (np.mean(a, axis=axis, keepdims=True, where=where, dtype=dtype) if mean is None else mean)
    squares = np.real(d) * np.real(d) + np.imag(d) * np.imag(d) if np.iscomplexobj(d) else d * d
    count = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)
    total = np.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return total / (count - (ddof if correction is None else correction))


@with_settings(*methods("std"))
def std_about(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    v = var_about(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return np.sqrt(v + (v == 0))


def valid_of(a, where):
    return ~np.isnan(a) if where is True else ~np.isnan(a) & where


def without_nan(spread, a, axis, delta, keepdims, where, mean):
    """np.var or np.std of what is no nan."""
    valid = valid_of(a, where)
    filled = np.where(valid, a, 0.0)
    if mean is None:
        return spread(filled, axis=axis, ddof=delta, keepdims=keepdims, where=valid)
    return spread(filled, axis=axis, ddof=delta, keepdims=keepdims, where=valid, mean=mean)


@composite(np.nanvar)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return without_nan(np.var, a, axis, ddof if correction is None else correction, keepdims, where, mean)


@composite(np.nanstd)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return without_nan(np.std, a, axis, ddof if correction is None else correction, keepdims, where, mean)


@composite(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        result = np.mean(a, axis=axis, keepdims=keepdims)
        return (result, np.full_like(result, np.size(a) / np.size(result))) if returned else result
    w = weights
    if np.ndim(w) != np.ndim(a):
        axes = axis if isinstance(axis, tuple) else (0 if axis is None else axis,)
        places = [i % np.ndim(a) for i in axes]
        if len(places) > 1:
            w = np.transpose(w, [places.index(i) for i in range(np.ndim(a)) if i in places])
            w = np.reshape(w, tuple([np.shape(a)[i] if i in places else 1 for i in range(np.ndim(a))]))
        else:
            w = np.reshape(w, (-1,) + (1,) * (np.ndim(a) - 1 - axes[0] % np.ndim(a)))
    w = np.broadcast_to(w, np.shape(a))
    total_weight = np.sum(w, axis=axis, keepdims=keepdims)
    result = np.sum(a * w, axis=axis, keepdims=keepdims) / total_weight
    return (result, total_weight) if returned else result


@composite(np.trace, np.ndarray.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


# -- extrema ---------------------------------------------------------------------------------------


def equal_shares(mask, y, axis, initial=None):
    """Each of the elements that are the extremum gets the same; so does `initial`, if it is one."""
    share = mask.astype(np.result_type(y))
    count = np.sum(share) if axis is None else np.sum(share, axis=axis, keepdims=True)
    return share / np.maximum(count if initial is None else count + (initial == y), 1.0)


@reduction(*methods("max"), *methods("min"), *present(np, "amax amin"))
def extremum(y, a, *, axis=None, out=None, keepdims=False, initial=None, where=True):
    return equal_shares(a == y if where is True else (a == y) & where, y, axis, initial)


@reduction(np.nanmax, np.nanmin)
def extremum_but_nan(y, a, *, axis=None, out=None, keepdims=False, initial=None, where=True):
    found = (a == y) & ~np.isnan(a)  # a mask of nan: what it leaves out may be nan itself
    return equal_shares(found if where is True else found & where, y, axis, initial)


def from_initial(y, a, axis, keepdims, initial, where):
    """What has the derivatives of an extremum `y` by its elements and by `initial`."""
    wide = rt.expand(y, a, axis, keepdims)
    share = equal_shares(a == wide if where is True else (a == wide) & where, wide, axis, initial)
    rest = 1.0 - np.sum(share, axis=axis, keepdims=keepdims)
    return np.sum(np.where(share == 0.0, 0.0, a) * share, axis=axis, keepdims=keepdims) + rest * initial


@with_settings(*methods("max"), *present(np, "amax nanmax"))
def largest(a, axis=None, out=None, keepdims=False, initial: Any = None, where=True):
    y = stop_gradient(np.nanmax(a, axis=axis, keepdims=keepdims, initial=initial, where=where))
    return from_initial(y, a, axis, keepdims, initial, where)


@with_settings(*methods("min"), *present(np, "amin nanmin"))
def smallest(a, axis=None, out=None, keepdims=False, initial: Any = None, where=True):
    y = stop_gradient(np.nanmin(a, axis=axis, keepdims=keepdims, initial=initial, where=where))
    return from_initial(y, a, axis, keepdims, initial, where)


@composite(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


# -- products --------------------------------------------------------------------------------------


def in_front(a, axis):
    """`a` with the reduced axes as one, in front."""
    if axis is None:
        return np.reshape(a, (-1,))
    count = len(axis) if isinstance(axis, tuple) else 1
    moved = np.transpose(a, rt.axes_in_front(axis, np.ndim(a)))
    return moved if count == 1 else np.reshape(moved, (-1,) + moved.shape[count:])


def back_in_place(columns, a, axis):
    """The inverse of `in_front`, for an array of the shape of `a`."""
    if axis is None:
        return np.reshape(columns, np.shape(a))
    order = rt.axes_in_front(axis, np.ndim(a))
    return np.transpose(np.reshape(columns, np.shape(np.transpose(a, order))), rt.inverse_axes(order))


def product_of_others(columns):
    """Along axis 0, without dividing: some elements are zero."""
    one = np.ones_like(columns[:1])
    left = np.cumprod(np.concatenate((one, columns[:-1])), axis=0)
    right = np.cumprod(np.concatenate((one, columns[:0:-1])), axis=0)[::-1]
    return left * right


@reduction(*methods("prod"), total=True)
def prod(y, a, *, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    factors = a if where is True else np.where(where, a, 1.0)
    if np.iscomplexobj(a) and not np.iscomplexobj(y):
        factors = np.real(factors)  # dtype= cuts them
    if np.all(factors):
        return selected(where) * (y / factors)
    along = axis if np.ndim(a) else None
    others = back_in_place(product_of_others(in_front(factors, along)), a, along)
    return selected(where) * (initial * others)


@with_settings(*methods("sum"), np.nansum)
def sum_from(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    return np.nansum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where) + initial


@with_settings(*methods("prod"))
def prod_from(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where) * initial


@composite(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    return np.prod(np.where(np.isnan(a), 1.0, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


# -- scans -----------------------------------------------------------------------------------------


@linear(*methods("cumsum"), total=True)
def cumsum(y_bar, y, a, *, axis=None, dtype=None, out=None):
    if np.ndim(a) == 1:
        return np.flip(np.cumsum(np.flip(y_bar)))
    if axis is None:
        return np.reshape(np.cumsum(y_bar[::-1])[::-1], np.shape(a))
    sums = np.flip(np.cumsum(np.flip(y_bar, axis), axis=axis), axis)
    return sums if np.ndim(a) else np.reshape(sums, ())


@composite(np.nancumsum)
def nancumsum(a, axis=None, dtype=None, out=None):
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


@vjp("numpy.cumprod", wrt=(0,), total=True)
@vjp("numpy.ndarray.cumprod", wrt=(0,), total=True)
@vjp("numpy.generic.cumprod", wrt=(0,), total=True)
def cumprod(y_bar, y, a, *, axis=None, dtype=None, out=None):
    flat = np.reshape(a, (-1,)) if axis is None else a
    along = 0 if axis is None else axis
    factors = np.conjugate(flat) if np.iscomplexobj(a) else flat
    if np.iscomplexobj(a) and not np.iscomplexobj(y):
        factors = np.real(factors)  # dtype= cuts them
    products = np.conjugate(y) if np.iscomplexobj(a) else y
    if np.all(a):
        weighted = np.flip(np.cumsum(np.flip(y_bar * products, along), axis=along), along)
        return np.reshape(weighted / factors, np.shape(a))
    # the product of what stands before times a recurrence over what comes after
    g = np.moveaxis(y_bar, along, 0)
    x = np.moveaxis(factors, along, 0)
    before = np.concatenate((np.ones_like(x[:1]), np.moveaxis(products, along, 0)[:-1]))
    after = scans.recurrence(g[::-1], np.concatenate((x[:1], x[:0:-1])))[::-1]
    return np.reshape(np.moveaxis(before * after, 0, along), np.shape(a))


@vjp(scans.recurrence)
def recurrence(y_bar, y, g, a):
    factors = np.conjugate(a) if np.iscomplexobj(a) else a
    before = np.conjugate(y) if np.iscomplexobj(y) else y
    g_bar = scans.recurrence(y_bar[::-1], np.concatenate((factors[:1], factors[:0:-1])))[::-1]
    return g_bar, np.concatenate((np.zeros_like(g_bar[:1]), g_bar[1:] * before[:-1]))


@composite(np.nancumprod)
def nancumprod(a, axis=None, dtype=None, out=None):
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


@composite(*present(np, "cumulative_sum"))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    along = 0 if axis is None else axis
    sums = np.cumsum(x, axis=along)
    if not include_initial:
        return sums
    zero = np.zeros_like(np.moveaxis(x, along, 0)[:1])
    return np.moveaxis(np.concatenate((zero, np.moveaxis(sums, along, 0))), 0, along)


@composite(*present(np, "cumulative_prod"))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    along = 0 if axis is None else axis
    products = np.cumprod(x, axis=along)
    if not include_initial:
        return products
    one = np.ones_like(np.moveaxis(x, along, 0)[:1])
    return np.moveaxis(np.concatenate((one, np.moveaxis(products, along, 0))), 0, along)
