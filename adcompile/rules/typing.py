"""The type of a call's result, from the types of its arguments.

A rule may bring its own `typing`; otherwise the callable itself is asked. Elementwise functions
run once on a stand-in of every combination of argument classes, so that NumPy's promotion comes
out exactly, and their dims follow from broadcasting. All others run on stand-ins of several
sizes and contents (typing_standin), and only what agrees is believed. Nothing runs that is not
registered as pure.
"""

from __future__ import annotations

import inspect
import itertools
import operator
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from adcompile.errors import Unsupported
from adcompile.ir.types import (
    BOOL,
    FLOAT,
    NEVER,
    UNKNOWN,
    Array,
    Dim,
    Known,
    Maybe,
    Never,
    Scalar,
    TupleT,
    Type,
    Unknown,
    is_scalar_class,
    join,
    scalar,
    widen,
)
from adcompile.rules.registry import Rule, Typing
from adcompile.rules.typing_standin import standin_type

__all__ = [
    "Typing",
    "always",
    "broadcast_dims",
    "broadcast_type",
    "broadcasting",
    "power_type",
    "refuse_out",
    "result_type",
    "standin_type",
    "truth",
]

MEMBERS = 64
"""Combinations of scalar classes that are tried before the result is given up as Unknown."""


IN_PLACE: set[Any] = {
    getattr(operator, name)
    for name in "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift".split()
}


