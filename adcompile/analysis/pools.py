"""Values with derivatives in containers that are filled as the code runs (analysis/contents).

What a real list, dict or object holds has no cotangent that one could find again. So a container of such a site
holds in place of a value the number under which that stands in a pool: a list of the program that only grows, and
is followed like any list. A write puts the new value at the end of the pool and its number into the container,
a read takes the number out and reads the pool. Whatever Python does with the containers, it does with the numbers:
second names, containers in containers and orders that are met when the code runs need no case of their own, and the
containers carry no derivative.

It is tried where a derivative is refused because such a container would hold what carries derivatives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder, Restart
from adcompile.analysis.contents import Held, container, element_type, held_by, is_inert, is_pooled, physical
from adcompile.analysis.heap import cell_of, fresh, look, read, settle
from adcompile.analysis.laziness import check_own
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.mutation import positions_written
from adcompile.analysis.store import State
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import (
    INT,
    NONE,
    Array,
    DictT,
    Filled,
    IterT,
    ListT,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
)
from adcompile.rules.numpy.index import is_slice
from adcompile.runtime.plain import check_numbers


@dataclass
class Pools:
    """The pools of a program: of numbers, and of arrays by their dtype."""

    types: dict[Any, Type] = field(default_factory=dict[Any, Type])  # what each holds, as far as is known
    cells: dict[Any, Const] = field(default_factory=dict[Any, Const])  # of this round
    empty: set[Atom] = field(default_factory=set[Atom])  # what they hold before anything has gone in


def open_pools(b: Builder, entry: bool) -> None:
    """Where a function begins that is differentiated: the pools, which are empty. A function within it has lists of
    its own that begin with what is there already: what it does may be done again, in a loop over columns or rows, and
    each time it goes on from here."""
    pools = b.context.pools
    if pools is None:
        return
    for kind, item in pools.types.items():
        name = "numbers" if kind == "numbers" else "arrays"
        if entry:
            content = b.emit(ops.build_list, (), Seq(item, list), (), name)
            pools.cells[kind] = fresh(b, list, content, name)
            pools.empty.add(read(b, pools.cells[kind].value))
            continue
        cell = pools.cells[kind].value
        if read(b, cell) in pools.empty:
            content = b.emit(ops.build_list, (), Seq(item, list), (), name)
            pools.empty.add(content)
        else:
            content = b.emit(list, (read(b, cell),), Seq(item, list), (), name)
        b.context.store.put(cell, State(content))


def kind_of(t: Type) -> Any:
    return ("arrays", t.dtype) if isinstance(t, Array) else "numbers"


def pool_for(b: Builder, t: Type) -> Const:
    """The pool that takes values of this type."""
    pools = b.context.pools
    kind, item = kind_of(t), deep_widen(t)
    known = pools.types.get(kind)
    if known is None or join(known, item) != known:
        pools.types[kind] = item if known is None else join(known, item)
        raise Restart
    return pools.cells[kind]


def entered(b: Builder, atom: Atom, t: Type) -> Atom:
    """What a container whose items have this type holds in place of a value."""
    if is_inert(t):
        return settle(b, atom)
    if isinstance(t, TupleT):
        items = [entered(b, item, part) for item, part in zip(b.items(atom), t.items)]
        return b.build(TupleT((), t.cls), items)
    pool = pool_for(b, t)
    pool_for(b, b.type(atom))
    number = b.call(len, pool)
    b.call(list.append, pool, atom)
    return number


def taken_out(b: Builder, held: Atom, t: Type, name: str = "", place: Place | None = None) -> Atom:
    """The value that a container holds something for."""
    if is_inert(t):
        return held
    if isinstance(t, TupleT):
        return b.build(t, [taken_out(b, b.item(held, k), part) for k, part in enumerate(t.items)], name, place)
    cell = cell_of(pool_for(b, t))
    assert cell is not None
    return b.emit(operator.getitem, (read(b, cell), held), t, (), name, place)


Collector = Callable[[Builder, Atom, Any, "Place | None"], "Atom | None"]
collectors: list[Collector] = []
"""What makes a list of what a function gives for each item of an iterable (analysis/builtins)."""


def mapped(b: Builder, values: Atom, make: Callable[[Builder, Atom], Atom], place: Place | None) -> Atom:
    """A list of what `make` writes for each of these."""
    (collect,) = collectors
    made = collect(b, values, make, place)
    assert made is not None
    return settle(b, made)


def all_entered(b: Builder, values: Atom, t: Type, place: Place | None) -> Atom:
    """A list of what a container holds for each of these."""
    return mapped(b, values, lambda c, item: entered(c, item, t), place)


def as_value(b: Builder, atom: Atom, place: Place | None) -> Atom:
    """A list with the values that such a list, or an iterator, holds numbers for, as far down as there are such
    lists; what is none is as it is, and so are dicts."""
    now = look(b, atom, place)
    t = b.type(now)
    if not holds_numbers(b, t):
        return atom
    if isinstance(t, (ListT, TupleT)):
        items = b.items(now)
        values = [as_value(b, item, place) for item in items]
        return atom if all(v is i for v, i in zip(values, items)) else b.build(t, values, "", place)
    if isinstance(t, IterT):
        return mapped(b, now, lambda _, item: item, place) if is_pooled(element_type(b, t)) else atom
    return mapped(b, now, lambda c, item: as_value(c, item, place), place)


def holds_numbers(b: Builder, t: Type) -> bool:
    """Whether a list or iterator, or one that it holds, holds numbers in place of values; dicts are not opened."""
    match t:
        case Filled():
            item = held_by(b, t).item
            return issubclass(t.cls, list) and (is_pooled(item) or holds_numbers(b, item))
        case Seq(item):
            return holds_numbers(b, item)
        case IterT(_, items):
            return is_pooled(element_type(b, t)) or any(holds_numbers(b, item) for item in items)
        case ListT(items) | TupleT(items):
            return any(holds_numbers(b, item) for item in items)
        case _:
            return False


# -- containers as they are made ----------------------------------------------------------------


def made_of(b: Builder, cls: type, content: Atom, held: Held | None, name: str, place: Place | None) -> Atom:
    """A container that is made here and holds this at first."""
    t = container(b, cls, place, held)
    item = held_by(b, t).item if isinstance(t, Filled) and b.context.pools is not None else INT
    if not is_pooled(item):
        made = b.emit(ops.identity, (settle(b, content),), t, (), name, place)
        b.context.contents_calls.update((made,) if isinstance(t, Filled) else ())
        return made
    kind = b.type(content)
    if isinstance(kind, (ListT, DictT)):
        rows = [entered(b, v, item) for v in b.items(content)]
        return b.emit(ops.identity, (b.build(kind, rows, name, place),), t, (), name, place)
    return b.emit(ops.identity, (all_entered(b, content, item, place),), t, (), name, place)


def dict_of(b: Builder, pairs: Atom, t: Filled, name: str, place: Place | None) -> Atom:
    """`dict(pairs)` whose values are held as numbers."""
    item = held_by(b, t).item

    def row(c: Builder, pair: Atom) -> Atom:
        key, value = (c.call(operator.getitem, pair, k) for k in (0, 1))
        return c.build(TupleT(()), [key, entered(c, value, item)])

    return noted(b, dict, [mapped(b, pairs, row, place)], t, name, place)


# -- calls on them ------------------------------------------------------------------------------

PUTTING: tuple[Any, ...] = (list.append, list.insert, operator.setitem, dict.setdefault)
"""Their last argument goes into the container."""
GIVING: tuple[Any, ...] = (operator.getitem, list.pop, dict.setdefault, dict.get, dict.pop)
"""They give one item."""
PLAIN: tuple[Any, ...] = (
    list.append, list.insert, list.clear, list.reverse, dict.clear, len, iter, operator.setitem, operator.delitem,
    operator.mul, operator.imul,
)  # fmt: skip
"""What they give is no item."""
def check_seen(b: Builder, given: Type, t: Type, place: Place | None) -> None:
    """Refuse a value of type `given` as one of type `t`, of which nothing is known: what it holds would be taken for
    what stands for it."""
    if b.context.pools is not None and isinstance(t, Unknown) and leads_to_pool(b, given):
        raise Unsupported(
            "a list or dict of values that carry derivatives, or something else, by the path",
            place or b.place,
            "give it an empty list or dict on the other path, as in groups.get(key, [])",
        )


def leads_to_pool(b: Builder, t: Type, around: tuple[Type, ...] = ()) -> bool:
    if not isinstance(t, Filled) or t in around:
        return False
    item = held_by(b, t).item
    return is_pooled(item) or leads_to_pool(b, item, (*around, t))


TAKING: tuple[Any, ...] = (list.extend, operator.iadd)
"""What they are given last is gone through, and goes into the list; so it is with slices that are assigned to."""


def is_one(fn: Any, group: tuple[Any, ...]) -> bool:
    return any(fn is f for f in group)


def call_pooled(
    b: Builder, fn: Any, owner: Atom, t: Filled, rest: list[Atom], result: Type, name: str, place: Place | None
) -> Atom | None:
    """A call on a container that holds numbers in place of values; None where it is done on the values."""
    item = held_by(b, t).item
    defaults = fn is dict.get or fn is dict.pop
    if fn is dict.get and len(rest) == 1 or issubclass(t.cls, (set, frozenset)):
        return None
    if is_one(fn, TAKING) or fn is operator.setitem and issubclass(t.cls, list) and is_slice(b.type(rest[0])):
        given = all_entered(b, as_value(b, rest[-1], place), item, place)
        return noted(b, fn, [owner, *rest[:-1], given], result, name, place)
    if is_one(fn, PUTTING) or defaults and len(rest) > 1:
        if defaults and join(item, deep_widen(b.type(rest[-1]))) != item:
            return None
        rest = [*rest[:-1], entered(b, rest[-1], item)]
    part = fn is operator.getitem and isinstance(result, Seq)
    if issubclass(t.cls, list) and (part or fn is list.copy or fn is list):
        return noted(b, fn, [owner, *rest], Filled(list, (), t.sites), name, place)
    if is_one(fn, GIVING):
        return taken_out(b, noted(b, fn, [owner, *rest], physical(item), name, place), item, name, place)
    if is_one(fn, PLAIN) or issubclass(t.cls, dict) and fn is operator.contains:
        return noted(b, fn, [owner, *rest], result, name, place)
    return None


def noted(b: Builder, fn: Any, args: list[Atom], t: Type, name: str, place: Place | None) -> Atom:
    out = b.emit(fn, args, t, (), name, place)
    b.context.contents_calls.add(out)
    return out


def sorted_in_place(b: Builder, owner: Atom, t: Filled, kwargs: Any, place: Place | None) -> Atom:
    """`xs.sort()`: the values are sorted, and all of them go in anew."""
    item = held_by(b, t).item
    order = b.context.dispatch(b, Const(sorted), [as_value(b, owner, place)], list(kwargs), "", place)
    rows = all_entered(b, order, item, place)
    noted(b, list.clear, [owner], NONE, "", place)
    noted(b, list.extend, [owner, rows], NONE, "", place)
    return Const(None)


LOOKED_AT: tuple[Any, ...] = (
    str, repr, print, ops.format_value, ops.build_string, operator.contains, operator.eq, operator.ne, operator.lt,
    operator.le, operator.gt, operator.ge, operator.mod, list.index, list.count,
)  # fmt: skip
"""These look at a list, however deep, and keep nothing of it."""
GONE_THROUGH: tuple[Any, ...] = (
    sorted, sum, min, max, any, all, tuple, math.fsum, math.prod, operator.add, ops.unpack, ops.unpack_star,
    ops.arguments, ops.list_concat, ops.tuple_concat,
)  # fmt: skip
"""What these give may hold the items of a list: containers among them are themselves."""
ARITHMETIC: tuple[Any, ...] = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
)  # fmt: skip
"""Beside an array they make one of a list."""


def on_values(
    b: Builder, fn: Any, args: list[Atom], kwargs: Sequence[tuple[str, Atom]], name: str, place: Place | None
) -> Atom | None:
    """A call that looks at containers which hold numbers, on the values these stand for; None for other calls."""
    home = getattr(fn, "__module__", None) or ""
    is_numpy = home.split(".")[0] == "numpy" and "random" not in home and not isinstance(fn, type)
    is_numpy = is_numpy and positions_written(fn) is not None and not positions_written(fn)
    beside_array = is_one(fn, ARITHMETIC) and any(isinstance(b.type(a), Array) for a in args)
    if fn is operator.mul and not beside_array and is_row(b, args[-1]):
        return b.context.dispatch(b, Const(fn), args[::-1], [], name, place)
    if is_numpy or beside_array or is_one(fn, LOOKED_AT):
        deep = True
    elif is_one(fn, GONE_THROUGH):
        deep = False
    else:
        return None

    def seen_as(atom: Atom) -> Atom:
        return as_value(b, atom, place) if deep or is_row(b, atom) else atom

    values, settings = [seen_as(a) for a in args], [(k, seen_as(v)) for k, v in kwargs]
    if all(v is a for v, a in zip((*values, *(v for _, v in settings)), (*args, *(v for _, v in kwargs)))):
        return None
    begin = Begin(b, {})
    result = b.context.dispatch(b, Const(fn), values, settings, name, place)
    check_own(b, args, begin)
    if is_numpy and may_hold(b.type(result)):
        b.emit(check_numbers, (Const(spot(place)), result), NONE, (), "", place)
    return result


def may_hold(t: Type) -> bool:
    """Whether what a function of NumPy's gives may be an array of the lists themselves."""
    return t.dtype.hasobject if isinstance(t, Array) else isinstance(t, Unknown)


def is_row(b: Builder, atom: Atom) -> bool:
    """Whether a list, or an iterator, holds numbers itself."""
    t = b.type(look(b, atom))
    if isinstance(t, Filled):
        return is_pooled(held_by(b, t).item)
    return isinstance(t, IterT) and is_pooled(element_type(b, t))
