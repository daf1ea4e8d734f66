"""Types of atoms and of elementwise arithmetic, for rewrites that make new statements."""

from __future__ import annotations

import operator
import types as pytypes
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    array_type,
    is_inexact,
    is_scalar_class,
)
from adcompile.rules.typing import broadcast_type

SIMPLE: tuple[type, ...] = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.number, np.bool_)
"""Classes whose values are immutable and print as literals."""


def type_of(atom: Atom, types: Mapping[Var, Type]) -> Type:
    if isinstance(atom, Var):
        return types.get(atom, UNKNOWN)
    if type(atom.value) is np.ndarray:
        return array_type(atom.value)
    return Known(atom.value)


def widened(t: Type) -> Type:
    """A Known number as the Scalar of its class."""
    if isinstance(t, Known) and is_scalar_class(type(t.value)):
        return Scalar(frozenset({type(t.value)}))
    return t


def kinds(t: Type) -> frozenset[type]:
    """The scalar classes a value may have; empty if it is no scalar."""
    t = widened(t)
    return t.kinds if isinstance(t, Scalar) else frozenset()


def is_immutable(t: Type) -> bool:
    """Whether no value of this type is or holds memory that someone could write into."""
    match t:
        case Array():
            return False
        case Scalar() | RangeT():
            return True
        case Known():
            value = t.value
            if isinstance(value, (tuple, frozenset)):
                return all(is_immutable(Known(item)) for item in cast("tuple[Any, ...]", value))
            return not isinstance(value, (np.ndarray, list, dict, set, bytearray))
        case TupleT(items, _):
            return all(map(is_immutable, items))
        case SliceT(parts):
            return all(map(is_immutable, parts))
        case Maybe(item):
            return is_immutable(item)
        case Instance(cls):
            return cls in (str, bytes, type(None))
        case _:
            return False


def is_number(t: Type) -> bool:
    """A scalar or an array of numbers, of exactly these classes."""
    t = widened(t)
    return isinstance(t, Scalar) or isinstance(t, Array) and t.dtype.kind in "biufc"


def inexact(t: Type) -> bool:
    """Whether every value of this type is a float or complex number or array."""
    t = widened(t)
    if isinstance(t, Scalar):
        return all(map(is_inexact, t.kinds))
    return isinstance(t, Array) and t.dtype.kind in "fc"


def is_real(t: Type) -> bool:
    t = widened(t)
    if isinstance(t, Scalar):
        return not any(k is complex or issubclass(k, np.complexfloating) for k in t.kinds)
    return isinstance(t, Array) and t.dtype.kind in "biuf"


def definite(t: Type) -> bool:
    """Whether every dimension is known to be one or not one: then equal types that broadcast
    with each other have equal shapes."""
    t = widened(t)
    return isinstance(t, Scalar) or isinstance(t, Array) and t.dims is not None and "any" not in t.dims


def rank(t: Type) -> int | None:
    t = widened(t)
    if isinstance(t, Scalar):
        return 0
    return len(t.dims) if isinstance(t, Array) and t.dims is not None else None


def precision(t: Type) -> int:
    """The bytes of the widest real number that a value is made of."""
    t = widened(t)
    if isinstance(t, Array):
        dtypes = [t.dtype]
    else:
        dtypes = [np.dtype(k) for k in kinds(t)]
    return max((d.itemsize // (2 if d.kind == "c" else 1) for d in dtypes), default=0)


def agree(made: Type, wanted: Type) -> bool:
    """Whether a value of type `made` may stand for one of type `wanted`: same class and dtype;
    dimensions may be less known in one of them."""
    made, wanted = widened(made), widened(wanted)
    if isinstance(made, Array) and isinstance(wanted, Array):
        if made.dtype != wanted.dtype:
            return False
        if made.dims is None or wanted.dims is None:
            return made.dims is wanted.dims
        return len(made.dims) == len(wanted.dims) and all(
            a == b or "any" in (a, b) for a, b in zip(made.dims, wanted.dims)
        )
    return made == wanted and isinstance(made, Scalar)


def arithmetic(fn: Callable[..., Any], operands: tuple[Type, ...]) -> Type:
    """The type of a broadcasting operation; Unknown if it cannot be told."""
    return broadcast_type(fn, list(operands)) if all(map(is_number, operands)) else UNKNOWN


def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


PLAIN: tuple[type, ...] = (*SIMPLE, range, np.generic, np.dtype, np.ufunc, pytypes.BuiltinFunctionType)
"""Classes of constants that run no code of the user's."""


def is_data(t: Type) -> bool:
    """Whether values of a type are numbers, texts, arrays of such, or Python's own containers of them: what is computed
    of them, compared with them or looked up in them calls no method of the user's."""
    match t:
        case Scalar() | RangeT():
            return True
        case Array(dtype):
            return dtype.kind in "biufcSU"
        case Known(value):
            return is_plain_value(value)
        case TupleT(items, cls):
            return is_own(cls) and all(map(is_data, items))
        case ListT(items):
            return all(map(is_data, items))
        case DictT(keys, values):
            return all(map(is_plain_value, keys)) and all(map(is_data, values))
        case Seq(item, cls):
            return is_own(cls) and is_data(item)
        case SliceT(parts):
            return all(map(is_data, parts))
        case IterT(kind, parts):
            return kind in ("zip", "enumerate") and all(map(is_data, parts))
        case Instance(cls):
            return cls in (str, bytes)
        case _:
            return False


def is_plain_value(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(is_plain_value, value))
    if type(value) is slice:
        return all(map(is_plain_value, (value.start, value.stop, value.step)))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufcSU"
    return is_own(value) if isinstance(value, type) else isinstance(value, PLAIN) and is_own(type(value))


def is_own(cls: type) -> bool:
    """Whether a class is one of Python's or NumPy's."""
    return cls.__module__.partition(".")[0] in ("builtins", "numpy")


def const_key(atom: Atom) -> Any:
    """Equal for the same Var, and for Consts of the same value."""
    return atom if isinstance(atom, Var) else Known(atom.value)


def same_atom(a: Atom, b: Atom) -> bool:
    return a is b or isinstance(a, Const) and isinstance(b, Const) and Known(a.value) == Known(b.value)


INPLACE: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.imatmul: operator.matmul,
    operator.iand: operator.and_,
    operator.ior: operator.or_,
    operator.ixor: operator.xor,
    operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
}
"""In-place operators, and what they are on types that have no in-place form."""
