"""Writes into lists and dicts: what the cell holds afterwards, as a value."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Restart, Tentative
from adcompile.analysis.calls import dispatch, handles, handles_cells
from adcompile.analysis.contents import may_be_filled
from adcompile.analysis.heap import cell_of, give, hand_over, look, read, write
from adcompile.analysis.iteration import known_items
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.real import opened
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Raise, Var
from adcompile.ir.types import (
    NEVER,
    UNKNOWN,
    Array,
    Cell,
    DictT,
    Known,
    ListT,
    ObjectT,
    Scalar,
    Seq,
    SliceT,
    Type,
    join,
)

Writer = Callable[[Builder, Cell, Any, Args, Kwargs, "Place | None"], "Atom | None"]


def on(cls: type, *fns: Any) -> Callable[[Writer], Writer]:
    """Register a write into lists or dicts: it gets the cell and what that holds, and the other
    arguments; it returns what the call returns, or None to decline."""

    def decorate(writer: Writer) -> Writer:
        for fn in fns:
            writers[fn, cls] = writer
            handles_cells(fn)(entry(fn))
        return writer

    return decorate


writers: dict[tuple[Any, type], Writer] = {}
others: dict[Any, Callable[..., Atom | None]] = {}
"""Calls of the same callables on objects (analysis/objects)."""


def entry(fn: Any) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        cell = cell_of(args[0])
        writer = None if cell is None else writers.get((fn, cell.cls))
        if cell is None or writer is None:
            other = others.get(fn)
            return None if other is None else other(b, args, kwargs, place, name)
        return writer(b, cell, read(b, cell, place), args[1:], kwargs, place)

    return handler


def raises(error: Exception, place: Place | None) -> Terminated:
    return Terminated(Raise(Const(error), None, place))


def resizes(b: Builder, cell: Cell, place: Place | None) -> None:
    if cell in b.context.iterated:
        raise Unsupported(
            f"the {cell.cls.__name__} that a loop runs over changes its length in the loop",
            place,
            "run over a copy of it, or collect into another one",
        )


# -- lists --------------------------------------------------------------------------------------


def as_list(b: Builder, content: Atom) -> Atom:
    """What a list holds as a sequence of one item type and unknown length."""
    t = b.type(content)
    if isinstance(t, Seq):
        return content
    items = [give(b, item) for item in b.items(content)]
    joined: Type = NEVER
    for item in items:
        joined = join(joined, deep_widen(b.type(item)))
    return b.emit(ops.build_list, items, Seq(joined, list), (), getattr(content, "name", ""))


@on(list, list.append)
def append(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    write(b, cell, pushed(b, content, args[0], cell.name, place), place)
    return Const(None)


def pushed(b: Builder, content: Atom, item: Atom, name: str, place: Place | None) -> Atom:
    if isinstance(b.type(content), Seq):
        item = give(b, item)
    return b.call(ops.push, content, item, name=name, place=place)


@on(list, list.extend)
def extend(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    write(b, cell, extended(b, content, args[0], cell.name, place), place)
    return Const(None)


def extended(b: Builder, content: Atom, source: Atom, name: str, place: Place | None) -> Atom:
    owner = cell_of(source)
    if owner is not None and owner.cls not in (list, dict):
        source = b.call(list, source, place=place)  # an object, by its __iter__
    items = known_items(b, source)
    if items is not None and isinstance(b.type(content), ListT):
        return b.build(ListT(()), [*b.items(content), *items], name, place)
    if items is not None:
        for item in items:
            content = pushed(b, content, item, name, place)
        return content
    return b.call(operator.add, as_list(b, content), b.call(list, give(b, source)), name=name, place=place)


@on(list, operator.iadd)
def list_iadd(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    if isinstance(b.type(args[0]), Array):
        return b.call(operator.add, content, args[0], place=place)  # the array's addition, and nothing is written
    extend(b, cell, content, args, kwargs, place)
    return Const(cell)


@on(list, operator.imul)
def list_imul(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    if isinstance(b.type(args[0]), Array):
        return b.call(operator.mul, content, args[0], place=place)
    resizes(b, cell, place)
    write(b, cell, b.call(operator.mul, content, args[0], name=cell.name, place=place), place)
    return Const(cell)


@on(list, list.insert)
def insert(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    index, item = args
    if isinstance(b.type(content), ListT) and b.known(index):
        items = b.items(content)
        items.insert(b.value(index), item)
        new = b.build(ListT(()), items, cell.name, place)
    else:
        whole, single = as_list(b, content), b.call(ops.build_list, give(b, item))
        new = joined_parts(b, whole, index, single, index, cell.name, place)
    write(b, cell, new, place)
    return Const(None)


def joined_parts(
    b: Builder, whole: Atom, start: Atom, middle: Atom, stop: Atom, name: str, place: Place | None
) -> Atom:
    """`whole[:start] + middle + whole[stop:]`."""
    head = b.call(operator.getitem, whole, b.call(slice, Const(None), start, Const(None)))
    tail = b.call(operator.getitem, whole, b.call(slice, stop, Const(None), Const(None)))
    front = b.call(operator.add, head, b.call(list, middle), place=place)
    return b.call(operator.add, front, tail, name=name, place=place)


@on(list, list.pop)
def pop(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    index = args[0] if args else Const(-1)
    if isinstance(b.type(content), ListT) and b.known(index):
        items = b.items(content)
        try:
            item = items.pop(b.value(index))
        except IndexError as error:
            raise raises(error if items else IndexError("pop from empty list"), place) from None
        write(b, cell, b.build(ListT(()), items, cell.name, place), place)
        return item
    whole = as_list(b, content)
    if b.known(index) and b.value(index) == -1:
        b.context.unsteady = True
        popped = b.call(ops.pop, whole, place=place)
        write(b, cell, b.item(popped, 0), place)
        return b.item(popped, 1)
    item = b.call(operator.getitem, whole, index, place=place)
    at = index
    if not b.known(index) or b.value(index) < 0:
        at = b.call(operator.mod, index, b.call(len, whole))
    write(b, cell, without(b, whole, at, cell.name, place), place)
    return item


def without(b: Builder, whole: Atom, at: Atom, name: str, place: Place | None) -> Atom:
    head = b.call(operator.getitem, whole, b.call(slice, Const(None), at, Const(None)))
    after = b.call(operator.add, at, 1)
    tail = b.call(operator.getitem, whole, b.call(slice, after, Const(None), Const(None)))
    return b.call(operator.add, head, tail, name=name, place=place)


@on(list, list.remove)
def remove(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    items = b.items(content) if isinstance(b.type(content), ListT) else None
    for k, item in enumerate(items or ()):
        same = cell_of(item) is not None and cell_of(item) is cell_of(args[0])
        equal = same or known_equal(b, item, args[0])
        if equal is None:
            break
        if equal:
            assert items is not None
            write(b, cell, b.build(ListT(()), [*items[:k], *items[k + 1 :]], cell.name, place), place)
            return Const(None)
    else:
        if items is not None:
            raise raises(ValueError("list.remove(x): x not in list"), place)
    raise Unsupported(
        "list.remove of an item that is known only when the code runs", place, "find its index, and write del xs[i]"
    )


def known_equal(b: Builder, x: Atom, y: Atom) -> bool | None:
    if b.known(x) and b.known(y):
        return bool(b.value(x) == b.value(y))
    for one, other in ((cell_of(x), y), (cell_of(y), x)):
        if one is not None and one.cls in (list, dict) and b.known(other):
            return False  # known values are no lists
    return None


@on(list, list.clear)
def clear_list(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    write(b, cell, b.build(ListT(()), [], cell.name, place), place)
    return Const(None)


@on(list, list.sort)
def sort(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    new = dispatch(b, Const(sorted), [content], kwargs, cell.name, place)
    write(b, cell, look(b, new), place)
    return Const(None)


@on(list, list.reverse)
def reverse(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    backwards = b.call(slice, Const(None), Const(None), Const(-1))
    write(b, cell, b.call(operator.getitem, content, backwards, name=cell.name, place=place), place)
    return Const(None)


@on(list, operator.setitem, list.__setitem__)
def set_list_item(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    index, item = args
    it, t = b.type(index), b.type(content)
    if isinstance(it, SliceT):
        return set_slice(b, cell, content, it, index, item, place)
    if isinstance(t, ListT) and isinstance(it, Known):
        if not hasattr(it.value, "__index__"):
            what = f"list indices must be integers or slices, not {type(it.value).__name__}"
            raise raises(TypeError(what), place)
        n, i = len(t.items), operator.index(it.value)
        if not -n <= i < n:
            raise raises(IndexError("list assignment index out of range"), place)
        items = b.items(content)
        items[i] = item
        new = b.build(t, items, cell.name, place)
    else:
        whole, item = as_list(b, content), give(b, item)
        held = b.type(whole)
        assert isinstance(held, Seq)
        t = Seq(join(held.item, deep_widen(b.type(item))), list)
        b.context.unsteady = True
        new = put_item(b, whole, index, item, t, cell.name, place)
    write(b, cell, new, place)
    return Const(None)


def put_item(
    b: Builder, items: Atom, index: Atom, item: Atom, t: Type, name: str = "", place: Place | None = None
) -> Var:
    """The list with another item at `index`. What was there is noted, as its cotangent has its shape."""
    held = b.type(items)
    old = held.item if isinstance(held, Seq) else UNKNOWN
    before = None
    if old != NEVER and not (isinstance(old, Scalar) and isinstance(b.type(item), Scalar)):
        before = b.emit(rt.replaced, (items, index), old, (), "old", place)
    new = b.emit(ops.put_item, (items, index, item), t, (), name, place)
    if before is not None:
        b.context.replaced[new] = before
    return new


def set_slice(
    b: Builder, cell: Cell, content: Atom, t: SliceT, index: Atom, source: Atom, place: Place | None
) -> Atom:
    start, stop, step = t.parts
    known = all(isinstance(p, Known) for p in t.parts)
    items = known_items(b, source)
    if known and items is not None and isinstance(b.type(content), ListT):
        now = b.items(content)
        try:
            now[slice(*(p.value for p in t.parts))] = items  # type: ignore[union-attr]
        except ValueError as error:
            raise raises(error, place) from None
        new = b.build(ListT(()), now, cell.name, place)
    else:
        plain = isinstance(step, Known) and step.value in (None, 1)
        ends = [isinstance(p, Known) and (p.value is None or p.value >= 0) for p in (start, stop)]
        if not plain or not all(ends):
            raise Unsupported(
                "a slice of a list is assigned to whose ends are known only when the code runs",
                place,
                "build the list anew: xs = xs[:i] + new + xs[j:]",
            )
        parts = b.items(index)
        first = Const(0) if isinstance(start, Known) and start.value is None else parts[0]
        whole = as_list(b, content)
        if isinstance(stop, Known) and stop.value is None:
            head = b.call(operator.getitem, whole, b.call(slice, Const(None), first, Const(None)))
            new = b.call(operator.add, head, b.call(list, give(b, source)), name=cell.name, place=place)
        else:
            last = Const(max(b.value(first), b.value(parts[1])))
            new = joined_parts(b, whole, first, give(b, source), last, cell.name, place)
    resizes(b, cell, place)
    write(b, cell, new, place)
    return Const(None)


@on(list, operator.delitem, list.__delitem__)
def delete_list_item(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    it, t = b.type(args[0]), b.type(content)
    if isinstance(it, SliceT) and isinstance(t, ListT) and all(isinstance(p, Known) for p in it.parts):
        items = b.items(content)
        del items[slice(*(p.value for p in it.parts))]  # type: ignore[union-attr]
        write(b, cell, b.build(ListT(()), items, cell.name, place), place)
    elif isinstance(it, SliceT):
        return set_slice(b, cell, content, it, args[0], b.call(ops.build_tuple), place)
    else:
        pop(b, cell, content, args, [], place)
    return Const(None)


# -- dicts --------------------------------------------------------------------------------------


def pairs_of(b: Builder, content: Atom) -> dict[Any, Atom] | None:
    t = b.type(content)
    if isinstance(t, DictT):
        return dict(zip(t.keys, b.items(content)))
    if isinstance(t, Known) and isinstance(t.value, dict):
        return {k: Const(v) for k, v in t.value.items()}
    return None


def set_pairs(b: Builder, cell: Cell, pairs: dict[Any, Atom], place: Place | None) -> None:
    before = b.type(b.context.store.states[cell].content)
    grows = isinstance(before, DictT) and not pairs.keys() <= set(before.keys)
    if grows and b.parent is not None and cell.place is not None:
        b.context.alternatives.add(cell.place)  # a key that is there on some paths only
    write(b, cell, b.build(DictT(tuple(pairs), ()), list(pairs.values()), cell.name, place), place)


def as_it_runs(b: Builder, fn: Any, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    """A write that depends on keys met when the code runs: from now on the dict is a real one. In a
    loop with few iterations the keys may be known in each of them."""
    if cell.place is not None:
        b.context.alternatives.add(cell.place)
    if b.context.tentative:
        raise Tentative
    if cell.place is not None:
        if may_be_filled(b, dict, cell.place):
            b.context.demoted.add(cell.place)
            raise Restart
    hand_over(b, [Const(cell)], place)
    held = read(b, cell, place)
    args, kwargs = opened(b, fn, [held, *args], kwargs, place)
    return dispatch(b, Const(fn), [give(b, a) for a in args], [(k, give(b, v)) for k, v in kwargs], "", place)


@on(dict, operator.setitem, dict.__setitem__)
def set_dict_item(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    key, value = b.key(args[0]), args[1]
    pairs = pairs_of(b, content)
    if pairs is None or not b.known(key):
        return as_it_runs(b, operator.setitem, cell, args, kwargs, place)
    if b.value(key) not in pairs:
        resizes(b, cell, place)
    set_pairs(b, cell, {**pairs, b.value(key): value}, place)
    return Const(None)


@on(dict, operator.delitem, dict.__delitem__)
def delete_dict_item(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    pairs = pairs_of(b, content)
    if pairs is None or not b.known(b.key(args[0])):
        return as_it_runs(b, operator.delitem, cell, args, kwargs, place)
    dict_pop(b, cell, content, args, kwargs, place)
    return Const(None)


@on(dict, dict.pop)
def dict_pop(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    pairs, at = pairs_of(b, content), b.key(args[0])
    if pairs is None or not b.known(at):
        return as_it_runs(b, dict.pop, cell, args, kwargs, place)
    key = b.value(at)
    if key not in pairs:
        if len(args) > 1:
            return args[1]
        raise raises(KeyError(key), place)
    value = pairs.pop(key)
    set_pairs(b, cell, pairs, place)
    return value


@on(dict, dict.popitem)
def dict_popitem(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    pairs = pairs_of(b, content)
    if pairs is None:
        return as_it_runs(b, dict.popitem, cell, args, kwargs, place)
    if not pairs:
        raise raises(KeyError("popitem(): dictionary is empty"), place)
    key, value = pairs.popitem()
    set_pairs(b, cell, pairs, place)
    return b.build_tuple(Const(key), value)


@on(dict, dict.setdefault)
def dict_setdefault(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    pairs, at = pairs_of(b, content), b.key(args[0])
    if pairs is None or not b.known(at):
        return as_it_runs(b, dict.setdefault, cell, args, kwargs, place)
    key = b.value(at)
    if key in pairs:
        return pairs[key]
    resizes(b, cell, place)
    value = args[1] if len(args) > 1 else Const(None)
    set_pairs(b, cell, {**pairs, key: value}, place)
    return value


@on(dict, dict.update)
def dict_update(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    pairs = pairs_of(b, content)
    new: dict[Any, Atom] | None = {}
    if args and isinstance(b.type(look(b, args[0], place)), ObjectT):
        args = [b.call(dict, args[0], place=place)]
    if args:
        new = pairs_of(b, look(b, args[0], place))
        rows = None if new is not None else known_items(b, args[0])
        if rows is not None:
            cells = [known_items(b, row) for row in rows]
            if all(c is not None and len(c) == 2 and b.known(b.key(c[0])) for c in cells):
                new = {b.value(b.key(c[0])): c[1] for c in cells if c is not None}
    if pairs is None or new is None:
        return as_it_runs(b, dict.update, cell, args, kwargs, place)
    if {*new, *dict(kwargs)} - set(pairs):
        resizes(b, cell, place)
    set_pairs(b, cell, {**pairs, **new, **dict(kwargs)}, place)
    return Const(None)


@on(dict, operator.ior)
def dict_ior(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    dict_update(b, cell, content, args, kwargs, place)
    return Const(cell)


@on(dict, dict.clear)
def clear_dict(b: Builder, cell: Cell, content: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> Atom:
    resizes(b, cell, place)
    set_pairs(b, cell, {}, place)
    return Const(None)


@handles(operator.or_, look=(0, 1))
def dict_or(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`a | b` of known dicts."""
    rows = [pairs_of(b, a) for a in args]
    if any(r is None for r in rows):
        return None
    merged = {k: v for r in rows if r is not None for k, v in r.items()}
    return b.build(DictT(tuple(merged), ()), list(merged.values()), name, place)
