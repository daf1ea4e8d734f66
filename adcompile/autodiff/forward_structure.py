"""The tangents of containers: of displays, of items, and of lists that are written into."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from adcompile import runtime as rt
from adcompile.analysis import containers
from adcompile.analysis.builder import is_structured
from adcompile.analysis.spectra import widened
from adcompile.autodiff.cotangents import in_dtype, tangent_structure, tangent_type
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import Array, DictT, ListT, ObjectT, Scalar, Seq, TupleT, Type, Unknown

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward


def display(f: Forward, s: Call) -> Any:
    t = f.b.type(s.result)
    if isinstance(t, Seq):
        return f.b.emit(s.fn, [f.value_dot(a, s.result) for a in s.args], tangent_type(t))
    return None if is_structured(t) else NotImplemented  # split: its items have their own tangents


def getitem(f: Forward, s: Call) -> Any:
    owner, index = s.args
    t = f.b.type(owner)
    d = f.whole_dot(owner)
    if d is None:
        return None
    if isinstance(t, Array):
        return NotImplemented
    told = not isinstance(f.b.type(d), Unknown)  # of what a call gave that gives a tuple at times
    if told and isinstance(t, (TupleT, ListT)):
        return f.b.item(d, f.b.value(index))
    if told and isinstance(t, DictT):
        return f.b.items(d)[t.keys.index(f.b.value(index))]
    return f.b.emit(operator.getitem, (d, index), tangent_structure(f.b.type(s.result)))


def attribute(f: Forward, s: Call) -> Any:
    owner, name = s.args[:2]
    t = f.b.type(owner)
    if not isinstance(t, ObjectT) or not f.b.known(name) or f.b.value(name) not in t.names:
        return NotImplemented
    d = f.whole_dot(owner)
    return None if d is None else f.b.item(d, t.names.index(f.b.value(name)))


def list_dot(f: Forward, items: Atom, t: Type) -> Atom:
    """The tangent, of type `t`, of a list that gets a derivative now: zeros where it has had none."""
    dot = f.whole_dot(items)
    return f.b.emit(rt.zero_list, (items,), t) if dot is None else dot


def zeros_type(t: Type) -> Type:
    """The type of the zeros for a sequence that holds no derivatives."""
    return Seq(zeros_type(t.item), list) if isinstance(t, Seq) else Scalar(frozenset({float}))


def push(f: Forward, s: Call) -> Any:
    owner = list_dot(f, s.args[0], tangent_type(f.b.type(s.result)))
    return f.b.emit(ops.push, (owner, f.value_dot(s.args[1], s.result)), tangent_type(f.b.type(s.result)))


def pop(f: Forward, s: Call) -> Any:
    d = f.dot(s.args[0])
    if d is None:
        return None
    t = f.b.type(s.result)
    assert isinstance(t, TupleT)
    return f.b.emit(ops.pop, (d,), TupleT(tuple(tangent_type(i) for i in t.items)))


def put_item(f: Forward, s: Call) -> Any:
    items, index, item = s.args
    owner = list_dot(f, items, tangent_type(f.b.type(s.result)))
    return containers.put_item(f.b, owner, index, f.value_dot(item, s.result), tangent_type(f.b.type(s.result)))


def unpack(f: Forward, s: Call) -> Any:
    d = f.whole_dot(s.args[0])
    return None if d is None else f.b.emit(ops.unpack, (d, s.args[1]), tangent_structure(f.b.type(s.result)))


def same(f: Forward, s: Call) -> Any:
    d = f.whole_dot(s.args[0])
    before, t = f.b.type(s.args[0]), f.b.type(s.result)
    if d is None or not isinstance(before, Unknown) or isinstance(t, Unknown):
        return d
    return f.b.emit(ops.identity, (d,), tangent_structure(t))  # of a value that is not None here


def index_add(f: Forward, s: Call) -> Any:
    buffer, index, value = s.args
    dots = (widened(f.b, f.value_dot(buffer, s.result)), index, f.value_dot(value, s.result))
    return f.b.emit(s.fn, dots, tangent_type(f.b.type(s.result)))


def scatter_list(f: Forward, s: Call) -> Any:
    d = f.whole_dot(s.args[2])
    return None if d is None else f.b.emit(s.fn, (*s.args[:2], d), tangent_type(f.b.type(s.result)))


def add_lists(f: Forward, s: Call) -> Any:
    return f.b.emit(s.fn, [f.value_dot(a, s.result) for a in s.args], tangent_type(f.b.type(s.result)))


def convert(f: Forward, s: Call) -> Any:
    if not isinstance(f.b.type(s.args[0]), (Seq, TupleT, ListT)):
        return NotImplemented
    d, t = f.whole_dot(s.args[0]), tangent_type(f.b.type(s.result))
    fn = Const(list) if isinstance(t, Seq) else s.fn  # tangents of tuples of any length are lists
    return None if d is None else f.b.emit(fn, (in_dtype(f.b, d, s.args[0]),), t)


def concat(f: Forward, s: Call) -> Any:
    if not isinstance(f.b.type(s.result), Seq):
        return NotImplemented
    found, t = [(a, f.whole_dot(a)) for a in s.args], tangent_type(f.b.type(s.result))
    dots = [f.b.emit(rt.zero_list, (a,), t) if d is None else in_dtype(f.b, d, a) for a, d in found]
    return f.b.emit(operator.add, [f.b.emit(list, (d,), t) for d in dots], t)


SPENT = dict.fromkeys((ops.push, ops.pop, ops.put_item, ops.index_add, rt.accumulate, rt.add_item), True)
"""Calls whose result is the memory of the first argument: a zero tangent of that is made before."""


def unless_shared(f: Forward, s: Call) -> Any:
    d = f.dot(s.args[0])
    return None if d is None else f.b.emit(rt.unless_shared, (d, *s.args[1:]), f.b.type(d))


def followed(f: Forward, s: Call) -> Any:
    return f.dot(s.args[3])


STRUCTURAL: dict[Any, Any] = {
    operator.add: concat,
    ops.build_tuple: display,
    ops.build_list: display,
    ops.build_dict: display,
    ops.build_object: display,
    ops.make_function: display,
    operator.getitem: getitem,
    getattr: attribute,
    ops.push: push,
    rt.scatter_list: scatter_list,
    rt.unless_shared: unless_shared,
    rt.followed: followed,
    rt.add: add_lists,
    rt.add_item: index_add,
    ops.put_item: put_item,
    ops.pop: pop,
    ops.unpack: unpack,
    ops.identity: same,
    ops.expect_length: same,
    ops.index_add: index_add,
    rt.accumulate: index_add,
    list: convert,
    tuple: convert,
}
