"""What modules written ahead of time need at run time: checks of a call, gradients as users get them.

A derivative module tests the types of its arguments with `is_array` and plain Python, runs the
generated function, and hands back `gradient(…)` of what that gives.
"""

from __future__ import annotations

import ast
import enum
import hashlib
import inspect
import os
import sys
import textwrap
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable, Outdated, Place, SignatureMismatch
from adcompile.frozen import frozen
from adcompile.runtime.arrays import like, zeros_like
from adcompile.runtime.objects import SPECIAL, holds

_arrays: dict[str, tuple[np.dtype[Any], tuple[bool, ...], bool]] = {}


def is_array(value: Any, text: str) -> bool:
    """Whether `value` is an array of the type that `text` names: "float64[:,1]" is two
    dimensions, the first of any length but one, the second of one."""
    known = _arrays.get(text)
    if known is None:
        name, _, dims = text.rstrip("]").partition("[")
        ones = tuple(d == "1" for d in dims.split(",")) if dims != "()" else ()
        known = _arrays[text] = np.dtype(name), ones, True not in ones
    dtype, ones, plain = known
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != len(ones):
        return False
    return 1 not in value.shape if plain else tuple([n == 1 for n in value.shape]) == ones


def spell(value: Any) -> str:
    """The type of a value as a signature writes it."""
    cls: type = type(value)
    if cls is np.ndarray:
        name = value.dtype.name if value.dtype.isnative else value.dtype.str
        return f"{name}[{','.join('1' if n == 1 else ':' for n in value.shape) or '()'}]"
    if cls is tuple:
        return f"({', '.join(map(spell, value))}{',' if len(value) == 1 else ''})"
    if cls is list:
        return f"[{', '.join(map(spell, value))}]"
    if cls is dict:
        return f"{{{', '.join(f'{k!r}: {spell(v)}' for k, v in value.items())}}}"
    return repr(value) if value is None or cls is str else cls.__name__


@frozen
class Origin:
    """Where a derivative was made from: `path` is relative to the module `beside`, the file that
    holds the derivative and says above how it was made."""

    name: str
    beside: str
    path: str
    span: tuple[tuple[int, int], tuple[int, int]]
    built_for: tuple[str, ...]

    def place(self) -> Place:
        source = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(self.beside)), self.path))
        return Place(source, *self.span[0], *self.span[1])

    def mismatch(self, *args: Any) -> SignatureMismatch:
        """The error for a call with arguments of types the module was not built for."""
        given = ", ".join(map(spell, args))
        built = "; ".join(f"({text})" for text in self.built_for)
        file = os.path.basename(self.beside)
        return SignatureMismatch(
            f"{self.name}() was called with ({given}) but built for {built}",
            self.place(),
            f"add --signature {_quoted(given)} to the command at the top of {file}, and run it",
        )


@frozen
class Assumed:
    """What a derivative was made from and does not ask its caller for: the types of module data that it reads, values
    that went into it, functions by their source, what names and attributes lead to. Each is (module, path, text)."""

    origin: Origin
    facts: tuple[tuple[str, str, str], ...]
    quick: list[Callable[[], bool]] = field(default_factory=list[Any], compare=False)
    """Says whether all still is as it was when it was compared last."""

    def check(self) -> None:
        """Raises Outdated where one of them has changed; modules that are not loaded have not."""
        if not self.quick or not self.quick[0]():
            self._compare()
            self.quick[:] = [_quick(self.facts)]

    def _compare(self) -> None:
        for module, path, text in self.facts:
            loaded = sys.modules.get(module)
            if loaded is None:
                continue
            try:
                value = _follow(loaded, path)
                if fits(value, text):
                    continue
                now = _now(value, text)
            except (AttributeError, LookupError, TypeError):
                now = "now it is not there"
            raise self.broken(f"{module}.{path}" if path else module, text, now)

    def broken(self, what: str, text: str, now: str) -> Outdated:
        file = os.path.basename(self.origin.beside)
        return Outdated(
            f"{self.origin.name}() was built with {what}{_was(text)}; {now}",
            self.origin.place(),
            f"run the command at the top of {file} again",
        )


