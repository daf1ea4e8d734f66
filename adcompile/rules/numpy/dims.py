"""What typing callables share: static values, dimensions and dtypes of abstract types.

A typing callable answers Unknown (or an Array of unknown rank) where it cannot tell; it never
guesses, for a size taken for 1 would give a wrong gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Dim,
    Instance,
    Known,
    ListT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    dim_of,
    is_scalar_class,
)

MISSING: Any = object()
Dims = tuple[Dim, ...]
ONE: Dim = "one"
ANY: Dim = "any"


def argument(args: list[Type], kwargs: dict[str, Type], position: int, name: str, default: Any = None) -> Type:
    """The type of a parameter however it is passed, or of its default."""
    if position < len(args):
        return args[position]
    return kwargs.get(name, Known(default))


def static(t: Type) -> Any:
    """The value of a type that holds only one, else MISSING."""
    match t:
        case Known(value):
            return value
        case TupleT(items, cls) if cls is tuple:
            values = [static(i) for i in items]
            return MISSING if any(v is MISSING for v in values) else tuple(values)
        case ListT(items):
            values = [static(i) for i in items]
            return MISSING if any(v is MISSING for v in values) else values
        case SliceT(parts):
            values = [static(i) for i in parts]
            return MISSING if any(v is MISSING for v in values) else slice(*values)
        case _:
            return MISSING


def dtype_of(t: Type) -> np.dtype[Any] | None:
    """The dtype of `np.asarray` of a value of this type, where there is only one."""
    match t:
        case Array(dtype, _):
            return dtype
        case Scalar(kinds):
            dtypes = {np.dtype(kind) for kind in kinds}
            return dtypes.pop() if len(dtypes) == 1 else None
        case Known(value) if is_scalar_class(type(value)):
            return np.asarray(value).dtype
        case ListT(items) | TupleT(items) if items:
            parts = [dtype_of(i) for i in items]
            return None if any(p is None for p in parts) else np.result_type(*[p for p in parts if p is not None])
        case Seq(item):
            return dtype_of(item)
        case _:
            return None


def dims_of(t: Type) -> Dims | None:
    """The dimensions of `np.asarray` of a value of this type, where the rank is known."""
    match t:
        case Array(_, dims):
            return dims
        case Scalar():
            return ()
        case Known(value) if is_scalar_class(type(value)):
            return ()
        case ListT(items) | TupleT(items):
            inner = equal_dims(dims_of(i) for i in items) if items else ()
            return None if inner is None else (dim_of(len(items)), *inner)
        case Seq(item):
            inner = dims_of(item)
            return None if inner is None else (ANY, *inner)
        case _:
            return None


def equal_dims(parts: Iterable[Dims | None]) -> Dims | None:
    """The dimensions of shapes that must be the same: what is known of any is known of all."""
    found: Dims | None = None
    for dims in parts:
        if dims is None or (found is not None and len(found) != len(dims)):
            return None
        both: Dims = dims if found is None else tuple(meet(p, q) for p, q in zip(found, dims))
        found = both
    return found


def ones(count: int) -> Dims:
    out: Dims = ("one",) * count
    return out


def meet(a: Dim, b: Dim) -> Dim:
    return b if a == "any" else a


def broadcast(parts: Iterable[Dims | None]) -> Dims | None:
    """The dimensions of shapes broadcast together."""
    found: Dims = ()
    for dims in parts:
        if dims is None:
            return None
        rank = max(len(found), len(dims))
        ones: Dims = ("one",) * rank
        pairs = zip((*ones, *found)[-rank:] if rank else (), (*ones, *dims)[-rank:] if rank else ())
        found = tuple("many" if "many" in pair else "any" if "any" in pair else "one" for pair in pairs)
    return found


def product(dims: Iterable[Dim]) -> Dim:
    """The length of axes laid in a row: 1 only if each is 1."""
    dims = tuple(dims)
    return "many" if "many" in dims else "any" if "any" in dims else "one"


def total(dims: Iterable[Dim]) -> Dim:
    """The length of axes joined end to end. Lengths other than 1 (0 too) never sum to 1, but a 1 and a 0 do."""
    dims = tuple(dims)
    if len(dims) == 1:
        return dims[0]
    if dims.count("one") >= 2 or not set(dims) - {"many"}:
        return "many"
    return "any"


def size_dim(t: Type) -> Dim:
    """The dimension of an axis whose length has this type."""
    value = static(t)
    return dim_of(int(value)) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else "any"


def axis_of(t: Type, rank: int) -> int | None:
    """A known axis, counted from the front; None where it is unknown or out of range."""
    value = static(t)
    if isinstance(value, (int, np.integer)) and -rank <= value < rank:
        return int(value) % rank
    return None


def axes_of(t: Type, rank: int) -> tuple[int, ...] | None:
    """Known axes (an int or a tuple of them), counted from the front."""
    value = static(t)
    values = value if isinstance(value, (tuple, list)) else (value,)
    found = [axis_of(Known(v), rank) for v in values]  # type: ignore[reportUnknownVariableType]
    return None if None in found else tuple(a for a in found if a is not None)


def array(dtype: np.dtype[Any] | None, dims: Dims | None) -> Type:
    if dtype is None or dtype.kind in "OV":
        return UNKNOWN
    return Array(dtype, dims)


def element(dtype: np.dtype[Any]) -> Type:
    """The NumPy scalar that a full index or a full reduction gives."""
    if dtype.kind in "OV":
        return UNKNOWN
    if is_scalar_class(dtype.type):
        return Scalar(frozenset({dtype.type}))
    return Instance(dtype.type)


def shape_dims(t: Type) -> Dims | None:
    """The dimensions that a shape argument asks for: an int or a sequence of ints (no -1)."""
    match t:
        case Known(value) if isinstance(value, (tuple, list)):
            return tuple(size_dim(Known(v)) for v in value)  # type: ignore[reportUnknownVariableType]
        case TupleT(items) | ListT(items):
            return tuple(size_dim(i) for i in items)
        case Known(value) if isinstance(value, (int, np.integer)):
            return (size_dim(t),)
        case Scalar(kinds) if all(issubclass(k, (int, np.integer)) for k in kinds):
            return (ANY,)
        case _:
            return None


def sequence(t: Type) -> tuple[Type, ...] | None:
    """The item types of a sequence of known length."""
    match t:
        case TupleT(items) | ListT(items):
            return items
        case Known(value) if isinstance(value, (tuple, list)):
            return tuple(Known(v) for v in value)  # type: ignore[reportUnknownVariableType]
        case _:
            return None


def rearranged(t: Scalar) -> Type:
    """What comes of a number where NumPy asks a value for its own method: one of NumPy's stays a number, one of
    Python's becomes an array without axes."""
    own = [issubclass(k, np.generic) for k in t.kinds]
    return t if all(own) else UNKNOWN if any(own) else array(dtype_of(t), ())


def keep(t: Type, change: Callable[[Dims], Dims | None]) -> Type:
    """An array of the dtype of `t` whose dimensions are changed."""
    dims = dims_of(t)
    return array(dtype_of(t), None if dims is None else change(dims))
