"""Rewrites of array functions where types and shapes prove that they do nothing, or less.

Each helper takes the site (what `algebra` knows), the call, and where to put statements; it
returns the result as an atom, another call of the same result, or None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Dim, Scalar, Type
from adcompile.optimise import repeated
from adcompile.optimise.axes import BROADCASTS, before_broadcast, plain_sum, spread_zeros, without_leading
from adcompile.optimise.inward import sum_inward
from adcompile.optimise.shapes import shape_source
from adcompile.optimise.sharing import Sharing
from adcompile.optimise.totals import (
    Settings,
    difference_from_ones,
    divided_already,
    quotient_of_same,
    scaled_inside,
    sum_of_multiple,
)
from adcompile.optimise.typing import agree, arithmetic, definite, hashable, inexact, is_real, kinds, rank, widened
from adcompile.runtime import arrays

ONES: frozenset[Any] = frozenset({np.ones_like, np.ones})
ZEROS: frozenset[Any] = frozenset({np.zeros_like, np.zeros, arrays.zeros_like})

UNIFORM = ONES | ZEROS | BROADCASTS | {operator.pow, np.expand_dims}
"""What may make an array of one number."""


def makes_zeros(call: Call) -> bool:
    """Whether a call makes zeros, of which rules ask only what has been added to them."""
    return isinstance(call.fn, Const) and hashable(call.fn.value) and call.fn.value in ZEROS


class Site(Protocol):
    """What a helper may ask, and how it makes an inner call."""

    defs: dict[Var, Call]
    sharing: Sharing

    def type(self, atom: Atom) -> Type: ...
    def same_shape(self, a: Atom, b: Atom) -> bool: ...
    def is_number(self, atom: Atom, value: int) -> bool: ...
    def first(self, atom: Atom) -> Atom: ...
    def total(self, summed: Atom, settings: Settings) -> Var | None: ...
    def quotient(self, x: Atom, y: Atom) -> Var | None: ...
    def new(self, call: Call, fn: Any, args: tuple[Atom, ...], t: Type, out: list[Statement], **kwargs: Any) -> Var: ...


Helper = Callable[[Site, Call, "list[Statement]"], "Call | Atom | None"]


def _scalar(site: Site, atom: Atom) -> bool:
    return isinstance(widened(site.type(atom)), Scalar)


def _same(site: Site, a: Atom, b: Atom) -> bool:
    """Whether two values have the same dtype or class, and the same shape."""
    ta, tb = widened(site.type(a)), widened(site.type(b))
    if isinstance(ta, Array) and isinstance(tb, Array):
        return ta.dtype == tb.dtype and site.same_shape(a, b)
    return ta == tb and isinstance(ta, Scalar)


def _call(call: Call, fn: Any, *args: Atom, **kwargs: Any) -> Call:
    settings = tuple((k, Const(v)) for k, v in kwargs.items())
    return Call(call.result, Const(fn), args, settings, call.place, call.role)


def like(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`like(g, x)` → `g` where it is like x already; → `float(g)` where x is a float."""
    g, x = call.args
    if _same(site, g, x):
        return g
    wanted = widened(site.type(x))
    if wanted == Scalar(frozenset({float})) and kinds(site.type(g)) and is_real(site.type(g)):
        return Const(float(g.value)) if isinstance(g, Const) else _call(call, float, g)
    return None


