"""The transforms that carry several tangents at once: `jvp_batched`, and the columns of a Jacobian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured, parts, rank
from adcompile.autodiff.batch import batch_type, batched
from adcompile.autodiff.cotangents import tangent_type
from adcompile.autodiff.spread import refuse
from adcompile.autodiff.transform import cut, pushed
from adcompile.autodiff.units import Pass, Splice
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Continue, For, Var
from adcompile.ir.types import INT, Array, DictT, ListT, Seq, TupleT, Type, differentiable


def pushforward_batch(
    b: Builder,
    fun: Atom,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    tangents: Sequence[tuple[int, Atom]],
    has_aux: bool = False,
) -> tuple[Atom, Atom]:
    """(value, tangents) of a call at the entry of a program, for batches of tangents of some arguments."""
    given, seeds = [*args, *(v for _, v in kwargs)], dict[Var, Atom]()
    found = [(i, iter(read_leaves(b, given[i], batch))) for i, batch in tangents]
    start = len(b.statements)
    units = [(i, one_of(b, given[i], batches, seeds)) for i, batches in found]
    value, dot, *_ = pushed(b, fun, args, kwargs, units, has_aux, True)
    statements = cut(b, start)
    count = b.emit(rt.batch_count, (next(iter(seeds.values())),), INT, (), "count")
    batch = batched(b, statements, seeds, (value, dot), count)
    if batch.differs(value):
        raise refuse("a value that depends on a tangent", b.place)
    return value, batch.whole(dot)


def in_batches(b: Builder, pass_: Pass, x: Var, results: Sequence[Atom]) -> list[Atom]:
    """What a pass for one unit tangent of the array `x` gives for all of them, several at once: for each of the
    results an array of its tangents. Nothing is emitted where that is Unsupported."""
    t, c = b.type(x), b.child()
    role, c.role = b.role, pass_.role
    made = batch_type(tangent_type(t), True)
    width = c.emit(rt.batch_width, (x,), INT, (), "width")
    numbers = c.call(range, 0, c.call(np.size, x), width)
    inner = c.child()
    start, unit = inner.new("start", INT), inner.new(pass_.given.name, tangent_type(t))
    seeds = inner.emit(rt.units, (x, start, width), made, (), pass_.given.name)
    count = inner.call(len, seeds)
    done = Splice(b.context, {pass_.given: unit}).statements(pass_.statements, pass_.out)
    b.context.shape[unit] = b.context.shape.get(pass_.given, pass_.given)
    batch = batched(inner, done.statements, {unit: seeds}, done.out, count)
    out = [batch.whole(a) for a in done.out]
    lists = [Seq(inner.type(a), list) for a in out]
    name = f"{pass_.given.name}_columns"
    init = [c.emit(ops.build_list, (), t, (), name) for t in lists]
    carried, found = [inner.new(name, t) for t in lists], [c.new(name, t) for t in lists]
    pushed = [inner.emit(ops.push, pair, t) for *pair, t in zip(carried, out, lists)]
    block = inner.block((start, *carried), Continue(tuple(pushed)))
    c.append(For(tuple(found), numbers, tuple(init), block, b.place, pass_.role))
    joined = [
        c.emit(rt.joined, (r, shape_of(c, y), *dtype_of(t.item)), t.item, (), name)
        for r, y, t in zip(found, results, lists)
    ]
    b.statements.extend(c.statements)
    b.local |= c.local
    assert b.role == role
    return list(joined)


def shape_of(b: Builder, y: Atom) -> Atom:
    return Const(()) if rank(b.type(y)) == 0 else b.call(np.shape, y)


def dtype_of(t: Type) -> tuple[Atom, ...]:
    """The dtype, where no tangents at all would have another."""
    return (Const(t.dtype),) if isinstance(t, Array) and t.dtype != np.dtype(float) else ()


def read_leaves(b: Builder, value: Atom, batch: Atom) -> list[Atom]:
    """The batches of tangents of the leaves of `value`."""
    t = b.type(value)
    if is_structured(t):
        pairs = zip(b.items(value), b.items(batch))
        return [leaf for item, given in pairs for leaf in read_leaves(b, item, given)]
    return [batch] if differentiable(t) else []


def one_of(b: Builder, value: Atom, batches: Iterator[Atom], seeds: dict[Var, Atom]) -> Atom:
    """What stands for one tangent of `value` where the code for one is made."""
    t = b.type(value)
    if is_structured(t):
        return b.build(t, [one_of(b, item, batches, seeds) for item in b.items(value)])
    if not differentiable(t):
        return Const(None)
    dot = b.new(f"{getattr(value, 'name', 'x')}_dot", tangent_type(t))
    if isinstance(value, Var):
        b.context.shape[dot] = b.context.shape.get(value, value)
    seeds[dot] = next(batches)
    return dot


def given_type(t: Type) -> Type:
    """The type of a batch of tangents of a value of type `t` as it is passed in."""
    if is_structured(t):
        found = iter(map(given_type, parts(t)))
        match t:
            case TupleT(_, cls):
                return TupleT(tuple(found), cls)
            case ListT(_):
                return ListT(tuple(found))
            case DictT(keys, _):
                return DictT(keys, tuple(found))
            case _:
                return t
    return batch_type(tangent_type(t), True) if differentiable(t) else t


__all__ = ["given_type", "in_batches", "pushforward_batch"]
