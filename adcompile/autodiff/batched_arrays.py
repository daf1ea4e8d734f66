"""Products, elements and joins of arrays on batches of tangents: more rules of `autodiff/batched`."""

from __future__ import annotations

import operator
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import is_structured
from adcompile.autodiff.batched import (
    MISSING,
    aligned,
    along,
    chosen,
    fn_is,
    is_axis,
    only,
    rank_of,
    rule,
    same_type,
)
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import Array, Known, Scalar, Seq, SliceT, TupleT, Type
from adcompile.runtime.adjoints import einsum_terms

if TYPE_CHECKING:
    from adcompile.autodiff.batch import Batch

# -- products -----------------------------------------------------------------------------------


def one_of_two(bt: Batch, s: Call) -> tuple[int, int, bool] | None:
    """The ranks of the operands of a product and whether the first is the batch, if just one is."""
    if len(s.args) != 2 or s.kwargs or bt.differs(s.args[0]) == bt.differs(s.args[1]):
        return None
    ra, rb = rank_of(bt, s.args[0]), rank_of(bt, s.args[1])
    plain = all(isinstance(bt.b.type(a), (Array, Scalar)) for a in s.args)
    return None if ra is None or rb is None or not plain else (ra, rb, bt.differs(s.args[0]))


@rule(operator.matmul, np.matmul, np.dot, np.ndarray.dot)
def matmul(bt: Batch, s: Call) -> Atom | None:
    found = one_of_two(bt, s)
    if found is None:
        return None
    ra, rb, first = found
    b, (x, y) = bt.b, map(bt.version, s.args)
    dot = fn_is(s, np.dot, np.ndarray.dot)
    if ra == 0 or rb == 0:
        return b.call(operator.mul, aligned(bt, s.args[0], ra + rb), aligned(bt, s.args[1], ra + rb)) if dot else None
    if dot and (ra > 2 or rb > 2):
        return None
    if first:
        if rb <= 2:
            return b.call(operator.matmul, x, y)
        return b.call(operator.matmul, aligned(bt, s.args[0], rb), y) if ra >= 2 else None
    if rb == 1:
        if ra > 2:
            return None
        return b.call(operator.matmul, y, x if ra == 1 else b.call(np.transpose, x))
    return b.call(operator.matmul, x, aligned(bt, s.args[1], ra))


@rule(np.inner, np.vdot)
def inner(bt: Batch, s: Call) -> Atom | None:
    found = one_of_two(bt, s)
    if found is None or found[:2] != (1, 1):
        return None
    b, (x, y) = bt.b, map(bt.version, s.args)
    if fn_is(s, np.vdot) and isinstance(t := b.type(x), Array) and t.dtype.kind == "c":
        x = b.call(np.conjugate, x)
    return b.call(operator.matmul, x, y) if found[2] else b.call(operator.matmul, y, x)


@rule(np.outer)
def outer(bt: Batch, s: Call) -> Atom | None:
    found = one_of_two(bt, s)
    if found is None or found[:2] != (1, 1):
        return None
    b, (x, y) = bt.b, map(bt.version, s.args)
    whole, new = Const(slice(None)), Const(None)
    if found[2]:
        return b.call(operator.mul, b.call(operator.getitem, x, b.build_tuple(whole, whole, new)), y)
    column = b.call(operator.getitem, x, b.build_tuple(whole, new))
    return b.call(operator.mul, column, b.call(operator.getitem, y, b.build_tuple(whole, new, whole)))


@rule(np.tensordot)
def tensordot(bt: Batch, s: Call) -> Atom | None:
    axes = chosen(bt, s, 2, "axes", 2)
    if len(s.args) > 3 or not only(s, "axes"):
        return None
    found = one_of_two(bt, Call(s.result, s.fn, s.args[:2]))
    if found is None or axes is MISSING:
        return None
    ra, rb, first = found
    if isinstance(axes, (int, np.integer)):
        axes = (tuple(range(ra - int(axes), ra)), tuple(range(int(axes))))
    if not isinstance(axes, (tuple, list)) or len(axes) != 2 or not is_axis(axes):
        return None
    mine, theirs = (tuple(a) if isinstance(a, (tuple, list)) else (a,) for a in axes)
    b, (x, y) = bt.b, map(bt.version, s.args[:2])
    if first:
        return b.emit(np.tensordot, (x, y), same_type(bt, s), (("axes", Const((along(mine, ra), theirs))),))
    made = b.emit(np.tensordot, (x, y), same_type(bt, s), (("axes", Const((mine, along(theirs, rb)))),))
    return b.emit(np.moveaxis, (made, Const(ra - len(mine)), Const(0)), same_type(bt, s))


