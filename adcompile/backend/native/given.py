"""Lists that a kernel is given: an array of their numbers, or of their arrays where these have one shape.

Only lists into which the function does not write can be given so, and whose arrays it does not write into.
"""

from __future__ import annotations

from collections.abc import Iterable

from adcompile.backend.native.values import ArrayOf, ListOf, Native, Number
from adcompile.ir import ops
from adcompile.ir.nodes import Break, Call, Const, Continue, For, Function, If, Var, While, Yield
from adcompile.ir.walk import all_blocks, statements_of
from adcompile.optimise.typing import hashable

KEEPING = frozenset({ops.push, ops.put_item, ops.index_add, ops.identity, ops.collected})
"""Calls that give their first argument."""
WRITING = frozenset({ops.push, ops.pop, ops.put_item, ops.index_add})


def given_as(native: ListOf) -> ArrayOf | None:
    """What a list comes in as."""
    match native.item:
        case Number(code):
            return ArrayOf(code, 1)
        case ArrayOf(code, rank):
            return ArrayOf(code, rank + 1)
        case _:
            return None


def machine(native: Native | None) -> Native | None:
    """The type of a parameter."""
    return given_as(native) if isinstance(native, ListOf) else native


def written(function: Function, lists: Iterable[Var]) -> frozenset[Var]:
    """Of these lists those that the function may write into."""
    return frozenset(v for v in lists if _is_written(function, v))


def _is_written(function: Function, start: Var) -> bool:
    flows: dict[Var, list[Var]] = {}
    changed: set[Var] = set()
    for s in statements_of(function.body):
        match s:
            case Call(fn=Const(value=fn), args=(Var() as first, *_)) if hashable(fn):
                if fn in WRITING:
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
