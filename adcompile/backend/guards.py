"""What a specialisation assumes of what stands outside, as compiled tests: globals that were folded are the same
objects, functions that were followed have the same code, rules and settings are those it was made under."""

from __future__ import annotations

import builtins
import types as pytypes
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir.abstract import type_of
from adcompile.ir.program import ABSENT, Guard
from adcompile.ir.refs import GlobalRef
from adcompile.ir.types import Array, Instance, Known, Scalar, Seq, Type, Unknown, array_type, is_scalar_class
from adcompile.rules import registry
from adcompile.runtime import settings, structure

Run = Callable[..., Any]
"""`run(fun, args)`"""


class Missed:
    """What a shortcut gives that is not for these arguments."""


MISSED = Missed()


@frozen(eq=False)
class Conditions:
    """Expressions that hold, the names in them, and the exceptions that mean that one does not."""

    tests: tuple[str, ...]
    names: dict[str, Any]
    failures: str

    def valid(self) -> Callable[[], bool]:
        """One compiled function that tests all."""
        text = f"def valid():\n try:\n  return {' and '.join(self.tests)}\n except ({self.failures}):\n  return False"
        return _compiled(text, "valid", self.names)


def shortcut(conditions: Conditions, run: Run, args: Sequence[Any], by_value: frozenset[int]) -> Run:
    """`direct(fun, args)`: what `run` gives for arguments like these, tested in one expression; else MISSED.
    For numbers and arrays, where their dimensions are not one and their ints do not go by value."""
    names = {**conditions.names, "run": run, "missed": MISSED, "array": np.ndarray}
    tests: list[str] = []
    for i, arg in enumerate(args):
        cls: type = type(arg)
        if cls is np.ndarray and 1 not in arg.shape:
            names[f"t{i}"] = arg.dtype
            tests.append(f"a{i}.__class__ is array and a{i}.dtype is t{i}")
            apart = f"len(a{i}) != 1" if arg.ndim == 1 else f"1 not in a{i}.shape"
            tests.append(f"a{i}.ndim == {arg.ndim} and {apart}")
        elif is_scalar_class(cls) and cls is not bool and i not in by_value:
            names[f"t{i}"] = cls
            tests.append(f"a{i}.__class__ is t{i}")
        else:
            return never
    text = (
        f"def direct(fun, args):\n try:\n  {''.join(f'a{i}, ' for i in range(len(args))) or '()'} = args\n"
        f"  if not ({' and '.join((*tests, *conditions.tests))}):\n   return missed\n"
        f" except ({conditions.failures}, ValueError):\n  return missed\n return run(fun, args)"
    )
    return _compiled(text, "direct", names)


def never(fun: Any, args: Sequence[Any]) -> Any:
    """The shortcut where there is none."""
    return MISSED


def _compiled(text: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    names = dict(names)
    exec(compile(text, "<adcompile guards>", "exec"), names)
    return names[name]


def conditions(guards: Sequence[Guard], followed: Sequence[pytypes.FunctionType] = ()) -> Conditions:
    """All guards, the code of the functions that were followed, the rules there are, and the settings."""
    names: dict[str, Any] = {"builtin": vars(builtins), "has_type": has_type}
    names |= {"rules": registry, "classes": structure, "settings": settings, "now": settings.current}
    tests = [f"rules.changes == {registry.changes}", f"classes.changes == {structure.changes}"]
    tests.append("settings.current is now")
    spaces: dict[int, str] = {}
    for i, guard in enumerate(guards):
        if guard.type == ABSENT and not guard.path:
            tests.append(_means_nothing(guard.ref, spaces, names))
            continue
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
    return Conditions(tuple(tests), names, "Exception" if asks else "LookupError, AttributeError, TypeError")


def _space(ref: GlobalRef, spaces: dict[int, str], names: dict[str, Any]) -> str:
    """The name that the namespace of a reference has in the tests."""
    space = spaces.setdefault(id(ref.namespace), f"n{len(spaces)}")
    names[space] = ref.namespace
    return space


def _means_nothing(ref: GlobalRef, spaces: dict[int, str], names: dict[str, Any]) -> str:
    return f"{ref.name!r} not in {_space(ref, spaces, names)} and {ref.name!r} not in builtin"


def _meaning(ref: GlobalRef, spaces: dict[int, str], names: dict[str, Any], tests: list[str]) -> str:
    """What a reference means, as text; in front of it the test that it still is a name of the builtins."""
    space = _space(ref, spaces, names)
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
    own = guard.type == ABSENT
    last = guard.path[-1] if guard.path else ""
    asks = isinstance(last, tuple) and last[0] == "call"
    expression = _way(expression, guard.path[:-1] if own or asks else guard.path, name, names)
    if isinstance(last, tuple) and asks:
        names[f"{name}_args"], names[f"{name}_named"], names[name], names["same"] = *last[1:], guard.value, same
        return f"same({expression}(*{name}_args, **{name}_named), {name})"
    if own:
        if isinstance(last, tuple) and last[0] == "none":
            names[name] = last[1]
            return f"{name}.isdisjoint({expression}.__dict__)"
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
