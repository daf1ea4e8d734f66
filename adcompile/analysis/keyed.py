"""Dicts whose keys are met when the code runs.

Such a dict is a real one first, of which nothing is known. If the derivative is refused because of
that, the program is specialised again with the dict as two lists, of its keys and of what it
holds, and a real dict from keys to positions (analysis/standins).
"""

from __future__ import annotations

from adcompile.analysis import standins
from adcompile.analysis.attributes import class_of
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.contents import container, held_by, is_pooled
from adcompile.analysis.filling import held_by_pairs, kept
from adcompile.analysis.made import is_followed
from adcompile.analysis.pools import dict_of
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import INT, DictT, Filled, Instance, IterT, ListT, TupleT


def real_or_keyed(
    b: Builder, fn: object, args: Args, kwargs: Kwargs, name: str, place: Place | None, pairs: Atom
) -> Atom:
    """A call that makes a dict of unknown keys: a real one, or one that is followed."""
    if is_followed(b, place):
        t = b.type(pairs)
        if isinstance(t, IterT) and class_of(t) is None:
            pairs = b.call(list, pairs)
        elif isinstance(pairs, Var):
            b.context.gone.discard(pairs)  # gone through once, by the loop
        return dispatch(b, Const(standins.Keyed), [pairs], [], name, place)
    b.context.alternatives.add(place)
    return filled_dict(b, fn, args, kwargs, name, place, pairs)


def filled_dict(
    b: Builder, fn: object, args: Args, kwargs: Kwargs, name: str, place: Place | None, pairs: Atom
) -> Atom:
    """A call that makes a real dict."""
    held = None if kwargs else held_by_pairs(b, pairs)
    t = container(b, dict, place, held)
    if b.context.pools is not None and isinstance(t, Filled) and is_pooled(held_by(b, t).item):
        return dict_of(b, pairs, t, name, place)
    return b.emit(fn, args, t, kwargs, name, place)


@handles(ops.build_dict, look=())
def build_dict(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`{key: value, …}`."""
    keys = [b.key(k) for k in args[::2]]
    demoted = place in b.context.demoted
    if demoted or not all(map(b.known, keys)):
        kept_values = args[1::2] if b.context.contents is None else [kept(b, v, place) for v in args[1::2]]
        rows = [b.build(TupleT(()), [k, v]) for k, v in zip(keys, kept_values)]
        args = [a for row in zip(keys, kept_values) for a in row]
        if demoted:
            return filled_dict(b, ops.build_dict, args, [], name, place, b.build(ListT(()), rows))
        return real_or_keyed(b, ops.build_dict, args, kwargs, name, place, b.build(ListT(()), rows))
    items = {b.value(k): v for k, v in zip(keys, args[1::2])}
    return b.build(DictT(tuple(items), ()), list(items.values()), name, place)


@handles(standins.index, look=())
def make_index(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.emit(ops.build_dict, (), Instance(dict), (), "places", place)


@handles(standins.position)
def position(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.emit(dict.get, (*args, Const(-1)), INT, (), "at", place)
