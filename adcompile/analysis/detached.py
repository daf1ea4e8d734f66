"""Values that hold active data in a form without tangents: text, bytes, hashes, bit patterns.

Printing or raising such a value is harmless. A number made of it again, as in `float(str(x))`,
depends on the data in a way that no rule knows, and is refused where the result needs it. What is
piecewise constant (comparisons, lengths, searches) ends the trail.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from adcompile.analysis.writing import ITEM_WRITES, METHODS
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import (
    Array,
    DictT,
    Instance,
    IterT,
    ListT,
    Maybe,
    ObjectT,
    Scalar,
    Seq,
    TupleT,
    Type,
    differentiable,
)
from adcompile.rules.registry import lookup

MAKERS: set[Any] = {hash, id, np.ndarray.view, np.ndarray.tobytes, float.hex, float.as_integer_ratio}
"""Of active values these make detached ones whatever type they have; others where it is text."""
CARRIERS: set[Any] = {
    int, ord, chr, bin, hex, oct, round, float.fromhex, str.split, operator.index, operator.floordiv, operator.and_,
    operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift, np.bitwise_and, np.bitwise_or,
    np.bitwise_xor, np.left_shift, np.right_shift, np.invert,
}  # fmt: skip
"""Constant functions whose results hold the data that their detached arguments hold."""
SAVING: set[Any] = {np.save, np.savez, np.savez_compressed, np.savetxt, print}
"""These put what they are given into a file: their first argument, or the one called `file`."""
LOADING: set[Any] = {np.load, np.loadtxt, np.genfromtxt, np.fromfile, open}
"""These may give what was put into a file before."""
STRUCTURAL: set[Any] = {
    ops.build_tuple, ops.build_list, ops.build_set, ops.build_dict, ops.build_object,
    ops.dict_merge, ops.list_concat, ops.tuple_concat,
    ops.make_function, ops.identity, ops.push, ops.pop, ops.list_set, ops.put_item, ops.unpack,
    ops.unpack_star, ops.expect_length,
    operator.getitem, getattr, list, tuple, set, frozenset, dict, iter, zip, enumerate, reversed, sorted, slice,
}  # fmt: skip
"""These hand parts on as they are: a number among their results was a number before."""
SEARCHES = frozenset("find index rfind rindex count startswith endswith".split())


def is_text(t: Type) -> bool:
    match t:
        case Instance(cls):
            return issubclass(cls, (str, bytes, bytearray, memoryview))
        case Array(dtype, _):
            return dtype.kind in "SUV"
        case Maybe(inner) | Seq(inner, _):
            return is_text(inner)
        case _:
            return False


def holds_text(t: Type) -> bool:
    """Whether values of this type are text, or hold some."""
    match t:
        case TupleT(items) | ListT(items) | DictT(_, items) | ObjectT(_, _, items) | IterT(_, items):
            return any(map(holds_text, items))
        case Maybe(inner) | Seq(inner, _):
            return holds_text(inner)
        case _:
            return is_text(t)


def is_number(t: Type) -> bool:
    """Whether values of this type are differentiable numbers, and nothing else."""
    match t:
        case Scalar() | Array():
            return differentiable(t)
        case Maybe(inner) | Seq(inner, _):
            return is_number(inner)
        case TupleT(items) | ListT(items) | DictT(_, items) | IterT(_, items):
            return bool(items) and all(map(is_number, items))
        case _:
            return False


def is_in(fn: Any, group: Container[Any]) -> bool:
    try:
        return fn in group
    except TypeError:
        return False


def makes_detached(call: Call, t: Type) -> bool:
    """Whether a call that reads active values holds them in its result of type `t`."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if is_in(fn, MAKERS):
        return not differentiable(t)
    ours = str(getattr(fn, "__module__", None)).startswith("adcompile.runtime")  # cotangents of what holds text
    return (is_text(t) or holds_text(t) and not is_structural(call) and not ours) and not is_users(fn)


def hands_on(call: Call, types: Mapping[Var, Type]) -> bool:
    """Whether a call reads a part of a tuple, list, dict or object: text was text in there before."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    held = (TupleT, ListT, DictT, Seq, ObjectT)
    read = fn is operator.getitem or fn is dict.get or fn is getattr
    return read and isinstance(call.args[0], Var) and isinstance(types[call.args[0]], held)


def is_users(fn: Any) -> bool:
    """Whether the user has said of this function that it has no derivative."""
    rule = lookup(fn)
    home = str(getattr(fn, "__module__", None)).partition(".")[0]
    return rule is not None and rule.kind == "constant" and home not in ("None", "builtins", "numpy", "adcompile")


def saved_into(call: Call, definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """The files into which a call puts what it is given."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is ops.apply and isinstance(call.args[0], Const) and is_in(call.args[0].value, SAVING):
        made = [definition.get(a) for a in call.args[1:] if isinstance(a, Var)]
        return tuple(a for m in made if m is not None and fn_of_display(m) for a in m.args if isinstance(a, Var))
    if not is_in(fn, SAVING):
        return ()
    named = [a for k, a in call.kwargs if k in ("file", "fname")]
    return tuple(named or () if fn is print else named or call.args[:1])


def fn_of_display(made: Call) -> bool:
    return isinstance(made.fn, Const) and made.fn.value in (ops.build_dict, ops.build_tuple)


def put_into(call: Call) -> tuple[Atom, ...]:
    """The list, dict or set into which a call puts what it is given."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    return call.args[:1] if is_in(fn, METHODS) or is_in(fn, ITEM_WRITES) else ()


def loads(call: Call) -> bool:
    return isinstance(call.fn, Const) and is_in(call.fn.value, LOADING)


def is_structural(call: Call) -> bool:
    return isinstance(call.fn, Const) and is_in(call.fn.value, STRUCTURAL)


def reads(call: Call) -> tuple[Atom, ...]:
    """What a call's result holds: of a selection, not the index."""
    if isinstance(call.fn, Const) and is_in(call.fn.value, {operator.getitem, dict.get}):
        return call.args[:1]
    return (call.fn, *call.args, *(a for _, a in call.kwargs))


def carries(call: Call, t: Type) -> bool:
    """Whether the result of a call of detached values may hold the data that they hold."""
    if not isinstance(call.fn, Const):
        return True
    fn = call.fn.value
    if getattr(fn, "__objclass__", None) in (str, bytes):
        name: str = fn.__name__
        return not (name in SEARCHES or name.startswith("is"))
    rule = lookup(fn)
    if rule is None or rule.kind != "constant":
        return True
    return is_in(fn, CARRIERS) or is_in(fn, MAKERS) or is_text(t) and not is_users(fn)