def _was(text: str) -> str:
    word, _, name = text.partition(" ")
    if word == "source":
        return " as the function it was"
    said = {"holds": f" that has {name}", "lacks": f" without {name}", "defines": f" that defines {name or 'nothing'}"}
    return said.get(word, f" as {text}")


def _now(value: Any, text: str) -> str:
    word, _, name = text.partition(" ")
    if word in ("holds", "lacks"):
        return f"now it has {'none' if word == 'holds' else 'one'}"
    if word == "defines":
        return f"now it defines {defined(value) or 'nothing'}"
    if word == "source" and isinstance(value, FunctionType) and _named(value) == text.rpartition(" ")[2]:
        return "now its source is another"
    if word == "is":
        return "now that is another" if not name.startswith("not ") else "now they are one object"
    if isinstance(value, FunctionType):
        return f"now it is {_named(value)}"
    by_type = isinstance(value, (float, complex, np.ndarray, tuple, list, dict))
    return f"now it is {spell(value) if by_type and told(value) != text else told(value)}"


PLAIN = (type(None), bool, int, float, complex, str, bytes)
"""Classes of values that are told by themselves."""


def told(value: Any) -> str:
    """What a value is, so that another process tells the same of the same: a function by its name and source, other
    things that are known by name by that, an object by its class."""
    cls: type = type(value)
    if cls in PLAIN or isinstance(value, (np.generic, np.dtype, range, slice)):
        return repr(value)
    if cls is tuple or cls is frozenset:
        parts = list(map(told, value))
        return f"{cls.__name__} of {', '.join(parts if cls is tuple else sorted(parts))}"
    if cls is FunctionType:
        return f"source {source_digest(value)} of {_named(value)}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, enum.Enum):
        return f"{_named(cls)}.{value.name}, {told(value.value)}"
    if isinstance(value, (type, np.ufunc)) or isinstance(getattr(value, "__qualname__", None), str):
        return f"{'class' if isinstance(value, type) else cls.__name__} {_named(value)}"
    return f"object of {told(cls)}"


def _named(value: Any) -> str:
    module = getattr(value, "__module__", None) or "builtins"
    return f"{module}.{getattr(value, '__qualname__', None) or value.__name__}"


def defined(cls: type) -> str:
    """The special methods that a class itself defines."""
    return ", ".join(sorted(SPECIAL.intersection(vars(cls))))


def shape(value: Any) -> str:
    """What a container is without what it holds."""
    keys = map(told, value) if isinstance(value, dict) else [str(len(value))]
    return f"{type(value).__name__} with {', '.join(keys)}"


_steps: dict[str, tuple[Any, ...]] = {}
_digests: weakref.WeakKeyDictionary[CodeType, str] = weakref.WeakKeyDictionary()


def _follow(value: Any, path: str) -> Any:
    """`TABLE["a"][0].b` of a module, `cached(1)` too."""
    steps = _steps.get(path)
    if steps is None:
        steps = _steps[path] = tuple(_steps_of(ast.parse(path, mode="eval").body)) if path else ()
    for step in steps:
        if isinstance(step, str):
            value = getattr(value, step)
        elif len(step) == 1:
            value = value[step[0]]
        else:
            value = value(*step[0], **step[1])
    return value


def _steps_of(node: ast.expr) -> Iterator[Any]:
    literal = ast.literal_eval
    match node:
        case ast.Name(name):
            yield name
        case ast.Attribute(owner, name):
            yield from (*_steps_of(owner), name)
        case ast.Subscript(owner, key):
            yield from (*_steps_of(owner), (literal(key),))
        case ast.Call(called, args, keywords):
            yield from (*_steps_of(called), ([*map(literal, args)], {str(k.arg): literal(k.value) for k in keywords}))
        case _:
            raise TypeError(ast.dump(node))


