"""Reading elements: indexing of every kind, take and its relatives.

The index may be anything NumPy takes; its values are settings, so every reading is linear.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import (
    INT,
    UNKNOWN,
    Array,
    DictT,
    Dim,
    Instance,
    IterT,
    Known,
    ListT,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    dim_of,
    join,
)
from adcompile.rules.kinds import linear, vjps
from adcompile.rules.numpy.dims import (
    MISSING,
    Dims,
    argument,
    array,
    axis_of,
    broadcast,
    dims_of,
    dtype_of,
    element,
    keep,
    sequence,
    static,
)


def getitem_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The type of `a[index]` for arrays, scalars, sequences, dicts, ranges and strings."""
    base, index = args
    if isinstance(base, (Array, Scalar)):
        dtype = dtype_of(base)
        return UNKNOWN if dtype is None else indexed(dtype, dims_of(base), index)
    return item_type(base, index)


def item_type(base: Type, index: Type) -> Type:
    """The type of an item, or of a slice, of a container that is no array."""
    key = static(index)
    match base:
        case Known(value) if key is not MISSING and isinstance(value, (str, bytes, tuple, range)):
            return Known(value[key]) if in_range(value, key) else UNKNOWN
        case Known(str()) | Instance():
            cls = type(base.value) if isinstance(base, Known) else base.cls
            return Instance(str) if cls is str else UNKNOWN
        case TupleT(items) | ListT(items):
            if key is MISSING or not in_range(items, key):
                return joined(items) if is_int(index) else UNKNOWN
            if isinstance(key, slice):
                return TupleT(items[key]) if isinstance(base, TupleT) else ListT(items[key])
            return items[key]
        case DictT(keys, values):
            if key is MISSING:
                return joined(values)
            return next((v for k, v in zip(keys, values) if type(k) is type(key) and k == key), UNKNOWN)
        case Seq(item, _):
            return item if is_int(index) else base if is_slice(index) else UNKNOWN
        case RangeT() | IterT("range", _):
            return INT if is_int(index) else RangeT() if is_slice(index) else UNKNOWN
        case _:
            return UNKNOWN


def in_range(items: Any, key: Any) -> bool:
    if isinstance(key, slice):
        return True
    return isinstance(key, (int, np.integer)) and -len(items) <= int(key) < len(items)


def joined(items: tuple[Type, ...]) -> Type:
    if not items:
        return UNKNOWN
    found = items[0]
    for item in items[1:]:
        found = join(found, item)
    return found


def is_int(t: Type) -> bool:
    match t:
        case Known(value):
            return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        case Scalar(kinds):
            return all(issubclass(k, (int, np.integer)) and k is not bool for k in kinds)
        case _:
            return False


def is_slice(t: Type) -> bool:
    return isinstance(t, SliceT) or (isinstance(t, Known) and isinstance(t.value, slice))


def indexed(dtype: np.dtype[Any], dims: Dims | None, index: Type) -> Type:
    """The type of an array of these dimensions read at an index."""
    if isinstance(index, Seq) and index.cls is tuple:
        return array(dtype, None)  # as many indices as the tuple has items
    items = index.items if isinstance(index, TupleT) else (index,)
    if isinstance(index, Known) and isinstance(index.value, tuple):
        items = tuple(Known(i) for i in index.value)  # type: ignore[reportUnknownVariableType]
    parts = [advanced(i) for i in items]
    if dims is None or None in parts:
        return array(dtype, None)
    consumed = sum(part[0] for part in parts if part is not None)
    if consumed > len(dims):
        return UNKNOWN  # raises
    has_ellipsis = any(isinstance(i, Known) and i.value is Ellipsis for i in items)
    if not has_ellipsis and all(is_int(i) or is_zero_rank(i) for i in items) and consumed == len(dims):
        return element(dtype)
    return array(dtype, read_dims(items, [p for p in parts if p is not None], dims, len(dims) - consumed))


def is_zero_rank(t: Type) -> bool:
    return isinstance(t, Array) and t.dims == () and t.dtype.kind in "iu"


def advanced(t: Type) -> tuple[int, Dims | None] | None:
    """(axes consumed, dimensions of an index array or None for basic indices); None: cannot tell."""
    if isinstance(t, Known) and (t.value is None or t.value is Ellipsis):
        return 0, None
    if is_int(t) or is_slice(t):
        return 1, None
    dtype, dims = dtype_of(t), dims_of(t)
    if isinstance(t, (ListT, TupleT)) and not t.items:
        return 1, ("many",)
    if dtype is None or dims is None:
        return None
    if dtype.kind in "iu":
        return 1, dims
    return (len(dims), ("any",)) if dtype.kind == "b" else None


