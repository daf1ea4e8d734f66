"""Attributes: of arrays and numbers, objects and their classes, modules and what else is known."""

from __future__ import annotations

import enum
import functools
import threading
import types as python_types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adcompile.analysis.binding import owner_of_data, there
from adcompile.analysis.builder import Builder, rank
from adcompile.analysis.callbacks import methods_write
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.guards import guard_absent, guard_class, guard_own, hook, says
from adcompile.analysis.heap import ROUND, cell_of, give, look, owner_of, refuse
from adcompile.analysis.laziness import check_unmoved
from adcompile.analysis.library import is_of_user
from adcompile.analysis.live import live_type, type_at
from adcompile.analysis.raising import tried
from adcompile.analysis.reach import met
from adcompile.analysis.said import as_said, getters, is_bound, is_of_members, is_special, is_unset, may_hide
from adcompile.analysis.slots import (
    beware,
    check_unknown_owner,
    live_value,
    note_read,
    run_as_written,
    runs_as_written,
    slot_value,
)
from adcompile.analysis.spectra import may_be_real
from adcompile.analysis.structure import DATA, Args, Kwargs, load_global, member
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place, Unsupported
from adcompile.ir.abstract import is_installed
from adcompile.ir.nodes import Atom, Const, GlobalRef, Raise, Var
from adcompile.ir.types import (
    NEVER,
    UNKNOWN,
    Around,
    Array,
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Method,
    ObjectT,
    RangeT,
    Ref,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    join,
    widen,
)
from adcompile.runtime.objects import HEAP_TYPE, stated

class_attributes: dict[type, Callable[..., Atom]] = {}
"""Attributes of bound values by the class of what is bound (super)."""
object_readers: list[Callable[..., Atom | None]] = []
"""Attributes of objects whose attributes are known (analysis/objects)."""
MISSING = object()
OF_ITS_CLASS = frozenset("T mT H I real imag flat base".split())
"""Attributes that an array of a subclass has as such."""
OF_KNOWN_CLASS = (Array, Scalar, SliceT, RangeT, Seq, ListT, DictT, TupleT)
"""Values whose class says itself what `__class__` is: what `type` gives."""
named_attributes: list[Callable[..., Atom | None]] = []
"""Attributes of namedtuples other than their fields."""


