"""The parts of plain objects: what copies and tangents of an instance of a Python class consist of.

An object is *plain* if its state is what `__dict__` and `__slots__` hold and `object.__new__` can
make another. Functions, classes, modules, instances of C types, and instances of classes that
say themselves how they are copied (loggers, enum members) are opaque: one thing, never taken apart.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

SPECIAL = frozenset(
    f"__{name}__"
    for name in (
        "new init post_init class getattr getattribute setattr delattr getitem setitem delitem contains missing len "
        "length_hint iter next reversed call bool eq ne lt le gt ge hash get set delete enter exit instancecheck "
        "subclasscheck neg pos abs invert round trunc floor ceil int float complex index str repr format bytes fspath "
        "copy deepcopy replace reduce reduce_ex getstate setstate getnewargs getnewargs_ex array array_ufunc "
        "array_function array_interface array_struct array_wrap array_finalize array_priority"
    ).split()
) | frozenset(
    f"__{kind}{name}__"
    for name in "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()
    for kind in ("", "r", "i")
)
"""Names of a class under which Python, NumPy and the standard library look for what an operation does."""


class Opaque:
    """What generated code makes for its own use: one thing to a derivative, not what it holds."""

    __slots__ = ()


def stated(cls: type, name: str, default: Any = None) -> Any:
    """What a class says of a name, as it stands there: nothing is bound or computed."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), default)


FOLLOWED: set[type] = {types.SimpleNamespace}
"""Classes of installed modules whose objects are taken apart as those of the user's own classes are."""

_OPAQUE = (Opaque, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_HOOKS = ("__reduce__", "__reduce_ex__")
_plain: dict[type, bool] = {}


def is_plain(value: Any) -> bool:
    """Whether `value` is an object that consists of its attributes."""
    cls: type = type(value)
    found = _plain.get(cls)
    if found is None:
        found = _plain[cls] = _is_plain_class(cls)
    return found


def _is_plain_class(cls: type) -> bool:
    if cls is types.SimpleNamespace:
        return True
    if issubclass(cls, _OPAQUE) or hasattr(cls, "__deepcopy__") or hasattr(cls, "__get__"):
        return False
    if any(getattr(cls, hook) is not getattr(object, hook) for hook in _HOOKS):
        return False
    try:
        object.__new__(cls)
    except TypeError:  # another layout than object's, or an abstract class
        return False
    # C types without a layout of their own, such as object itself
    return bool(slots(cls)) or any("__dict__" in c.__dict__ for c in cls.__mro__)


def slots(cls: type) -> dict[str, Any]:
    """The descriptors of the `__slots__` of a class and its bases, by name."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        own = ((k, v) for k, v in base.__dict__.items() if k != "__dict__")  # C types have that as a member
        found.update((k, v) for k, v in own if isinstance(v, types.MemberDescriptorType))
    return found


def is_place(value: Any, name: str) -> bool:
    """Whether an object has a place of its own for an attribute: the class says so by `__slots__`."""
    return isinstance(stated(type(value), name), types.MemberDescriptorType)


def holds(value: Any, name: str) -> bool:
    """Whether an object, class, function or module itself has an attribute, not only its class."""
    if is_place(value, name):
        return _is_set(stated(type(value), name), value)
    return name in getattr(value, "__dict__", ())


def attributes(value: Any) -> dict[str, Any]:
    """The attributes that an instance holds, slots first; no properties, nothing of its class."""
    held = {name: slot.__get__(value) for name, slot in slots(type(value)).items() if _is_set(slot, value)}
    return {**held, **getattr(value, "__dict__", {})}


def _is_set(slot: Any, value: Any) -> bool:
    try:
        slot.__get__(value)
    except AttributeError:
        return False
    return True


def blank(cls: type) -> Any:
    """An instance of a plain class without attributes; `__init__` is not called."""
    new: Any = cls.__new__
    of_python = new is object.__new__ or isinstance(new, types.FunctionType)
    return object.__new__(cls) if of_python else new(cls)


def set_attribute(value: Any, name: str, item: Any) -> None:
    """Bind an attribute, whatever `__setattr__` of the class (a frozen dataclass) says."""
    slot = slots(type(value)).get(name)
    if slot is not None:
        slot.__set__(value, item)
    else:
        value.__dict__[name] = item


def cell_value(cell: Any) -> tuple[bool, Any]:
    """Whether a closure's cell is bound, and to what."""
    try:
        return True, cell.cell_contents
    except ValueError:
        return False, None


def captured(function: types.FunctionType) -> dict[str, Any]:
    """What a function's closure holds, by the name of the free variable; unbound ones left out."""
    pairs = zip(function.__code__.co_freevars, function.__closure__ or ())
    found = {name: cell_value(cell) for name, cell in pairs}
    return {name: item for name, (bound, item) in found.items() if bound}


def with_captured(function: types.FunctionType, items: dict[str, Any]) -> types.FunctionType:
    """The same function with other captured values, in cells of its own."""
    names = function.__code__.co_freevars
    return with_cells(function, [types.CellType(items[n]) if n in items else types.CellType() for n in names])


def with_cells(function: types.FunctionType, cells: Iterable[types.CellType]) -> types.FunctionType:
    """The same function over other cells."""
    closure = tuple(cells)
    other = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )
    other.__kwdefaults__ = function.__kwdefaults__
    other.__dict__.update(function.__dict__)
    return other


def build_object(cls: type, names: tuple[str, ...], *values: Any) -> Any:
    """An object of `cls` with these attributes, made without calling anything of the class."""
    made, places = blank(cls), slots(cls)
    for name, value in zip(names, values):
        if name in places:
            places[name].__set__(made, value)
        else:
            object.__getattribute__(made, "__dict__")[name] = value
    return made


def is_of_attributes(cls: type) -> bool:
    """Whether objects of a class are what their attributes hold, and nothing else: a class
    written in Python that inherits from no class that is not."""
    if type(cls).__call__ is not type.__call__ or cls is object:
        return False
    if cls is types.SimpleNamespace:  # attributes, and nothing else
        return True
    made = (vars(base).get("__new__") for base in cls.__mro__[:-1])
    return all(isinstance(new, (staticmethod, types.FunctionType, type(None))) for new in made) and all(
        base is object or base.__flags__ & HEAP_TYPE for base in cls.__mro__
    )


HEAP_TYPE = 1 << 9
"""The flag of classes that are made when Python runs."""
