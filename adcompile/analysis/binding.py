"""The arguments of a call by the parameters of a function, as Python binds them; what functions hold."""

from __future__ import annotations

import functools
import inspect
import operator
import types as python_types
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import fresh
from adcompile.analysis.library import is_of_library
from adcompile.analysis.live import type_at
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Raise, Signature, Var
from adcompile.ir.types import (
    Instance,
    Known,
    Scalar,
    TupleT,
)


@frozen(eq=False)
class Rest:
    """Stands, as a Const, for all further positional arguments, which are the items of `items`."""

    items: Atom


def bind(
    b: Builder,
    name: str,
    signature: Signature,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    defaults: Sequence[Atom],
    kwdefaults: dict[str, Atom],
    place: Place | None,
) -> list[Atom]:
    """The values of a function's parameters in a call; raises Python's TypeError when reached."""
    positional = signature.positional
    given: dict[str, Atom] = dict(zip(positional, args))
    rest = list(args[len(positional) :])
    many = rest[0].value.items if rest and isinstance(rest[0], Const) and isinstance(rest[0].value, Rest) else None
    extra: list[tuple[str, Atom]] = []
    by_name = (*positional[signature.positional_only :], *signature.keyword_only)
    for key, value in kwargs:
        if key in by_name and key in given or key in positional and key not in by_name and signature.kwarg is None:
            raise wrong_call(f"{name}() got multiple values for argument {key!r}", place)
        if key in by_name:
            given[key] = value
        elif signature.kwarg is not None:
            extra.append((key, value))
        else:
            raise wrong_call(f"{name}() got an unexpected keyword argument {key!r}", place)
    if rest and signature.vararg is None:
        n = len(positional)
        raise wrong_call(f"{name}() takes {n} positional arguments but {len(args)} were given", place)
    given = {**dict(zip(positional[len(positional) - len(defaults) :], defaults)), **kwdefaults, **given}
    missing = [p for p in (*positional, *signature.keyword_only) if p not in given]
    if missing:
        raise wrong_call(f"{name}() missing required arguments: {', '.join(map(repr, missing))}", place)
    bound = [given[p] for p in positional]
    if signature.vararg is not None:
        whole = None if many is None else b.call(tuple, many, name=signature.vararg)
        bound.append(b.build(TupleT(()), rest, name=signature.vararg) if whole is None else whole)
    bound += [given[p] for p in signature.keyword_only]
    if signature.kwarg is not None:
        bound.append(_new_dict(b, extra, signature.kwarg, place))
    return bound


def _new_dict(b: Builder, items: Sequence[tuple[str, Atom]], name: str, place: Place | None) -> Atom:
    """All further keyword arguments: a dict that each call makes. It is none of the caller's, whose place it has."""
    flat = [atom for key, value in items for atom in (Const(key), value)]
    whole = b.context.dispatch(b, Const(ops.build_dict), flat, [], name, place)
    return fresh(b, dict, whole, name, place)


def wrong_call(message: str, place: Place | None) -> Terminated:
    return Terminated(Raise(Const(TypeError(message)), None, place))


def owner_of_data(b: Builder, value: Any, place: Place | None) -> Var:
    """A class, function or partial that was met when compiling, as the program's memory: what is
    reached through it is read live, and may be written into."""
    ref = b.context.owner(value)
    var = b.emit(ops.load_global, (Const(ref),), Instance(object), (), getattr(value, "__name__", ""), place)
    b.context.origin[var] = (ref, ())
    return var


def read_held(b: Builder, owner: Any, field_name: str, key: Any, value: Any, place: Place | None) -> Atom:
    """What a live function or partial holds: what can change is read live, its structure guarded."""
    ref, path = b.context.owner(owner), (field_name, ("item", key))
    t = type_at(b, ref, path, value)
    if isinstance(t, (Known, Scalar)):
        if field_name != "__defaults__" and not (isinstance(owner, python_types.FunctionType) and is_of_library(owner)):
            b.context.guard_type(ref, path, Known(value))
        return Const(value)
    if is_constant(value) and isinstance(owner, python_types.FunctionType) and is_of_library(owner):
        return there(b, value, "", place)
    whole = Instance(type(getattr(owner, field_name)))
    held = b.emit(getattr, (owner_of_data(b, owner, place), Const(field_name)), whole, (), "", place)
    var = b.emit(operator.getitem, (held, Const(key)), t, (), "", place)
    b.context.guard_type(ref, path, t)
    b.context.example[var] = value
    b.context.origin[var] = (ref, path)
    return var


def is_constant(value: Any) -> bool:
    """Whether a value is a tuple that nobody can write into."""
    return type(value) is tuple and all(isinstance(v, (bool, int, float, str, type(None))) for v in value)


def there(b: Builder, value: Any, name: str, place: Place | None) -> Atom:
    """What was met while compiling, and will be there when the code runs: what can change, arrays
    above all, is read live."""
    if type(value) is tuple:
        return b.build(TupleT(()), [there(b, item, "", place) for item in value], name, place)
    ref = b.context.owner(value)
    t = type_at(b, ref, (), value)
    if isinstance(t, (Known, Scalar)):
        return Const(value)
    b.context.guard_type(ref, (), t)
    var = b.emit(ops.load_global, (Const(ref),), t, (), name, place)
    b.context.example[var] = value
    b.context.origin[var] = (ref, ())
    return var


def read_cell(b: Builder, fn: python_types.FunctionType, i: int, place: Place | None) -> Atom:
    """A captured value of a live closure: functions and the like by value, data read live."""
    cell = (fn.__closure__ or ())[i]
    if id(cell) in b.context.cells:
        return b.context.cells[id(cell)]
    try:
        contents = cell.cell_contents
    except ValueError:
        return Const(ops.UNDEFINED)
    ref = b.context.owner(cell)
    t = type_at(b, ref, ("cell_contents",), contents)
    b.context.guard_type(ref, ("cell_contents",), t)
    if isinstance(t, Known):
        return Const(contents)
    var = b.emit(getattr, (Const(cell), Const("cell_contents")), t, (), fn.__code__.co_freevars[i], place)
    b.context.example[var] = contents
    b.context.origin[var] = (ref, ("cell_contents",))
    return var


def in_place_of_names(
    fn: Any, args: list[Atom], kwargs: list[tuple[str, Atom]]
) -> tuple[list[Atom], list[tuple[str, Atom]]]:
    """The arguments of a call of Python's own in their places, whatever names they are given by: what is known of
    `pow(x, 3)` is known of `pow(base=x, exp=3)`."""
    if not kwargs or getattr(fn, "__module__", None) not in ("builtins", "itertools"):
        return args, kwargs
    args, named = list(args), dict(kwargs)
    for name in _positional(fn)[len(args) :]:
        if name not in named:
            break
        args.append(named.pop(name))
    return args, list(named.items())


@functools.lru_cache(maxsize=1024)
def _positional(fn: Any) -> tuple[str, ...]:
    """The parameters of a builtin that may be given by position."""
    try:
        parameters = inspect.signature(fn).parameters.values() if not isinstance(fn, python_types.FunctionType) else ()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def least_arguments(fn: Any) -> int:
    """How many arguments a call of a builtin or of NumPy's needs; zero where that is not known."""
    if isinstance(fn, np.ufunc):
        return fn.nin
    named = type(fn).__name__
    return _least(fn) if named in ("builtin_function_or_method", "_ArrayFunctionDispatcher") else 0


@functools.lru_cache(maxsize=4096)
def _least(fn: Any) -> int:
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return 0
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return sum(p.default is p.empty and p.kind not in variable for p in parameters)
