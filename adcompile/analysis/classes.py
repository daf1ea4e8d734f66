"""What is asked of the class of a value: `isinstance`, `type`, `callable`.

The answer is found when compiling only where the class that the value has when the code runs is known exactly, and
where that class alone decides; the code asks otherwise.
"""

from __future__ import annotations

import abc
import types as python_types
import typing
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.attributes import classes_of
from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import value_may_write
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.guards import hook, relied_on
from adcompile.analysis.iteration import known_items
from adcompile.analysis.library import is_of_user
from adcompile.analysis.real import class_made
from adcompile.analysis.spectra import may_be_real
from adcompile.analysis.standins import class_in_program
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import BOOL, UNKNOWN, Array, Known, Maybe, Method, Scalar, Type, Unknown
from adcompile.runtime.objects import stated

BOUND: dict[type, type] = {
    python_types.FunctionType: python_types.MethodType,
    python_types.MethodDescriptorType: python_types.BuiltinMethodType,
    python_types.WrapperDescriptorType: python_types.MethodWrapperType,
}
"""What Python makes of a function that it finds in a class."""
PROTOCOL: type = type(typing.Protocol)


def exact_classes(b: Builder, atom: Atom) -> tuple[type, ...] | None:
    """The classes of which the value has one when the code runs; None if that is not known."""
    t = b.type(atom)
    if may_be_real(b, [t]):
        return None
    if atom in b.context.flat_of:
        return (np.flatiter,)
    if isinstance(t, Method):
        cls = class_made(t.function) or BOUND.get(type(t.function))
        return None if cls is None else (cls,)
    found = classes_of(t)
    return None if found is None else tuple(map(class_in_program, relied_on(b, found)))


@handles(isinstance, look=())
def is_instance(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    classes, wanted = exact_classes(b, args[0]), known_classes(b, args[1])
    for w in wanted or ():
        check = stated(type(w), "__instancecheck__")
        if isinstance(check, python_types.FunctionType) and is_of_user(type(w)) and value_may_write(check):
            if wanted != (w,):
                message = f"isinstance() of several classes, of which {w.__name__} has an __instancecheck__ that writes"
                raise Unsupported(message, place, "ask one class at a time")
            return b.call(bool, dispatch(b, Const(check), [Const(w), args[0]], [], "", place), name=name, place=place)
    told = {answer(b, cls, wanted) for cls in classes} if classes and wanted is not None else {None}
    if len(told) > 1 or None in told:
        return b.emit(isinstance, args, BOOL, (), name, place)
    return Const(told.pop())


def known_classes(b: Builder, atom: Atom) -> tuple[type, ...] | None:
    """The classes that the second argument of isinstance names, in tuples of tuples and unions."""
    if b.known(atom):
        return spread(b.value(atom))
    items = known_items(b, atom)
    found = [known_classes(b, item) for item in items or ()]
    return None if items is None or None in found else tuple(c for classes in found for c in classes or ())


def spread(named: Any) -> tuple[type, ...] | None:
    """None: Python raises an error, or what is named decides itself."""
    if isinstance(named, type) and not isinstance(named, python_types.GenericAlias):
        return (named,)
    parts = named if isinstance(named, tuple) else typing.get_args(named) if is_union(named) else None
    found = None if parts is None else [spread(part) for part in parts]
    return None if found is None or None in found else tuple(c for classes in found for c in classes or ())


def is_union(named: Any) -> bool:
    return typing.get_origin(named) in (python_types.UnionType, typing.Union)


def answer(b: Builder, cls: type, wanted: tuple[type, ...]) -> bool | None:
    """Whether objects of exactly this class are instances of one of these; None where Python asks the object too."""
    told = [of_class(cls, w) for w in wanted]
    return True if True in told else None if None in told or says_another(b, cls) else False


def of_class(cls: type, wanted: type) -> bool | None:
    """`answer` of one class: what code of the user's says may change, what a protocol wants an object may have."""
    if cls is wanted:
        return True
    how = type(wanted)
    if how is PROTOCOL and getattr(wanted, "_is_protocol", False):
        fixed = cls.__dictoffset__ == 0 and not is_of_user(cls) and not stated(cls, "__getattr__")
        return by_class(cls, wanted) if fixed and not is_of_user(wanted) else None
    if how.__instancecheck__ not in (type.__instancecheck__, abc.ABCMeta.__instancecheck__, PROTOCOL.__instancecheck__):
        return None
    hooks = any(is_of_user(c) and "__subclasshook__" in vars(c) for c in wanted.__mro__)
    return None if hooks else issubclass(cls, wanted)


def by_class(cls: type, protocol: type) -> bool | None:
    try:
        return issubclass(cls, protocol)
    except TypeError:  # it has data among its members, or is not to be asked at all: the code finds out
        return None


def says_another(b: Builder, cls: type) -> bool:
    """Whether an object's `__class__`, which Python believes as well, may be another one."""
    return stated(cls, "__class__") is not vars(object)["__class__"] or hook(b, cls, "__getattribute__") is not None


@handles(type, look=())
def class_of_value(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    classes = exact_classes(b, args[0]) if len(args) == 1 else None
    if classes is not None and len(classes) == 1:
        return Const(classes[0])
    return b.emit(type if len(args) == 1 else ops.make_class, args, UNKNOWN, kwargs, name, place)


@handles(rt.number, look=())
def as_number(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`rt.number` of what is a bool on no path is that itself."""
    return None if may_be_bool(b.type(args[0])) else args[0]


def may_be_bool(t: Type) -> bool:
    match t:
        case Maybe(held):
            return may_be_bool(held)
        case Scalar(kinds):
            return not kinds.isdisjoint((bool, np.bool_))
        case Known(value):
            return isinstance(value, (bool, np.bool_))
        case Array(dtype, _):
            return dtype.kind == "b"
        case _:
            return isinstance(t, Unknown)


@handles(callable, look=())
def is_callable(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if isinstance(t, Known):
        return Const(callable(t.value))
    # asked of the class itself, `hasattr` would find what makes its objects
    answers = {any("__call__" in vars(base) for base in c.__mro__) for c in exact_classes(b, args[0]) or ()}
    return Const(answers.pop()) if len(answers) == 1 else None
