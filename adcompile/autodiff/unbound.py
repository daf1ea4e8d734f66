"""Names that some path leaves unbound, and what the reverse sweep keeps or asks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.views import fn_of
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, If, Statement, Var, While, Yield
from adcompile.ir.walk import statements_of

NONE: Mapping[Var, Var] = MappingProxyType({})


def readable_zeros(
    context: Any, forward: Sequence[Statement], backward: Sequence[Statement]
) -> tuple[Sequence[Statement], Sequence[Statement]]:
    """A forward and a backward sweep in one body, in which the zero cotangent of a name can be made on paths that
    leave the name unbound: nobody asks for it there, but it is made."""
    calls = (s for s in statements_of(Block((), tuple(backward), Yield())) if isinstance(s, Call) and is_zero(s))
    asked = dict.fromkeys(s.args[0] for s in calls)
    # `bound_if`: what an earlier sweep kept of a branch, where a branch in that one may have left it unbound
    kept = [v for v in asked if isinstance(v, Var) and (v in context.loose or v in context.bound_if)]
    if not kept:
        return forward, backward
    forward, renamed = bound_everywhere(context, forward, kept)
    return forward, context.renamed(Block((), tuple(backward), Yield()), renamed).statements


def is_zero(s: Call) -> bool:
    return s.role == "adjoint" and fn_of(s) in (np.zeros_like, rt.zero_list, rt.zeros_like)


def bound_as(context: Any, tangent: Var, var: Var) -> None:
    """Note that a tangent is unbound where its value is: a sweep over tangent code asks the same of it."""
    if var in context.bound_if:
        context.bound_if[tangent] = context.bound_if[var]
    if var in context.loose:
        context.loose.add(tangent)


def bound_everywhere(
    context: Any, statements: Sequence[Statement], kept: Sequence[Var], known: Mapping[Var, Var] = NONE
) -> tuple[list[Statement], dict[Var, Var]]:
    """Statements in which the values `kept` can be read whatever path was taken.

    What a path leaves unbound is None there: in place for results that only the reverse reads,
    in a result of its own for a user's name, whose reading must still raise what Python raises.
    """
    wanted, out, renamed = set(kept), [], dict(known)
    for s in statements:
        if isinstance(s, If) and any(r in wanted for r in s.results):
            s = bind_results(context, s, wanted, renamed)
        elif isinstance(s, (For, While)) and any(r in wanted for r in s.results):
            s = bind_carried(context, s, wanted, renamed)
        out.append(s)
    return out, {v: copy for v, copy in renamed.items() if v not in known}


def bind_carried(context: Any, s: For | While, wanted: set[Var], renamed: dict[Var, Var]) -> For | While:
    """The same of a loop, which may make no iteration: the copy is carried beside the name itself."""
    first = len(s.body.params) - len(s.init)
    for k, r in enumerate(s.results):
        if r not in wanted or r in renamed or not (is_unbound(s.init[k]) or s.init[k] in renamed):
            continue
        param = s.body.params[first + k]
        inside = {**renamed, param: copied(context, param)}
        ends = [end.values[k] for end in loop_ends(s.body)]
        nested = [v for v in ends if isinstance(v, Var) and v is not param]
        statements, names = bound_everywhere(context, s.body.statements, nested, inside)
        names = {**inside, **names}
        if any(v in context.loose and v not in names for v in nested):
            continue  # left unbound within an iteration that goes on: reading it raises
        body = Carried(k, names).block(replace(s.body, statements=tuple(statements)))
        body = replace(body, params=(*body.params, names[param]))
        renamed[r] = copied(context, r)
        init = Const(None) if is_unbound(s.init[k]) else renamed.get(s.init[k], s.init[k])  # type: ignore[call-overload]
        s = replace(s, results=(*s.results, renamed[r]), init=(*s.init, init), body=body)
    return s


def copied(context: Any, var: Var) -> Var:
    """A value of the same type that stands for `var` where that is bound."""
    copy = Var(var.name, var.place)
    context.types[copy] = context.types[var]
    context.shape[copy] = context.shape.get(var, var)
    context.extras.add(copy)
    context.shadows |= {copy} if var in context.shadows else set()
    return copy


def loop_ends(block: Block) -> list[Yield | Continue | Break]:
    """The ends of a loop's body, and of the branches in it, at which an iteration or the loop is over."""
    own = [block.end] if isinstance(block.end, (Yield, Continue, Break)) else []
    return [*own, *(e for b in branches_of(block) for e in loop_ends(b) if not isinstance(e, Yield))]