def result_type(fn: Any, rule: Rule, args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The type of `fn(*args, **kwargs)`; raises Unsupported for what is never followed."""
    refuse_out(fn, args, kwargs)
    if any(isinstance(a, Never) for a in args):
        return NEVER
    if rule.kind in ("elementwise", "constant") and any(isinstance(a, Maybe) for a in args) and refuses_none(fn):
        args = numbers(args)
    if fn in IN_PLACE and isinstance(args[0], Array):
        return args[0]  # also of rank 0, where arithmetic gives a number
    if rule.typing is not None:
        return rule.typing(args, kwargs) if rule.total else _or_none(rule.typing, args, kwargs)
    if not rule.pure:
        return UNKNOWN
    if rule.kind == "elementwise":
        return broadcast_type(fn, args, kwargs)
    return standin_type(fn, tuple(args), tuple(sorted(kwargs.items())), rule.by_value)


def _or_none(typing: Typing, args: list[Type], kwargs: dict[str, Type]) -> Type:
    """What a typing says, where an argument of no known type may be None too: `axis=None` is another function."""
    out = typing(args, kwargs)
    unsure = [k for k, a in enumerate(args) if isinstance(a, Unknown)]
    named = [name for name, a in kwargs.items() if isinstance(a, Unknown)]
    for k in unsure if not isinstance(out, Unknown) else ():
        out = join(out, typing([*args[:k], Known(None), *args[k + 1 :]], kwargs))
    for name in named if not isinstance(out, Unknown) else ():
        out = join(out, typing(args, {**kwargs, name: Known(None)}))
    return out


def refuse_out(fn: Any, args: list[Type], kwargs: dict[str, Type]) -> None:
    """`out=` writes into its argument, which no rule of a pure function describes."""
    place = out_position(fn) if len(args) > 1 else None
    out = args[place] if place is not None and place < len(args) else kwargs.get("out", Known(None))
    if out != Known(None):
        raise Unsupported("out=", None, "write `a[...] = f(x)`, or bind the result to a name")


@cache
def out_position(fn: Any) -> int | None:
    """Where `out` stands among the arguments of a function of NumPy's, given by position."""
    if isinstance(fn, np.ufunc):
        return fn.nin
    if isinstance(getattr(fn, "__self__", None), np.ufunc):  # np.add.reduce
        place = OUT_POSITIONS.get(getattr(np.ufunc, fn.__name__))
        return None if place is None else place - 1
    if getattr(fn, "__objclass__", None) in (np.ndarray, np.generic):  # its owner comes first
        fn = getattr(np, fn.__name__, None)
    known = OUT_POSITIONS.get(fn)
    if known is not None:
        return known
    if not str(getattr(fn, "__module__", None)).startswith("numpy"):
        return None
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return None
    names = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names.index("out") if "out" in names else None


OUT_POSITIONS: dict[Any, int] = {
    np.dot: 2, np.concatenate: 2, np.ufunc.reduce: 4, np.ufunc.accumulate: 4, np.ufunc.reduceat: 5,
}  # fmt: skip
"""Of those without a signature; the methods of ufuncs have their ufunc first."""


def broadcast_dims(shapes: list[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """The dims of a broadcast result. A pair that is many in one operand is many: zero is too."""
    rank = max((len(s) for s in shapes), default=0)
    out: list[Dim] = []
    for axis in range(-rank, 0):
        dims = {s[axis] for s in shapes if len(s) >= -axis}
        out.append("many" if "many" in dims else "any" if "any" in dims else "one")
    return tuple(out)


def broadcast_type(fn: Any, args: list[Type], kwargs: dict[str, Type] | None = None) -> Type:
    """The type of an elementwise function's result."""
    settings = kwargs or {}
    wide = tuple(widen(a) for a in args)
    if not all(isinstance(a, (Scalar, Array)) for a in wide):
        if any(isinstance(a, Unknown) for a in wide):
            return UNKNOWN
        return standin_type(fn, tuple(args), tuple(sorted(settings.items())), False)
    if not all(isinstance(v, Known) for v in settings.values()):
        return UNKNOWN
    if "where" in settings:
        raise Unsupported("where= of a ufunc", None, "write np.where(mask, f(x), other)")
    return _broadcast(fn, wide, tuple(sorted(settings.items())))


def numbers(args: list[Type]) -> list[Type]:
    """The types of arguments that are numbers or arrays wherever the call gives something; others as they are."""
    given = [a.type if isinstance(a, Maybe) else a for a in args]
    return given if all(isinstance(widen(t), (Scalar, Array)) for t in given) else args


def refuses_none(fn: Any) -> bool:
    """Whether a function of numbers raises where it is given None in place of one."""
    if isinstance(fn, np.ufunc):
        return fn not in TAKING_NONE
    return fn not in (operator.eq, operator.ne) and getattr(fn, "__module__", None) in ("_operator", "math")


TAKING_NONE = (np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_xor, np.logical_not)


@lru_cache(maxsize=8192)
def _broadcast(fn: Any, args: tuple[Scalar | Array, ...], kwargs: tuple[tuple[str, Known], ...]) -> Type:
    members = [_classes(a) for a in args]
    if np.prod([len(m) for m in members], dtype=float) > MEMBERS:
        return UNKNOWN
    settings = {name: known.value for name, known in kwargs}
    shapes = [a.dims for a in args if isinstance(a, Array)]
    known = [s for s in shapes if s is not None]
    rankless = len(known) < len(shapes)
    if rankless and not any(known):
        return UNKNOWN  # a 0-d operand alone would give a scalar
    dims = None if rankless else broadcast_dims(known)
    out: Type = NEVER
    for combination in itertools.product(*members):
        result = _first_result(fn, combination, settings)
        out = join(out, _typed(result[0], dims) if result else UNKNOWN)
    return out


def _classes(t: Scalar | Array) -> list[tuple[Any, int]]:
    """What decides a result's class: (class or dtype, 0 for scalars, 1 for 0-d, 2 for more)."""
    if isinstance(t, Scalar):
        return sorted(((kind, 0) for kind in t.kinds), key=lambda member: member[0].__name__)
    return [(t.dtype, 1 if t.dims == () else 2)]


_VALUES = (0.5, 1.5, -0.5, 2.0, 1.0)


def _first_result(fn: Any, combination: tuple[tuple[Any, int], ...], settings: dict[str, Any]) -> tuple[Any] | None:
    """The callable's result on the first stand-ins within its domain, in a tuple."""
    with np.errstate(all="ignore"):
        for value in _VALUES:
            try:
                return (fn(*[_member(cls, level, value) for cls, level in combination], **settings),)
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            except (TypeError, AttributeError, IndexError):
                return None
    return None


def _member(cls: Any, level: int, value: float) -> Any:
    dtype = np.dtype(cls)
    number: Any = (
        value + 0.25j
        if dtype.kind == "c"
        else value
        if dtype.kind == "f"
        else max(1, int(value))
        if dtype.kind in "iu"
        else value > 0
    )
    if level == 0:
        return cls(number)
    return np.full((1,) * (level - 1), number, dtype)


def _typed(value: Any, dims: tuple[Dim, ...] | None) -> Type:
    """The type of one stand-in result whose arrays have the given dims."""
    if isinstance(value, np.ndarray):
        return Array(value.dtype, dims) if type(value) is np.ndarray and value.dtype.kind != "O" else UNKNOWN
    if isinstance(value, tuple):
        return TupleT(tuple(_typed(v, dims) for v in value), type(value))
    return scalar(type(value)) if is_scalar_class(type(value)) else UNKNOWN


def power_type(fn: Callable[..., Any] = operator.pow) -> Typing:
    """The typing of `a ** b`, whose class depends on values for Python numbers."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        if len(args) != 2:
            return broadcast_type(fn, args, kwargs)
        base, exponent = widen(args[0]), widen(args[1])
        single = isinstance(exponent, Scalar) or isinstance(exponent, Array) and not exponent.dims
        if isinstance(base, Array) and single:
            # before NumPy 2.3 `a ** np.float64(2)` keeps a float32, and `a ** np.float64(3)` does not
            return join(broadcast_type(fn, args, kwargs), broadcast_type(_cubed(fn), args, kwargs))
        if not (isinstance(base, Scalar) and isinstance(exponent, Scalar)):
            return broadcast_type(fn, args, kwargs)
        out: Type = NEVER
        for b in base.kinds:
            for e in exponent.kinds:
                out = join(out, _power_of(fn, b, e, args[1]))
        return out

    return typing


@lru_cache
def _cubed(fn: Any) -> Any:
    """`fn` with three times the exponent, for which NumPy has no shorter way."""
    return lambda base, exponent: fn(base, 3 * exponent)


def _power_of(fn: Any, base: type, exponent: type, written: Type) -> Type:
    if issubclass(base, int) and issubclass(exponent, int):
        if isinstance(written, Known):
            return scalar(int if written.value >= 0 else float)
        return scalar(int, float)
    if base in (int, float, bool) and exponent in (int, float, bool):
        # a negative base with a fractional exponent gives a complex number: checked at run time
        return FLOAT
    return broadcast_type(fn, [scalar(base), scalar(exponent)])


def broadcasting(fn: Any) -> Typing:
    """The typing of an elementwise function, whatever the kind of its rule."""
    return partial(broadcast_type, fn)


def always(t: Type) -> Typing:
    """The typing of a callable whose result has one type whatever it is given."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        return t

    return typing


truth = always(BOOL)