def fits(value: Any, text: str) -> bool:
    """Whether a value is what a text says: `float64[:,:]`, `[float, ...]`, `True`, `source 1f… of m.f`, `lacks go`."""
    word, _, rest = text.partition(" ")
    said = _SAID.get(word)
    if said is not None:
        return said(value, rest)
    if text.endswith((", ...]", ", ...)")):
        same = type(value) is (list if text[0] == "[" else tuple)
        return same and all(fits(item, text[1:-6]) for item in value)
    if spell(value) == text or told(value) == text:
        return True
    return isinstance(value, (tuple, list, dict)) and shape(value) == text


def _is_source(value: Any, text: str) -> bool:
    """Whether a function is of this name and, if its source is there, of this source."""
    digest, _, name = text.partition(" of ")
    if type(value) is not FunctionType or _named(value) != name:
        return False
    found = source_digest(value)
    return found == digest or not found and not value.__code__.co_filename.startswith("<")  # no sources are there


def _is_other(value: Any, text: str) -> bool:
    negated, where = text.startswith("not "), text.removeprefix("not ")
    module, _, path = where.partition(":")
    return (value is _follow(sys.modules.get(module), path)) is not negated


def _quick(facts: Sequence[tuple[str, str, str]]) -> Callable[[], bool]:
    """One function that tests all facts, which hold now; where it says no, they are to be compared again."""
    names: dict[str, Any] = {"modules": sys.modules, "fits": fits}
    tests: dict[str, None] = {}
    spaces: dict[str, str] = {}
    for k, (module, path, text) in enumerate(facts):
        space = spaces.setdefault(module, f"m{len(spaces)}")
        names[space] = sys.modules.get(module)
        tests[f"modules.get({module!r}) is {space}"] = None
        if names[space] is not None:
            names[f"v{k}"], names[f"t{k}"] = _follow(names[space], path), text
            tests[_quick_test(f"{space}.{path}" if path else space, names[f"v{k}"], text, k, names)] = None
    text = f"def valid():\n try:\n  return {' and '.join(tests) or 'True'}\n except (AttributeError, LookupError, "
    exec(text + "TypeError):\n  return False", names)
    return names["valid"]


def _quick_test(expression: str, value: Any, text: str, k: int, names: dict[str, Any]) -> str:
    word, _, name = text.partition(" ")
    if word == "source":
        names[f"c{k}"] = value.__code__
        return f"{expression} is v{k} and v{k}.__code__ is c{k}"
    if word in ("lacks", "defines") and isinstance(value, (type, ModuleType)):
        names[f"t{k}"] = SPECIAL.difference(name.split(", ")) if word == "defines" else set(name.split(", "))
        return f"t{k}.isdisjoint({expression}.__dict__)"
    if word == "object" or text == type(value).__name__:
        names[f"t{k}"] = type(value)
        return f"{expression}.__class__ is t{k}"
    if isinstance(value, (type, ModuleType, np.ufunc, BuiltinFunctionType, bool, float, type(None))):
        return f"{expression} is v{k}"
    return f"fits({expression}, t{k})"


_SAID: dict[str, Callable[[Any, str], bool]] = {
    "source": _is_source,
    "holds": holds,
    "lacks": lambda value, names: not any(holds(value, name) for name in names.split(", ")),
    "defines": lambda value, names: defined(value) == names,
    "object": lambda value, text: told(type(value)) == text.removeprefix("of "),
    "one": lambda value, text: type(value).__name__ in text.removeprefix("of ").split(", "),
    "is": _is_other,
}


