"""Arrays by reference: shadows that mirror memory, and copies of memory that is written later.

A shadow has the shape, dtype and layout of an array of the primal and collects its cotangent, or
holds its tangent; where two arrays share memory, their shadows do.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile.runtime.shadows import (
    flat,
    laid_out,
    last_written,
    like,
    mirroring,
    overlaps_itself,
    reaches,
    refilled,
    share,
)

WHOLE: Any = ...


def shadow(x: Any) -> Any:
    """Zeros that mirror an array nothing else shares memory with; None where there is none."""
    return None if x is None else np.zeros_like(x)


def snapshot(x: Any) -> Any:
    """An array, or a list or tuple of arrays, as it is now: its memory is written later."""
    if isinstance(x, list):
        return [snapshot(item) for item in x]
    if isinstance(x, tuple):  # an index among them: a list would mean something else
        return tuple(map(snapshot, x))
    return x.copy() if hasattr(x, "copy") else x  # numbers, where the type was not known


_NOTHING: dict[Any, Any] = {}  # a number for each dtype, of which outlines are made
_OUTLINES: dict[Any, Any] = {}  # those made, by dtype and shape: a loop asks for the same one each time
_MANY = 1024


def outline(x: Any) -> Any:
    """An array of the shape and dtype of `x` without its memory: what is kept where the shape alone
    is wanted. None of what no path has bound. Nobody can write into it, so that one does for all."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return None
    key = (x.dtype, x.shape)
    found = _OUTLINES.get(key)
    return _new_outline(key) if found is None else found


def product_outline(a: Any, b: Any, product: Any = operator.matmul) -> Any:
    """The outline of the product of two matrices, which is not computed. Raises what `product` raises."""
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        return outline(product(a, b))
    key = (np.result_type(a, b), (a.shape[0], b.shape[1]))
    found = _OUTLINES.get(key)
    return _new_outline(key) if found is None else found


def _new_outline(key: tuple[Any, tuple[int, ...]]) -> Any:
    dtype, shape = key
    if dtype not in _NOTHING:
        _NOTHING[dtype] = np.zeros(1, dtype)
        _NOTHING[dtype].flags.writeable = False
    if len(_OUTLINES) >= _MANY:
        _OUTLINES.clear()
    made = _OUTLINES[key] = np.ndarray(shape, dtype, _NOTHING[dtype], 0, (0,) * len(shape))
    return made


def is_outline(x: Any) -> bool:
    """Whether an array is an outline, which has no memory that anybody writes into."""
    return isinstance(x, np.ndarray) and x.base is not None and x.base is _NOTHING.get(x.dtype)


def add_at(buffer: Any, index: Any, value: Any) -> None:
    """`buffer[index] += value`, for an index that selects no element twice."""
    buffer[index] += value


def add_each(buffers: Any, values: Any) -> None:
    """Add to each array of a list of shadows."""
    for buffer, value in zip(buffers, values):
        if isinstance(buffer, (list, tuple)):
            add_each(buffer, value)
        elif isinstance(buffer, np.ndarray) and overlaps_itself(buffer):
            np.add.at(buffer, WHOLE, value)
        elif buffer is not None:
            buffer += value


def arrays_in(values: Any) -> list[Any]:
    """The arrays that a list or tuple holds now, those in lists and tuples in it as well."""
    found: list[Any] = []
    flat(values, found)
    return [a for a in found if isinstance(a, np.ndarray)]


def put_each(arrays: Any, copies: Any) -> None:
    """Make each array hold what its copy holds."""
    for array, copy in zip(arrays, copies):
        if is_writable(array):
            array[...] = copy


def last_writes(buffer: Any, index: Any, value: Any) -> Any:
    """Which elements of `buffer[index]` the write `buffer[index] = value` decides: of positions
    that the index names several times, the one written last. Booleans of the shape of `buffer[index]`."""
    return last_written(buffer.shape, index, buffer[index].shape, buffer.dtype, value)


def same_layout(x: Any) -> Any:
    """A copy whose axes lie in memory as those of `x` do; what is no array, or not there on this path, as it is."""
    if not isinstance(x, np.ndarray):
        return x
    out = laid_out(x, x.dtype)
    out[...] = x
    return out


def is_writable(x: Any) -> bool:
    """Whether one may write into an array."""
    return bool(x.flags.writeable)


def shares(y: Any, x: Any) -> bool:
    """Whether `y`, made of `x` by an operation that gives a view or a copy, is a view."""
    return np.shares_memory(x, y)


