"""Cotangents whose zeros mean "not selected" (DESIGN §6).

Where `np.where`, a mask or an index leaves an element out, its cotangent is zero, and whatever it
was computed from must get zero too, even where a partial is infinite or nan: 0 · inf is nan. Two
questions, both answered from definitions that are in sight:

`selection(g)`: how far zeros in a cotangent mean that something was left out,
`hazard(p)`: how easily a partial is not finite.

Both are levels, and in p · g the zeros of g are guarded where `selection(g) >= hazard(p)`, and
those of a mask p where it selects at the level of `hazard(g)`:

1  an index or slice left elements out        1  p comes from a division, a logarithm, a root, …
2  so did maximum, clip, abs and their like   2  p may overflow: exp, sinh, …
3  so did where, select, a mask               3  p is anything that nan or inf in the data reaches
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Context, rank
from adcompile.autodiff.cotangents import joined_type
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Known, Scalar, SliceT, TupleT, Type
from adcompile.rules.registry import lookup

NEVER = 4

DIVISIONS = {operator.truediv, operator.itruediv, np.divide, rt.quotient}
POWERS = {operator.pow, operator.ipow, pow, np.power, np.float_power, math.pow, rt.power}
SINGULAR = DIVISIONS | {
    fn
    for module, names in (
        (np, "log log2 log10 log1p sqrt cbrt reciprocal arcsin arccos arccosh arctanh arctan2"),
        (math, "log log2 log10 log1p sqrt cbrt asin acos acosh atanh atan2"),
        (cmath, "log log10 sqrt asin acos acosh atanh"),
    )
    for name in names.split()
    if (fn := getattr(module, name, None)) is not None
}
OVERFLOWING = {
    fn
    for module, names in (
        (np, "exp exp2 expm1 sinh cosh logaddexp logaddexp2"),
        (math, "exp exp2 expm1 sinh cosh gamma lgamma"),
        (cmath, "exp sinh cosh"),
    )
    for name in names.split()
    if (fn := getattr(module, name, None)) is not None
}
PRODUCTS = (operator.mul, operator.imul, np.multiply)
COMPARISONS = {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
LOGIC = {operator.and_, operator.or_, operator.invert, operator.xor}
# linear maps of a cotangent that leave each element alone
THROUGH = {
    operator.neg, operator.truediv, operator.getitem, np.conj, np.real, np.ndarray.astype, np.reshape,
    np.ndarray.reshape, np.transpose, np.ndarray.T, np.sum, np.expand_dims, np.squeeze, np.negative, np.moveaxis,
    np.swapaxes, np.take_along_axis,
    rt.broadcast_like, rt.unbroadcast, rt.expand, rt.copy, rt.snapshot, ops.identity, getattr,
}  # fmt: skip
SUMS = {np.sum, rt.unbroadcast}
TRIANGLES = {np.triu, np.tril}
Join = Callable[..., int]


def selecting(b: Builder, p: Atom, g: Atom) -> Atom | None:
    """The factor of which zeros say that the product of a partial `p` and a cotangent or tangent `g` must be zero
    there, whatever the other one is; None: no element needs it."""
    if isinstance(p, Const) or not isinstance(g, Var):
        return None
    chosen, masked = selection(b.context, g), mask(b.context, p)
    scalar = rank(b.type(p)) == 0
    if scalar and (chosen <= 1 or rank(b.type(g)) == 0):
        chosen = 0  # infinite for every element or for none
    if chosen and chosen >= hazard(b.context, p):
        return g
    if masked and not scalar and masked >= hazard(b.context, g):
        return p
    return None


def singular(context: Context, call: Call) -> bool:
    """Whether the partials of a scalar call can fail to be finite numbers where those that the
    result does not need were computed all the same, before a branch."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if own_hazard(context, call) == 1 or known(fn) and isinstance(fn, np.ufunc) and fn in OVERFLOWING:
        return True
    return fn in PRODUCTS and any(hazard(context, a) == 1 for a in call.args)


# -- cotangents -----------------------------------------------------------------------------------


def selection(context: Context, g: Atom) -> int:
    """How far zeros in a cotangent mean that an element was left out; 0: not at all."""
    return search(context, g, context.selections, selected_by, 0)


def joined_cotangent(b: Builder, var: Var, sides: Sequence[Atom], types: Sequence[Type]) -> Var:
    """The cotangent of a value behind a choice, in reverse, whose sides give these: zeros in it may mean that the value
    was left out."""
    result = b.new(f"{var.name}_bar", joined_type(b.type(var), types))
    b.context.shape[result] = b.context.shape.get(var, var)
    b.context.selections[result] = max(1, *(selection(b.context, x) for x in sides))
    return result


