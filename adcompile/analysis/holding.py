"""Containers of Python that are not followed, and may hold lists, dicts, objects and arrays that are."""

from __future__ import annotations

import weakref
from collections import ChainMap, UserDict, UserList, deque
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]
from types import MappingProxyType
from typing import Any

from adcompile.analysis.builder import parts
from adcompile.ir.types import Array, Instance, Known, Type
from adcompile.runtime.state import named_by

COLLECTIONS = (deque, set, frozenset, MappingProxyType, ChainMap, UserDict, UserList)
NAMING = (weakref.ref, ContextVar)
"""What leads to one thing."""
HOLDERS = (*COLLECTIONS, *NAMING)
ONCE = (Iterator, type({}.keys()), type({}.values()), type({}.items()), _lru_cache_wrapper)
"""What gives things when it is asked."""


def is_holder(cls: type) -> bool:
    """Whether objects of a class are containers that are not followed."""
    return issubclass(cls, (*HOLDERS, *ONCE)) or issubclass(cls, (list, dict)) and cls not in (list, dict)


def has_holder(t: Type) -> bool:
    """Whether a value of this type is, or has in it, a container that is not followed."""
    if isinstance(t, Array):
        return t.dtype.kind == "O"
    if isinstance(t, Known):
        return isinstance(t.value, _lru_cache_wrapper)
    return isinstance(t, Instance) and is_holder(t.cls) or any(map(has_holder, parts(t)))


def within(value: Any) -> Iterable[Any]:
    """What a container holds, of a dict the values, or a reference leads to."""
    if isinstance(value, (weakref.ref, ContextVar)):
        return named_by(value)
    return value.values() if isinstance(value, Mapping) else value


__all__ = ["HOLDERS", "ONCE", "has_holder", "is_holder", "within"]
