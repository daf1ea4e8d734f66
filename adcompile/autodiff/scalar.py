"""What a gradient is taken of: a real scalar, and a pair of it and something else for has_aux; and its seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.errors import NotDifferentiable, Place, place_of, spot
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Array, Instance, Known, ListT, Scalar, TupleT, Type, Unknown, is_inexact


def check_scalar(result: Type, fun: Any, place: Place | None = None) -> None:
    """Raise NotDifferentiable unless `result`, what `fun` returns, can be a real scalar."""
    name = getattr(fun, "__name__", "the function")
    problem, remedy = "", ""
    match result:
        case Unknown() | Instance():
            return
        case Scalar(kinds):
            names = sorted(k.__name__ for k in kinds)
            if any(k is complex or issubclass(k, np.complexfloating) for k in kinds):
                problem, remedy = f"a complex number ({', '.join(names)})", "return its real part or abs()"
            elif not any(is_inexact(k) for k in kinds):
                problem, remedy = f"{_article(names[0])} {names[0]}", "return a float"
        case Array(dtype, dims):
            if dims:
                problem, remedy = "an array", "return its sum, or use jacobian() or vjp()"
            elif dtype.kind == "c":
                problem, remedy = "a complex number", "return its real part or abs()"
            elif dtype.kind != "f":
                problem, remedy = f"an array of {dtype}", "return a float"
        case Known(value):
            if isinstance(value, (complex, np.complexfloating)):
                problem, remedy = "a complex number", "return its real part or abs()"
            elif not is_inexact(type(value)):
                problem, remedy = f"{value!r}", "return a float"
        case _:
            problem = "a container"
            remedy = "return a scalar, use has_aux=True for (value, aux), or use jacobian() or vjp()"
    if problem:
        raise NotDifferentiable(
            f"a gradient needs a function with a real scalar result, but {name}() returns {problem}",
            place or place_of(fun),
            remedy,
        )


def check_pair(result: Type, fun: Any, place: Place | None, has_aux: bool) -> None:
    """Raise NotDifferentiable unless `result`, what `fun` returns, is a pair where it has to be."""
    items = result.items if isinstance(result, (TupleT, ListT)) else None
    if has_aux and (items is None or len(items) != 2):
        fun = getattr(fun, "value", fun)
        what = "something else" if items is None else f"{len(items)} values"
        name = getattr(fun, "__name__", "the function")
        raise NotDifferentiable(
            f"has_aux=True needs a function that returns a pair, but {name}() returns {what}",
            place or place_of(fun),
            "return (value, aux), where aux may be a tuple, or leave has_aux away",
        )


def seed_one(b: Builder, value: Atom) -> Atom:
    """One, as a cotangent of `value`."""
    t = b.type(value)
    if isinstance(t, Scalar) and len(t.kinds) == 1:
        (kind,) = t.kinds
        if issubclass(kind, np.inexact) and kind not in (np.float64, np.complex128):
            return Const(kind(1.0))
    if isinstance(t, Array):
        return b.call(np.ones_like, value)
    return Const(1.0)


def seed_of(b: Builder, fun: Atom, value: Atom) -> Atom:
    """One, as a cotangent of what `fun` returns: of what the run tells to be a real scalar, where nothing else does."""
    t = b.type(value)
    if isinstance(t, (Unknown, Instance)):
        return seed_checked(b, fun, value)
    if isinstance(t, Array) and t.dims is None:
        return b.call(rt.like, seed_checked(b, fun, value), value)
    return seed_one(b, value)


def seed_checked(b: Builder, fun: Atom, value: Atom) -> Atom:
    """One, as a cotangent of what `fun` returns, where only the run tells whether that is a real scalar."""
    fun = getattr(fun, "value", fun)
    at = spot(b.place or place_of(fun))
    name = getattr(fun, "__name__", "the function")
    return b.emit(rt.seed, (Const(at), Const(name), value), Scalar(frozenset({float})))


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"
