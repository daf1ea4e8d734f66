"""What a class says of an attribute: whether it computes it, binds it to an object, or the object may hide it."""

from __future__ import annotations

import dis
import enum
import functools
import sys
import types as python_types
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.library import is_of_user
from adcompile.analysis.live import live_type
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.types import Instance, Known, Type
from adcompile.runtime.objects import stated


def as_said(found: Any) -> Type:
    """The type of what a class says of its objects: what computes it is itself."""
    return Known(found) if isinstance(found, (property, staticmethod, classmethod)) else live_type(found)


def may_hide(b: Builder, owner: Atom, t: Type, cls: type, attribute: str) -> bool:
    """Whether an object that is not at hand may have an own attribute of the name of one of its
    class: an argument where its type says so, one that the code itself makes where its class sets any."""
    if isinstance(t, Instance) and (attribute in t.own or isinstance(owner, Var) and owner not in b.context.definition):
        return attribute in t.own
    return any(sets_attribute(f, attribute) for c in cls.__mro__ if is_of_user(c) for f in vars(c).values())


def sets_attribute(fn: Any, attribute: str) -> bool:
    """Whether a function stores an attribute of that name, or of a name that is made at run time."""
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    if code is None:
        return False
    return attribute in stored_by(code) or not {"setattr", "__dict__", "vars"}.isdisjoint(code.co_names)


def stored_by(code: python_types.CodeType) -> set[str]:
    """The attributes that code stores by their names."""
    return {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}


def is_of_members(cls: type[enum.Enum], attribute: str) -> bool:
    """Whether an attribute is what each member of an enumeration has for itself."""
    named = attribute in ("name", "value") or all(attribute in vars(m) for m in cls)
    return named and len(cls) > 0 and not issubclass(cls, enum.Flag)


def is_unset(live: Any, found: Any) -> bool:
    """Whether a class has a place for an attribute (`__slots__`) that its object has not set."""
    slot = isinstance(found, python_types.MemberDescriptorType)
    return slot and live is not None and not hasattr(live, found.__name__)


def is_special(found: Any) -> bool:
    """Whether a class has a method or the like under a name, not data."""
    return hasattr(type(found), "__get__")


def is_bound(found: Any) -> bool:
    """Whether a callable that a class has gets the object as its first argument: functions and what else says
    so by `__get__`. Classes, ufuncs, builtin functions and callable objects get what they are called with;
    methods of another object have `__get__` too, and stay what they are, and so do partials before 3.14
    (`__get__` of 3.13 only warns)."""
    if isinstance(found, python_types.MethodType):
        return False
    if isinstance(found, functools.partial):
        return sys.version_info >= (3, 14)
    return is_special(found)


def getters(cls: type, attribute: str, asked: bool = True) -> list[python_types.FunctionType]:
    """The functions of the user's that say what an attribute of an object is; with those `asked` of any name."""
    found = stated(cls, attribute)
    named = [found.fget] if isinstance(found, property) else [stated(type(found), "__get__")]
    named += [stated(cls, "__getattr__"), stated(cls, "__getattribute__")] if asked else []
    return [fn for fn in named if isinstance(fn, python_types.FunctionType)]
