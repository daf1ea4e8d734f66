"""Caches around functions that the code itself makes, `functools.cache` of a closure, and what is asked of them.

The function is followed wherever it is called. autodiff/memoised refuses what its cache would tell from that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import lend, reached
from adcompile.analysis.laziness import written_since
from adcompile.analysis.leaves import is_undefined
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Statement
from adcompile.ir.types import Cell, Closure


@dataclass(frozen=True)
class Asked:
    """A call of such a function: what it gave, and the statements that stand for it."""

    builder: Builder
    result: Atom
    statements: Sequence[Statement]
    place: Place | None


@dataclass(frozen=True)
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


def note_asked(b: Builder, fn: Atom, function: Any, result: Atom, begin: Begin, place: Place | None) -> None:
    """Note a call of `fn`, from `begin` on, that has a cache: its own, or one of those that were made of the same
    function, where it has come by another way."""
    memos: list[Memo] = b.context.memoised[function]
    if written_since(b, begin.mark):
        raise refusal(function.name, "writes into something", place)
    for cell in reached(b, [result]):
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


__all__ = ["Asked", "Memo", "note_asked", "note_made", "refusal"]
