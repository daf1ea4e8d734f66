"""Evaluating calls on known values, the types of inspecting calls, and which calls cannot raise."""

from __future__ import annotations

import builtins
import math
import operator
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.types import (
    BOOL,
    INT,
    PYTHON_SCALARS,
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    scalar,
    widen,
)
from adcompile.rules.registry import Rule

_OPERATORS = (
    "add sub mul truediv floordiv mod pow neg pos abs invert and_ or_ xor lshift rshift not_ truth is_ is_not "
    "eq ne lt le gt ge contains getitem index iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift"
)
_BUILTINS = "abs len min max int float complex bool str tuple divmod pow round ord chr repr slice"

PURE: frozenset[Any] = frozenset(
    [getattr(operator, name) for name in _OPERATORS.split()]
    + [getattr(builtins, name) for name in _BUILTINS.split()]
    + [f for name, f in vars(math).items() if callable(f) and not name.startswith("_")]
    + [ops.build_string, ops.format_value]
)
"""What may run at compile time: the same operation on the same values, only earlier."""

LARGE = 4096
"""Longer results stay in the program: the source would grow with them."""


def fold(fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Known | None:
    """`fn(*args, **kwargs)` of immutable values, as Known; None if it must run in the program
    (it may raise, or its result could not be written as a literal)."""
    if fn not in PURE or not all(map(foldable, (*args, *kwargs.values()))):
        return None
    if fn in _GROWING and not _small(fn, args):
        return None
    try:
        value = fn(*args, **kwargs)
    except Exception:  # whatever it raises, it shall raise when the program runs
        return None
    return Known(value) if foldable(value) else None


_GROWING = (operator.pow, operator.ipow, pow, operator.lshift, operator.ilshift, operator.mul, operator.imul)


def _small(fn: Any, args: list[Any]) -> bool:
    sizes = [a.bit_length() if isinstance(a, int) else len(a) if hasattr(a, "__len__") else 0 for a in args]
    if fn in (operator.mul, operator.imul):
        repeats = [a for a in args if isinstance(a, int)]
        sequences = [len(a) for a in args if isinstance(a, (str, bytes, tuple))]
        return sum(sizes) < LARGE and (not sequences or max(repeats, default=0) * sequences[0] < LARGE)
    exponent = args[1] if len(args) > 1 and isinstance(args[1], int) else 0
    if fn in (operator.lshift, operator.ilshift):
        return exponent < LARGE
    return sizes[0] * max(1, abs(exponent)) < LARGE


def foldable(value: Any) -> bool:
    """Whether a value is immutable and can be written as a literal or a name."""
    if type(value) in (tuple, frozenset):
        return len(value) < LARGE and all(map(foldable, value))
    if type(value) in (str, bytes):
        return len(value) < LARGE
    if type(value) is int:
        return value.bit_length() < LARGE
    if type(value) is slice:
        return all(map(foldable, (value.start, value.stop, value.step)))
    return value is None or value is Ellipsis or isinstance(value, (type, np.dtype)) or type(value) in PYTHON_SCALARS


def classes_of(t: Type) -> frozenset[type] | None:
    """The classes that a value of this type may have; None if they are not all known."""
    match t:
        case Known(value):
            return frozenset({type(value)})
        case Scalar(kinds):
            return kinds
        case Array(dtype, None):
            return frozenset({np.ndarray, dtype.type})  # an item of an array of any rank may be a number
        case Array():
            return frozenset({np.ndarray})
        case TupleT(_, cls) | Seq(_, cls) | Instance(cls):
            return frozenset({cls})
        case ListT():
            return frozenset({list})
        case DictT():
            return frozenset({dict})
        case RangeT():
            return frozenset({range})
        case SliceT():
            return frozenset({slice})
        case Closure():
            return frozenset({FunctionType})
        case _:
            return None


def isinstance_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `isinstance(x, classes)`."""
    if len(args) != 2 or (found := classes_of(args[0])) is None or (wanted := _class_tuple(args[1])) is None:
        return BOOL
    answers = {issubclass(cls, wanted) for cls in found}
    return Known(answers.pop()) if len(answers) == 1 else BOOL


def _class_tuple(t: Type) -> tuple[type, ...] | None:
    """The classes that the second argument of isinstance names."""
    parts = [Known(v) for v in t.value] if isinstance(t, Known) and isinstance(t.value, tuple) else [t]
    if isinstance(t, TupleT):
        parts = list(t.items)
    out: list[type] = []
    for part in parts:
        if isinstance(part, (TupleT, Known)) and (part is not t):
            nested = _class_tuple(part)
            if nested is None:
                return None
            out.extend(nested)
        elif isinstance(part, Known) and isinstance(part.value, type):
            out.append(part.value)
        elif isinstance(part, Known) and hasattr(part.value, "__args__"):  # float | int
            out.extend(part.value.__args__)
        else:
            return None
    return tuple(out)


def callable_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `callable(x)`."""
    if isinstance(args[0], Known):
        return Known(callable(args[0].value))
    found = classes_of(args[0])
    # of the class itself, `__call__` would always be found: that of its metaclass makes instances
    answers = {any("__call__" in base.__dict__ for base in cls.__mro__) for cls in found or ()}
    return Known(answers.pop()) if len(answers) == 1 else BOOL


def type_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `type(x)`."""
    found = classes_of(args[0]) if len(args) == 1 else None
    return Known(next(iter(found))) if found is not None and len(found) == 1 else UNKNOWN


def len_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `len(x)`."""
    match args[0]:
        case TupleT(items) | ListT(items):
            return Known(len(items))
        case DictT(keys):
            return Known(len(keys))
        case Known(value) if isinstance(value, (str, bytes, tuple)):
            return Known(len(value))
        case Array(_, dims) if dims and dims[0] == "one":
            return Known(1)
        case _:
            return INT


def range_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `range(…)`."""
    return RangeT(len(args) == 1)


def joined_scalars(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The typing of `max(a, b, …)`: one of the arguments, as it is."""
    wide = [widen(a) for a in args]
    if kwargs or len(wide) < 2 or not all(isinstance(a, Scalar) for a in wide):
        return UNKNOWN
    return scalar(*(kind for a in wide if isinstance(a, Scalar) for kind in a.kinds))


_TOTAL_NAMES = "add sub mul neg pos abs iadd isub imul eq ne lt le gt ge"
_NUMPY_NAMES = "truediv floordiv mod pow itruediv ifloordiv imod ipow"
_TOTAL_ON_FLOATS = {abs, *(getattr(operator, name) for name in _TOTAL_NAMES.split())}
_NUMPY_OPERATORS = _TOTAL_ON_FLOATS | {getattr(operator, name) for name in _NUMPY_NAMES.split()}


def cannot_raise(fn: Any, rule: Rule, args: list[Type]) -> bool:
    """Whether a call with arguments of these types never raises, so that it may be dropped where
    nothing reads its result. Operators and ufuncs on NumPy numbers do not; operands of two
    shapes may not fit together."""
    if rule.total:
        return True
    wide = [widen(a) for a in args]
    if rule.kind not in ("elementwise", "vjp", "constant") or not all(map(_is_inexact_number, wide)):
        return False
    shapes = [a.dims for a in wide if isinstance(a, Array)]
    if sum(dims != () for dims in shapes) > 1:
        return False
    if isinstance(fn, np.ufunc) or fn in _TOTAL_ON_FLOATS:
        return True
    # division by zero and overflow raise for Python's numbers alone
    return fn in _NUMPY_OPERATORS and any(_is_numpy(a) for a in wide)


def _is_inexact_number(t: Type) -> bool:
    match t:
        case Scalar(kinds):
            # an int may be too large for a float
            return all(kind in (bool, float, complex) or issubclass(kind, np.number) for kind in kinds)
        case Array(dtype, _):
            return dtype.kind in "biufc"
        case _:
            return False


def _is_numpy(t: Type) -> bool:
    if isinstance(t, Scalar):
        return all(issubclass(kind, np.inexact) for kind in t.kinds)
    return isinstance(t, Array) and t.dtype.kind in "fc"