def source_digest(function: FunctionType) -> str:
    """Tells the sources of functions apart; "" where there is no source."""
    known = _digests.get(function.__code__)
    if known is None:
        try:
            lines = inspect.getsource(function.__code__)
        except (OSError, TypeError):
            lines = ""
        known = hashlib.sha256(textwrap.dedent(lines).encode()).hexdigest()[:16] if lines else ""
        _digests[function.__code__] = known
    return known


class _Undefined:
    """The value of a name that no path has bound."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined()


def present(value: object) -> bool:
    """Whether code that is not followed has left a value under a name."""
    return value is not UNDEFINED


def as_written(module: ModuleType, text: str) -> Callable[..., tuple[Any, ...]]:
    """The function that runs statements of a module which no derivative passes through."""
    made: dict[str, Any] = {}
    exec(text, vars(module), made)
    return made["__maker"](UNDEFINED)


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


def gradient(g: Any, x: Any) -> Any:
    """The cotangent `g` of `x` as users get it: of its structure, types, shapes and dtypes, None
    where it has none, conjugated, in arrays of its own."""
    return _leave(g, x, _conjugate, set())


def tangent(t: Any, y: Any) -> Any:
    """The tangent `t` of a result `y` as users get it."""
    return _leave(t, y, None, set())


def _conjugate(g: Any) -> Any:
    return np.conj(g) if isinstance(g, np.ndarray) else g.conjugate()


def _leave(g: Any, x: Any, change: Callable[[Any], Any] | None, seen: set[int]) -> Any:
    if isinstance(x, (tuple, list, dict)):
        return _container(g, x, change, seen)
    if not _has_tangent(x):
        return None
    if g is None:
        return zeros_like(x)
    out = like(g, x)
    if change is not None and np.iscomplexobj(out):
        out = change(out)
    return owned(out, x, seen) if isinstance(out, np.ndarray) else out


def owned(out: np.ndarray[Any, Any], x: Any, seen: set[int]) -> Any:
    """`out` in memory that neither `x` nor any of the results `seen` before has."""
    if out is x or out.base is not None or not out.flags.writeable or id(out) in seen:
        out = out.copy()
    seen.add(id(out))
    return out


def _container(g: Any, x: Any, change: Callable[[Any], Any] | None, seen: set[int]) -> Any:
    if not _has_tangent(x):
        return None
    if isinstance(x, dict):
        return {k: _leave(None if g is None else g[k], v, change, seen) for k, v in x.items()}
    parts = [_leave(None if g is None else g[i], v, change, seen) for i, v in enumerate(x)]
    return parts if isinstance(x, list) else tuple.__new__(type(x), parts)


def _has_tangent(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_has_tangent, x))
    if isinstance(x, dict):
        return any(map(_has_tangent, x.values()))
    return isinstance(x, (float, complex, np.inexact)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def accept(t: Any, x: Any, name: str) -> Any:
    """A tangent that the user passed for `x`: checked, converted, in memory of its own; None
    stands for zero. Raises NotDifferentiable (a TypeError) where it does not fit."""
    if not _has_tangent(x):
        return None
    if t is None:
        return zeros_like(x)
    if isinstance(x, (tuple, list, dict)):
        if type(t) is not type(x) or len(t) != len(x) or (isinstance(x, dict) and set(t) != set(x)):
            raise NotDifferentiable(f"{name} has not the structure of what it is the tangent of", remedy=spell(x))
        if isinstance(x, dict):
            return {k: accept(t[k], v, f"{name}[{k!r}]") for k, v in x.items()}
        parts = [accept(item, v, f"{name}[{i}]") for i, (item, v) in enumerate(zip(t, x))]
        return parts if isinstance(x, list) else tuple.__new__(type(x), parts)
    given = np.asarray(t)
    if given.shape != np.shape(x) or given.dtype.kind not in ("biufc" if np.iscomplexobj(x) else "biuf"):
        what = f"{spell(t)} of shape {given.shape} where {spell(x)} of {np.shape(x)} is needed"
        raise NotDifferentiable(f"{name} is {what}")
    return given.astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(t)
