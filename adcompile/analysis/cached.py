"""Calls of cached functions: what the cache has is there when the code runs, as long as it has the same."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from adcompile.analysis.binding import there
from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import special_methods_write
from adcompile.analysis.executed import KEYS
from adcompile.analysis.heap import reached
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.program import Guard
from adcompile.ir.types import Instance
from adcompile.ir.walk import in_caller

CACHE: Any = functools._lru_cache_wrapper  # pyright: ignore


def cached_call(
    b: Builder, value: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]], name: str, place: Place | None
) -> Atom | None:
    """A cached function of known values, and of objects that are there when the code runs, gives what its cache
    has, as its author wanted; a later call asks the cache first. Arrays and objects in it may be written into.
    None where nothing is cached: the function is followed."""
    atoms = [*args, *(v for _, v in kwargs)]
    for cell in reached(b, atoms):
        if special_methods_write(cell.cls, KEYS):
            message = f"a cached function of a {cell.cls.__name__} whose __hash__ or __eq__ writes"
            raise Unsupported(message, place, "call the function that is cached itself: f.__wrapped__(…)")
    if value.cache_parameters()["maxsize"] == 0 or not all(b.known(a) or is_at_hand(b, a) for a in atoms):
        return None
    given = [b.value(a) if b.known(a) else b.context.example[a] for a in atoms]  # type: ignore[index]
    values, named = tuple(given[: len(args)]), dict(zip((k for k, _ in kwargs), given[len(args) :]))
    try:
        found = in_caller(value, *values, **named)
    except Exception:  # which no cache keeps: the function raises it again
        return None
    for a in atoms:
        if not b.known(a):
            ref, path = b.context.origin[a]  # type: ignore[index]
            b.context.guards["same", id(ref.namespace), ref.name, path] = Guard(ref, b.context.example[a], path)  # type: ignore[index]
    key = ("cached", id(value), tuple(map(id, given)), tuple(named))
    b.context.guards[key] = Guard(b.context.owner(value), found, (("call", values, named),))
    return there(b, found, name, place)


def is_at_hand(b: Builder, atom: Atom) -> bool:
    held = isinstance(atom, Var) and atom in b.context.example and atom in b.context.origin
    return held and isinstance(b.type(atom), Instance)


def check_clear(method: Any, place: Place | None) -> None:
    """What caches hold is built into the code: they are not to be emptied while it runs."""
    if method is CACHE.cache_clear:
        remedy = "empty it before the derivative is called"
        raise Unsupported("a cache that is emptied inside a differentiated function", place, remedy)


__all__ = ["CACHE", "cached_call", "check_clear"]
