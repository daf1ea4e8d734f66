"""Parts and orders of elements: sort, diagonals, triangles, pad, insert and delete.

Which element goes where is piecewise constant; its derivative is nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import Array, Dim, Known, TupleT, Type
from adcompile.rules.kinds import composite, constant, linear, vjps
from adcompile.rules.numpy.dims import Dims, argument, axes_of, keep
from adcompile.rules.numpy.index import along
from adcompile.rules.numpy.shape import flat_type, same_type, shape_of
from adcompile.rules.typing import always
from adcompile.runtime import scans

# -- sort ------------------------------------------------------------------------------------


def sorted_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if argument(args, kwargs, 1, "axis", -1) == Known(None):
        return flat_type(args, kwargs)
    return same_type(args, kwargs)


@vjps(np.sort, wrt=(0,), typing=sorted_type)
def sort(y_bar: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if axis is None:
        places = np.argsort(np.argsort(a, axis=None), axis=None)
        return np.reshape(y_bar[places], shape_of(a))
    if a.ndim == 1:
        return y_bar[np.argsort(np.argsort(a))]
    places = np.argsort(np.argsort(a, axis=axis), axis=axis)
    return np.take_along_axis(y_bar, places, axis=axis)


def partition_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if argument(args, kwargs, 2, "axis", -1) == Known(None):
        return flat_type(args, kwargs)
    return same_type(args, kwargs)


@vjps(np.partition, wrt=(0,), typing=partition_type)
def partition(
    y_bar: Any, y: Any, a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> Any:
    # both sides sorted are the same; so the order of y goes back over the order of a
    if axis is None:
        places = np.argsort(np.argsort(a, axis=None), axis=None)
        return np.reshape(y_bar[np.argsort(y)][places], shape_of(a))
    places = np.argsort(np.argsort(a, axis=axis), axis=axis)
    ordered = np.take_along_axis(y_bar, np.argsort(y, axis=axis), axis=axis)
    return np.take_along_axis(ordered, places, axis=axis)


@composite(np.unique)
def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """Of equal elements the first has the cotangent."""
    if not sorted:
        raise NotImplementedError("the derivative of np.unique with sorted=False; leave it out")
    index, inverse, counts = scans.unique_places(ar, axis, equal_nan)
    values = np.ravel(ar)[index] if axis is None else np.take(ar, index, axis=axis)
    found = (values, index) if return_index else (values,)
    if return_inverse:
        found = (*found, inverse)
    if return_counts:
        found = (*found, counts)
    return found if len(found) > 1 else values


_PLACES = Array(np.dtype(np.intp), ("any",))
constant(scans.unique_places, typing=always(TupleT((_PLACES, Array(np.dtype(np.intp), None), _PLACES))))


@composite(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


# -- diagonals and triangles -----------------------------------------------------------------


def diag_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    k = argument(args, kwargs, 1, "k", 0)

    def change(dims: Dims) -> Dims | None:
        if len(dims) == 1:
            dim: Dim = dims[0] if k == Known(0) else "any"
            return (dim, dim)
        return ("one" if dims == ("one", "one") and k == Known(0) else "any",) if len(dims) == 2 else None

    return keep(args[0], change)


@linear(np.diag, wrt=(0,), typing=diag_type, view=True)
def diag(y_bar: Any, y: Any, v: Any, k: Any = 0) -> Any:
    if v.ndim == 1:
        return np.diag(y_bar, k)
    return rt.scatter(v, rt.diagonal_index(v.shape, k, 0, 1), y_bar)


@linear(np.diagflat, wrt=(0,))
def diagflat(y_bar: Any, y: Any, v: Any, k: Any = 0) -> Any:
    return np.reshape(np.diagonal(y_bar, k), shape_of(v))


def diagonal_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    pair = (argument(args, kwargs, 2, "axis1", 0), argument(args, kwargs, 3, "axis2", 1))

    def change(dims: Dims) -> Dims | None:
        first, second = axes_of(pair[0], len(dims)), axes_of(pair[1], len(dims))
        if first is None or second is None:
            return ("any",) * (len(dims) - 1)
        gone = (*first, *second)
        square = {dims[k] for k in gone} == {"one"} and argument(args, kwargs, 1, "offset", 0) == Known(0)
        return (*(d for k, d in enumerate(dims) if k not in gone), "one" if square else "any")

    return keep(args[0], change)


@linear(np.diagonal, np.ndarray.diagonal, rt.diagonal_of, wrt=(0,), typing=diagonal_type, view=True)
def diagonal(y_bar: Any, y: Any, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    g = y_bar if a.ndim == 2 else np.moveaxis(y_bar, -1, rt.diagonal_place(a.ndim, axis1, axis2))
    return rt.scatter(a, rt.diagonal_index(a.shape, offset, axis1, axis2), g)


@linear(np.linalg.diagonal, wrt=(0,))
def linalg_diagonal(y_bar: Any, y: Any, x: Any, /, *, offset: Any = 0) -> Any:
    return diagonal(y_bar, y, x, offset, -2, -1)


@linear(np.trace, np.ndarray.trace, wrt=(0,))
def trace(
    y_bar: Any, y: Any, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
) -> Any:
    if a.ndim == 2 and axis1 % 2 == 0 and axis2 % 2 == 1:
        return y_bar * np.eye(a.shape[0], a.shape[1], offset, dtype=a.dtype)
    mask = rt.diagonal_mask(a.shape, offset, axis1, axis2)
    return np.where(mask, np.expand_dims(y_bar, (axis1 % a.ndim, axis2 % a.ndim)), 0)


@linear(np.linalg.trace, wrt=(0,))
def linalg_trace(y_bar: Any, y: Any, x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    return trace(y_bar, y, x, offset, -2, -1)


def triangle_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    def change(dims: Dims) -> Dims | None:
        return dims if len(dims) > 1 else (dims[0], dims[0]) if dims else None

    return keep(args[0], change)


@linear(np.tril, wrt=(0,), typing=triangle_type)
def tril(y_bar: Any, y: Any, m: Any, k: Any = 0) -> Any:
    return rt.unbroadcast(np.tril(y_bar, k), m)


@linear(np.triu, wrt=(0,), typing=triangle_type)
def triu(y_bar: Any, y: Any, m: Any, k: Any = 0) -> Any:
    return rt.unbroadcast(np.triu(y_bar, k), m)


# -- pad, insert, delete, resize -------------------------------------------------------------


@vjps(np.pad, wrt=(0, 3))
def pad(
    y_bar: Any,
    y: Any,
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: Any = "even",
    stat_length: Any = None,
) -> Any:
    shape = shape_of(array)
    if mode == "constant":
        inside = rt.interior(shape, pad_width)
        if np.ndim(constant_values) > 0:
            refused = rt.no_derivative("several constant_values of np.pad; pad in steps with one value each")
            return y_bar[inside], None, None, refused
        border = np.where(rt.interior_mask(np.shape(y), inside), 0, y_bar)
        return y_bar[inside], None, None, np.sum(border)
    if mode == "edge" or mode == "wrap" or (reflect_type == "even" and (mode == "reflect" or mode == "symmetric")):
        return rt.scatter(array, rt.padded_index(shape, pad_width, mode), y_bar), None, None, None
    raise NotImplementedError("the derivative of this mode of np.pad; use constant, edge, reflect, symmetric or wrap")


def any_length_type(args: list[Type], kwargs: dict[str, Type], at: int = 2) -> Type:
    """The axis along which elements come or go gets any length."""
    axis = argument(args, kwargs, at, "axis")

    def change(dims: Dims) -> Dims | None:
        if axis == Known(None):
            return ("any",)
        k = axes_of(axis, len(dims))
        return None if k is None else tuple("any" if j in k else d for j, d in enumerate(dims))

    return keep(args[0], change)


@linear(np.delete, wrt=(0,), typing=any_length_type)
def delete(y_bar: Any, y: Any, arr: Any, obj: Any, axis: Any = None) -> Any:
    if axis is None:
        left = np.delete(np.arange(np.size(arr)), obj)
        return np.reshape(rt.scatter(np.ravel(arr), left, y_bar), shape_of(arr))
    return rt.scatter(arr, along(np.delete(np.arange(arr.shape[axis]), obj), axis, arr.ndim), y_bar)


def insert_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return any_length_type(args, kwargs, 3)


@vjps(np.insert, wrt=(0, 2), typing=insert_type)
def insert(y_bar: Any, y: Any, arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    n, m = np.size(arr), np.size(values)
    places = rt.insertion_places(shape_of(arr), obj, shape_of(values), axis)
    both = rt.scatter(np.zeros(n + m, y_bar.dtype), places, y_bar)
    return np.reshape(both[:n], shape_of(arr)), None, np.reshape(both[n:], shape_of(values))


@linear(np.resize, wrt=(0,))
def resize(y_bar: Any, y: Any, a: Any, new_shape: Any) -> Any:
    places = np.resize(np.arange(np.size(a)), np.size(y_bar))
    return np.reshape(rt.scatter(np.ravel(a), places, np.ravel(y_bar)), shape_of(a))
