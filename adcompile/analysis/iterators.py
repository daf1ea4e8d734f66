"""Iterators: map and filter, iter and next, and those of itertools.

Each stands for a View of what it gives (analysis/laziness): its items where they are known, else
their number and how to read one, by its position, of what the iterator goes through.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import replace
from types import GeneratorType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.builtins import collect
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.folds import accumulate
from adcompile.analysis.heap import look
from adcompile.analysis.infer import branch_on
from adcompile.analysis.iteration import as_sequence, checked, indexable, indexed, known_items, known_range
from adcompile.analysis.laziness import ONE_PASS, View, check_rest, given, go_through, lazy_rows
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Raise, Var
from adcompile.ir.types import INT, Array, Instance, IterT, Known, RangeT, Seq, TupleT

LIMIT = 4096
Transform = Callable[[Builder, Atom], Atom]


def emitted(b: Builder, fn: Any, args: Args, kwargs: Kwargs, name: str, place: Place | None) -> Var:
    return b.emit(fn, args, IterT("view", tuple(b.type(a) for a in args)), kwargs, name, place)


def reader(
    b: Builder, fn: Any, args: Args, kwargs: Kwargs, name: str, place: Place | None, view: View, copies: bool = True
) -> Atom:
    """An iterator that reads what it goes through as items are asked for; `copies`: not arrays, or more than once."""
    var = emitted(b, fn, args, kwargs, name, place)
    return given(b, var, replace(view, copies=copies), args, lasting=True)


def maker(b: Builder, fn: Any, args: Args, kwargs: Kwargs, name: str, place: Place | None, view: View) -> Atom:
    """An iterator whose items are made when the first is asked for."""
    return given(b, emitted(b, fn, args, kwargs, name, place), view, [*args, *(v for _, v in kwargs)], lasting=False)


def can_be_read(b: Builder, source: Atom) -> bool:
    return isinstance(b.type(source), RangeT) or known_length(b, source) is not None or indexable(b, source) is not None


def known_length(b: Builder, source: Atom) -> int | None:
    rows = lazy_rows(b, source)
    items = known_items(b, source) if rows is None else rows
    return None if items is None or len(items) > LIMIT else len(items)


def as_int(b: Builder, atom: Atom) -> int | None:
    return b.value(atom) if b.known(atom) and type(b.value(atom)) is int else None


# -- map, filter, iter, next --------------------------------------------------------------------


def mapped(
    b: Builder, fn: Any, args: Args, name: str, place: Place | None, source: Atom, transform: Transform
) -> Atom | None:
    """An iterator over `transform(item)` of each item of `source`."""
    view = mapping(b, source, transform, place)
    return None if view is None else maker(b, fn, args, [], name, place, view)


def mapping(b: Builder, source: Atom, transform: Transform, place: Place | None) -> View | None:
    """What a map gives, by what its source holds now."""
    if not can_be_read(b, source):
        return None
    count = known_length(b, source)
    rows = lazy_rows(b, source)
    if count is not None:

        def read(c: Builder, i: Atom) -> Atom:
            if not c.known(i):
                return transform(c, c.call(operator.getitem, as_sequence(c, items_now(c)), i))
            return transform(c, rows[c.value(i)](c) if rows is not None else items_now(c)[c.value(i)])

        def items_now(c: Builder) -> list[Atom]:
            return known_items(c, source) or []

        length: Atom | None = Const(count)
    else:
        found = indexable(b, source)
        assert found is not None
        length, item = found

        def read(c: Builder, i: Atom) -> Atom:
            return transform(c, item(c, i))

    def again(c: Builder) -> View | None:
        return mapping(c, source, transform, place)

    return View(None, length, read, lambda c: collect(c, source, transform, place), over=source, again=again)


@handles(map, look=())
def map_function(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    source = args[1] if len(args) == 2 else b.call(zip, *args[1:])

    def transform(c: Builder, item: Atom) -> Atom:
        values = [item] if len(args) == 2 else c.items(item)
        return dispatch(c, args[0], values, [], "", place)

    return mapped(b, map, args, name, place, source, transform)


@handles(itertools.starmap, look=())
def starmap(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    def transform(c: Builder, item: Atom) -> Atom:
        return dispatch(c, Const(ops.apply), [args[0], item, Const({})], [], "", place)

    return mapped(b, itertools.starmap, args, name, place, args[1], transform)


@handles(filter, look=())
def filter_function(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if not can_be_read(b, args[1]):
        return None
    view = View(
        make=lambda c: filtered(c, args, place), over=args[1], guard=lambda c, item: kept_if(c, args[0], item, place)
    )
    return maker(b, filter, args, kwargs, name, place, view)


def filtered(b: Builder, args: Args, place: Place | None) -> Atom | None:
    items = known_items(b, args[1])
    if items is None:
        return filter_sequence(b, args[0], args[1], b.call(ops.build_list), place)
    kept = []
    for k, item in enumerate(items):
        test = kept_if(b, args[0], item, place)
        if not b.known(test):  # what it has done, it has done once
            begin = kept_too(b, test, b.call(ops.build_list, *kept), item)
            rest = b.call(ops.build_list, *items[k + 1 :])
            return filter_sequence(b, args[0], rest, begin, place) if items[k + 1 :] else begin
        if b.value(test):
            kept.append(item)
    return b.call(ops.build_list, *kept)


def kept_too(b: Builder, test: Atom, items: Atom, item: Atom) -> Atom:
    return branch_on(b, test, lambda c: c.call(ops.push, items, item), lambda _: items, "items")


def kept_if(b: Builder, predicate: Atom, item: Atom, place: Place | None) -> Atom:
    none = b.known(predicate) and b.value(predicate) is None
    return item if none else dispatch(b, predicate, [item], [], "", place)


def filter_sequence(b: Builder, predicate: Atom, source: Atom, start: Atom, place: Place | None) -> Atom | None:
    def keep(c: Builder, items: Atom, item: Atom) -> Atom:
        return kept_too(c, kept_if(c, predicate, item, place), items, item)

    return accumulate(b, Lifted(keep), source, start, place, "items")


@handles(iter, look=())
def make_iterator(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if len(args) != 1:
        return None
    if isinstance(t, IterT) and t.kind not in ONE_PASS:
        return args[0]
    items = known_items(b, args[0])
    found = indexed(b, args[0]) if items is None else None
    if items is None and found is None:
        return None
    view = View(items) if found is None else View(None, found[0], found[1])
    return reader(b, iter, args, [], name, place, view, copies=False)


@handles(next, look=())
def next_item(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`next(items)` of an iterator made in the same block: the items are counted as they are taken."""
    source, t = args[0], b.type(look(b, args[0]))
    if not isinstance(t, IterT):
        go_through(b, source, place)
    if not isinstance(t, IterT) or t.kind in ONE_PASS or not isinstance(source, Var):
        return None
    if source not in b.local or source in b.context.gone:
        raise Unsupported(
            "next(…) of an iterator that was made outside of this branch or loop, or is gone through elsewhere",
            place,
            "read the items by their positions: items[i]",
        )
    lazy, found = lazy_rows(b, source), indexed(b, source)
    items = known_items(b, source) if lazy is None else None
    if items is None and found is None:
        return None
    check_rest(b, source, place)
    b.context.taken[source] = b.context.taken.get(source, 0) + 1

    def stop(c: Builder) -> Atom:
        if len(args) > 1:
            return args[1]
        raise Terminated(Raise(Const(StopIteration()), None, place))

    if items is not None:
        return items[0] if items else stop(b)
    assert found is not None
    length, read = found
    if length is None:
        return read(b, Const(0))
    return branch_on(b, b.call(operator.gt, length, 0), lambda c: read(c, Const(0)), stop, name)


