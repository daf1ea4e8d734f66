"""Calls whose derivative is looked up when the code runs: by the function and the types it meets.

`fn` is a function, or the name of a method of the first argument. `wrt` are the positions of the
arguments that carry derivatives, `names` the keywords of the last arguments, `at` says where in
the source the call stands. Tangents and cotangents are those of generated code.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import BuiltinFunctionType
from typing import Any

from adcompile.errors import AdcompileError
from adcompile.runtime.arrays import zeros_like
from adcompile.runtime.objects import Opaque

Positions = tuple[int, ...]


class Pulled(Opaque):
    """A pullback that was looked up; `args` are there only if it is to be differentiated again."""

    __slots__ = ("args", "at", "fn", "pull", "wrt")

    def __init__(
        self, fn: Any, wrt: Positions, at: str, pull: Callable[[Any], Sequence[Any]], args: Any = None
    ) -> None:
        self.fn, self.wrt, self.at, self.pull, self.args = fn, wrt, at, pull, args


def jvp_of(fn: Any, wrt: Positions, names: tuple[str, ...], at: str, *args: Any) -> tuple[Any, Any]:
    """The value of a call and its tangent; the last of `args` are the tangents of those in `wrt`."""
    count = len(args) - len(wrt)
    target = called_by(fn, names)
    try:
        return _lookup().push(target, args[:count], dict(zip(wrt, args[count:])))
    except AdcompileError as error:
        raise _from(error, at) from None


def vjp_of(fn: Any, wrt: Positions, names: tuple[str, ...], at: str, *args: Any) -> tuple[Any, Pulled]:
    """The value of a call and its pullback, for `pull`."""
    target = called_by(fn, names)
    try:
        value, run = _lookup().pull(target, args, wrt)
    except AdcompileError as error:
        raise _from(error, at) from None
    return value, Pulled(target, wrt, at, run)


def vjp_of_held(fn: Any, wrt: Positions, names: tuple[str, ...], at: str, *args: Any) -> tuple[Any, Pulled]:
    """`vjp_of` whose pullback can be differentiated: it holds copies of the arguments."""
    held = _lookup().held(args)
    value, pulled = vjp_of(fn, wrt, names, at, *args)
    pulled.args = held
    return value, pulled


def pull(pulled: Pulled, y_bar: Any) -> tuple[Any, ...]:
    """The cotangents of the arguments `wrt` of the call."""
    try:
        return tuple(pulled.pull(y_bar))
    except AdcompileError as error:
        raise _from(error, pulled.at) from None


def pull_split(pulled: Pulled, y_bar: Any) -> tuple[Any, tuple[Any, ...]]:
    """`pull`, the first cotangent apart from the others."""
    first, *rest = pull(pulled, y_bar)
    return first, tuple(rest)


def held_bar(bars: Any, k: int, x: Any) -> Any:
    """The cotangent of argument `k`, which is `x`, among those that a pullback received."""
    return zeros_like(x) if bars is None else bars[k]


# -- derivatives of pullbacks -------------------------------------------------------------------


class Dots(Opaque):
    """The tangent of a pullback: the arguments of its call, in memory of their own, and tangents of some."""

    __slots__ = ("args", "dots", "wrt")

    def __init__(self, wrt: Positions, args: Any, dots: Sequence[Any]) -> None:
        self.wrt, self.args, self.dots = wrt, args, dots


def dots_of(wrt: Positions, *args: Any) -> Dots:
    """The tangent of the pullback of a call with these arguments, the last of which are their tangents."""
    count = len(args) - len(wrt)
    return Dots(wrt, _lookup().held(args[:count]), args[count:])


def pull_jvp(pulled: Pulled, y_bar: Any, dots: Dots | None, y_bar_dot: Any) -> tuple[Any, Any]:
    """`pull` and its tangent, for the tangents of the pullback (None: zero) and of `y_bar`."""
    if dots is None:
        return pull(pulled, y_bar), pull(pulled, y_bar_dot)
    at = (0, *(k + 1 for k in dots.wrt))
    return jvp_of(pulled_by(pulled.fn, pulled.wrt), at, (), pulled.at, y_bar, *dots.args, y_bar_dot, *dots.dots)


def pull_vjp(pulled: Pulled, y_bar: Any) -> tuple[tuple[Any, ...], Pulled]:
    """`pull` and its pullback, which gives the cotangents of `y_bar` and of all arguments of the call."""
    wrt = tuple(range(len(pulled.args) + 1))
    return vjp_of(pulled_by(pulled.fn, pulled.wrt), wrt, (), pulled.at, y_bar, *pulled.args)


class Back(Opaque):
    """The pullback of a call as a function of its cotangent and its arguments."""

    __slots__ = ("__weakref__", "fn", "wrt")

    def __init__(self, fn: Any, wrt: Positions) -> None:
        self.fn, self.wrt = fn, wrt

    def __call__(self, y_bar: Any, *args: Any) -> tuple[Any, ...]:
        return pull(vjp_of(self.fn, self.wrt, (), "", *args)[1], y_bar)


class Forth(Opaque):
    """A call and its tangent as a function of the arguments and the tangents of those in `wrt`."""

    __slots__ = ("__weakref__", "fn", "wrt")

    def __init__(self, fn: Any, wrt: Positions) -> None:
        self.fn, self.wrt = fn, wrt

    def __call__(self, *args: Any) -> tuple[Any, Any]:
        return jvp_of(self.fn, self.wrt, (), "", *args)


pulled_by = lru_cache(maxsize=256)(Back)


@lru_cache(maxsize=256)
def pushed_by(fn: Any, wrt: Positions, names: tuple[str, ...]) -> Forth:
    return Forth(called_by(fn, names), wrt)


# -- what is called -----------------------------------------------------------------------------


def called_by(fn: Any, names: tuple[str, ...]) -> Callable[..., Any]:
    """`fn`, the last of whose arguments have these keywords, as a function of positions."""
    fn = method(fn) if isinstance(fn, str) else fn
    if not names:
        return fn
    # what is not Python goes under a function that names it: in a cell, it would be looked up there again, without end
    return _lookup().wrapper(fn, names) if isinstance(fn, BuiltinFunctionType) else keywords(fn, names)


@lru_cache(maxsize=256)
def method(name: str) -> Callable[..., Any]:
    """The call of a method as a function of its owner and its arguments."""

    def call(owner: Any, *args: Any, **settings: Any) -> Any:
        return getattr(owner, name)(*args, **settings)

    return call


@lru_cache(maxsize=256)
def keywords(fn: Any, names: tuple[str, ...]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        count = len(args) - len(names)
        return fn(*args[:count], **dict(zip(names, args[count:])))

    return call


def _lookup() -> Any:
    """The part of the compiler that looks up; it is loaded where it is needed."""
    return importlib.import_module("adcompile.lookup")


def _from(error: AdcompileError, at: str) -> AdcompileError:
    """The error with the place of the call."""
    if not at or at in error.message:
        return error
    return type(error)(f"{error.message} (in a call decided when the code runs, {at})", error.place, error.remedy)


