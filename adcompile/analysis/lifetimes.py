"""When objects are gone: nobody knows of those that the code itself makes.

Generated code holds values under other names, and for longer, than the code that it was made of: what runs when the
last name of an object is gone (`__del__`), and weak references, would tell.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.library import is_of_user
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.types import Array, Closure, Instance, Ref

KEEPING = ("__setitem__", "setdefault", "update")
WEAK = (weakref.ref, weakref.finalize)
"""Classes whose objects do not keep what they refer to."""
WEAK_CONTAINERS = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)
MAKING_WEAK = (
    *(weakref.ref, weakref.proxy, weakref.finalize, weakref.WeakMethod),
    *(getattr(cls, m) for cls in WEAK_CONTAINERS[:2] for m in KEEPING),
    weakref.WeakSet.add,
)


def check_finalised(cls: type, place: Place | None) -> None:
    """Refuse to make an object of a class with `__del__`."""
    if is_of_user(cls) and inspect.getattr_static(cls, "__del__", None) is not None:
        message = f"an object of {cls.__name__}, whose __del__ runs as soon as nobody has it"
        raise Unsupported(message, place, "make it outside, or do what __del__ does by a method that the code calls")


def check_weak(b: Builder, given: Iterable[Atom], place: Place | None) -> None:
    """Refuse a weak reference to what the code itself makes."""
    if any(is_made(b, a) for a in given):
        raise Unsupported("a weak reference to an object that the code itself makes", place, "keep the object itself")


def check_put(b: Builder, fn: Any, args: Sequence[Atom], place: Place | None) -> None:
    """The same where something is put into a container that does not keep it, or a class gets a `__del__`."""
    t = b.type(args[0])
    if isinstance(t, Instance) and issubclass(t.cls, WEAK_CONTAINERS):
        check_weak(b, args[1:], place)
    if fn is setattr and b.known(args[1]) and b.value(args[1]) == "__del__":
        raise Unsupported("a __del__ that is set", place, "state it in the class")


def is_made(b: Builder, atom: Atom) -> bool:
    t = b.type(atom)
    if isinstance(t, Ref):
        return t.cell.real is None and t.cell not in b.context.outside
    called = isinstance(atom, Var) and atom in b.context.definition and atom not in b.context.origin
    return called and isinstance(t, (Array, Closure))
