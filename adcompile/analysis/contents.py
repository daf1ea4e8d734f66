"""What lists, dicts and sets hold that are filled as the code runs.

Such a container is a real one, of which the type says where the program makes it: its sites. What is put
into containers of a site is joined over the whole program; a read gives that type, and if more is found later,
specialisation starts again. This holds only while every write is seen: a site of which a container goes where
writes are not followed is given up (analysis/escapes), and one that gets what may carry a derivative is too. A
container of such a site is an object of which only the class is known.

It is tried where a derivative is refused without it (pipeline.specialise).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adcompile.analysis.builder import Builder, Context, Restart, parts
from adcompile.analysis.leaves import deep_widen
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir.types import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Cell,
    DictT,
    Filled,
    Instance,
    IterT,
    Known,
    ListT,
    Never,
    RangeT,
    Ref,
    Scalar,
    Seq,
    TupleT,
    Type,
    is_inexact,
    join,
    widen,
)

Site = tuple[type, Place]


@frozen
class Held:
    """The types of the keys (of dicts) and of what is held."""

    key: Type = NEVER
    item: Type = NEVER


def container(b: Builder, cls: type, place: Place | None, held: Held | None) -> Instance:
    """The type of a container made here that holds this at first; `held`: None where that is not known."""
    contents = b.context.contents
    if contents is None or place is None:
        return Instance(cls)
    site = (cls, place)
    if held is None:
        contents[site] = None
    if contents.setdefault(site, Held()) is None or held is None:
        return Instance(cls)
    t = Filled(cls, (), frozenset({site}))
    grow(b, t, held)
    return t


def may_be_filled(b: Builder, cls: type, place: Place) -> bool:
    """Whether such a container, made at this place, is to be one that is filled as the code runs."""
    contents = b.context.contents
    return contents is not None and place not in b.context.demoted and contents.get((cls, place), True) is not None


def grow(b: Builder, t: Filled, held: Held) -> None:
    """Containers of this type get this."""
    contents = b.context.contents
    assert contents is not None
    for site in t.sites:
        old = contents[site]
        if old is None:
            raise Restart  # given up meanwhile
        new = Held(join(old.key, deep_widen(held.key)), join(old.item, deep_widen(held.item)))
        if not is_inert(new.key) or not may_hold(b.context, site, new.item):
            give_up(b.context, t.sites)
        if new != old:
            contents[site] = new
            if site in b.context.contents_read or is_pooled(new.item):
                raise Restart


def held_by(b: Builder, t: Filled) -> Held:
    """What containers of this type hold. Where nothing has been put in so far, there is nothing to read."""
    assert b.context.contents is not None
    out = Held()
    for site in t.sites:
        b.context.contents_read.add(site)
        one = b.context.contents[site]
        if one is None:
            raise Restart
        out = Held(join(out.key, one.key), join(out.item, one.item))
    if is_pooled(out.item):
        grow(b, t, Held(item=out.item))  # all of them hold the same in place of it
    return replace(
        out,
        key=INT if isinstance(out.key, Never) else out.key,
        item=INT if isinstance(out.item, Never) else out.item,
    )


def of_pool(b: Builder, t: Type) -> bool:
    """Whether containers of this type hold where values stand, in place of these (analysis/pools)."""
    return b.context.pools is not None and isinstance(t, Filled) and is_pooled(held_by(b, t).item)


def give_up(context: Context, sites: frozenset[Site]) -> None:
    """What containers of these sites hold is not known any more: specialise again."""
    assert context.contents is not None
    for site in sites:
        context.contents[site] = None
        if site[0] is dict:
            context.demoted.discard(site[1])  # it may be followed (analysis/keyed)
    for site, held in context.contents.items():
        if held is not None and not sites.isdisjoint(sites_in(held.item) | sites_in(held.key)):
            context.contents[site] = Held()  # what it holds is found anew
    raise Restart


def may_hold(context: Context, site: Site, item: Type) -> bool:
    """Whether what containers of a site hold can be known: what carries a derivative, where there are pools for it."""
    if is_inert(item):
        return True
    return context.pools is not None and not context.apart and site[0] is not set and is_pooled(item)


def is_pooled(t: Type) -> bool:
    """Whether values of this type stand in pools, and containers hold where (analysis/pools)."""
    match widen(t):
        case Scalar() | Array(_, _) if not is_inert(t):
            return not isinstance(t, Array) or t.dtype.kind in "iufcb"
        case TupleT(items):
            return any(map(is_pooled, items)) and all(is_inert(i) or is_pooled(i) for i in items)
        case _:
            return False


def physical(t: Type) -> Type:
    """The type of what a container holds in place of a value of this type."""
    if is_inert(t):
        return t
    return TupleT(tuple(map(physical, t.items)), t.cls) if isinstance(t, TupleT) else INT


def is_inert(t: Type) -> bool:
    """Whether values of this type carry no derivative, and are not written into but as contents of sites."""
    t = widen(t)
    match t:
        case Never() | Filled():
            return True
        case Scalar(kinds):
            return not any(map(is_inexact, kinds))
        case Known(value):
            return value is None or isinstance(value, (tuple, frozenset)) and all(is_inert(Known(v)) for v in value)
        case Instance(cls):
            return cls in (str, bytes)
        case TupleT(items):
            return all(map(is_inert, items))
        case Seq(item, cls):
            return cls is tuple and is_inert(item)
        case _:
            return False


def held_in(b: Builder, t: Type) -> Held | None:
    """What a list, dict or set gets that is made of this."""
    if isinstance(t, Filled):
        return held_by(b, t)
    match t:
        case ListT(items) | TupleT(items):
            return Held(item=joined(items))
        case Seq(item):
            return Held(item=item)
        case RangeT():
            return Held(item=INT)
        case DictT(keys, values):
            return Held(joined(tuple(map(Known, keys))), joined(values))
        case Known(value) if isinstance(value, (tuple, list, range, frozenset, str)):
            return Held(item=joined(tuple(map(Known, value))))
        case _:
            return None


def joined(types: tuple[Type, ...]) -> Type:
    out: Type = NEVER
    for t in types:
        out = join(out, deep_widen(t))
    return out


def element_type(b: Builder, t: Type) -> Type:
    """The type of what a loop meets that runs over such a container, or over an iterator through one."""
    if isinstance(t, IterT):
        t = IterT(t.kind, tuple(_looked(b, p) for p in t.parts))
    match t:
        case Filled(cls):
            held = held_by(b, t)
            return held.key if issubclass(cls, dict) else held.item
        case IterT("items", (Filled() as inner,)):
            held = held_by(b, inner)
            return TupleT((held.key, held.item))
        case IterT("values", (Filled() as inner,)):
            return held_by(b, inner).item
        case IterT("keys" | "reversed" | "iter", (inner, *_)):
            return element_type(b, inner)
        case IterT("enumerate", (inner, *rest)) if all(is_int(r) for r in rest):
            return _row((INT, element_type(b, inner)))
        case IterT("zip", inner):
            return _row(tuple(element_type(b, i) for i in inner))
        case RangeT():
            return INT
        case Seq(item):
            return item
        case _:
            return UNKNOWN


def _looked(b: Builder, t: Type) -> Type:
    """The type of what a reference refers to."""
    return b.type(b.context.store.states[t.cell].content) if isinstance(t, Ref) else t


def _row(types: tuple[Type, ...]) -> Type:
    return UNKNOWN if UNKNOWN in types else TupleT(types)


def is_int(t: Type) -> bool:
    return widen(t) == INT


def sites_in(t: Type) -> frozenset[Site]:
    """The sites that a type names."""
    match t:
        case Filled():
            return t.sites
        case Seq(item):
            return sites_in(item)
        case _:
            return frozenset().union(*map(sites_in, _parts(t)))


def _parts(t: Type) -> tuple[Any, ...]:
    inner: Any = getattr(t, "type", None) or getattr(t, "self", None)
    if inner is not None:
        return (inner,)
    if isinstance(t, IterT):
        return t.parts
    return () if isinstance(t, Known) else parts(t)


def opened(b: Builder, cell: Cell, t: Type, place: Place | None) -> Instance:
    """The type of a list or dict from now on that holds this and becomes an object."""
    held = held_in(b, t) if cell.cls in (list, dict) and cell.real is None else None
    return container(b, cell.cls, cell.place or place, held) if held is not None else Instance(cell.cls)