@handles(getattr, look=())
def get_attribute(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    owner = args[0]
    t = b.type(owner)
    if not b.known(args[1]):
        cell = cell_of(owner)
        if cell is not None and methods_write(cell.cls):
            refuse(b, cell, "is asked here for an attribute whose name is met when the code runs", place)
        if not isinstance(t, Known) or not is_of_user(t.value):
            return None
        target = owner_of_data(b, t.value, place)
        beware(b, None)
        return b.emit(getattr, (target, *args[1:]), UNKNOWN, (), name, place)
    attribute: str = b.value(args[1])
    if attribute == "__class__" and isinstance(t, OF_KNOWN_CLASS):
        return dispatch(b, Const(type), [owner], [], name, place)
    if isinstance(t, IterT) and attribute in ("__next__", "__iter__", "__reduce__", "__setstate__", "__length_hint__"):
        raise Unsupported(f"{attribute} of an iterator", place, "use next(items), iter(items) or a loop")
    if isinstance(t, Method) and type(t.function) in class_attributes:
        return class_attributes[type(t.function)](b, t.function, owner_of(b, owner, place), attribute, place)
    if isinstance(t, Around) and ROUND in b.context.demoted:
        raise Unsupported("an object that holds itself, where it is not followed", place, "read it by another way")
    if isinstance(t, Known):
        return known_attribute(b, owner, t.value, attribute, args, name, place)
    if owner in b.context.flat_of:
        return flat_attribute(b, owner, attribute, args, name, place)
    if isinstance(t, (Array, Scalar)):
        return array_attribute(b, owner, t, attribute, args, name, place)
    if isinstance(t, TupleT) and attribute in getattr(t.cls, "_fields", ()) and is_field(t.cls, attribute):
        return b.item(owner, t.cls._fields.index(attribute))  # type: ignore[attr-defined]
    if isinstance(t, TupleT) and t.cls is not tuple:
        for reader in named_attributes:
            read = reader(b, t, owner, attribute)
            if read is not None:
                return read
    check_unknown_owner(b, owner, t, attribute)
    cls = class_of(t)
    if isinstance(t, Ref):
        t = b.type(look(b, owner, place))
    if isinstance(t, SliceT) and attribute in ("start", "stop", "step"):
        return b.items(owner)[("start", "stop", "step").index(attribute)]
    if isinstance(t, SliceT):
        if not hasattr(slice, attribute):
            return missing_attribute(slice, attribute, args, place)
        return b.emit(getattr, (owner, args[1]), Method(getattr(slice, attribute), t), (), attribute, place)
    if cls is None:
        check_unmoved(b, owner, place)
        return b.emit(getattr, args[:2] if len(args) == 2 else args, UNKNOWN, (), name, place)
    return class_attribute(b, owner, t, cls, attribute, args, name, place)


class _Record(NamedTuple):
    field: object


FIELD = type(vars(_Record)["field"])


def is_field(cls: type, attribute: str) -> bool:
    """Whether a namedtuple reads a field of its own: the user may have put something else in its place."""
    return not is_of_user(cls) or isinstance(stated(cls, attribute), FIELD)


ITERATORS: dict[str, type] = {
    "zip": zip, "enumerate": enumerate, "keys": type({}.keys()), "values": type({}.values()), "items": type({}.items()),
    "generator": python_types.GeneratorType,
}  # fmt: skip


def class_of(t: Type) -> type | None:
    match t:
        case TupleT(_, cls):
            return cls
        case ListT():
            return list
        case DictT():
            return dict
        case Seq(_, cls) | Instance(cls) | ObjectT(cls):
            return cls
        case Ref(cell):
            return cell.cls
        case RangeT():
            return range
        case IterT(kind, _):
            return ITERATORS.get(kind)
        case Closure():
            return python_types.FunctionType
        case _:
            return None


def classes_of(t: Type) -> tuple[type, ...] | None:
    """The classes a value may have, if the type says."""
    match t:
        case Known(value):
            return (type(value),)
        case Scalar(kinds):
            return tuple(kinds)
        case Array(dtype, None):
            return (np.ndarray, dtype.type)  # an item of an array of any rank may be a number
        case Array():
            return (np.ndarray,)
        case SliceT():
            return (slice,)
        case Method():
            return (python_types.MethodType,)
        case _:
            cls = class_of(t)
            return None if cls is None else (cls,)


def name_in_errors(cls: type) -> str:
    """What Python calls a class in its errors: classes that C code lays out have the names that it gave them."""
    laid_out = not cls.__flags__ & HEAP_TYPE and cls.__module__ != "builtins"
    return f"{cls.__module__}.{cls.__name__}" if laid_out else cls.__name__


def missing_attribute(cls: type, attribute: str, args: Args, place: Place | None) -> Atom:
    if len(args) == 3:
        return args[2]
    error = AttributeError(f"{name_in_errors(cls)!r} object has no attribute {attribute!r}")
    raise Terminated(Raise(Const(error), None, place))


def known_attribute(
    b: Builder, owner: Atom, value: Any, attribute: str, args: Args, name: str, place: Place | None
) -> Atom:
    """An attribute of an object met at compile time: of a module, class, function, number …"""
    assigned = slot_value(b, value, attribute, place)
    if assigned is not None:
        return assigned
    if is_of_user(type(value)) and not isinstance(value, type) and isinstance(live := there(b, value, "", place), Var):
        return dispatch(b, Const(getattr), [live, *args[1:]], [], name, place)
    if isinstance(value, enum.Enum) and attribute in vars(value) and attribute[0] != "_":
        return member(b, owner_of_data(b, value, place), attribute, getattr(value, attribute), getattr, name, place)
    if is_of_user(value) and attribute == "__dict__":
        beware(b, None)
    if runs_as_written(b, attribute) and is_of_user(value):
        return b.emit(getattr, (owner_of_data(b, value, place), *args[1:]), UNKNOWN, (), name, place)
    computed = computed_attribute(b, owner, value, attribute, name, place) if isinstance(value, type) else None
    if computed is not None:
        return computed
    if not hasattr(value, attribute):
        guard_absent(b, value, attribute)
        return missing_attribute(type(value), attribute, args, place)
    found = getattr(value, attribute)
    if isinstance(value, python_types.ModuleType) and attribute not in vars(value):
        if attribute == "__dict__":
            raise Unsupported("the names of a module as a dict", place, "read them by name: module.name")
        return b.emit(getattr, (owner_of_data(b, value, place), Const(attribute)), UNKNOWN, (), name, place)
    if isinstance(value, python_types.ModuleType) and not is_installed(value):
        ref = GlobalRef(value.__dict__, attribute, place)
        return load_global(b, [Const(ref)], [], place, name)
    fixed = isinstance(value, python_types.ModuleType) or not is_of_user(value)
    if fixed and (isinstance(value, python_types.ModuleType) or not isinstance(found, (list, dict, set, np.ndarray))):
        return Const(found)
    if not fixed:
        note_read(b, attribute)
    ref = b.context.owner(value)
    t = type_at(b, ref, (attribute,), found)
    if isinstance(t, Known):
        if not fixed and getattr(value, attribute) is found:  # not made anew at every access
            b.context.guard_type(ref, (attribute,), t)
        elif not fixed and isinstance(value, type) and any(attribute in vars(c) for c in value.__mro__):
            guard_class(b, value, attribute, as_said(stated(value, attribute)))
        return Const(found)
    var = b.emit(getattr, (owner_of_data(b, value, place), Const(attribute)), t, (), name or attribute, place)
    b.context.example[var] = found
    if not fixed:
        b.context.guard_type(ref, (attribute,), t)
    b.context.origin[var] = (ref, (attribute,))
    return var


def computed_attribute(
    b: Builder, owner: Atom, cls: type, attribute: str, name: str, place: Place | None
) -> Atom | None:
    """What code of the user's gives for an attribute of a class itself: a property of its metaclass, a
    descriptor, `__getattr__` of the metaclass. None for what the class holds."""
    meta: type = type(cls)
    above, stored = stated(meta, attribute), stated(cls, attribute)
    if isinstance(above, property) and isinstance(above.fget, python_types.FunctionType):
        return dispatch(b, Const(above.fget), [owner], [], name, place)
    for found, args in ((stored, [Const(None), owner]), (above, [owner, Const(meta)])):
        getter = stated(type(found), "__get__")
        if isinstance(getter, python_types.FunctionType):
            return dispatch(b, Const(getter), [there(b, found, "", place), *args], [], name, place)
    fallback = hook(b, meta, "__getattr__")
    known = any(attribute in vars(c) for c in (*cls.__mro__, *meta.__mro__))
    if not known and fallback is not None:
        return dispatch(b, Const(fallback), [owner, Const(attribute)], [], name, place)
    return None


def array_attribute(
    b: Builder, owner: Atom, t: Array | Scalar, attribute: str, args: Args, name: str, place: Place | None
) -> Atom:
    """Methods and data attributes of arrays and numbers become calls of their descriptors."""
    classes = [*(classes_of(t) or ())] if isinstance(t, Array) else sorted(t.kinds, key=lambda k: k.__name__)
    if any(not hasattr(cls, attribute) for cls in classes):
        if all(not hasattr(cls, attribute) for cls in classes):
            return missing_attribute(classes[0], attribute, args, place)
        return b.emit(getattr, args, UNKNOWN, (), name, place)
    descriptor = getattr(classes[0], attribute)
    if isinstance(t, Scalar) and (np.generic in classes[0].__mro__):
        descriptor = getattr(np.generic, attribute, descriptor)
    folded = folded_attribute(b, owner, t, attribute)
    if folded is not None:
        return folded
    if callable(descriptor) and not isinstance(descriptor, (python_types.GetSetDescriptorType, property)):
        return b.emit(getattr, (owner, args[1]), Method(descriptor, t), (), attribute, place)
    if attribute == "flat":
        flat = dispatch(b, Const(np.ndarray.flatten), [owner], [], name, place)
        b.context.flat_of[flat] = owner  # writes go there
        return flat
    return dispatch(b, Const(descriptor), [owner], [], name, place)


def flat_attribute(b: Builder, owner: Atom, attribute: str, args: Args, name: str, place: Place | None) -> Atom:
    """The attributes of `a.flat`, for which a copy of `a` stands."""
    whole = b.context.flat_of[owner]
    if attribute == "base":
        return whole
    if attribute == "copy":
        return b.emit(getattr, (whole, Const("flatten")), Method(np.ndarray.flatten, b.type(whole)), (), name, place)
    if not hasattr(np.flatiter, attribute):
        return missing_attribute(np.flatiter, attribute, args, place)
    raise Unsupported(f"{attribute} of an a.flat", place, "use a.ravel(), and positions in it")


def folded_attribute(b: Builder, owner: Atom, t: Array | Scalar, attribute: str) -> Atom | None:
    if attribute == "ndim" and rank(t) is not None:
        return Const(rank(t))
    if attribute == "dtype" and may_be_real(b, [t]):
        return None
    if attribute == "dtype" and isinstance(t, Array):
        return Const(t.dtype)
    if attribute == "dtype" and isinstance(t, Scalar) and len(t.kinds) == 1:
        return Const(np.dtype(next(iter(t.kinds))))
    if attribute == "shape" and isinstance(t, Scalar):
        return Const(())
    if attribute == "shape" and isinstance(t, Array) and t.dims is not None:
        items = tuple(Known(1) if d == "one" else Scalar(frozenset({int})) for d in t.dims)
        shape = b.emit(np.ndarray.shape, (owner,), TupleT(items), (), "shape")
        if all(d == "one" for d in t.dims):
            return Const((1,) * len(t.dims))
        return shape
    return None


def assigned_by_class(
    b: Builder, owner: Atom, t: Type, cls: type, example: Any, attribute: str, place: Place | None, *rest: Atom
) -> Atom | None:
    """What a class of the object has for an attribute that the program assigns, unless the object has its own."""
    own = None if example is None else live_value(b, owner, example, attribute, place)
    if own is not None:
        return own
    as_it_runs, own = runs_as_written(b, attribute), getattr(example, "__dict__", ())
    if isinstance(t, ObjectT) and attribute in t.names or attribute in own and not as_it_runs:
        return None
    said = stated(cls, attribute)
    held = isinstance(said, python_types.MemberDescriptorType) or not hasattr(type(said), "__set__")
    if as_it_runs and held and (is_of_user(cls) or attribute in own):
        return b.emit(getattr, (give(b, owner), Const(attribute), *rest), UNKNOWN, (), attribute, place)
    value = slot_value(b, cls, attribute, place)
    if value is None:
        return None
    known = not isinstance(t, Instance) or example is not None
    if not known and may_hide(b, owner, t, cls, attribute) or hasattr(met(b.type(value)), "__get__"):
        run_as_written(b, attribute)
    return value


def class_attribute(
    b: Builder, owner: Atom, t: Type, cls: type, attribute: str, args: Args, name: str, place: Place | None
) -> Atom:
    """An attribute of an object: its class's property or method, or its own data, read live."""
    if attribute == "__class__":
        return Const(cls)
    example = b.context.example.get(owner) if isinstance(owner, Var) else None
    assigned, asked = None, hook(b, cls, "__getattribute__") is not None
    if asked and not isinstance(t, ObjectT) or issubclass(cls, threading.local):  # each thread has others
        return b.emit(getattr, args, UNKNOWN, (), name, place)
    if not asked:
        assigned = assigned_by_class(b, owner, t, cls, example, attribute, place, *args[2:])
    if assigned is not None:
        return assigned
    if isinstance(t, ObjectT):
        for reader in object_readers:
            value = reader(b, owner, t, attribute, args, name, place)
            if value is not None:
                return value
    return said_by_class(b, owner, t, cls, attribute, args, name, place)


def said_by_class(
    b: Builder, owner: Atom, t: Type, cls: type, attribute: str, args: Args, name: str, place: Place | None
) -> Atom:
    """`class_attribute` of what no reader has found."""
    example = b.context.example.get(owner) if isinstance(owner, Var) else None
    if example is None and issubclass(cls, enum.Enum) and is_of_members(cls, attribute):
        of_each = [widen(live_type(getattr(m, attribute))) for m in cls]
        return b.emit(getattr, args[:2], functools.reduce(join, of_each, NEVER), (), name, place)
    found = stated(cls, attribute, MISSING)
    own = getattr(example, "__dict__", {})
    if found is not MISSING and attribute not in own:
        guard_class(b, cls, attribute, as_said(found))
        hidden = example is None and not isinstance(t, ObjectT) and may_hide(b, owner, t, cls, attribute)
        if hidden and not isinstance(found, property):
            return b.emit(getattr, args, UNKNOWN, (), name, place)
        if example is not None and is_special(found) and not hasattr(type(found), "__set__"):
            guard_own(b, owner, example, attribute)
    if is_unset(example, found):
        return b.emit(getattr, args, UNKNOWN, (), name, place)
    if attribute in own or found is MISSING:
        if example is None and cls not in (list, dict, tuple, range):
            return b.emit(getattr, args, UNKNOWN, (), name, place)
        fallback = None if attribute in own or example is None else hook(b, cls, "__getattr__")
        if fallback is not None and (len(args) == 2 or hasattr(example, attribute)):
            says(b, cls, attribute)
            guard_own(b, owner, example, attribute)
            return dispatch(b, Const(fallback), [owner, args[1]], [], name, place)
        if example is None or not hasattr(example, attribute):
            says(b, cls, attribute)
            guard_own(b, owner, example, attribute)
            return missing_attribute(cls, attribute, args, place)
        return member(b, owner, attribute, getattr(example, attribute), getattr, name, place)
    if len(args) == 3 and getters(cls, attribute):
        value = tried(b, lambda: dispatch(b, Const(getattr), args[:2], [], name, place), AttributeError, place)
        return args[2] if value is None else value
    fallback = hook(b, cls, "__getattr__") if getters(cls, attribute, asked=False) else None
    if fallback is not None:  # what is computed may raise AttributeError
        return or_asked(
            b, lambda: computed_by_class(b, owner, cls, found, args, name, place), fallback, owner, args[1], name, place
        )
    if getters(cls, attribute, asked=False) or isinstance(found, property):
        return computed_by_class(b, owner, cls, found, args, name, place)
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    if isinstance(found, classmethod):
        return b.emit(getattr, (Const(cls), args[1]), Method(found.__func__, Known(cls)), (), attribute, place)
    if callable(found) and is_bound(found):
        return b.emit(getattr, (owner, args[1]), Method(found, b.type(owner)), (), attribute, place)
    fixed = isinstance(t, ObjectT) or isinstance(t, TupleT) and cls.__dictoffset__ == 0
    if fixed or callable(found) and example is None:
        return known_attribute(b, Const(cls), cls, attribute, args, name, place)
    if example is not None:
        return member(b, owner, attribute, getattr(example, attribute), getattr, name, place)
    if attribute in OF_ITS_CLASS and issubclass(cls, np.ndarray):
        return b.emit(getattr, args, Instance(cls), (), name, place)
    hidden = cls.__dictoffset__ != 0  # the object, which only the call will bring, may have data of that name
    return Const(found) if isinstance(found, DATA) and not hidden else b.emit(getattr, args, UNKNOWN, (), name, place)


def or_asked(
    b: Builder, run: Callable[[], Atom], fallback: Any, owner: Atom, attribute: Atom, name: str, place: Place | None
) -> Atom:
    """What `run` gives for an attribute; where it raises AttributeError, `__getattr__` is asked."""
    value = tried(b, run, AttributeError, place)
    return dispatch(b, Const(fallback), [owner, attribute], [], name, place) if value is None else value


def computed_by_class(
    b: Builder, owner: Atom, cls: type, found: Any, args: Args, name: str, place: Place | None
) -> Atom:
    """What a property or a descriptor of the user's gives for an object."""
    getter = found.fget if isinstance(found, property) else stated(type(found), "__get__")
    if isinstance(found, property):
        if not isinstance(getter, python_types.FunctionType):
            return b.emit(getattr, args, UNKNOWN, (), name, place)
        return dispatch(b, Const(getter), [owner], [], name, place)
    if isinstance(found, functools.cached_property) and isinstance(owner, Var) and owner in b.context.example:
        value = dispatch(b, Const(found.func), [owner], [], name, place)
        dispatch(b, Const(object.__setattr__), [owner, args[1], value], [], name, place)
        return value
    return dispatch(b, Const(getter), [there(b, found, "", place), owner, Const(cls)], [], name, place)
