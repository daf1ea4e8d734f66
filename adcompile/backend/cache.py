"""Which specialisation a call runs: one look-up by the abstract types of its arguments.

A Dispatcher belongs to one request (a transform of one function's code). The classes of the
arguments lead to a small function that makes the rest of the key from what else decides the types.
An entry is used only while what it assumes holds (`backend/guards`).
"""

from __future__ import annotations

import threading
import types as pytypes
import warnings
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from adcompile.backend.guards import Conditions, Run, never, shortcut
from adcompile.errors import AdcompileError, place_of
from adcompile.frozen import frozen
from adcompile.ir.abstract import Promote, function_key, key_of, key_of_array
from adcompile.ir.types import is_scalar_class
from adcompile.runtime import settings

LIMIT = 64
"""Specialisations a dispatcher keeps; the oldest goes first."""

BUILDING = threading.RLock()
"""Held while a derivative is made: stages share caches, and one build may ask for another."""

Build = Callable[[Any, tuple[Any, ...], frozenset[int]], "tuple[Run, Conditions, Any]"]
"""From the function, the arguments and the positions whose ints go by value to what runs, what it
assumes, and whatever the caller wants to keep with it."""


class SpecialisationWarning(UserWarning):
    """One function has been specialised for very many argument types."""


@frozen(eq=False)
class Entry:
    """`run(fun, args)`; `valid()` is false once something that was folded has changed. `direct(fun, args)` runs that
    if the arguments are of the types it is for, and it is valid, and gives MISSED else."""

    run: Run
    valid: Callable[[], bool]
    direct: Run
    made: Any = None


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
    """`find(fun, args)` gives the entry for these arguments, building it on a miss. `direct(fun, args)` is the shortcut
    of the entry that was found last, for callers that try it first: MISSED if it is not for these."""

    __slots__ = (
        "_by_class", "_entries", "_ints", "_settings", "_siblings", "_warned", "build", "direct", "label", "limit",
    )  # fmt: skip

    def __init__(self, build: Build, label: str = "", limit: int = LIMIT, ints: frozenset[int] = frozenset()) -> None:
        self.build, self.label, self.limit = build, label, limit
        self._settings = settings.current
        self._siblings: dict[settings.Settings, Dispatcher] = {self._settings: self}  # one for each
        self._ints = ints
        self._warned = False
        self._by_class: dict[tuple[type, ...], Keyer | None] = {}
        self._entries: dict[Hashable, Entry] = {}
        self.direct: Run = never

    def clear(self) -> None:
        """Forget all specialisations."""
        with BUILDING:
            for each in self._siblings.values():
                each._forget()

    def _forget(self) -> None:
        self._by_class.clear()
        self._entries.clear()
        self.direct = never

    def __len__(self) -> int:
        return len(self._entries)

    def _key(self, fun: Any, args: tuple[Any, ...], classes: tuple[type, ...]) -> tuple[Hashable, ...]:
        """The classes, what else tells such arguments apart, and the same of what the function has captured."""
        try:
            keyer = self._by_class[classes]
        except KeyError:
            keyer = self._by_class[classes] = make_keyer(classes, self._ints)
        try:
            captured = captured_key(fun)
            return (classes, None if keyer is None else keyer(args), captured)
        except AdcompileError as error:
            while hasattr(type(fun), "__adcompile_key__"):
                fun = fun.fun
            raise error.at(place_of(fun) if isinstance(fun, pytypes.FunctionType) else None) from None

    def find(self, fun: Any, args: tuple[Any, ...]) -> Entry:
        """The entry for these arguments. Raises what building it raises."""
        if settings.current is not self._settings:
            entry = self._sibling(settings.current).find(fun, args)
        else:
            classes = tuple(map(type, args))
            entry = self._entries.get(self._key(fun, args, classes))
            if entry is None or not entry.valid():
                entry = self._miss(fun, args, classes)
        self.direct = entry.direct
        return entry

    def _sibling(self, current: settings.Settings) -> Dispatcher:
        """Where the specialisations made under other settings are."""
        with BUILDING:
            if current not in self._siblings:
                made = Dispatcher(self.build, self.label, self.limit, self._ints)
                made._settings, made._siblings = current, self._siblings
                self._siblings[current] = made
            return self._siblings[current]

    def _miss(self, fun: Any, args: tuple[Any, ...], classes: tuple[type, ...]) -> Entry:
        with BUILDING:
            while True:
                key = self._key(fun, args, classes)
                entry = self._entries.get(key)
                if entry is not None and entry.valid():  # another thread has built it meanwhile
                    return entry
                try:
                    run, conditions, made = self.build(fun, args, self._ints)
                except Promote as request:
                    if request.positions <= self._ints:
                        raise
                    self._ints |= request.positions
                    self._forget()
                    continue
                free = key[-1] is None  # of captured data, which a shortcut does not look at
                direct = shortcut(conditions, run, args, self._ints) if free else never
                entry = self._entries[key] = Entry(run, conditions.valid(), direct, made)
                self._bound()
                return entry

    def _bound(self) -> None:
        if len(self) <= self.limit:
            return
        del self._entries[next(iter(self._entries))]
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.label or 'a function'} was specialised for more than {self.limit} combinations of argument "
                "types; the oldest are dropped, and dropped ones are compiled anew when they come again. Pass "
                "varying structure (lists, strings, flags) as arrays or fix it with functools.partial",
                SpecialisationWarning,
                stacklevel=5,
            )
