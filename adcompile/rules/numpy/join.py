"""Building arrays of others: array, asarray, concatenate, stack and their relatives.

A sequence of arrays is one parameter, whose cotangent is the sequence of theirs. Where its
length is known the loops unroll and every part reads its own slice of the result's cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Dim, Instance, Known, ListT, Scalar, Seq, TupleT, Type, dim_of
from adcompile.rules.kinds import linear
from adcompile.rules.numpy.dims import (
    ONE,
    Dims,
    argument,
    array,
    axis_of,
    dims_of,
    dtype_of,
    equal_dims,
    ones,
    product,
    sequence,
    static,
    total,
)
from adcompile.rules.numpy.index import along
from adcompile.rules.numpy.shape import shape_of

# -- array -----------------------------------------------------------------------------------


def wanted_dtype(t: Type) -> np.dtype[Any] | None:
    """The dtype a dtype argument names."""
    value = static(t)
    try:
        return np.dtype(value) if value is not None else None
    except TypeError:
        return None


def array_of_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The type of `np.array(object, dtype=…)`."""
    source, asked = args[0], argument(args, kwargs, 1, "dtype")
    least = static(kwargs.get("ndmin", Known(0)))
    if set(kwargs) - {"dtype", "copy", "order", "ndmin", "subok"} or not isinstance(least, int):
        return UNKNOWN
    if not isinstance(source, (Array, Scalar, ListT, TupleT, Seq, Known)):
        return UNKNOWN
    dtype = dtype_of(source) if asked == Known(None) else wanted_dtype(asked)
    dims = dims_of(source)
    if dims is None and not isinstance(source, Array):
        return UNKNOWN
    if sequence(source) == () and asked == Known(None):
        dtype = np.dtype(float)
    return array(dtype, None if dims is None else (*ones(least - len(dims)), *dims))


def parts_of(y_bar: Any, source: Any) -> Any:
    """The cotangent of the object that `np.array` was given: its structure of numbers and arrays."""
    if isinstance(source, (list, tuple)):
        if not rt.is_listed(source):
            return rt.unjoin(np.array, y_bar, source)
        bars: tuple[Any, ...] = ()
        for k in rt.positions(source):
            bars = (*bars, row_parts_of(y_bar, source[k], k))
        return bars
    return y_bar


def row_parts_of(y_bar: Any, source: Any, i: int) -> Any:
    if isinstance(source, (list, tuple)):
        if not rt.is_listed(source):
            return rt.unjoin(np.array, y_bar[i], source)
        bars: tuple[Any, ...] = ()
        for k in rt.positions(source):
            bars = (*bars, cell_parts_of(y_bar, source[k], i, k))
        return bars
    return y_bar[i]


def cell_parts_of(y_bar: Any, source: Any, i: int, j: int) -> Any:
    if isinstance(source, (list, tuple)):
        return rt.unjoin(np.array, y_bar[i, j], source)
    return y_bar[i, j]


@linear(np.array, wrt=(0,), typing=array_of_type)
def array_of(
    y_bar: Any,
    y: Any,
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    like: Any = None,
) -> Any:
    if isinstance(object, (list, tuple)):
        return parts_of(np.reshape(y_bar, np.shape(object)) if ndmin > 0 else y_bar, object)
    return np.reshape(y_bar, shape_of(object)) if ndmin > 0 else y_bar


@linear(np.asarray, np.asanyarray, wrt=(0,), typing=array_of_type, view=True)
def asarray(
    y_bar: Any,
    y: Any,
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: Any = None,
    like: Any = None,
) -> Any:
    return parts_of(y_bar, a)


def contiguous_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    found = array_of_type(args, kwargs)
    return array(found.dtype, found.dims or ("one",)) if isinstance(found, Array) and found.dims is not None else found


