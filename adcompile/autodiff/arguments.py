"""Which arguments of a call a transform means: `argnums` are positions, names, or a tuple of these."""

from __future__ import annotations

import functools
import types as python_types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from adcompile.analysis.binding import read_held
from adcompile.analysis.builder import Builder, parts
from adcompile.analysis.callables import Partial
from adcompile.analysis.calls import class_handlers
from adcompile.analysis.heap import owner_of, read
from adcompile.errors import NotDifferentiable, Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom
from adcompile.ir.show import show_type
from adcompile.ir.types import Cell, Closure, Instance, Known, Method, ObjectT, Ref, Type, differentiable
from adcompile.runtime.structure import by_attributes, registration_of

Kwargs = Sequence[tuple[str, Atom]]


@frozen(eq=False)
class Parameters:
    """The parameters that a callable has left, and the values of those with defaults."""

    name: str
    positional: tuple[str, ...] = ()
    keyword_only: tuple[str, ...] = ()
    default: Callable[[str], Atom | None] = lambda name: None
    known: bool = True

    def without(self, leading: int, names: Sequence[str] = ()) -> Parameters:
        """The parameters behind the first `leading` ones, and without `names`."""
        rest = tuple(n for n in self.positional[leading:] if n not in names)
        return Parameters(self.name, rest, self.keyword_only, self.default, self.known)


def parameters(b: Builder, fun: Atom, place: Place | None) -> Parameters:
    """The parameters of the function behind an atom."""
    t = b.type(fun)
    if isinstance(t, Known):
        return _of_object(b, t.value, place)
    if isinstance(t, Closure):
        return _of_closure(b, fun, t)
    if isinstance(t, Method):
        owner = owner_of(b, fun, place)
        if isinstance(t.function, Partial):
            inner, *_ = b.items(owner)
            return parameters(b, inner, place).without(t.function.positional, t.function.keywords)
        if type(t.function) in class_handlers:  # a transform waiting for its function
            return parameters(b, owner, place)
        return _of_object(b, t.function, place).without(1)
    if isinstance(t, Instance) and isinstance(getattr(t.cls, "__call__", None), python_types.FunctionType):  # noqa: B004
        return _of_object(b, t.cls.__call__, place).without(1)
    return Parameters("the function", known=False)


def _of_closure(b: Builder, fun: Atom, t: Closure) -> Parameters:
    items, signature = b.items(fun), t.function.signature
    n, k = len(t.defaults), len(t.kwdefaults)
    values = dict(zip(signature.positional[len(signature.positional) - n :], items))
    values.update(zip((name for name, _ in t.kwdefaults), items[n : n + k]))
    return Parameters(t.function.name, signature.positional, signature.keyword_only, values.get)


def _of_object(b: Builder, value: Any, place: Place | None) -> Parameters:
    if isinstance(value, python_types.MethodType):
        return _of_object(b, value.__func__, place).without(1)
    if isinstance(value, functools.partial):
        return _of_object(b, value.func, place).without(len(value.args), tuple(value.keywords))
    if type(value) in class_handlers and hasattr(value, "fun"):
        return _of_object(b, value.fun, place)
    if isinstance(value, python_types.FunctionType):
        return _of_function(b, value, place)
    method = getattr(type(value), "__call__", None)  # noqa: B004  the function is wanted
    if isinstance(method, python_types.FunctionType):
        return _of_function(b, method, place).without(1)
    return Parameters(getattr(value, "__name__", "the function"), known=False)


def _of_function(b: Builder, fn: python_types.FunctionType, place: Place | None) -> Parameters:
    code = fn.__code__
    positional = code.co_varnames[: code.co_argcount]
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults, kwdefaults = fn.__defaults__ or (), fn.__kwdefaults__ or {}
    first = len(positional) - len(defaults)

    def default(name: str) -> Atom | None:
        if name in positional[first:]:
            i = positional.index(name) - first
            return read_held(b, fn, "__defaults__", i, defaults[i], place)
        return read_held(b, fn, "__kwdefaults__", name, kwdefaults[name], place) if name in kwdefaults else None

    return Parameters(fn.__name__, positional, only, default)


