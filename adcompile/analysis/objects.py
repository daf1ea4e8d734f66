"""Objects: construction and attributes, followed into the class.

What an object holds is a value of type ObjectT: its attributes by name, in the order in which they
were set. Only classes written in Python are followed, whose objects hold nothing else.
"""

from __future__ import annotations

import dataclasses
import functools
from types import FunctionType, MemberDescriptorType, SimpleNamespace
from typing import Any

from adcompile.analysis.attributes import assigned_by_class, object_readers, or_asked, said_by_class
from adcompile.analysis.binding import bind, there
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handles, handles_cells, makers
from adcompile.analysis.containers import raises
from adcompile.analysis.guards import hook, relied_on, said, says
from adcompile.analysis.heap import cell_of, fresh, look, read, write
from adcompile.analysis.lifetimes import MAKING_WEAK, WEAK, check_finalised, check_weak
from adcompile.analysis.raising import tried
from adcompile.analysis.said import getters
from adcompile.analysis.slots import slot_value
from adcompile.analysis.standins import STANDINS, stand_in
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.abstract import is_followed
from adcompile.ir.nodes import Atom, Const, Signature
from adcompile.ir.types import Cell, DictT, Instance, Known, ListT, ObjectT, Ref, Seq, Unknown
from adcompile.runtime.objects import stated

# -- construction -------------------------------------------------------------------------------


