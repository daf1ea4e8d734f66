"""Names that some paths leave unbound.

A join that takes UNDEFINED prints nothing: the name stays unbound, and reading it raises what it
raises in the primal. But a copy to another name, or keeping the value for the reverse sweep,
would read it although the primal does not; such values are bound to a stand-in instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adcompile.backend.fold import Folding, carried, operands
from adcompile.backend.purity import callee
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    If,
    OpaqueCode,
    Var,
    While,
    Yield,
)

Edge = tuple[Var, Atom]


def is_undefined(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is ops.UNDEFINED


def needs_stand_in(body: Block, folding: Folding, names: Mapping[Var, str]) -> frozenset[Var]:
    """The joined values whose names must be bound on all paths."""
    edges = list(_edges(body, folding, (), None))
    sources: dict[Var, list[Atom]] = {}
    flows: dict[Var, list[Var]] = {}
    for into, value in edges:
        sources.setdefault(into, []).append(value)
        if isinstance(value, Var):
            flows.setdefault(value, []).append(into)
    unbound = _closure([into for into, value in edges if is_undefined(value)], flows)
    if not unbound:
        return frozenset()
    read = [
        value
        for into, value in edges
        if isinstance(value, Var) and value in unbound and into in names and names.get(value) != names[into]
    ]
    read += [var for var in _kept(body, folding) if var in unbound]
    backwards = {var: [s for s in found if isinstance(s, Var) and s in unbound] for var, found in sources.items()}
    return frozenset(_closure(read, backwards))


def _closure(start: list[Var], edges: Mapping[Var, list[Var]]) -> set[Var]:
    found: set[Var] = set()
    stack = list(start)
    while stack:
        var = stack.pop()
        if var not in found:
            found.add(var)
            stack.extend(edges.get(var, ()))
    return found


def _edges(block: Block, folding: Folding, results: tuple[Var, ...], loop: For | While | None) -> Iterator[Edge]:
    """Which values flow into which results and parameters."""
    for statement in folding.items[block]:
        match statement:
            case If():
                yield from _edges(statement.then, folding, statement.results, loop)
                yield from _edges(statement.orelse, folding, statement.results, loop)
            case For() | While():
                yield from zip(carried(statement), statement.init)
                yield from zip(statement.results, carried(statement))
                yield from _edges(statement.body, folding, (), statement)
            case _:
                pass
    match block.end:
        case Yield(values):
            yield from zip(results, values)
        case Continue(values) if loop is not None:
            yield from zip(carried(loop), values)
        case Break(values) if loop is not None:
            yield from zip(loop.results, values)
        case _:
            pass


def _kept(block: Block, folding: Folding) -> Iterator[Var]:
    """What is handed on without being looked at."""
    for statement in folding.items[block]:
        match statement:
            case Call():
                fn = callee(statement)
                hands_on = fn is ops.push or fn is ops.build_tuple or isinstance(fn, OpaqueCode)
                if hands_on and (statement.role != "primal" or fn is not ops.build_tuple):
                    for atom in operands(statement):
                        yield from folding.reads(atom)
            case If():
                yield from _kept(statement.then, folding)
                yield from _kept(statement.orelse, folding)
            case For() | While():
                yield from _kept(statement.body, folding)
            case _:
                pass
