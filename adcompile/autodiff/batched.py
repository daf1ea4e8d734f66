"""The calls of tangent code on batches of tangents: what each becomes where operands have a leading axis.

A rule gives the batch of results, or None where it does not know this form of the call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import rank
from adcompile.analysis.lengths import same_shape
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Known, Scalar, TupleT, Type

if TYPE_CHECKING:
    from adcompile.autodiff.batch import Batch

Rule = Callable[["Batch", Call], Union[Atom, None]]
RULES: dict[Any, Rule] = {}
MISSING = object()


def rule(*fns: Any) -> Callable[[Rule], Rule]:
    def register(body: Rule) -> Rule:
        RULES.update((fn, body) for fn in fns)
        return body

    return register


def methods(names: str) -> list[Any]:
    return [getattr(np.ndarray, name) for name in names.split() if hasattr(np.ndarray, name)]


def static(bt: Batch, atom: Atom) -> Any:
    """The value of an atom that is known, tuples of such included; else MISSING."""
    if isinstance(atom, Const):
        return atom.value
    t = bt.b.type(atom)
    if isinstance(t, Known):
        return t.value
    if isinstance(t, TupleT) and t.cls is tuple:
        items = [static(bt, item) for item in bt.b.items(atom)]
        return MISSING if any(item is MISSING for item in items) else tuple(items)
    return MISSING


def chosen(bt: Batch, s: Call, position: int, name: str, default: Any) -> Any:
    """A setting's value; MISSING where it is not known when compiling."""
    given = s.args[position] if len(s.args) > position else next((v for k, v in s.kwargs if k == name), Const(default))
    return static(bt, given)


def only(s: Call, *names: str) -> bool:
    """Whether there are no other arguments by keyword."""
    return all(k in names for k, _ in s.kwargs)


def rank_of(bt: Batch, atom: Atom) -> int | None:
    """The number of axes of one tangent, or of a value that is the same for all."""
    return rank(bt.b.type(atom))


def same_type(bt: Batch, s: Call) -> Type:
    return bt.batch_type(s.result)


def aligned(bt: Batch, atom: Atom, ndim: int) -> Atom:
    """An operand of arithmetic with results of `ndim` axes: the batch's axis comes first."""
    if not bt.differs(atom):
        return atom
    r, batch = rank_of(bt, atom), bt.version(atom)
    assert r is not None
    if r >= ndim:
        return batch
    b = bt.b
    whole = Const(slice(None))
    index = b.build_tuple(whole, *[Const(None)] * (ndim - r), *[whole] * r)
    t = b.type(batch)
    assert isinstance(t, Array) and t.dims is not None
    dims = (t.dims[0], *["one"] * (ndim - r), *t.dims[1:])
    return b.emit(operator.getitem, (batch, index), Array(t.dtype, dims))  # type: ignore[arg-type]


def along(axis: Any, ndim: int) -> Any:
    """An axis, or several, counted with the batch's axis in front."""
    if isinstance(axis, (tuple, list)):
        return tuple(along(k, ndim) for k in axis)
    return axis % ndim + 1 if ndim else 1


def is_axis(axis: Any) -> bool:
    if isinstance(axis, (tuple, list)):
        return all(map(is_axis, axis))
    return isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)


# -- arithmetic ---------------------------------------------------------------------------------


@rule(
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.positive, np.conjugate, np.where),
    *(np.equal, np.not_equal, rt.add, rt.selected_product),
    *methods("conj conjugate"),
)
def elementwise(bt: Batch, s: Call) -> Atom | None:
    if s.kwargs:
        return None
    ranks = [rank_of(bt, a) for a in s.args if not isinstance(a, Const) or np.isscalar(a.value)]
    arrays = [isinstance(bt.b.type(a), (Array, Scalar, Known)) for a in s.args]
    if any(r is None for r in ranks) or not all(arrays):
        return None
    constant = [np.ndim(a.value) for a in s.args if isinstance(a, Const)]
    ndim = max(r for r in (*ranks, *constant) if r is not None)
    fn = {rt.add: operator.add}.get(s.fn.value, s.fn)  # type: ignore[union-attr]
    return bt.b.call(fn, *(aligned(bt, a, ndim) for a in s.args))


