"""Lists and dicts that were there before the program, and that it writes into: what is read from them is of the type
that it had when the program was compiled, or of one that the program puts there."""

from __future__ import annotations

import dis
import functools
import operator
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextvars import ContextVar
from types import CodeType, FunctionType, ModuleType
from typing import Any

from adcompile.analysis.builder import Builder, Restart
from adcompile.analysis.holding import HOLDERS, within
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.library import is_of_user
from adcompile.analysis.writing import METHODS
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Atom, Const, GlobalRef, OwnerSpace, Var
from adcompile.ir.program import Guard
from adcompile.ir.types import (
    NEVER,
    UNKNOWN,
    Array,
    Instance,
    Scalar,
    Seq,
    SliceT,
    Type,
    Unknown,
    is_scalar_class,
    join,
    widen,
)

LARGE = 32


def live_type(value: Any, written: bool = False) -> Type:
    """The type of data read live. Small containers have structure, which the guards compare at every call, and long
    lists of numbers are sequences; others, and those that the program writes into, are read element by element."""
    if isinstance(value, set) or isinstance(value, (list, dict)) and written:
        return Instance(type(value))
    if isinstance(value, tuple) and written:
        return UNKNOWN
    if isinstance(value, (list, dict)) and len(value) > LARGE:
        t = type_of(value) if isinstance(value, list) and holds_numbers(value[0]) and one_class(value) else UNKNOWN
        return t if isinstance(t, Seq) else Instance(type(value))
    return type_of(value)


def holds_numbers(value: Any) -> bool:
    return is_scalar_class(type(value)) or type(value) is tuple and all(map(holds_numbers, value))


def one_class(values: list[Any]) -> bool:
    return len(set(map(type, values))) == 1


def live_key(ref: GlobalRef, path: tuple[Any, ...]) -> tuple[Any, ...]:
    """What names live data in every round of a specialisation."""
    held = ref.namespace["owner"] if isinstance(ref.namespace, OwnerSpace) else ref.namespace
    return (id(held), ref.name, path)


# -- what the program puts there ----------------------------------------------------------------


@frozen
class Put:
    """That the program puts what is of this type into the live list or dict of this identity."""

    holder: int
    type: Type


def note_put(b: Builder, fn: Any, args: Sequence[Atom]) -> None:
    """Before a write into what may be a live list or dict."""
    owner = args[0]
    if not isinstance(owner, Var) or not isinstance(b.type(owner), (Instance, Unknown)):
        return
    held = b.context.example.get(owner)
    if isinstance(held, (list, dict)):
        mark(b, [Put(id(held), t) for t in types_put(b, fn, args, held)])
    elif held is None:
        note_given(b, [owner])


def note_given(b: Builder, atoms: Iterable[Atom]) -> None:
    """What is not followed may write into live lists and dicts, and into those in them."""
    for root in (root for atom in atoms for root in origins_of(b, atom)):
        mark(b, [Put(id(c), UNKNOWN) for c in containers_in(b.context.example[root])])


def note_code(b: Builder, code: CodeType, namespace: dict[str, Any]) -> None:
    """Code that is run as it is written: it may write into the lists and dicts of modules that it names."""
    found = [v for v in named_by_writers(code, namespace, set()) if isinstance(v, (list, dict))]
    mark(b, [Put(id(c), UNKNOWN) for value in found for c in containers_in(value)])


def mark(b: Builder, puts: Iterable[Put]) -> None:
    new = [put for put in puts if put not in b.context.demoted]
    b.context.demoted.update(new)
    if new:
        raise Restart


def types_put(b: Builder, fn: Any, args: Sequence[Atom], held: Any) -> set[Type]:
    """The types of what a call puts into a live list or dict, or under another position of it."""
    if fn in TAKING:
        return {NEVER} if isinstance(held, dict) else {widen(live_type(v)) for v in held}
    sliced = fn is operator.setitem and isinstance(widen(b.type(args[1])), SliceT)
    t = deep_widen(b.type(args[-1])) if len(args) == STORING.get(fn) and not sliced else UNKNOWN
    moved = {widen(live_type(v)) for v in held} if fn is list.insert else set()
    return moved | {t if isinstance(t, (Scalar, Array)) else UNKNOWN}


STORING = {operator.setitem: 3, list.append: 2, list.insert: 3, dict.setdefault: 3}
TAKING = (
    list.pop, list.remove, list.sort, list.reverse, list.clear, operator.delitem, dict.pop, dict.popitem, dict.clear,
)  # fmt: skip


def origins_of(b: Builder, atom: Atom) -> Iterator[Var]:
    """The live values that this is, or was taken out of."""
    if isinstance(atom, Var) and atom in b.context.example:
        yield atom
        return
    made = b.context.definition.get(atom) if isinstance(atom, Var) else None
    fn = made.fn.value if made is not None and isinstance(made.fn, Const) else None
    if made is not None and (any(fn is f for f in PARTS) or any(fn is f for f in WHOLES)):
        for a in made.args[:1] if any(fn is f for f in PARTS) else made.args:
            yield from origins_of(b, a)


