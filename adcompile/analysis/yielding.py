"""Generators: a loop over one runs where the items are yielded.

    for a, s in pairs(x):         pairs(x, body)    # which runs `body((a, a * a))` for `yield a, a * a`
        …

What the loop carries stands in variables meanwhile, as what several functions share. Who asks for one item after the
other is Python over such loops (`ONE_BY_ONE`); who takes all before it does anything else gets a list of them.
"""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.heap import look
from adcompile.analysis.laziness import View, given, go_through, view_of
from adcompile.analysis.unfollowed import name_of
from adcompile.analysis.unrolled import telling
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Const, For, Function
from adcompile.ir.types import Array, IterT, Known, ListT, RangeT, Seq, TupleT, Type
from adcompile.rules.registry import lookup

Over = tuple[Any, Sequence[Atom], Sequence[tuple[str, Atom]]]
Run = Callable[[Builder, Atom], None]
"""Run a generator, which calls what it is given with each item, and ends when that gives True."""
GENERATOR = "generator"


def suspended(
    b: Builder, function: Function, params: Sequence[Atom], cells: Sequence[Atom], place: Place | None, run: Run
) -> Atom:
    """A call of a generator function, of which nothing runs before an item is asked for."""
    if not b.context.inlining:
        raise Unsupported(
            f"{function.name}() is a generator function, which gives no numbers itself",
            function.place,
            "differentiate a function that takes its items, and returns a number or an array",
        )
    about = (Const(function.name), Const(spot(place)))
    t = IterT(GENERATOR, tuple(map(b.type, params)))
    var = b.emit(ops.generator, about, t, (), function.name, place)  # what it is given is not given away by that
    return given(b, var, View(run=run, endless=function.endless), [*params, *cells], lasting=False)


def run_of(b: Builder, iterable: Atom) -> Run | None:
    """How to run a generator; None of what is none."""
    view = view_of(b, iterable)
    return None if view is None else view.run


def run_over(
    b: Builder, s: For, run: Run, init: Sequence[Atom], body: Callable[[Builder, Block, Sequence[Atom]], list[Atom]]
) -> list[Atom]:
    """The results of a loop over a generator; `body` gives what a block yields for the element and what is carried."""
    params, context, outside = s.body.params[1:], b.context, b.context.inlining
    block = telling(s.body, params)
    names = [b.dispatch(Const(ops.make_variable), [a], [], p.name, s.place) for p, a in zip(params, init)]

    def now(c: Builder) -> list[Atom]:
        return [c.dispatch(Const(ops.read_variable), [v], [], p.name, s.place) for p, v in zip(params, names)]

    def each(c: Builder, item: Atom) -> Atom:
        inside, context.inlining = context.inlining, outside  # what the loop calls is no call of the generator's
        try:
            *values, left = body(c, block, [item, *now(c)])
        finally:
            context.inlining = inside
        for v, value in zip(names, values):
            c.dispatch(Const(ops.write_variable), [v, value], [], "", s.place)
        return left

    run(b, Const(Lifted(each)))
    return now(b)


# -- what is made of generators -----------------------------------------------------------------


def is_generator(b: Builder, atom: Atom) -> bool:
    t = b.type(atom)
    return isinstance(t, IterT) and t.kind == GENERATOR and run_of(b, atom) is not None