def read_dims(items: tuple[Type, ...], parts: list[tuple[int, Dims | None]], dims: Dims, rest: int) -> Dims | None:
    """The dimensions of the result: those of the index arrays stand where these stand side by side, else first."""
    out: list[Dim] = []
    arrays: list[Dims | None] = []
    places: list[int] = []  # of index arrays, and of ints beside them, among the items
    insert_at = 0
    axis = 0
    seen_ellipsis = False
    any_arrays = any(d is not None for _, d in parts)
    for place, (item, (consumed, index_dims)) in enumerate(zip(items, parts)):
        if index_dims is not None or (any_arrays and is_int(item)):
            if not places:
                insert_at = len(out)
            places.append(place)
            arrays.append(index_dims or ())
        elif isinstance(item, Known) and item.value is None:
            out.append("one")
        elif isinstance(item, Known) and item.value is Ellipsis:
            out.extend(dims[axis : axis + rest])
            axis, seen_ellipsis = axis + rest, True
        elif is_slice(item):
            out.append(slice_dim(item, dims[axis]))
        axis += consumed
    if not seen_ellipsis:
        out.extend(dims[axis:])
    if not places:
        return tuple(out)
    shared = broadcast(arrays)
    if shared is None:
        return None
    side_by_side = places[-1] - places[0] == len(places) - 1
    start = insert_at if side_by_side else 0
    return (*out[:start], *shared, *out[start:])


def slice_dim(t: Type, dim: Dim) -> Dim:
    """The dimension of a sliced axis."""
    if isinstance(t, SliceT) and static(t) is MISSING:
        start, stop, _ = t.parts
        return "any" if start != Known(None) or stop != Known(None) or dim != "one" else "one"
    value = static(t)
    if dim == "one":
        return dim_of(len(range(*value.indices(1))))
    whole = value.start in (None, 0) and value.stop is None and value.step in (None, 1)
    backwards = value.start is None and value.stop is None and value.step == -1
    if whole or backwards:
        return dim
    if value.stop == 0 and value.start in (None, 0) and value.step in (None, 1):
        return "many"  # none
    return "any"


@linear(operator.getitem, np.ndarray.__getitem__, wrt=(0,), typing=getitem_type, view=True)
def getitem(y_bar: Any, y: Any, a: Any, index: Any) -> Any:
    return rt.scatter(a, index, y_bar)


def along(indices: Any, axis: Any, ndim: Any) -> Any:
    """The index that reads `indices` along one axis."""
    k = axis % ndim
    if k == 0:
        return indices
    if k == ndim - 1:
        return (Ellipsis, indices)
    return rt.along(indices, axis, ndim)


# -- take and its relatives ------------------------------------------------------------------


def take_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, indices = args[0], argument(args, kwargs, 1, "indices")
    axis = argument(args, kwargs, 2, "axis")
    dims, where, dtype = dims_of(a), dims_of(indices), dtype_of(a)
    if dims is None or where is None or dtype is None:
        return array(dtype, None)
    if axis == Known(None):
        return array(dtype, where) if where else element(dtype)
    k = axis_of(axis, len(dims))
    if k is None:
        return array(dtype, None)
    found = (*dims[:k], *where, *dims[k + 1 :])
    return array(dtype, found) if found else element(dtype)


