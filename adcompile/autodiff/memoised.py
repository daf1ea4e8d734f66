"""What a cache around a function that the code itself makes (analysis/memoised) must not tell from calls of it: that
something was written into meanwhile, or that the function was called less often.
"""

from __future__ import annotations

from collections.abc import Sequence

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder
from adcompile.analysis.cached import CACHE
from adcompile.analysis.callbacks import code_may_write
from adcompile.analysis.laziness import arrays_of
from adcompile.analysis.memoised import Asked, Memo, refusal
from adcompile.analysis.mutation import Node, calls_in, is_unknown_call
from adcompile.autodiff.repeatable import varying
from adcompile.errors import Unsupported
from adcompile.ir.nodes import Atom, Block, Call, Const, OpaqueCode, Statement, Yield


def check_memoised(b: Builder) -> None:
    """Refuse caches that hold what was read before it was written into, or what is written into."""
    _check_handed_out(b)
    for memo in [m for memos in b.context.memoised.values() for m in memos if isinstance(m, Memo)]:
        at = next((i for i, s in enumerate(memo.builder.statements) if s is memo.mark), None)
        if at is not None:  # else it was followed again in another way
            _check_followed(memo, memo.builder.statements[at:])
            for asked in memo.calls:
                _check_call(b, memo, asked)
            if memo.calls:
                _check_memory(b, memo, memo.builder.statements[at:])
            _check_units(b, memo)


def _check_handed_out(b: Builder) -> None:
    """Where a cache of a module is asked when the code runs, nobody writes into what caches give: what they give to two
    calls may be one array."""
    asked = b.context.memoised.get(rt.from_cache, [])
    if not asked:
        return
    given = [*asked, *b.context.memoised.get(CACHE, [])]
    memory = Memory(b, b.statements, shown=given)
    kept = _classes(memory, given)
    for written in memory.written:
        known = isinstance(written.call.fn, Const) and not is_unknown_call(written.call.fn.value)
        if known and not _classes(memory, [written.target]).isdisjoint(kept):
            what = "an array, a list or an object is written into that a cached function has given when the code runs"
            raise Unsupported(what, written.call.place, "write into a copy, or leave the cache out")


def _check_followed(memo: Memo, rest: Sequence[Statement]) -> None:
    """Code that is run as it is written calls the function itself, which has no cache there."""
    for call in _calls(rest):
        if memo.function in call.args and isinstance(call.fn, Const) and isinstance(call.fn.value, OpaqueCode):
            raise refusal(memo.name, "is called where code is not followed", call.place)


def _check_call(b: Builder, memo: Memo, asked: Asked) -> None:
    """A call writes into nothing but memory that it has made, and would give the same again."""
    entered = Memory(b, asked.statements).entered
    if entered:
        raise refusal(memo.name, "writes into something", asked.place)
    if varying(b.context, Block((), tuple(asked.statements), Yield()), set()) is not None:
        raise refusal(memo.name, "may give something else the next time", asked.place)


def _check_memory(b: Builder, memo: Memo, rest: Sequence[Statement]) -> None:
    """Nobody writes into what the calls read, until the last of them, nor ever into what they have given."""
    inside = [c for asked in memo.calls for c in _calls(asked.statements)]
    reads = [*arrays_of(b, [memo.function]), *(a for c in inside for a in c.args)]
    gives = [asked.result for asked in memo.calls]
    memory = Memory(b, memo.builder.statements, shown=[*reads, *gives])
    own, early = set(map(id, inside)), set(map(id, _calls(rest[: _last_call(memo, rest)])))
    read, given = _classes(memory, reads), _classes(memory, gives)
    for written in [w for w in memory.written if id(w.call) not in own]:
        into, place = _classes(memory, [written.target]), written.call.place or memo.calls[-1].place
        for kept, said in ((read if id(written.call) in early else set(), "reads"), (given, "has given")):
            if not into.isdisjoint(kept):
                raise refusal(memo.name, f"{said} what is written into here", place)


def _check_units(b: Builder, memo: Memo) -> None:
    """The same where the calls stand in functions that are called by reference: as far as their code tells."""
    for asked in memo.calls:
        top = _outermost(asked.builder)
        if top is _outermost(memo.builder):
            continue
        if code_may_write(b.type(memo.function)):
            raise refusal(memo.name, "may write into something", asked.place)
        memory, own = Memory(b, top.statements, shown=[asked.result]), set(map(id, _calls(asked.statements)))
        given = _classes(memory, [asked.result])
        for written in memory.written:
            if id(written.call) not in own and not _classes(memory, [written.target]).isdisjoint(given):
                raise refusal(memo.name, "has given what is written into here", written.call.place or asked.place)


def _outermost(b: Builder) -> Builder:
    return b if b.parent is None else _outermost(b.parent)


def _classes(memory: Memory, atoms: Sequence[Atom]) -> set[Node]:
    return {memory.find(n) for a in atoms for n in memory.nodes(a)}


def _calls(statements: Sequence[Statement]) -> list[Call]:
    return [c for s in statements for c in calls_in(s)]


def _last_call(memo: Memo, rest: Sequence[Statement]) -> int:
    """How many of these statements may come before a call's last one, where a loop may run again."""
    out = 0
    for asked in memo.calls:
        at = [i for i, s in enumerate(rest) if any(s is t for t in asked.statements[:1])]
        out = max(out, at[0] if at and asked.builder is memo.builder else len(rest))
    return out
