"""What modules written ahead of time need at run time: checks of a call, gradients as users get them.

A derivative module tests the types of its arguments with `is_array` and plain Python, runs the
generated function, and hands back `gradient(…)` of what that gives.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
import textwrap
import weakref
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable, Outdated, Place, SignatureMismatch
from adcompile.frozen import frozen
from adcompile.runtime.arrays import like, zeros_like

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
    """What a derivative was made from and does not ask its caller for: the types of module data that
    it reads, values that went into it, functions by their source. Each is (module, path, text)."""

    origin: Origin
    facts: tuple[tuple[str, str, str], ...]

    def check(self) -> None:
        """Raises Outdated where one of them has changed; modules that are not loaded have not."""
        for module, path, text in self.facts:
            loaded = sys.modules.get(module)
            if loaded is None:
                continue
            try:
                value = _follow(loaded, path)
                if _fits(value, text):
                    continue
                now = "now its source is another" if text.startswith("source ") else f"now it is {_shown(value)}"
            except (AttributeError, LookupError, TypeError):
                now = "now it is not there"
            raise self.broken(f"{module}.{path}", text, now)

    def broken(self, what: str, text: str, now: str) -> Outdated:
        was = "the function it was" if text.startswith("source ") else text
        file = os.path.basename(self.origin.beside)
        return Outdated(
            f"{self.origin.name}() was built with {what} as {was}; {now}",
            self.origin.place(),
            f"run the command at the top of {file} again",
        )


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, (bool, int)) else spell(value)


_steps: dict[str, tuple[Any, ...]] = {}
_digests: weakref.WeakKeyDictionary[CodeType, str] = weakref.WeakKeyDictionary()


def _follow(value: Any, path: str) -> Any:
    """`TABLE["a"][0].b` of a module."""
    steps = _steps.get(path)
    if steps is None:
        steps, node = (), ast.parse(path, mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                steps, node = (node.attr, *steps), node.value
            else:
                assert isinstance(node, ast.Subscript)
                steps, node = ((ast.literal_eval(node.slice),), *steps), node.value
        steps = _steps[path] = (node.id, *steps)
    for step in steps:
        value = getattr(value, step) if isinstance(step, str) else value[step[0]]
    return value


def _fits(value: Any, text: str) -> bool:
    """Whether a value is what a text says: `float64[:,:]`, `[float, ...]`, `True`, `source 1f…`."""
    if text.startswith("source "):
        function = inspect.unwrap(value) if callable(value) else value
        return not isinstance(function, FunctionType) or source_digest(function) in ("", text[7:])
    if text.endswith((", ...]", ", ...)")):
        same = type(value) is (list if text[0] == "[" else tuple)
        return same and all(_fits(item, text[1:-6]) for item in value)
    return spell(value) == text or repr(value) == text


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
