"""Leaves: the values that a structured value holds, which alone cross the edges of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adcompile.analysis.builder import Builder, is_structured, parts
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Const,
    Var,
)
from adcompile.ir.types import (
    Boxed,
    Closure,
    DictT,
    Known,
    ListT,
    Never,
    ObjectT,
    Ref,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    Unknown,
    differentiable,
    holds_ref,
    widen,
)


def part_name(name: str, form: Type, k: int) -> str:
    if isinstance(form, DictT):
        return f"{name}_{form.keys[k]}"
    return f"{name}_{form.names[k]}" if isinstance(form, ObjectT) else f"{name}_{k}"


def is_undefined(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is ops.UNDEFINED


def deep_widen(t: Type) -> Type:
    """The type with known numbers (and strings) forgotten, inside containers too."""
    match t:
        case Known(value) if type(value) is tuple:
            return TupleT(tuple(deep_widen(Known(v)) for v in value))
        case TupleT(items, cls):
            return TupleT(tuple(map(deep_widen, items)), cls)
        case ListT(items):
            return ListT(tuple(map(deep_widen, items)))
        case DictT(keys, values):
            return DictT(keys, tuple(map(deep_widen, values)))
        case ObjectT(cls, names, types):
            return ObjectT(cls, names, tuple(map(deep_widen, types)))
        case SliceT((p, q, r)):
            return SliceT((deep_widen(p), deep_widen(q), deep_widen(r)))
        case Closure(f, defaults, kwdefaults, cells):
            kw = tuple((n, deep_widen(t)) for n, t in kwdefaults)
            return Closure(f, tuple(map(deep_widen, defaults)), kw, tuple(map(deep_widen, cells)))
        case _:
            return widen(t)


def leaf_types(t: Type) -> list[Type]:
    if isinstance(t, (Known, Never, Ref)):
        return []
    if isinstance(t, Boxed):
        return leaf_types(t.content)
    if is_structured(t):
        return [leaf for p in parts(t) for leaf in leaf_types(p)]
    return [t]


def leaf_names(name: str, t: Type) -> list[str]:
    if isinstance(t, (Known, Never, Ref)):
        return []
    if isinstance(t, Boxed):
        return leaf_names(name, t.content)
    if is_structured(t):
        return [n for k, p in enumerate(parts(t)) for n in leaf_names(part_name(name, t, k), p)]
    return [name]


def rebuild_carried(b: Builder, name: str, t: Type, leaves: list[Var]) -> Atom:
    rest = iter(leaves)

    def rebuild(t: Type, name: str) -> Atom:
        if isinstance(t, Never):
            return Const(ops.UNDEFINED)
        if isinstance(t, Known):
            return Const(t.value)
        if is_structured(t):
            return b.build(t, [rebuild(p, "") for p in parts(t)], name=name)
        return next(rest)

    return rebuild(t, name)


def value_leaves(b: Builder, value: Atom, form: Type) -> list[Atom]:
    """The leaf atoms of a value, as `leaf_types(form)` counts them."""
    if isinstance(form, (Known, Never)):
        return []
    if is_structured(form):
        if is_undefined(value):
            return [Const(ops.UNDEFINED)] * len(leaf_types(form))
        return [leaf for item, p in zip(b.items(value), parts(form)) for leaf in value_leaves(b, item, p)]
    return [value]


def holds_structure(t: Type) -> bool:
    """Whether a sequence's items are containers or functions."""
    return isinstance(t, Seq) and (is_structured(t.item) or isinstance(t.item, Unknown))


def is_index(t: Type) -> bool:
    """Whether a value is a slice, or a tuple of such and of numbers that carry no derivative."""
    if isinstance(t, TupleT):
        return all(isinstance(i, (Known, Scalar)) and not differentiable(i) or is_index(i) for i in t.items)
    return isinstance(t, SliceT) and not holds_ref(t)


def with_parts(t: Type, items: Sequence[Type]) -> Type:
    """A structured type with other parts."""
    match t:
        case ListT():
            return ListT(tuple(items))
        case DictT(keys, _):
            return DictT(keys, tuple(items))
        case ObjectT(cls, names, _):
            return ObjectT(cls, names, tuple(items))
        case _:
            return rest_with_parts(t, list(items))


def rest_with_parts(t: Any, items: list[Type]) -> Type:
    if hasattr(t, "items"):
        return replace(t, items=tuple(items))
    if hasattr(t, "parts"):
        return replace(t, parts=tuple(items))
    n, k = len(t.defaults), len(t.kwdefaults)
    keywords = tuple((name, item) for (name, _), item in zip(t.kwdefaults, items[n : n + k]))
    return replace(t, defaults=tuple(items[:n]), kwdefaults=keywords, cells=tuple(items[n + k :]))
