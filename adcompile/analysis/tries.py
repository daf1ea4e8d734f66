"""Which way a `try` goes is asked by running its body once more (frontend/ways)."""

from __future__ import annotations

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import class_handlers
from adcompile.analysis.heap import settle
from adcompile.analysis.live import note_code
from adcompile.analysis.slots import beware
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.frontend.opaque import Runner
from adcompile.ir.nodes import Atom, Const, Way
from adcompile.ir.types import INT, Closure, Method, OwnMethod, TupleT, Type

REMEDY = "call it by its own name: object.method(…), or make a list of the items before"


def is_made_late(t: Type) -> bool:
    """Whether code that runs as written would get something else than what the program has under a name."""
    return isinstance(t, (Method, OwnMethod)) or isinstance(t, Closure) and t.function.yields


def ask(b: Builder, fn: Way, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """The body is run with what it reads: lists and dicts are not given away by that, as it writes into none. What it
    reaches by itself has to be there as the program leaves it (`beware`)."""
    if any(is_made_late(b.type(a)) for a in args):
        raise Unsupported("a try around a method, or a generator function, that is held by a name", place, REMEDY)
    note_code(b, fn.run.compiled(), fn.namespace)
    beware(b, fn, args)
    return b.emit(fn, [settle(b, a) for a in args], TupleT((INT,)), (), name, place)


def ask_again(b: Builder, fn: Runner, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """In generated code that is differentiated again."""
    return None if fn.code is None else b.dispatch(Const(fn.code), args, [], name, place)


class_handlers[Way] = ask
class_handlers[Runner] = ask_again
