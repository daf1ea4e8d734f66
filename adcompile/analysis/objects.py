"""Objects: construction, attributes and the methods behind operators, all followed into the class.

What an object holds is a value of type ObjectT: its attributes by name, in the order in which they
were set. Only classes written in Python are followed, whose objects hold nothing else.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Sequence
from types import FunctionType, MemberDescriptorType, SimpleNamespace
from typing import Any

from adcompile.analysis.attributes import class_attributes, descriptor_of, object_readers
from adcompile.analysis.binding import bind
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import cell_handlers, dispatch, handles, handles_cells, makers
from adcompile.analysis.containers import entry, others, raises
from adcompile.analysis.heap import cell_of, fresh, read, write
from adcompile.analysis.library import has_operators
from adcompile.analysis.operands import check_order, number_takes
from adcompile.analysis.standins import STANDINS, stand_in
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.abstract import is_followed
from adcompile.ir.nodes import Atom, Const, Signature
from adcompile.ir.types import Cell, DictT, Instance, Known, ListT, ObjectT, Ref, Seq, TupleT
from adcompile.runtime.structure import ARITHMETIC

# -- construction -------------------------------------------------------------------------------


def method_of(cls: type, name: str) -> Any:
    """What a class says of a name, as it stands there."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def new_object(b: Builder, cls: type, name: str, place: Place | None) -> Const:
    return fresh(b, cls, b.build(ObjectT(cls, (), ()), [], name), name or cls.__name__.lower(), place)


def construct(b: Builder, cls: type, args: Args, kwargs: Kwargs, name: str, place: Place | None) -> Atom | None:
    """`cls(…)`: what __new__ and __init__ do, followed."""
    if place in b.context.demoted:
        return None
    cls = stand_in(cls, args) or cls
    if not is_followed(cls) and cls not in STANDINS:
        return None
    if getattr(cls, "__abstractmethods__", None):
        missing = ", ".join(sorted(cls.__abstractmethods__))  # type: ignore[attr-defined]
        message = f"Can't instantiate abstract class {cls.__name__} with abstract methods {missing}"
        raise raises(TypeError(message), place)
    maker = method_of(cls, "__new__")
    maker = maker.__func__ if isinstance(maker, staticmethod) else maker
    made: Atom = new_object(b, cls, name, place)
    if isinstance(maker, FunctionType):
        made = dispatch(b, Const(maker), [Const(cls), *args], kwargs, name, place)
    cell = cell_of(made)
    if cell is None or not issubclass(cell.cls, cls):
        return made
    initialise(b, cell, args, kwargs, place, isinstance(maker, FunctionType))
    return made


makers.append(construct)


def initialise(b: Builder, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None, by_new: bool) -> None:
    init = method_of(cell.cls, "__init__")
    home = next((c for c in cell.cls.__mro__ if "__init__" in vars(c)), object)
    if isinstance(init, FunctionType):
        run_init(b, home, init, cell, args, kwargs, place)
    elif cell.cls is SimpleNamespace and not args:
        for attribute, value in kwargs:
            put(b, cell, attribute, value, place)
    elif (args or kwargs) and not by_new:
        raise raises(TypeError(f"{cell.cls.__name__}() takes no arguments"), place)


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


def initialise_dataclass(
    b: Builder, cls: type, cell: Cell, args: Args, kwargs: Kwargs, place: Place | None
) -> None:
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
        dispatch(b, Const(method_of(cell.cls, "__post_init__")), [Const(cell), *extra], [], "", place)


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
    return new_object(b, b.value(args[0]), name, place)


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