def check_objects(b: Builder, values: Iterable[Atom], place: Place | None) -> None:
    """Refuse objects as arguments or results of a derivative inside a function whose gradients, which consist of
    their attributes, would be others than outside: of classes that are registered with `tangents` and have not
    crossed yet, and what may hold itself."""
    seen = set[Cell]()
    work: list[tuple[Type, tuple[type, ...]]] = [(b.type(value), ()) for value in values]
    while work:
        t, around = work.pop()
        if isinstance(t, Ref) and t.cell not in seen:
            seen.add(t.cell)
            work.append((b.type(read(b, t.cell, place)), around))
        if isinstance(t, (ObjectT, Instance)):
            known = registration_of(t.cls)
            if known is not None and (t.cls, known) not in by_attributes:
                what = f"an object of {t.cls.__name__}, whose parts tangents.register tells"
                raise _refused(what, place, "pass and return its attributes, or leave the class unregistered")
            if isinstance(t, Instance) and t.cls in around:
                what = f"an object of {t.cls.__name__} that may hold itself"
                raise _refused(what, place, "pass what it is differentiated by as arguments")
            around = (*around, t.cls)
        work += [(part, around) for part in parts(t)]


def _refused(what: str, place: Place | None, remedy: str) -> Unsupported:
    return Unsupported(f"a derivative inside a function with {what}", place, remedy)


def meant(
    b: Builder, fun: Atom, argnums: Any, args: Sequence[Atom], kwargs: Kwargs, place: Place | None
) -> tuple[list[tuple[str, Atom]], tuple[int, ...]]:
    """The keyword arguments, with a default that is differentiated by among them, and the positions
    meant: of arguments by position, then of those by keyword.

    Raises NotDifferentiable for an argument that is not there or has no derivative.
    """
    if argnums is None:
        active = [i for i, a in enumerate(args) if differentiable(b.type(a))]
        check_objects(b, [args[i] for i in active], place)
        return list(kwargs), tuple(active)
    known, passed = parameters(b, fun, place), list(kwargs)
    out: list[int] = []
    for a in argnums if isinstance(argnums, (tuple, list)) else (argnums,):
        i = _position(known, a, args, passed, place)
        if not differentiable(b.type(args[i] if i < len(args) else passed[i - len(args)][1])):
            raise _no_derivative(b, known, i, args, passed, place)
        out.append(i)
    check_objects(b, [args[i] if i < len(args) else passed[i - len(args)][1] for i in out], place)
    return passed, tuple(out)


def _position(
    known: Parameters, a: Any, args: Sequence[Atom], passed: list[tuple[str, Atom]], place: Place | None
) -> int:
    if isinstance(a, bool) or not (isinstance(a, str) or hasattr(a, "__index__")):
        raise TypeError(f"argnums must be an int, a parameter's name or a tuple of these, not {a!r}")
    name: str | None = a if isinstance(a, str) else None
    if not isinstance(a, str):
        i = a.__index__() + (len(args) if a.__index__() < 0 else 0)
        if 0 <= i < len(args):
            return i
        name = known.positional[i] if 0 <= i < len(known.positional) else None
    elif a in known.positional[: len(args)]:
        return known.positional.index(a)
    names = [n for n, _ in passed]
    if name in names:
        return len(args) + names.index(name)
    default = known.default(name) if name is not None else None
    if name is not None and default is not None:
        passed.append((name, default))
        return len(args) + len(passed) - 1
    what = f"argument {a}" if not isinstance(a, str) else f"a parameter {a!r}"
    listed = ", ".join((*known.positional, *known.keyword_only))
    raise NotDifferentiable(
        f"argnums names {what}, but this call of {known.name}() passes {len(args)} arguments"
        + (f" and {', '.join(names)}" if names else ""),
        place,
        f"argnums takes positions or these names: {listed}" if listed else "",
    )


def _no_derivative(
    b: Builder, known: Parameters, i: int, args: Sequence[Atom], passed: Kwargs, place: Place | None
) -> NotDifferentiable:
    if i >= len(args):
        name, value = passed[i - len(args)]
    else:
        name, value = known.positional[i] if i < len(known.positional) else "", args[i]
    t: Type = b.type(value)
    kind = type(t.value).__name__ if isinstance(t, Known) else show_type(t)
    return NotDifferentiable(
        f"argument {name!r} of {known.name}() has no derivative: its type is {kind}" if name
        else f"argument {i} of {known.name}() has no derivative: its type is {kind}",
        place,
        f"write {float(t.value)!r}" if isinstance(t, Known) and type(t.value) is int else "pass floats or float arrays",
    )


__all__ = ["Parameters", "meant", "parameters"]
