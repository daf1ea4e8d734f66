"""Which specialisation a call runs: one look-up by the abstract types of its arguments.

A Dispatcher belongs to one request (a transform of one function's code). It finds the entry in
one of two steps: where all arguments are numbers, their classes are the key; otherwise the
classes lead to a small function that makes the rest of the key from what else decides the types.
An entry is used only while its guards hold: globals it has folded are still the same objects,
and no rule has been registered since.
"""

from __future__ import annotations

import builtins
import threading
import types as pytypes
import warnings
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.errors import AdcompileError, place_of
from adcompile.ir import ops
from adcompile.ir.abstract import Promote, function_key, key_of, key_of_array, type_of
from adcompile.ir.nodes import GlobalRef
from adcompile.ir.program import Guard
from adcompile.ir.types import Array, Instance, Known, Scalar, Seq, Type, Unknown, array_type, is_scalar_class
from adcompile.rules.registry import version
from adcompile.runtime import settings

LIMIT = 64
"""Specialisations a dispatcher keeps; the oldest goes first."""

BUILDING = threading.RLock()
"""Held while a derivative is made: stages share caches, and one build may ask for another."""

Run = Callable[..., Any]
Build = Callable[[Any, tuple[Any, ...], frozenset[int]], "tuple[Run, Callable[[], bool], Any]"]
"""From the function, the arguments and the positions whose ints go by value to what runs, whether
that still holds, and whatever the caller wants to keep with it."""


class SpecialisationWarning(UserWarning):
    """One function has been specialised for very many argument types."""


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """`run(fun, args)`; `valid()` is false once something that was folded has changed."""

    run: Run
    valid: Callable[[], bool]
    made: Any = None


def guard_check(guards: Sequence[Guard], followed: Sequence[pytypes.FunctionType] = ()) -> Callable[[], bool]:
    """One compiled function that tests all guards, the code of the functions that were followed, and
    the version of the rules."""
    names: dict[str, Any] = {"version": version, "builtin": vars(builtins), "has_type": has_type}
    tests = [f"version() == {version()}"]
    spaces: dict[int, str] = {}
    for i, guard in enumerate(guards):
        owner = _meaning(guard.ref, spaces, names, tests)
        if guard.other is not None:
            ref, way = guard.other
            other = _way(_meaning(ref, spaces, names, tests), way, f"o{i}", names)
            tests.append(f"{_way(owner, guard.path, f'v{i}', names)} is not {other}")
        else:
            tests.append(_guard_test(guard, owner, f"v{i}", names))
    for i, fn in enumerate(followed):
        names[f"f{i}"], names[f"c{i}"] = weakref.ref(fn) if fn.__closure__ else fn, fn.__code__
        tests.append(f"{_of_function(fn, i, '__code__', f'c{i}')} is c{i}")
        if fn.__defaults__ is not None:
            names[f"d{i}"] = fn.__defaults__
            tests.append(f"{_of_function(fn, i, '__defaults__', f'd{i}')} is d{i}")
        if fn.__code__.co_kwonlyargcount:  # what they are is guarded one by one
            names[f"k{i}"] = list(fn.__kwdefaults__ or ())
            tests.append(f"list({_of_function(fn, i, '__kwdefaults__', f'k{i}')} or ()) == k{i}")
    asks = any(step[0] == "call" for guard in guards for step in guard.path if isinstance(step, tuple))
    failures = "Exception" if asks else "(LookupError, AttributeError, TypeError)"
    text = f"def valid():\n try:\n  return {' and '.join(tests)}\n except {failures}:\n  return False"
    exec(compile(text, "<adcompile guards>", "exec"), names)
    return names["valid"]


def _meaning(ref: GlobalRef, spaces: dict[int, str], names: dict[str, Any], tests: list[str]) -> str:
    """What a reference means, as text; in front of it the test that it still is a name of the builtins."""
    space = spaces.setdefault(id(ref.namespace), f"n{len(spaces)}")
    names[space] = ref.namespace
    if ref.name in ref.namespace:
        return f"{space}[{ref.name!r}]"
    tests.append(f"{ref.name!r} not in {space}")
    return f"builtin[{ref.name!r}]"


def _way(expression: str, path: Sequence[Any], name: str, names: dict[str, Any]) -> str:
    """What a path leads to, as text."""
    for step in path:
        if isinstance(step, tuple):
            names[f"{name}_{len(names)}"] = step[1]
            expression += f"[{name}_{len(names) - 1}]"
        else:
            expression += f".{step}"
    return expression


def _of_function(fn: pytypes.FunctionType, i: int, attribute: str, dead: str) -> str:
    return f"getattr(f{i}(), {attribute!r}, {dead})" if fn.__closure__ else f"f{i}.{attribute}"