def of_generators(b: Builder, fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> Over | None:
    """What a call means that is given a generator: another call, in Python that is followed."""
    if not any(is_generator(b, a) for a in args):
        return None
    if fn is ops.unpack:  # which asks for one more, to see that there is none
        b.context.gone.discard(args[0])
        return fn, [b.dispatch(Const(one_more), args[:2], [], "", b.place), *args[1:]], kwargs
    if fn in TAKE_ALL and not any(k == "key" for k, _ in kwargs):
        return fn, [listed(b, a) if is_generator(b, a) else a for a in args], kwargs
    if fn not in ONE_BY_ONE and not asks_itself(fn):
        return None
    if kwargs or fn not in ONE_BY_ONE:
        raise not_taken(b, fn)
    take, count = ONE_BY_ONE[fn]
    if fn is zip:
        k = next(k for k, a in enumerate(args) if is_generator(b, a))
        before, behind = args[:k], args[k + 1 :]
        if not all(has_positions(b.type(look(b, a))) for a in (*before, *behind)):
            raise not_taken(b, fn)
        return take, [b.build_tuple(*before), handed_on(b, args[k]), b.build_tuple(*behind)], ()
    k = int(fn in FIRST_OF_TWO)
    if fn is next:  # of which nobody has noted that it takes items
        go_through(b, args[0], b.place)
    if len(args) not in count or not is_generator(b, args[k]):
        raise not_taken(b, fn)
    return take, [handed_on(b, a) if i == k else a for i, a in enumerate(args)], ()


def asks_itself(fn: Any) -> bool:
    """Whether a callable that is not followed may ask for the items of what it is given."""
    if fn in LOOK_ON or isinstance(fn, FunctionType) and lookup(fn) is None:
        return False
    known = getattr(fn, "__module__", None) in ("builtins", "itertools", "_functools", "math")
    return known or lookup(fn) is not None or getattr(fn, "__objclass__", None) in (dict, set, str, collections.deque)


def not_taken(b: Builder, fn: Any) -> Unsupported:
    name = name_of(fn) or "what is called here"
    return Unsupported(f"a generator that {name}() gets", b.place, "give it a list of the items, or write the loop")


def handed_on(b: Builder, generator: Atom) -> Atom:
    """A generator for who takes its items from now on: by its name it is gone."""
    made = b.context.definition[generator]  # type: ignore[index]
    var = b.emit(ops.generator, made.args, b.type(generator), (), generator.name, made.place)  # type: ignore[union-attr]
    b.context.views[var] = b.context.views[generator]  # type: ignore[index]
    return var


def has_positions(t: Type) -> bool:
    """Whether the items of such a value can be read by their positions, as they are by then."""
    if isinstance(t, Known):
        return isinstance(t.value, (tuple, list, str, range))
    return isinstance(t, (TupleT, ListT, Seq, RangeT)) or isinstance(t, Array) and bool(t.dims)


def listed(b: Builder, generator: Atom) -> Atom:
    """All items of a generator that is gone through by who asks for them."""
    view = view_of(b, generator)
    if view is not None and view.endless:
        raise Unsupported("all items of a generator that does not end", b.place, "write the loop, with break")
    b.context.gone.discard(generator)
    return b.dispatch(Const(items_of), [generator], [], "", b.place)


def items_of(generator):
    out = []
    for item in generator:
        out.append(item)
    return out


def one_more(generator, count):
    out = []
    for item in generator:
        out.append(item)
        if len(out) > count:
            break
    return out


def zipped(before, generator, behind):
    k = 0
    if all(len(c) > 0 for c in before):
        row = tuple([c[0] for c in before])  # Python asks these first
        for item in generator:
            if any(k >= len(c) for c in behind):
                return
            yield (*row, item, *[c[k] for c in behind])
            k += 1
            if any(k >= len(c) for c in before):
                return
            row = tuple([c[k] for c in before])


def counted(generator, start=0):
    k = start
    for item in generator:
        yield k, item
        k += 1


def mapped(f, generator):
    for item in generator:
        yield f(item)


def passing(f, generator):
    for item in generator:
        if item if f is None else f(item):
            yield item


def first_of(generator, stop):
    k = 0
    if stop > 0:
        for item in generator:
            yield item
            k += 1
            if k >= stop:
                return


def next_of(generator, *default):
    for item in generator:
        return item
    if default:
        return default[0]
    raise StopIteration


def any_of(generator):
    for item in generator:  # noqa: SIM110  which would ask of a generator again
        if item:
            return True
    return False


def all_of(generator):
    for item in generator:  # noqa: SIM110  which would ask of a generator again
        if not item:
            return False
    return True


def held_by(generator, wanted):
    for item in generator:  # noqa: SIM110  which would ask of a generator again
        if item is wanted or item == wanted:
            return True
    return False


def extended(items, generator):
    for item in generator:
        items.append(item)


def folded(f, generator, start):
    total = start
    for item in generator:
        total = f(total, item)
    return total


def taken_while(f, generator):
    for item in generator:
        if not f(item):
            return
        yield item


TAKE_ALL: frozenset[Any] = frozenset(
    {
        *(sum, min, max, list, tuple, sorted, set, frozenset, dict, math.fsum, math.prod, collections.deque),
        *(itertools.product, itertools.permutations, itertools.combinations, heapq.nsmallest, heapq.nlargest),
        *(ops.list_concat, ops.tuple_concat, ops.arguments, ops.unpack_star, np.fromiter),
    }
)
"""What takes all items at once, before it does anything else."""
ONE_BY_ONE: dict[Any, tuple[Any, tuple[int, ...]]] = {
    zip: (zipped, ()),
    enumerate: (counted, (1, 2)),
    map: (mapped, (2,)),
    filter: (passing, (2,)),
    itertools.islice: (first_of, (2,)),
    itertools.takewhile: (taken_while, (2,)),
    next: (next_of, (1, 2)),
    any: (any_of, (1,)),
    all: (all_of, (1,)),
    list.extend: (extended, (2,)),
    functools.reduce: (folded, (3,)),
    operator.contains: (held_by, (2,)),
}
"""What asks for one item after the other, as Python that is followed; with how many arguments."""
FIRST_OF_TWO = (map, filter, itertools.takewhile, list.extend, functools.reduce)
"""What gets the generator as its second argument."""
LOOK_ON: frozenset[Any] = frozenset(
    {isinstance, type, callable, id, getattr, hasattr, bool, iter, operator.is_, operator.is_not, ops.identity}
)
"""What does not ask for items."""
