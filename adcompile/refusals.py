"""Calls of the transforms that are refused: what is wrong, where, and what to write instead."""

from __future__ import annotations

import importlib
import types as pytypes
from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.errors import AdcompileError, NotDifferentiable, Place, Unsupported, place_of
from adcompile.ir.abstract import OWN, bound_in, parts_of_object
from adcompile.runtime.state import reaches
from adcompile.spaces import is_hollow, space_of
from adcompile.targets import innermost, resolve


def spaces_at(fun: Any, values: Iterable[Any]) -> list[Any]:
    """The spaces of the tangents of values that cross; errors have the place of the function."""
    try:
        return [space_of(value) for value in values]
    except AdcompileError as error:
        raise error.at(place_of(innermost(resolve(fun).function))) from None


def differentiated(fun: Any, argnums: Any, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> tuple[int, ...]:
    """The positions of the plan as they stand in this call, each of a value with a tangent. The last
    of `args` are those passed by keyword, `names`."""
    count = len(args) - len(names)
    if argnums is None:
        wrt = tuple(i for i, space in enumerate(spaces_at(fun, args[:count])) if not is_hollow(space))
        if not wrt:
            raise NotDifferentiable(
                f"no argument of {innermost(fun).__name__}() is differentiable",
                place_of(innermost(fun)),
                "pass floats or float arrays: 3.0 for 3",
            )
        check_held(fun, [args[i] for i in wrt])
        return wrt
    given = argnums if isinstance(argnums, tuple) else (argnums,)
    wrt = tuple(_position(fun, i, count, names) for i in given)
    for i, space in zip(wrt, spaces_at(fun, [args[i] for i in wrt])):
        if is_hollow(space):
            raise _no_tangent(innermost(fun), i if i < count else names[i - count], args[i])
    check_held(fun, [args[i] for i in wrt])
    return wrt


def check_held(fun: Any, values: Iterable[Any]) -> None:
    """Refuse arguments with a callable that holds a part of the same argument, other than what it is held by: what it
    computes of that part would be taken for a constant.

    Raises Unsupported.
    """
    for value in values:
        parts: set[int] = set()
        callables: list[tuple[Any, tuple[int, ...]]] = []
        todo = [(value, ())]
        while todo:
            item, outer = todo.pop()
            held = held_in(item, outer)
            if held is None and callable(item):
                callables.append((item, outer))
            if held is not None and id(item) not in parts:
                parts.add(id(item))
                todo += [(part, (*outer, id(item))) for part in held]
        for item, outer in callables:
            bound = [held for _, held in bound_in(item)] if isinstance(item, OWN) else [item]
            if any(id(held) not in outer and reaches(held, parts) for held in bound):
                name = getattr(item, "__name__", type(item).__name__)
                raise Unsupported(
                    f"an argument that is differentiated holds {name}(), which holds a part of the same argument",
                    place_of(innermost(fun)),
                    "call a method of that part where it is needed: model.layer.act(x)",
                )


def held_in(value: Any, outer: tuple[int, ...]) -> Iterable[Any] | None:
    """The items of a container and the attributes of an object; None for other values."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple)):
        return value
    held = parts_of_object(value, outer)
    return None if held is None else held.values()


def _position(fun: Any, i: Any, count: int, names: tuple[str, ...]) -> int:
    if isinstance(i, str):
        if i in names:
            return count + names.index(i)
        what, passed = f"a parameter {i!r}", f"without it; by name it was given {', '.join(names) or 'nothing'}"
    else:
        if -count <= i < count:
            return i + count if i < 0 else i
        what, passed = f"argument {i}", f"with {count}"
    raise NotDifferentiable(
        f"argnums names {what}, but {innermost(fun).__name__}() was called {passed}", place_of(innermost(fun))
    )


def _no_tangent(fun: Any, i: int | str, value: Any) -> NotDifferentiable:
    names = fun.__code__.co_varnames
    if isinstance(i, str) or i < fun.__code__.co_argcount:
        name = f"argument {(i if isinstance(i, str) else names[i])!r}"
    else:
        name = f"argument {i}"
    kind, remedy = _describe(value)
    return NotDifferentiable(f"{name} of {fun.__name__}() has no derivative: it is {kind}", place_of(fun), remedy)


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"


def _describe(value: Any) -> tuple[str, str]:
    cls: type = type(value)
    if cls is int:
        return "an int", f"write {float(value)!r}"
    if isinstance(value, np.integer):
        return f"a {cls.__name__}", "pass float(…) of it"
    if cls is np.ndarray:
        return f"an array of {value.dtype}", "pass it .astype(float)"
    if isinstance(value, np.ndarray):
        return f"a {cls.__name__}", "pass np.asarray(…) of it: subclasses of ndarray are not followed"
    if tangents.is_container(value):
        return f"a {cls.__name__} without a float or float array", "write its numbers as floats"
    return f"{_article(cls.__name__)} {cls.__name__}", "name other arguments with argnums, or pass floats"


def _is_derivative(value: Any) -> bool:
    return hasattr(type(value), "__adcompile_key__")


def refuse_self_reference(fun: pytypes.FunctionType) -> None:
    """A decorated function that calls itself by name would differentiate its own derivative."""
    code = fun.__code__
    found: dict[str, Any] = {name: fun.__globals__.get(name) for name in code.co_names}
    for name, cell in zip(code.co_freevars, fun.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    for name, value in found.items():
        if _is_derivative(value) and innermost(value).__code__ is code:
            _refuse_name(fun, name, value)


def _refuse_name(fun: pytypes.FunctionType, name: str, value: Any) -> None:
    """Refuse the first use of `name` in the function, if it is that: attributes may have the same name."""
    gast: Any = importlib.import_module("gast")
    source = importlib.import_module("adcompile.frontend.source").source_of(fun)
    uses = [n for n in gast.walk(source.node) if isinstance(n, gast.Name) and n.id == name]
    if not uses:
        return
    n = min(uses, key=lambda n: (n.lineno, n.col_offset))
    transform = value.transform
    raise Unsupported(
        f"{name}() is decorated with {transform} and calls itself by name: that is a call of its derivative",
        Place(source.file, n.lineno, n.col_offset, n.end_lineno, n.end_col_offset),
        f"leave {name} undecorated and write g = {transform}({name})",
    )
