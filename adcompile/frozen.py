"""Frozen records with slots: `dataclasses.dataclass(frozen=True, slots=True)`, made in a tenth of the time.

The compiler has some two hundred such classes, and a process that only loads what another one has derived still
imports seventy, and makes records of ten. `dataclasses` compiles the text of six functions for each, half a
millisecond in all; here one is compiled, `__init__`, when some records have been made, and the others are the same for
every record. What `dataclasses` says of a class (`fields`, `replace`, `is_dataclass`, `__match_args__`) holds for
records; it is found out when it is asked for.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, field
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda decorator: decorator


T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True) -> Any:
    """The class with its annotated names as fields that are given when an object is made, and stay.

    `eq` makes objects with equal fields equal, and hashable; without it they are equal to themselves alone. Fields are
    said as in `dataclasses`, by annotations that are no ClassVar; all of them are parameters of `__init__`. Assignment
    raises FrozenInstanceError.
    """
    return _made(cls, eq) if cls is not None else lambda cls: _made(cls, eq)


def _made(cls: type, eq: bool) -> type:
    """The class again, its own fields as slots: those of a class are laid out when it is made."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    own = list(inspect.get_annotations(cls))
    left = {"__dict__", "__weakref__", *own}
    inside = {name: value for name, value in cls.__dict__.items() if name not in left}
    inside["__slots__"] = tuple(name for name in own if name not in inherited)
    inside["__doc__"] = cls.__doc__ or cls.__name__  # dataclasses would print the signature
    inside["__qualname__"] = cls.__qualname__
    for name, function in _methods(eq).items():
        if inside.get(name) is None:  # `__eq__` alone makes Python write `__hash__ = None` beside it
            inside[name] = function
    defaults = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    inside |= {name: _Unsaid(defaults) for name in SAID}
    return type(cls)(cls.__name__, cls.__bases__, inside)


def _methods(eq: bool) -> dict[str, Callable[..., Any]]:
    every = {"__init__": _initial(), **METHODS}
    return every | {"__eq__": _at_first("__eq__", _eq), "__hash__": _at_first("__hash__", _hash)} if eq else every


SOME = 8
"""Records that a class makes before its `__init__` is compiled, which takes as long as to make a hundred."""


def _initial() -> Callable[..., None]:
    """`__init__` until it is compiled: with the first arguments that it does not take, if not before."""
    left = SOME

    def first(self: Any, /, *given: Any, **named: Any) -> None:
        nonlocal left
        cls = next(c for c in type(self).__mro__ if c.__dict__.get("__init__") is first)
        values = _given(cls, given, named) if left else None
        if values is None:
            made = _init(cls)
            type.__setattr__(cls, "__init__", made)
            made(self, *given, **named)
            return
        left -= 1
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()

    return first


def _given(cls: type, given: Sequence[Any], named: dict[str, Any]) -> dict[str, Any] | None:
    """What each field gets of arguments; None for those that are not all there, or too many."""
    fields = _declared(cls)
    positional = [f.name for f in fields.values() if f.kw_only is not True]
    values = dict(zip(positional, given))
    if len(given) > len(positional) or not named.keys() <= fields.keys() - values.keys():
        return None
    values |= named
    for name, f in fields.items():
        if name not in values:
            if f.default is MISSING and f.default_factory is MISSING:
                return None
            values[name] = f.default if f.default_factory is MISSING else f.default_factory()
    return values


