"""Rearranging axes and shapes: reshape, transpose, flip, repeat, broadcast, split."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import INT, Dim, Known, ListT, Scalar, Seq, TupleT, Type
from adcompile.rules.kinds import linear, vjps
from adcompile.rules.numpy.dims import (
    MISSING,
    Dims,
    argument,
    array,
    axes_of,
    axis_of,
    dims_of,
    dtype_of,
    keep,
    product,
    rearranged,
    sequence,
    shape_dims,
    size_dim,
    static,
)
from adcompile.rules.numpy.index import along


def shape_of(a: Any) -> Any:
    """The shape of an array or number, written `a.shape` in generated code."""
    if isinstance(a, np.ndarray):
        return a.shape
    return np.shape(a)


# -- reshape ---------------------------------------------------------------------------------


def reshaped(a: Type, shape: Type) -> Type:
    """The type of an array of the elements of `a` in a shape that may hold one -1."""
    asked, old = shape_dims(shape), dims_of(a)
    if asked is None:
        return array(dtype_of(a), None)
    if asked == () and isinstance(a, Scalar):
        return rearranged(a)
    lengths = [static(part) for part in sequence(shape) or (shape,)]
    fresh: list[Dim] = []
    for k, dim in enumerate(asked):
        unknown = lengths[k] is MISSING or lengths[k] == -1
        others = [d for j, d in enumerate(asked) if j != k]
        if unknown and old is not None and all(d == "one" for d in others):
            fresh.append(product(old))
        elif unknown and old is not None and product(old) == "one":
            fresh.append("one")
        else:
            fresh.append("any" if unknown else dim)
    return array(dtype_of(a), tuple(fresh))


def reshape_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return reshaped(args[0], argument(args, kwargs, 1, "shape"))


def method_reshape_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if len(args) == 2:
        return reshaped(args[0], args[1])
    return reshaped(args[0], TupleT(tuple(args[1:])))


def back(y_bar: Any, a: Any, order: Any) -> Any:
    """The elements of `y_bar` in the shape of `a`."""
    if order == "C" or order is None:
        return np.reshape(y_bar, shape_of(a))
    if order == "F":
        return np.reshape(y_bar, shape_of(a), order="F")
    return rt.no_derivative("an order of elements that depends on the memory layout; write order='C' or 'F'")


def reshaped_in_memory(x_dot: Any, x: Any, shape: Any, order: Any, copy: Any = None) -> Any:
    """The tangent of an order of elements that is seen in how `x` lies in memory; its tangent may lie otherwise."""
    if rt.reads_columns(x, order):
        return np.reshape(x_dot, shape, order="F")
    return np.reshape(x_dot, shape)


def method_reshaped_in_memory(x_dot: Any, x: Any, *shape: Any, order: Any, copy: Any = None) -> Any:
    return reshaped_in_memory(x_dot, x, shape[0] if len(shape) == 1 else shape, order)


def raveled_in_memory(x_dot: Any, x: Any, order: Any) -> Any:
    return np.ravel(np.transpose(x_dot, rt.memory_axes(x, order)))


def flattened_in_memory(x_dot: Any, x: Any, order: Any) -> Any:
    return np.ndarray.flatten(np.transpose(x_dot, rt.memory_axes(x, order)))


@linear(np.reshape, wrt=(0,), typing=reshape_type, view=True, tangent=reshaped_in_memory)
def reshape(y_bar: Any, y: Any, a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    return back(y_bar, a, order)


@linear(np.ndarray.reshape, wrt=(0,), typing=method_reshape_type, view=True, tangent=method_reshaped_in_memory)
def method_reshape(y_bar: Any, y: Any, a: Any, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    return back(y_bar, a, order)


def flat_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dims = dims_of(args[0])
    return array(dtype_of(args[0]), ("any" if dims is None else product(dims),))


@linear(np.ravel, np.ndarray.ravel, wrt=(0,), typing=flat_type, view=True, tangent=raveled_in_memory)
def ravel(y_bar: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return back(y_bar, a, order)


@linear(np.ndarray.flatten, wrt=(0,), typing=flat_type, tangent=flattened_in_memory)
def flatten(y_bar: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return back(y_bar, a, order)


def squeeze_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axis = argument(args, kwargs, 1, "axis")

    def change(dims: Dims) -> Dims | None:
        if axis == Known(None):
            return None if "any" in dims else tuple(d for d in dims if d != "one")
        gone = axes_of(axis, len(dims))
        return None if gone is None else tuple(d for k, d in enumerate(dims) if k not in gone)

    return rearranged(args[0]) if isinstance(args[0], Scalar) else keep(args[0], change)


@linear(np.squeeze, np.ndarray.squeeze, wrt=(0,), typing=squeeze_type, view=True)
def squeeze(y_bar: Any, y: Any, a: Any, axis: Any = None) -> Any:
    return np.reshape(y_bar, shape_of(a))


def expand_dims_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axis = static(argument(args, kwargs, 1, "axis"))

    def change(dims: Dims) -> Dims | None:
        wanted = axis if isinstance(axis, (tuple, list)) else (axis,)
        rank = len(dims) + len(wanted)
        fresh = axes_of(Known(axis), rank)
        rest = iter(dims)
        return None if fresh is None else tuple("one" if k in fresh else next(rest) for k in range(rank))

    return keep(args[0], change)


@linear(np.expand_dims, wrt=(0,), typing=expand_dims_type, view=True)
def expand_dims(y_bar: Any, y: Any, a: Any, axis: Any) -> Any:
    return np.reshape(y_bar, shape_of(a))


@vjps(np.atleast_1d, np.atleast_2d, np.atleast_3d, view=True)
def atleast(y_bar: Any, y: Any, *arys: Any) -> Any:
    if len(arys) == 1:
        return np.reshape(y_bar, shape_of(arys[0]))
    bars: tuple[Any, ...] = ()
    for k in rt.positions(arys):
        bars = (*bars, None if y_bar[k] is None else np.reshape(y_bar[k], shape_of(arys[k])))
    return bars


# -- the order of axes -----------------------------------------------------------------------


def permuted_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axes = argument(args, kwargs, 1, "axes")
    return permuted(args[0], axes)


def method_transpose_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if len(args) == 1:
        return permuted(args[0], Known(None))
    if len(args) == 2 and not isinstance(static(args[1]), (int, np.integer)):
        return permuted(args[0], args[1])
    return permuted(args[0], TupleT(tuple(args[1:])))


def permuted(a: Type, axes: Type) -> Type:
    def change(dims: Dims) -> Dims | None:
        if axes == Known(None):
            return dims[::-1]
        order = axes_of(axes, len(dims))
        if order is not None:
            return tuple(dims[k] for k in order) if len(order) == len(dims) else None
        return ("any",) * len(dims)

    return rearranged(a) if isinstance(a, Scalar) else keep(a, change)


def reversed_axes(y_bar: Any) -> Any:
    return y_bar.T if isinstance(y_bar, np.ndarray) else y_bar


@linear(np.transpose, np.permute_dims, wrt=(0,), typing=permuted_type, view=True)
def transpose(y_bar: Any, y: Any, a: Any, axes: Any = None) -> Any:
    if axes is None:
        return reversed_axes(y_bar)
    return np.transpose(y_bar, rt.inverse_axes(axes))


@linear(np.ndarray.transpose, wrt=(0,), typing=method_transpose_type, view=True)
def method_transpose(y_bar: Any, y: Any, a: Any, *axes: Any) -> Any:
    if len(axes) == 0 or (len(axes) == 1 and axes[0] is None):
        return reversed_axes(y_bar)
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        return np.transpose(y_bar, rt.inverse_axes(axes[0]))
    return np.transpose(y_bar, rt.inverse_axes(axes))


@linear(np.ndarray.T, typing=lambda args, kwargs: permuted(args[0], Known(None)), view=True)
def attribute_t(y_bar: Any, y: Any, a: Any) -> Any:
    return reversed_axes(y_bar)


def matrix_transpose_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return keep(args[0], lambda dims: (*dims[:-2], dims[-1], dims[-2]) if len(dims) >= 2 else None)


@linear(np.ndarray.mT, np.matrix_transpose, np.linalg.matrix_transpose, typing=matrix_transpose_type, view=True)
def matrix_transpose(y_bar: Any, y: Any, x: Any) -> Any:
    return np.swapaxes(y_bar, -1, -2)


def swapaxes_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    def change(dims: Dims) -> Dims | None:
        a = axis_of(argument(args, kwargs, 1, "axis1"), len(dims))
        b = axis_of(argument(args, kwargs, 2, "axis2"), len(dims))
        if a is None or b is None:
            return ("any",) * len(dims)
        out = list(dims)
        out[a], out[b] = out[b], out[a]
        return tuple(out)

    return keep(args[0], change)


@linear(np.swapaxes, np.ndarray.swapaxes, wrt=(0,), typing=swapaxes_type, view=True)
def swapaxes(y_bar: Any, y: Any, a: Any, axis1: Any, axis2: Any) -> Any:
    return np.swapaxes(y_bar, axis1, axis2)


@linear(np.moveaxis, wrt=(0,), view=True)
def moveaxis(y_bar: Any, y: Any, a: Any, source: Any, destination: Any) -> Any:
    return np.moveaxis(y_bar, destination, source)


@linear(np.rollaxis, wrt=(0,), view=True)
def rollaxis(y_bar: Any, y: Any, a: Any, axis: Any, start: Any = 0) -> Any:
    return np.transpose(y_bar, rt.inverse_rollaxis(axis, start, a.ndim))


# -- the order of elements -------------------------------------------------------------------


def same_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return keep(args[0], lambda dims: dims)


@linear(np.roll, wrt=(0,), typing=same_type)
def roll(y_bar: Any, y: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    if isinstance(shift, (tuple, list)):
        return np.roll(y_bar, rt.negated(shift), axis)
    if isinstance(shift, int):
        return np.roll(y_bar, -shift, axis)
    return np.roll(y_bar, -np.asarray(shift).astype(int), axis)  # an unsigned integer would wrap around


def flip_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dtype = dtype_of(args[0])
    if dims_of(args[0]) == () and dtype is not None:  # it has no axis to be turned, and is read
        return Scalar(frozenset({dtype.type}))
    return same_type(args, kwargs)


@linear(np.flip, wrt=(0,), typing=flip_type, view=True)
def flip(y_bar: Any, y: Any, m: Any, axis: Any = None) -> Any:
    return np.flip(y_bar, axis)


@linear(np.fliplr, typing=same_type, view=True)
def fliplr(y_bar: Any, y: Any, m: Any) -> Any:
    return np.fliplr(y_bar)


@linear(np.flipud, typing=same_type, view=True)
def flipud(y_bar: Any, y: Any, m: Any) -> Any:
    return np.flipud(y_bar)


@linear(np.rot90, wrt=(0,), view=True)
def rot90(y_bar: Any, y: Any, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    return np.rot90(y_bar, -k, axes)


# -- repetition ------------------------------------------------------------------------------


def repeat_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    repeats, axis = argument(args, kwargs, 1, "repeats"), argument(args, kwargs, 2, "axis")
    count = size_dim(repeats)

    def change(dims: Dims) -> Dims | None:
        if axis == Known(None):
            return (product((*dims, count)),)
        k = axis_of(axis, len(dims))
        return None if k is None else (*dims[:k], product((dims[k], count)), *dims[k + 1 :])

    return keep(args[0], change)


@linear(np.repeat, np.ndarray.repeat, wrt=(0,), typing=repeat_type)
def repeat(y_bar: Any, y: Any, a: Any, repeats: Any, axis: Any = None) -> Any:
    if axis is None or not isinstance(a, np.ndarray) or a.ndim == 0:
        if isinstance(repeats, (int, np.integer)):
            return np.reshape(np.sum(np.reshape(y_bar, (np.size(a), repeats)), axis=1), shape_of(a))
        flat = rt.scatter(np.ravel(a), np.repeat(np.arange(np.size(a)), repeats), y_bar)
        return np.reshape(flat, shape_of(a))
    if isinstance(repeats, (int, np.integer)):
        return np.sum(np.reshape(y_bar, rt.repeated_shape(a.shape, repeats, axis)), axis=axis % a.ndim + 1)
    return rt.scatter(a, along(np.repeat(np.arange(a.shape[axis]), repeats), axis, a.ndim), y_bar)


@linear(np.tile, wrt=(0,))
def tile(y_bar: Any, y: Any, A: Any, reps: Any) -> Any:
    blocks = np.reshape(y_bar, rt.tiled_shape(shape_of(A), reps))
    return np.reshape(np.sum(blocks, axis=rt.even_axes(blocks.ndim)), shape_of(A))


def broadcast_to_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return array(dtype_of(args[0]), shape_dims(argument(args, kwargs, 1, "shape")))


@linear(np.broadcast_to, wrt=(0,), typing=broadcast_to_type, view=True)
def broadcast_to(y_bar: Any, y: Any, array: Any, shape: Any, subok: Any = False) -> Any:
    return rt.unbroadcast(y_bar, array)


@linear(np.lib.stride_tricks.sliding_window_view, wrt=(0,), view=True)
def sliding_window_view(
    y_bar: Any, y: Any, x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False
) -> Any:
    numbers = np.reshape(np.arange(np.size(x)), shape_of(x))
    places = np.lib.stride_tricks.sliding_window_view(numbers, window_shape, axis)
    return np.reshape(rt.scatter(np.ravel(x), places, y_bar), shape_of(x))


@vjps(np.broadcast_arrays, view=True)
def broadcast_arrays(y_bar: Any, y: Any, *args: Any) -> Any:
    bars: tuple[Any, ...] = ()
    for k in rt.positions(args):
        bars = (*bars, None if y_bar[k] is None else rt.unbroadcast(y_bar[k], args[k]))
    return bars


@vjps(np.meshgrid)
def meshgrid(y_bar: Any, y: Any, *xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    bars: tuple[Any, ...] = ()
    for k in rt.positions(xi):
        others = rt.mesh_axes(k, len(xi), indexing)
        bars = (*bars, None if y_bar[k] is None else np.reshape(np.sum(y_bar[k], axis=others), shape_of(xi[k])))
    return bars


# -- splitting -------------------------------------------------------------------------------


def split_type(args: list[Type], kwargs: dict[str, Type], axis: Type | None = None) -> Type:
    cuts = argument(args, kwargs, 1, "indices_or_sections")
    axis = argument(args, kwargs, 2, "axis", 0) if axis is None else axis
    points = sequence(cuts)
    dims = dims_of(args[0])
    k = None if dims is None else axis_of(axis, len(dims))
    piece = keep(args[0], lambda dims: None if k is None else (*dims[:k], "any", *dims[k + 1 :]))
    if points is not None:
        return ListT((piece,) * (len(points) + 1))
    count = static(cuts)
    if isinstance(count, (int, np.integer)):
        return ListT((piece,) * int(count))
    return Seq(piece)


def along_type(axis: int) -> Any:
    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        dims = dims_of(args[0])
        if dims is None:
            return split_type(args, kwargs, INT)
        return split_type(args, kwargs, Known(0 if axis == 1 and len(dims) == 1 else axis))

    return typing


def joined(y_bar: Any, y: Any, axis: Any) -> Any:
    """The pieces of a cotangent side by side; zeros for those that nothing flowed into."""
    if not rt.is_listed(y):
        return np.concatenate(y_bar, axis=axis)
    pieces: tuple[Any, ...] = ()
    for k in rt.positions(y):
        pieces = (*pieces, np.zeros_like(y[k]) if y_bar[k] is None else y_bar[k])
    return np.concatenate(pieces, axis=axis)


@linear(np.split, np.array_split, wrt=(0,), typing=split_type, view=True)
def split(y_bar: Any, y: Any, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    return joined(y_bar, y, axis)


@linear(np.hsplit, wrt=(0,), typing=along_type(1), view=True)
def hsplit(y_bar: Any, y: Any, ary: Any, indices_or_sections: Any) -> Any:
    return joined(y_bar, y, 0 if ary.ndim == 1 else 1)


@linear(np.vsplit, wrt=(0,), typing=along_type(0), view=True)
def vsplit(y_bar: Any, y: Any, ary: Any, indices_or_sections: Any) -> Any:
    return joined(y_bar, y, 0)


@linear(np.dsplit, wrt=(0,), typing=along_type(2), view=True)
def dsplit(y_bar: Any, y: Any, ary: Any, indices_or_sections: Any) -> Any:
    return joined(y_bar, y, 2)


def unstack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axis = kwargs.get("axis", Known(0))

    def change(dims: Dims) -> Dims | None:
        k = axis_of(axis, len(dims))
        return None if k is None else (*dims[:k], *dims[k + 1 :])

    return Seq(keep(args[0], change), tuple)


def unstack(y_bar: Any, y: Any, x: Any, /, *, axis: Any = 0) -> Any:
    return np.stack(y_bar, axis=axis)


if hasattr(np, "unstack"):  # NumPy 2.1
    linear(np.unstack, wrt=(0,), typing=unstack_type, view=True)(unstack)
