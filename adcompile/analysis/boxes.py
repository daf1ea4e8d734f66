"""Arrays of objects: which values of unknown type may be one, and hold lists, dicts, objects and arrays themselves."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.views import fn_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Unknown
from adcompile.rules.registry import lookup

PARTS: tuple[Any, ...] = (operator.getitem, ops.unpack, ops.unpack_star)
"""These take parts out of their first argument, which may be anything."""

KEPT: set[Any] = {
    *PARTS, operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.matmul,
    np.sum, np.mean, np.max, np.min, np.array, np.asarray, np.ravel, np.reshape, np.ndarray.sum, np.ndarray.mean,
    np.ndarray.max, np.ndarray.min,
}  # fmt: skip
"""Their derivatives hold for arrays of objects as well, if these are real numbers."""

ARRANGING = ("linear", "vjp")
"""The kinds of rules of what arranges what it is given, as np.concatenate and np.where do, and computes nothing new."""


def keeps_given(context: Context, s: Call) -> bool:
    """Whether what a call gives may be an array of the very objects, lists and arrays that it is given."""
    t = context.types.get(s.result)
    if isinstance(t, Array):
        return t.dtype.hasobject
    rule = lookup(fn_of(s)) if isinstance(t, Unknown) else None
    if rule is None or rule.kind not in ARRANGING or not is_ours(fn_of(s)):
        return False
    return may_be_boxes(context, s.result) or any(may_be_boxes(context, a) for a in given(context, s))


def given(context: Context, s: Call) -> list[Atom]:
    """What a call is given; of a tuple or list that is made for it, its items."""
    out: list[Atom] = []
    for a in operands_of(s):
        made = context.definition.get(a) if isinstance(a, Var) else None
        out += [a] if made is None or fn_of(made) not in (ops.build_list, ops.build_tuple) else made.args
    return out


def may_be_boxes(context: Context, atom: Atom) -> bool:
    """Whether a value that a call with a rule has made may be an array of objects: a cast, and what `KEPT` make of
    one. What others are given is checked."""
    found, todo = context.boxes, [atom]
    while todo:
        v = todo[-1]
        made = context.definition.get(v) if isinstance(v, Var) and v not in found else None
        if made is None:
            todo.pop()
            continue
        inner = [a for a in operands_of(made) if isinstance(a, Var) and is_open(context, a)]
        rest = [a for a in inner if a not in found and a in context.definition]
        if fn_of(made) in KEPT and not casts(context, made) and rest:
            todo += rest
            continue
        assert isinstance(v, Var)
        found[v] = casts(context, made) or fn_of(made) in KEPT and any(found.get(a, False) for a in inner)
        todo.pop()
    return isinstance(atom, Var) and found.get(atom, False)


def operands_of(s: Call) -> tuple[Atom, ...]:
    return (*s.args, *(v for _, v in s.kwargs))


def is_open(context: Context, var: Var) -> bool:
    return isinstance(context.types.get(var), Unknown)


def casts(context: Context, s: Call) -> bool:
    """Whether a call may make an array of objects of numbers: by what it is told, by an array of objects that it is
    given, or because a user has written the rule."""
    fn, kwargs = fn_of(s), dict(s.kwargs)
    if fn is None or not is_ours(fn):
        return True
    types = [Builder(context).type(a) for a in operands_of(s)]
    if any(isinstance(t, Array) and t.dtype.hasobject for t in types):
        return True
    if "dtype" in kwargs or "otypes" in kwargs or fn in TYPED and len(s.args) > TYPED[fn]:
        told = kwargs["dtype"] if "dtype" in kwargs else kwargs.get("otypes") or s.args[TYPED[fn]]
        return not (isinstance(told, Const) and is_dtype_of_numbers(told.value))
    return fn in TYPED


def is_ours(fn: Any) -> bool:
    """Whether the rule of a function is no user's."""
    return str(getattr(fn, "__module__", None)).partition(".")[0] in OURS


OURS = ("numpy", "_operator", "math", "builtins", "scipy", "adcompile")
TYPED: dict[Any, int] = {
    np.ndarray.astype: 1, np.array: 1, np.asarray: 1, np.asanyarray: 1, np.full: 2, np.full_like: 2,
}  # fmt: skip
"""The position of the dtype among their arguments; without one it is that of what they are given."""


def is_dtype_of_numbers(value: Any) -> bool:
    try:
        return value is not None and not np.dtype(value).hasobject
    except TypeError:
        return False


__all__ = ["KEPT", "PARTS", "given", "keeps_given", "may_be_boxes"]
