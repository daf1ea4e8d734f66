"""Code of Python and of installed packages that need not be followed, and classes that are not of them."""

from __future__ import annotations

import functools
import os
import sys
import types as python_types
from collections.abc import Mapping, Sequence
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.errors import AdcompileError, Place
from adcompile.ir.abstract import is_installed, is_installed_file
from adcompile.ir.nodes import Atom, Const, Function
from adcompile.ir.types import UNKNOWN, Instance, Known, TupleT, Type, differentiable
from adcompile.runtime.structure import defines_operators

MADE_OUTSIDE = ("adcompile.products", "adcompile.transforms")
"""Modules of ours whose functions a program may hold: pullbacks and linear maps, which are run, not followed."""
MASKED = ("numpy.ma.core", "numpy.ma.extras")
"""Functions and methods of masked arrays are run as well: they ask for what only they tell apart from arrays."""


def may_carry(t: Type) -> bool:
    text = isinstance(t, Instance) and (issubclass(t.cls, (int, str, bytes)) or writes_text(t.cls))
    return differentiable(t) and not isinstance(t, Known) and not text


def writes_text(value: Any) -> bool:
    """Whether a function or class is of the modules of Python that are about text and logs."""
    return value.__module__ in ("logging", "re", "re._compiler", "sre_compile")


def python_function(value: Any) -> python_types.FunctionType | None:
    """The Python function behind a callable: itself, under a cache, or numpy's implementation."""
    if isinstance(value, python_types.FunctionType):
        return value
    if isinstance(value, functools._lru_cache_wrapper):  # pyright: ignore
        return python_function(value.__wrapped__)
    inner = getattr(value, "_implementation", None)  # numpy's dispatched functions
    return inner if isinstance(inner, python_types.FunctionType) else None


def is_of_library(fn: python_types.FunctionType) -> bool:
    """Whether a function is of Python or an installed package, which write into nothing of the user's."""
    module = home_of(fn)
    return module is not None and is_installed(module)


def home_of(value: type | python_types.FunctionType) -> python_types.ModuleType | None:
    """The module of a class or function: of a function that whose names it means, whatever `functools.wraps` says."""
    name = value.__globals__.get("__name__", "") if isinstance(value, python_types.FunctionType) else value.__module__
    return sys.modules.get(name)


def by_name(
    b: Builder,
    fn: python_types.FunctionType,
    args: list[Atom],
    kwargs: list[tuple[str, Atom]],
    name: str,
    place: Place | None,
) -> Atom | None:
    """`log.debug(…)` as it is written, if `fn` is that method of the first argument."""
    t = b.type(args[0]) if args else None
    cls = t.cls if isinstance(t, Instance) else None
    if cls is None or getattr(cls, fn.__name__, None) is not fn:
        return None
    method = b.emit(getattr, (args[0], Const(fn.__name__)), UNKNOWN, (), fn.__name__, place)
    return b.emit(method, args[1:], UNKNOWN, kwargs, name, place)


def is_of_user(value: Any) -> bool:
    """Whether a class or function is the user's, who may change its attributes."""
    if not isinstance(value, (type, python_types.FunctionType)):
        return False
    module = home_of(value)
    return module is None or not is_installed(module)


def has_operators(b: Builder, atom: Atom) -> bool:
    """Whether a value of the program is a record, or an object that is not taken apart, whose class says
    what operators do."""
    t = b.type(atom)
    cls = t.cls if isinstance(t, (TupleT, Instance)) and b.role == "primal" else tuple
    return cls is not tuple and defines_operators(cls) and (isinstance(t, TupleT) or is_of_user(cls))


def in_users_code(error: AdcompileError, followed: Mapping[Any, Sequence[Place | None]]) -> AdcompileError:
    """The error of code of Python or of an installed package, at the user's line that calls it."""
    place = error.place
    seen: set[Place] = set()
    while place is not None and is_installed_file(place.file) and place not in seen:
        seen.add(place)
        around = [(first, places) for fn, places in followed.items() if (first := _first_line(fn, place)) is not None]
        place = max(around, key=lambda found: found[0])[1][-1] if around else None
    if place is None or place == error.place or error.place is None or is_installed_file(place.file):
        return error
    within = f" (in {os.path.basename(error.place.file)}, line {error.place.line}, which this calls)"
    foreign = f"{os.sep}site-packages{os.sep}" in error.place.file
    return type(error)(error.message + within, place, WITHOUT_RULE if foreign else error.remedy)


WITHOUT_RULE = (
    "no rule is known of what is called here, so that its source is followed: call a function of NumPy's that does the "
    "same, or register a rule for this one, with adcompile.rules.vjp or adcompile.rules.frule"
)


def _first_line(fn: Any, place: Place) -> int | None:
    """The first line of a function, if a place is within it."""
    if isinstance(fn, Function):
        file, first, last = (fn.place.file, fn.place.line, fn.place.end_line) if fn.place is not None else ("", 1, 0)
    else:
        code = fn.__code__
        file, first = code.co_filename, code.co_firstlineno
        last = max((line for _, _, line in code.co_lines() if line is not None), default=first)
    return first if file == place.file and first <= place.line <= last else None
