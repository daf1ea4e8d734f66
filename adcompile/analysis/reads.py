"""Reads of names that some path leaves unbound (analysis/bound): they raise what Python raises."""

from __future__ import annotations

from adcompile.analysis.bound import FALSE, TRUE, present
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import handles
from adcompile.analysis.infer import branch_on
from adcompile.analysis.joins import tells
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.leaving import raised
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Raise, Var
from adcompile.ir.types import Known
from adcompile.runtime.plain import without_value


@handles(ops.read, look=())
def read(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """A read of a name: `ops.read(value, name, free)`, and whether it is bound where the value does not tell."""
    value, called, free, flag, alone = *args, *(TRUE, FALSE)[len(args) - 3 :]
    flag = FALSE if is_undefined(value) else flag
    if alone is FALSE and isinstance(value, Var) and value in b.context.loose and tells(b, value):
        return b.emit(ops.read, [value, called], Known(None), (), "", place)

    def unbound(c: Builder) -> Atom:
        kind = NameError if b.value(free) else UnboundLocalError
        error = c.call(kind, Const(without_value(b.value(called), b.value(free))), name="error", place=place)
        raised(c)
        raise Terminated(Raise(error, None, place))

    if isinstance(flag, Const):
        return Const(None) if flag.value else unbound(b)
    branch_on(b, flag, lambda c: Const(None), unbound, place=place)
    b.context.narrowed = {**b.context.narrowed, flag: TRUE}
    return Const(None)


@handles(ops.deleted)
def deleted(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return Const(ops.UNDEFINED)


@handles(ops.bound_of, look=())
def bound_of(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return args[1] if len(args) > 1 else FALSE if is_undefined(args[0]) else TRUE


@handles(ops.present, look=())
def left(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return present(b, args[0], name, place)