@rule(np.ndarray.real, np.ndarray.imag, np.real, np.imag)
def part(bt: Batch, s: Call) -> Atom | None:
    return bt.b.call(s.fn, bt.version(s.args[0]))


@rule(float, complex, np.float64, np.float32, np.complex128, np.complex64, np.ndarray.item)
def converted(bt: Batch, s: Call) -> Atom | None:
    if len(s.args) != 1 or s.kwargs or not isinstance(bt.b.type(s.result), Scalar):
        return None
    batch, t = bt.version(s.args[0]), bt.b.type(s.args[0])
    if rank(t) == 0:
        return batch
    return bt.b.emit(rt.reshape_each, (batch, Const(())), Array(t.dtype, ("any",))) if isinstance(t, Array) else None


@rule(np.ndarray.astype)
def astype(bt: Batch, s: Call) -> Atom | None:
    return bt.b.emit(s.fn, (bt.version(s.args[0]), *s.args[1:]), same_type(bt, s), s.kwargs)


@rule(np.copy, np.ndarray.copy, rt.snapshot, rt.replica, rt.copy, rt.apart)
def copied(bt: Batch, s: Call) -> Atom | None:
    if not isinstance(bt.b.type(s.args[0]), (Array, Scalar)):
        if fn_is(s, rt.copy, rt.snapshot, rt.replica):
            return bt.b.emit(s.fn, (bt.version(s.args[0]),), bt.b.type(bt.version(s.args[0])))
        return None
    return bt.b.emit(s.fn, (bt.version(s.args[0]),), same_type(bt, s))


def fn_is(s: Call, *fns: Any) -> bool:
    return isinstance(s.fn, Const) and s.fn.value in fns


# -- shapes -------------------------------------------------------------------------------------


@rule(rt.broadcast_like, rt.unbroadcast, rt.like, rt.own)
def shaped_like(bt: Batch, s: Call) -> Atom | None:
    g, x = s.args[:2]
    if not bt.differs(g) or s.kwargs:
        return None
    tg, tx = bt.b.type(g), bt.b.type(x)
    batch = bt.version(g)
    if isinstance(tx, (Scalar, Known)) and rank(tg) == 0:
        return bt.b.call(np.real, batch) if fn_is(s, rt.like, rt.own) and not holds_complex(bt, s) else batch
    if not isinstance(tg, (Array, Scalar)) or not isinstance(tx, Array):
        return None
    each = EACH[s.fn.value]  # type: ignore[union-attr]
    if has_shape(bt, g, x) and isinstance(tg, Array) and tg.dtype == tx.dtype:
        shared = each is rt.own_each and not is_fresh(bt, batch)
        return bt.b.emit(np.ndarray.copy, (batch,), same_type(bt, s)) if shared else batch
    return bt.b.emit(each, (batch, bt.sample(x)), same_type(bt, s))


EACH: dict[Any, Any] = {
    rt.broadcast_like: rt.broadcast_each,
    rt.unbroadcast: rt.unbroadcast_each,
    rt.like: rt.like_each,
    rt.own: rt.own_each,
}
def has_shape(bt: Batch, g: Atom, x: Atom) -> bool:
    """Whether a tangent is known to have the shape of `x`."""
    context = bt.b.context
    if not isinstance(g, Var) or not isinstance(x, Var):
        return False
    return context.shape.get(g, g) is context.shape.get(x, x) or same_shape(context, g, x)


ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.matmul)


def is_fresh(bt: Batch, batch: Atom) -> bool:
    """Whether a batch was computed into memory of its own."""
    made = bt.b.context.definition.get(batch) if isinstance(batch, Var) else None
    return made is not None and fn_is(made, *ARITHMETIC) and isinstance(bt.b.type(batch), Array)