@handles_cells(setattr)
def set_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell, attribute = cell_of(args[0]), args[1]
    if cell is None or not is_object(b, args[0]) or not b.known(attribute):
        return None
    setter = method_of(cell.cls, "__setattr__")
    if isinstance(setter, FunctionType):
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
    found = method_of(cell.cls, attribute)
    if isinstance(found, property):
        if not isinstance(found.fset, FunctionType):
            raise raises(AttributeError(f"property {attribute!r} of {cell.cls.__name__!r} object has no setter"), place)
        dispatch(b, Const(found.fset), [args[0], args[2]], [], "", place)
    elif isinstance(setter := method_of(type(found), "__set__"), FunctionType):
        dispatch(b, Const(setter), [Const(found), args[0], args[2]], [], "", place)
    elif not may_hold(cell.cls, attribute):
        raise raises(AttributeError(f"{cell.cls.__name__!r} object has no attribute {attribute!r}"), place)
    else:
        put(b, cell, attribute, args[2], place)
    return Const(None)


def may_hold(cls: type, attribute: str) -> bool:
    """Whether objects of the class can have an attribute of this name: __slots__ says which."""
    return cls.__dictoffset__ != 0 or isinstance(method_of(cls, attribute), MemberDescriptorType)


@handles_cells(delattr, object.__delattr__)
def delete_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None or not is_object(b, args[0]) or not b.known(args[1]):
        return None
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
    if isinstance(method_of(t.cls, "__getattribute__"), FunctionType):
        message = f"{t.cls.__name__} has a __getattribute__ of its own"
        raise Unsupported(message, place, "write __getattr__, or properties")
    found = descriptor_of(t.cls, attribute)
    if isinstance(found, functools.cached_property) and attribute not in t.names:
        value = dispatch(b, Const(found.func), [owner], [], name, place)
        if cell_of(owner) is not None:
            put(b, cell_of(owner), attribute, value, place)  # type: ignore[arg-type]
        return value
    getter = method_of(type(found), "__get__")
    setter = method_of(type(found), "__set__")
    if isinstance(getter, FunctionType) and (setter is not None or attribute not in t.names):
        return dispatch(b, Const(getter), [Const(found), owner, Const(t.cls)], [], name, place)
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
        fallback = method_of(t.cls, "__getattr__")
        if isinstance(fallback, FunctionType):
            return dispatch(b, Const(fallback), [owner, Const(attribute)], [], name, place)
        if len(args) == 3:
            return args[2]
        raise raises(AttributeError(f"{t.cls.__name__!r} object has no attribute {attribute!r}"), place)
    return None


def has_of_class(cls: type, attribute: str) -> bool:
    """Whether a class says anything of a name, but that its objects may hold it (__slots__)."""
    return any(attribute in vars(c) for c in cls.__mro__) and not isinstance(
        descriptor_of(cls, attribute), MemberDescriptorType
    )


object_readers.append(read_attribute)


@handles_cells(hasattr)
def has_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    cell = cell_of(args[0])
    if cell is None or not is_object(b, args[0]) or not b.known(args[1]):
        return None
    t = b.type(read(b, cell, place))
    found = method_of(cell.cls, b.value(args[1]))
    return Const(isinstance(t, ObjectT) and b.value(args[1]) in t.names or found is not None and not isinstance(
        found, MemberDescriptorType
    ))  # fmt: skip


# -- operators ----------------------------------------------------------------------------------

COMPARED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
SPECIAL: dict[Any, str] = {
    operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__", abs: "__abs__", len: "__len__",
    operator.getitem: "__getitem__", operator.setitem: "__setitem__", operator.delitem: "__delitem__",
    operator.contains: "__contains__", float: "__float__", int: "__int__", str: "__str__", repr: "__repr__",
    round: "__round__", iter: "__iter__", next: "__next__", hash: "__hash__",
}  # fmt: skip
NOT = Const(NotImplemented)


def operator_named(name: str) -> Any:
    return getattr(operator, name + "_" if name in ("and", "or", "not") else name)


def method_call(b: Builder, owner: Atom, name: str, rest: Sequence[Atom], place: Place | None) -> Atom:
    """`type(owner).name(owner, …)`, or NotImplemented where the class has no such method."""
    cls = class_named(b, owner)
    method = None if cls is None else method_of(cls, name)
    if not isinstance(method, FunctionType) or cls is None:
        return NOT
    home = next(c for c in cls.__mro__ if name in vars(c))
    if is_generated(home, method):
        return generated(b, home, owner, name, rest, place)
    return dispatch(b, Const(method), [owner, *rest], [], "", place)


