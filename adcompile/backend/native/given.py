"""Lists that a kernel is given: an array of their numbers, of those in their tuples, or of their arrays where these
have one shape.

A function that is a kernel as a whole does not write into such lists; a region gives what it has made of its copy to
the code behind it (`backend/native/returned`). The arrays in a list are not written into by either.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable

from adcompile.backend.native.values import ArrayOf, Code, ListOf, Native, Number, TupleOf, native_of
from adcompile.ir import ops
from adcompile.ir.nodes import Break, Call, Const, Continue, For, Function, If, Var, While, Yield
from adcompile.ir.types import ListT, Seq, TupleT, Type
from adcompile.ir.walk import all_blocks, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.typing import hashable
from adcompile.optimise.typing import kinds as scalar_kinds
from adcompile.runtime import arrays

KEEPING = frozenset({ops.push, ops.put_item, ops.index_add, arrays.add_item, ops.identity, ops.collected})
"""Calls that give their first argument."""
WRITING = frozenset({*LINEAR, operator.setitem})
IN_PLACE = frozenset({operator.setitem})
"""Those of them that give no list: whoever has the list sees it."""


def given_as(native: ListOf) -> ArrayOf | None:
    """What a list comes in as. Integers are floats there: NumPy makes some of None too, which it refuses as an
    integer, and whoever takes them looks whether they are integers exactly."""
    match native.item:
        case Number(code):
            return ArrayOf(as_given(code), 1)
        case ArrayOf(code, rank):
            return ArrayOf(code, rank + 1)
        case TupleOf(items):
            codes: set[Code] = {as_given(n.code) for n in items if isinstance(n, Number)}
            alike = len(codes) == 1 and all(isinstance(n, Number) for n in items)
            return ArrayOf(codes.pop(), 2) if alike else None
        case _:
            return None


def as_given(code: Code) -> Code:
    return "f8" if code == "i8" else code


def may_be_int(t: Type, native: Native) -> bool:
    """Whether numbers that a kernel has as floats may be integers: too large ones would not be exact."""
    if isinstance(native, ListOf):
        items = t.items if isinstance(t, ListT) else (t.item,) if isinstance(t, Seq) else ()
        return any(may_be_int(item, native.item) for item in items)
    if isinstance(native, TupleOf):
        return isinstance(t, TupleT) and any(map(may_be_int, t.items, native.items))
    return native == Number("f8") and int in scalar_kinds(t)


def can_be_given(t: Type) -> ListOf | None:
    """The native type of a list that can be a parameter."""
    native = native_of(t) if not isinstance(t, Seq) or t.cls is list else None
    return native if isinstance(native, ListOf) and given_as(native) and not may_be_int(t, native) else None


def machine(native: Native | None) -> Native | None:
    """The type of a parameter."""
    return given_as(native) if isinstance(native, ListOf) else native


def written(function: Function, lists: Iterable[Var], by: Collection[object] = WRITING) -> frozenset[Var]:
    """Of these lists those that the function may write into, by such calls."""
    return frozenset(v for v in lists if _is_written(function, v, by))


def _is_written(function: Function, start: Var, by: Collection[object]) -> bool:
    flows: dict[Var, list[Var]] = {}
    changed: set[Var] = set()
    for s in statements_of(function.body):
        match s:
            case Call(fn=Const(value=fn), args=(Var() as first, *_)) if hashable(fn):
                if fn in by:
                    changed.add(first)
                if fn in KEEPING:
                    flows.setdefault(first, []).append(s.result)
            case If():
                for end in (s.then.end, s.orelse.end):
                    _flow(flows, s.results, end.values if isinstance(end, Yield) else ())
            case For() | While():
                params = s.body.params[isinstance(s, For) :]
                _flow(flows, params, s.init)
                _flow(flows, s.results, params)
                for block in all_blocks(s.body):
                    if isinstance(block.end, (Continue, Break)):
                        _flow(flows, params, block.end.values)
            case _:
                pass
    found: set[Var] = set()
    work = [start]
    while work:
        v = work.pop()
        if v not in found:
            found.add(v)
            work += flows.get(v, ())
    return bool(found & changed)


def _flow(flows: dict[Var, list[Var]], into: Iterable[Var], values: Iterable[object]) -> None:
    for var, value in zip(into, values):
        if isinstance(value, Var):
            flows.setdefault(value, []).append(var)