@rule(np.einsum)
def einsum(bt: Batch, s: Call) -> Atom | None:
    spec, operands = s.args[0], s.args[1:]
    ranks = [rank_of(bt, a) for a in operands]
    arrays = all(isinstance(bt.b.type(a), Array) for a in operands)
    if not isinstance(spec, Const) or not isinstance(spec.value, str) or s.kwargs or not arrays or None in ranks:
        return None
    terms, output = einsum_terms(spec.value, tuple(r for r in ranks if r is not None))
    letter = next(c for c in ascii_letters if c not in "".join((*terms, output)))
    terms = [letter + t if bt.differs(a) else t for t, a in zip(terms, operands)]
    text = Const(",".join(terms) + "->" + letter + output)
    return bt.b.emit(np.einsum, (text, *map(bt.version, operands)), same_type(bt, s))


@rule(np.linalg.solve)
def solve(bt: Batch, s: Call) -> Atom | None:
    found = one_of_two(bt, s)
    if found is None or found[2] or found[0] != 2:
        return None
    b, (a, y) = bt.b, map(bt.version, s.args)
    if found[1] == 2:
        return b.emit(np.linalg.solve, (a, y), same_type(bt, s))
    if found[1] != 1:
        return None
    t = b.type(y)
    columns = b.emit(np.linalg.solve, (a, b.emit(np.transpose, (y,), t)), same_type(bt, s))
    return b.emit(np.transpose, (columns,), same_type(bt, s))


# -- elements -----------------------------------------------------------------------------------


def simple_index(bt: Batch, index: Atom) -> tuple[list[Atom], int | None] | None:
    """The parts of an index that means the same behind another axis, and how many axes it takes away (None:
    it is not basic); None where the run time has to look."""
    t = bt.b.type(index)
    items: list[Atom]
    if isinstance(t, TupleT):
        items = bt.b.items(index)
    elif isinstance(t, Known) and isinstance(t.value, tuple):
        items = [Const(v) for v in t.value]
    else:
        items = [index]
    kinds = [index_kind(bt.b.type(item)) for item in items]
    if None in kinds:
        return None
    places = [k for k, kind in enumerate(kinds) if kind in ("number", "array")]
    if "array" in kinds:
        return None if places[-1] - places[0] >= len(places) else (items, None)
    return items, kinds.count("number") - kinds.count("new")


