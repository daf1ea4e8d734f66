"""Numbers that no tangent reaches: those in arrays of objects, in sets, iterators and bound methods.

Such a value is one thing to a derivative (`runtime/structure`), though numbers go in and come out. Where calls
are looked up when the code runs, what goes in may carry derivatives, which then would get lost without a word.
"""

from __future__ import annotations

import functools
import types
from array import array
from collections import deque
from collections.abc import Iterable, MappingView
from typing import Any

import numpy as np

from adcompile.runtime.structure import is_leaf, parts_of, registration_of

_NUMBERS = (float, int, bool, np.floating, np.integer, np.bool_)


def hides(value: Any) -> bool:
    """Whether a number that has a tangent is in `value`, and the tangent of `value` has no part for it."""
    return holder(value) is not None


def holder(value: Any) -> Any:
    """What in `value` hides a number; None: nothing does."""
    if is_leaf(value):
        return None
    todo: list[tuple[Any, Any]] = [(value, None)]
    seen: dict[tuple[int, bool], Any] = {}
    while todo:
        item, around = todo.pop()
        if is_leaf(item):
            if around is not None:
                return around
            continue
        key = id(item), around is None
        if key in seen:
            continue
        seen[key] = item
        parts = parts_of(item)
        if parts is not None:
            todo.extend((part, around) for part in parts.values())
        elif registration_of(type(item)) is None:
            inside = item if around is None else around
            todo.extend((part, inside) for part in _contents(item) or ())
    return None


ANY: tuple[Any, ...] = (0.0,)
"""Stands for what cannot be looked into."""


def _contents(value: Any) -> Iterable[Any] | None:
    """What an opaque value holds: None of what holds no numbers, ANY where nobody can say."""
    if isinstance(value, (np.ndarray, np.void)):
        return _elements(value)
    if isinstance(value, (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)):
        return (value.__self__,)
    if isinstance(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if isinstance(value, (dict, types.MappingProxyType)):
        return (*value.keys(), *value.values())
    for cls in _SEQUENCES:
        if isinstance(value, cls):
            return tuple(cls.__iter__(value))
    if isinstance(value, _VIEWS):
        return tuple(value)  # type: ignore[arg-type]
    return ANY if isinstance(value, (float, complex)) or hasattr(type(value), "__next__") else None


_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
_VIEWS = (MappingView, array, memoryview)
"""Going through these changes nothing."""


def _elements(value: Any) -> Iterable[Any] | None:
    dtype = value.dtype
    if dtype.hasobject:
        return tuple(np.asarray(value).ravel().tolist()) if dtype.kind == "O" else ANY
    if dtype.names is not None:
        return ANY if any(dtype[name].base.kind in "fcV" for name in dtype.names) else None
    return ANY if dtype.kind in "fc" else None  # a subclass of ndarray: others are leaves


def is_array_of_numbers(value: Any) -> bool:
    """Whether an array of objects holds real numbers only, or None: NumPy computes with them as with others."""
    return value.dtype == object and all(item is None or isinstance(item, _NUMBERS) for item in value.ravel().tolist())
