"""Objects that get an attribute when it is first read, by `cached_property` or a descriptor of the user's.

Where an object is not followed, such a read is run as it is written: it leaves a plain number behind, without the
derivative of what it was made of. Who reads that number afterwards would take it for a constant.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from adcompile.analysis.activity import Useful, Varied
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import CONSTRUCTORS, Builder, parts
from adcompile.analysis.detached import is_in
from adcompile.analysis.library import is_of_user
from adcompile.analysis.mutation import calls_in
from adcompile.analysis.said import stored_by
from adcompile.analysis.views import fn_of
from adcompile.autodiff.unseen import arguments
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import Instance, Maybe, ObjectT, Seq, Type
from adcompile.runtime.objects import stated

LOOKING: tuple[Any, ...] = (
    *(operator.is_, operator.is_not, id, type, isinstance, issubclass, callable, ops.identity, ops.push, ops.put_item),
    *(ops.build_tuple, ops.build_list, ops.build_dict, ops.build_object, ops.list_set),
)
"""These read no attribute of what they are given."""
BINDING = (staticmethod, classmethod, type, functools.partialmethod, functools.singledispatchmethod)
"""What a class gives as it is, or bound to the object."""


def check_lazily_read(b: Builder, memory: Memory, varied: Varied, useful: Useful) -> None:
    """Refuse reads of such objects that run as they are written, where the result is made of other ones.

    Raises Unsupported.
    """
    calls = [c for s in memory.statements for c in calls_in(s)]
    reads = [c for c in calls if any(varied.carries(a) and reads_lazily(b, c, a) for a in arguments(c))]
    unseen = [c for c in reads if c.result not in useful.vars]
    if unseen and len(unseen) < len(reads):
        raise Unsupported(
            "an object that carries derivatives and gets an attribute when it is read, where it is not followed",
            unseen[0].place or b.place,
            "read the attribute once in front of the loop or the branch, or make it a plain property",
        )


def reads_lazily(b: Builder, call: Call, given: Atom) -> bool:
    """Whether a call may read such an attribute of what it is given."""
    fn = fn_of(call)
    made = call.role != "primal" or str(getattr(fn, "__module__", "")).startswith("adcompile.")
    if made or is_in(fn, CONSTRUCTORS) or is_in(fn, LOOKING):
        return False
    classes = list(classes_in(b.type(given)))
    if fn is getattr and len(call.args) > 1 and isinstance(call.args[1], Const):
        return any(computes(cls, call.args[1].value) for cls in classes)
    return any(map(is_lazy, classes))


def classes_in(t: Type) -> Iterator[type]:
    """The classes of the user's of which there may be objects in a value."""
    match t:
        case Instance(cls) | ObjectT(cls):
            yield cls
        case Maybe(inner) | Seq(inner, _):
            yield from classes_in(inner)
        case _:
            for part in parts(t):
                yield from classes_in(part)


@functools.lru_cache(1024)
def is_lazy(cls: type) -> bool:
    """Whether an object of a class may get an attribute by being read."""
    return any(sets(value) for c in cls.__mro__ if is_of_user(c) for value in vars(c).values())


def computes(cls: type, name: str) -> bool:
    """Whether an attribute is one that may be computed, by code that may read others."""
    found = stated(cls, name)
    return is_lazy(cls) and (sets(found) or isinstance(found, property) or found is None)


def sets(value: Any) -> bool:
    """Whether reading an attribute may set one, by what the class has for it."""
    if isinstance(value, property):
        return isinstance(value.fget, FunctionType) and stores(value.fget)
    if isinstance(value, FunctionType):
        return value.__name__ in ("__getattr__", "__getattribute__") and stores(value)
    if isinstance(value, BINDING):
        return False
    return isinstance(stated(type(value), "__get__"), FunctionType)


def stores(function: FunctionType) -> bool:
    """Whether a function sets attributes."""
    return bool(stored_by(function.__code__)) or not {"setattr", "__setattr__", "__dict__", "vars"}.isdisjoint(
        function.__code__.co_names
    )
