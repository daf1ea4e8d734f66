"""What derivatives rely on of classes, functions and modules of the user's, who may change it."""

from __future__ import annotations

import types as python_types
from collections.abc import Iterable
from typing import Any

from adcompile.analysis.builder import Builder, Context, parts
from adcompile.analysis.library import is_of_user
from adcompile.ir.abstract import is_installed
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.program import ABSENT, Guard
from adcompile.ir.types import Boxed, DictT, Instance, Kept, Known, ListT, Maybe, ObjectT, Seq, TupleT, Type
from adcompile.runtime.objects import SPECIAL, holds, is_place, stated


def guard_absent(b: Builder, owner: Any, attribute: str) -> None:
    """A class, function or module of the user's without an attribute may get it."""
    if may_change(owner):
        home_of(b, homes_of(b, owner), attribute)


def guard_own(b: Builder, owner: Atom, live: Any, attribute: str) -> bool:
    """Whether an object that is there when the code runs has an own attribute: it may get it, or lose it."""
    there = holds(live, attribute)
    if has_room(live, attribute) and isinstance(owner, Var) and owner in b.context.origin:
        ref, path = b.context.origin[owner]
        guard = Guard(ref, there, (*path, own_step(live, attribute)), ABSENT)
        b.context.guards["own", id(ref.namespace), ref.name, guard.path] = guard
    return there


def has_room(live: Any, attribute: str) -> bool:
    """Whether an object can hold an attribute of this name."""
    return hasattr(live, "__dict__") or is_place(live, attribute)


def own_step(live: Any, attribute: str) -> Any:
    """How guards say that it is the object that has an attribute: in its `__dict__`, or in its place."""
    return ("place", attribute) if is_place(live, attribute) else attribute


def guard_holds(b: Builder, owner: Any, attribute: str, there: bool) -> None:
    """A class, function, module or object has an attribute of its own of a name, or has none."""
    path = (own_step(owner, attribute),)
    b.context.guards["holds", id(owner), attribute] = Guard(b.context.owner(owner), there, path, ABSENT)


def guard_class(b: Builder, cls: type, attribute: str, t: Type) -> None:
    """What a class of the user's says of its objects, of type `t`: functions above all may be replaced, or be said
    by a class below it."""
    guard_said(b, homes_of(b, cls), attribute, t)


def guard_said(b: Builder, homes: Iterable[type], attribute: str, t: Type) -> None:
    """The same of the first of these classes that says anything of the name."""
    home = home_of(b, homes, attribute)
    if is_of_user(home) and isinstance(t, Known):
        b.context.guard_type(b.context.owner(home), ("__dict__", ("item", attribute)), t)


def said(b: Builder, cls: type, attribute: str) -> Any:
    """What a class says of a name, as `stated` has it: to be relied on."""
    found = stated(cls, attribute)
    guard_class(b, cls, attribute, Known(found))
    return found


def says(b: Builder, owner: Any, attribute: str) -> bool:
    """Whether a class says anything of a name of its objects; a function or module, of its own."""
    home = home_of(b, homes_of(b, owner), attribute)
    if home is not None and may_change(home):
        b.context.guards["there", id(home), attribute] = Guard(b.context.owner(home), True, (attribute,), ABSENT)
    return home is not None


def hook(b: Builder, cls: type, attribute: str) -> python_types.FunctionType | None:
    """The method of a class, if it is written in Python, that Python calls for something that it does by itself
    otherwise: that it is replaced is noticed here, that a class gets one by `guard_kinds`."""
    found = stated(cls, attribute)
    return said(b, cls, attribute) if isinstance(found, python_types.FunctionType) else None


def homes_of(b: Builder, owner: Any) -> tuple[Any, ...]:
    """Where an attribute of a class, function or module is looked for, in order."""
    return relied_on(b, (owner,))[0].__mro__ if isinstance(owner, type) else (owner,)


def relied_on(b: Builder, classes: Iterable[type]) -> tuple[type, ...]:
    """The classes; those of the user's may get other bases. Then their `__mro__`, and that of all classes below
    them, is another tuple."""
    found = tuple(classes)
    for cls in filter(is_of_user, found):
        b.context.guards["order", id(cls)] = Guard(b.context.owner(cls), cls.__mro__, ("__mro__",))
    return found


def home_of(b: Builder, homes: Iterable[Any], attribute: str) -> Any:
    """The first that has an attribute: those before it may get it."""
    for home in homes:
        if attribute in vars(home):
            return home
        if may_change(home):
            b.context.guard_type(b.context.owner(home), (attribute,), ABSENT)
    return None


def guard_kinds(context: Context) -> None:
    """The classes of the user's whose objects the program has: each operation asks them for a special method, and most
    have none. A class may get one, or say something of a name that its objects have by themselves."""
    for cls, names in kinds(context).items():
        for base in filter(is_of_user, cls.__mro__):
            own, ref = vars(base), context.owner(base)
            absent = frozenset(name for name in (*SPECIAL, *names) if name not in own)
            context.guards["kind", id(base), absent] = Guard(ref, False, (("none", absent),), ABSENT)
            for name in filter(own.__contains__, names):
                way: tuple[Any, ...] = ("__dict__", ("item", name))
                if hasattr(type(own[name]), "__get__"):
                    context.guards["kind", id(base), name] = Guard(ref, own[name], way)
                else:  # data: what it is does not matter, unless it begins to compute
                    context.guard_type(ref, (*way, "__class__"), Known(type(own[name])))


def kinds(context: Context) -> dict[type, set[str]]:
    """Classes of the user's that objects of the program have, and the names of the attributes of these objects."""
    found: dict[type, set[str]] = {}
    live = {name for _, name in (*context.objects_read, *context.objects_set)}
    guarded = (g.type for g in context.guards.values() if g.type is not None)
    todo = list({id(t): t for t in (*context.types.values(), *guarded)}.values())
    while todo:
        t = todo.pop()
        if isinstance(t, (ObjectT, Instance)) and is_of_user(t.cls):
            found.setdefault(t.cls, set()).update(t.names if isinstance(t, ObjectT) else live)
        elif isinstance(t, TupleT) and is_of_user(t.cls):
            found.setdefault(t.cls, set()).update(getattr(t.cls, "_fields", ()))
        elif isinstance(t, Known) and is_of_user(type(t.value)):  # of enumerations
            found.setdefault(type(t.value), set())
        todo += parts_of(t)
    return found


def parts_of(t: Type) -> Iterable[Type]:
    match t:
        case TupleT() | ListT() | DictT() | ObjectT():
            return parts(t)
        case Seq():
            return (t.item,)
        case Maybe():
            return (t.type,)
        case Kept():
            return t.types
        case Boxed():
            return (t.content,)
        case _:
            return ()


def may_change(owner: Any) -> bool:
    return is_of_user(owner) or isinstance(owner, python_types.ModuleType) and not is_installed(owner)
