"""Shadows: zeroed memory that mirrors the memory of arrays, for derivatives of writes in place.

An array and its shadow have the same dtype, shape and strides, and arrays that share memory have
shadows that share memory at the same elements. So whatever the program does with views of an array,
the same view of its shadow holds the derivative of the same elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from adcompile.errors import SharedMemory
from adcompile.runtime import arrays as _arrays

# Effort that np.shares_memory may spend on one pair; undecided counts as shared.
MAX_WORK: Any = 10_000
_ALIGNMENT = 64


def shadows(*arrays: Any, written: tuple[int, ...] | None = None) -> tuple[Any, ...]:
    """Zero arrays that mirror the memory of `arrays`, one for each; None for what is None, and
    lists for lists of arrays.

    Same dtypes, shapes and strides. Where two arrays share elements so do their shadows; one array
    given twice has a shadow and views of it. `written` are the positions of those that may be written, by
    default all: arrays that share memory with none of these have shadows of their own, each as if it were the
    only one. Raises ValueError for arrays that share memory under different
    dtypes, complex arrays and their real and imaginary parts excepted, and for those that show an
    element at several places and can be written or share memory with others: what is added to their
    shadows would be added once.
    """
    if any(a is None or isinstance(a, (list, tuple)) for a in arrays):
        return _of_parts(arrays, written)
    if written is not None:
        return _where_written(arrays, {id(arrays[k]) for k in written})
    strange = {id(a): a for a in arrays if overlaps_itself(a)}
    if not strange:
        return told_apart(mirroring(*arrays))
    groups = groups_of(arrays)
    if any(a.flags.writeable or len(group) > 1 for group in groups for a in group if id(a) in strange):
        raise SharedMemory("memory that an array shows at several places is written into here", None, REMEDY)
    found = {id(a): np.zeros(a.shape, a.dtype) for a in strange.values()}  # it is only read
    others = [a for a in arrays if id(a) not in strange]
    found.update(zip(map(id, others), mirroring(*others)))
    return told_apart(tuple(found[id(a)] for a in arrays))


def _of_parts(arrays: tuple[Any, ...], written: tuple[int, ...] | None) -> tuple[Any, ...]:
    """Shadows of those that are not None, at any depth of lists."""
    found: list[Any] = []
    places: list[int] = []
    for k, value in enumerate(arrays):
        first = len(found)
        flat(value, found)
        places += range(first, len(found)) if written is None or k in written else ()
    made = iter(shadows(*found, written=None if written is None else tuple(places)) if found else ())
    return tuple(refilled(value, made) for value in arrays)


def flat(value: Any, out: list[Any]) -> None:
    """The arrays in lists and tuples, in order; None is left out."""
    if isinstance(value, (list, tuple)):
        for item in value:
            flat(item, out)
    elif value is not None:
        out.append(value)


def refilled(value: Any, fresh: Iterator[Any]) -> Any:
    """What is shaped as `value` is, with others in the place of its arrays."""
    if isinstance(value, (list, tuple)):
        return type(value)(refilled(item, fresh) for item in value)
    return None if value is None else next(fresh)


def _where_written(arrays: tuple[np.ndarray, ...], written: set[int]) -> tuple[np.ndarray, ...]:
    """Shadows together of the arrays that share memory with one of those, by identity, that are written."""
    together = {id(a) for group in groups_of(arrays) if any(id(b) in written for b in group) for a in group}
    made = iter(shadows(*(a for a in arrays if id(a) in together)) if together else ())
    return tuple(next(made) if id(a) in together else _of_its_own(a) for a in arrays)


def _of_its_own(a: np.ndarray) -> np.ndarray:
    return np.zeros(a.shape, a.dtype) if overlaps_itself(a) else _alone(a)


def told_apart(found: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The arrays, views where one has come before: none is handed out as the owner of its memory twice."""
    first: dict[int, int] = {}
    return tuple(a if first.setdefault(id(a), k) == k else a[...] for k, a in enumerate(found))


