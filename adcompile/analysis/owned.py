"""Methods that exist when the derivative is made, by the values that they are bound to: what those hold is read as the
code runs.

`append = items.append` in a module is read through `append.__self__`. An argument that holds a method of its own
(`self.act = self.relu`) brings what it is bound to: the call is one of that method, with the argument as its first.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from adcompile.analysis.alias import Memory
from adcompile.analysis.binding import read_held
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.live import type_at
from adcompile.analysis.real import unknown
from adcompile.errors import Place
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import Known, OfData, OwnMethod, Ref

READING = frozenset(
    "all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod "
    "cumsum diagonal dot flatten item max mean min nonzero prod ptp ravel repeat reshape round "
    "searchsorted squeeze std sum swapaxes take tobytes tolist trace transpose var view __getitem__ "
    "__matmul__ __add__ __mul__ __sub__".split()
)
"""Methods of arrays that write into nothing but what they are given."""


def note_own_methods(b: Builder, atom: Atom, around: tuple[Atom, ...] = ()) -> None:
    """What the callables are bound to that an adopted argument holds, and that hold it or a part of it."""
    t = b.type(atom)
    if atom in around:
        return
    if isinstance(t, OwnMethod):
        held = {place: around[-up] for place, up in t.bound}
        b.context.bound_to[atom] = (held, {v for owner in held.values() for v in numbers_in(b, owner)})
        cells = getattr(t.function, "__closure__", None) or ()
        b.context.cells.update({id(cells[p[1]]): owner for p, owner in held.items() if p[0] == "cell"})
        return
    whole = b.context.store.states[t.cell].content if isinstance(t, Ref) else atom
    for item in b.items(whole) if is_structured(b.type(whole)) else ():
        note_own_methods(b, item, (*around, atom))


def numbers_in(b: Builder, atom: Atom, seen: frozenset[Atom] = frozenset()) -> Iterator[Atom]:
    """The numbers and arrays that an adopted argument holds."""
    t = b.type(atom)
    whole = b.context.store.states[t.cell].content if isinstance(t, Ref) else atom
    if atom not in seen and is_structured(b.type(whole)):
        for item in b.items(whole):
            yield from numbers_in(b, item, seen | {atom})
    elif isinstance(whole, Var):
        yield whole


def callables_of(b: Builder, inputs: Iterable[Atom]) -> list[Var]:
    """The callables that hold an argument of which the inputs are a part: what they compute may depend on these."""
    wanted = set(inputs)
    held = b.context.bound_to.items()
    return [v for v, (_, numbers) in held if isinstance(v, Var) and not wanted.isdisjoint(numbers)]


def check_reading(b: Builder, memory: Memory) -> None:
    """Refuse calls of an array's method that comes as an argument, where the array may be one that is written.

    Raises Unsupported.
    """
    for call in memory.definition.values() if memory.entered else ():
        if isinstance(call.fn, Var) and isinstance(b.type(call.fn), OfData):
            raise unknown(call.place or b.place)


Bound = tuple[Atom, "list[Atom]", "list[tuple[str, Atom]]"]


def taken_apart(b: Builder, fn: Atom, place: Place | None) -> Bound | None:
    """The function behind such a callable, and what it is bound to: arguments that go first, and by name. None for
    other values.

    Raises Unsupported where nobody knows what it is bound to.
    """
    t = b.type(fn)
    if isinstance(t, OwnMethod):
        held, _ = b.context.bound_to.get(fn, ({}, ()))
        if not held or any(p[0] == "default" for p in held):
            raise unknown(place)
        if t.cls is not functools.partial:
            return Const(t.function), [held[p] for p in held if p == "self"], []
        first = [held["func"]] if "func" in held else []
        inner = t.function.func.__func__ if first else t.function.func
        args, named = held_by_partial(b, t.function, held, place)
        return Const(inner), [*first, *args], named
    if not isinstance(t, OfData):
        return None
    live = b.context.example.get(fn) if isinstance(fn, Var) else None
    if live is None or fn not in b.context.origin:
        if t.data is np.ndarray and t.name in READING:
            return None
        raise unknown(place)
    ref, path = b.context.origin[fn]  # type: ignore[index]
    b.context.guard_type(ref, (*path, "__name__"), Known(live.__name__))
    way = (*path, "__self__")
    t = type_at(b, ref, way, live.__self__)
    b.context.guard_type(ref, way, t)
    owner = b.emit(getattr, (fn, Const("__self__")), t, (), "", place)
    b.context.example[owner], b.context.origin[owner] = live.__self__, (ref, way)
    return Const(getattr(type(live.__self__), live.__name__)), [owner], []


def held_by_partial(
    b: Builder, value: functools.partial[Any], known: Mapping[Any, Atom], place: Place | None
) -> tuple[list[Atom], list[tuple[str, Atom]]]:
    """The arguments of a partial application that exists when the derivative is made; `known` are some of them."""
    ref = b.context.owner(value)
    for part, t in (("func", Known(value.func)), ("args", type_of(value.args)), ("keywords", type_of(value.keywords))):
        b.context.guard_type(ref, (part,), t)

    def read(part: str, key: Any, held: Any) -> Atom:
        return known.get((part, key)) or read_held(b, value, part, key, held, place)

    args = [read("args", i, held) for i, held in enumerate(value.args)]
    return args, [(name, read("keywords", name, held)) for name, held in value.keywords.items()]


__all__ = ["callables_of", "check_reading", "held_by_partial", "note_own_methods", "taken_apart"]
