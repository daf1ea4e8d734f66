"""The function behind a callable, and how the arguments of a call bind to it.

Methods, partial objects, callable objects and builtins become a plain function with leading
arguments, so that everything behind the interface sees plain functions and positions.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import types as pytypes
from dataclasses import field
from typing import Any

from adcompile.errors import NotDifferentiable, place_of
from adcompile.frozen import frozen


@frozen(eq=False)
class Target:
    """Calling `function(*leading, *args, **keywords, **kwargs)` is calling the callable."""

    function: Any
    leading: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)


@frozen(eq=False)
class Bound:
    """The arguments of one call: `args` by position, of which those in `filled` are defaults;
    `names` and `values` are what is left to pass by keyword."""

    args: tuple[Any, ...]
    filled: frozenset[int]
    names: tuple[str, ...]
    values: tuple[Any, ...]


def resolve(fun: Any) -> Target:
    """The target of a callable. Raises NotDifferentiable if it cannot be called."""
    if hasattr(type(fun), "__adcompile_key__"):  # a derivative knows its own
        return fun.target
    if isinstance(fun, pytypes.FunctionType):
        return Target(fun)
    if isinstance(fun, pytypes.MethodType):
        inner = resolve(fun.__func__)
        return Target(inner.function, (*inner.leading, fun.__self__), inner.keywords)
    if isinstance(fun, functools.partial):
        inner = resolve(fun.func)
        return Target(inner.function, (*inner.leading, *fun.args), {**inner.keywords, **fun.keywords})
    if isinstance(fun, (staticmethod, classmethod)):
        return resolve(fun.__func__)
    method = inspect.getattr_static(type(fun), "__call__", None)
    if isinstance(method, pytypes.FunctionType) and not isinstance(fun, type):
        return Target(method, (fun,))
    if not callable(fun):
        raise NotDifferentiable(
            f"{fun!r} is not a function", remedy="pass the function itself: grad(f)(x), not grad(f(x))"
        )
    return Target(wrapper(fun))


_wrappers: dict[tuple[Any, tuple[str, ...]], pytypes.FunctionType] = {}


def wrapper(fn: Any, names: tuple[str, ...] = ()) -> pytypes.FunctionType:
    """A Python function with readable source that calls a builtin, ufunc or class; `names`: the
    keywords of the last of its arguments. Raises NotDifferentiable for what cannot be a key, and so
    cannot have a rule."""
    try:
        found = _wrappers.get((fn, names))
    except TypeError:
        raise NotDifferentiable(
            f"a call of {fn!r} runs code that is not Python",
            remedy="call it in a function of yours, and register a rule for that with adcompile.rules.vjp",
        ) from None
    if found is None:
        found = _wrappers[fn, names] = _wrapper(fn, names)
    return found


def _wrapper(fn: Any, names: tuple[str, ...]) -> pytypes.FunctionType:
    name = f"call_{getattr(fn, '__name__', 'object')}"
    name = name if name.isidentifier() else "call"
    synthesise: Any = importlib.import_module("adcompile.frontend.source").synthesise
    if not names:
        return synthesise(name, "*args, **kwargs", ["return fn(*args, **kwargs)"], {"fn": fn})
    call = f"return fn(*args[:-{len(names)}], **dict(zip(names, args[-{len(names)}:])))"
    return synthesise(name, "*args", [call], {"fn": fn, "names": names})


def bind(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], asked: tuple[str, ...] = ()) -> Bound:
    """Bind a call's arguments to positions, defaults filled in; of keyword-only parameters those of
    the names `asked`. Raises Python's own TypeError."""
    function = innermost(target.function)
    code = function.__code__
    args, kwargs = (*target.leading, *args), {**target.keywords, **kwargs}
    names = code.co_varnames[: code.co_argcount]
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(names[len(names) - len(function.__defaults__ or ()) :], function.__defaults__ or ()))
    values, filled = list(args), set[int]()
    rest = dict(kwargs)
    for i in range(len(args), len(names)):
        name = names[i]
        if name in rest and i >= code.co_posonlyargcount:
            values.append(rest.pop(name))
        elif name in defaults:
            filled.add(i)
            values.append(defaults[name])
        else:
            break
    rest.update((k, v) for k, v in (function.__kwdefaults__ or {}).items() if k in asked and k not in rest)
    takes_all = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    takes_more = bool(code.co_flags & inspect.CO_VARARGS)
    by_name = names[code.co_posonlyargcount :]
    known = all(k in only or (takes_all and k not in by_name) for k in rest)
    wanted = all(k in rest or k in (function.__kwdefaults__ or {}) for k in only)
    if len(values) < len(names) or (len(args) > len(names) and not takes_more) or not known or not wanted:
        inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
        raise TypeError(f"cannot bind the arguments of {function.__name__}()")
    return Bound(tuple(values), frozenset(filled), tuple(rest), tuple(rest.values()))


def innermost(fun: Any) -> pytypes.FunctionType:
    """The plain function under derivatives of derivatives."""
    while not isinstance(fun, pytypes.FunctionType):
        fun = resolve(fun.fun).function
    return fun


def arity(target: Target) -> int:
    """The number of arguments with which a call is already bound; -1 if none is."""
    if target.leading or target.keywords:
        return -1
    function = innermost(target.function)
    code = function.__code__
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount:
        return -1
    return code.co_argcount


def positions(argnums: Any, target: Target) -> Any:
    """`argnums` with names replaced by positions and leading arguments counted; an int stays an
    int, a tuple a tuple; positions from the end stay negative, and keyword-only names stay names."""
    if isinstance(argnums, (tuple, list)):
        return tuple(positions(a, target) for a in argnums)
    if isinstance(argnums, str):
        function = innermost(target.function)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if argnums in names[: code.co_argcount]:
            return names.index(argnums)
        if argnums not in names and not code.co_flags & inspect.CO_VARKEYWORDS:
            raise NotDifferentiable(
                f"{function.__name__}() has no parameter {argnums!r}",
                place_of(function),
                f"argnums takes positions or these names: {', '.join(names)}",
            )
        return argnums
    if isinstance(argnums, bool) or not hasattr(argnums, "__index__"):
        raise TypeError(f"argnums must be an int, a parameter's name or a tuple of these, not {argnums!r}")
    position = argnums.__index__()
    return position + len(target.leading) if position >= 0 else position
