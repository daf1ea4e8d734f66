"""Frozen records with slots: `dataclasses.dataclass(frozen=True, slots=True)`, made in a tenth of the time.

The compiler has some two hundred such classes, and a process that only loads what another one has derived still
imports seventy, and makes records of ten. `dataclasses` compiles the text of six functions for each, half a
millisecond in all; here one is compiled, `__init__`, when the first record is made, and the others are the same for
every record. What `dataclasses` says of a class (`fields`,
`replace`, `is_dataclass`, `__match_args__`) holds for records.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
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
    said as in `dataclasses`; all of them are parameters of `__init__`. Assignment raises FrozenInstanceError.
    """
    return _made(cls, eq) if cls is not None else lambda cls: _made(cls, eq)


def _made(cls: type, eq: bool) -> type:
    cls.__doc__ = cls.__doc__ or cls.__name__  # dataclasses would print the signature
    cls = _slotted(dataclasses.dataclass(init=False, repr=False, eq=False)(cls))
    fields: Sequence[Field[Any]] = dataclasses.fields(cls)  # type: ignore[arg-type]
    _define(cls, __init__=_init_at_first(cls, fields), __repr__=_repr, __getstate__=_state, __setstate__=_restored)
    _define(cls, __setattr__=_assigned, __delattr__=_deleted)
    if eq:
        of = _getter([f.name for f in fields if f.compare])
        _define(cls, __eq__=_eq(of), __hash__=_hash(of))
    return cls


def _define(cls: type, **functions: Any) -> None:
    """What the class does not say itself; to say `__eq__` alone makes Python write `__hash__ = None` beside it."""
    for name, function in functions.items():
        if cls.__dict__.get(name) is None:
            setattr(cls, name, function)


def _slotted(cls: type) -> type:
    """The class again, its own fields as slots: those of a class are laid out when it is made."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    own = [name for name in inspect.get_annotations(cls) if name in cls.__dataclass_fields__]  # type: ignore[attr-defined]
    left = {"__dict__", "__weakref__", *own}
    inside = {name: value for name, value in cls.__dict__.items() if name not in left}
    inside["__slots__"] = tuple(name for name in own if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, inside)
    made.__qualname__ = cls.__qualname__
    return made


def _init_at_first(cls: type, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """`__init__` until it is called, when `_init` takes its place."""

    def __init__(*given: Any, **named: Any) -> None:
        init = _init(cls, fields)
        type.__setattr__(cls, "__init__", init)
        init(*given, **named)

    return __init__


def _init(cls: type, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """`__init__`, the one function that is compiled: names and defaults of parameters are its own."""
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
        (named if f.kw_only else positional).append(parameter)
        lines.append(f" set_{name}({this}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(f" {this}.__post_init__()")
    parameters = [this, *positional, *(named if len(named) > 1 else ())]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), known)
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _getter(names: Iterable[str]) -> Callable[[Any], Any]:
    names = tuple(names)
    return operator.attrgetter(*names) if names else lambda _: ()


def _eq(of: Callable[[Any], Any]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (of(self),) == (of(other),)  # in tuples, what is identical is equal: nan, arrays

    return __eq__


def _hash(of: Callable[[Any], Any]) -> Callable[[Any], int]:
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
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restored(self: Any, state: Sequence[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state):
        object.__setattr__(self, f.name, value)
