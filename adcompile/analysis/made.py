"""Calls that make lists and dicts, and calls that only look at them."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import makes_keys
from adcompile.analysis.builder import Builder
from adcompile.analysis.contents import held_in
from adcompile.analysis.heap import fresh
from adcompile.analysis.laziness import stores
from adcompile.analysis.mutation import calls_in, is_unknown_call
from adcompile.analysis.pools import made_of
from adcompile.analysis.standins import Keyed
from adcompile.analysis.writing import AUGMENTED, ITEM_WRITES
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, OpaqueCode, Statement, Var, Way
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, DictT, Known, ListT, Method, Scalar, Seq, SliceT, TupleT
from adcompile.rules.registry import lookup

FRESH: set[Any] = {
    ops.build_list, ops.build_dict, ops.collected, ops.list_concat, ops.dict_merge, list, dict, sorted, list.copy,
    dict.copy, operator.add, operator.mul, operator.or_, np.ndarray.tolist, str.split, str.rsplit, str.splitlines,
    dict.fromkeys,
}  # fmt: skip
"""Calls whose result, if it is a list or dict, is nobody else's."""


EXISTING: tuple[Any, ...] = (
    getattr, ops.load_global, operator.getitem, ops.read_variable, ops.identity, ops.collected, dict.get,
    next, max, min,
)  # fmt: skip
"""Calls whose result was there before."""
READERS: tuple[Any, ...] = (str, repr, format, print, hash, id, bool, ops.format_value, ops.build_string, float, int)
"""Calls that look at a list, dict or object, keep nothing of it and write nothing."""


BORROWERS: tuple[Any, ...] = (rt.solve, rt.solution, rt.beside, rt.integrated, rt.integral, rt.followed_path, rt.path)
"""Calls that run functions that they are given, keep nothing of them and write nothing."""


def is_reader(fn: Any, group: tuple[Any, ...] = READERS) -> bool:
    return any(fn is f for f in group)


def unfolded(b: Builder, value: Const) -> Atom:
    """A list or dict that was computed while compiling, as one that the code makes."""
    if isinstance(value.value, dict):
        return b.build(DictT(tuple(value.value), ()), [Const(v) for v in value.value.values()])
    return b.build(ListT(()), [Const(v) for v in value.value])


def wrapped(b: Builder, fn: Atom, args: Sequence[Atom], value: Atom, name: str, place: Place | None) -> Atom:
    """The result of a call in the program: a new cell, where the call makes a list or dict."""
    kind = b.type(fn)
    callee = kind.value if isinstance(kind, Known) else kind.function if isinstance(kind, Method) else None
    if isinstance(value, Const) and type(value.value) in (list, dict) and not is_reader(callee, EXISTING):
        return made_here(b, type(value.value), unfolded(b, value), name, place)
    if not isinstance(value, Var) or callee is None:
        return value
    t = b.type(value)
    if not (isinstance(t, (ListT, DictT)) or isinstance(t, Seq) and t.cls is list):
        return value
    try:
        made = callee in FRESH or callee is operator.getitem and isinstance(b.type(args[1]), SliceT)
    except TypeError:
        return value
    return made_here(b, dict if isinstance(t, DictT) else list, value, name, place) if made else value


def made_here(b: Builder, cls: type, content: Atom, name: str, place: Place | None) -> Atom:
    if cls is dict and is_followed(b, place):
        return b.context.dispatch(b, Const(Keyed), [content] if b.items(content) else [], [], name, place)
    if b.context.contents is not None and place in b.context.demoted:
        return made_of(b, cls, content, held_in(b, b.type(content)), name, place)
    return fresh(b, cls, content, name, place)


def is_followed(b: Builder, place: Place | None) -> bool:
    """Whether a dict of unknown keys that is made here is followed (analysis/keyed), and no real one."""
    contents = b.context.contents
    inert = contents is not None and place is not None and contents.get((dict, place), True) is not None
    return place in b.context.keyed and place not in b.context.demoted and not inert


def only_arranges(b: Builder, statement: Statement) -> bool:
    """Whether a statement only arranges values, or asks for a length: it cannot raise and has no effect."""
    if not isinstance(statement, Call) or not isinstance(statement.fn, Const):
        return False
    fn = statement.fn.value
    if fn is len:
        t = b.type(statement.args[0])
        return isinstance(t, Seq) or isinstance(t, Array) and bool(t.dims)
    return any(fn is f for f in (ops.build_tuple, ops.build_list, ops.build_dict, ops.make_function, ops.identity))


def is_managed(body: Block) -> bool:
    """Whether a block is that of a `with`: analysis/managers refuses those that are not followed."""
    return any(isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is ops.managed for s in body.statements)


def explained(fn: Atom, why: Unsupported | None) -> Atom:
    """Code that runs as written, which says why it is not followed where derivatives pass through it."""
    if why is None or not isinstance(fn, Const) or not isinstance(fn.value, OpaqueCode):
        return fn
    return Const(replace(fn.value, remedy=f"{fn.value.remedy} It is not followed: {why.message}."))


def may_run_twice(b: Builder, statements: Sequence[Statement]) -> bool:
    """Whether nobody sees that statements run: they write into no array that was there, say nothing, and do the same
    once more."""
    calls = [call for s in statements for call in calls_in(s)]
    return not stores(b, statements) and not any(is_seen(b, c) or makes_keys(c, b.context.types) for c in calls)


SEEN = (setattr, delattr, ops.set_attribute, ops.assign_global, next, print, input, open)


def is_seen(b: Builder, call: Call) -> bool:
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is None or isinstance(fn, FunctionRef) or isinstance(fn, OpaqueCode) and not isinstance(fn, Way):
        return True
    if any(fn is seen for seen in SEEN) or getattr(fn, "__objclass__", None) in (list, dict, set, deque):
        return True
    if any(fn is f for f in (*ITEM_WRITES, *AUGMENTED)):
        # into a list, dict or object that was there; of arrays `stores` knows more
        return not isinstance(b.type(call.args[0]), (Array, Scalar, Known, TupleT))
    rule = lookup(fn)
    return is_unknown_call(fn) and not isinstance(fn, (type, Way)) if rule is None else not rule.pure
