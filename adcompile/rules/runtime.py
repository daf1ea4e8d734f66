"""Rules of the runtime helpers, so that derivative code differentiates again."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.types import (
    BOOL,
    INT,
    UNKNOWN,
    Array,
    Instance,
    Known,
    Maybe,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
    maybe,
    widen,
)
from adcompile.rules.kinds import bilinear, elementwise, linear, non_differentiable
from adcompile.rules.registry import Rule, lookup, register
from adcompile.rules.typing import always, broadcast_type, result_type, standin_type

Types = list[Type]
Settings = dict[str, Type]


def as_second(args: Types, kwargs: Settings) -> Type:
    """The result has the shape of the second argument and the dtype of the first."""
    g, x = args[0], args[1]
    if isinstance(x, (Scalar, Known)):
        return g if isinstance(g, (Scalar, Known)) else UNKNOWN if not isinstance(g, Array) else scalar_of(g)
    if isinstance(x, Array):
        dtype = dtype_of(g)
        return UNKNOWN if dtype is None else Array(dtype, x.dims)
    return UNKNOWN


def scalar_of(g: Array) -> Type:
    return Scalar(frozenset({g.dtype.type}))


def dtype_of(t: Type) -> np.dtype[Any] | None:
    match t:
        case Array(dtype, _):
            return dtype
        case Scalar(kinds):
            return np.result_type(*(k(0) for k in kinds)) if kinds else None
        case Known(value) if np.isscalar(value):
            return np.asarray(value).dtype
        case _:
            return None


def expanded(args: Types, kwargs: Settings) -> Type:
    """The dims of the operand with the reduced ones at length 1, where the axis is known."""
    g, x = args[0], args[1]
    axis = args[2] if len(args) > 2 else kwargs.get("axis", Known(None))
    keepdims = args[3] if len(args) > 3 else kwargs.get("keepdims", Known(False))
    if isinstance(x, (Scalar, Known)) or isinstance(keepdims, Known) and keepdims.value in (True,):
        return g
    if isinstance(axis, Known) and axis.value is None and isinstance(g, (Scalar, Known)):
        return g
    dtype = dtype_of(g)
    if not isinstance(x, Array) or x.dims is None or dtype is None:
        return Array(dtype, None) if dtype is not None else UNKNOWN
    axes = known_axes(axis, len(x.dims))
    if axes is None:
        return Array(dtype, None)
    return Array(dtype, tuple("one" if k in axes else d for k, d in enumerate(x.dims)))


def known_axes(axis: Type, ndim: int) -> set[int] | None:
    if isinstance(axis, TupleT) and all(isinstance(i, Known) for i in axis.items):
        return {int(i.value) % ndim for i in axis.items}  # type: ignore[union-attr]
    if not isinstance(axis, Known):
        return None
    if axis.value is None:
        return set(range(ndim))
    values = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    return {int(v) % ndim for v in values}


def reduced(args: Types, kwargs: Settings) -> Type:
    rule = lookup(np.sum)
    assert rule is not None
    names = dict(zip(("axis", "keepdims"), args[1:]))
    return result_type(np.sum, rule, args[:1], {**names, **kwargs})


def first(args: Types, kwargs: Settings) -> Type:
    return args[0]


def item_type(args: Types, kwargs: Settings) -> Type:
    return args[0].item if isinstance(args[0], Seq) else UNKNOWN


def widened_first(args: Types, kwargs: Settings) -> Type:
    """The class of the first argument, whose value is another."""
    return widen(args[0])


def total_type(args: Types, kwargs: Settings) -> Type:
    """Of two tangents of one structure: None and 0 are the zero of each."""
    x, y = (widen(t.type if isinstance(t, Maybe) else t) for t in args)
    if not (isinstance(x, (Scalar, Array)) and isinstance(y, (Scalar, Array))):
        return UNKNOWN if isinstance(x, Scalar) else widen(args[0])
    total = broadcast_type(operator.add, [x, y])
    for t, other in zip(args, (y, x)):
        total = join(total, other) if isinstance(t, Maybe) else total
    return maybe(total) if all(isinstance(t, Maybe) for t in args) else total


def zero_type(args: Types, kwargs: Settings) -> Type:
    """Of what may be None the zero is None there."""
    if isinstance(args[0], Maybe):
        held = zero_type([args[0].type], kwargs)
        return UNKNOWN if isinstance(held, (Unknown, Known)) else maybe(held)
    return standin_type(rt.zeros_like, (args[0],))


def second(args: Types, kwargs: Settings) -> Type:
    return args[1]


def scattered(args: Types, kwargs: Settings) -> Type:
    x, g = args[0], args[2]
    if isinstance(x, Array):
        dtype = dtype_of(g)
        return Array(dtype if dtype is not None and dtype.kind == "c" else x.dtype, x.dims)
    return UNKNOWN


def smaller(args: Types, kwargs: Settings) -> Type:
    """Whether the first argument may lack an axis of the second, or have it at length 1 alone."""
    g, x = args
    if not isinstance(g, Array):
        return Known(isinstance(x, Array) or not isinstance(g, (Scalar, Known)))
    if not isinstance(x, Array):
        return Known(isinstance(x, (Array, Unknown)))
    if g.dims is None or x.dims is None:
        return Known(True)
    pairs = zip(g.dims[::-1], x.dims[::-1])
    return Known(len(g.dims) < len(x.dims) or any(a != "many" and b != "one" for a, b in pairs))


register(rt.is_smaller, Rule("constant", typing=smaller, total=True))


@linear(rt.unbroadcast, typing=as_second, view=True)
def unbroadcast(y_bar, y, g, *, x):
    return rt.unbroadcast(y_bar, g) if rt.is_smaller(g, x) else rt.broadcast_like(y_bar, g)


@bilinear(rt.selected_product, wrt=(0, 1), typing=lambda args, kwargs: broadcast_type(operator.mul, args, kwargs))
def selected_product(y_bar, y, x, z):
    """Linear in z, where it is 0 too: a cotangent may be 0 because it is so small. But where x is infinite, something
    was left out."""
    if np.ndim(y) > 0:
        factor = np.where((z == 0.0) & ~np.isfinite(x), 0.0, x)
    else:
        factor = x if z != 0.0 or np.isfinite(x) else 0.0
    x_bar, z_bar = rt.selected_product(y_bar, np.conj(z)), rt.selected_product(np.conj(factor), y_bar)
    return rt.unbroadcast(x_bar, x), rt.unbroadcast(z_bar, z)


@linear(rt.broadcast_like, typing=as_second)
def broadcast_like(y_bar, y, g, *, x):
    return rt.unbroadcast(y_bar, g)


@linear(rt.expand, typing=expanded)
def expand(y_bar, y, g, *, x, axis=None, keepdims=False):
    return rt.contract(y_bar, g)


@linear(rt.contract, typing=as_second)
def contract(y_bar, y, g, *, x):
    return rt.contract(y_bar, g)


@linear(rt.sum_over, typing=reduced)
def sum_over(y_bar, y, p, *, axis=None, keepdims=False):
    return rt.broadcast_like(rt.expand(y_bar, p, axis, keepdims), p)


def widened_second(args: Types, kwargs: Settings) -> Type:
    return widen(args[1])


@linear(rt.like, typing=widened_second, view=True)
def like(y_bar, y, g, *, x):
    return rt.unbroadcast(y_bar, g)


@linear(rt.own, typing=second)
def own(y_bar, y, g, *, x):
    return rt.unbroadcast(y_bar, g)


@linear(rt.fitted, typing=second)
def fitted(y_bar, y, g, *, x):
    return rt.unbroadcast(y_bar, g)


@linear(rt.partial, typing=first)
def partial(y_bar, y, p):
    return y_bar


@linear(rt.scatter, wrt=(2,), typing=scattered)
def scatter(y_bar, y, x, index, g):
    return rt.gather(y_bar, index)


def gathered(args: Types, kwargs: Settings) -> Type:
    rule = lookup(operator.getitem)
    assert rule is not None
    return result_type(operator.getitem, rule, args, kwargs)


@linear(rt.gather, typing=gathered)
def gather(y_bar, y, x, *, index):
    return rt.scatter(x, index, y_bar)


@elementwise(rt.valued, typing=first)
def valued(y, plain, *, value):
    return 1.0


@linear(rt.copy, typing=first)
def copy(y_bar, y, x):
    return y_bar


# given their meaning by autodiff/adjoint and autodiff/forward, where they work on structure
for _fn in (rt.accumulate, ops.index_add, rt.add_item):
    register(_fn, Rule("structure", typing=widened_first))
register(rt.add, Rule("structure", typing=total_type))

register(rt.total, Rule("constant"))  # what carries derivatives is the plain sum
for _fn in ops.MANAGING:
    register(_fn, Rule("constant", pure=False))
non_differentiable(ops.sort_order, rt.zero_list, rt.is_basic)
register(rt.zeros_like, Rule("constant", typing=zero_type))

register(rt.unit, Rule("constant", typing=first))
register(rt.seed, Rule("constant", pure=False, typing=always(Scalar(frozenset({float})))))

# an f-string is a string whatever it shows; showing it runs the value's own __format__
for _fn in (ops.build_string, ops.format_value):
    register(_fn, Rule("constant", typing=always(Instance(str))))

register(rt.shadow, Rule("constant", typing=first))
_CHECKS = (rt.check_tangent, rt.check_plain, rt.check_numbers, rt.check_joined, rt.check_answer, rt.check_parts)
for _fn in (*_CHECKS, rt.check_alone, rt.check_cached, rt.check_unreached, rt.alias_map, rt.unshared):
    register(_fn, Rule("constant", pure=False))
for _fn in (rt.take_down, rt.take_down_arrays, rt.put_back, rt.refill, rt.set_own, rt.unset):
    register(_fn, Rule("constant", pure=False))
_REFUSING = (rt.holds_no_memory_of, rt.ends_among_first, rt.check_array, rt.check_filled, rt.check_real)
for _fn in (*_REFUSING, rt.check_elements, rt.check_some, rt.check_masked):  # these refuse when the code runs
    register(_fn, Rule("constant", pure=False))
for _fn in (rt.check_tangent_of, rt.check_cotangent, rt.check_partial, rt.check_shadow, rt.check_apart, rt.check_kept):
    register(_fn, Rule("constant", pure=False))  # what debug mode checks
register(rt.one_length, Rule("constant", pure=False, typing=always(INT)))
register(
    rt.occurrences,
    Rule("constant", typing=always(TupleT((Array(np.dtype(int), None), Array(np.dtype(int), ("any",)), INT)))),
)
register(rt.outline, Rule("constant", typing=first))
register(rt.replaced, Rule("constant", typing=item_type, total=True))
register(rt.in_order, Rule("constant"))
register(rt.places, Rule("constant", typing=always(Seq(INT))))
register(rt.shares, Rule("constant", typing=always(BOOL)))
register(rt.is_writable, Rule("constant", typing=always(BOOL)))
register(rt.last_writes, Rule("constant", typing=always(Array(np.dtype(bool), None))))
non_differentiable(rt.hold, rt.released, rt.within, rt.shadows, rt.arrays_in, rt.put_each)
for _fn in (rt.mirrored, rt.followed, rt.unless_shared):
    register(_fn, Rule("structure", typing=first))


@linear(rt.apart, typing=first)
def apart(y_bar, y, x):
    return y_bar


def operand_type(args: Types, kwargs: Settings) -> Type:
    return args[0] if isinstance(args[0], (Array, Scalar)) else UNKNOWN


def number_type(args: Types, kwargs: Settings) -> Type:
    """That of the argument, in which no number is a bool."""
    t = widen(args[0].type if isinstance(args[0], Maybe) else args[0])
    if isinstance(t, Scalar):
        return Scalar(frozenset(np.float64 if k is np.bool_ else float if k is bool else k for k in t.kinds))
    return UNKNOWN


@linear(rt.number, typing=number_type)
def number(y_bar, y, x):
    return y_bar


@linear(rt.operand, typing=operand_type)
def operand(y_bar, y, x):
    return y_bar


@linear(rt.snapshot, rt.same_layout, rt.replica, typing=first)
def snapshot(y_bar, y, x):
    return y_bar
