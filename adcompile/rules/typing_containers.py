"""The types of operators on strings, tuples, lists and dicts; numbers go to broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from adcompile.ir.types import (
    BOOL,
    NEVER,
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
    widen,
)
from adcompile.rules.typing import broadcast_type
from adcompile.rules.typing_standin import standin_type

REPEATS = 256
"""A list repeated more often than this is a Seq."""

Typing = Callable[[list[Type], dict[str, Type]], Type]


def container_type(fn: Any) -> Typing:
    """The typing of an operator: by what it does to containers, else by broadcasting."""
    on_containers = {operator.add: _concatenation, operator.mul: _repetition, operator.mod: _formatting}

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        a, b = widen(args[0]), widen(args[1])
        if isinstance(a, (Scalar, Array)) and isinstance(b, (Scalar, Array)):
            return broadcast_type(fn, args, kwargs)
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return UNKNOWN
        if fn is operator.eq:
            return _comparison(a, b)
        if isinstance(a, Array) or isinstance(b, Array):
            return standin_type(fn, tuple(args))  # a list beside an array becomes one
        return on_containers[fn](args[0], args[1]) if fn in on_containers else UNKNOWN

    return typing


def sequence(t: Type) -> Type:
    """A constant tuple by its items; other types unchanged."""
    if isinstance(t, Known) and type(t.value) is tuple:
        return TupleT(tuple(sequence(Known(item)) for item in t.value))
    return t


def _concatenation(a: Type, b: Type) -> Type:
    match sequence(a), sequence(b):
        case TupleT(left), TupleT(right):
            return TupleT((*left, *right))
        case ListT(left), (ListT(right) | TupleT(right)):
            return ListT((*left, *right))
        case (Seq(_, cls), (ListT() | TupleT() | Seq())) | ((ListT() | TupleT()), Seq(_, cls)):
            return Seq(join(_item(sequence(a)), _item(sequence(b))), cls)
        case left, right if _is_text(left) and _is_text(right):
            return widen(left)
        case _:
            return UNKNOWN


def _item(t: Type) -> Type:
    if isinstance(t, Seq):
        return t.item
    out: Type = NEVER
    for item in t.items if isinstance(t, (TupleT, ListT)) else ():
        out = join(out, item)
    return out


def _is_text(t: Type) -> bool:
    wide = widen(t)
    return isinstance(wide, Instance) and wide.cls in (str, bytes)


def _repetition(a: Type, b: Type) -> Type:
    if isinstance(widen(a), Scalar):
        a, b = b, a
    if not isinstance(widen(b), Scalar):
        return UNKNOWN
    a = sequence(a)
    if _is_text(a):
        return widen(a)
    if isinstance(a, Seq):
        return Seq(a.item, a.cls)
    if not isinstance(a, (TupleT, ListT)):
        return UNKNOWN
    if isinstance(b, Known) and isinstance(b.value, int) and b.value * len(a.items) <= REPEATS:
        items = a.items * b.value
        return ListT(items) if isinstance(a, ListT) else TupleT(items)
    return Seq(_item(a), list if isinstance(a, ListT) else tuple)


def _formatting(a: Type, b: Type) -> Type:
    return widen(a) if _is_text(a) else UNKNOWN


def _comparison(a: Type, b: Type) -> Type:
    """Containers of plain things compare to a bool; objects may have operators of their own."""
    if isinstance(a, Array) or isinstance(b, Array):
        return standin_type(operator.eq, (a, b))
    return BOOL if _is_plain(a) and _is_plain(b) else UNKNOWN


def _is_plain(t: Type) -> bool:
    match t:
        case Known(value):
            return not hasattr(type(value), "__array_ufunc__")
        case Scalar() | Closure():
            return True
        case Instance(cls):
            return cls.__module__ == "builtins"
        case TupleT(items) | ListT(items):
            return all(map(_is_plain, items))
        case DictT(_, values):
            return all(map(_is_plain, values))
        case Seq(item):
            return _is_plain(item)
        case _:
            return False