def _at_first(name: str, make: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A method until it is called, when what `make` makes for the class takes its place."""

    def first(self: Any, /, *given: Any, **named: Any) -> Any:
        cls = next(c for c in type(self).__mro__ if c.__dict__.get(name) is first)
        made = make(cls)
        type.__setattr__(cls, name, made)
        return made(self, *given, **named)

    return first


SAID = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class _Unsaid:
    """What `dataclasses` says of a class, until somebody asks: most classes are never asked."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self.defaults = defaults

    def __set_name__(self, cls: type, name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, _: object, asked: type) -> Any:
        cls = self.cls
        inside = {"__annotations__": inspect.get_annotations(cls), "__module__": cls.__module__, "__doc__": cls.__doc__}
        twin = type(cls.__name__, cls.__bases__, inside | self.defaults)
        twin = dataclasses.dataclass(init=False, repr=False, eq=False)(twin)
        for name in SAID:
            type.__setattr__(cls, name, twin.__dict__[name])
        return getattr(asked, self.name)


def is_record(cls: type) -> bool:
    """Whether a class is one of records: `dataclasses.is_dataclass` would have it say all that it is."""
    return cls.__dict__.get("__setstate__") is _restored


def replaced(record: T, **changes: Any) -> T:
    """Another record, with what is said instead; `dataclasses.replace` would have its class say all that it is."""
    cls: Any = type(record)
    return cls(**{name: getattr(record, name) for name in names_of(cls)} | changes)


@functools.cache
def names_of(cls: type) -> tuple[str, ...]:
    """The names of the fields of a record's class, in their order."""
    return tuple(_declared(cls))


def _declared(cls: type) -> dict[str, Field[Any]]:
    """The fields of a class and its bases, in their order, as `__init__` wants them: `dataclasses` would make another
    class to say so."""
    found: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__):
        said = base.__dict__.get("__dataclass_fields__")
        if isinstance(said, _Unsaid):
            for name, kind in inspect.get_annotations(base).items():
                if not _is_of_class(kind):
                    found[name] = _declaration(name, said.defaults.get(name, MISSING))
        elif said is not None:
            found |= {f.name: f for f in dataclasses.fields(base)}
    return found


def _is_of_class(kind: Any) -> bool:
    return "ClassVar" in (kind if isinstance(kind, str) else repr(kind))


def _declaration(name: str, value: Any) -> Any:
    declared: Any = value if isinstance(value, Field) else field(default=value)
    declared.name = name
    return declared


def _init(cls: type) -> Callable[..., None]:
    """`__init__`, the one function that is compiled: names and defaults of parameters are its own."""
    fields = _declared(cls).values()
    known: dict[str, Any] = {}
    this = "self" if all(f.name != "self" for f in fields) else "this"
    positional, named, lines = [], ["*"], []
    for f in fields:
        name = f.name
        known[f"set_{name}"] = getattr(cls, name).__set__  # the slot's
        value = name
        parameter = name
        if f.default is not MISSING:
            known[f"default_{name}"] = f.default
            parameter = f"{name}=default_{name}"
        elif f.default_factory is not MISSING:
            known[f"make_{name}"], known["MISSING"] = f.default_factory, MISSING
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        (named if f.kw_only is True else positional).append(parameter)
        lines.append(f" set_{name}({this}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(f" {this}.__post_init__()")
    parameters = [this, *positional, *(named if len(named) > 1 else ())]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _getter(cls: type) -> Callable[[Any], Any]:
    """What is compared of a record."""
    names = [f.name for f in _declared(cls).values() if f.compare]
    return operator.attrgetter(*names) if names else lambda _: ()


def _eq(cls: type) -> Callable[[Any, object], Any]:
    of = _getter(cls)

    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (of(self),) == (of(other),)  # in tuples, what is identical is equal: nan, arrays

    return __eq__


def _hash(cls: type) -> Callable[[Any], int]:
    of = _getter(cls)

    def __hash__(self: Any) -> int:
        return hash(of(self))

    return __hash__


@recursive_repr()
def _repr(self: Any) -> str:
    said = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(said)})"


def _assigned(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _deleted(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in names_of(type(self))]


def _restored(self: Any, state: Sequence[Any]) -> None:
    for name, value in zip(names_of(type(self)), state):
        object.__setattr__(self, name, value)


METHODS: dict[str, Callable[..., Any]] = {
    "__repr__": _repr,
    "__getstate__": _state,
    "__setstate__": _restored,
    "__setattr__": _assigned,
    "__delattr__": _deleted,
}
"""What is the same for every record."""
