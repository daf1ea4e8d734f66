"""Caches around functions that the code itself makes, `functools.cache` of a closure, and what is asked of them.

The function is followed wherever it is called. autodiff/memoised refuses what its cache would tell from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import lend, reached
from adcompile.analysis.laziness import written_since
from adcompile.analysis.leaves import is_undefined
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Statement, Var
from adcompile.ir.types import Cell, Closure, IterT, holds


@frozen
class Asked:
    """A call of such a function: what it gave, and the statements that stand for it."""

    builder: Builder
    result: Atom
    statements: Sequence[Statement]
    place: Place | None


@frozen
class Memo:
    """A cache: the function, the statement behind which it is there, and its calls."""

    builder: Builder
    function: Atom
    mark: Statement
    name: str
    held: Mapping[Cell, Atom]  # what the function saw when it was made: of variables, lists, dicts and objects
    calls: list[Asked] = field(default_factory=list[Asked])


def note_made(b: Builder, function: Atom, t: Closure) -> None:
    """A cache is made around a function."""
    states = b.context.store.states
    held = {cell: states[cell].content for cell in reached(b, [function]) if not is_undefined(states[cell].content)}
    b.emit(ops.identity, (function,), t)
    b.context.memoised.setdefault(t.function, []).append(Memo(b, function, b.statements[-1], t.function.name, held))


@frozen
class Asking:
    """How things stand before a call of a function that has a cache."""

    begin: Begin
    iterators: Mapping[Var, tuple[int, bool]]  # how many items each has given, and whether it is used up


def asking(b: Builder, function: Any) -> Asking | None:
    return Asking(Begin(b, {}), _given(b, b.context.depth_of)) if function in b.context.memoised else None


def _given(b: Builder, iterators: Iterable[Var]) -> dict[Var, tuple[int, bool]]:
    return {v: (b.context.taken.get(v, 0), v in b.context.gone) for v in iterators}


def note_asked(b: Builder, fn: Atom, function: Any, result: Atom, before: Asking, place: Place | None) -> None:
    """Note a call of `fn` that has a cache: its own, or one of those that were made of the same function, where it
    has come by another way."""
    store, begin = b.context.store, before.begin
    memos: list[Memo] = b.context.memoised[function]
    if written_since(b, begin.mark) or _given(b, before.iterators) != before.iterators:
        raise refusal(function.name, "writes into something, or takes the items of an iterator", place)
    if holds(b.type(result), IterT):
        raise refusal(function.name, "gives an iterator", place)
    for cell in reached(b, [result]):
        lend(b, cell)
    sees, made = set(reached(b, [fn])), store.changed(begin.mark)
    for cell in store.read_since(begin.count):  # attributes that are assigned, and what its arguments hold
        if cell not in sees and made.get(cell, store.states.get(cell)) is not None:
            lend(b, cell)
    for memo in [m for m in memos if m.function is fn] or memos:
        check_held(b, memo, place)
        memo.calls.append(Asked(b, result, tuple(begin.emitted(b)), place))


def check_held(b: Builder, memo: Memo, place: Place | None) -> None:
    """The variables, lists, dicts and objects that a function sees are what they were when its cache was made, or
    stay what they are at its first call."""
    states = b.context.store.states
    for cell in reached(b, [memo.function]):
        if cell not in memo.held and not is_undefined(states[cell].content):
            lend(b, cell)
        elif cell in memo.held and states[cell].content is not memo.held[cell]:
            raise refusal(memo.name, "sees what has been written into since it was made", place)


def refusal(name: str, what: str, place: Place | None) -> Unsupported:
    remedy = "leave the cache out, or let it read and give numbers, tuples and arrays that stay as they are"
    return Unsupported(f"{name}(), a cached function that the code makes, {what}", place, remedy)


__all__ = ["Asked", "Memo", "asking", "note_asked", "note_made", "refusal"]