@linear(np.ascontiguousarray, np.asfortranarray, wrt=(0,), typing=contiguous_type, view=True)
def contiguous(y_bar: Any, y: Any, a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    if isinstance(a, (list, tuple)):
        return parts_of(y_bar, a)
    return np.reshape(y_bar, shape_of(a))


def converted_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return array(wanted_dtype(argument(args, kwargs, 1, "dtype", float)), dims_of(args[0]))


@linear(np.ndarray.astype, wrt=(0,), typing=converted_type)
def astype(
    y_bar: Any,
    y: Any,
    a: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: Any = True,
    copy: Any = True,
) -> Any:
    return y_bar


@linear(np.astype, wrt=(0,), typing=converted_type)
def astype_function(y_bar: Any, y: Any, x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    return y_bar


def copy_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return array(dtype_of(args[0]), dims_of(args[0]))


@linear(np.copy, wrt=(0,), typing=copy_type)
def copy(y_bar: Any, y: Any, a: Any, order: Any = "K", subok: Any = False) -> Any:
    return parts_of(y_bar, a)


@linear(np.ndarray.copy, wrt=(0,), typing=copy_type)
def method_copy(y_bar: Any, y: Any, a: Any, order: Any = "C") -> Any:
    return y_bar


def item_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Python's number for a NumPy one."""
    dtype = dtype_of(args[0])
    kinds = {"f": float, "c": complex, "i": int, "u": int, "b": bool}
    if dtype is None or dtype.kind not in kinds or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        return UNKNOWN
    return Scalar(frozenset({kinds[dtype.kind]}))


@linear(np.ndarray.item, wrt=(0,), typing=item_type)
def item(y_bar: Any, y: Any, a: Any, *args: Any) -> Any:
    if len(args) == 0:
        return np.reshape(y_bar, shape_of(a))
    if len(args) == 1 and isinstance(args[0], (int, np.integer)) and a.ndim != 1:
        return np.reshape(rt.scatter(np.ravel(a), args[0], y_bar), a.shape)
    return rt.scatter(a, args[0] if len(args) == 1 else args, y_bar)


def listed_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Nested lists of Python's numbers."""
    found, dims = item_type(args, kwargs), dims_of(args[0])
    if dims is None:
        return UNKNOWN
    for _ in dims:
        found = Seq(found)
    return found


@linear(np.ndarray.tolist, typing=listed_type)
def tolist(y_bar: Any, y: Any, a: Any) -> Any:
    return np.reshape(np.array(y_bar), shape_of(a))


def view_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if len(args) == 1 and not kwargs:
        return args[0]
    for cls in (static(argument(args, kwargs, 1, "dtype")), static(argument(args, kwargs, 2, "type"))):
        if isinstance(cls, type) and issubclass(cls, np.ndarray):
            return Instance(cls) if cls is not np.ndarray else args[0] if len(args) + len(kwargs) == 2 else UNKNOWN
    dtype, dims = wanted_dtype(argument(args, kwargs, 1, "dtype")), dims_of(args[0])
    return array(dtype, None if dims is None else (*dims[:-1], "any"))


def viewed_in_rows(x_dot: Any, x: Any, dtype: Any = None, type: Any = None) -> Any:
    """NumPy takes items of another size together along the last axis, which must lie in one piece."""
    if dtype is None or dtype is np.ndarray:
        return np.ndarray.view(x_dot)
    return np.ndarray.view(np.ascontiguousarray(x_dot), dtype)


@linear(np.ndarray.view, wrt=(0,), typing=view_type, view=True, tangent=viewed_in_rows)
def view(y_bar: Any, y: Any, a: Any, dtype: Any = None, type: Any = None) -> Any:
    if dtype is None or dtype is np.ndarray:
        return y_bar
    if a.dtype.kind in "fc" and y.dtype.kind in "fc" and np.real(a).dtype == np.real(y).dtype:
        # a complex number and its two parts have the same inner product
        return np.ascontiguousarray(y_bar).view(a.dtype)
    raise NotImplementedError("the derivative of a view of other bits; use astype")


# -- concatenate -----------------------------------------------------------------------------


def joined_dtype(parts: list[Type], kwargs: dict[str, Type]) -> np.dtype[Any] | None:
    if kwargs.get("dtype", Known(None)) != Known(None):
        return wanted_dtype(kwargs["dtype"])
    dtypes = [dtype_of(p) for p in parts]
    return (
        None if any(d is None for d in dtypes) or not dtypes else np.result_type(*[d for d in dtypes if d is not None])
    )


def concatenated(parts: list[Type], shapes: list[Dims | None], k: Any, kwargs: dict[str, Type], known: bool) -> Type:
    """The type of arrays of these shapes joined along axis `k` (a Type, or None to flatten)."""
    dtype = joined_dtype(parts, kwargs)
    known_shapes = [s for s in shapes if s is not None]
    if len(known_shapes) < len(shapes) or not shapes:
        return array(dtype, None)
    if k is None:
        return array(dtype, (total(product(s) for s in known_shapes) if known else "any",))
    axis = axis_of(k, len(known_shapes[0]))
    if axis is None or any(len(s) != len(known_shapes[0]) for s in known_shapes):
        return array(dtype, None)
    others = equal_dims((*s[:axis], *s[axis + 1 :]) for s in known_shapes)
    joined: Dim = total(s[axis] for s in known_shapes) if known else "any"
    return array(dtype, None if others is None else (*others[:axis], joined, *others[axis:]))


def parts_type(t: Type) -> tuple[list[Type], bool]:
    """The types of the parts of a sequence of arrays, and whether they are all of them."""
    items = sequence(t)
    if items is not None:
        return list(items), True
    if isinstance(t, Seq):
        return [t.item], False
    if isinstance(t, Array):
        return [Array(t.dtype, None if t.dims is None else t.dims[1:])], False
    return [UNKNOWN], False


def concatenate_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    axis = argument(args, kwargs, 1, "axis", 0)
    return concatenated(list(parts), [dims_of(p) for p in parts], None if axis == Known(None) else axis, kwargs, known)


def slices_of(y_bar: Any, arrays: Any, axis: Any) -> Any:
    """The stretch of `y_bar` along an axis that belongs to each of the arrays."""
    lengths: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        lengths = (*lengths, shape_of(arrays[k])[axis])
    pieces: tuple[Any, ...] = ()
    for stretch in stretches(lengths):
        pieces = (*pieces, y_bar[along(stretch, axis, y_bar.ndim)])
    return pieces


def stretches(lengths: Any) -> Any:
    """Slices of the given lengths, one behind the other; the first and the last are open."""
    slices: tuple[Any, ...] = ()
    start = None
    for k in rt.positions(lengths):
        stop = None if k == len(lengths) - 1 else lengths[k] if start is None else start + lengths[k]
        slices = (*slices, slice(start, stop))
        start = stop
    return slices


def flat_slices_of(y_bar: Any, arrays: Any) -> Any:
    lengths: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        lengths = (*lengths, np.size(arrays[k]))
    slices = stretches(lengths)
    bars: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        bars = (*bars, np.reshape(y_bar[slices[k]], shape_of(arrays[k])))
    return bars


@linear(np.concatenate, np.concat, wrt=(0,), typing=concatenate_type)
def concatenate(
    y_bar: Any, y: Any, arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    if isinstance(arrays, np.ndarray):
        return rt.unjoin(np.concatenate, y_bar, arrays, axis)
    if axis is None:
        if not rt.is_listed(arrays):
            return rt.unjoin(np.concatenate, y_bar, arrays, axis)
        return flat_slices_of(y_bar, arrays)
    if not rt.is_listed(arrays):
        if isinstance(arrays[0], (list, tuple)):
            return rt.unjoin(np.concatenate, y_bar, arrays, axis)
        return np.split(y_bar, rt.cuts(arrays, axis), axis)
    return slices_of(y_bar, arrays, axis)


def stack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    dims = equal_dims(dims_of(p) for p in parts)
    axis = argument(args, kwargs, 1, "axis", 0)
    k = None if dims is None else axis_of(axis, len(dims) + 1)
    fresh: Dim = dim_of(len(parts)) if known else "any"
    return array(
        joined_dtype(list(parts), kwargs), None if k is None or dims is None else (*dims[:k], fresh, *dims[k:])
    )


def layers_of(y_bar: Any, arrays: Any, axis: Any) -> Any:
    """The layer of `y_bar` along an axis that belongs to each of the arrays."""
    bars: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        bars = (*bars, y_bar[along(k, axis, y_bar.ndim)])
    return bars


@linear(np.stack, wrt=(0,), typing=stack_type)
def stack(
    y_bar: Any, y: Any, arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    if isinstance(arrays, np.ndarray) or not rt.is_listed(arrays):
        return rt.unjoin(np.stack, y_bar, arrays, axis)
    return layers_of(y_bar, arrays, axis)


# -- the other stacks ------------------------------------------------------------------------
# Each first lifts its parts to a rank and then concatenates along an axis.


def lifted(t: Type, rank: int) -> Dims | None:
    """The dimensions of `np.atleast_1d` or `np.atleast_2d` of a part."""
    dims = dims_of(t)
    return None if dims is None else (*ones(rank - len(dims)), *dims)


def as_columns(t: Type) -> Dims | None:
    dims = dims_of(t)
    return None if dims is None else (*dims, ONE) if len(dims) == 1 else dims or (ONE, ONE)


def as_pages(t: Type) -> Dims | None:
    """The dimensions of `np.atleast_3d` of a part."""
    dims = dims_of(t)
    if dims is None or len(dims) > 2:
        return dims
    return ("one", *dims, "one")[-3:] if len(dims) == 1 else (*dims, "one") if dims else ("one",) * 3


def hstack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    shapes = [lifted(p, 1) for p in parts]
    flat = shapes and shapes[0] is not None and len(shapes[0]) == 1
    return concatenated(parts, shapes, Known(0 if flat else 1), kwargs, known)


def vstack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    return concatenated(parts, [lifted(p, 2) for p in parts], Known(0), kwargs, known)


def column_stack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    return concatenated(parts, [as_columns(p) for p in parts], Known(1), kwargs, known)


def dstack_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    parts, known = parts_type(args[0])
    return concatenated(parts, [as_pages(p) for p in parts], Known(2), kwargs, known)


def length_along(a: Any, axis: Any, rank: Any) -> Any:
    """The length along an axis of a part that is lifted to a rank."""
    return shape_of(a)[axis] if np.ndim(a) == rank else 1


def lifted_slices_of(y_bar: Any, arrays: Any, axis: Any) -> Any:
    """As slices_of, for parts of a lower rank than the result, which lie side by side."""
    lengths: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        lengths = (*lengths, length_along(arrays[k], axis, y_bar.ndim))
    slices = stretches(lengths)
    bars: tuple[Any, ...] = ()
    for k in rt.positions(arrays):
        piece = y_bar[along(slices[k], axis, y_bar.ndim)]
        if np.ndim(arrays[k]) < y_bar.ndim:
            piece = np.reshape(piece, shape_of(arrays[k]))
        bars = (*bars, piece)
    return bars


@linear(np.hstack, wrt=(0,), typing=hstack_type)
def hstack(y_bar: Any, y: Any, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    axis = 0 if y_bar.ndim == 1 else 1
    if isinstance(tup, np.ndarray) or not rt.is_listed(tup):
        return rt.unjoin(np.hstack, y_bar, tup)
    return lifted_slices_of(y_bar, tup, axis)


@linear(np.vstack, wrt=(0,), typing=vstack_type)
def vstack(y_bar: Any, y: Any, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    if isinstance(tup, np.ndarray) or not rt.is_listed(tup):
        return rt.unjoin(np.vstack, y_bar, tup)
    return lifted_slices_of(y_bar, tup, 0)


@linear(np.column_stack, wrt=(0,), typing=column_stack_type)
def column_stack(y_bar: Any, y: Any, tup: Any) -> Any:
    if isinstance(tup, np.ndarray) or not rt.is_listed(tup):
        return rt.unjoin(np.column_stack, y_bar, tup)
    return lifted_slices_of(y_bar, tup, 1)


@linear(np.dstack, wrt=(0,), typing=dstack_type)
def dstack(y_bar: Any, y: Any, tup: Any) -> Any:
    if isinstance(tup, np.ndarray) or not rt.is_listed(tup):
        return rt.unjoin(np.dstack, y_bar, tup)
    return lifted_slices_of(y_bar, tup, 2)


@linear(np.block, wrt=(0,))
def block(y_bar: Any, y: Any, arrays: Any) -> Any:
    return rt.unjoin(np.block, y_bar, arrays)


def append_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axis = argument(args, kwargs, 2, "axis")
    return concatenate_type([TupleT((args[0], args[1])), axis], {})


@linear(np.append, wrt=(0, 1), typing=append_type)
def append(y_bar: Any, y: Any, arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        n = np.size(arr)
        values_bar = y_bar[n] if np.ndim(values) == 0 else np.reshape(y_bar[n:], shape_of(values))
        return np.reshape(y_bar[:n], shape_of(arr)), values_bar
    arr_bar, values_bar = slices_of(y_bar, (arr, values), axis)
    return arr_bar, values_bar
