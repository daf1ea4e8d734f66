"""Objects that calls go through: by their `__iter__`, and what is a mapping by its items. Heaps, which are lists."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.callbacks import special_methods_write
from adcompile.analysis.calls import dispatch, handles_cells
from adcompile.analysis.containers import others, raises
from adcompile.analysis.heap import cell_of, look
from adcompile.analysis.library import may_carry
from adcompile.analysis.objects import is_object
from adcompile.analysis.operators import class_named, is_not_implemented, method_call, register
from adcompile.analysis.raising import tried
from adcompile.analysis.standins import HEAPS
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import ListT, Seq
from adcompile.runtime.objects import stated

FIRST, SECOND, LATER, EVERY = slice(0, 1), slice(1, 2), slice(1, None), slice(None)
ITERATING: dict[Any, slice] = {
    **dict.fromkeys((ops.unpack, ops.unpack_star, list, tuple, set, frozenset, dict, sum, sorted, any, all), FIRST),
    **dict.fromkeys((max, min, enumerate, math.fsum, math.prod, itertools.accumulate, itertools.islice), FIRST),
    **dict.fromkeys((filter, functools.reduce), SECOND),
    map: LATER,
    **dict.fromkeys((zip, itertools.chain, ops.arguments, ops.tuple_concat, ops.list_concat), EVERY),
}
"""Calls that go through what they are given, and which of their arguments."""
LAZY: tuple[Any, ...] = (enumerate, itertools.accumulate, itertools.islice, filter, map, zip, itertools.chain)
"""Those that ask for an item when one is asked of them."""
LENGTH = frozenset(("__len__", "__length_hint__"))
LIMIT = 256
"""The most items that an iterator written as a class is asked for."""


def iterated(fn: Any) -> Callable[..., Atom | None]:
    """Objects among the arguments are gone through by their `__iter__`, at once."""
    otherwise = others.get(fn)

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        asked = args[ITERATING[fn]] if fn not in (max, min) or len(args) == 1 else []
        found = [a for a in asked if is_object(b, a) and is_iterable(b, a)]
        if not found:
            return None if otherwise is None else otherwise(b, args, kwargs, place, name)
        before = b.value(args[1]) if fn is ops.unpack_star else 0
        given = [gone_through(b, fn, a, place, before) if any(a is f for f in found) else a for a in args]
        return dispatch(b, Const(fn), given, kwargs, name, place)

    return handler


def gone_through(b: Builder, fn: Any, owner: Atom, place: Place | None, before: int) -> Atom:
    """An iterator over an object: for a dict over the pairs of what is a mapping."""
    if fn is dict and is_mapping(b, owner):
        items = method_call(b, owner, "items", [], place)
        if not is_not_implemented(items):
            return items
    if fn not in LAZY and special_methods_write(class_named(b, owner) or object, LENGTH):
        what = "an object whose __len__ writes, which Python may ask how much room its items need"
        raise Unsupported(what, place, "go through it in a loop: for item in …")
    items = b.call(iter, owner, place=place)
    return items if not is_object(b, items) else drained(b, fn, items, place, before)


def drained(b: Builder, fn: Any, iterator: Atom, place: Place | None, before: int) -> Atom:
    """The list of what an iterator written as a class gives, for a call that asks for all of it at once. In
    `a, *b = iterator` Python makes a list of what is behind a, and so asks for an iterator once more."""
    cls = class_named(b, iterator) or object
    if not isinstance(stated(cls, "__next__"), FunctionType):
        raise raises(TypeError(f"iter() returned non-iterator of type {cls.__name__!r}"), place)
    items: list[Atom] = []
    what = "as items are asked for" if fn in LAZY else f"for more than {LIMIT} items"
    while fn not in LAZY and len(items) <= LIMIT:
        if before and len(items) == before:
            iterator = b.call(iter, iterator, place=place)
        item = tried(b, functools.partial(method_call, b, iterator, "__next__", [], place), StopIteration, place)
        if item is None:
            return b.call(ops.build_list, *items)
        items.append(item)
    raise Unsupported(
        f"{cls.__name__}, an iterator written as a class, gone through {what}",
        place,
        "make a list of it first: list(…), or loop over an array, a list or a range",
    )


def next_of(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`next(iterator)` and `next(iterator, default)` of an iterator written as a class."""
    if not is_object(b, args[0]):
        return None
    if len(args) == 1:
        out = method_call(b, args[0], "__next__", [], place)
    else:
        found = tried(b, lambda: method_call(b, args[0], "__next__", [], place), StopIteration, place)
        out = args[1] if found is None else found
    return None if is_not_implemented(out) else out


