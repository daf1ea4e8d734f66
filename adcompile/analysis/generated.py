"""Generated code that is differentiated again: what its helpers do to arrays and lists.

A derivative is a function like any other. Its helpers that add in place write into what they are
given, and those that make lists of zeros or copies make lists.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.heap import look
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Array, ListT, Scalar, Seq, TupleT


@handles(rt.accumulate)
def accumulated(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.accumulate(a, i, v)` is `np.add.at`, and gives the array."""
    b.call(np.add.at, *args, place=place)
    return args[0]


@handles(rt.add_item, look=())
def item_added(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.add_item(items, i, v)` writes into a list."""
    total, index, g = args
    item = b.call(operator.getitem, total, index, place=place)
    b.call(operator.setitem, total, index, b.call(rt.add, item, g, place=place), place=place)
    return total


@handles(rt.total, look=())
def total(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return b.call(sum, *args, place=place)


@handles(rt.zero_list, look=())
def zeros(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return each(b, zeros_of, zero_lists_of, args, place, name)


@handles(rt.copy, look=())
def copied(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return each(b, copies_of, copies_of, args, place, name)


@handles(rt.zeros_like, look=())
def zero(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.zeros_like` of a tuple is one of zeros."""
    items = structure(b, args[0])
    return None if items is None else b.build_tuple(*(b.call(rt.zeros_like, item, place=place) for item in items))


@handles(rt.add, look=())
def added(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.add` of two tuples is that of their items; None and 0 are the zero of every structure."""
    first, second = (structure(b, a) for a in args)
    if b.role == "primal" and all(isinstance(b.type(look(b, a)), (ListT, Seq)) for a in args):
        return dispatch(b, Const(sums_of), list(args), [], name, place)
    if first is None and second is None:
        plain = all(isinstance(b.type(a), (Scalar, Array)) or b.known(a) and b.value(a) is not None for a in args)
        return b.call(operator.add, *args, place=place) if plain else None
    if first is None or second is None:
        other, given = (args[1], args[0]) if first is None else args
        return other if b.known(given) and not b.value(given) else given if b.known(other) else None
    return b.build_tuple(*(b.call(rt.add, x, y, place=place) for x, y in zip(first, second)))


def structure(b: Builder, atom: Atom) -> list[Atom] | None:
    """The items of a plain tuple."""
    t = b.type(look(b, atom))
    return b.items(look(b, atom)) if isinstance(t, TupleT) and t.cls is tuple else None


def each(b: Builder, fn: Any, nested: Any, args: Args, place: Place | None, name: str) -> Atom | None:
    """A new list made item by item, by `nested` where the items are lists themselves; not for what
    the transforms themselves ask for, whose lists are values."""
    if b.role != "primal":
        return None
    t = b.type(look(b, args[0]))
    items = t.items if isinstance(t, (ListT, TupleT)) else (t.item,) if isinstance(t, Seq) else None
    if items is None:
        return None
    inner = all(isinstance(item, (ListT, Seq)) for item in items) and bool(items)
    return dispatch(b, Const(nested if inner else fn), list(args), [], name, place)


def sums_of(first: Any, second: Any) -> Any:
    return [rt.add(x, y) for x, y in zip(first, second)]


def zeros_of(items: Any) -> Any:
    return [rt.zeros_like(item) for item in items]


def zero_lists_of(items: Any) -> Any:
    return [rt.zero_list(item) for item in items]


def copies_of(items: Any) -> Any:
    return [rt.copy(item) for item in items]