def unbroadcast(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`unbroadcast(g, x)` → `g`, or the sum over the axes that x lacks or has at length 1."""
    g, x = call.args
    tg, tx = widened(site.type(g)), widened(site.type(x))
    if isinstance(tg, Scalar) and isinstance(tx, Scalar):
        return g
    if isinstance(tg, Array) and isinstance(tx, Scalar):
        return _call(call, np.sum, g) if tg.dims else None
    if not isinstance(tg, Array) or not isinstance(tx, Array):
        return None
    if site.same_shape(g, x):
        return g
    return _factor_out(site, call, out) or _sum_out(site, call, tg, tx, out)


def _factor_out(site: Site, call: Call, out: list[Statement]) -> Call | None:
    """`unbroadcast(-h, x)` → `-unbroadcast(h, x)`, and so for a literal times h: it is left to meet others."""
    g, x = call.args
    made = site.defs.get(g) if isinstance(g, Var) else None
    if made is None or made.role == "primal" or not isinstance(made.fn, Const):
        return None
    h, t = made.args[-1], site.type(call.result)
    scaled = made.fn.value is operator.mul and isinstance(made.args[0], Const)
    alone = site.sharing.uses.get(made.result) == 1 and not made.kwargs
    if not (scaled or made.fn.value is operator.neg) or not alone or site.type(h) != site.type(g):
        return None
    inner = site.new(call, arrays.unbroadcast, (h, x), t, out)
    return Call(call.result, made.fn, (*made.args[:-1], inner), (), call.place, call.role)


def _sum_out(site: Site, call: Call, tg: Array, tx: Array, out: list[Statement]) -> Call | Atom | None:
    """What is known to be summed is summed; where only the run can tell of other axes, `unbroadcast` is left those."""
    if tg.dims is None or tx.dims is None or not tx.dims or len(tg.dims) < len(tx.dims):
        return None
    extra = len(tg.dims) - len(tx.dims)
    dims = tg.dims[extra:]
    if any(b == "many" != a for a, b in zip(dims, tx.dims)):
        return None  # g is still to be broadcast itself
    axes = tuple(i for i, (a, b) in enumerate(zip(dims, tx.dims)) if b == "one" != a)
    sums: list[tuple[Array, dict[str, Any]]] = []
    if extra:
        sums.append((Array(tg.dtype, dims), {"axis": _axes(range(extra))}))
    if axes:
        kept: list[Dim] = ["one" if i in axes else d for i, d in enumerate(dims)]
        sums.append((Array(tg.dtype, tuple(kept)), {"axis": _axes(axes), "keepdims": True}))
    unknown = "any" in tx.dims
    if unknown and not sums:
        return None
    g = call.args[0]
    for t, settings in sums if unknown else sums[:-1]:
        g = site.new(call, np.sum, (g,), t, out, **settings)
    if unknown:
        return _call(call, arrays.unbroadcast, g, call.args[1])
    return _call(call, np.sum, g, **sums[-1][1]) if sums else g


def _axes(axes: Any) -> int | tuple[int, ...]:
    axes = tuple(axes)
    return axes[0] if len(axes) == 1 else axes


def broadcast_like(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`broadcast_like(g, x)` → `g` where the shapes are equal."""
    g, x = call.args
    if _scalar(site, x):
        return g if _scalar(site, g) else None
    if not isinstance(site.type(g), Array):
        return None
    return g if site.same_shape(g, x) else None


def broadcast_to(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`np.broadcast_to(g, x.shape)` → `g` where the shapes are equal."""
    if call.kwargs or len(call.args) != 2:
        return None
    source = shape_source(call.args[1], site.defs)
    return broadcast_like(site, _call(call, arrays.broadcast_like, call.args[0], source), out) if source else None


def expand(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`expand(g, x, axis, keepdims)` → `g` or `np.expand_dims(g, axis)`."""
    if call.kwargs or not all(isinstance(a, Const) for a in call.args[2:]):
        return None
    g, x, *rest = call.args
    axis, keepdims = [*(a.value for a in rest if isinstance(a, Const)), *(None, False)[len(rest) :]]
    if _scalar(site, x) or keepdims in (True,) or axis is None and _scalar(site, g):
        return g
    n = rank(site.type(x))
    return _call(call, np.expand_dims, g, Const(axis)) if axis is not None and n else None


def contract(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`contract(g, y)` → `g` where the shapes are equal."""
    g, y = call.args
    if _scalar(site, g) and _scalar(site, y):
        return g
    arrays_ = isinstance(site.type(g), Array) and isinstance(site.type(y), Array)
    return g if arrays_ and site.same_shape(g, y) else None


def zeros(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`zeros_like(x)` of ours → `0.0` or NumPy's."""
    t = widened(site.type(call.args[0]))
    if isinstance(t, Scalar) and len(t.kinds) == 1 and inexact(t):
        (kind,) = t.kinds
        return Const(kind(0))
    if isinstance(t, Array) and t.dtype.kind in "fc" and t.dims != ():
        return _call(call, np.zeros_like, *call.args)
    return None


def total_of(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`np.sum(s)` → `s` of a NumPy scalar: sums of one class keep it."""
    x = call.args[0]
    settings = [*call.args[1:], *(a for _, a in call.kwargs)]
    plain = all(isinstance(a, Const) and a.value in (None, False, ()) for a in settings)
    return x if plain and _scalar(site, x) and widened(site.type(x)) == site.type(call.result) else None


def copy(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`np.copy(x)` → `x` where nobody can tell (the caller of helpers asks who shares)."""
    return call.args[0] if not call.kwargs and _same(site, call.args[0], call.result) else None


def index_add(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """Adding zero at an index changes nothing."""
    buffer, _, value = call.args
    return buffer if site.is_number(value, 0) and _same(site, buffer, call.result) else None


def attribute(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`x.real` → `x` of what is real; `x.T` → `x` of a vector; `x.T.T` → `x`."""
    owner, name = call.args[0], call.args[1]
    if not isinstance(name, Const) or len(call.args) != 2:
        return None
    t = widened(site.type(owner))
    if name.value == "real" and isinstance(t, (Array, Scalar)) and inexact(t) and is_real(t):
        return owner
    if name.value == "T" and isinstance(t, Array) and t.dims is not None:
        if len(t.dims) < 2:
            return owner
        inner = site.defs.get(owner) if isinstance(owner, Var) else None
        if inner is not None and isinstance(inner.fn, Const) and inner.fn.value is getattr:
            if isinstance(inner.args[1], Const) and inner.args[1].value == "T":
                return inner.args[0]
    return None


def narrow(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """An operand broadcast to a shape that the other operand has anyway need not be; arithmetic
    of a scalar and a broadcast scalar is done before broadcasting."""
    if len(call.args) != 2 or call.kwargs:
        return None
    assert isinstance(call.fn, Const)
    wanted = site.type(call.result)
    for i in (0, 1):
        small, other = before_broadcast(site, call.args[i]), call.args[1 - i]
        if small is None:
            continue
        operands = (small, other) if i == 0 else (other, small)
        made = arithmetic(call.fn.value, (site.type(operands[0]), site.type(operands[1])))
        if isinstance(site.type(other), Array):
            full = site.same_shape(other, call.result) and agree(made, wanted)
            if full and (_scalar(site, small) or definite(made)):
                return Call(call.result, call.fn, operands, (), call.place, call.role)
        elif _scalar(site, small) and _scalar(site, other) and _fills(made, wanted):
            return _call(
                call,
                arrays.broadcast_like,
                site.new(call, call.fn.value, operands, made, out),
                _form(site, call.args[i]),
            )
    return None


def negative(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """The negative of a broadcast scalar is taken before broadcasting."""
    small = before_broadcast(site, call.args[0])
    if small is None or not _scalar(site, small) or not _fills(site.type(small), site.type(call.result)):
        return None
    inner = site.new(call, operator.neg, (small,), arithmetic(operator.neg, (site.type(small),)), out)
    return _call(call, arrays.broadcast_like, inner, _form(site, call.args[0]))


def _fills(scalar: Type, wanted: Type) -> bool:
    """Whether a scalar of this type, broadcast, gives an array of the wanted dtype."""
    classes = kinds(scalar)
    return isinstance(wanted, Array) and len(classes) == 1 and all(np.dtype(k) == wanted.dtype for k in classes)


def _form(site: Site, atom: Atom) -> Atom:
    """What a broadcast value was broadcast to the shape of."""
    assert isinstance(atom, Var)
    made = site.defs[atom]
    assert isinstance(made.fn, Const)
    if made.fn.value is arrays.broadcast_like:
        return made.args[1]
    return atom


def product(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """An integer literal times floats is written as a float; else as `narrow`."""
    scaled = scaled_inside(site, call, out)
    if scaled is not None:
        return scaled
    for i, a in enumerate(call.args):
        whole = type(a.value) is int and abs(a.value) < 2**53 if isinstance(a, Const) else False
        if whole and isinstance(call.args[1 - i], Var) and inexact(site.type(call.result)):
            literal = Const(float(a.value)) if isinstance(a, Const) else a
            operands = (literal, call.args[1]) if i == 0 else (call.args[0], literal)
            return Call(call.result, call.fn, operands, (), call.place, call.role)
    return narrow(site, call, out)


def own(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`own(g, x)` → `np.copy(g)` where g is like x already (and `g`, where nobody shares it)."""
    g, x = call.args
    if not _same(site, g, x):
        return None
    return g if _scalar(site, g) else _call(call, np.copy, g)


def sum_over(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`sum_over(p, axis, keepdims)` → `np.sum(p, …)` with what differs from its defaults."""
    p, *rest = call.args
    if call.kwargs or not isinstance(site.type(p), (Array, Scalar)) or not all(isinstance(a, Const) for a in rest):
        return None
    values = [a.value for a in rest if isinstance(a, Const)]
    settings = {k: v for k, v in zip(("axis", "keepdims"), values) if v is not None and v is not False}
    return _call(call, np.sum, p, **settings)


def formed_like(at: int, helper: Helper | None = None, typed: bool = False) -> Helper:
    """A function that reads only the shape of its argument `at` (and its dtype, if `typed`): it
    may read the oldest value of that shape instead, so that one made since can go."""

    def rewrite(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
        new = helper(site, call, out) if helper is not None else None
        if new is not None or call.kwargs or at >= len(call.args):
            return new
        form = call.args[at]
        first = site.first(form)
        if first is form or typed and site.type(first) != site.type(form):
            return None
        args = (*call.args[:at], first, *call.args[at + 1 :])
        return Call(call.result, call.fn, args, (), call.place, call.role)

    return rewrite


def shape_attribute(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`x.shape` of the oldest value of that shape; others as `attribute`."""
    name = call.args[1]
    if isinstance(name, Const) and name.value in ("shape", "size", "ndim"):
        return formed_like(0)(site, call, out)
    return attribute(site, call, out)


def first_of(*helpers: Helper) -> Helper:
    """The first that has something to say."""

    def rewrite(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
        for helper in helpers:
            new = helper(site, call, out)
            if new is not None:
                return new
        return None

    return rewrite


HELPERS: dict[Any, Helper] = {
    arrays.like: like,
    arrays.unbroadcast: formed_like(1, unbroadcast),
    arrays.broadcast_like: formed_like(1, broadcast_like),
    arrays.expand: formed_like(1, expand),
    arrays.contract: formed_like(1, contract),
    arrays.zeros_like: zeros,
    arrays.own: own,
    arrays.sum_over: sum_over,
    np.size: formed_like(0),
    np.shape: formed_like(0),
    np.ndim: formed_like(0),
    np.broadcast_to: broadcast_to,
    np.zeros_like: formed_like(0, typed=True),
    np.ones_like: formed_like(0, typed=True),
    np.sum: first_of(plain_sum, total_of, sum_of_multiple, sum_inward),
    np.copy: copy,
    ops.index_add: first_of(index_add, spread_zeros),
    getattr: shape_attribute,
    operator.add: first_of(narrow, without_leading),
    operator.sub: first_of(difference_from_ones, narrow, without_leading),
    operator.mul: first_of(divided_already, product, without_leading),
    operator.truediv: first_of(quotient_of_same, narrow, without_leading),
    operator.neg: negative,
    operator.matmul: repeated.product,
}
