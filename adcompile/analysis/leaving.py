"""Where control leaves a function: what the caller's lists, dicts and objects hold then."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import Memo, hand_back, read, settle
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.live import CHANGING
from adcompile.analysis.real import real
from adcompile.analysis.ways import WrittenWithin, holders, live_followed, live_holders, live_objects, live_written
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, If, Var, Yield
from adcompile.ir.types import Cell, Instance, Known, Unknown
from adcompile.ir.walk import statements_of
from adcompile.runtime import state as run_time
from adcompile.runtime.objects import stated

Held = list[tuple[Cell, Atom]]


def closing(b: Builder, result: Atom, given: Sequence[Atom]) -> tuple[Atom, Held, Held]:
    """At the end of a function: its result as a value, and what the caller's lists, dicts and objects that have been
    written into hold now and held before. `given`: the arguments as the caller has them."""
    written = list(b.context.written)
    within = {w.cls for w in b.context.demoted if isinstance(w, WrittenWithin)}
    if written or within:
        owners = {id(o): Const(o) for o, *_ in (b.context.assigned[c] for c in written if c in b.context.assigned)}
        classes = within.union([cell.cls for cell in written], [type(o.value) for o in owners.values()])
        theirs = [cell.real for cell in b.context.outside if cell.cls in classes]
        apart = [*theirs, *owners.values(), *live_objects(b, classes, set(owners))] if theirs else []
        if len(apart) > 1:
            b.emit(run_time.different, apart, Known(None))
    else:
        apart = []
    unseen = writes_unseen(b)
    apart = [cell.real for cell in b.context.outside] if unseen else apart
    theirs = holders(b, given) if apart or unseen else []
    apart_of_theirs = [*apart, *live_followed(b)] if theirs and unseen else apart
    for holder in theirs if apart_of_theirs else ():
        b.emit(run_time.holds_none, (holder, *apart_of_theirs), Known(None))
    for holder in live_holders(b) if apart else ():
        b.emit(run_time.holds_none, (holder, *apart), Known(None))
    theirs = [cell.real for cell in b.context.outside if cell.cls in (list, dict)]
    for live in live_written(b) if theirs else ():
        b.emit(run_time.none_of, (live, *theirs), Known(None))
    memo: Memo = {}
    value = _handed_out(b, result, memo)
    pending = _held_now(b, written, memo)
    before = [(cell, settle(b, b.context.originals[cell], memo, escaping=True)) for cell in written]
    return value, pending, before


def writes_unseen(b: Builder) -> bool:
    """Whether something is written into that is known only when the code runs."""
    calls = (s for s in statements_of(Block((), tuple(b.statements), Yield())) if isinstance(s, Call))
    return any(is_unseen_write(b, call) for call in calls)


def is_unseen_write(b: Builder, call: Call) -> bool:
    if isinstance(call.fn, Var):
        made = b.context.definition.get(call.fn)
        named = made.args[1] if made is not None and len(made.args) > 1 else None
        return not isinstance(named, Const) or named.value in CHANGING
    writes = any(call.fn.value is fn for fn in (ops.set_attribute, setattr, operator.setitem, operator.delitem))
    return writes and isinstance(b.type(call.args[0]), (Unknown, Instance))


def _held_now(b: Builder, cells: Sequence[Cell], memo: Memo) -> Held:
    """What cells hold; behind those of attributes that were not there at first what tells whether they are by now."""
    found = [(cell, _handed_out(b, read(b, cell), memo)) for cell in cells]
    tells = [b.context.assigned[cell][2] for cell in cells if cell in b.context.assigned]
    return [*found, *((cell, read(b, cell)) for cell in tells if cell is not None)]


def _handed_out(b: Builder, atom: Atom, memo: Memo) -> Atom:
    """What the caller gets: what it has itself, and callables that can be called."""
    return real(b, settle(b, atom, memo, escaping=True), None)


def write_back(b: Builder, pending: Sequence[tuple[Cell, Atom]]) -> None:
    """Make the caller's lists, dicts and objects hold what they hold in the store."""
    held = dict(pending)
    of = b.context.assigned
    telling = {of[cell][2] for cell in held if cell in of}
    for cell, content in pending:
        owner, name, told = of.get(cell, (None, "", None))
        now = Const(True) if told is None else held.get(told, Const(True))
        if cell in telling:
            continue
        if not name:
            b.emit(run_time.refill, (cell.real, content), Known(None), (), "")
        elif isinstance(now, Var):
            then = b.child()
            then.emit(setter_of(owner), (Const(owner), Const(name), content), Known(None), (), "")
            b.append(If((), now, then.block((), Yield()), b.child().block((), Yield()), b.place, b.role))
        elif now.value is False:
            continue
        elif is_undefined(content):
            b.emit(run_time.unset, (Const(owner), Const(name)), Known(None), (), "")
        else:
            b.emit(setter_of(owner), (Const(owner), Const(name), content), Known(None), (), "")


def setter_of(owner: Any) -> Any:
    """What sets an attribute: code of the user's that does so has been followed."""
    says = not isinstance(owner, type) and isinstance(stated(type(owner), "__setattr__"), FunctionType)
    return run_time.set_own if says else setattr


def raised(b: Builder) -> None:
    """Where an exception is raised: what the caller has holds what has been written into it so far. In a recursive
    function that is not at hand, nor is it under what writes as well where the code inside raises."""
    if b.context.apart or b.context.store.unwound:
        return
    for mark, pairs in reversed(b.context.adopted):  # of a derivative within, its own are not the caller's
        changed = b.context.store.changed(mark)
        hand_back(b, [pair for pair in pairs if pair[0] in changed], b.place)
    entered = [c for c in b.context.outside if ("outside", b.context.paths[c]) in b.context.demoted]
    memo: Memo = {}
    theirs = dict.fromkeys([*entered, *b.context.written])
    write_back(b, _held_now(b, list(theirs), memo))
