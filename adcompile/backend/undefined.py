"""Names that some paths leave unbound.

A join that takes UNDEFINED prints nothing: the name stays unbound, and reading it raises what it
raises in the primal. But a copy to another name, or keeping the value for the reverse sweep,
would read it although the primal does not; such values are bound to a stand-in instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adcompile.backend.fold import Folding, carried, operands
from adcompile.backend.purity import callee
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    OpaqueCode,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef
from adcompile.runtime.arrays import list_or_none
from adcompile.runtime.memory import outline

Edge = tuple[Var, Atom]


DISPLAYS = (ops.build_tuple, ops.build_list, ops.build_dict, ops.build_object, ops.make_function, slice)


def is_display(fn: Any) -> bool:
    """Whether a call puts its arguments into a container. A container that some paths leave unbound is made anew of
    its parts behind the join, on all paths; where the user's code makes one, `ops.read` has looked at each name."""
    return fn in DISPLAYS or isinstance(fn, type) and issubclass(fn, tuple)


def is_undefined(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is ops.UNDEFINED


@frozen
class StandIns:
    """The joined values whose names must be bound on all paths (`made`), and all that may be what these are bound to
    where the primal has nothing (`met`): under one name, or handed on, to this function too."""

    made: frozenset[Var] = frozenset()
    met: frozenset[Var] = frozenset()


def stand_ins(function: Function, folding: Folding, names: Mapping[Var, str]) -> StandIns:
    walk = _Walk(folding)
    walk.block(function.body, (), None)
    edges = walk.edges
    sources: dict[Var, list[Atom]] = {}
    flows: dict[Var, list[Var]] = {}
    for into, value in edges:
        sources.setdefault(into, []).append(value)
        if isinstance(value, Var):
            flows.setdefault(value, []).append(into)
    unbound = _closure([into for into, value in edges if is_undefined(value)], flows)
    given = function.params if walk.asks else ()
    if not unbound and not given:
        return StandIns()
    read = [
        value
        for into, value in edges
        if isinstance(value, Var) and value in unbound and into in names and names.get(value) != names[into]
    ]
    read += [var for var in walk.kept if var in unbound]
    backwards = {var: [s for s in found if isinstance(s, Var) and s in unbound] for var, found in sources.items()}
    made = _closure(read, backwards)
    return StandIns(frozenset(made), frozenset(_closure([*made, *given], flows)))


def _closure(start: list[Var], edges: Mapping[Var, list[Var]]) -> set[Var]:
    found: set[Var] = set()
    stack = list(start)
    while stack:
        var = stack.pop()
        if var not in found:
            found.add(var)
            stack.extend(edges.get(var, ()))
    return found


class _Walk:
    """Gathers, over a whole function body, which values flow where and which are handed on.

    Recursion over blocks adds to lists: generators inside generators would take time quadratic
    in the depth.
    """

    def __init__(self, folding: Folding) -> None:
        self.folding = folding
        self.edges: list[Edge] = []
        self.kept: list[Var] = []
        self.asks = False
        """Whether the function asks for names that may be unbound."""

    def block(self, block: Block, results: tuple[Var, ...], loop: For | While | None) -> None:
        for statement in self.folding.items[block]:
            match statement:
                case Call():
                    self._call(statement)
                case If():
                    self.block(statement.then, statement.results, loop)
                    self.block(statement.orelse, statement.results, loop)
                case For() | While():
                    self._within(statement.init)
                    self.edges += zip(carried(statement), statement.init)
                    self.edges += zip(statement.results, carried(statement))
                    self.block(statement.body, (), statement)
                case _:
                    pass
        if isinstance(block.end, (Yield, Continue, Break)):
            self._within(block.end.values)
        match block.end:
            case Yield(values):
                self.edges += zip(results, values)
            case Continue(values) if loop is not None:
                self.edges += zip(carried(loop), values)
            case Break(values) if loop is not None:
                self.edges += zip(loop.results, values)
            case _:
                pass

    def _call(self, call: Call) -> None:
        """What is handed on without being looked at."""
        fn = callee(call)
        self.asks |= fn is ops.read
        if isinstance(fn, FunctionRef):  # what its arguments are computed from is read here, as in the primal
            self.kept += [a for a in operands(call) if isinstance(a, Var) and a not in self.folding.inlined]
            self._within(operands(call))
        elif fn in (ops.push, list_or_none, outline) or isinstance(fn, OpaqueCode) or is_display(fn):
            for atom in operands(call):
                self.kept += self.folding.reads(atom)
        elif call.role != "primal":
            self._within(operands(call))

    def _within(self, atoms: Iterable[Atom]) -> None:
        """What is put into containers that are written inside other expressions."""
        for atom in atoms:
            inside = self.folding.inlined.get(atom) if isinstance(atom, Var) else None
            if isinstance(inside, Call) and is_display(callee(inside)):
                self.kept += self.folding.reads(atom)