def _guard_test(guard: Guard, expression: str, name: str, names: dict[str, Any]) -> str:
    own = guard.type == Known(ops.UNDEFINED)
    last = guard.path[-1] if guard.path else ""
    asks = isinstance(last, tuple) and last[0] == "call"
    expression = _way(expression, guard.path[:-1] if own or asks else guard.path, name, names)
    if isinstance(last, tuple) and asks:
        names[f"{name}_args"], names[f"{name}_named"], names[name], names["same"] = *last[1:], guard.value, same
        return f"same({expression}(*{name}_args, **{name}_named), {name})"
    if own:
        if isinstance(last, tuple):  # ("place", name): what `__slots__` says
            return f"{'' if guard.value else 'not '}hasattr({expression}, {last[1]!r})"
        return f"{guard.path[-1]!r} {'in' if guard.value else 'not in'} vars({expression})"
    said = guard.type.value if isinstance(guard.type, Known) else None
    if guard.type is None or isinstance(said, BY_IDENTITY):
        names[name] = guard.value if guard.type is None else said
        return f"{expression} is {name}"
    if isinstance(guard.type, Scalar) and len(guard.type.kinds) == 1:
        (names[name],) = guard.type.kinds
        return f"type({expression}) is {name}"
    names[name] = guard.type
    return f"has_type({expression}, {name})"


BY_IDENTITY = (pytypes.FunctionType, pytypes.ModuleType, type, property, staticmethod, classmethod)
"""Values of these classes are known as themselves."""


def same(value: Any, expected: Any) -> bool:
    """Whether a call has given what it gave: the very arrays and objects, equal numbers and text."""
    if value is expected or type(value) is not type(expected):
        return value is expected
    if type(value) is tuple:
        return len(value) == len(expected) and all(map(same, value, expected))
    return type(value) in (bool, int, float, complex, str, bytes) and value == expected


def has_type(value: Any, t: Type) -> bool:
    """Whether a program made for type `t` may read this value."""
    if isinstance(t, Array):
        return type(value) is np.ndarray and array_type(value) == t
    if isinstance(t, Scalar):
        return type(value) in t.kinds
    if isinstance(t, Seq) and isinstance(t.item, Scalar) and t.cls is not dict:
        return type(value) is t.cls and t.item.kinds.issuperset(map(type, value))
    if isinstance(t, Seq):
        items = value.values() if type(value) is dict else value
        return type(value) is t.cls and all(has_type(item, t.item) for item in items)
    if isinstance(t, Unknown):
        return True
    if isinstance(t, Instance) and t.cls in (list, dict, set):  # read element by element, and written into
        return type(value) is t.cls
    return Known(value) == t if isinstance(t, Known) else type_of(value) == t


Keyer = Callable[[tuple[Any, ...]], Hashable]


def make_keyer(classes: tuple[type, ...], ints: frozenset[int]) -> Keyer | None:
    """What tells arguments of these classes apart beyond their classes; None: nothing."""
    by_value = frozenset(i for i in ints if i < len(classes) and not is_scalar_class(classes[i]))
    by_value |= {i for i in ints if i < len(classes) and classes[i] is int}
    rest = [i for i, cls in enumerate(classes) if i in by_value or not (cls is not bool and is_scalar_class(cls))]
    if not rest:
        return None
    if by_value:
        chosen = frozenset(k for k, i in enumerate(rest) if i in by_value)
        return lambda args: key_of(tuple([args[i] for i in rest]), chosen)
    if len(rest) == 1 and classes[rest[0]] is np.ndarray:
        i = rest[0]
        return lambda args: key_of_array(args[i])
    if all(classes[i] is np.ndarray for i in rest):
        return _arrays_keyer(rest)
    if rest == list(range(len(classes))):
        return key_of
    return lambda args: key_of(tuple([args[i] for i in rest]))


def _arrays_keyer(rest: list[int]) -> Keyer:
    """Several arrays: their dtypes and ranks in one flat tuple, while no dimension is one."""
    names = {i: f"args[{i}]" for i in rest}
    shapes = ", ".join(f"s{i}" for i in rest)
    text = (
        "def keyer(args):\n"
        + "".join(f" s{i} = {name}.shape\n" for i, name in names.items())
        + f" if {' or '.join(f'1 in s{i}' for i in rest)}:\n"
        + f"  return ({', '.join(f'key_of_array({name})' for name in names.values())})\n"
        + f" return ({', '.join(f'{name}.dtype' for name in names.values())}, *map(len, ({shapes})))"
    )
    namespace: dict[str, Any] = {"key_of_array": key_of_array}
    exec(compile(text, "<adcompile key>", "exec"), namespace)
    return namespace["keyer"]