def generated(b: Builder, cls: type, owner: Atom, name: str, rest: Sequence[Atom], place: Place | None) -> Atom:
    """What a dataclass compares: the tuples of its fields."""
    fields = [f.name for f in dataclasses.fields(cls) if f.compare]
    same = rest and b.type(rest[0]) != Known(None) and class_named(b, rest[0]) is class_named(b, owner)
    if not same or name not in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__"):
        return NOT
    rows = [b.build(TupleT(()), [b.call(getattr, x, f) for f in fields]) for x in (owner, rest[0])]
    return b.call(operator_named(name.strip("_")), *rows, place=place)


def class_named(b: Builder, atom: Atom) -> type | None:
    """The class whose methods say what operators do: of an object, and of a namedtuple."""
    t = b.type(atom)
    if isinstance(t, Ref):
        return t.cell.cls
    return t.cls if isinstance(t, (ObjectT, TupleT)) or isinstance(t, Instance) and has_operators(b, atom) else None


def is_not_implemented(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is NotImplemented


def binary(name: str, reflected: str) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, _: str) -> Atom | None:
        left, right = args
        out = method_call(b, left, f"__{name}__", [right], place)
        if is_not_implemented(out):
            cls = class_named(b, right) or object
            if number_takes(b.type(left), cls):
                return None
            check_order(b.type(left), cls, f"__{reflected}__", place)
            out = method_call(b, right, f"__{reflected}__", [left], place)
        if not is_not_implemented(out):
            return out
        if any(compares_itself(class_named(b, a)) for a in args):
            return None
        if name in ("eq", "ne") and all(is_object(b, a) for a in args):
            return Const((cell_of(left) is cell_of(right)) is (name == "eq"))
        if name == "ne" and any(is_object(b, a) for a in args):
            return b.call(operator.not_, b.call(operator.eq, left, right))
        return None

    return handler


def compares_itself(cls: type | None) -> bool:
    """Whether objects are compared by a method that is not written in Python."""
    method = method_of(cls or object, "__eq__")
    return method is not object.__eq__ and not isinstance(method, FunctionType)


def in_place(name: str) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, hint: str) -> Atom | None:
        if not any(is_object(b, a) or has_operators(b, a) for a in args):
            return None
        out = method_call(b, args[0], f"__i{name}__", args[1:], place)
        return dispatch(b, Const(operator_named(name)), args, [], hint, place) if is_not_implemented(out) else out

    return handler


def special(name: str) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, _: str) -> Atom | None:
        if kwargs or class_named(b, args[0]) is None:
            return None
        out = method_call(b, args[0], name, args[1:], place)
        return None if is_not_implemented(out) else out

    return handler


def register(fn: Any, handler: Callable[..., Atom | None]) -> None:
    others[fn] = handler
    if fn not in cell_handlers:
        cell_handlers[fn] = entry(fn)


for _name in ARITHMETIC:
    register(operator_named(_name), binary(_name, f"r{_name}"))
    register(operator_named("i" + _name), in_place(_name))
for _name, _reflected in COMPARED.items():
    register(operator_named(_name), binary(_name, _reflected))
for _fn, _name in SPECIAL.items():
    register(_fn, special(_name))


def truth(b: Builder, owner: Atom, place: Place | None) -> Atom:
    """`bool(owner)` of an object."""
    out = method_call(b, owner, "__bool__", [], place)
    if is_not_implemented(out):
        out = method_call(b, owner, "__len__", [], place)
        return Const(True) if is_not_implemented(out) else b.call(operator.ne, out, 0)
    return out


@handles_cells(bool)
def to_bool(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return truth(b, args[0], place) if is_object(b, args[0]) else None


__all__ = ["class_attributes", "truth"]
