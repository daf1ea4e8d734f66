"""The rules of `adcompile.runtime.adjoints`: constants that fold wherever their arguments are
known, and two linear maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.ir.types import (
    INT,
    UNKNOWN,
    Array,
    Known,
    ListT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
)
from adcompile.rules.kinds import constant, linear, vjps
from adcompile.rules.numpy.dims import (
    ANY,
    MISSING,
    ONE,
    array,
    axis_of,
    dims_of,
    dtype_of,
    element,
    sequence,
    size_dim,
    static,
)
from adcompile.rules.registry import Typing
from adcompile.rules.typing import broadcast_type
from adcompile.rules.typing_standin import standin_type
from adcompile.runtime import adjoints as rt

INDICES = np.dtype(np.intp)
WHOLE = SliceT((Known(None), Known(None), Known(None)))
STRETCH = SliceT((INT, INT, Known(None)))


def by_value(fn: Callable[..., Any], otherwise: Typing | None = None) -> None:
    """A constant whose value is known where its arguments are."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        values = [static(a) for a in args]
        if any(v is MISSING for v in values):
            return otherwise(args, kwargs) if otherwise else without_lengths(standin_type(fn, tuple(args), ()))
        try:
            return Known(fn(*values))
        except (TypeError, ValueError, IndexError, AttributeError):
            return UNKNOWN  # what the primal raises is the primal's affair

    constant(fn, typing=typing, total=True)


def without_lengths(t: Type) -> Type:
    """A type found on stand-ins less what the values decide: how many numbers a tuple has."""
    if isinstance(t, Known) and isinstance(t.value, tuple):
        t = TupleT(tuple(Known(v) for v in t.value))
    if isinstance(t, TupleT):
        items = [INT if isinstance(i, Known) and isinstance(i.value, int) else i for i in t.items]
        if all(i == INT for i in items):
            return Seq(INT, tuple)
        return TupleT(tuple(without_lengths(i) for i in items))
    return UNKNOWN if isinstance(t, Known) else t


def counted(answer: Callable[[int], Any], otherwise: Type) -> Typing:
    """The typing of what only the number of items of a sequence decides."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        items = sequence(args[0])
        return otherwise if items is None else Known(answer(len(items)))

    return typing


constant(rt.positions, typing=counted(lambda n: tuple(range(n)), Seq(INT, tuple)), total=True)
constant(rt.is_static, typing=lambda args, kwargs: Known(static(args[0]) is not MISSING), total=True)
constant(rt.is_listed, typing=counted(lambda n: True, Known(False)), total=True)

for known in (
    rt.inverse_axes,
    rt.inverse_rollaxis,
    rt.even_axes,
    rt.odd_axes,
    rt.mesh_axes,
    rt.axes_from,
    rt.axes_in_front,
    rt.axes_without,
    rt.axes_to_end,
    rt.tensordot_axes,
    rt.einsum_adjoint,
    rt.fft_dual,
    rt.diagonal_place,
    rt.directions,
    rt.shape_along,
    rt.correlation_mode,
):
    by_value(known)


PAIRS = Seq(TupleT((INT, INT)), tuple)
constant(rt.convolution_rims, typing=lambda args, kwargs: PAIRS)
constant(rt.row_order, typing=lambda args, kwargs: Array(INDICES, ("any",)))


def memory_axes_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dims = dims_of(args[0])
    return Seq(INT, tuple) if dims is None else TupleT((INT,) * len(dims))


def interleaved_spec_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Only the lists of numbers matter."""
    lists = [static(a) if k % 2 or k == len(args) - 1 else None for k, a in enumerate(args)]
    return UNKNOWN if any(v is MISSING for v in lists) else Known(rt.interleaved_spec(*lists))