def captured_key(fun: Any) -> Hashable:
    """What tells functions of the same code apart: the types of their cells; None: nothing.

    Derivatives (anything with `__adcompile_key__`) hold what their function, `fun.fun`, holds.
    """
    while hasattr(type(fun), "__adcompile_key__"):
        fun = fun.fun
    if isinstance(fun, pytypes.FunctionType) and (fun.__closure__ or fun.__kwdefaults__):
        return function_key(fun)
    return None


class Dispatcher:
    """`find(fun, args)` gives the entry for these arguments, building it on a miss.

    `numbers` maps the classes of arguments that are all numbers to their entry, and `others` the
    classes of other arguments to what makes the rest of the key, and the entries by that; so that
    a caller with a function free of captured data may look there first.
    """

    __slots__ = (
        "_by_class", "_code", "_entries", "_ints", "_siblings", "_warned",
        "build", "label", "limit", "numbers", "others",
    )  # fmt: skip

    def __init__(self, build: Build, label: str = "", limit: int = LIMIT, ints: frozenset[int] = frozenset()) -> None:
        self.build, self.label, self.limit = build, label, limit
        self._code = settings.code()
        self._siblings: dict[int, Dispatcher] = {self._code: self}  # one for each combination of settings
        self._ints = ints
        self._warned = False
        self.numbers: dict[tuple[type, ...], Entry] = {}
        self.others: dict[tuple[type, ...], tuple[Keyer, dict[Hashable, Entry]]] = {}
        self._by_class: dict[tuple[type, ...], Keyer | None] = {}
        self._entries: dict[Hashable, Entry] = {}

    def clear(self) -> None:
        """Forget all specialisations."""
        with BUILDING:
            for each in self._siblings.values():
                each._forget()

    def _forget(self) -> None:
        self.numbers.clear()
        self.others.clear()
        self._by_class.clear()
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries) + len(self.numbers)

    def _key(self, fun: Any, args: tuple[Any, ...], classes: tuple[type, ...]) -> Hashable:
        """None: the classes say it all."""
        try:
            keyer = self._by_class[classes]
        except KeyError:
            keyer = self._by_class[classes] = make_keyer(classes, self._ints)
        try:
            captured = captured_key(fun)
            rest = None if keyer is None else keyer(args)
        except AdcompileError as error:
            while hasattr(type(fun), "__adcompile_key__"):
                fun = fun.fun
            raise error.at(place_of(fun) if isinstance(fun, pytypes.FunctionType) else None) from None
        if keyer is None:
            return None if captured is None else (classes, captured)
        return (classes, rest, captured)

    def find(self, fun: Any, args: tuple[Any, ...]) -> Entry:
        """The entry for these arguments. Raises what building it raises."""
        if settings.code() != self._code:
            return self._sibling(settings.code()).find(fun, args)
        classes = tuple(map(type, args))
        key = self._key(fun, args, classes)
        entry = self.numbers.get(classes) if key is None else self._entries.get(key)
        if entry is not None and entry.valid():
            return entry
        return self._miss(fun, args, classes)

    def _sibling(self, code: int) -> Dispatcher:
        """Where the specialisations made under other settings are."""
        with BUILDING:
            if code not in self._siblings:
                made = Dispatcher(self.build, self.label, self.limit, self._ints)
                made._code, made._siblings = code, self._siblings
                self._siblings[code] = made
            return self._siblings[code]

    def _miss(self, fun: Any, args: tuple[Any, ...], classes: tuple[type, ...]) -> Entry:
        with BUILDING:
            while True:
                key = self._key(fun, args, classes)
                entry = self.numbers.get(classes) if key is None else self._entries.get(key)
                if entry is not None and entry.valid():  # another thread has built it meanwhile
                    return entry
                try:
                    run, valid, made = self.build(fun, args, self._ints)
                except Promote as request:
                    if request.positions <= self._ints:
                        raise
                    self._ints |= request.positions
                    self._forget()
                    continue
                entry = Entry(run, valid, made)
                if key is None:
                    self.numbers[classes] = entry
                else:
                    self._entries[key] = entry
                    self._note(key, classes, entry)
                self._bound()
                return entry

    def _note(self, key: Any, classes: tuple[type, ...], entry: Entry) -> None:
        """Keep an entry of a function without captured data where callers look first."""
        keyer = self._by_class[classes]
        if keyer is not None and key[2] is None:
            self.others.setdefault(classes, (keyer, {}))[1][key[1]] = entry

    def _bound(self) -> None:
        if len(self) <= self.limit:
            return
        table: dict[Any, Entry] = self._entries or self.numbers
        del table[next(iter(table))]
        self.others.clear()  # what is still kept is found by the longer way
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.label or 'a function'} was specialised for more than {self.limit} combinations of argument "
                "types; the oldest are dropped, and dropped ones are compiled anew when they come again. Pass "
                "varying structure (lists, strings, flags) as arrays or fix it with functools.partial",
                SpecialisationWarning,
                stacklevel=5,
            )