def branches_of(block: Block) -> list[Block]:
    return [b for s in block.statements if isinstance(s, If) for b in (s.then, s.orelse)]


@frozen
class Carried:
    """Ends of a loop's body get one more value: what stands at `slot`, by its copy where it has one."""

    slot: int
    names: Mapping[Var, Var]

    def block(self, block: Block, inner: bool = False) -> Block:
        statements = tuple(self.branch(s) if isinstance(s, If) else s for s in block.statements)
        end = block.end
        if isinstance(end, (Continue, Break)) or isinstance(end, Yield) and not inner:
            value = end.values[self.slot]
            value = Const(None) if is_unbound(value) else self.names.get(value, value)  # type: ignore[call-overload]
            end = replace(end, values=(*end.values, value))
        return Block(block.params, statements, end)

    def branch(self, s: If) -> If:
        return replace(s, then=self.block(s.then, True), orelse=self.block(s.orelse, True))


def bind_results(context: Any, s: If, wanted: set[Var], renamed: dict[Var, Var]) -> If:
    results = list(s.results)
    columns = [list(b.end.values) if isinstance(b.end, Yield) else None for b in (s.then, s.orelse)]
    inner: list[list[Var]] = [[], []]
    for k, r in enumerate(s.results):
        if r not in wanted:
            continue
        values = [None if c is None else c[k] for c in columns]
        loose = [
            v is not None and (is_unbound(v) or v in renamed or may_be_unbound(context, v, b))
            for v, b in zip(values, (s.then, s.orelse))
        ]
        if not any(loose):
            continue
        at = k
        if r not in context.extras:
            renamed[r] = copied(context, r)
            results.append(renamed[r])
            at = len(results) - 1
        for column, v, nested in zip(columns, values, inner):
            if column is None or v is None:
                continue
            value = Const(None) if is_unbound(v) else renamed.get(v, v)  # type: ignore[arg-type]
            column[at : at + 1] = [value]
            if isinstance(value, Var) and value is v:
                nested.append(value)
    blocks = []
    for block, column, nested in zip((s.then, s.orelse), columns, inner):
        if column is None:
            blocks.append(block)
            continue
        statements, names = bound_everywhere(context, block.statements, nested, renamed)
        new = len(s.results)
        ends = [names.get(v, v) if k >= new or s.results[k] in context.extras else v for k, v in enumerate(column)]  # type: ignore[call-overload]
        blocks.append(Block(block.params, tuple(statements), Yield(tuple(ends))))
    return replace(s, results=tuple(results), then=blocks[0], orelse=blocks[1])


def is_unbound(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is ops.UNDEFINED


def may_be_unbound(context: Any, atom: Atom, block: Block) -> bool:
    """Whether a branch's value is itself the result of an If, or a loop, that may leave it unbound."""
    if not isinstance(atom, Var):
        return False
    for s in block.statements:
        if isinstance(s, (For, While)) and atom in s.results:
            return is_unbound(s.init[s.results.index(atom)])
        if isinstance(s, If) and atom in s.results:
            k = s.results.index(atom)
            for inner in (s.then, s.orelse):
                if isinstance(inner.end, Yield) and (
                    is_unbound(inner.end.values[k]) or may_be_unbound(context, inner.end.values[k], inner)
                ):
                    return True
    return False