def fft_axes_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Only the length of `s` matters."""
    lengths, axes, ndim = sequence(args[0]), static(args[1]), static(args[2])
    s = None if args[0] == Known(None) else (0,) * len(lengths) if lengths is not None else MISSING
    if s is MISSING or axes is MISSING or ndim is MISSING:
        return Seq(INT, tuple)
    return Known(rt.fft_axes(s, axes, ndim))


def along_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    ndim = static(args[2])
    axis = axis_of(args[1], ndim) if isinstance(ndim, int) else None
    return UNKNOWN if axis is None else TupleT((*(WHOLE,) * axis, args[0]))


def diagonal_index_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    lengths = sequence(args[0])
    rank = len(lengths) if lengths is not None else 0
    first, second = axis_of(args[2], rank), axis_of(args[3], rank)
    if first is None or second is None:
        return UNKNOWN
    places = Array(INDICES, ("any",))
    return TupleT(tuple(places if k in (first, second) else WHOLE for k in range(rank)))


def interior_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    lengths = sequence(args[0])
    return UNKNOWN if lengths is None else TupleT((STRETCH,) * len(lengths))


def half_weights_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    ndim, dtype = static(args[3]), static(args[4])
    axis = axis_of(args[2], ndim) if isinstance(ndim, int) else None
    if axis is None or not isinstance(dtype, np.dtype):
        return UNKNOWN
    return array(np.finfo(dtype).dtype, tuple(ANY if k == axis else ONE for k in range(ndim)))


def wrapped_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    if static(args[2]) == "raise":
        return args[0]
    dims = dims_of(args[0])
    return Scalar(frozenset({np.intp})) if dims == () else array(dtype_of(args[0]), dims)


def insertion_places_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    lengths = sequence(args[0])
    if args[3] == Known(None):
        return Array(INDICES, ("any",))
    return Array(INDICES, None if lengths is None else ("any",) * len(lengths))


constant(rt.memory_axes, typing=memory_axes_type, total=True)
constant(rt.reads_columns, typing=lambda args, kwargs: Scalar(frozenset({bool})), total=True)
constant(rt.interleaved_spec, typing=interleaved_spec_type, total=True)
constant(rt.fft_axes, typing=fft_axes_type, total=True)
constant(rt.along, typing=along_type, total=True)
constant(rt.diagonal_index, typing=diagonal_index_type, total=True)
constant(rt.interior, typing=interior_type, total=True)
constant(rt.half_weights, typing=half_weights_type, total=True)
constant(rt.wrapped, typing=wrapped_type, total=True)
constant(rt.insertion_places, typing=insertion_places_type, total=True)
constant(rt.cuts, typing=lambda args, kwargs: Seq(INT), total=True)
constant(rt.size_of, typing=lambda args, kwargs: INT, total=True)
constant(rt.no_derivative, typing=lambda args, kwargs: UNKNOWN, total=True)
constant(
    rt.along_axis,
    rt.grid,
    rt.negated,
    rt.repeated_shape,
    rt.tiled_shape,
    rt.kron_shape,
    rt.einsum_fillers,
    rt.padded_index,
    rt.interior_mask,
    rt.diagonal_mask,
    rt.with_length,
    rt.convolution_margins,
    total=True,
)


# -- linear maps -----------------------------------------------------------------------------


@linear(rt.as_complex, wrt=(0,), typing=lambda args, kwargs: args[0])
def as_complex(y_bar: Any, y: Any, x: Any) -> Any:
    return y_bar


@vjps(rt.direction, wrt=(0,), typing=lambda args, kwargs: broadcast_type(np.sign, args, kwargs))
def direction(y_bar: Any, y: Any, x: Any) -> Any:
    if not np.iscomplexobj(x):
        return np.zeros_like(y_bar)
    size = np.abs(x)
    return np.where(size == 0, 0, (y_bar - y * np.real(np.conj(y) * y_bar)) / (size + (size == 0)))


@linear(rt.as_found, wrt=(0,), typing=lambda args, kwargs: args[0])
def as_found(y_bar: Any, y: Any, x: Any, like: Any) -> Any:
    return y_bar


def fit_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dims = dims_of(args[0])
    axis = None if dims is None else axis_of(args[2], len(dims))
    found = None if dims is None or axis is None else (*dims[:axis], size_dim(args[1]), *dims[axis + 1 :])
    return array(dtype_of(args[0]), found)


@linear(rt.fit, wrt=(0,), typing=fit_type)
def fit(y_bar: Any, y: Any, x: Any, n: Any, axis: Any) -> Any:
    return rt.fit(y_bar, x.shape[axis], axis)


def unjoin_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The structure of the arrays with the dtype of what they are parts of."""
    dtype = dtype_of(args[1])
    return UNKNOWN if dtype is None else like_parts(args[2], dtype)


def like_parts(t: Type, dtype: np.dtype[Any]) -> Type:
    match t:
        case TupleT(items):
            return TupleT(tuple(like_parts(i, dtype) for i in items))
        case ListT(items):
            return ListT(tuple(like_parts(i, dtype) for i in items))
        case Seq(item, cls):
            return Seq(like_parts(item, dtype), cls)
        case _:
            dims = dims_of(t)
            return UNKNOWN if dims is None else array(dtype, dims) if dims else element(dtype)


@linear(rt.unjoin, wrt=(1,), typing=unjoin_type)
def unjoin(y_bar: Any, y: Any, join: Any, g: Any, arrays: Any, *settings: Any) -> Any:
    return join(y_bar, *settings)
