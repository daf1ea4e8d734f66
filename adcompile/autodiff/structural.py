"""The adjoint of calls that build, read and join containers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import containers
from adcompile.analysis.builder import Builder, is_structured, rank
from adcompile.analysis.infer import branch_on
from adcompile.analysis.spectra import as_like
from adcompile.analysis.views import fn_of, is_tuple_part
from adcompile.autodiff.cotangents import Cotangents, tangent_structure, tangent_type, zero
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import (
    Array,
    DictT,
    Instance,
    Known,
    ListT,
    ObjectT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    Unknown,
    differentiable,
    is_complex,
)

Active = Callable[[Atom], bool]


def getitem(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    owner, index = call.args
    t = b.type(owner)
    if not isinstance(owner, Var):
        return False
    if isinstance(t, (TupleT, ListT, DictT)):
        k = b.value(index)
        cot.add(b.context_items(owner)[t.keys.index(k) if isinstance(t, DictT) else k], y_bar)
        return True
    if isinstance(t, Seq):
        if isinstance(b.type(index), SliceT):
            cot.add(owner, b.emit(rt.scatter_list, (owner, index, y_bar), tangent_type(t)))
        elif is_short_display(b, owner, index):
            to_one_of(b, b.context.definition[owner].args, index, as_like(b, y_bar, call.result), cot, active)
        else:
            cot.add_at(owner, index, as_like(b, y_bar, call.result), basic=True)
        return True
    if isinstance(t, (Scalar, Array)) and rank(t) == 0:  # read as an array of rank 0
        cot.add(owner, y_bar if rank(b.type(call.result)) == 0 else b.call(np.sum, y_bar))
        return True
    if isinstance(t, Array):
        cot.add_at(owner, index, y_bar, basic=is_basic(b, index))
        return True
    return False


FEW = 8
"""So many numbers are rather asked one by one whether they are meant than put into a list."""


def is_short_display(b: Builder, owner: Var, index: Atom) -> bool:
    """Whether an index chooses one of a few real numbers that stand side by side in the code."""
    made, t = b.context.definition.get(owner), b.type(index)
    if made is None or fn_of(made) not in (ops.build_list, ops.build_tuple) or not 0 < len(made.args) <= FEW:
        return False
    whole = isinstance(t, Scalar) and all(issubclass(kind, (int, np.integer)) for kind in t.kinds)
    return whole and all(is_real(b.type(a)) for a in made.args)


def is_real(t: Type) -> bool:
    return isinstance(t, Scalar) and not is_complex(t) or isinstance(t, Known) and isinstance(t.value, (int, float))


def to_one_of(b: Builder, items: Sequence[Atom], index: Atom, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """The one that is meant gets the cotangent: there need not be a list of all."""
    place = b.call(operator.mod, index, len(items))  # -1 is the last
    for k, item in enumerate(items):
        if isinstance(item, Var) and active(item):
            meant, none = b.call(operator.eq, place, k), zero(b, item)
            cot.add(item, branch_on(b, meant, lambda _: y_bar, lambda _, none=none: none, "t_bar"))


def attribute(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """An attribute of an object of which all are known, as those in a sequence of such objects."""
    owner, name = call.args[:2]
    t = b.type(owner)
    if not isinstance(owner, Var) or not isinstance(t, ObjectT) or not b.known(name) or b.value(name) not in t.names:
        return False
    cot.add(b.context_items(owner)[t.names.index(b.value(name))], y_bar)
    return True


def is_basic(b: Builder, index: Atom) -> bool:
    """Whether the index provably selects no element twice."""
    t = b.type(index)
    if isinstance(t, TupleT):
        return all(not is_tuple_part(b.type(i)) and is_basic(b, i) for i in b.items(index))
    if isinstance(t, SliceT):
        return True
    if isinstance(t, Known):
        return t.value is None or t.value is Ellipsis or isinstance(t.value, (int, slice)) and t.value is not True
    if isinstance(t, Array):
        return t.dtype.kind == "b"
    return isinstance(t, Scalar) and bool not in t.kinds and np.bool_ not in t.kinds


def builder(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """A display seen as a sequence: each item gets its element's cotangent."""
    if isinstance(b.type(call.result), Seq):
        for i, item in enumerate(call.args):
            if active(item):
                cot.add(item, b.call(operator.getitem, y_bar, i))
        return True
    return False


