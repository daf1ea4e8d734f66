"""The arguments of a call as the function leaves them: which it writes into, and their values then."""

from __future__ import annotations

from collections.abc import Sequence

from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import reached, settle
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Statement
from adcompile.ir.types import Type, differentiable


@frozen
class After:
    """`written` are the positions of the arguments that the function may write into, `at` these and
    those of arrays that may share memory with one of them, `values` what stands there after the call, of
    these `types`; `elsewhere`: the function writes into what it reaches by itself, captured or in a module."""

    written: tuple[int, ...] = ()
    at: tuple[int, ...] = ()
    values: tuple[Atom, ...] = ()
    elsewhere: bool = False
    types: tuple[Type, ...] = ()


def after(b: Builder, statements: Sequence[Statement], values: Sequence[Atom], cells: Sequence[Atom]) -> After:
    """What the statements of a call leave in its arguments, of those that have tangents: `values` are
    these before it, `cells` the same as the function sees them."""
    memory = Memory(b, statements, tuple(values))
    written: list[int] = []
    at: list[int] = []
    left: list[Atom] = []
    for i, (value, cell) in enumerate(zip(values, cells)):
        nodes = memory.nodes(value)
        changed = any(n in memory.entered for n in nodes)
        changed = changed or any(c in b.context.written for c in reached(b, [cell]))
        if not changed and not (memory.entered and any(map(memory.may_overlap, nodes))):
            continue
        now = settle(b, cell)
        if differentiable(b.type(now)):
            written += [i] if changed else []
            at.append(i)
            left.append(now)
    given = {n for value in values for n in memory.nodes(value)}
    own = set(reached(b, cells))
    elsewhere = any(n not in given for n in memory.entered) or any(c not in own for c in b.context.written)
    return After(tuple(written), tuple(at), tuple(left), elsewhere, tuple(map(b.type, left)))


__all__ = ["After", "after"]
