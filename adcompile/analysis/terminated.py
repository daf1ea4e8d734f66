"""Blocks that end before their last statement: what follows in them is not built, as it cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adcompile.analysis.leaves import is_undefined
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const, End, Raise, Yield


class Terminated(Exception):
    """What follows in the block being built cannot be reached."""

    def __init__(self, end: End) -> None:
        super().__init__()
        self.end = end


def run_primal(run: Callable[[], Any], place: Place | None) -> Any:
    """What an operation of the program gives on values that are known; what it raises is raised where it is reached."""
    try:
        return run()
    except Exception as error:
        raise Terminated(Raise(Const(error), None, place)) from None


def going_on(end: End) -> list[Atom]:
    """What a block yields, which is to come to its end."""
    if not isinstance(end, Yield):
        raise Terminated(end)
    return list(end.values)


def demand(atom: Atom, place: Place | None = None) -> Atom:
    """What a statement reads; a name that no path has bound raises what Python raises."""
    if is_undefined(atom):
        error = UnboundLocalError("cannot access local variable where it is not associated with a value")
        raise Terminated(Raise(Const(error), None, place))
    return atom
