"""What modules written ahead of time need at run time: checks of a call, gradients as users get them.

A derivative module tests the types of its arguments with `is_array` and plain Python, runs the
generated function, and hands back `gradient(…)` of what that gives.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable, Place, SignatureMismatch
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a derivative was made from: `path` is relative to the module `beside`, the file that
    holds the derivative and says above how it was made."""

    name: str
    beside: str
    path: str
    span: tuple[tuple[int, int], tuple[int, int]]
    built_for: tuple[str, ...]

    def mismatch(self, *args: Any) -> SignatureMismatch:
        """The error for a call with arguments of types the module was not built for."""
        source = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(self.beside)), self.path))
        place = Place(source, *self.span[0], *self.span[1])
        given = ", ".join(map(spell, args))
        built = "; ".join(f"({text})" for text in self.built_for)
        file = os.path.basename(self.beside)
        return SignatureMismatch(
            f"{self.name}() was called with ({given}) but built for {built}",
            place,
            f"add --signature {_quoted(given)} to the command at the top of {file}, and run it",
        )


class _Undefined:
    """The value of a name that no path has bound."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined()


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
    if isinstance(out, np.ndarray):
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