def occurrences(buffer: Any, index: Any) -> tuple[Any, Any, int]:
    """The elements of `buffer[index]` by their numbers in `buffer` (of the shape of `buffer[index]`),
    how often each was named before (flat), and how often one is named at most."""
    chosen = np.arange(np.size(buffer)).reshape(np.shape(buffer))[index]
    flat = np.ravel(chosen)
    order = np.argsort(flat, kind="stable")
    ranked = flat[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1]))) if flat.size else np.zeros(0, int)
    lengths = np.diff(np.append(starts, flat.size))
    turns = np.empty(flat.size, int)
    turns[order] = np.arange(flat.size) - np.repeat(starts, lengths)
    return np.asarray(chosen), turns, int(lengths.max(initial=0))


def hand_over(new: Any, old: Any) -> None:
    """Let the shadow `new` hold what `old` holds: both are of the same array, which was computed twice."""
    if new is not old:
        new[...] = old


def diagonal_of(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of a shadow, as `np.diagonal` shows them, to be written into."""
    made = np.diagonal(x, offset, axis1, axis2)
    made.flags.writeable = x.flags.writeable
    return made


def unless_shared(g: Any, shared: Any) -> Any:
    """`g`, or zeros like it: the cotangent of an operation that gives a view or a copy, which a
    view has already."""
    return np.zeros_like(g) if shared else g.copy()


def followed(y: Any, x: Any, x_dot: Any, y_dot: Any) -> Any:
    """The tangent of `y`, made of `x`: a view of `x_dot` if `y` is a view of `x`, else `y_dot`
    in memory of its own."""
    made = mirrored(y, x, x_dot)
    return made if np.shares_memory(made, x_dot) else np.array(y_dot)


def mirrored(y: Any, x: Any, shadow_of_x: Any) -> Any:
    """The shadow of `y`, made of `x` by an operation that may give a view or a copy: the view of
    the shadow of `x` at the same place, or fresh zeros."""
    return like(y, x, shadow_of_x)


def check_tangent(shadow: Any, tangent: Any) -> None:
    """Raise ValueError if memory that two arguments share was given two different tangents."""
    if isinstance(shadow, (list, tuple)):
        for one, given in zip(shadow, tangent):
            check_tangent(one, given)
    elif not np.array_equal(shadow, tangent, equal_nan=True):
        raise ValueError("arguments that share memory, and are written in place, have different tangents there")


def apart(x: Any) -> Any:
    """A shadow, or a copy where it may overlap another one."""
    return x if x.base is None else x.copy()


class Held:
    """What a pullback keeps by reference: shadows, which stay zero, those that they may be views
    of and that its caller gives, and other memory."""

    __slots__ = ("given", "shadows", "values")

    def __init__(self, given: tuple[Any, ...], shadows: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        self.given, self.shadows, self.values = given, shadows, values


def hold(given: int, count: int, *values: Any) -> Held:
    """Keep memory for a pullback as it is. The first values are shadows or lists of such: those
    `given` to it, then `count` others."""
    return Held(values[:given], values[given : given + count], values[given + count :])


def released(held: Held, *given: Any) -> tuple[Any, ...]:
    """The values held; the shadows that are views of given ones as views of those given now, the
    others as fresh zeros that share memory with each other as those do."""
    return (*_mirrors(held.shadows, held.given, given), *held.values)


def within(count: int, *arrays: Any) -> tuple[Any, ...]:
    """The shadows of the first `count` arrays: views of the last ones, which are the shadows of
    those between, or fresh zeros."""
    half = (len(arrays) + count) // 2
    return _mirrors(arrays[:count], arrays[count:half], arrays[half:])


def _mirrors(values: tuple[Any, ...], given: tuple[Any, ...], shadows_of_given: tuple[Any, ...]) -> tuple[Any, ...]:
    found: list[Any] = []
    bases: list[Any] = []
    copies: list[Any] = []
    flat(values, found)
    flat(given, bases)
    flat(shadows_of_given, copies)
    made: dict[int, Any] = {}
    for x in found:
        near = [k for k, g in enumerate(bases) if share(x, g)]
        base = next((k for k in near if reaches(bases[k], x)), near[0] if near else None)
        if base is not None:
            made[id(x)] = like(x, bases[base], copies[base])
    alone = [x for x in found if id(x) not in made]
    made.update(zip(map(id, alone), mirroring(*alone) if alone else ()))
    fresh = iter([made[id(x)] for x in found])
    return tuple(refilled(v, fresh) for v in values)