def is_mapping(b: Builder, owner: Atom) -> bool:
    return isinstance(stated(class_named(b, owner) or object, "keys"), FunctionType)


def is_iterable(b: Builder, owner: Atom) -> bool:
    return isinstance(stated(class_named(b, owner) or object, "__iter__"), FunctionType)


def from_behind(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`reversed(items)` of an object: what its class says, or its items by their positions."""
    if not is_object(b, args[0]):
        return None
    cls = class_named(b, args[0]) or object
    if isinstance(stated(cls, "__reversed__"), FunctionType):
        return method_call(b, args[0], "__reversed__", [], place)
    if not all(isinstance(stated(cls, part), FunctionType) for part in ("__len__", "__getitem__")):
        return None
    count = b.call(len, args[0], place=place)
    read = Lifted(lambda c, i: dispatch(c, Const(operator.getitem), [args[0], i], [], "item", place))
    return b.call(reversed, b.call(list, b.call(map, Const(read), b.call(range, count))), place=place)


def merged(fn: Any) -> Callable[..., Atom | None]:
    """Mappings among what is merged (`{**a, **b}`, `f(**a)`) are dicts of their items."""

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if not any(is_object(b, a) and is_mapping(b, a) for a in args):
            return None
        given = [b.call(dict, a, place=place) if is_object(b, a) and is_mapping(b, a) else a for a in args]
        if not any(is_object(b, a) and is_mapping(b, a) for a in given):
            return dispatch(b, Const(fn), given, kwargs, name, place)
        # dicts whose keys are met when the code runs
        first, *rest = [a if is_object(b, a) else b.call(dict, a, place=place) for a in given]
        for a in rest:
            method_call(b, first, "update", [a], place)
        return first

    return handler


def heap_call(fn: Any) -> Callable[..., Atom | None]:
    """A heap is a list: where it carries derivatives, or gets an item that does, or is the caller's, what is done with
    it is followed."""

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        held = look(b, args[0], place)
        wanted = is_given(b, args[0]) or any(may_carry(b.type(a)) for a in (held, *args[1:]))
        followed = isinstance(b.type(held), (ListT, Seq)) and wanted
        return dispatch(b, Const(HEAPS[fn]), args, kwargs, name, place) if followed else None

    return handler


def is_given(b: Builder, atom: Atom) -> bool:
    """Whether a list is the caller's, who is to find it as it was."""
    return cell_of(atom) in b.context.outside


def insort(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect.bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect.bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insertion(fn: Any) -> Callable[..., Atom | None]:
    """An item put into a sorted list of the caller's."""

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        return dispatch(b, Const(fn), args, kwargs, name, place) if is_given(b, args[0]) else None

    return handler


for _fn in HEAPS:
    handles_cells(_fn)(heap_call(_fn))
handles_cells(bisect.insort)(insertion(insort))
handles_cells(bisect.insort_left)(insertion(insort_left))
for _fn in ITERATING:
    register(_fn, iterated(_fn))
for _fn in (ops.dict_merge, ops.kwargs_merge):
    register(_fn, merged(_fn))
register(reversed, from_behind)
register(next, next_of)