def index_kind(t: Type) -> str | None:
    match t:
        case SliceT():
            return "slice"
        case Scalar(kinds) if all(issubclass(k, (int, np.integer)) and k is not bool for k in kinds):
            return "number"
        case Array(dtype, dims) if dims is not None and dtype.kind in "iub":
            return "array"
        case Known(value) if value is None:
            return "new"
        case Known(value) if isinstance(value, slice) or value is Ellipsis:
            return "slice"
        case Known(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return "number"
        case _:
            return None


def behind(bt: Batch, parts: list[Atom]) -> Atom:
    return bt.b.build_tuple(Const(slice(None)), *parts)


@rule(operator.getitem, rt.gather)
def getitem(bt: Batch, s: Call) -> Atom | None:
    x, index = s.args
    if bt.differs(index) or not isinstance(bt.b.type(x), Array) or rank_of(bt, x) is None:
        return None
    found = simple_index(bt, index)
    if found is None:
        return bt.b.emit(rt.item_each, (bt.version(x), index), same_type(bt, s))
    return bt.b.emit(operator.getitem, (bt.version(x), behind(bt, found[0])), same_type(bt, s))


def one_by_one(bt: Batch, value: Atom) -> tuple[Atom, Atom]:
    """A value to be written in each tangent, and whether it is a batch."""
    return (bt.whole(value), Const(True)) if bt.differs(value) else (value, Const(False))


def stored(bt: Batch, buffer: Atom, index: Atom, value: Atom) -> tuple[Atom, Atom] | None:
    """The index and the value of a write into all tangents; None where they are written one by one."""
    r, rv, t = rank_of(bt, buffer), rank_of(bt, value), bt.b.type(buffer)
    found = simple_index(bt, index)
    if found is None or found[1] is None or r is None or rv is None or not isinstance(t, Array):
        return None
    region = r - found[1]
    if rv > region:
        return None
    return behind(bt, found[0]), aligned(bt, value, region)


@rule(operator.setitem)
def setitem(bt: Batch, s: Call) -> Atom | None:
    buffer, index, value = s.args
    if not bt.differs(buffer) or bt.differs(index) or not isinstance(bt.b.type(buffer), Array):
        return None
    found = stored(bt, buffer, index, value)
    if found is None:
        return bt.b.emit(rt.store_each, (bt.version(buffer), index, *one_by_one(bt, value)), Known(None))
    return bt.b.emit(operator.setitem, (bt.version(buffer), *found), Known(None))


@rule(rt.add_at)
def add_at(bt: Batch, s: Call) -> Atom | None:
    buffer, index, value = s.args
    if not bt.differs(buffer) or bt.differs(index) or not isinstance(bt.b.type(buffer), Array):
        return None
    found = stored(bt, buffer, index, value)
    if found is None:
        bt.b.emit(rt.add_each_at, (bt.version(buffer), index, *one_by_one(bt, value)), bt.batch_type(buffer))
        return Const(None)
    return bt.b.emit(rt.add_at, (bt.version(buffer), *found), Known(None))


@rule(ops.index_add, rt.accumulate)
def index_add(bt: Batch, s: Call) -> Atom | None:
    buffer, index, value = s.args
    if bt.differs(index) or not isinstance(bt.b.type(buffer), Array):
        return None
    found = stored(bt, buffer, index, value)
    if found is None:
        return bt.b.emit(rt.add_each_at, (bt.whole(buffer), index, *one_by_one(bt, value)), same_type(bt, s))
    return bt.b.emit(ops.index_add, (bt.whole(buffer), *found), same_type(bt, s))


@rule(rt.scatter)
def scatter(bt: Batch, s: Call) -> Atom | None:
    x, index, g = s.args
    if bt.differs(index) or not isinstance(bt.b.type(x), Array):
        return None
    return bt.b.emit(rt.scatter_each, (bt.sample(x), index, bt.version(g)), same_type(bt, s))


@rule(rt.followed, rt.mirrored)
def followed(bt: Batch, s: Call) -> Atom | None:
    y, x, x_dot, *given = s.args
    if bt.differs(y) or bt.differs(x) or not isinstance(bt.b.type(x_dot), Array):
        return None
    args = (y, x, bt.whole(x_dot), *map(bt.whole, given))
    return bt.b.emit(rt.followed_each if given and fn_is(s, rt.followed) else rt.mirrored_each, args, same_type(bt, s))


# -- joining ------------------------------------------------------------------------------------


@rule(np.array, np.asarray, np.asanyarray)
def array(bt: Batch, s: Call) -> Atom | None:
    b, source = bt.b, s.args[0]
    t = b.type(source)
    if not only(s, "dtype") or len(s.args) > 2:
        return None
    if isinstance(t, (Array, Scalar)):
        made = bt.version(source)
        return b.emit(np.ndarray.copy, (made,), b.type(made)) if fn_is(s, np.array) else made
    if not (is_structured(t) or isinstance(t, Seq)):
        return None
    whole = bt.whole(source)
    dtype = one_dtype(b.type(whole))
    result = same_type(bt, s)
    if dtype is None or not isinstance(result, Array):
        return None
    return b.emit(rt.stacked, (whole, bt.count), Array(dtype, result.dims))


def one_dtype(t: Type) -> np.dtype[Any] | None:
    """The dtype that the arrays of a nested list are stacked in."""
    match t:
        case Array(dtype, _):
            return dtype
        case Seq(item, _):
            return one_dtype(item)
        case _ if is_structured(t) and hasattr(t, "items"):
            found = [one_dtype(item) for item in t.items]  # type: ignore[union-attr]
            known = [d for d in found if d is not None]
            return np.result_type(*known) if known and len(known) == len(found) else None
        case _:
            return None


@rule(np.concatenate, np.stack)
def concatenate(bt: Batch, s: Call) -> Atom | None:
    axis, r = chosen(bt, s, 1, "axis", 0), rank_of(bt, s.result)
    t = bt.b.type(s.args[0])
    if not only(s, "axis") or not is_axis(axis) or r is None:
        return None
    whole = bt.whole(s.args[0])
    if is_structured(t):
        parts = [as_array(bt, item) for item in bt.b.items(whole)]
        arrays = None if None in parts else bt.b.call(ops.build_tuple, *parts)
    else:
        arrays = whole if isinstance(t, Seq) and isinstance(t.item, Array) else None
    axes = (("axis", Const(along(axis, r))),)
    return None if arrays is None else bt.b.emit(s.fn, (arrays,), same_type(bt, s), axes)


def as_array(bt: Batch, batch: Atom) -> Atom | None:
    """A batch of arrays, or of lists of numbers as NumPy makes arrays of them."""
    t = bt.b.type(batch)
    if isinstance(t, Array):
        return batch
    dtype = one_dtype(t) if is_structured(t) or isinstance(t, Seq) else None
    return None if dtype is None else bt.b.emit(rt.stacked, (batch, bt.count), Array(dtype, None))
