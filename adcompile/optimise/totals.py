"""Sums of what is a multiple of something summed already: `np.sum(e / s)` is `np.sum(e) / s`, and
if that sum is `s` itself, one. By this the shift of a logsumexp leaves the derivative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Scalar, Type
from adcompile.optimise.sharing import Sharing
from adcompile.optimise.typing import agree, arithmetic, inexact, is_real, precision, rank, widened

Settings = tuple[tuple[str, Any], ...]


class Site(Protocol):
    """What a rewrite may ask, and how it makes an inner call."""

    defs: dict[Var, Call]
    sharing: Sharing

    def type(self, atom: Atom) -> Type: ...
    def is_number(self, atom: Atom, value: int) -> bool: ...
    def quotient(self, x: Atom, y: Atom) -> Var | None: ...
    def total(self, summed: Atom, settings: Settings) -> Var | None: ...
    def new(self, call: Call, fn: Any, args: tuple[Atom, ...], t: Type, out: list[Statement], **kwargs: Any) -> Var: ...


Helper = Callable[[Site, Call, "list[Statement]"], "Call | Atom | None"]


def settings_of(call: Call) -> Settings | None:
    """The settings of an np.sum of one operand, those that are defaults left out; None: not known."""
    if len(call.args) != 1 or not all(isinstance(a, Const) and name in _PLAIN for name, a in call.kwargs):
        return None
    given = ((name, a.value) for name, a in call.kwargs if isinstance(a, Const))
    return tuple(sorted((name, value) for name, value in given if value is not None and value is not False))


_PLAIN = ("axis", "keepdims")


def sum_of_multiple(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """The sum of a negative is the negative of the sum; that of a multiple of something of which
    the sum is known is a multiple of that."""
    settings = settings_of(call)
    made = site.defs.get(call.args[0]) if isinstance(call.args[0], Var) else None
    if settings is None or made is None or made.role == "primal" or not isinstance(made.fn, Const) or made.kwargs:
        return None
    fn = made.fn.value
    if fn is operator.neg:
        whole = site.new(call, np.sum, made.args, site.type(call.result), out, **dict(settings))
        return Call(call.result, Const(operator.neg), (whole,), (), call.place, call.role)
    if fn not in (operator.mul, operator.truediv):
        return None
    for k in (0, 1) if fn is operator.mul else (0,):
        known = site.total(made.args[k], settings)
        factor = _factor(site, made.args[1 - k], made.args[k], dict(settings)) if known is not None else None
        if known is not None and factor is not None:
            operands = (known, factor) if k == 0 else (factor, known)
            if agree(arithmetic(fn, (site.type(operands[0]), site.type(operands[1]))), site.type(call.result)):
                return Call(call.result, Const(fn), operands, (), call.place, call.role)
    return None


def _factor(site: Site, atom: Atom, summed: Atom, settings: dict[str, Any]) -> Atom | None:
    """What multiplies the sum if `atom` multiplies what is summed: it must not vary along the axis."""
    if isinstance(widened(site.type(atom)), Scalar):
        return atom
    axes, all_axes = rank(site.type(atom)), rank(site.type(summed))
    if settings == {"axis": 0} and axes is not None and all_axes == axes + 1:
        return atom
    made = site.defs.get(atom) if isinstance(atom, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not np.expand_dims or made.kwargs:
        return None
    axis = made.args[1]
    same = isinstance(axis, Const) and type(axis.value) is int and settings == {"axis": axis.value}
    return made.args[0] if same else None


def quotient_of_same(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`x / x` → 1."""
    x, y = call.args
    t = site.type(call.result)
    if x is not y or not isinstance(x, Var) or not inexact(t) or not is_real(t):
        return None
    if isinstance(t, Array):
        same = site.type(x) == t and t.dims != ()
        return Call(call.result, Const(np.ones_like), (x,), (), call.place, call.role) if same else None
    return Const(next(iter(t.kinds))(1)) if isinstance(t, Scalar) and len(t.kinds) == 1 else None


def divided_already(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`(x / y) * z` → `x * (z / y)` where `z / y` is at hand: both cotangents of a division have one in common."""
    for p, z in (call.args, call.args[::-1]):
        made = site.defs.get(p) if isinstance(p, Var) else None
        if made is None or made.role == "primal" or site.sharing.uses.get(made.result) != 1 or made.kwargs:
            continue
        if not isinstance(made.fn, Const) or made.fn.value is not operator.truediv:
            continue
        x, y = made.args
        shared = site.quotient(z, y)
        if shared is None or shared is p:
            continue
        t = arithmetic(operator.mul, (site.type(x), site.type(shared)))
        if agree(t, site.type(call.result)) and precision(site.type(shared)) == precision(t):
            site.sharing.uses[shared] = site.sharing.uses.get(shared, 0) + 1
            return Call(call.result, Const(operator.mul), (x, shared), (), call.place, call.role)
    return None


def difference_from_ones(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`1 - ones_like(x)` → `zeros_like(x)`."""
    one, ones = call.args
    made = site.defs.get(ones) if isinstance(ones, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not np.ones_like or made.kwargs:
        return None
    plain = isinstance(one, Const) and site.is_number(one, 1) and site.type(ones) == site.type(call.result)
    if not plain or not site.is_number(ones, 1):
        return None
    return Call(call.result, Const(np.zeros_like), made.args, (), call.place, call.role)


def scaled_inside(site: Site, call: Call, out: list[Statement]) -> Call | None:
    """`2.0 * (x * np.expand_dims(g, 1))` → `x * np.expand_dims(2.0 * g, 1)`: less to multiply."""
    number, product = call.args
    made = site.defs.get(product) if isinstance(product, Var) and isinstance(number, Const) else None
    if made is None or made.role == "primal" or not isinstance(made.fn, Const) or made.fn.value is not operator.mul:
        return None
    x, expanded = made.args
    inner = site.defs.get(expanded) if isinstance(expanded, Var) else None
    if inner is None or not isinstance(inner.fn, Const) or inner.fn.value is not np.expand_dims or inner.kwargs:
        return None
    small, t = inner.args[0], site.type(inner.args[0])
    once = site.sharing.uses.get(made.result) == 1 and inner.role != "primal"
    if not once or not isinstance(t, Array) or arithmetic(operator.mul, (site.type(number), t)) != t:
        return None
    scaled = site.new(call, operator.mul, (number, small), t, out)
    wide = site.new(call, np.expand_dims, (scaled, inner.args[1]), site.type(expanded), out)
    return Call(call.result, Const(operator.mul), (x, wide), (), call.place, call.role)
