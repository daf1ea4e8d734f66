"""What the reverse sweep computes again instead of keeping: a few scalar operations on what is at
hand cost less than a list, or a name that outlives its branch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.views import fn_of
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Instance, Known, RangeT, Scalar, Seq, SliceT, TupleT, Type, widen

if TYPE_CHECKING:
    from adcompile.analysis.builder import Context

CHEAP = {
    operator.add, operator.sub, operator.mul, operator.neg, operator.mod, operator.floordiv, len, ops.identity,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.not_, operator.and_,
    slice, ops.build_tuple, range,
}  # fmt: skip

SCALAR = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.not_, ops.identity,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, min, max,
}  # fmt: skip
"""Operations on numbers that cost less than an append and a read."""

SMALL = (2, 3)  # exponents that are as cheap
MOST = 3  # of them, to have one value again; keeping one costs about as much

MADE_OF_NUMBERS = (slice, ops.build_tuple, range)
"""What indices and ranges are made with: the numbers are kept in their place, as for views of shadows."""
PARTS = 8  # so many of them may make one index


def is_cheap(context: Context, call: Call) -> bool:
    """Whether a call costs next to nothing and its result is small, or a view."""
    if not isinstance(call.fn, Const):
        return False
    fn, t = call.fn.value, context.types[call.result]
    if any(a in context.volatile for a in call.args):
        return False  # what it reads is written in place later
    if fn is operator.getitem:
        owner = context.types[call.args[0]] if isinstance(call.args[0], Var) else None
        if isinstance(owner, Seq) and context.unsteady:
            return False
        if not isinstance(owner, (Array, Seq, RangeT)):
            return not isinstance(owner, Instance) and owner is not None
        index = call.args[1]
        it = widen(context.types[index]) if isinstance(index, Var) else None
        return it is None or not isinstance(it, (Array, Seq))
    if fn is min or fn is max:
        given = [context.types[a] for a in call.args if isinstance(a, Var)]
        return len(call.args) > 1 and not call.kwargs and all(map(is_whole, (t, *given)))
    try:
        cheap = fn in CHEAP or fn in (np.ndarray.shape, np.shape, np.ndarray.T, np.ndarray.size)
    except TypeError:
        return False
    return cheap and not isinstance(t, Array)


def is_whole(t: Type) -> bool:
    """Whether a value is one of Python's integers."""
    t = widen(t)
    return isinstance(t, Scalar) and t.kinds <= {int, bool}


def is_index(t: Type) -> bool:
    """Whether a value is a range, or an index of slices, numbers and arrays of places."""
    if isinstance(t, TupleT):
        return all(is_part(i) or is_index(i) or isinstance(i, Known) for i in t.items)
    return isinstance(t, (RangeT, SliceT))


def is_part(t: Type) -> bool:
    """Whether a value is kept in the place of an index that is made of it."""
    return isinstance(widen(t), Scalar) or isinstance(t, Array) and t.dtype.kind == "i" and bool(t.dims)


def is_part_of_shadow(context: Context, call: Call | None) -> bool:
    """Whether a call shows part of a shadow by an index of slices and numbers, or its diagonals: it is the same memory
    every time."""
    if call is None or call.result not in context.shadows or fn_of(call) not in (operator.getitem, rt.diagonal_of):
        return False
    if not all(isinstance(context.types.get(a), Array) for a in (call.args[0], call.result)):  # type: ignore[arg-type]
        return False
    where = [context.types[a] if isinstance(a, Var) else Known(a.value) for a in call.args[1:]]
    return all(is_index(t) or isinstance(widen(t), Scalar) for t in where)


def from_numbers(context: Context, v: Var, inside: Container[Var]) -> list[Call] | None:
    """The calls that make an index or a range, or part of a shadow, where these take numbers alone that the reverse
    may have."""
    if not is_index(context.types[v]) and not is_part_of_shadow(context, context.definition.get(v)):
        return None
    return steps(context, v, inside, lambda a: is_part(context.types[a]) and a not in context.volatile, PARTS)


def steps(
    context: Context, v: Atom, inside: Container[Var], at_hand: Callable[[Var], bool], most: int = MOST
) -> list[Call] | None:
    """The few scalar calls that give `v` again from what is at hand, in order; None if it takes more.

    `inside` are the values that the forward code defines where the reverse cannot see them,
    `at_hand(var)` those of them that it will have.
    """
    out: list[Call] = []
    todo: list[Atom] = [v]
    while todo:
        a = todo.pop()
        if isinstance(a, Const) or a not in inside or a is not v and at_hand(a):
            continue
        call = context.definition.get(a)
        if call is None or call.kwargs or not is_arithmetic(context, call):
            return None
        out = [c for c in out if c.result is not a] + [call]  # before all that read it
        if len(out) > most:
            return None
        todo.extend(call.args)
    return out[::-1]


def is_small(exponent: Atom) -> bool:
    return isinstance(exponent, Const) and isinstance(exponent.value, (int, float)) and exponent.value in SMALL


def is_arithmetic(context: Context, call: Call) -> bool:
    """An operation on plain numbers, with a plain number as result; or what makes an index or a range of them."""
    if not isinstance(call.fn, Const):
        return False
    t, given = context.types[call.result], [context.types[a] for a in call.args if isinstance(a, Var)]
    if is_part_of_shadow(context, call):
        return True
    if is_index(t):
        return call.fn.value in MADE_OF_NUMBERS
    try:
        known = call.fn.value in SCALAR or call.fn.value is operator.pow and is_small(call.args[1])
    except TypeError:
        return False
    return known and all(isinstance(widen(i), Scalar) for i in (t, *given))


def copied(context: Context, calls: list[Call], mapping: dict[Var, Atom]) -> list[Statement]:
    """The calls once more for the adjoint, under fresh names, which `mapping` gets."""
    out: list[Statement] = []
    for call in calls:
        if call.result in mapping:
            continue
        result = Var(call.result.name, call.result.place)
        context.types[result] = context.types[call.result]
        context.shape[result] = context.shape.get(call.result, call.result)
        args = tuple(mapping.get(a, a) if isinstance(a, Var) else a for a in call.args)
        copy = Call(result, call.fn, args, (), call.place, "again")
        context.definition[result] = copy
        mapping[call.result] = result
        out.append(copy)
    return out