def push(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    bars, item = b.type(y_bar), b.type(call.args[1])
    last_bar = tangent_structure(item)
    if isinstance(bars, Seq) and not differentiable(item):  # 1 in a list of numbers: there is a cotangent
        last_bar = bars.item
    popped = b.emit(ops.pop, (y_bar,), TupleT((bars, last_bar)))
    rest, last = b.items(popped)
    cot.add(call.args[1], last)
    owner = call.args[0]
    if isinstance(owner, Var):
        cot.owned.add(rest)
        cot.add(owner, rest)  # what the list was before may be read behind, by what keeps it
    return True


def pop(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    rest, last = b.items(y_bar)
    owner = call.args[0]
    if isinstance(owner, Var):
        if rest not in cot.owned:
            rest = b.emit(rt.copy, (rest,), b.type(rest))
        pushed = b.emit(ops.push, (rest, last), b.type(rest))
        cot.owned.add(pushed)
        cot.add(owner, pushed)
    return True


def put_item(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """`items[index] = item`: the item gets what has come together there, and the list nothing."""
    owner, index, item = call.args
    t = b.type(call.result)
    if not isinstance(t, Seq):
        return False
    if y_bar not in cot.owned:
        y_bar = b.emit(rt.copy, (y_bar,), b.type(y_bar))
    if active(item):
        cot.add(item, b.emit(operator.getitem, (y_bar, index), tangent_structure(b.type(item))))
    if isinstance(owner, Var) and active(owner):
        nothing = zero_of(b, b.context.replaced.get(call.result, item))  # of what was there
        rest = containers.put_item(b, y_bar, index, nothing, b.type(y_bar))
        cot.owned.add(rest)
        cot.add(owner, rest)
    return True


def zero_of(b: Builder, item: Atom) -> Atom:
    return b.call(rt.zeros_like, item) if isinstance(item, Const) else zero(b, item)


def unpack(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """`a, b = value` of a value of unknown type, whose parts are read by their numbers."""
    owner = call.args[0]
    if isinstance(b.type(owner), (Instance, ObjectT)):
        return False  # its elements come from code of its class
    for i, part in enumerate(b.items(y_bar)):
        if not (isinstance(part, Const) and part.value is None):
            cot.add(owner, b.emit(rt.scatter, (owner, Const(i), part), b.type(owner)))
    return True


def scatter_list(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    cot.add(call.args[2], b.emit(operator.getitem, (y_bar, call.args[1]), b.type(call.args[2])))
    return True


def unless_shared(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """What may be a view: the cotangent goes on where it is none."""
    g = call.args[0]
    if active(g):
        cot.add(g, b.emit(rt.unless_shared, (y_bar, *call.args[1:]), b.type(g)))
    return True


def followed(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    if active(call.args[3]):
        cot.add(call.args[3], y_bar)
    return True


def add_lists(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """Lists are taken apart and filled again in place: each gets one of its own."""
    for k, a in enumerate(call.args):
        g = y_bar
        if k and isinstance(b.type(g), (Seq, Unknown)):
            g = b.emit(rt.copy, (g,), b.type(g))
            cot.owned.add(g)
        cot.add(a, g)
    return True


def same(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    cot.add(call.args[0], y_bar)
    return True


def index_add(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    buffer, index, value = call.args
    if active(value):
        g = b.call(operator.getitem, y_bar, index)
        cot.add(value, b.call(rt.unbroadcast, g, value) if rank(b.type(g)) != 0 else g)
    if active(buffer):
        cot.add(buffer, y_bar)
    return True


def convert(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """list(items), tuple(items)."""
    owner = call.args[0]
    t = b.type(owner)
    if isinstance(t, Seq):
        made = b.type(call.result)
        other = isinstance(made, Seq) and made.cls is not t.cls
        cot.add(owner, b.emit(t.cls, (y_bar,), tangent_type(t)) if other else y_bar)
        return True
    if isinstance(owner, Var) and isinstance(t, (TupleT, ListT)):
        for i, item in enumerate(b.context_items(owner)):
            cot.add(item, b.emit(operator.getitem, (y_bar, Const(i)), tangent_type(b.type(item))))
        return True
    return False


def concat(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> bool:
    """`xs + ys` of sequences: each gets its stretch of the cotangent."""
    if not isinstance(b.type(call.result), (Seq, ListT)) and not is_tuple(b.type(call.result)):
        return False
    start: Atom = Const(0)
    for arg in call.args:
        end = b.call(operator.add, start, b.call(len, arg))
        if active(arg) or is_structured(b.type(arg)):
            stretch = b.emit(operator.getitem, (y_bar, b.call(slice, start, end, None)), b.type(y_bar))
            cot.add(arg, stretch)
        start = end
    return True


def is_tuple(t: Type) -> bool:
    return isinstance(t, TupleT)


STRUCTURAL: dict[Any, Any] = {
    operator.add: concat,
    operator.getitem: getitem,
    getattr: attribute,
    ops.build_list: builder,
    ops.build_tuple: builder,
    ops.push: push,
    ops.pop: pop,
    ops.put_item: put_item,
    ops.unpack: unpack,
    rt.scatter_list: scatter_list,
    rt.add: add_lists,
    rt.add_item: index_add,
    ops.identity: same,
    ops.expect_length: same,
    ops.index_add: index_add,
    rt.accumulate: index_add,
    rt.copy: same,
    rt.unless_shared: unless_shared,
    rt.followed: followed,
    list: convert,
    tuple: convert,
}