@handles(issubclass, look=())
def is_subclass(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Const | None:
    asked = [b.value(key) for a in args if b.known(key := b.key(a))]
    if len(asked) != 2 or not all(isinstance(cls, type) for cls in (asked[0], *spread(asked[1]))):
        return None
    return Const(issubclass(relied_on(b, asked[:1])[0], asked[1]))


def spread(classes: Any) -> tuple[Any, ...]:
    return classes if isinstance(classes, tuple) else (classes,)


def new_object(b: Builder, cls: type, name: str, place: Place | None) -> Const:
    return fresh(b, cls, b.build(ObjectT(cls, (), ()), [], name), name or cls.__name__.lower(), place)


def construct(b: Builder, cls: type, args: Args, kwargs: Kwargs, name: str, place: Place | None) -> Atom | None:
    """`cls(…)`: what __new__ and __init__ do, followed."""
    check_finalised(cls, place)
    if issubclass(cls, WEAK):
        check_weak(b, args, place)
    if place in b.context.demoted:
        return None
    cls = stand_in(cls, args) or cls
    if not is_followed(cls) and cls not in STANDINS:
        return None
    if getattr(cls, "__abstractmethods__", None):
        missing = ", ".join(sorted(cls.__abstractmethods__))  # type: ignore[attr-defined]
        message = f"Can't instantiate abstract class {cls.__name__} with abstract methods {missing}"
        raise raises(TypeError(message), place)
    maker = said(b, cls, "__new__")
    maker = maker.__func__ if isinstance(maker, staticmethod) else maker
    made: Atom = new_object(b, cls, name, place)
    if isinstance(maker, FunctionType):
        made = dispatch(b, Const(maker), [Const(cls), *args], kwargs, name, place)
    cell = cell_of(made)
    if cell is None:
        initialise_found(b, cls, made, args, kwargs, place)
    elif issubclass(cell.cls, cls):
        initialise(b, cell, args, kwargs, place, isinstance(maker, FunctionType))
    return made


makers.append(construct)


def initialise(b: Builder, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None, by_new: bool) -> None:
    init = said(b, cell.cls, "__init__")
    home = next((c for c in cell.cls.__mro__ if "__init__" in vars(c)), object)
    if isinstance(init, FunctionType):
        run_init(b, home, init, cell, args, kwargs, place)
    elif cell.cls is SimpleNamespace and not args:
        for attribute, value in kwargs:
            put(b, cell, attribute, value, place)
    elif (args or kwargs) and not by_new:
        raise raises(TypeError(f"{cell.cls.__name__}() takes no arguments"), place)


def initialise_found(b: Builder, cls: type, made: Atom, args: Args, kwargs: Kwargs, place: Place | None) -> None:
    """`__init__` of an object that `__new__` has found: Python runs it again."""
    t = b.type(made)
    if isinstance(t, Unknown):
        message = f"an object of {cls.__name__}, or of another class, that its __new__ finds when the code runs"
        raise Unsupported(message, place, "look the object up in a function, and construct those that are new")
    known = type(t.value) if isinstance(t, Known) else t.cls if isinstance(t, (Instance, ObjectT)) else object
    init = said(b, known, "__init__")
    if issubclass(known, cls) and isinstance(init, FunctionType):
        dispatch(b, Const(init), [made, *args], kwargs, "", place)


def run_init(
    b: Builder, home: type, init: FunctionType, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None
) -> None:
    if is_generated(home, init):
        initialise_dataclass(b, home, cell, args, kwargs, place)
    else:
        dispatch(b, Const(init), [Const(cell), *args], kwargs, "", place)


def is_generated(home: type, method: FunctionType) -> bool:
    """Whether a dataclass got this method from the decorator."""
    return "__dataclass_fields__" in vars(home) and method.__code__.co_filename == "<string>"


class Factory:
    """Stands for a default that a factory makes."""

    def __init__(self, make: Any) -> None:
        self.make = make


def initialise_dataclass(b: Builder, cls: type, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None) -> None:
    fields: dict[str, Any] = cls.__dataclass_fields__  # type: ignore[attr-defined]
    kinds = {n: f._field_type.name for n, f in fields.items() if f._field_type.name != "_FIELD_CLASSVAR"}
    wanted = [fields[n] for n in kinds if fields[n].init]
    positional = [f for f in wanted if not f.kw_only]
    keyword = [f for f in wanted if f.kw_only]
    signature = Signature(tuple(f.name for f in positional), keyword_only=tuple(f.name for f in keyword))
    defaults = [d for f in positional if (d := default_of(f)) is not None]
    kwdefaults: dict[str, Atom] = {f.name: d for f in keyword if (d := default_of(f)) is not None}
    bound = bind(b, "__init__", signature, args, kwargs, defaults, kwdefaults, place)
    given = dict(zip((f.name for f in (*positional, *keyword)), bound))
    extra: list[Atom] = []
    for name, kind in kinds.items():
        value = given.get(name) or (default_of(fields[name]) if not fields[name].init else None)
        if isinstance(value, Const) and isinstance(value.value, Factory):
            value = dispatch(b, Const(value.value.make), [], [], name, place)
            value = celled(b, value, name, place)
        if kind == "_FIELD_INITVAR":
            extra.append(given[name])
        elif value is not None and (name in given or fields[name].default_factory is not dataclasses.MISSING):
            put(b, cell, name, value, place)
    if hasattr(cls, "__post_init__"):
        dispatch(b, Const(said(b, cell.cls, "__post_init__")), [Const(cell), *extra], [], "", place)


def default_of(f: Any) -> Const | None:
    if f.default is not dataclasses.MISSING:
        return Const(f.default)
    return None if f.default_factory is dataclasses.MISSING else Const(Factory(f.default_factory))


def celled(b: Builder, value: Atom, name: str, place: Place | None) -> Atom:
    """A list or dict that a call outside the program's own statements has made, as a cell."""
    t = b.type(value)
    if isinstance(t, (ListT, DictT)) or isinstance(t, Seq) and t.cls is list:
        return fresh(b, dict if isinstance(t, DictT) else list, value, name, place)
    return value


@handles(object.__new__, look=())
def object_new(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if not args or not b.known(args[0]) or not is_followed(b.value(args[0])):
        return None
    check_finalised(b.value(args[0]), place)
    return new_object(b, b.value(args[0]), name, place)


@handles(*MAKING_WEAK, look=())
def weak(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> None:
    check_weak(b, [*args, *(v for _, v in kwargs)], place)


@handles_cells(object.__init__)
def object_init(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return Const(None)


# -- attributes ---------------------------------------------------------------------------------


def put(b: Builder, cell: Cell, name: str, value: Atom, place: Place | None) -> None:
    """Set an attribute of the object itself."""
    content = read(b, cell, place)
    t = b.type(content)
    assert isinstance(t, ObjectT)
    items = dict(zip(t.names, b.items(content)))
    items[name] = value
    write(b, cell, b.build(ObjectT(cell.cls, tuple(items), ()), list(items.values()), cell.name, place), place)


def is_object(b: Builder, atom: Atom) -> bool:
    t = b.type(atom)
    return isinstance(t, Ref) and t.cell.cls not in (list, dict, ops.Variable)


def check_kept(attribute: str, place: Place | None) -> None:
    """Raise Unsupported where an object becomes one of another class, or gets all of its attributes at once."""
    if attribute in ("__class__", "__dict__"):
        raise Unsupported(f"{attribute} of an object is set", place, "make a new object of the class that is wanted")


@handles_cells(setattr)
def set_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell, attribute = cell_of(args[0]), args[1]
    if cell is None or not is_object(b, args[0]) or not b.known(attribute):
        return None
    check_kept(b.value(attribute), place)
    setter = hook(b, cell.cls, "__setattr__")
    if setter is not None:
        home = next(c for c in cell.cls.__mro__ if "__setattr__" in vars(c))
        if is_generated(home, setter):
            error = dataclasses.FrozenInstanceError(f"cannot assign to field {b.value(attribute)!r}")
            raise raises(error, place)
        dispatch(b, Const(setter), list(args), [], "", place)
        return Const(None)
    return plain_set(b, args, kwargs, place, name)


@handles_cells(object.__setattr__)
def plain_set(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None or not is_object(b, args[0]) or not b.known(args[1]):
        return None
    attribute: str = b.value(args[1])
    found = stated(cell.cls, attribute)
    if isinstance(found, property):
        if not isinstance(found.fset, FunctionType):
            raise raises(AttributeError(f"property {attribute!r} of {cell.cls.__name__!r} object has no setter"), place)
        dispatch(b, Const(found.fset), [args[0], args[2]], [], "", place)
    elif isinstance(setter := stated(type(found), "__set__"), FunctionType):
        dispatch(b, Const(setter), [there(b, found, "", place), args[0], args[2]], [], "", place)
    elif not may_hold(cell.cls, attribute):
        raise raises(AttributeError(f"{cell.cls.__name__!r} object has no attribute {attribute!r}"), place)
    else:
        put(b, cell, attribute, args[2], place)
    return Const(None)


def may_hold(cls: type, attribute: str) -> bool:
    """Whether objects of the class can have an attribute of this name: __slots__ says which."""
    return cls.__dictoffset__ != 0 or isinstance(stated(cls, attribute), MemberDescriptorType)


@handles_cells(delattr)
def delete_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None or not is_object(b, args[0]):
        return None
    deleter = hook(b, cell.cls, "__delattr__")
    if deleter is not None:
        home = next(c for c in cell.cls.__mro__ if "__delattr__" in vars(c))
        if is_generated(home, deleter) and b.known(args[1]):
            error = dataclasses.FrozenInstanceError(f"cannot delete field {b.value(args[1])!r}")
            raise raises(error, place)
        dispatch(b, Const(deleter), list(args), [], "", place)
        return Const(None)
    return plain_delete(b, args, kwargs, place, name)


@handles_cells(object.__delattr__)
def plain_delete(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None or not is_object(b, args[0]) or not b.known(args[1]):
        return None
    found = stated(cell.cls, b.value(args[1]))
    if isinstance(found, property):
        if not isinstance(found.fdel, FunctionType):
            message = f"property {b.value(args[1])!r} of {cell.cls.__name__!r} object has no deleter"
            raise raises(AttributeError(message), place)
        dispatch(b, Const(found.fdel), [args[0]], [], "", place)
        return Const(None)
    if isinstance(remover := stated(type(found), "__delete__"), FunctionType):
        dispatch(b, Const(remover), [there(b, found, "", place), args[0]], [], "", place)
        return Const(None)
    content = read(b, cell, place)
    items = dict(zip(b.type(content).names, b.items(content)))  # type: ignore[union-attr]
    if b.value(args[1]) not in items:
        raise raises(AttributeError(b.value(args[1])), place)
    del items[b.value(args[1])]
    write(b, cell, b.build(ObjectT(cell.cls, tuple(items), ()), list(items.values()), cell.name, place), place)
    return Const(None)


def read_attribute(
    b: Builder, owner: Atom, t: ObjectT, attribute: str, args: Args, name: str, place: Place | None
) -> Atom | None:
    """An attribute of an object whose attributes are known; None for what its class alone says."""
    if len(args) == 3:
        value = tried(b, lambda: attribute_of(b, owner, attribute, name, place), AttributeError, place)
        return args[2] if value is None else value
    reader = hook(b, t.cls, "__getattribute__")
    if reader is not None:
        return intercepted(b, owner, t.cls, reader, attribute, name, place)
    fallback = hook(b, t.cls, "__getattr__") if getters(t.cls, attribute, asked=False) else None
    if fallback is None:
        return read_plainly(b, owner, t, attribute, name, place)

    def computed() -> Atom:
        value = read_plainly(b, owner, t, attribute, name, place, falls_back=False)
        return said_by_class(b, owner, t, t.cls, attribute, args, name, place) if value is None else value

    return or_asked(b, computed, fallback, owner, Const(attribute), name, place)


def attribute_of(b: Builder, owner: Atom, attribute: str, name: str, place: Place | None) -> Atom:
    return dispatch(b, Const(getattr), [owner, Const(attribute)], [], name, place)


def intercepted(
    b: Builder, owner: Atom, cls: type, reader: FunctionType, attribute: str, name: str, place: Place | None
) -> Atom:
    """What a class with `__getattribute__` says of every name; `__getattr__` is asked where that finds nothing."""
    fallback = hook(b, cls, "__getattr__")
    if fallback is None:
        return dispatch(b, Const(reader), [owner, Const(attribute)], [], name, place)

    def read() -> Atom:
        return dispatch(b, Const(reader), [owner, Const(attribute)], [], name, place)

    return or_asked(b, read, fallback, owner, Const(attribute), name, place)


@handles_cells(object.__getattribute__)
def plain_get(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(look(b, args[0], place))
    if len(args) != 2 or not isinstance(t, ObjectT) or not b.known(args[1]):
        return None
    attribute: str = b.value(args[1])
    value = assigned_by_class(b, args[0], t, t.cls, None, attribute, place)
    if value is None:
        value = read_plainly(b, args[0], t, attribute, name, place, falls_back=False)
    return said_by_class(b, args[0], t, t.cls, attribute, args, name, place) if value is None else value


def read_plainly(
    b: Builder, owner: Atom, t: ObjectT, attribute: str, name: str, place: Place | None, falls_back: bool = True
) -> Atom | None:
    """An attribute as `object.__getattribute__` reads it; where there is none `falls_back` to `__getattr__`."""
    found = stated(t.cls, attribute)
    getter = stated(type(found), "__get__")
    setter = stated(type(found), "__set__")
    if isinstance(getter, FunctionType) and (setter is not None or attribute not in t.names):
        return dispatch(b, Const(getter), [there(b, found, "", place), owner, Const(t.cls)], [], name, place)
    if isinstance(found, property):
        return None
    if attribute in t.names:
        held = owner if cell_of(owner) is None else read(b, cell_of(owner), place)  # type: ignore[arg-type]
        outer, b.place = b.place, place or b.place
        value = b.item(held, t.names.index(attribute))
        b.place = outer
        return value
    if attribute in ("__dict__", "__slots__"):
        raise Unsupported(f"{attribute} of an object that is followed", place, "name the attributes: self.x = x")
    if not has_of_class(t.cls, attribute):
        says(b, t.cls, attribute)  # it may, later
        fallback = hook(b, t.cls, "__getattr__")
        if fallback is not None and falls_back:
            return dispatch(b, Const(fallback), [owner, Const(attribute)], [], name, place)
        raise raises(AttributeError(f"{t.cls.__name__!r} object has no attribute {attribute!r}"), place)
    return None


@handles(functools.cached_property.__get__, look=())
def read_cached(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """What a `cached_property` computes once, and the object holds from then on."""
    owner, cell = args[1], cell_of(args[1])
    found: Any = b.value(args[0]) if b.known(args[0]) else b.context.example.get(args[0])  # type: ignore[arg-type]
    if not isinstance(found, functools.cached_property) or b.known(owner):
        return None
    held = owner if cell is None else read(b, cell, place)
    t, attribute = b.type(held), found.attrname
    if not isinstance(t, ObjectT) or attribute is None:
        what = "a cached_property of an object that is not followed here"
        remedy = "read it once in front of the loop or the branch, or make it a plain property"
        raise Unsupported(what, place, remedy)
    if attribute in t.names:
        return b.item(held, t.names.index(attribute))
    if t.cls.__dictoffset__ == 0:
        message = f"No '__dict__' attribute on {t.cls.__name__!r} instance to cache {attribute!r} property."
        raise raises(TypeError(message), place)
    value = dispatch(b, Const(found.func), [owner], [], name, place)
    if cell is not None:
        put(b, cell, attribute, value, place)
    return value


def has_of_class(cls: type, attribute: str) -> bool:
    """Whether a class says anything of a name, but that its objects may hold it (__slots__)."""
    return any(attribute in vars(c) for c in cls.__mro__) and not isinstance(
        stated(cls, attribute), MemberDescriptorType
    )


object_readers.append(read_attribute)


@handles_cells(hasattr)
def has_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    t = b.type(args[0] if cell is None else read(b, cell, place))  # in a recursive function it is a value
    if not isinstance(t, ObjectT) or not b.known(args[1]):
        return None
    attribute: str = b.value(args[1])
    if attribute not in t.names:
        says(b, t.cls, attribute)
    if slot_value(b, t.cls, attribute, place) is not None:
        return Const(True)
    found = stated(t.cls, attribute)
    if getters(t.cls, attribute) or isinstance(found, property):
        value = tried(b, lambda: attribute_of(b, args[0], attribute, name, place), AttributeError, place)
        return Const(value is not None)
    return Const(attribute in t.names or found is not None and not isinstance(found, MemberDescriptorType))
