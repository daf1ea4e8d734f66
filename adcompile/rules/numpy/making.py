"""np.r_ and np.c_, np.fromiter, np.ndarray: arrays as calls of np.concatenate, np.array and np.empty."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.rules.kinds import overlay


def number_range(part: Any) -> Any:
    """What a slice stands for in `np.r_`: a step that is imaginary counts points."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return np.linspace(start, part.stop, int(abs(step)))
    return np.arange(start, part.stop, step)


def laid(part: Any, ndmin: Any, place: Any) -> Any:
    """An array with `ndmin` axes at least, its own beginning at `place` among them."""
    missing = ndmin - np.ndim(part)
    if missing <= 0:
        return part
    return np.reshape(part, rt.with_axes(np.shape(part), missing, place))


@overlay(type(np.r_).__mro__[1].__getitem__)
def joined(self: Any, key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    axis, ndmin, place = self.axis, self.ndmin, self.trans1d
    if isinstance(parts[0], str):
        axis, ndmin, place = rt.directions(parts[0], ndmin, place)
        parts = parts[1:]
    arrays: tuple[Any, ...] = ()
    kinds: tuple[Any, ...] = ()
    for k in rt.positions(parts):
        part = number_range(parts[k]) if isinstance(parts[k], slice) else parts[k]
        arrays = (*arrays, laid(np.asarray(part), ndmin, place))
        # numbers of Python's do not widen arrays
        kinds = (*kinds, part if isinstance(part, (int, float, complex)) else np.asarray(part).dtype)
    whole, dtype = np.concatenate(arrays, axis=axis), np.result_type(*kinds)
    return whole if whole.dtype == dtype else whole.astype(dtype)


@overlay(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    values = np.array(list(iter), dtype)
    return values if count == -1 else values[:count]


@overlay(np.ndarray)
def ndarray(
    shape: Any, dtype: Any = float, buffer: Any = None, offset: Any = 0, strides: Any = None, order: Any = None
) -> Any:
    if strides is not None:
        return np.lib.stride_tricks.as_strided(np.frombuffer(buffer, dtype, offset=offset), shape, strides)
    if buffer is not None:
        count = rt.size_of(shape if isinstance(shape, tuple) else (shape,))
        return np.reshape(np.frombuffer(buffer, dtype, count, offset), shape, order="C" if order is None else order)
    return np.empty(shape, dtype) if order is None else np.empty(shape, dtype, order)