@linear(np.take, np.ndarray.take, wrt=(0,), typing=take_type)
def take(y_bar: Any, y: Any, a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    if not isinstance(a, np.ndarray):
        return np.reshape(rt.scatter(np.ravel(a), rt.wrapped(indices, 1, mode), y_bar), ())
    if axis is None or a.ndim == 0:
        return np.reshape(rt.scatter(np.ravel(a), rt.wrapped(indices, a.size, mode), y_bar), a.shape)
    return rt.scatter(a, along(rt.wrapped(indices, a.shape[axis], mode), axis, a.ndim), y_bar)


def take_along_axis_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, indices = args[0], argument(args, kwargs, 1, "indices")
    axis = argument(args, kwargs, 2, "axis", -1)
    dims, where = dims_of(a), dims_of(indices)
    if dims is None or where is None:
        return array(dtype_of(a), None)
    if axis == Known(None):
        return array(dtype_of(a), where)
    k = axis_of(axis, len(dims))
    if k is None or len(where) != len(dims):
        return array(dtype_of(a), None)
    other = broadcast([(*dims[:k], *dims[k + 1 :]), (*where[:k], *where[k + 1 :])])
    return array(dtype_of(a), None if other is None else (*other[:k], where[k], *other[k:]))


@linear(np.take_along_axis, wrt=(0,), typing=take_along_axis_type)
def take_along_axis(y_bar: Any, y: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return np.reshape(rt.scatter(np.ravel(arr), indices, y_bar), arr.shape)
    return rt.scatter(arr, rt.along_axis(indices, axis, arr.shape), y_bar)


def selected_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Where a mask along an axis selects: that axis gets any length."""
    axis = argument(args, kwargs, 2, "axis")
    a = args[1]

    def change(dims: Dims) -> Dims | None:
        if axis == Known(None):
            return ("any",)
        k = axis_of(axis, len(dims))
        return None if k is None else (*dims[:k], "any", *dims[k + 1 :])

    return keep(a, change)


@vjps(np.compress, wrt=(1,), typing=selected_type)
def compress(y_bar: Any, y: Any, condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    return None, method_compress(y_bar, y, a, condition, axis)


@linear(
    np.ndarray.compress,
    wrt=(0,),
    typing=lambda args, kwargs: selected_type([args[1], args[0], *args[2:]], kwargs) if len(args) > 1 else UNKNOWN,
)
def method_compress(y_bar: Any, y: Any, a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    if axis is None or np.ndim(a) == 0:
        return np.reshape(rt.scatter(np.ravel(a), np.flatnonzero(condition), y_bar), np.shape(a))
    return rt.scatter(a, along(np.flatnonzero(condition), axis, a.ndim), y_bar)


def extract_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    return array(dtype_of(args[1]), ("any",))


@vjps(np.extract, wrt=(1,), typing=extract_type)
def extract(y_bar: Any, y: Any, condition: Any, arr: Any) -> Any:
    return None, np.reshape(rt.scatter(np.ravel(arr), np.flatnonzero(condition), y_bar), np.shape(arr))


# -- choosing among arrays -------------------------------------------------------------------


def choose_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    choices = sequence(args[1])
    dtypes = [dtype_of(c) for c in choices] if choices else [dtype_of(args[1])]
    if any(d is None for d in dtypes) or choices is None:
        return UNKNOWN
    dims = broadcast([dims_of(args[0]), *(dims_of(c) for c in choices)])
    dtype = np.result_type(*[d for d in dtypes if d is not None])
    return array(dtype, dims) if dims != () else UNKNOWN


@vjps(np.choose, np.ndarray.choose, wrt=(1,), typing=choose_type)
def choose(y_bar: Any, y: Any, a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    if isinstance(choices, (list, tuple)):
        bars: tuple[Any, ...] = ()
        for k in rt.positions(choices):
            here = np.equal(rt.wrapped(a, len(choices), mode), k)
            bars = (*bars, rt.unbroadcast(np.where(here, y_bar, 0), choices[k]))
        return None, bars
    return None, rt.scatter(choices, (rt.wrapped(a, len(choices), mode), *rt.grid(y, choices)), y_bar)


def select_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    conditions, choices = sequence(args[0]), sequence(argument(args, kwargs, 1, "choicelist"))
    default = argument(args, kwargs, 2, "default", 0)
    if conditions is None or choices is None:
        return UNKNOWN
    parts = (*choices, default)
    dims = broadcast([dims_of(p) for p in (*conditions, *parts)])
    arrays = [dtype_of(p) for p in choices if isinstance(p, Array)]
    if dims is None or dims == () or len(arrays) != len(choices) or not arrays:
        return UNKNOWN
    weak = isinstance(default, Known) and type(default.value) in (int, float)
    if weak and all(d is not None and d.kind in "fc" for d in arrays):
        return array(np.result_type(*[d for d in arrays if d is not None]), dims)
    dtypes = [dtype_of(p) for p in parts]
    if any(d is None for d in dtypes) or weak:
        return UNKNOWN
    return array(np.result_type(*[d for d in dtypes if d is not None]), dims)


@vjps(np.select, wrt=(1, 2), typing=select_type)
def select(y_bar: Any, y: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    bars: tuple[Any, ...] = ()
    left = y_bar
    for k in rt.positions(choicelist):
        bars = (*bars, rt.unbroadcast(np.where(condlist[k], left, 0), choicelist[k]))
        left = np.where(condlist[k], 0, left)
    return None, bars, rt.unbroadcast(left, default)