def mirroring(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same of any arrays: whoever adds to a shadow that shows an element at several places does
    it element by element (`np.add.at`)."""
    if len(arrays) == 1:
        return (_alone(arrays[0]),)
    found: dict[int, np.ndarray] = {}
    for group in groups_of(arrays):
        if len(group) == 1:
            found[id(group[0])] = _alone(group[0])
        else:
            _check_cells(group)
            found.update(mirrors_of(group))
    return tuple(found[id(a)] for a in arrays)


def like(view: Any, base: np.ndarray, base_shadow: np.ndarray) -> np.ndarray:
    """The shadow of `view`, which was computed from `base` as a view of it or as a copy.

    A view of the shadow if `view` shares memory with `base`, and fresh zeros otherwise. Raises
    ValueError if `base_shadow` does not mirror `base`, or if `view` reaches beyond `base` or reads
    it under a dtype that is no part of its own.
    """
    if view is base:
        return base_shadow
    if not share(view, base):
        return _alone(view)
    if strides_of(base) != strides_of(base_shadow) or base.dtype != base_shadow.dtype:
        raise ValueError("a shadow does not mirror its array: other strides or dtype")
    if not reaches(base, view):
        raise ValueError("a view reaches beyond the array that it was computed from")
    _check_cells([view, base])
    address = _address(base_shadow) + _address(view) - _address(base)
    return _window(address, view, base_shadow)


def take_out(shadow: np.ndarray, index: Any, value: Any) -> Any:
    """The cotangent of `value` in the write `a[index] = value`, where `shadow` holds that of `a`.

    What `shadow[index]` holds is taken and zeroed there. Of positions that `index` names repeatedly
    the value that NumPy wrote last has the cotangent. The result is like `value` (shape, class,
    dtype; real where it is real) and has memory of its own. A value without derivative (int, bool)
    gets an array of its shape.
    """
    taken: Any = shadow[index]
    if not isinstance(taken, np.ndarray):
        shadow[index] = 0
        return taken if type(taken) is type(value) else _fit(taken, value)
    if _arrays.is_basic(index):
        taken = taken.copy()
    elif _may_repeat(index):
        taken = np.where(last_written(shadow.shape, index, taken.shape, shadow.dtype, value), taken, 0)
    shadow[index] = 0
    return _fit(taken, value)


# --- memory -----------------------------------------------------------------------------------


def _address(a: np.ndarray) -> int:
    return a.__array_interface__["data"][0]


def strides_of(a: np.ndarray) -> tuple[int, ...]:
    """Strides where they matter: those of axes with more than one element."""
    return tuple(s for n, s in zip(a.shape, a.strides) if n > 1)


def bounds(a: np.ndarray) -> tuple[int, int]:
    """The first byte of an array's memory and the one after its last."""
    low = _address(a)
    if a.size == 0:
        return low, low
    reach = [(n - 1) * s for n, s in zip(a.shape, a.strides)]
    return low + sum(r for r in reach if r < 0), low + sum(r for r in reach if r > 0) + a.itemsize


def overlaps_itself(a: np.ndarray) -> bool:
    """Whether an array may show one element at several places, as a broadcast one does."""
    extent = 0
    for stride, n in sorted((abs(s), n) for n, s in zip(a.shape, a.strides) if n > 1):
        if stride <= extent:
            return a.size > 0
        extent += (n - 1) * stride
    return False


def shows_twice(array: np.ndarray) -> bool:
    """Whether an array shows an element at several places."""
    return not array.flags.forc and overlaps_itself(array)


def check_places(array: np.ndarray) -> None:
    """Raise SharedMemory (a ValueError) for an array to be written that shows an element at several places."""
    if shows_twice(array):
        raise SharedMemory("memory that an array shows at several places is written into here", None, REMEDY)


def reaches(base: np.ndarray, view: np.ndarray) -> bool:
    """Whether the memory of `view` lies between the first and the last byte of `base`."""
    (low, high), (base_low, base_high) = bounds(view), bounds(base)
    return base_low <= low and high <= base_high


def share(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have a byte in common; undecided counts as yes."""
    low, high = bounds(a)
    other_low, other_high = bounds(b)
    if high <= other_low or other_high <= low or low == high or other_low == other_high:
        return False
    try:
        return np.shares_memory(a, b, max_work=MAX_WORK)
    except np.exceptions.TooHardError:
        return True


def groups_of(arrays: Iterable[np.ndarray]) -> list[list[np.ndarray]]:
    """The distinct arrays, those together that are connected by shared memory."""
    distinct = sorted({id(a): a for a in arrays}.values(), key=lambda a: bounds(a)[0])
    groups: list[tuple[int, list[np.ndarray]]] = []  # with the end of their memory
    for a in distinct:
        low, end = bounds(a)
        joined = [a]
        others: list[tuple[int, list[np.ndarray]]] = []
        for group_end, group in groups:
            if group_end > low and any(share(a, b) for b in group):
                joined, end = group + joined, max(end, group_end)
            else:
                others.append((group_end, group))
        groups = [*others, (end, joined)]
    return [group for _, group in groups]


def counted_once(group: list[np.ndarray]) -> list[np.ndarray]:
    """For each array of a group, which of its numbers no earlier one holds: booleans of its shape,
    for a complex array with a last axis for the two parts."""
    places = [_cell_addresses(a) for a in group]
    _, first = np.unique(np.concatenate([p.ravel() for p in places]), return_index=True)
    once = np.zeros(sum(p.size for p in places), bool)
    once[first] = True
    parts = np.split(once, np.cumsum([p.size for p in places])[:-1])
    return [part.reshape(p.shape) for part, p in zip(parts, places)]


def same_cells(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether `a` and `b` have the same elements in common as `c` and `d`."""
    if not share(a, b):
        return not share(c, d)
    return _meeting(a, b) == _meeting(c, d)


def _meeting(a: np.ndarray, b: np.ndarray) -> list[tuple[int, int]]:
    """The positions in `a` and `b` of the numbers that both hold."""
    places = _cell_addresses(a).ravel(), _cell_addresses(b).ravel()
    _, left, right = np.intersect1d(places[0], places[1], return_indices=True)
    return sorted(zip(left.tolist(), right.tolist()))


def _cell_addresses(a: np.ndarray) -> np.ndarray:
    """The address of each number that an array holds."""
    found = np.array(_address(a))
    for n, s in zip(a.shape, a.strides):
        found = found[..., None] + np.arange(n) * s
    return found[..., None] + np.arange(2) * (a.itemsize // 2) if a.dtype.kind == "c" else found


def _alone(a: np.ndarray) -> np.ndarray:
    """Zeros that mirror one array."""
    zeros = np.zeros(a.shape, a.dtype, order="F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C")
    if strides_of(zeros) == strides_of(a) or a.size == 0:
        return zeros
    _check_cells([a])
    return mirrors_of([a])[id(a)]


def mirrors_of(group: list[np.ndarray]) -> dict[int, np.ndarray]:
    """Arrays over one zeroed buffer that mirror the group, by the identity of its arrays."""
    low = min(bounds(a)[0] for a in group)
    high = max(bounds(a)[1] for a in group)
    buffer = np.zeros(high - low + _ALIGNMENT, np.uint8)
    # aligned as the original is
    start = (low - _address(buffer)) % _ALIGNMENT
    return {id(a): np.ndarray(a.shape, a.dtype, buffer, start + _address(a) - low, a.strides) for a in group}


class _Window:
    """Memory of `owner` seen as another array; numpy reads the interface and keeps this alive."""

    def __init__(self, address: int, view: np.ndarray, owner: np.ndarray) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "typestr": view.dtype.str,
            "shape": view.shape,
            "strides": view.strides,
        }


def _window(address: int, view: np.ndarray, owner: np.ndarray) -> np.ndarray:
    return np.asarray(_Window(address, view, owner))


# --- cells: the numbers that memory consists of ------------------------------------------------


def _cell(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype itself, or that of the parts of a complex one."""
    return np.real(np.empty(0, dtype)).dtype if dtype.kind == "c" else dtype


def _check_cells(group: list[np.ndarray]) -> None:
    """Raise ValueError unless all arrays divide their common memory into the same numbers."""
    cell = _cell(group[0].dtype)
    other = next((a for a in group if _cell(a.dtype) != cell), None)
    if other is not None:
        message = f"arrays of dtypes {group[0].dtype} and {other.dtype} share memory that is written into here"
        raise SharedMemory(message, None, REMEDY)
    origin = _address(group[0])
    steps = [_address(a) - origin for a in group] + [s for a in group for s in strides_of(a)]
    if all(step % cell.itemsize == 0 for step in steps):
        return
    for i, a in enumerate(group):
        if any(_cut(a, b) or _cut(b, a) for b in group[i:]):
            message = f"two arrays of dtype {a.dtype} share memory that is written into here, but not whole elements"
            raise SharedMemory(message, None, REMEDY)


REMEDY = "pass copies"


def _cut(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether an element of `a` begins inside one of `b`."""
    size = _cell(b.dtype).itemsize
    begins = _bytes(a, 0, 1)
    inside = _bytes(b, 1, size - 1)
    return share(begins, inside)


def _bytes(a: np.ndarray, first: int, count: int) -> np.ndarray:
    """`count` bytes of each cell of `a`, from the one numbered `first`."""
    size = _cell(a.dtype).itemsize
    parts = a.itemsize // size
    address = _address(a) + first
    window = np.empty(0, np.uint8)
    holder = _Window(address, window, a)
    holder.__array_interface__["shape"] = (*a.shape, parts, count)
    holder.__array_interface__["strides"] = (*a.strides, size, 1)
    return np.asarray(holder)


# --- writes -----------------------------------------------------------------------------------


def _fit(taken: Any, value: Any) -> Any:
    """`taken` summed to the shape of `value`, and of its class and dtype if that has a tangent."""
    if isinstance(value, (float, complex, np.inexact)):
        return _arrays.like(taken, value)
    extra = np.ndim(value) - np.ndim(taken)
    if extra > 0:  # a[i] = v drops leading axes of length 1
        taken = np.reshape(taken, (1,) * extra + np.shape(taken))
    taken = _arrays.unbroadcast(taken, value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return _arrays.like(taken, value)
    return taken


def _may_repeat(index: Any) -> bool:
    """Whether an index names positions by arrays of integers, so perhaps one several times."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(not _arrays.is_basic((part,)) and np.asarray(part).dtype.kind in "iu" for part in parts)


def last_written(
    shape: tuple[int, ...], index: Any, taken: tuple[int, ...], dtype: np.dtype[Any], value: Any
) -> np.ndarray:
    """Which of the positions in `index` hold, after `a[index] = value`, what they were given.

    NumPy's order depends on the memory layout of value and indices, so NumPy itself is asked: a
    value of the same layout whose elements are numbered is written, and read again. One position
    is chosen where several give an element the same part of a value that is broadcast.
    """
    given = np.asarray(value)
    numbers = _numbered(given, np.dtype(np.intp if given.dtype == dtype else np.float64))
    owner = np.empty(shape, np.intp)  # only what is written is read
    owner[index] = numbers
    while numbers.ndim > len(taken):
        numbers = numbers[0]
    last = owner[index] == numbers
    if 0 not in numbers.strides and numbers.shape == taken:
        return last
    place = np.where(last, np.arange(last.size).reshape(taken), -1)
    owner[index] = -1
    np.maximum.at(owner, index, place)
    return last & (owner[index] == place)


def _numbered(value: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """Elements 0, 1, … laid out as `value` is."""
    numbers = laid_out(value, dtype)
    numbers[...] = np.arange(value.size).reshape(value.shape)
    return numbers


def laid_out(value: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """An empty array whose axes lie in memory in the order and direction of those of `value`;
    elements of `value` that are one in memory are one."""
    strides = [0] * value.ndim
    step, start = dtype.itemsize, 0
    for axis in sorted(range(value.ndim), key=lambda k: (abs(value.strides[k]), -k)):
        if value.strides[axis]:
            strides[axis] = step if value.strides[axis] > 0 else -step
            start += (value.shape[axis] - 1) * step if value.strides[axis] < 0 else 0
            step *= value.shape[axis]
    if value.size == 0:
        return np.empty(value.shape, dtype)
    return np.ndarray(value.shape, dtype, np.empty(step, np.uint8), start, tuple(strides))
