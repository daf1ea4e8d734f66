"""Builtins that go through a sequence: sums, reductions, extremes, quantifiers, membership."""

from __future__ import annotations

import builtins
import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis import iteration
from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder, Lifted, is_structured, parts
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.choices import choose
from adcompile.analysis.heap import look, settle
from adcompile.analysis.infer import branch_on, run_for, run_loop
from adcompile.analysis.iteration import indexable, known_items
from adcompile.analysis.laziness import check_own, check_turns
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, If, Unreachable, Var
from adcompile.ir.types import (
    Array,
    DictT,
    IterT,
    Known,
    ListT,
    RangeT,
    Scalar,
    Seq,
    TupleT,
    Type,
    widen,
)


@handles(sum, look=())
def total(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`sum(items)`: the additions Python makes where the items are known, a loop elsewhere."""
    start = dict(kwargs).get("start", args[1] if len(args) > 1 else Const(0))
    if not COMPENSATED:
        return accumulate(b, operator.add, args[0], start, place, name)
    items = known_items(b, args[0])
    source = args[0] if items is None else b.call(ops.build_list, *items)
    if isinstance(b.type(look(b, source)), IterT) and indexable(b, source) is not None:
        source = b.call(list, source)
    plain = accumulate(b, operator.add, source, start, place, name)
    return None if plain is None else compensated(b, plain, settle(b, source), start)


COMPENSATED = sys.version_info >= (3, 12)
"""Whether `sum` of floats keeps what rounding loses."""


def compensated(b: Builder, plain: Atom, source: Atom, start: Atom) -> Atom:
    """The sum as Python computes it, which has the derivatives of the plain sum."""
    t, items = b.type(plain), b.type(source)
    parts = items.items if isinstance(items, ListT) else (items.item,) if isinstance(items, Seq) else ()
    if not isinstance(t, Scalar) or not any(isinstance(p := widen(i), Scalar) and float in p.kinds for i in parts):
        return plain
    exact = b.emit(rt.total, (source, start), t)
    return b.emit(rt.valued, (plain, exact), t)


def said_of_nothing(run: Callable[[], Any]) -> str:
    """What Python says, in the words of this version, where there is no item to begin with."""
    try:
        return str(run())
    except (TypeError, ValueError) as error:
        return str(error)


EMPTY = {
    functools.reduce: said_of_nothing(lambda: functools.reduce(max, ())),
    **{fn: said_of_nothing(functools.partial(fn, ())) for fn in (max, min)},
}


def first_of_some(items, kind, words):
    """The first item, in Python that is followed."""
    if len(items) == 0:
        raise kind(words)
    return items[0]


@handles(functools.reduce, look=())
def reduce_function(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if len(args) == 3:
        return accumulate(b, args[0], args[1], args[2], place, name)
    items = known_items(b, args[1])
    if items is not None and items:
        out, begin = items[0], Begin(b, {})
        for item in items[1:]:
            out = dispatch(b, args[0], [out, item], [], name, place)
        check_turns(b, args[1:2], begin)
        return out
    if indexable(b, args[1]) is None:
        return None
    items_of = b.call(list, args[1]) if isinstance(b.type(args[1]), IterT) else args[1]
    begin = Begin(b, {})
    words = Const(EMPTY[functools.reduce])
    first = b.dispatch(Const(first_of_some), [items_of, Const(TypeError), words], [], "", place)
    rest = b.call(operator.getitem, items_of, b.call(slice, 1, None))
    found = accumulate(b, args[0], rest, first, place, name)
    check_turns(b, args[1:2], begin)
    return found


def accumulate(b: Builder, fn: Any, source: Atom, start: Atom, place: Place | None, name: str) -> Atom | None:
    items, first = known_items(b, source), Begin(b, {})
    callee = fn if isinstance(fn, (Var, Const)) else Const(fn)
    if items is not None:
        out = start
        for item in items:
            out = dispatch(b, callee, [out, item], [], name, place)
        check_turns(b, [source], first)
        return out
    if indexable(b, source) is None and not isinstance(b.type(source), RangeT):
        return None
    element, carried, added = Var("item"), Var("total"), Var("total")
    result, initial = Var(name or "total"), Var("start")
    f = Var("f")
    body = Block((element, carried), (Call(added, f, (carried, element), (), place),), Continue((added,)))
    env: dict[Var, Atom] = {initial: start, f: callee}
    run_loop(b, For((result,), source, (initial,), body, place), env, iteration.plan(b, source, place))
    check_turns(b, [source], first)
    return env[result]


def extreme(fn: Any) -> Any:
    compare = operator.gt if fn is builtins.max else operator.lt

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        """max and min of a known sequence, pairwise; with `key`, by comparing the keys."""
        items = known_items(b, args[0]) if len(args) == 1 else list(args)
        keywords = dict(kwargs)
        if items == [] and "default" in keywords:
            return keywords["default"]
        if items is None or not items:
            first = Begin(b, {})
            found = extreme_of_sequence(b, fn, args, kwargs, name, place)
            check_own(b, args, first, arrays=True)  # the items have been taken before their keys
            return found
        if len(items) == 1:
            return items[0]
        key = keywords.get("key")
        if key is not None and b.known(key) and b.value(key) is None:
            key = None
        if key is None and any(is_structured(b.type(look(b, i))) for i in items):
            key = Const(Lifted(lambda _, item: item))
        if key is None:
            if len(args) == 2 or len(args) > 1 and all(isinstance(b.type(i), (Scalar, Known)) for i in items):
                return b.call(fn, *items, name=name, place=place) if kwargs else None  # the rule of the call itself
            out = items[0]
            for item in items[1:]:
                out = b.call(fn, out, item, name=name, place=place)
            return out
        begin = Begin(b, {})
        best, best_key = items[0], dispatch(b, key, [items[0]], [], "", place)
        for item in items[1:]:
            item_key = dispatch(b, key, [item], [], "", place)
            better = b.call(compare, item_key, best_key)
            best, best_key = choose(b, better, item, best), choose(b, better, item_key, best_key)
        check_turns(b, args[:1], begin)
        return best

    return handler


def extreme_of_sequence(b: Builder, fn: Any, args: Args, kwargs: Kwargs, name: str, place: Place | None) -> Atom | None:
    t = b.type(look(b, args[0])) if len(args) == 1 else None
    if isinstance(t, RangeT) or isinstance(t, Known) and isinstance(t.value, range):
        return extreme_of_sequence(b, fn, [b.call(list, args[0])], kwargs, name, place)
    if isinstance(t, IterT) and indexable(b, args[0]) is not None:
        return extreme_of_sequence(b, fn, [b.call(list, args[0])], kwargs, name, place)
    if not isinstance(t, (Seq, Array)) or isinstance(t, Array) and t.dims is not None and len(t.dims) != 1:
        return None
    default = dict(kwargs).get("default")
    if default is not None:
        rest = [(k, v) for k, v in kwargs if k != "default"]

        def some(c: Builder) -> Atom:
            found = extreme_of_sequence(c, fn, args, rest, name, place)
            assert found is not None
            return found

        return branch_on(b, b.call(operator.gt, b.call(len, args[0]), 0), some, lambda _: default, name)
    first = b.dispatch(Const(first_of_some), [args[0], Const(ValueError), Const(EMPTY[fn])], [], "", place)
    key = dict(kwargs).get("key")
    if key is not None and b.known(key) and b.value(key) is None:
        key = None
    if key is None and isinstance(t, Seq) and is_structured(t.item):
        key = Const(Lifted(lambda _, item: item))
    if key is None:
        return accumulate(b, fn, args[0], first, place, name)
    compare = operator.gt if fn is builtins.max else operator.lt

    def better(c: Builder, held: Atom, item: Atom) -> Atom:
        best, best_key = c.items(held)
        item_key = dispatch(c, key, [item], [], "", place)
        test = c.call(compare, item_key, best_key)
        return c.build_tuple(choose(c, test, item, best), choose(c, test, item_key, best_key))

    start = b.build_tuple(first, dispatch(b, key, [first], [], "", place))
    rest = b.call(operator.getitem, args[0], b.call(slice, 1, None))
    found = accumulate(b, Lifted(better), rest, start, place, name)
    return None if found is None else b.items(found)[0]


handles(max, look=())(extreme(max))
handles(min, look=())(extreme(min))


def searched(b: Builder, wanted: bool, source: Var, name: str, place: Place | None) -> Atom:
    """`any` or `all` of an iterator: a loop that asks for items until one decides."""
    element, param, result, iterable = Var("item"), Var("found"), Var(name or "found"), Var("items")
    found, goes_on = Block((), (), Break((Const(wanted),))), Block((), (), Continue((Const(not wanted),)))
    sides = (found, goes_on) if wanted else (goes_on, found)
    body = Block((element, param), (If((), element, *sides, place),), Unreachable())
    env: dict[Var, Atom] = {iterable: source}
    b.context.gone.discard(source)  # gone through once, by the loop
    run_for(b, For((result,), iterable, (Const(not wanted),), body, place), env)
    return env[result]


def is_iterated(b: Builder, source: Atom) -> bool:
    """Whether a loop can run over an iterator."""
    return iteration.named_rows(b, source) is not None or indexable(b, source) is not None


def quantifier(fn: Any) -> Any:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if isinstance(args[0], Var) and isinstance(b.type(args[0]), IterT) and is_iterated(b, args[0]):
            return searched(b, fn is builtins.any, args[0], name, place)
        items = known_items(b, args[0])
        if items is not None and all(b.known(i) for i in items):
            return Const(fn(b.value(i) for i in items))
        return b.emit(fn, args, Scalar(frozenset({bool})), (), name, place)

    return handler


handles(any)(quantifier(any))
handles(all)(quantifier(all))


@handles(ops.truth, look=())
def truth(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """The truth of one of several conditions: a number stands for its own."""
    if isinstance(b.type(args[0]), Scalar):
        return args[0]
    return dispatch(b, Const(bool), args, [], name, place)


def of_items(fn: Any) -> Any:
    """A sum or product of what an iterator gives: of the list of it, which the rules read."""

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if not args or not isinstance(b.type(args[0]), IterT):
            return None
        return dispatch(b, Const(fn), [b.call(list, args[0], place=place), *args[1:]], kwargs, name, place)

    return handler


handles(math.fsum)(of_items(math.fsum))
handles(math.prod)(of_items(math.prod))


# -- membership ---------------------------------------------------------------------------------


@handles(operator.contains)
def contains(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """`item in container`, answered where both are known or the keys are."""
    t, item = b.type(args[0]), b.type(args[1])
    if isinstance(t, DictT) and b.known(b.key(args[1])):
        return Const(b.value(b.key(args[1])) in t.keys)
    if isinstance(item, Known):
        if isinstance(t, Known):
            try:
                return Const(item.value in t.value)
            except TypeError:
                pass  # Python raises it where the test runs
        items = parts(t) if isinstance(t, (TupleT, ListT)) else known_set(b, args[0])
        if items is not None and all(isinstance(i, Known) for i in items):
            values = [i.value for i in items if isinstance(i, Known)]
            return Const(any(v is item.value or v == item.value for v in values))  # nan is in what holds the same one
    return b.emit(operator.contains, args, Scalar(frozenset({bool})), (), name, place)


def known_set(b: Builder, atom: Atom) -> tuple[Type, ...] | None:
    """The element types of a set display or of set(…) over known items."""
    made = b.context.definition.get(atom) if isinstance(atom, Var) else None
    if made is None or not isinstance(made.fn, Const) or (set, made.place) in b.context.demoted:
        return None
    types: tuple[Type, ...] | None = None
    if made.fn.value is ops.build_set:
        types = tuple(b.type(a) for a in made.args)
    elif made.fn.value in (set, frozenset) and len(made.args) == 1:
        types = items_put(b, made.args[0])
    if types is None or not all(isinstance(t, Known) for t in types):
        return None
    if made.fn.value is not frozenset and isinstance(atom, Var):
        b.context.folded_sets[atom] = made.place  # if it is only looked at (analysis/escapes)
    return types


def items_put(b: Builder, atom: Atom) -> tuple[Type, ...] | None:
    """The types of the items of what a set is made from; None where they are not known."""
    t = b.type(atom)
    if isinstance(t, Known) and isinstance(t.value, frozenset):
        return tuple(map(Known, t.value))
    items = known_items(b, atom)
    return None if items is None else tuple(b.type(i) for i in items)
