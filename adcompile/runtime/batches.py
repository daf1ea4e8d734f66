"""Batches of tangents: the helpers of code that carries several tangents along a leading axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.arrays import is_basic
from adcompile.runtime.shadows import flat, like, refilled, shadows

ELEMENTS = 1 << 17
"""How many numbers the unit tangents of one batch have, roughly: what is computed with them stays in the cache."""


_ALIGNMENT = 64


def batch_width(x: Any) -> int:
    """How many unit tangents of `x` go into one batch."""
    return max(8, ELEMENTS // max(1, np.size(x)))


def units(x: Any, start: int, width: int) -> Any:
    """The unit tangents of the array `x` for its elements from `start` on, counted row by row, at most
    `width` of them: of shape (count, *x.shape)."""
    if np.iscomplexobj(x):
        raise TypeError("a Jacobian of complex values is not one complex matrix: use jvp and vjp")
    count = min(width, x.size - start)
    out = np.zeros((count, x.size), x.dtype)
    out[np.arange(count), np.arange(start, start + count)] = 1
    return out.reshape((count, *x.shape))


def batch_count(x: Any) -> int:
    """How many tangents a batch has; of a list of batches, each of them."""
    return batch_count(x[0]) if isinstance(x, (list, tuple)) else len(x)


def repeated(x: Any, count: int, dtype: Any = None) -> Any:
    """The same tangent `count` times, in memory of its own; of lists, each of their items. None stays."""
    if isinstance(x, (list, tuple)):
        return type(x)([repeated(item, count, dtype) for item in x])
    if x is None:
        return None
    x = np.asarray(x, dtype)
    out = rows(x, count)
    out[...] = x
    return out


def tangent_zeros(x: Any, count: int) -> Any:
    """`count` zero tangents of the array `x`, each of its layout."""
    out = rows(x, count)
    out[...] = 0
    return out


def rows(x: Any, count: int) -> Any:
    """Memory for `count` arrays of the shape, dtype and layout of `x`."""
    like = np.empty_like(x)
    axes = sorted(range(like.ndim), key=lambda k: -abs(like.strides[k]))
    out = np.empty((count, *(like.shape[k] for k in axes)), like.dtype)
    return out.transpose((0, *(axes.index(k) + 1 for k in range(like.ndim))))


def row(x: Any, k: int) -> Any:
    """The k-th tangent of a batch; of a list of batches, a list."""
    if isinstance(x, (list, tuple)):
        return type(x)([row(item, k) for item in x])
    return None if x is None else x[k]


def as_batch(items: Any) -> Any:
    """What several tangents of one kind are as a batch; of lists, a list of batches."""
    first = items[0]
    if isinstance(first, (list, tuple)):
        return type(first)([as_batch(parts) for parts in zip(*items)])
    if not isinstance(first, (np.ndarray, np.generic, int, float, complex)):
        raise TypeError(f"tangents of type {type(first).__name__} cannot be carried several at once: use jvp")
    return np.array(items)


def aligned(x: Any, ndim: int) -> Any:
    """A batch of tangents of fewer than `ndim` axes with the missing ones put in behind the batch's."""
    missing = ndim + 1 - x.ndim
    return x.reshape((x.shape[0],) + (1,) * missing + x.shape[1:]) if missing > 0 else x


def broadcast_each(g: Any, x: Any) -> Any:
    """Every tangent of a batch broadcast to the shape of `x`."""
    shape = (g.shape[0], *np.shape(x))
    return g if g.shape == shape else np.broadcast_to(aligned(g, np.ndim(x)), shape)


def like_each(g: Any, x: Any) -> Any:
    """`rt.like` for every tangent of a batch; `x` is an array or number."""
    if np.iscomplexobj(g) and not np.iscomplexobj(x):
        g = g.real
    return broadcast_each(g, x).astype(np.asarray(x).dtype, copy=False)


def own_each(g: Any, x: Any) -> Any:
    """`rt.own` for every tangent of a batch."""
    out = like_each(g, x)
    return out.copy() if out is g or out.base is not None or not out.flags.writeable else out


def unbroadcast_each(g: Any, x: Any) -> Any:
    """`rt.unbroadcast` for every tangent of a batch."""
    shape = np.shape(x)
    if g.shape[1:] == shape:
        return g
    extra = g.ndim - 1 - len(shape)
    if extra > 0:
        g = np.sum(g, axis=tuple(range(1, extra + 1)))
    axes = tuple(i + 1 for i, n in enumerate(shape) if n == 1 and g.ndim == len(shape) + 1 and g.shape[i + 1] != 1)
    if axes:
        g = np.sum(g, axis=axes, keepdims=True)
    return broadcast_each(g, x)