def gathered(context: Context, first: Atom, param: Var, final: Atom) -> int:
    """The same of what a loop makes of `first` by adding to `param`, of which `final` is the next value."""
    levels = [selection(context, first)] if isinstance(first, Var) else [NEVER]
    todo, met = [final], {param}
    while todo:
        atom = todo.pop()
        call = context.definition.get(atom) if isinstance(atom, Var) else None
        fn = call.fn.value if call is not None and isinstance(call.fn, Const) else None
        if atom in met or not isinstance(atom, Var):
            continue
        met.add(atom)
        if call is not None and known(fn) and fn in (operator.add, operator.sub):
            todo += call.args
        elif call is not None and known(fn) and fn in (ops.index_add, rt.accumulate):
            todo.append(call.args[0])
            levels.append(max(1 if plain(context, call.args[1]) else 3, selection(context, call.args[2])))
        else:
            levels.append(selection(context, atom))
    others = [level for level in levels if level != NEVER]
    return unless_dense(*others) if others else 0


def selected_by(context: Context, call: Call) -> tuple[Sequence[Atom], Join]:
    """What a call does to a cotangent, given the levels of those that it reads."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if mask(context, call.result):
        return (), constantly(mask(context, call.result))
    if not known(fn):
        return (), constantly(0)
    if fn is np.where or fn is rt.selected_product:
        return (), constantly(3)
    if fn is np.zeros_like:
        return (), constantly(NEVER)
    if fn in (ops.index_add, rt.accumulate):
        buffer, index, value = call.args
        return (buffer, value), partial(written, 1 if plain(context, index) else 3)
    if fn in (rt.scatter, rt.scatter_list):
        return (), constantly(1 if plain(context, call.args[1]) else 3)
    if fn in TRIANGLES:
        return call.args[:1], atleast(1)
    if fn in (operator.mul, np.multiply):
        own = max(mask(context, a) for a in call.args)
        return cotangents(context, call), partial(highest, own)
    if fn in (operator.add, operator.sub):
        return call.args, unless_dense
    if fn not in THROUGH or fn in SUMS and sums_up(context, call):
        return (), constantly(0)
    return call.args[:1], highest


def sums_up(context: Context, call: Call) -> bool:
    """Whether a sum is one number of several: of a number it is that number."""
    a, *_ = *call.args, *(value for _, value in call.kwargs)  # np.sum may have it by name
    return rank(context.types[call.result]) == 0 and not (isinstance(a, Var) and rank(context.types[a]) == 0)


def cotangents(context: Context, call: Call) -> list[Atom]:
    return [a for a in call.args if isinstance(a, Var) and is_adjoint(context, a)]


def is_adjoint(context: Context, var: Var) -> bool:
    made = context.definition.get(var)
    return made is None or made.role != "primal"


def written(own: int, buffer: int, value: int) -> int:
    """A buffer of zeros that was written into; what was dense before stays dense."""
    return max(own, value) if buffer == NEVER else max(own, value, buffer) if buffer else 0


def unless_dense(*levels: int) -> int:
    """A sum is zero where all its terms are; a dense term reaches everything anyway."""
    return 0 if 0 in levels else max(levels)


def highest(*levels: int) -> int:
    return max(levels, default=0)


def atleast(own: int) -> Join:
    return lambda *levels: highest(own, *levels)


def lowest(*levels: int) -> int:
    return min(levels, default=0)


def constantly(level: int) -> Join:
    return lambda *levels: level


def plain(context: Context, index: Atom) -> bool:
    """Whether an index consists of integers and slices."""
    t: Type = context.types[index] if isinstance(index, Var) else Known(index.value)
    parts = t.items if isinstance(t, TupleT) else (t,)
    return all(isinstance(p, (SliceT, Scalar)) or isinstance(p, Known) and not isinstance(p.value, list) for p in parts)


def mask(context: Context, p: Atom) -> int:
    """The level of selection by multiplication with `p`: of a mask made of comparisons 2, of
    other masks 3, of other factors 0."""
    return search(context, p, context.masks, mask_of, 0)


def mask_of(context: Context, call: Call) -> tuple[Sequence[Atom], Join]:
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if is_bool(context.types[call.result]):
        if not known(fn) or fn not in COMPARISONS | LOGIC:
            return (), constantly(3)
        return [a for a in call.args if isinstance(a, Var) and is_bool(context.types[a])], partial(highest, 2)
    if fn is np.eye:
        return (), constantly(1)
    if fn is operator.truediv and nonzero(context, call.args[1]):
        return call.args[:1], highest
    if not known(fn) or fn not in (operator.add, operator.sub, operator.mul, np.ndarray.astype, rt.broadcast_like):
        return (), constantly(0)
    if fn is operator.mul:
        return call.args, highest
    return call.args if fn in (operator.add, operator.sub) else call.args[:1], lowest


def is_bool(t: Type) -> bool:
    return isinstance(t, Array) and t.dtype.kind == "b" or isinstance(t, Scalar) and t.kinds <= {bool, np.bool_}


# -- partials -------------------------------------------------------------------------------------


def hazard(context: Context, p: Atom) -> int:
    """How easily a value is infinite or nan; NEVER: it is not."""
    return search(context, p, context.hazards, risk, NEVER, beyond=3)


def risk(context: Context, call: Call) -> tuple[Sequence[Atom], Join]:
    t = context.types[call.result]
    if is_bool(t) or isinstance(t, Array) and t.dtype.kind in "iu" or mask(context, call.result):
        return (), constantly(NEVER)
    own = own_hazard(context, call)
    fn = call.fn.value if isinstance(call.fn, Const) else None
    rule = lookup(fn) if fn is not None else None
    alone = fn in (np.where, rt.selected_product) if known(fn) else False
    if rule is None or rule.kind not in ("elementwise", "linear", "reduction") and not alone:
        return (), constantly(min(own, 3))  # a product of matrices and the like mixes elements
    return () if own == 1 else call.args, partial(lowest, own)


def own_hazard(context: Context, call: Call) -> int:
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if not known(fn):
        return 3
    if fn in DIVISIONS:
        return NEVER if nonzero(context, call.args[1]) else divided(context, call)
    if fn in POWERS:
        exponent = call.args[1]
        n = exponent.value if isinstance(exponent, Const) else -1
        return NEVER if isinstance(n, (int, float)) and (n >= 2 and n == int(n) or n in (0, 1)) else 1
    return 1 if fn in SINGULAR else 2 if fn in OVERFLOWING else NEVER


def divided(context: Context, call: Call) -> int:
    """A scalar divisor is zero for all elements or for none."""
    t = context.types
    divisor = call.args[1]
    wide = (rank(t[call.result]) or 0) > 0 and isinstance(divisor, Var) and rank(t[divisor]) == 0
    return 3 if wide else 1


def nonzero(context: Context, p: Atom) -> bool:
    """Whether a divisor was made to be no zero."""
    if isinstance(p, Const):
        return isinstance(p.value, (int, float)) and p.value != 0
    made = context.definition.get(p)
    fn = made.fn.value if made is not None and isinstance(made.fn, Const) else None
    if made is None or not known(fn):
        return False
    if fn in (np.maximum, max):
        return any(isinstance(a, Const) and isinstance(a.value, (int, float)) and a.value > 0 for a in made.args)
    return fn is operator.add and is_zero_test(context, made.args[1], made.args[0])


def is_zero_test(context: Context, test: Atom, x: Atom) -> bool:
    """`x == 0`, as in x + (x == 0)."""
    made = context.definition.get(test) if isinstance(test, Var) else None
    fn = made.fn.value if made is not None and isinstance(made.fn, Const) else None
    return made is not None and fn is operator.eq and made.args[0] is x


def known(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return fn is not None


# -- both -----------------------------------------------------------------------------------------


def search(
    context: Context,
    atom: Atom,
    memo: dict[Var, int],
    step: Callable[[Context, Call], tuple[Sequence[Atom], Join]],
    nothing: int,
    beyond: int | None = None,
) -> int:
    """The level of a value: `step` says what a call reads and how it joins their levels. Values
    that no call defines (parameters, results of branches and loops) count `beyond`."""
    if not isinstance(atom, Var):
        return nothing
    stack = [atom]
    while stack:
        var = stack[-1]
        if var in memo:
            stack.pop()
            continue
        call = context.definition.get(var)
        if call is None:
            memo[var] = nothing if beyond is None else beyond
            continue
        sources, join = step(context, call)
        waiting = [a for a in sources if isinstance(a, Var) and a not in memo]
        if waiting:
            stack += waiting
        else:
            memo[var] = join(*(memo[a] if isinstance(a, Var) else nothing for a in sources))
    return memo[atom]