@handles(ops.first, look=())
def first_item(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """`next(…)` of a generator that ends where it has none."""

    def stop(_: Builder) -> Atom:
        raise Terminated(Raise(Const(StopIteration()), None, place))

    return branch_on(b, args[0], lambda _: args[1], stop, name)


def told(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    raise Unsupported("send(), throw() or close() of a generator", place, "ask for its items alone, or write the loop")


for _fn in (GeneratorType.send, GeneratorType.throw, GeneratorType.close):
    handles(_fn, look=())(told)


# -- itertools ----------------------------------------------------------------------------------


@handles(itertools.chain, look=())
def chain(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if not all(can_be_read(b, a) for a in args):
        return None
    view = View(make=lambda c: c.call(ops.list_concat, *args), turns=False)
    return maker(b, itertools.chain, args, kwargs, name, place, view)


@handles(itertools.chain.from_iterable, look=())
def chain_from(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    rows = known_items(b, args[0])
    return None if rows is None else chain(b, rows, [], place, name)


@handles(itertools.accumulate, look=())
def accumulated(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    keywords = dict(kwargs)
    fn = args[1] if len(args) > 1 else keywords.get("func", Const(None))
    fn = Const(operator.add) if b.known(fn) and b.value(fn) is None else fn
    initial = keywords.get("initial", Const(None))
    starts = not (b.known(initial) and b.value(initial) is None)

    def step(c: Builder, items: Atom, pair: Atom) -> Atom:
        number, item = c.items(pair)

        def more(d: Builder) -> Atom:
            return dispatch(d, fn, [d.call(operator.getitem, items, -1), item], [], "", place)

        first = Const(False) if starts else c.call(operator.eq, number, 0)
        return c.call(ops.push, items, branch_on(c, first, lambda _: item, more, "item"))

    def make(c: Builder) -> Atom | None:
        begin = c.call(ops.build_list, *([initial] if starts else []))
        return accumulate(c, Lifted(step), c.call(enumerate, args[0]), begin, place, "items")

    if not can_be_read(b, args[0]):
        return None
    return maker(b, itertools.accumulate, args, kwargs, name, place, View(make=make, over=args[0]))


def pick(fn: Any, make: Callable[..., Any]) -> None:
    """Iterators over tuples of items chosen by their positions alone."""

    @handles(fn, look=())
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        chosen = make(b, args, dict(kwargs))
        if chosen is None:
            return None
        sources, width, settings = chosen
        columns = [items for a in sources if (items := known_items(b, a)) is not None]
        if len(columns) == len(sources):
            rows = list(itertools.islice(fn(*(range(len(c)) for c in columns), *settings), LIMIT + 1))
            if len(rows) <= LIMIT:
                spread = columns * (width // len(columns)) if columns else []
                items = [b.call(ops.build_tuple, *(c[k] for c, k in zip(spread, row))) for row in rows]
                return given(b, emitted(b, fn, args, kwargs, name, place), View(items), args, lasting=False)
        reads = [found for a in sources if (found := indexable(b, a)) is not None]
        if len(reads) < len(sources):
            return None
        numbers = b.emit(fn, [*(b.call(range, n) for n, _ in reads), *map(Const, settings)], IterT("range", ()))
        positions = b.emit(list, (numbers,), Seq(TupleT((INT,) * width), list), (), "positions", place)
        spread = [read for _, read in reads] * (width // len(reads))

        def row(c: Builder, i: Atom) -> Atom:
            where = c.call(operator.getitem, positions, i)
            return c.call(ops.build_tuple, *(r(c, c.call(operator.getitem, where, k)) for k, r in enumerate(spread)))

        return reader(b, fn, args, kwargs, name, place, View(None, b.call(len, positions), row))


def chosen_product(b: Builder, args: Args, keywords: dict[str, Atom]) -> Any:
    times = as_int(b, keywords.get("repeat", Const(1)))
    return None if times is None or not args else ([*args] * times, len(args) * times, ())


def chosen_of_one(b: Builder, args: Args, keywords: dict[str, Atom]) -> Any:
    width = as_int(b, args[1] if len(args) > 1 else keywords.get("r", Const(None)))
    return None if not width else (args[:1], width, (width,))


def permuted(b: Builder, args: Args, keywords: dict[str, Atom]) -> Any:
    """`permutations(items)`, of all items where nothing else is said."""
    chosen = args[1] if len(args) > 1 else keywords.get("r", Const(None))
    if not b.known(chosen) or b.value(chosen) is not None:
        return chosen_of_one(b, args, keywords)
    numbers = known_range(b, args[0])
    count = known_length(b, args[0]) if numbers is None else len(numbers)
    return None if not count else (args[:1], count, (count,))


pick(itertools.product, chosen_product)
pick(itertools.combinations, chosen_of_one)
pick(itertools.combinations_with_replacement, chosen_of_one)
pick(itertools.permutations, permuted)


def pairwise(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    items, found = known_items(b, args[0]), indexable(b, args[0])
    if items is not None:
        rows = [b.call(ops.build_tuple, x, y) for x, y in itertools.pairwise(items)]
        return reader(b, itertools.pairwise, args, [], name, place, View(rows))
    if found is None:
        return None
    length, read = found

    def row(c: Builder, i: Atom) -> Atom:
        return c.call(ops.build_tuple, read(c, i), read(c, c.call(operator.add, i, 1)))

    pairs = b.call(max, b.call(operator.sub, length, 1), 0)
    return reader(b, itertools.pairwise, args, [], name, place, View(None, pairs, row))


handles(itertools.pairwise, look=())(pairwise)


@handles(itertools.zip_longest, look=())
def zip_longest(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    columns = [known_items(b, a) for a in args]
    rows = [c for c in columns if c is not None]
    fill = dict(kwargs).get("fillvalue", Const(None))
    if len(rows) == len(columns):
        items = [b.call(ops.build_tuple, *row) for row in itertools.zip_longest(*rows, fillvalue=fill)]
        return reader(b, itertools.zip_longest, args, kwargs, name, place, View(items))
    reads = [found for a in args if (found := indexable(b, a)) is not None]
    if len(reads) < len(args):
        return None
    lengths = [n for n, _ in reads]

    def row(c: Builder, i: Atom) -> Atom:
        held = [c.call(operator.lt, i, n) for n in lengths]
        items = [
            branch_on(c, there, lambda d, read=read: read(d, i), lambda _: fill, "item")
            for there, (_, read) in zip(held, reads)
        ]
        return c.call(ops.build_tuple, *items)

    longest = b.call(max, *lengths) if len(lengths) > 1 else lengths[0]
    return reader(b, itertools.zip_longest, args, kwargs, name, place, View(None, longest, row))


def transposed(b: Builder, rows: Atom, name: str, place: Place | None) -> Atom | None:
    """`zip(*rows)` of rows of which the number is met when the code runs: there has to be one."""
    now = look(b, rows)
    t = b.type(now)
    if isinstance(t, Seq) and isinstance(t.item, TupleT) and t.item.items:
        now = at_least_one(b, now, place)
        made = [collect(b, now, lambda c, row, k=k: c.item(row, k), place) for k in range(len(t.item.items))]
        return b.call(iter, b.call(ops.build_list, *(b.call(tuple, m) for m in made if m is not None)), place=place)
    if isinstance(t, Array) and t.dims is not None and len(t.dims) > 1:
        columns = b.call(np.swapaxes, at_least_one(b, now, place), 0, 1, place=place)
        return b.call(map, tuple, columns, name=name, place=place)
    if not isinstance(t, Seq) or not isinstance(t.item, (Seq, Array)) or isinstance(t.item, Array) and not t.item.dims:
        return None
    now = at_least_one(b, now, place)
    lengths = collect(b, now, lambda c, row: c.call(len, row), place)

    def column(c: Builder, i: Atom) -> Atom:
        items = collect(c, now, lambda d, row: d.call(operator.getitem, row, i), place)
        return c.call(tuple, items)

    view = View(None, b.call(min, lengths), column)
    return reader(b, ops.apply, [Const(zip), now, Const({})], [], name, place, view)


def at_least_one(b: Builder, rows: Atom, place: Place | None) -> Atom:
    return checked(b, rows, 1, place, more="zip(*rows) of no rows")


@handles(itertools.islice, look=())
def islice(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    source, *bounds = args
    start, stop, step = (Const(0), bounds[0], Const(1)) if len(bounds) == 1 else (*bounds, Const(1))[:3]
    start, step = (Const(d) if b.known(a) and b.value(a) is None else a for a, d in ((start, 0), (step, 1)))
    items = known_items(b, source)
    check_rest(b, source, place)
    if items is not None and all(b.known(a) for a in (start, stop, step)):
        view = View(items[slice(*map(b.value, (start, stop, step)))])
        return reader(b, itertools.islice, args, [], name, place, view)
    found = indexed(b, source)
    check_rest(b, source, place)
    if found is None or any(isinstance(b.type(a), Instance) for a in (start, stop, step)):
        return None
    length, read = found
    endless = b.known(stop) and b.value(stop) is None
    if length is None and endless:
        return None
    end = length if endless else stop if length is None else b.call(min, stop, length)
    numbers = b.call(range, start, end, step)
    view = View(None, b.call(len, numbers), lambda c, i: read(c, c.call(operator.getitem, numbers, i)))
    return reader(b, itertools.islice, args, [], name, place, view, copies=False)


@handles(itertools.repeat, look=())
def repeated(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    times = args[1] if len(args) > 1 else dict(kwargs).get("times")
    number = None if times is None else as_int(b, times)
    items = [args[0]] * max(number, 0) if number is not None and number <= LIMIT else None
    view = View(items, times, lambda c, i: args[0])
    return reader(b, itertools.repeat, args, kwargs, name, place, view)


@handles(itertools.count, look=())
def counted(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    keywords = dict(kwargs)
    start = args[0] if args else keywords.get("start", Const(0))
    step = args[1] if len(args) > 1 else keywords.get("step", Const(1))
    if not all(is_int(b, a) for a in (start, step)):
        return None  # Python adds up, which is not exact for floats

    def read(c: Builder, i: Atom) -> Atom:
        return c.call(operator.add, start, c.call(operator.mul, i, step))

    return reader(b, itertools.count, args, kwargs, name, place, View(None, None, read))


def is_int(b: Builder, atom: Atom) -> bool:
    t = b.type(atom)
    return t == INT or isinstance(t, Known) and type(t.value) is int
