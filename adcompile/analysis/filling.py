"""Calls of and on containers that are filled as the code runs, where what they hold is known (analysis/contents)."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Sequence
from typing import Any

from adcompile.analysis.builder import Builder, Restart
from adcompile.analysis.contents import (
    Held,
    container,
    element_type,
    grow,
    held_by,
    held_in,
    is_int,
    is_pooled,
    may_be_filled,
)
from adcompile.analysis.heap import cell_of, hand_over, look, read, settle
from adcompile.analysis.pools import as_value, call_pooled, check_seen, entered, mapped, on_values, sorted_in_place
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import (
    BOOL,
    INT,
    NEVER,
    UNKNOWN,
    Cell,
    Filled,
    Instance,
    IterT,
    Known,
    ListT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
    widen,
)
from adcompile.rules.numpy.index import is_slice

Args = Sequence[Atom]
Kwargs = Sequence[tuple[str, Atom]]
NONE = Known(None)
Call = Callable[[Builder, Filled, Args], "Type | None"]
"""What a call on such a container means: it grows what the container holds, and gives the type of the result."""


def type_put(b: Builder, t: Filled, args: Args) -> Type:
    grow(b, t, Held(item=b.type(args[-1])))
    return NONE


def type_added(b: Builder, t: Filled, args: Args) -> Type | None:
    return extended(b, t, args, NONE)


def extended(b: Builder, t: Filled, args: Args, result: Type) -> Type | None:
    for a in args:
        item = iterated(b, a)
        if item is None:
            return None
        grow(b, t, Held(item=item))
    return result


def iterated(b: Builder, atom: Atom) -> Type | None:
    """The type of the items of an iterable."""
    t = b.type(atom)
    if isinstance(t, Filled):
        item = element_type(b, t)
    else:
        held = held_in(b, t)
        item = element_type(b, t) if held is None else held.key if held.key != NEVER else held.item
    return None if item == UNKNOWN else item


def type_item(b: Builder, t: Filled, args: Args) -> Type:
    return held_by(b, t).item


def type_read(b: Builder, t: Filled, args: Args) -> Type | None:
    """`xs[i]` and `xs[a:b]` of a list."""
    kind = widen(b.type(args[0]))
    item = held_by(b, t).item
    if isinstance(kind, Scalar):
        return item
    return Seq(item) if is_slice(kind) else None


def type_set(b: Builder, t: Filled, args: Args) -> Type | None:
    if is_slice(b.type(args[0])):
        return extended(b, t, args[1:], NONE)
    return type_put(b, t, args) if isinstance(widen(b.type(args[0])), Scalar) else None


def type_entered(b: Builder, t: Filled, args: Args) -> Type:
    grow(b, t, Held(b.type(args[0]), b.type(args[1])))
    return NONE


def type_default(b: Builder, t: Filled, args: Args) -> Type:
    grow(b, t, Held(b.type(args[0]), b.type(args[1]) if len(args) > 1 else NONE))
    return held_by(b, t).item


def type_found(b: Builder, t: Filled, args: Args) -> Type:
    """`d.get(key, default)`, `d.pop(key, default)`."""
    return join(held_by(b, t).item, b.type(args[1]) if len(args) > 1 else NONE)


def type_taken(b: Builder, t: Filled, args: Args) -> Type:
    return type_found(b, t, args) if len(args) > 1 else held_by(b, t).item


def type_merged(b: Builder, t: Filled, args: Args) -> Type | None:
    held = held_in(b, b.type(args[0])) if args else Held()
    if held is None or held.key == NEVER and held != Held():
        return None
    grow(b, t, held)
    return NONE


def type_looked_up(b: Builder, t: Filled, args: Args) -> Type:
    if t.cls is collections.defaultdict:
        grow(b, t, Held(b.type(args[0])))
    return held_by(b, t).item


def type_joined(b: Builder, t: Filled, args: Args) -> Type | None:
    """`xs += ys`, `s |= t`: the container itself."""
    return extended(b, t, args, t)


def type_both(b: Builder, t: Filled, args: Args) -> Type | None:
    """`s | t`, `s & t`, `s - t`: a new set of what the two hold."""
    other = b.type(args[0])
    return join(t, other) if isinstance(other, Filled) and other.cls is set else None


def type_chained(b: Builder, t: Filled, args: Args) -> Type | None:
    """`xs + ys`."""
    item = iterated(b, args[0])
    return None if item is None else Seq(join(held_by(b, t).item, item))


def type_repeated(b: Builder, t: Filled, args: Args) -> Type | None:
    """`xs * n`: another list, which holds nothing but what such lists hold."""
    return t if is_int(b.type(args[0])) else None


def type_extreme(b: Builder, t: Filled, args: Args) -> Type | None:
    """`min(xs)`, `max(xs)`: not of several containers, of which it is one."""
    return element_type(b, t) if not args else None


def type_sum(b: Builder, t: Filled, args: Args) -> Type | None:
    return INT if not args and element_type(b, t) == INT else None


def gives(t: Type) -> Call:
    return lambda b, owner, args: t


def type_sequence(b: Builder, t: Filled, args: Args) -> Type:
    return Seq(element_type(b, t))


CALLS: dict[tuple[type, Any], Call] = {
    (list, list.append): type_put, (list, list.insert): type_put, (list, list.extend): type_added,
    (list, list.pop): type_item, (list, list.remove): gives(NONE), (list, list.clear): gives(NONE),
    (list, list.sort): gives(NONE), (list, list.reverse): gives(NONE), (list, list.index): gives(INT),
    (list, list.count): gives(INT), (list, operator.getitem): type_read, (list, operator.setitem): type_set,
    (list, operator.iadd): type_joined, (set, operator.ior): type_joined,
    (list, operator.delitem): gives(NONE), (list, list.copy): type_sequence,
    (set, set.add): type_put, (set, set.discard): gives(NONE), (set, set.remove): gives(NONE),
    (set, set.pop): type_item, (set, set.clear): gives(NONE), (set, set.update): type_added,
    **{(set, fn): type_both for fn in (operator.or_, operator.and_, operator.sub, operator.xor)},
    (list, operator.add): type_chained, (list, operator.mul): type_repeated, (list, operator.imul): type_repeated,
    (dict, operator.setitem): type_entered, (dict, dict.setdefault): type_default, (dict, dict.get): type_found,
    (dict, dict.pop): type_taken, (dict, operator.delitem): gives(NONE), (dict, dict.clear): gives(NONE),
    (dict, dict.update): type_merged, (dict, operator.getitem): type_looked_up,
}  # fmt: skip
SHARED: dict[Any, Call] = {
    min: type_extreme, max: type_extreme, sum: type_sum,
    len: gives(INT), operator.contains: gives(BOOL), list: type_sequence, sorted: type_sequence,
    tuple: lambda b, t, args: Seq(element_type(b, t), tuple), iter: lambda b, t, args: IterT("iter", (t,)),
}  # fmt: skip


SEQUENCES: tuple[Any, ...] = (list, sorted, tuple)


def call_filled(b: Builder, fn: Any, args: Args, kwargs: Kwargs, name: str, place: Place | None) -> Atom | None:
    """A call whose first argument is such a container; None where it means what it means for any object."""
    if fn is set or fn is ops.build_set:
        return display(b, fn, args, name, place)
    if fn is collections.defaultdict and place in b.context.demoted:
        return None if kwargs else default_dict(b, args, name, place)
    if not args:
        return None
    seen = on_values(b, fn, list(args), kwargs, name, place) if b.context.pools is not None else None
    if seen is not None:
        return seen
    cell = cell_of(args[0])
    owner = args[0] if cell is None else look(b, args[0], place)
    t = b.type(owner)
    if cell is not None and isinstance(t, (Instance, Unknown)) and not isinstance(t, Filled):
        become_filled(b, cell)
    if isinstance(t, IterT) and fn in SEQUENCES and len(args) == 1 and not kwargs:
        return of_view(b, fn, args, t, name, place)
    if isinstance(t, Filled) and fn is list.sort and is_pooled(held_by(b, t).item):
        return sorted_in_place(b, owner, t, kwargs, place)
    if not isinstance(t, Filled) or any(k not in ("key", "reverse") for k, _ in kwargs):
        return None
    if any(k == "key" for k, _ in kwargs):
        return None  # a function that is called with what it holds
    meant = meaning(t, fn)
    if meant is None:
        return None
    rest = [kept(b, a, place) for a in args[1:]]
    result = meant(b, t, rest)
    if result is None:
        return None
    if is_pooled(held_by(b, t).item):
        return call_pooled(b, fn, owner, t, rest, result, name, place)
    check_seen(b, held_by(b, t).item, result, place)
    out = b.emit(fn, [owner, *rest], result, kwargs, name, place)
    b.context.contents_calls.add(out)
    return out


def meaning(t: Filled, fn: Any) -> Call | None:
    """What a call on such a container means."""
    try:
        return CALLS.get((dict if issubclass(t.cls, dict) else t.cls, fn)) or SHARED.get(fn)
    except TypeError:
        return None


def of_view(b: Builder, fn: Any, args: Args, t: IterT, name: str, place: Place | None) -> Atom | None:
    """`list(d.values())`, `sorted(d)` and the like."""
    item = element_type(b, t)
    if item == UNKNOWN:
        return None
    if is_pooled(item):
        values = mapped(b, args[0], lambda _, value: value, place)
        return values if fn is list else b.context.dispatch(b, Const(fn), [values], [], name, place)
    out = b.emit(fn, [settle(b, args[0])], Seq(item, tuple if fn is tuple else list), (), name, place)
    b.context.contents_calls.add(out)
    return out


def become_filled(b: Builder, cell: Cell) -> None:
    """A list or dict that is an object by now: specialise again with it filled as the code runs from the start."""
    if cell.cls in (list, dict) and cell.place is not None and may_be_filled(b, cell.cls, cell.place):
        b.context.demoted.add(cell.place)
        raise Restart


def kept(b: Builder, atom: Atom, place: Place | None) -> Atom:
    """What goes into a container: a list or dict as one that the code makes and writes into."""
    cell = cell_of(atom)
    if cell is None or cell.cls not in (list, dict):
        return atom
    held = read(b, cell, place)
    if isinstance(b.type(held), Instance):
        return held
    if cell.place is not None and cell.place not in b.context.demoted:
        b.context.demoted.add(cell.place)
        raise Restart
    return hand_over(b, [atom], place)[0]


def display(b: Builder, fn: Any, args: Args, name: str, place: Place | None) -> Atom:
    """A list display or `set(…)`, `{…}` that makes a container which is filled as the code runs."""
    cls = list if fn is ops.build_list else set
    args = [kept(b, a, place) for a in args]
    if fn is set and b.context.pools is not None:  # which holds values themselves, or is refused
        args = [as_value(b, a, place) for a in args]
    held: Held | None = Held()
    if fn is set and args:
        item = iterated(b, args[0])
        held = None if item is None else Held(item=item)
    elif args:
        held = held_in(b, ListT(tuple(map(b.type, args))))
    t = container(b, cls, place, held)
    if isinstance(t, Filled) and b.context.pools is not None and is_pooled(held_by(b, t).item):
        args = [entered(b, a, held_by(b, t).item) for a in args]
    out = b.emit(fn, args, t, (), name, place)
    if isinstance(t, Filled):
        b.context.contents_calls.add(out)
    return out


FACTORIES: dict[Any, type] = {list: list, set: set, dict: dict}


def default_dict(b: Builder, args: Args, name: str, place: Place | None) -> Atom | None:
    """`defaultdict(list)`: what it makes is filled where it is asked for."""
    if b.context.contents is None or len(args) != 1 or not b.known(args[0]):
        return None
    factory = b.value(args[0])
    item = container(b, factory, place, Held()) if factory in FACTORIES else INT if factory is int else None
    if item is None:
        return None
    t = container(b, collections.defaultdict, place, Held(item=item))
    return b.emit(collections.defaultdict, args, t, (), name, place)


def held_by_pairs(b: Builder, atom: Atom) -> Held | None:
    """What a dict holds that is made of pairs."""
    t = b.type(atom)
    row = element_type(b, t) if isinstance(t, (Seq, Filled)) else None
    if isinstance(t, ListT) and not t.items:
        return Held()
    if isinstance(t, ListT):
        row = held_in(b, t)
        row = None if row is None else row.item
    return Held(*row.items) if isinstance(row, TupleT) and len(row.items) == 2 else None