WHOLES = (ops.build_list, ops.build_tuple, ops.build_dict, ops.identity, list, tuple, dict)
PARTS = (
    *(operator.getitem, getattr, dict.get, dict.setdefault, dict.pop, list.pop, next, iter, reversed, dict.values),
    *(ContextVar.get, deque.pop, deque.popleft),
)


def is_flat(value: Any) -> bool:
    """Whether a container is a long one that holds numbers alone."""
    long = isinstance(value, Sized) and len(value) > LARGE
    return long and all(is_scalar_class(cls) for cls in set(map(type, within(value))))


def containers_in(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """The lists and dicts in a live value, itself among them."""
    seen = set() if seen is None else seen
    if not isinstance(value, (list, dict, tuple, *HOLDERS)) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (list, dict)):
        yield value
    if is_flat(value):
        return
    for item in within(value):
        yield from containers_in(item, seen)


STORES = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
CHANGING = frozenset(m.__name__ for m in METHODS) | {"__setitem__", "__delitem__", "__iadd__", "__ior__"}


def named_by_writers(code: CodeType, namespace: dict[str, Any], seen: set[CodeType]) -> Iterator[Any]:
    """What code names of its module that puts items anywhere, and what the functions name that it calls."""
    if code in seen:
        return
    seen.add(code)
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    writes = not CHANGING.isdisjoint(code.co_names) or any(i.opname in STORES for i in dis.get_instructions(code))
    for name in code.co_names:
        value = namespace.get(name)
        if isinstance(value, FunctionType) and is_of_user(value):
            yield from named_by_writers(value.__code__, value.__globals__, seen)
        elif writes and value is not None:
            yield value
            yield from parts_named(value, code.co_names)
    for c in inner:
        yield from named_by_writers(c, namespace, seen)


def parts_named(owner: Any, names: Sequence[str]) -> Iterator[Any]:
    """The attributes of these names of an object of the user's, a class or a module."""
    held = getattr(owner, "__dict__", {}) if isinstance(owner, ModuleType) or is_of_user(owner) else {}
    yield from (held[name] for name in names if name in held)


# -- what is read -------------------------------------------------------------------------------


def is_written(b: Builder, owner: Var) -> bool:
    """Whether the program writes into a live container."""
    held, origin = b.context.example.get(owner), b.context.origin.get(owner)
    named = origin is not None and live_key(*origin) in b.context.demoted
    return named or any(isinstance(put, Put) and put.holder == id(held) for put in b.context.demoted)


def may_change(b: Builder, value: Any) -> bool:
    """Whether the program puts something into a live container, or one in it, that is of another type."""
    puts = {put.holder for put in b.context.demoted if isinstance(put, Put)}
    return bool(puts) and any(id(c) in puts for c in containers_in(value))


def is_open(b: Builder, ref: GlobalRef, path: tuple[Any, ...], value: Any) -> bool:
    """Whether what is live at the end of a way is known as little as what the program writes into."""
    return live_key(ref, path) in b.context.demoted or may_change(b, value)


def type_at(b: Builder, ref: GlobalRef, path: tuple[Any, ...], value: Any) -> Type:
    """The type of what is live at the end of a way: `value`, when the program is compiled."""
    return live_type(value, is_open(b, ref, path, value))


def element_type(b: Builder, held: Any, values: Iterable[Any]) -> Type:
    """The type of what is read of a live container, and is one of these when the program is compiled."""
    now = functools.reduce(join, (widen(live_type(v, may_change(b, v))) for v in values), NEVER)
    puts = [put.type for put in b.context.demoted if isinstance(put, Put) and put.holder == id(held)]
    t = functools.reduce(join, puts, now)
    return t if t == now or isinstance(t, (Scalar, Array)) else UNKNOWN


def element_at(b: Builder, owner: Var, key: Any, value: Any) -> tuple[Type, tuple[GlobalRef, tuple[Any, ...]] | None]:
    """The type of what a live container holds under a key, `value` when the program is compiled, and the way to it."""
    origin = b.context.origin.get(owner)
    way = None if origin is None else (origin[0], (*origin[1], ("item", key)))
    t = element_type(b, b.context.example[owner], [value])
    opened = way is not None and isinstance(value, (list, dict)) and is_open(b, *way, value)
    return Instance(type(value)) if opened and t != UNKNOWN else t, way


def any_element(b: Builder, owner: Atom, held: Any) -> Type:
    """The type of whatever a live list or dict holds, which a guard compares."""
    t = element_type(b, held, held.values() if isinstance(held, dict) else held)
    if t != UNKNOWN and t != NEVER and isinstance(owner, Var) and owner in b.context.origin:
        ref, path = b.context.origin[owner]
        b.context.guards[id(ref.namespace), ref.name, path, "items"] = Guard(ref, None, path, Seq(t, type(held)))
        return t
    return UNKNOWN


__all__ = [
    "LARGE", "any_element", "element_at", "element_type", "is_flat", "is_open", "is_written", "live_key", "live_type",
    "may_change", "note_code", "note_given", "note_put", "type_at",
]  # fmt: skip
