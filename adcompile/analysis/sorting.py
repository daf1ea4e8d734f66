"""`sorted`: the permutation is constant, the items are read through it."""

from __future__ import annotations

import operator

from adcompile.analysis.builder import Builder
from adcompile.analysis.builtins import collect, made_by_view
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.heap import give, look
from adcompile.analysis.infer import branch_on
from adcompile.analysis.iteration import known_items
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.terminated import run_primal
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import INT, NEVER, Array, IterT, Maybe, RangeT, Seq, Type, Unknown, join


@handles(sorted)
def sort_items(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    kwargs = [(k, v) for k, v in kwargs if k != "key" or not b.known(v) or b.value(v) is not None]
    items = known_items(b, args[0])
    if items is not None and all(b.known(i) for i in items) and not kwargs:
        return b.call(ops.build_list, *run_primal(lambda: sorted(map(b.value, items)), place))
    items = None if items is None else [give(b, item) for item in items]
    source = args[0] if items is None else b.emit(ops.build_list, items, _sequence_type(b, items))
    if isinstance(b.type(source), (Array, RangeT, IterT)):
        source = look(b, made_by_view(b, source) or collect(b, source, lambda _, item: item, place) or source)
    if not isinstance(b.type(source), Seq):
        return None
    key, rest = dict(kwargs).get("key"), [(k, v) for k, v in kwargs if k != "key"]
    if key is None:
        return in_order(b, source, source, rest, place)
    if isinstance(b.type(key), (Unknown, Maybe)):
        return branch_on(
            b,
            b.call(operator.is_not, key, Const(None)),
            lambda c: by_key(c, source, key, rest, place),
            lambda c: in_order(c, source, source, rest, place),
            name,
        )
    return by_key(b, source, key, rest, place)


def by_key(b: Builder, source: Atom, key: Atom, rest: Kwargs, place: Place | None) -> Atom:
    keys = collect(b, source, lambda c, item: dispatch(c, key, [item], [], "", place), place)
    assert keys is not None
    return in_order(b, source, keys, rest, place)


def in_order(b: Builder, source: Atom, keys: Atom, rest: Kwargs, place: Place | None) -> Atom:
    """The items of a sequence in the order of their keys."""
    order = b.emit(ops.sort_order, (keys,), Seq(INT, list), rest, "order", place)
    found = collect(b, order, lambda c, i: c.call(operator.getitem, source, i), place)
    assert found is not None
    return found


def _sequence_type(b: Builder, items: Args) -> Seq:
    joined: Type = NEVER
    for i in items:
        joined = join(joined, deep_widen(b.type(i)))
    return Seq(joined, list)
