"""The spaces of the tangents that cross between the user and generated code.

Generated code takes objects apart by their attributes, whatever `tangents.register` says of their
class; the user sees tangents that consist of the registered parts. The two are one where the parts
are attributes, and the others do not depend on them: that is checked of the values that cross.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.errors import NotDifferentiable
from adcompile.frozen import frozen
from adcompile.ir.abstract import is_followed, shows
from adcompile.ir.types import DictT, ListT, Maybe, ObjectT, Scalar, Seq, TupleT, Type, differentiable
from adcompile.runtime.objects import attributes
from adcompile.runtime.structure import DEEPEST, Registration, by_attributes, made_of, registered, registration_of
from adcompile.tangents import ArraySpace, Cycle, NoTangent, Product, Record, has_tangent, is_leaf


@frozen
class Inert:
    """What has no tangent where the user sees it, and one of this space in generated code: zero."""

    space: Any


@frozen
class Registered(Record):
    """An object of a registered class by its attributes, `parts` being what the class is registered
    with; `like` is the value, of which its class makes tangents."""

    parts: tuple[Any, ...]
    like: Any = field(compare=False, repr=False)


def space_of(value: Any) -> Any:
    """The space of the tangents of `value` as they cross: closures are constants here, and objects
    that are not taken apart.

    Raises NotDifferentiable for what is nested too deep, and for an object of a class that is
    registered with other parts than its attributes.
    """
    return _outside(inner_space(value), value)


def cotangent_space(value: Any, t: Type) -> Any:
    """The space of the cotangents of `value` as a pullback takes them that was made for type `t`: it goes into
    lists, dicts and objects in which there could be what has tangents, whether there is or not."""
    return _outside(inner_cotangent_space(value, t), value)


def crosses(value: Any) -> bool:
    """Whether any part of `value` is differentiated."""
    return not is_hollow(space_of(value))


def is_hollow(space: Any) -> bool:
    """Whether nothing in it has a tangent."""
    if isinstance(space, (Product, Record)):
        return all(map(is_hollow, space.items))
    return space is NoTangent or isinstance(space, (Inert, Cycle))


def holds_cycle(space: Any) -> bool:
    """Whether a value of this space holds itself."""
    if isinstance(space, (Product, Record)):
        return any(map(holds_cycle, space.items))
    return isinstance(space, Cycle)


def without_cycles(space: Any) -> Any:
    """The space of trees: of what holds itself, without itself as a part."""
    if isinstance(space, Record):
        return Record(space.of, tuple(map(without_cycles, space.items)), space.keys)
    if isinstance(space, Product):
        return Product(space.cls, tuple(map(without_cycles, space.items)), space.keys)
    return NoTangent if isinstance(space, Cycle) else space


def shown(space: Any) -> Any:
    """The space as the user sees it."""
    if isinstance(space, Inert):
        return NoTangent
    if isinstance(space, Registered):
        held = dict(zip(space.keys, space.items))
        return Record(space.of, tuple([shown(held.get(k, NoTangent)) for k in space.parts]), space.parts)
    if isinstance(space, Record):
        return Record(space.of, tuple(map(shown, space.items)), space.keys)
    if isinstance(space, Product):
        return Product(space.cls, tuple(map(shown, space.items)), space.keys)
    return space


def keys_of(space: Product | Record) -> Any:
    return range(len(space.items)) if space.keys is None else space.keys


# -- in generated code --------------------------------------------------------------------------


def inner_space(value: Any) -> Any:
    """The space of the tangents of `value` in generated code: by attributes."""
    return _inner(value, {})[0]


def _inner(value: Any, path: dict[int, int]) -> tuple[Any, int]:
    """The space, and the outermost of the values around it (`path`) that a part of it is."""
    if is_leaf(value):
        return tangents.tangent_type(value), len(path)
    parts = _parts(value)
    if parts is None:
        return NoTangent, len(path)
    if id(value) in path:
        return Cycle(len(path) - path[id(value)]), path[id(value)]
    if len(path) >= DEEPEST:
        raise tangents.too_deep()
    level = path[id(value)] = len(path)
    found = [_inner(part, path) for part in parts.values()]
    del path[id(value)]
    items, outermost = tuple([space for space, _ in found]), min([level, *[out for _, out in found]])
    # what a registered class says of its parts is compared with these, empty or not
    known = registration_of(type(value))
    if not all(map(is_hollow, items)) and not (tangents.is_container(value) or shows(type(value), parts)):
        raise _hidden(value)
    if all(map(is_hollow, items)) and outermost == level and (known is None or known.parts is None):
        return NoTangent, level
    return _like(value, items, parts), outermost


def _hidden(value: Any) -> NotDifferentiable:
    return NotDifferentiable(
        f"an object of {type(value).__name__}, whose class computes what is read of its attributes",
        remedy="make the object in the function that is differentiated, or pass its numbers",
    )


def _parts(value: Any) -> dict[Any, Any] | None:
    """What generated code takes apart."""
    if tangents.is_container(value):
        return dict(_items(value))
    return attributes(value) if is_followed(type(value)) else None


def _items(value: Any) -> Any:
    return value.items() if type(value) is dict else enumerate(value)


def _like(value: Any, items: tuple[Any, ...], parts: Iterable[Any]) -> Any:
    if tangents.is_container(value):
        return Product(type(value), items, tuple(parts) if type(value) is dict else None)
    return Record(type(value), items, tuple(parts))


def inner_cotangent_space(value: Any, t: Type) -> Any:
    """The space of the cotangents of `value` in a pullback that was made for type `t`."""
    return _completed(inner_space(value), value, t)


def _completed(space: Any, value: Any, t: Type) -> Any:
    if isinstance(t, Maybe):
        return _completed(space, value, t.type)
    if not isinstance(t, (Seq, ListT, TupleT, DictT, ObjectT)) or not differentiable(t):
        return space
    if isinstance(t, Seq) and isinstance(t.item, Scalar) and type(value) in (list, tuple):
        numbers = space.items if isinstance(space, Product) else (NoTangent,) * len(value)
        return Product(type(value), tuple([float if s is NoTangent else s for s in numbers]))  # whole numbers get zero
    if isinstance(t, ObjectT):
        parts: Any = attributes(value) if type(value) is t.cls and is_followed(t.cls) else None
    else:
        parts = dict(_items(value)) if tangents.is_container(value) else None
    types = _item_types(t, parts or ())
    if parts is None or not types.keys() >= parts.keys():
        return space
    known = isinstance(space, (Product, Record))
    spaces: dict[Any, Any] = dict(zip(keys_of(space), space.items)) if known else {}
    items = tuple([_completed(spaces.get(k, NoTangent), v, types[k]) for k, v in parts.items()])
    return _like(value, items, parts)


def _item_types(t: Seq | ListT | TupleT | DictT | ObjectT, keys: Iterable[Any]) -> dict[Any, Type]:
    if isinstance(t, Seq):
        return dict.fromkeys(keys, t.item)
    if isinstance(t, ObjectT):
        return dict(zip(t.names, t.types))
    return dict(zip(t.keys, t.values)) if isinstance(t, DictT) else dict(enumerate(t.items))


# -- as the user sees it ------------------------------------------------------------------------


def _outside(space: Any, value: Any) -> Any:
    """The space of what crosses, by that of generated code."""
    if is_leaf(value) or not registered:
        return space
    known = registration_of(type(value))
    if known is not None:
        return _of_registered(known, space, value)
    if not isinstance(space, (Product, Record)):
        return space
    parts = _parts(value) or {}
    items = tuple([_outside(s, parts[k]) for k, s in zip(keys_of(space), space.items)])
    if items == space.items:
        return space
    if all(item is NoTangent or isinstance(item, Inert) for item in items):
        return Inert(space) if any(isinstance(item, Inert) for item in items) else NoTangent
    return _like(value, items, keys_of(space))


def _of_registered(known: Registration, space: Any, value: Any) -> Any:
    parts = {} if known.parts is None else known.parts(value)
    active = {k: part for k, part in parts.items() if has_tangent(part)}
    if not active:
        return space if is_hollow(space) else Inert(space)
    held = dict(zip(keys_of(space), space.items)) if isinstance(space, Record) else {}
    if holds_cycle(space):
        raise _other_parts(type(value).__name__, "it holds itself")
    _check_parts(known, value, active, held)
    pairs = [_outside(s, active[k]) if k in active else s if s is NoTangent else Inert(s) for k, s in held.items()]
    return Registered(type(value), tuple(pairs), tuple(held), tuple(parts), value)


# -- registered parts and attributes ------------------------------------------------------------

_agreed: set[tuple[Any, ...]] = set()
"""Registrations that were found to take objects with these attributes apart into these parts of them."""


def _check_parts(known: Registration, value: Any, active: dict[Any, Any], held: dict[Any, Any]) -> None:
    """Raise NotDifferentiable unless the parts that have tangents are attributes, and what `make`
    makes of others is the object with these in their place."""
    own = attributes(value) if is_followed(type(value)) else {}
    name = type(value).__name__
    for k, part in active.items():
        if k not in own or not _equal(inner_space(part), part, own[k]):
            raise _other_parts(name, f"its part {k!r} is not the attribute of that name")
    key = (known, type(value), tuple(own), tuple(active))
    if key in _agreed:
        return
    moved = {k: _moved(part) for k, part in active.items()}
    made = made_of(value, {**known.parts(value), **moved})  # type: ignore[misc]
    new = attributes(made) if type(made) is type(value) else {}
    for k, space in held.items():
        if space is not NoTangent and (k not in new or not _equal(space, moved.get(k, own[k]), new[k])):
            what = "is not what make was given for it" if k in moved else "depends on its parts, and is none"
            raise _other_parts(name, f"its attribute {k!r} {what}")
    _agreed.add(key)
    if all(k in moved for k, space in held.items() if space is not NoTangent):
        by_attributes.add((type(value), known))


def _other_parts(name: str, why: str) -> NotDifferentiable:
    return NotDifferentiable(
        f"an object of {name}, whose attributes are differentiated and not the parts it is registered with: {why}",
        remedy="register as parts the attributes themselves, and let make keep the others as they are; or leave "
        "the class unregistered",
    )


def _moved(part: Any) -> Any:
    """A part like this one, with other numbers near by."""
    rng = np.random.default_rng(0)

    def step(zero: Any, x: Any) -> Any:
        draw = 1e-4 * rng.uniform(0.5, 1.0, np.shape(x)) * np.where(x == 0, 1.0, x)
        return np.asarray(draw, x.dtype) if type(x) is np.ndarray else type(x)(draw)

    return tangents.add_to_primal(part, tangents.map_tree(step, tangents.zeros_like(part), part))


def _equal(space: Any, a: Any, b: Any) -> bool:
    """Whether two values hold the same numbers where `space` has any."""
    if space is NoTangent or isinstance(space, Cycle):
        return True
    if type(a) is not type(b):
        return False
    if not isinstance(space, (Product, Record)):
        return bool(np.shape(a) == np.shape(b) and np.all((a == b) | ((a != a) & (b != b))))
    mine, theirs = _parts(a) or {}, _parts(b) or {}
    keys = keys_of(space)
    return all(k in mine and k in theirs and _equal(s, mine[k], theirs[k]) for k, s in zip(keys, space.items))


# -- batches of tangents ------------------------------------------------------------------------


def batch_of(space: Any, count: int) -> Any:
    """The space of batches of tangents: every array and number has an axis of this length in front."""
    if is_hollow(space):
        return NoTangent
    if isinstance(space, Product):
        held = [item.space if isinstance(item, Inert) else item for item in space.items]
        return Product(space.cls, tuple([batch_of(item, count) for item in held]), space.keys)
    if isinstance(space, ArraySpace):
        return ArraySpace(space.dtype, (count, *space.shape))
    if isinstance(space, Record):
        raise NotDifferentiable(
            f"a batch of tangents of a {space.of.__name__}", remedy="call jvp for each tangent, or pass its arrays"
        )
    return ArraySpace(np.dtype(space), (count,))
