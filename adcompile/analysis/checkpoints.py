"""Marks of loops and calls that run again on the way back: `checkpointed_range` and `checkpoint`."""

from __future__ import annotations

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.analysis.builtins import make_range
from adcompile.analysis.callables import bound
from adcompile.analysis.calls import class_handlers, handles
from adcompile.analysis.heap import look
from adcompile.analysis.real import REAL
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import BOOL
from adcompile.runtime.marks import (
    checkpoint,
    checkpointed_call,
    checkpointed_range,
    runs_again,
    save_only,
    saved_names,
)


@handles(checkpointed_range, look=())
def make_checkpointed(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    given = dict(kwargs)
    if set(given) != {"snaps"} or not 1 <= len(args) <= 3:
        raise Unsupported(
            "checkpointed_range() with other arguments than bounds and snaps",
            place,
            "write checkpointed_range(n, snaps=100)",
        )
    steps = make_range(b, args, [], place, name)
    b.context.names.setdefault(steps, "steps")
    return b.emit(rt.checkpointed, (steps, given["snaps"]), b.type(steps), (), "", place)


@handles(runs_again)
def make_region(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """The test around a call that runs again; true where nothing will tell it from others."""
    policy, called = (known_text(b, a, place) for a in args)
    if not b.context.regions or saved_names(policy) is None:
        return Const(True)
    return b.emit(runs_again, (Const(policy), Const(called)), BOOL, (), name, place)


@handles(save_only)
def make_policy(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return Const(save_only(*(known_text(b, a, place) for a in args)))


@frozen
class Checkpointed:
    """What `checkpoint(f, policy)` gives inside a function, called with `f` first."""

    policy: str
    name: str


@handles(checkpoint, look=())
def make_checkpoint(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    given = {**dict(zip(("fun", "policy"), args)), **dict(kwargs)}
    if "fun" not in given or len(given) != len(args) + len(kwargs) or not set(given) <= {"fun", "policy"}:
        raise Unsupported("checkpoint() with other arguments", place, "write checkpoint(f) or checkpoint(f, policy)")
    policy = known_text(b, given.get("policy", Const("save nothing")), place)
    saved_names(policy)
    fun = given["fun"]
    called = str(getattr(b.value(fun), "__name__", "call")) if b.known(fun) else "call"
    return bound(b, Checkpointed(policy, called), fun, "checkpointed")


def known_text(b: Builder, atom: Atom, place: Place | None) -> str:
    atom = look(b, atom)
    if not b.known(atom) or not isinstance(b.value(atom), str):
        raise Unsupported("a policy of checkpoint() that is not known", place, "write save_nothing or save_only(names)")
    return b.value(atom)


def call_checkpointed(
    b: Builder, value: Checkpointed, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str
) -> Atom:
    fun, *rest = args
    return b.dispatch(
        Const(checkpointed_call), [fun, Const(value.policy), Const(value.name), *rest], kwargs, name, place
    )


class_handlers[Checkpointed] = call_checkpointed
REAL[Checkpointed] = lambda b, value, fun, place: fun  # the same, as long as nothing is differentiated