def reshape_each(x: Any, *shape: Any) -> Any:
    """Every tangent of a batch in another shape, row by row."""
    wanted = shape[0] if len(shape) == 1 else shape
    wanted = (wanted,) if isinstance(wanted, (int, np.integer)) else tuple(wanted)
    return np.reshape(x, (x.shape[0], *wanted))


def item_each(x: Any, index: Any) -> Any:
    """`x[index]` of every tangent of a batch."""
    if is_apart(index):
        return np.array([part[index] for part in x])
    return x[whole(index)]


def whole(index: Any) -> tuple[Any, ...]:
    """The index that selects the same of every tangent of a batch."""
    return (slice(None), *(index if isinstance(index, tuple) else (index,)))


def is_apart(index: Any) -> bool:
    """Whether parts of an index that select elements stand apart from each other, so that NumPy puts their
    axes first."""
    if is_basic(index) or not isinstance(index, tuple):
        return False
    places = [k for k, part in enumerate(index) if not (part is None or part is Ellipsis or isinstance(part, slice))]
    return places[-1] - places[0] >= len(places)


def store_each(buffer: Any, index: Any, value: Any, each: bool) -> None:
    """`buffer[index] = value` in every tangent of a batch; `each`: the value is a batch too."""
    for k in range(len(buffer)):
        buffer[k, ...][index] = row(value, k) if each else value


def add_each_at(buffer: Any, index: Any, value: Any, each: bool) -> Any:
    """`buffer[index] += value` in every tangent of a batch, repeated indices added up; returns the batch."""
    for k in range(len(buffer)):
        part, given = buffer[k, ...], row(value, k) if each else value
        if is_basic(index):
            part[index] += given
        else:
            np.add.at(part, index, given)
    return buffer


def scatter_each(x: Any, index: Any, g: Any) -> Any:
    """`rt.scatter` for every tangent of a batch; `x` is an array."""
    dtype = np.result_type(x, g) if np.iscomplexobj(g) else np.asarray(x).dtype
    return add_each_at(np.zeros((len(g), *np.shape(x)), dtype), index, g, True)


def stacked(items: Any, count: int) -> Any:
    """The array of a (nested) list of batches, as `np.array` makes it of every tangent."""
    if not isinstance(items, (list, tuple)):
        return items
    return np.stack([stacked(item, count) for item in items], axis=1) if items else np.zeros((count, 0))


def followed_each(y: Any, x: Any, x_dot: Any, y_dot: Any) -> Any:
    """`rt.followed` for every tangent of a batch."""
    made = mirrored_each(y, x, x_dot)
    return made if np.shares_memory(made, x_dot) else np.array(y_dot)


def mirrored_each(y: Any, x: Any, x_dot: Any) -> Any:
    """`rt.mirrored` for every tangent of a batch: views of them all, or fresh zeros."""
    if not np.shares_memory(y, x):
        return tangent_zeros(y, len(x_dot))
    first = like(y, x, x_dot[0, ...])
    return np.lib.stride_tricks.as_strided(first, (len(x_dot), *first.shape), (x_dot.strides[0], *first.strides))


def shadows_each(count: int, *arrays: Any, written: tuple[int, ...] | None = None) -> tuple[Any, ...]:
    """`rt.shadows` for every tangent of a batch: the same overlaps within each of them."""
    memory: dict[int, Any] = {}
    out: list[Any] = []
    firsts: list[Any] = []
    whole = shadows(*arrays, written=written)
    flat(whole, firsts)
    for first in firsts:
        root = first
        while isinstance(root.base, np.ndarray):
            root = root.base
        width = -(-root.nbytes // _ALIGNMENT) * _ALIGNMENT
        if id(root) not in memory:
            memory[id(root)] = np.zeros(count * width, np.uint8)
        low = first.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        strides = (width, *first.strides)
        out.append(np.ndarray((count, *first.shape), first.dtype, memory[id(root)], low, strides))
    return refilled(whole, iter(out))


def joined(batches: Any, shape: tuple[int, ...], dtype: Any = float) -> Any:
    """Batches of tangents of this shape, one behind the other: of shape (count, *shape)."""
    return batches[0] if len(batches) == 1 else np.concatenate(batches) if batches else np.zeros((0, *shape), dtype)
