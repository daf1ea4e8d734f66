"""Calls that may raise what is caught around them: the end of an iterator, an attribute that is not there."""

from __future__ import annotations

from collections.abc import Callable

from adcompile.analysis.builder import Builder
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Const, End, Raise, Statement, Var
from adcompile.ir.types import Instance, Known
from adcompile.ir.walk import all_blocks, blocks_of


def tried(b: Builder, run: Callable[[], Atom], kind: type[Exception], place: Place | None) -> Atom | None:
    """What `run` gives; None where it raises an exception of that kind.

    Raises Unsupported where only the run time knows whether it does.
    """
    start, depth = len(b.statements), len(b.context.calls)
    try:
        value = run()
    except Terminated as stop:
        if not is_raised(b, stop.end, kind):
            raise
        del b.context.calls[depth:]
        return None
    if any(may_raise(b, s, kind) for s in b.statements[start:]):
        raise Unsupported(
            f"whether this raises {kind.__name__} is known only when the code runs",
            place or b.place,
            "choose with if and else in place of raising and catching it",
        )
    return value


def may_raise(b: Builder, statement: Statement, kind: type[Exception]) -> bool:
    return any(is_raised(b, inner.end, kind) for block in blocks_of(statement) for inner in all_blocks(block))


def is_raised(b: Builder, end: End, kind: type[Exception]) -> bool:
    """Whether a block ends by raising an exception of that kind."""
    if not isinstance(end, Raise) or end.exception is None:
        return False
    cls = class_of_exception(b, end.exception)
    return cls is not None and issubclass(cls, kind)


def class_of_exception(b: Builder, raised: Atom) -> type | None:
    t = b.type(raised)
    if isinstance(t, Known):
        return t.value if isinstance(t.value, type) else type(t.value)
    if isinstance(t, Instance):
        return t.cls
    made = b.context.definition.get(raised) if isinstance(raised, Var) else None
    called = made.fn.value if made is not None and isinstance(made.fn, Const) else None
    return called if isinstance(called, type) else None
