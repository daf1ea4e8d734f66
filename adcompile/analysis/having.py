"""`hasattr`: what is known when compiling of what has an attribute, and what may change as the code runs."""

from __future__ import annotations

import types as python_types
from typing import Any

import numpy as np

from adcompile.analysis.attributes import MISSING, classes_of
from adcompile.analysis.binding import owner_of_data
from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import value_may_write
from adcompile.analysis.calls import handles
from adcompile.analysis.guards import guard_own, may_change, says
from adcompile.analysis.objects import attribute_of
from adcompile.analysis.raising import tried
from adcompile.analysis.said import getters
from adcompile.analysis.slots import live_value, runs_as_written, slot_value
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import Closure, Instance, Known, Scalar
from adcompile.runtime.objects import stated


@handles(hasattr)
def has_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t, attribute = b.type(args[0]), b.value(args[1]) if b.known(args[1]) else None
    if attribute is None:
        return None
    if isinstance(t, Known):
        return known_to_have(b, t.value, attribute, place)
    classes = classes_of(t)
    if any(slot_of_class(b, cls, attribute) for cls in classes or ()):
        return Const(True)
    if any(map(value_may_write, [fn for cls in classes or () for fn in getters(cls, attribute, asked=False)])):
        value = tried(b, lambda: attribute_of(b, args[0], attribute, name, place), AttributeError, place)
        return Const(value is not None)
    example = b.context.example.get(args[0]) if isinstance(args[0], Var) else None
    if example is not None:
        return live_to_have(b, args, example, attribute, place, name)
    if args[0] in b.context.flat_of:
        return Const(hasattr(np.flatiter, attribute))
    loose = isinstance(t, Closure) and not hasattr(python_types.FunctionType, attribute)
    if classes is None or isinstance(t, Instance) or loose:
        return b.emit(hasattr, args, Scalar(frozenset({bool})), (), name, place)
    answers = {says(b, c, attribute) for c in classes}
    return Const(answers.pop()) if len(answers) == 1 else None


def slot_of_class(b: Builder, cls: type, attribute: str) -> bool:
    """Whether a class has by now an attribute of that name that the program assigns."""
    return may_change(cls) and slot_value(b, cls, attribute, None) is not None


def known_to_have(b: Builder, owner: Any, attribute: str, place: Place | None) -> Atom:
    """Whether an object met when compiling has an attribute: a class or function may get it later."""
    if slot_value(b, owner, attribute, place) is not None:
        return Const(True)
    if runs_as_written(b, attribute) and may_change(owner):
        target = owner_of_data(b, owner, place)
        return b.emit(hasattr, (target, Const(attribute)), Scalar(frozenset({bool})), (), "", place)
    if may_change(owner):
        says(b, owner, attribute)
    return Const(hasattr(owner, attribute))


def live_to_have(b: Builder, args: Args, live: Any, attribute: str, place: Place | None, name: str) -> Atom:
    """The same of an object that is there when the code runs: what says so is guarded, code is run."""
    owner, cls = args[0], type(live)
    if live_value(b, owner, live, attribute, place) is not None:
        return Const(True)
    found = stated(cls, attribute, MISSING)
    computed = computes_attributes(cls)
    computed = computed or runs_as_written(b, attribute) and may_change(cls)
    at_hand = isinstance(owner, Var) and owner in b.context.origin
    if isinstance(found, python_types.MemberDescriptorType) and at_hand and not computed:
        return Const(guard_own(b, owner, live, attribute))
    if computed or not at_hand or isinstance(found, (property, python_types.MemberDescriptorType)):
        return b.emit(hasattr, args, Scalar(frozenset({bool})), (), name, place)
    return Const(guard_own(b, owner, live, attribute) or says(b, cls, attribute))


def computes_attributes(cls: type) -> bool:
    """Whether code says what attributes objects of a class have: of some, such as those of `threading.local`, the
    class's own."""
    return stated(cls, "__getattr__") is not None or stated(cls, "__getattribute__") is not object.__getattribute__
