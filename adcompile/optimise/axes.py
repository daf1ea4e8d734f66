"""Axes of length one, put in and taken out again: what `x[:, None]` and `keepdims` leave of a derivative.

    t = np.zeros_like(x); t[:, None] += np.sum(g, axis=1, keepdims=True)   →   t = np.sum(g, axis=1)
    h *= np.expand_dims(s, 0)                                             →   h *= s
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Type
from adcompile.optimise.sharing import Sharing
from adcompile.optimise.typing import agree, arithmetic, definite, hashable
from adcompile.runtime import arrays

_FULL = slice(None)
BROADCASTS: frozenset[Any] = frozenset({np.broadcast_to, arrays.broadcast_like})


class Site(Protocol):
    """What a rewrite may ask, and how it makes an inner call."""

    defs: dict[Var, Call]
    sharing: Sharing

    def type(self, atom: Atom) -> Type: ...
    def first(self, atom: Atom) -> Atom: ...
    def is_number(self, atom: Atom, value: int) -> bool: ...
    def new(self, call: Call, fn: Any, args: tuple[Atom, ...], t: Type, out: list[Statement], **kwargs: Any) -> Var: ...


Helper = Callable[[Site, Call, "list[Statement]"], "Call | Atom | None"]


def before_broadcast(site: Site, atom: Atom) -> Atom | None:
    """What a value is broadcast from, be it a view or, `small * rt.broadcast_like(1.0, x)`, memory of its own."""
    made = site.defs.get(atom) if isinstance(atom, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.kwargs:
        return None
    if made.fn.value is operator.mul and made.role != "primal":
        for small, ones in (made.args, made.args[::-1]):
            inner = made_by(site, ones, *BROADCASTS)
            if inner is not None and not inner.kwargs and site.is_number(ones, 1) and not site.is_number(small, 1):
                full = site.type(ones) == site.type(atom)
                return small if full and isinstance(site.type(small), Array) else None
    return made.args[0] if hashable(made.fn.value) and made.fn.value in BROADCASTS else None


def made_by(site: Site, atom: Atom, *fns: Any) -> Call | None:
    """The call of one of `fns` whose result an atom is."""
    call = site.defs.get(atom) if isinstance(atom, Var) else None
    if call is None or not isinstance(call.fn, Const) or not any(call.fn.value is fn for fn in fns):
        return None
    return call


def new_axes(site: Site, index: Atom) -> tuple[int, tuple[int, ...]] | None:
    """Of an index made of `:` and None alone: how many there are, and where None stands."""
    made = made_by(site, index, ops.build_tuple)
    parts = made.args if made is not None else (index,)
    if isinstance(index, Const) and isinstance(index.value, tuple):
        parts = tuple(Const(part) for part in index.value)
    out: list[int] = []
    for k, part in enumerate(parts):
        if isinstance(part, Const) and part.value is None:
            out.append(k)
        elif not _is_full(site, part):
            return None
    return len(parts), tuple(out)


def _is_full(site: Site, part: Atom) -> bool:
    if isinstance(part, Const):
        return type(part.value) is slice and part.value == _FULL
    made = made_by(site, part, slice)
    return made is not None and all(isinstance(a, Const) and a.value is None for a in made.args)


def spread_zeros(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """Adding to zeros that are read by nobody else, through new axes: the value without these axes."""
    buffer, index, value = call.args
    zeros = made_by(site, buffer, np.zeros_like, np.zeros)
    t, wanted = site.type(value), site.type(call.result)
    if zeros is None or site.sharing.uses.get(zeros.result) != 1 or not isinstance(value, Var):
        return None
    if not isinstance(t, Array) or not isinstance(wanted, Array) or not definite(t) or t.dtype != wanted.dtype:
        return None
    found = new_axes(site, index)
    ours = value in site.sharing.fresh and site.sharing.uses.get(value) == 1
    if found is None or not ours or t.dims is None or wanted.dims is None:
        return None
    count, axes = found
    rest = tuple(d for k, d in enumerate(t.dims) if k not in axes)
    if len(t.dims) != count or any(t.dims[k] != "one" for k in axes) or rest != wanted.dims:
        return None
    site.sharing.fresh.add(call.result)
    if not axes:
        return value
    summed = _without_kept(site, call, value, axes, out)
    if summed is not None:
        return summed
    parts = Const(tuple(0 if k in axes else _FULL for k in range(axes[-1] + 1)))
    return Call(call.result, Const(operator.getitem), (value, parts), (), call.place, call.role)


def _without_kept(site: Site, call: Call, value: Atom, axes: tuple[int, ...], out: list[Statement]) -> Call | None:
    """A sum, or the negative of one, whose reduced axes, all kept, are these: without them."""
    made = made_by(site, value, np.sum, operator.neg)
    if made is None or made.role == "primal" or len(made.args) != 1:
        return None
    if made.fn.value is operator.neg:  # type: ignore[union-attr]
        inner = _without_kept(site, call, made.args[0], axes, out)
        if inner is None:
            return None
        summed = site.new(call, np.sum, inner.args, site.type(call.result), out, **_settings(inner))
        return Call(call.result, made.fn, (summed,), (), call.place, call.role)
    settings = _settings(made)
    if set(settings) != {"axis", "keepdims"} or settings["keepdims"] is not True:
        return None
    reduced = settings["axis"] if isinstance(settings["axis"], tuple) else (settings["axis"],)
    if reduced != axes:
        return None
    axis = Const(axes[0] if len(axes) == 1 else axes)
    return Call(call.result, made.fn, made.args, (("axis", axis),), call.place, call.role)


def _settings(call: Call) -> dict[str, Any]:
    return {name: a.value for name, a in call.kwargs if isinstance(a, Const)}


def without_leading(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """An operand of as many axes as the other needs no new axes in front: broadcasting puts them there."""
    if len(call.args) != 2 or call.kwargs:
        return None
    assert isinstance(call.fn, Const)
    for i in (0, 1):
        made, other = made_by(site, call.args[i], np.expand_dims), site.type(call.args[1 - i])
        if made is None or made.kwargs or not isinstance(made.args[1], Const) or made.args[1].value != 0:
            continue
        small = site.type(made.args[0])
        if not isinstance(small, Array) or not small.dims or not isinstance(other, Array) or other.dims is None:
            continue
        if len(other.dims) > len(small.dims):
            operands = (made.args[0], call.args[1]) if i == 0 else (call.args[0], made.args[0])
            t = arithmetic(call.fn.value, (site.type(operands[0]), site.type(operands[1])))
            if agree(t, site.type(call.result)):
                return Call(call.result, call.fn, operands, (), call.place, call.role)
    return None


def plain_sum(site: Site, call: Call, out: list[Statement]) -> Call | Atom | None:
    """`np.sum(x, axis=None, keepdims=False)` → `np.sum(x)`."""
    kept = tuple((k, a) for k, a in call.kwargs if not _is_default(k, a))
    return Call(call.result, call.fn, call.args, kept, call.place, call.role) if len(kept) < len(call.kwargs) else None


def _is_default(name: str, atom: Atom) -> bool:
    return isinstance(atom, Const) and (
        name == "axis" and atom.value is None or name == "keepdims" and atom.value is False
    )
