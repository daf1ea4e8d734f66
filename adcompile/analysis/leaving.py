"""Where control leaves a function: what the caller's lists, dicts and objects hold then."""

from __future__ import annotations

from collections.abc import Sequence

from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import Memo, hand_back, read, settle
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.real import real
from adcompile.analysis.ways import live_objects
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Cell, Known
from adcompile.runtime import state as run_time

Held = list[tuple[Cell, Atom]]


def closing(b: Builder, result: Atom) -> tuple[Atom, Held, Held]:
    """At the end of a function: its result as a value, and what the caller's lists, dicts and
    objects that have been written into hold now and held before."""
    written = list(b.context.written)
    if written:
        owners = {id(o): Const(o) for o, _ in (b.context.assigned[c] for c in written if c in b.context.assigned)}
        classes = {cell.cls for cell in written} | {type(o.value) for o in owners.values()}
        theirs = [cell.real for cell in b.context.outside if cell.cls in classes]
        apart = [*theirs, *owners.values(), *live_objects(b, classes, set(owners))] if theirs else []
        if len(apart) > 1:
            b.emit(run_time.different, apart, Known(None))
    memo: Memo = {}
    value = _handed_out(b, result, memo)
    pending = [(cell, _handed_out(b, read(b, cell), memo)) for cell in written]
    before = [(cell, settle(b, b.context.originals[cell], memo, escaping=True)) for cell in written]
    return value, pending, before


def _handed_out(b: Builder, atom: Atom, memo: Memo) -> Atom:
    """What the caller gets: what it has itself, and callables that can be called."""
    return real(b, settle(b, atom, memo, escaping=True), None)


def write_back(b: Builder, pending: Sequence[tuple[Cell, Atom]]) -> None:
    """Make the caller's lists, dicts and objects hold what they hold in the store."""
    for cell, content in pending:
        owner, name = b.context.assigned.get(cell, (None, ""))
        if not name:
            b.emit(run_time.refill, (cell.real, content), Known(None), (), "")
        elif is_undefined(content):
            b.emit(run_time.unset, (Const(owner), Const(name)), Known(None), (), "")
        else:
            b.emit(setattr, (Const(owner), Const(name), content), Known(None), (), "")


def raised(b: Builder) -> None:
    """Where an exception is raised: what the caller has holds what has been written into it so far. In a recursive
    function that is not at hand."""
    if b.context.apart:
        return
    for mark, pairs in reversed(b.context.adopted):  # of a derivative within, its own are not the caller's
        changed = b.context.store.changed(mark)
        hand_back(b, [pair for pair in pairs if pair[0] in changed], b.place)
    entered = [c for c in b.context.outside if ("outside", b.context.paths[c]) in b.context.demoted]
    memo: Memo = {}
    theirs = dict.fromkeys([*entered, *b.context.written])
    write_back(b, [(cell, _handed_out(b, read(b, cell), memo)) for cell in theirs])
