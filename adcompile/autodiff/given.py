"""What rules give: whether it can be a tangent or cotangent of what it is given for, by its type."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, is_structured, rank
from adcompile.autodiff.called import signature_of
from adcompile.errors import RuleError
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import (
    NONE,
    Array,
    Choice,
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Method,
    ObjectT,
    RangeT,
    Ref,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    is_array_subclass,
    is_scalar_class,
    widen,
)

SEVERAL = (TupleT, ListT, Seq)
NUMBERS = Array(np.dtype(float), None)
OTHERS = (Choice, Closure, DictT, Instance, IterT, Known, Method, ObjectT, RangeT, Ref, SliceT)


def primal_name(call: Call) -> str:
    """What a message calls the function that a rule belongs to."""
    assert isinstance(call.fn, Const)
    fn = call.fn.value
    return getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or "this function"


def check_number(call: Call, body: Any, leading: int, found: int, count: int, what: str) -> None:
    """Raise RuleError for a rule that gives fewer derivatives than the call has arguments, or more than its
    body has parameters for."""
    signature = signature_of(body)[0]
    if found >= count and (signature.vararg is not None or found <= max(count, len(signature.positional) - leading)):
        return
    raise RuleError(
        f"the rule of {primal_name(call)} returns {found} {what}{'s' if found != 1 else ''}",
        call.place,
        "return one for each argument, None for those that have none",
    )


def check_given(b: Builder, call: Call, what: str, g: Atom, x: Type) -> None:
    """Raise RuleError where what a rule gives as `what` cannot belong to a value of type `x`, a number, an array or a
    structure of these: shapes that only the run shows are checked in debug mode."""
    wrong = misfit(b.type(g), x)
    if wrong:
        raise RuleError(
            f"the rule of {primal_name(call)} returns {wrong} as {what}",
            call.place,
            "return what has the structure and shape that it belongs to; None stands for zero",
        )


def check_cotangent(b: Builder, call: Call, position: int, g: Atom, x: Atom) -> None:
    check_given(b, call, f"the cotangent of argument {position + 1}", g, b.type(x))


def check_partial(b: Builder, call: Call, position: int, p: Atom) -> None:
    """Raise RuleError where what a rule gives as a derivative of each element is no number or array."""
    check_given(b, call, f"the derivative by argument {position + 1}", p, NUMBERS)


def is_zero(g: Type) -> bool:
    return g == NONE or isinstance(g, Known) and type(g.value) in (int, float) and not g.value


def misfit(g: Type, x: Type) -> str | None:
    """What is wrong with a type of tangents of values of type `x`."""
    if is_zero(g):
        return None  # of whatever it is
    x = widen(x)
    if isinstance(x, (Scalar, Array)):
        return of_numbers(g, x)
    if isinstance(x, SEVERAL):
        if isinstance(g, (Scalar, *OTHERS)):
            return described(g)
        if is_structured(x) and is_structured(g) and not isinstance(x, Seq) and not isinstance(g, Seq):
            return of_items(g, x)  # type: ignore[arg-type]
    return None


def of_items(g: TupleT | ListT, x: TupleT | ListT) -> str | None:
    if len(g.items) != len(x.items):
        return f"{len(g.items)} items for {len(x.items)}"
    found = (misfit(a, t) for a, t in zip(g.items, x.items))
    return next((f"{wrong} within a {named(x)}" for wrong in found if wrong), None)


def of_numbers(g: Type, x: Scalar | Array) -> str | None:
    if isinstance(g, Known) and is_scalar_class(type(g.value)) or isinstance(g, Scalar):
        return None
    if isinstance(g, Array):
        if g.dtype.kind not in "biufc":
            return f"an array of {g.dtype}"
        have, want = rank(g), rank(x)
        if have and want is not None and have != want:
            return f"an array of {have} axes where {want} are needed"
        return None
    if isinstance(g, SEVERAL) or isinstance(g, OTHERS) and not is_array_subclass(g):
        return described(g)
    return None


def described(g: Type) -> str:
    name = named(g)
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def named(g: Type) -> str:
    """The class of values of a type."""
    match g:
        case Instance(cls) | ObjectT(cls) | Seq(_, cls) | TupleT(_, cls):
            return cls.__name__
        case Ref(cell):
            return cell.cls.__name__
        case Known(value):
            return type(value).__name__
        case ListT():
            return "list"
        case DictT():
            return "dict"
        case RangeT():
            return "range"
        case SliceT():
            return "slice"
        case IterT():
            return "iterator"
        case Scalar():
            return "number"
        case _:
            return "function"


def value_and_tangent(b: Builder, call: Call, pair: Atom) -> tuple[Atom, Atom]:
    """What an frule gives: the value and its tangent.

    Raises RuleError where it gives something else.
    """
    t = b.type(pair)
    items = b.items(pair) if isinstance(t, (TupleT, ListT)) else []
    if len(items) != 2:
        raise RuleError(
            f"the rule of {primal_name(call)} returns "
            + (f"{len(items)} results" if isinstance(t, (TupleT, ListT)) else "no tuple of two"),
            call.place,
            "an frule returns (value, tangent)",
        )
    y, d = items
    what = "the tangent of the result"
    check_given(b, call, what, d, b.type(y))
    if rank(b.type(y)) and rank(b.type(d)) == 0 and not is_zero(b.type(d)):
        raise RuleError(
            f"the rule of {primal_name(call)} returns a number as {what}, which is an array",
            call.place,
            "return an array of the shape of the result, or None for zero",
        )
    return y, d
