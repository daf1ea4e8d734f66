"""Calls of cached functions: what the cache has is there when the code runs, as long as it has the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.begin import Begin
from adcompile.analysis.binding import there
from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import special_methods_write
from adcompile.analysis.executed import KEYS
from adcompile.analysis.heap import reached, settle
from adcompile.analysis.laziness import root, written_since
from adcompile.analysis.mutation import calls_in, writes_into
from adcompile.analysis.outward import CACHE, is_in_cache, told_by
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.program import Guard
from adcompile.ir.stack import in_caller
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Cell,
    Instance,
    Known,
    Ref,
    Scalar,
    TupleT,
    Type,
    Unknown,
    holds,
)

Kwargs = Sequence[tuple[str, Atom]]


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
    told = None if is_in_cache(value, values, named) else told_by(b, value, given)
    if told is not None:
        message = f"a cached {getattr(value, '__name__', 'function')}() {told}, and which does not have the result yet"
        raise Unsupported(message, place, "call it before, so that its cache has the result")
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
    made = there(b, found, name, place)
    b.context.memoised.setdefault(CACHE, []).append(made)
    return made


def asked_too(
    b: Builder,
    value: Any,
    args: Sequence[Atom],
    kwargs: Kwargs,
    follow: Callable[[], Atom],
    name: str,
    place: Place | None,
) -> Atom:
    """What a cached function gives for numbers that are met when the code runs and objects that the caller has, made
    by its source: its cache is asked when the code runs, as the function itself does, and may hold what the source
    gave at another time. What is no number comes from the cache itself, as others may have it too."""
    begin = Begin(b, {})
    made = follow()
    if value.cache_parameters()["maxsize"] == 0:
        return made
    keys = [a.value if isinstance(b.type(a), Ref) else a for a in (*args, *(v for _, v in kwargs))]  # type: ignore[union-attr]
    cells = [a for a in keys if isinstance(a, Cell)]
    if any(cell.real is None for cell in cells) or not all(is_key(b.type(a)) for a in keys if not isinstance(a, Cell)):
        raise refusal(value, "of what the code itself makes", place)
    result = settle(b, made)
    if not cells:
        check_reads_only(b, value, begin, place)
    handed_out = holds(b.type(made), Ref) or not is_plain(b.type(result))
    if cells and handed_out:
        raise refusal(value, "of an object that the caller has, which gives a list, a dict or an object", place)
    if any(cell in b.context.written for cell in cells):
        raise refusal(value, "of an object that the caller has, which has been written into", place)
    real = [a.real if isinstance(a, Cell) else a for a in keys]
    given = (Const(spot(place)), Const(value), Const(tuple(n for n, _ in kwargs)), result, *real)
    if isinstance(b.type(result), (Scalar, Known)):
        b.emit(rt.check_cached, given, Known(None), (), "", place)
        return made
    made = b.emit(rt.from_cache, given, UNKNOWN if handed_out else b.type(result), (), name, place)
    b.context.memoised.setdefault(rt.from_cache, []).append(made)
    return made


def refusal(value: Any, of_what: str, place: Place | None) -> Unsupported:
    remedy = "leave the cache out, or call it before and pass what it gives"
    return Unsupported(f"a cached {getattr(value, '__name__', 'function')}() {of_what}", place, remedy)


def is_plain(t: Type) -> bool:
    return isinstance(t, (Scalar, Array, Known)) or isinstance(t, TupleT) and all(map(is_plain, t.items))


def is_key(t: Type) -> bool:
    return isinstance(t, (Scalar, Known, Unknown)) or isinstance(t, TupleT) and all(map(is_key, t.items))


def check_reads_only(b: Builder, value: Any, begin: Begin, place: Place | None) -> None:
    """Refuse a cached function, followed since `begin`, that writes into something: it does so where its cache does
    not have the result yet, and never again."""
    calls = [c for s in begin.emitted(b) for c in calls_in(s)]
    targets = [t for c in calls for t in writes_into(c, b.context.types, b.context.definition)]
    if written_since(b, begin.mark) or any(root(b, t) in b.context.example for t in targets):
        raise refusal(value, "that writes into something", place)


def is_at_hand(b: Builder, atom: Atom) -> bool:
    held = isinstance(atom, Var) and atom in b.context.example and atom in b.context.origin
    return held and isinstance(b.type(atom), Instance)


def check_clear(method: Any, place: Place | None) -> None:
    """What caches hold is built into the code: they are not to be emptied, nor asked how they did, while it runs."""
    if method is CACHE.cache_clear:
        remedy = "empty it before the derivative is called"
        raise Unsupported("a cache that is emptied inside a differentiated function", place, remedy)
    if method is CACHE.cache_info:
        remedy = "ask it outside of what is differentiated"
        raise Unsupported("how often a cache was asked, inside a differentiated function", place, remedy)


__all__ = ["CACHE", "asked_too", "cached_call", "check_clear"]
