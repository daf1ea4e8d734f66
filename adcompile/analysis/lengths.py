"""Equal shapes: the lengths of an array's axes as symbolic keys, so that equal keys mean equal lengths.

    ("of", x, 0)              the length of the first axis of `x`
    ("less", key, 2)          2 less, but not below zero: `x[1:-1]`, and `x[2:]` just the same
    ("cut", key, a, b, c)     whatever `x[a:b:c]` leaves

Keys are computed from definitions when somebody asks.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, Context
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Known, Scalar, SliceT, TupleT, Type, widen
from adcompile.rules.registry import lookup

Key = Any
Lengths = tuple[Key, ...]
SAME: set[Any] = {
    ops.identity, rt.snapshot, rt.replica, rt.shadow, rt.copy, np.copy, np.zeros_like, np.ones_like, np.empty_like,
    np.ndarray.copy, np.conj, np.real, np.imag, np.ndarray.astype,
}  # fmt: skip
DEEP = 12  # definitions looked through for one answer


def lengths(context: Context, var: Var, deep: int = DEEP) -> Lengths | None:
    """The keys of the axes of an array; None where its rank is not known."""
    known = context.lengths.get(var)
    if known is None and var not in context.lengths:
        known = context.lengths[var] = _lengths(context, var, deep)
    return known


def same_shape(context: Context, a: Var, b: Var) -> bool:
    """Whether two arrays are known to have one shape."""
    x, y = lengths(context, a), lengths(context, b)
    return x is not None and x == y


def _lengths(context: Context, var: Var, deep: int) -> Lengths | None:
    t = context.types.get(var)
    if not isinstance(t, Array) or t.dims is None:
        return None
    other = context.shape.get(var)
    if isinstance(other, Var) and other is not var:
        return lengths(context, other, deep)
    call = context.definition.get(var)
    own = tuple("one" if d == "one" else ("of", var, k) for k, d in enumerate(t.dims))
    if call is None or not isinstance(call.fn, Const) or deep == 0 or call.kwargs:
        return own
    found = _of_call(context, call, t, deep - 1)
    return own if found is None or len(found) != len(t.dims) else found


def _of_call(context: Context, call: Call, t: Array, deep: int) -> Lengths | None:
    assert isinstance(call.fn, Const)
    try:
        same = call.fn.value in SAME
    except TypeError:
        return None
    if same and (len(call.args) == 1 or call.fn.value is np.ndarray.astype):
        return lengths(context, call.args[0], deep) if isinstance(call.args[0], Var) else None
    if call.fn.value is operator.getitem:
        return _read(context, call, deep)
    rule = lookup(call.fn.value)
    if rule is not None and rule.kind == "elementwise":
        return _joint(context, call.args, t, deep)
    return None


def _joint(context: Context, operands: Sequence[Atom], t: Array, deep: int) -> Lengths | None:
    """Of an elementwise operation: the lengths of its operands, where all of full rank agree."""
    assert t.dims is not None
    found: set[Lengths] = set()
    for a in operands:
        at = _type(context, a)
        if isinstance(at, (Scalar, Known)):
            continue
        if not isinstance(a, Var) or not isinstance(at, Array) or at.dims is None:
            return None
        if not at.dims:
            continue
        mine = lengths(context, a, deep)
        if mine is None or len(mine) != len(t.dims):
            return None
        found.add(mine)
    return found.pop() if len(found) == 1 else None


def _read(context: Context, call: Call, deep: int) -> Lengths | None:
    """Of `x[index]` with numbers, slices, None and `...`."""
    owner, index = call.args
    base = lengths(context, owner, deep) if isinstance(owner, Var) else None
    if base is None:
        return None
    parts = _parts(context, index)
    if parts is None:
        return None
    given = sum(not _is(context, p, None) and not _is(context, p, Ellipsis) for p in parts)
    rest = list(base)
    out: list[Key] = []
    spread = any(_is(context, p, Ellipsis) for p in parts)
    for p in parts:
        if _is(context, p, None):
            out.append("one")
        elif _is(context, p, Ellipsis):
            out += [rest.pop(0) for _ in range(len(base) - given)]
        elif not rest:
            return None
        elif isinstance(_type(context, p), (SliceT,)) or _is_slice(context, p):
            out.append(_cut(context, rest.pop(0), p))
        elif _is_number(_type(context, p)):
            rest.pop(0)
        else:
            return None
    return tuple(out) if spread else (*out, *rest)


def _parts(context: Context, index: Atom) -> list[Atom] | None:
    t = _type(context, index)
    if isinstance(t, Known) and isinstance(t.value, tuple):
        return [Const(v) for v in t.value]
    if isinstance(t, TupleT):
        made = context.definition.get(index) if isinstance(index, Var) else None
        built = made is not None and isinstance(made.fn, Const) and made.fn.value is ops.build_tuple
        return list(made.args) if built and made is not None else None
    return [index]


def _cut(context: Context, key: Key, part: Atom) -> Key:
    """The key of what a slice leaves of an axis."""
    bounds = _bounds(context, part)
    if bounds is None or key == "one":
        return ("cut", key, part)
    start, stop, step = bounds
    if (start, stop) == (None, None) and step in (None, 1, -1):
        return key
    a = 0 if start is None else start
    b = 0 if stop is None else stop
    if step in (None, 1) and type(a) is int and type(b) is int and a >= 0 and (stop is None or b < 0):
        return _less(key, a - b)
    return ("cut", key, start, stop, step)


def _less(key: Key, count: int) -> Key:
    if count == 0:
        return key
    if isinstance(key, tuple) and key[0] == "less":
        return ("less", key[1], key[2] + count)
    return ("less", key, count)


def _bounds(context: Context, part: Atom) -> tuple[Any, Any, Any] | None:
    """Start, stop and step of a slice: known values, or the Vars that bring them."""
    t = _type(context, part)
    if isinstance(t, Known) and isinstance(t.value, slice):
        return (t.value.start, t.value.stop, t.value.step)
    made = context.definition.get(part) if isinstance(part, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not slice or len(made.args) != 3:
        return None
    a, b, c = (_value(context, x) for x in made.args)
    return (a, b, c)


def _value(context: Context, atom: Atom) -> Any:
    t = _type(context, atom)
    return t.value if isinstance(t, Known) else atom


def _type(context: Context, atom: Atom) -> Type:
    if isinstance(atom, Const):
        return Builder(context).type(atom)
    return context.types[atom]


def _is(context: Context, atom: Atom, value: Any) -> bool:
    t = _type(context, atom)
    return isinstance(t, Known) and t.value is value


def _is_slice(context: Context, atom: Atom) -> bool:
    t = _type(context, atom)
    return isinstance(t, Known) and isinstance(t.value, slice)


def _is_number(t: Type) -> bool:
    t = widen(t)
    if isinstance(t, Known):
        return isinstance(t.value, (int, np.integer)) and not isinstance(t.value, (bool, np.bool_))
    return isinstance(t, Scalar) and not t.kinds & {bool, np.bool_}


SAME_SHAPE = {
    np.zeros_like, np.ones_like, np.conj, np.real, np.imag, np.ndarray.copy, np.ndarray.astype, rt.selected_product,
}  # fmt: skip


def asks_for_shape(args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> bool:
    """Whether a function that gives the shape of an argument, such as np.zeros_like, is asked for another one."""
    return len(args) > 4 or any(name == "shape" for name, _ in kwargs)


def note_shape(b: Builder, result: Var, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> None:
    """An elementwise result has the shape of its arrays if these have one shape, and no other is asked for."""
    if asks_for_shape(args, kwargs):
        return
    t = b.type(result)
    arrays = [a for a in args if not isinstance(b.type(a), (Scalar, Known))]
    shape = b.context.shape
    kinds = {shape.get(a, a) for a in arrays if isinstance(a, Var) and isinstance(b.type(a), Array)}
    if isinstance(t, Array) and len(kinds) == 1 and all(isinstance(a, Var) for a in arrays):
        shape[result] = kinds.pop()