def holds_complex(bt: Batch, s: Call) -> bool:
    t = bt.batch_type(s.result)
    return isinstance(t, Array) and t.dtype.kind == "c"


@rule(rt.as_found)
def as_found(bt: Batch, s: Call) -> Atom | None:
    return None if bt.differs(s.args[1]) else bt.b.emit(s.fn, (bt.version(s.args[0]), s.args[1]), same_type(bt, s))


@rule(rt.expand)
def expand(bt: Batch, s: Call) -> Atom | None:
    g, x = s.args[:2]
    rg, ry = rank_of(bt, g), rank_of(bt, s.result)
    axis, keepdims = chosen(bt, s, 2, "axis", None), chosen(bt, s, 3, "keepdims", False)
    if not bt.differs(g) or rg is None or ry is None:
        return None
    if ry == rg:
        return bt.version(g)
    if axis is None and rank_of(bt, x) is not None:
        axis = tuple(range(rank_of(bt, x) or 0))
    if not is_axis(axis) or keepdims is not False:
        return None
    return bt.b.emit(np.expand_dims, (bt.version(g), Const(along(axis, ry))), same_type(bt, s))


@rule(np.reshape, np.ndarray.reshape)
def reshape(bt: Batch, s: Call) -> Atom | None:
    if s.kwargs or not isinstance(bt.b.type(s.args[0]), (Array, Scalar)) or len(s.args) < 2:
        return None
    if fn_is(s, np.reshape) and len(s.args) > 2:
        return None
    if any(bt.differs(a) for a in s.args[1:]):
        return None
    return bt.b.emit(rt.reshape_each, (bt.version(s.args[0]), *s.args[1:]), same_type(bt, s))


@rule(np.ravel, np.ndarray.ravel, np.ndarray.flatten)
def ravel(bt: Batch, s: Call) -> Atom | None:
    a = s.args[0]
    if s.kwargs or len(s.args) > 1 or not isinstance(bt.b.type(a), Array):
        return None
    flat = bt.b.emit(rt.reshape_each, (bt.version(a), Const(-1)), same_type(bt, s))
    return bt.b.emit(np.ndarray.copy, (flat,), same_type(bt, s)) if fn_is(s, np.ndarray.flatten) else flat


@rule(np.transpose, np.ndarray.transpose, np.ndarray.T)
def transpose(bt: Batch, s: Call) -> Atom | None:
    a = s.args[0]
    r = rank_of(bt, a)
    if r is None:
        return None
    axes: Any = tuple(range(r - 1, -1, -1))
    if len(s.args) > 1 or s.kwargs:
        given = s.args[1:] if len(s.args) > 1 else [v for _, v in s.kwargs]
        axes = static(bt, given[0]) if len(given) == 1 else tuple(static(bt, a) for a in given)
        axes = tuple(range(r - 1, -1, -1)) if axes is None else axes
    if not isinstance(axes, tuple) or not is_axis(axes):
        return None
    return bt.b.emit(np.transpose, (bt.version(a), Const((0, *along(axes, r)))), same_type(bt, s))


AXES: dict[Any, tuple[tuple[int, str, Any], ...]] = {
    np.moveaxis: ((1, "source", MISSING), (2, "destination", MISSING)),
    np.swapaxes: ((1, "axis1", MISSING), (2, "axis2", MISSING)),
    np.ndarray.swapaxes: ((1, "axis1", MISSING), (2, "axis2", MISSING)),
    np.cumsum: ((1, "axis", None),),
    np.ndarray.cumsum: ((1, "axis", None),),
    np.flip: ((1, "axis", "all"),),
    np.roll: ((2, "axis", None),),
    np.take: ((2, "axis", None),),
    np.ndarray.take: ((2, "axis", None),),
    np.repeat: ((2, "axis", None),),
    np.diff: ((2, "axis", -1),),
    np.squeeze: ((1, "axis", MISSING),),
    np.ndarray.squeeze: ((1, "axis", MISSING),),
    np.flipud: ((1, "axis", 0),),
    np.fliplr: ((1, "axis", 1),),
    np.fft.fft: ((2, "axis", -1),),
    np.fft.ifft: ((2, "axis", -1),),
    np.fft.rfft: ((2, "axis", -1),),
    np.fft.irfft: ((2, "axis", -1),),
    np.fft.hfft: ((2, "axis", -1),),
    np.fft.ihfft: ((2, "axis", -1),),
}
"""Where calls say along which axis they work: with the batch's axis in front the same call does it."""
PLAIN: dict[Any, Any] = {np.flipud: np.flip, np.fliplr: np.flip}


