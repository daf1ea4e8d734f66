"""Which way a `try` goes is asked by running its body once more (frontend/ways)."""

from __future__ import annotations

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import class_handlers
from adcompile.analysis.heap import settle
from adcompile.analysis.live import note_code
from adcompile.analysis.slots import beware
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Way
from adcompile.ir.types import INT, TupleT


def ask(b: Builder, fn: Way, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """The body is run with what it reads: lists and dicts are not given away by that, as it writes into none. What it
    reaches by itself has to be there as the program leaves it (`beware`)."""
    note_code(b, fn.run.compiled(), fn.namespace)
    beware(b, fn, args)
    return b.emit(fn, [settle(b, a) for a in args], TupleT((INT,)), (), name, place)


class_handlers[Way] = ask
