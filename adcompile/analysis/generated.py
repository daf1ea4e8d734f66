"""Generated code that is differentiated again: what its helpers do to arrays and lists.

A derivative is a function like any other. Its helpers that add in place write into what they are
given, and those that make lists of zeros or copies make lists. Calls that it looks up when the code
runs are looked up, as the transforms do, and its checkpointed loops keep what they record.
"""

from __future__ import annotations

import operator
import types
from functools import cache
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handed_over, handles
from adcompile.analysis.demotion import demote
from adcompile.analysis.heap import fresh, give, look
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import (
    NEVER,
    NONE,
    UNKNOWN,
    Array,
    Filled,
    Kept,
    Known,
    ListT,
    Scalar,
    Seq,
    TupleT,
)


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


@handles(rt.scatter_list, look=())
def part_scattered(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.scatter_list(items, index, g)` makes a list."""
    if b.role != "primal" or not is_list(b, args[0]) or not is_list(b, args[2]):
        return None
    return dispatch(b, Const(scattered), list(args), [], name, place)


@handles(rt.copy, look=())
def copied(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if structure(b, args[0]) is not None:
        return args[0]  # a tuple is itself
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


# -- what was looked up -------------------------------------------------------------------------


@handles(rt.vjp_of, rt.vjp_of_held, look=())
def looked_up(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """A call of a function that only the run time knows, with its derivative: as the transforms emit it."""
    return sought(b, rt.vjp_of, args, place, name)


@handles(rt.jvp_of, look=())
def pushed(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return sought(b, rt.jvp_of, args, place, name)


def sought(b: Builder, fn: Any, args: Args, place: Place | None, name: str) -> Atom:
    target, *settings = (fixed(b, a) for a in args[:4])
    given: Args = list(args[4:])
    if b.known(target) and b.value(target) in (getattr, list, tuple):  # these write nothing
        given = [give(b, a) for a in given]
    else:
        given, _ = handed_over(b, None, given, [], place)
        for a in given:
            demote(b, None, a, place)
    return b.emit(fn, (target, *settings, *given), TupleT((UNKNOWN, UNKNOWN)), (), name, place)


def fixed(b: Builder, atom: Atom) -> Atom:
    """A setting: a tuple of constants as a constant."""
    items = structure(b, atom)
    if items is not None and all(map(b.known, items)):
        return Const(tuple(map(b.value, items)))
    return atom


@handles(rt.pull, look=())
def pulled(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return b.emit(rt.pull, [give(b, a) for a in args], UNKNOWN, (), name, place)


@handles(rt.hold, look=())
def held(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """What a pullback keeps as it is. What is None on some paths is asked for on the others only."""
    given, count, *values = [give(b, a) for a in args]
    first = b.value(given)
    types = tuple(NEVER if t == NONE else t for t in map(b.type, values[first:]))
    return b.emit(rt.hold, [given, count, *values], Kept(types), (), name, place)


@handles(rt.released, look=())
def released(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if not isinstance(t, Kept):
        return None
    types = tuple(NONE if kept == NEVER else kept for kept in t.types)
    return b.emit(rt.released, [give(b, a) for a in args], TupleT(types), (), name, place)


# -- structure ----------------------------------------------------------------------------------


def structure(b: Builder, atom: Atom) -> list[Atom] | None:
    """The items of a plain tuple."""
    t = b.type(look(b, atom))
    if isinstance(t, Known) and type(t.value) is tuple:
        return [Const(item) for item in t.value]
    return b.items(look(b, atom)) if isinstance(t, TupleT) and t.cls is tuple else None


def each(b: Builder, fn: Any, nested: Any, args: Args, place: Place | None, name: str) -> Atom | None:
    """A new list made item by item, by `nested` where the items are lists themselves; not for what
    the transforms themselves ask for, whose lists are values."""
    if b.role != "primal":
        return None
    t = b.type(look(b, args[0]))
    if isinstance(t, Filled) and t.cls is list:
        args = [b.call(list, args[0], place=place)]
        t = b.type(look(b, args[0]))
    items = t.items if isinstance(t, (ListT, TupleT)) else (t.item,) if isinstance(t, Seq) else None
    if items is None:
        return None
    inner = all(isinstance(item, (ListT, Seq)) for item in items) and bool(items)
    made = another(nested if inner else fn, len(b.context.inlining))
    return dispatch(b, Const(made), list(args), [], name, place)


def sums_of(first: Any, second: Any) -> Any:
    return [rt.add(x, y) for x, y in zip(first, second)]


def is_list(b: Builder, atom: Atom) -> bool:
    return isinstance(b.type(look(b, atom)), (ListT, Seq))


def scattered(items: Any, index: Any, g: Any) -> Any:
    out = zeros_of(items)
    places = rt.places(index, len(items))
    for k in range(len(places)):
        out[places[k]] = rt.copy(g[k])
    return out


def zeros_of(items: Any) -> Any:
    return [rt.zeros_like(item) for item in items]


def zero_lists_of(items: Any) -> Any:
    return [rt.zero_list(item) for item in items]


def copies_of(items: Any) -> Any:
    return [rt.copy(item) for item in items]


# -- loops that run again -----------------------------------------------------------------------


@handles(rt.run_budgeted, look=())
@handles(rt.run_checkpointed, look=())
def run_checkpointed(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """The loop, which keeps in lists what it records of every step: none is run again, and its shadows are those
    that it carries."""
    advance, record, steps, _, values, links, memory, fixed, *rest = args
    leaves = bool(rest) and b.known(rest[0]) and bool(b.value(rest[0]))
    begin, step = Begin(b, {}), b.call(operator.getitem, steps, 0)
    given = [item for part in (values, links, memory, fixed) for item in structure(b, part) or ()]
    recorded = b.items(b.dispatch(record, [step, *given], [], "", place))
    count = sum(len(structure(b, part) or ()) for part in recorded[1:])
    begin.again(b, {})
    columns = b.build_tuple(*(fresh(b, list, b.build(ListT(()), []), "", place) for _ in range(max(count, 1))))
    loop, first = (until_left, [advance]) if leaves else (all_steps, [])
    given = [*first, record, steps, values, links, memory, fixed, columns]
    return dispatch(b, Const(another(loop, len(b.context.inlining))), given, [], name, place)


@cache
def another(loop: types.FunctionType, depth: int) -> types.FunctionType:
    """The same function, for a loop or list within others: to call it there is no recursion."""
    return types.FunctionType(loop.__code__.replace(), loop.__globals__, loop.__name__)


@handles(rt.run_back, look=())
def run_back(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    columns = structure(b, args[3])
    if columns is None or not all(is_list(b, c) for c in columns):
        return None
    return b.call(zip, *(b.call(reversed, c, place=place) for c in columns), place=place)


def all_steps(record: Any, steps: Any, values: Any, links: Any, memory: Any, fixed: Any, columns: Any) -> Any:
    carried = (*values, *links)
    for i in steps:
        carried, recorded, shadows = record(i, *carried, *memory, *fixed)
        note_step(columns, recorded, shadows)
    return (*carried, columns, ((), ()))


def until_left(
    advance: Any, record: Any, steps: Any, values: Any, links: Any, memory: Any, fixed: Any, columns: Any
) -> Any:
    carried = (*values, *links)
    for i in steps:
        *_, left = advance(i, *apart(carried), *apart(memory), *fixed)
        carried, recorded, shadows = record(i, *carried, *memory, *fixed)
        note_step(columns, recorded, shadows)
        if left:
            break
    return (*carried, columns, ((), ()))


def note_step(columns: Any, recorded: Any, shadows: Any) -> None:
    """What is recorded of one step goes into the lists: arrays as they are now, shadows themselves."""


@handles(note_step, look=())
def step_noted(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    columns, recorded, shadows = (structure(b, a) or [] for a in args)
    items = [*(a if structure(b, a) is not None else b.call(rt.copy, a, place=place) for a in recorded), *shadows]
    for column, item in zip(columns, items or [Const(())]):
        b.call(list.append, column, item, place=place)
    return Const(None)


def apart(values: Any) -> Any:
    """A tuple of copies."""
    return tuple([rt.copy(v) for v in values])


@handles(apart, look=())
def taken_apart(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return b.build_tuple(*(b.call(rt.copy, item, place=place) for item in structure(b, args[0]) or ()))