@rule(*AXES)
def along_axes(bt: Batch, s: Call) -> Atom | None:
    fn = s.fn.value  # type: ignore[union-attr]
    r = rank_of(bt, s.args[0]) if s.args else None
    if r is None or r == 0 or any(bt.differs(a) for a in s.args[1:]) or not isinstance(bt.b.type(s.args[0]), Array):
        return None
    args: list[Atom] = [bt.version(s.args[0]), *s.args[1:]]
    kwargs = dict(s.kwargs)
    for position, name, default in AXES[fn]:
        axis = chosen(bt, s, position, name, default)
        if axis is None and r == 1:
            axis = 0
        axis = tuple(range(r)) if axis == "all" or axis is None and fn is np.flip else axis
        if not is_axis(axis):
            return None
        if len(args) > position:
            args[position] = Const(along(axis, r))
        else:
            kwargs[name] = Const(along(axis, r))
    return bt.b.emit(PLAIN.get(fn, fn), args, same_type(bt, s), tuple(kwargs.items()))


@rule(np.expand_dims)
def expand_dims(bt: Batch, s: Call) -> Atom | None:
    axis, r = chosen(bt, s, 1, "axis", MISSING), rank_of(bt, s.result)
    if not is_axis(axis) or r is None:
        return None
    return bt.b.emit(np.expand_dims, (bt.version(s.args[0]), Const(along(axis, r))), same_type(bt, s))


@rule(np.broadcast_to)
def broadcast_to(bt: Batch, s: Call) -> Atom | None:
    r = rank_of(bt, s.result)
    if r is None or s.kwargs or rank_of(bt, s.args[0]) is None:
        return None
    shape = s.args[1]
    if not isinstance(bt.b.type(shape), (TupleT, Known)) or isinstance(static(bt, shape), int):
        return None
    whole = bt.b.call(operator.add, bt.b.build_tuple(bt.count), shape)
    return bt.b.emit(np.broadcast_to, (aligned(bt, s.args[0], r), whole), same_type(bt, s))


# -- sums ---------------------------------------------------------------------------------------


@rule(rt.sum_over, np.sum, np.ndarray.sum, np.mean, np.ndarray.mean)
def total(bt: Batch, s: Call) -> Atom | None:
    if not only(s, "axis", "keepdims") or len(s.args) > (3 if fn_is(s, rt.sum_over) else 2):
        return None
    r = rank_of(bt, s.args[0])
    axis, keepdims = chosen(bt, s, 1, "axis", None), chosen(bt, s, 2 if fn_is(s, rt.sum_over) else 9, "keepdims", False)
    if r is None or not isinstance(keepdims, (bool, np.bool_)) or not (axis is None or is_axis(axis)):
        return None
    batch = bt.version(s.args[0])
    if not isinstance(bt.b.type(batch), Array):
        return None
    if r == 0:
        return batch
    axes = tuple(range(1, r + 1)) if axis is None else along(axis, r)
    axes = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    fn = np.mean if fn_is(s, np.mean, np.ndarray.mean) else np.sum
    more = (("keepdims", Const(True)),) if keepdims else ()
    return bt.b.emit(fn, (batch,), same_type(bt, s), (("axis", Const(axes)), *more))
