"""Ways from a module, class or cache to objects that are there when the code runs: the same ways again."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.heap import Pairs, is_mutable
from adcompile.analysis.holding import HOLDERS, ONCE, has_holder
from adcompile.analysis.library import is_of_user
from adcompile.analysis.live import Put, is_flat
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, GlobalRef
from adcompile.ir.types import UNKNOWN, Cell, Ref, TupleT, holds_ref
from adcompile.runtime.structure import DEEPEST


def live_objects(b: Builder, classes: set[type], known: set[int]) -> list[Atom]:
    """The objects, lists and dicts of these classes of which the program reads something, by the way from a module or
    the like, each once: `known` are others."""
    met = ways_of(b).items()
    return [read_way(b, *way) for key, (live, way) in met if type(live) in classes and key not in known]


def ways_of(b: Builder) -> dict[int, Any]:
    """By the identity of what is met there: it, and the way to it."""
    met = dict(b.context.ways)
    for var, (ref, path) in b.context.origin.items():
        for live, way in containers_at(b.context.example.get(var), path):
            met.setdefault(id(live), (live, (ref, way)))
    return met


def containers_at(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The lists and dicts in a live value, itself among them, with the ways to them."""
    if isinstance(value, (list, dict)):
        yield value, path
    if isinstance(value, (list, tuple, dict)) and len(path) < DEEPEST and not is_flat(value):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers_at(item, (*path, ("item", key)))


@frozen
class WrittenWithin:
    """A derivative inside the function writes into lists, dicts or objects of this class that it is given: into copies
    here, which nobody could compare with anything."""

    cls: type


def live_written(b: Builder) -> list[Atom]:
    """The lists and dicts of modules and the like that the program writes into, by the way to them."""
    holders = {put.holder for put in b.context.demoted if isinstance(put, Put)}
    return [read_way(b, *way) for key, (_, way) in ways_of(b).items() if key in holders] if holders else []


def holders(b: Builder, given: Sequence[Atom]) -> list[Atom]:
    """Containers among what the caller gives that are not followed, and may hold such as are."""
    return [h for atom in given if has_holder(b.type(atom)) for h in holders_in(b, atom)]


def live_holders(b: Builder) -> list[Atom]:
    """Live containers that are not followed, and may hold such as are."""
    live = [way for var, way in b.context.origin.items() if isinstance(b.context.example.get(var), (*HOLDERS, *ONCE))]
    return [read_way(b, *way) for way in dict.fromkeys(live)]


def live_followed(b: Builder) -> list[Atom]:
    """The live lists, dicts and objects of the user's that the program reads."""
    met = ways_of(b).values()
    return [read_way(b, *way) for live, way in met if isinstance(live, (list, dict)) or is_of_user(type(live))]


def holders_in(b: Builder, atom: Atom) -> Iterator[Atom]:
    if is_structured(b.type(atom)):
        for item in b.items(atom):
            yield from holders_in(b, item)
    elif has_holder(b.type(atom)):
        yield atom


def read_way(b: Builder, ref: GlobalRef, path: tuple[Any, ...]) -> Atom:
    """What a way from a module leads to, read now."""
    atom: Atom = b.emit(ops.load_global, (Const(ref),), UNKNOWN)
    for step in path:
        fn, key = (operator.getitem, step[1]) if isinstance(step, tuple) else (getattr, step)
        atom = b.emit(fn, (atom, Const(key)), UNKNOWN)
    return atom


def mutable_parts(b: Builder, atom: Atom) -> list[Atom]:
    """The lists, dicts and objects of known structure that a value is or holds."""
    t = b.type(atom)
    if not is_mutable(t):
        return []
    held = [p for item in b.items(atom) for p in mutable_parts(b, item)] if is_structured(t) else []
    return held if isinstance(t, TupleT) else [atom, *held]


def paired(b: Builder, given: Atom, adopted: Atom, above: frozenset[Cell] = frozenset()) -> Pairs:
    """The cells of an argument, right after it was adopted, with those that the caller has, and what these hold."""
    t, own = b.type(given), b.type(adopted)
    if not isinstance(t, Ref) or not isinstance(own, Ref):
        return _paired_items(b, given, adopted, above) if holds_ref(t) and isinstance(t, TupleT) else []
    if own.cell in above:
        return []
    states = b.context.store.states
    state = states[t.cell]
    inner = _paired_items(b, state.content, states[own.cell].content, above | {own.cell})
    return [(own.cell, t.cell, state), *inner]


def _paired_items(b: Builder, given: Atom, adopted: Atom, above: frozenset[Cell]) -> Pairs:
    if not is_structured(b.type(given)):
        return []
    return [pair for g, a in zip(b.items(given), b.items(adopted)) for pair in paired(b, g, a, above)]


__all__ = [
    "WrittenWithin", "holders", "live_followed", "live_holders", "live_objects", "live_written", "mutable_parts",
    "paired", "read_way",
]  # fmt: skip
