"""Copies of results and arguments that share memory with nothing, aliased within themselves as the originals are."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.runtime import objects
from adcompile.runtime.shadows import bounds, groups_of, mirrors_of, strides_of


def replica(a: Any) -> Any:
    """A copy of an array, or of each of a list, with the strides of the original: what is computed of it anew gives
    views and copies where they were views and copies."""
    if isinstance(a, (list, tuple)):
        return [replica(item) for item in a]
    if not isinstance(a, np.ndarray):
        return a.copy() if hasattr(a, "copy") else a  # a number, where the type was not known
    if a.flags.c_contiguous or a.flags.f_contiguous or a.dtype.hasobject or type(a) is not np.ndarray:
        return a.copy(order="K")
    return _copies([a], True)[0]


def replicas(tree: Any) -> Any:
    """`detached`, with copies that have the strides of the originals."""
    return detached(tree, True)


def detached(tree: Any, exact: bool = False) -> Any:
    """A copy of a result that shares memory with nothing, aliased within itself as the result is; `exact`:
    with the strides of its arrays too.

    Arrays, tuples, lists, dicts, sets and plain objects are copied, cycles included; whatever else
    (numbers, functions, open files, random generators) is the same thing in the copy.
    """
    found: list[np.ndarray] = []
    _collect(tree, found, set())
    memo: dict[int, Any] = {}
    for group in groups_of(found):
        copies = _copies(group, exact)
        memo.update((id(a), copy) for a, copy in zip(group, copies))
    unfilled: list[tuple[Any, Any]] = []
    copy = _copy(tree, memo, unfilled)
    while unfilled:
        value, new = unfilled.pop()
        _fill(value, new, lambda item: _copy(item, memo, unfilled))
    return copy


_MUTABLE: tuple[Any, ...] = (OrderedDict, defaultdict, dict, list, set, deque)


def _parts(value: Any) -> list[Any]:
    """What a container or plain object holds."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values(), *_extra(value)]
    if isinstance(value, (tuple, list, set, frozenset, deque)):
        return [*value, *_extra(value)]
    return list(objects.attributes(value).values()) if objects.is_plain(value) else []


def _extra(value: Any) -> list[Any]:
    """The attributes of an instance of a class derived from a container."""
    return list(getattr(value, "__dict__", {}).values())


def _collect(tree: Any, found: list[np.ndarray], seen: set[int]) -> None:
    """All arrays of plain memory within `tree`."""
    todo = [tree]
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            if not value.dtype.hasobject:
                found.append(value)
            else:
                todo.extend(value.flat)
        else:
            todo.extend(_parts(value))


def _copies(group: list[np.ndarray], exact: bool = False) -> list[np.ndarray]:
    """Copies that share memory as the arrays of the group do; `exact`: with the same strides."""
    low, high = bounds(group[0])
    dense = high - low >= group[0].nbytes and 0 not in strides_of(group[0])
    dense = group[0].flags.forc if exact else dense
    if len(group) == 1 and dense:
        return [group[0].copy(order="K")]
    mirrors = mirrors_of(group)
    for a in group:
        np.copyto(mirrors[id(a)], a)
        mirrors[id(a)].flags.writeable = _is_writeable(a)
    return [mirrors[id(a)].view(type(a)) for a in group]


def _is_writeable(a: Any) -> bool:
    with warnings.catch_warnings():  # of what np.broadcast_arrays gives
        warnings.simplefilter("ignore", FutureWarning)
        return bool(a.flags.writeable)


def _copy(value: Any, memo: dict[int, Any], unfilled: list[tuple[Any, Any]]) -> Any:
    """The copy of one value. What can be filled later is left empty, and listed: so cycles and
    long chains need no recursion."""
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, (tuple, frozenset)):
        return memo.setdefault(id(value), _rebuilt(value, [_copy(item, memo, unfilled) for item in value]))
    new = value.copy() if isinstance(value, bytearray) else _shell(value)
    if new is not value and not isinstance(value, bytearray):
        unfilled.append((value, new))
    return memo.setdefault(id(value), new)


def _rebuilt(value: Any, items: list[Any]) -> Any:
    """A tuple or frozenset of these items; itself if they are its own."""
    if all(a is b for a, b in zip(value, items)):
        return value
    base: Any = tuple if isinstance(value, tuple) else frozenset
    new = base.__new__(type(value), items)
    if hasattr(value, "__dict__"):
        new.__dict__.update(value.__dict__)
    return new


def _shell(value: Any) -> Any:
    """An empty value of the same class, or the value itself if it is one thing."""
    if isinstance(value, np.ndarray):  # of objects: all others are copied already
        return np.empty_like(value)
    base = next((b for b in _MUTABLE if isinstance(value, b)), None)
    if base is None:
        return objects.blank(type(value)) if objects.is_plain(value) else value
    new = base.__new__(type(value))
    if isinstance(value, defaultdict):
        new.default_factory = value.default_factory
    if isinstance(value, deque):
        deque.__init__(new, (), value.maxlen)
    return new


def _fill(value: Any, new: Any, copy: Callable[[Any], Any]) -> None:
    """Give a shell the copied parts of `value`, by the methods of the builtin classes alone."""
    if isinstance(value, np.ndarray):
        for place, item in zip(np.ndindex(value.shape), value.flat):
            new[place] = copy(item)
        return
    if isinstance(value, dict):
        insert = OrderedDict.__setitem__ if isinstance(value, OrderedDict) else dict.__setitem__
        for key, item in value.items():
            insert(new, copy(key), copy(item))
    elif isinstance(value, (list, set, deque)):
        items = [copy(item) for item in value]
        base: Any = next(b for b in _MUTABLE if isinstance(value, b))
        (base.update if base is set else base.extend)(new, items)
    else:
        for name, item in objects.attributes(value).items():
            objects.set_attribute(new, name, copy(item))
        return
    if hasattr(value, "__dict__"):
        new.__dict__.update((name, copy(item)) for name, item in value.__dict__.items())
