"""Containers that the reverse sweep reads of a branch or an iteration are kept part by part.

What a branch yields and a loop keeps is None on paths that have not made it. An array that is None is one that nobody
asks for; a tuple that is None is asked for its parts: in a sweep over this code they have its cotangents, or tangents.
So no branch yields a container that carries derivatives, and no loop keeps one: they get its parts, and the reverse
makes another one of these.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from adcompile.analysis.builder import CONSTRUCTORS, Builder, Context, is_structured
from adcompile.analysis.views import fn_of
from adcompile.ir.nodes import Atom, Attempt, Block, Call, Const, Role, Statement, Var
from adcompile.ir.types import Closure, TupleT, differentiable, holds_ref
from adcompile.ir.walk import free_vars, results_of


def in_parts(
    context: Context, forward: Sequence[Statement], reverse: Block, params: Sequence[Var] = ()
) -> tuple[list[Statement], Block]:
    """The forward statements of a block with these parameters, and the reverse block that reads what they define:
    containers are taken apart behind their definitions, and built of their parts where the reverse begins."""
    defined = {*params, *(r for s in forward for r in results_of(s))}
    wanted = {v for v in free_vars(reverse, context.free) if v in defined and has_parts(context, v)}
    if not wanted:
        return list(forward), reverse
    made = Builder(context, "adjoint")
    mapping: dict[Var, Atom] = {}
    known = reads_in(forward, wanted)

    def apart(values: Iterable[Var], role: Role) -> list[Statement]:
        read = Builder(context, role)
        for v in values:
            if v in wanted:
                read.place = v.place
                mapping[v] = rebuilt(read, made, v, known)
        return read.statements

    out = apart(params, "primal")
    for s in forward:
        out += [s, *apart(results_of(s), "primal" if isinstance(s, Attempt) else s.role)]
    return out, context.renamed(Block((), (*made.statements, *reverse.statements), reverse.end), mapping)


def has_parts(context: Context, v: Var) -> bool:
    """Whether a value is a container whose parts have cotangents, and can be read."""
    t = context.types[v]
    if not is_structured(t) or not differentiable(t) or holds_ref(t) or v in context.shadows:
        return False
    return not isinstance(t, Closure) or is_built(context, v)


def is_built(context: Context, v: Var) -> bool:
    """Whether a container was built in sight, so that its parts are there already."""
    made, t = context.definition.get(v), context.types[v]
    return made is not None and (fn_of(made) in CONSTRUCTORS or isinstance(t, TupleT) and fn_of(made) is t.cls)


def reads_in(forward: Sequence[Statement], owners: set[Var]) -> dict[tuple[Atom, object], Var]:
    """The parts of tuples and lists that the statements read themselves, by their numbers."""
    calls = [s for s in forward if isinstance(s, Call) and fn_of(s) is operator.getitem and s.args[0] in owners]
    return {(s.args[0], s.args[1].value): s.result for s in calls if isinstance(s.args[1], Const)}


def rebuilt(read: Builder, made: Builder, v: Var, known: dict[tuple[Atom, object], Var]) -> Atom:
    """A container like `v`, of its parts, and of those which are containers theirs."""
    made.place, t, context = v.place, read.context.types[v], read.context
    found: list[Atom] = []
    for k, part in enumerate(read.items(v)):
        if isinstance(part, Var) and has_parts(context, part):
            found.append(rebuilt(read, made, part, known))
        else:
            found.append(known.get((v, k), part) if isinstance(t, TupleT) and not is_built(context, v) else part)
    return made.build(t, found, v.name)
