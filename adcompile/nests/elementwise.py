"""Elementwise operations, as what they are on one element: exact in dtype, whatever compiles them.

NumPy converts the operands of an operation to one dtype, in which it computes, and a Python number
to that of the arrays. On scalars that is written out: `float32_array * 2.0` is, for one element,
`x * np.float32(2.0)`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array, Type
from adcompile.optimise.typing import hashable, kinds, type_of
from adcompile.runtime import arrays, memory

DType = np.dtype[Any]

ARITHMETIC: Mapping[Any, Any] = {
    operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul,
    operator.truediv: operator.truediv, operator.neg: operator.neg, operator.abs: operator.abs, abs: operator.abs,
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.negative: operator.neg, np.absolute: operator.abs, np.fabs: operator.abs,
}  # fmt: skip
"""What NumPy computes in the dtype of the result, and what does it on scalars."""

COMPARISONS: Mapping[Any, Any] = {
    operator.lt: operator.lt, operator.le: operator.le, operator.gt: operator.gt, operator.ge: operator.ge,
    operator.eq: operator.eq, operator.ne: operator.ne,
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip

LOGIC: Mapping[Any, Any] = {
    operator.and_: operator.and_, operator.or_: operator.or_, operator.xor: operator.xor,
    np.logical_and: operator.and_, np.logical_or: operator.or_, np.logical_xor: operator.xor,
    np.logical_not: np.logical_not, operator.invert: np.logical_not,
}  # fmt: skip
"""On booleans."""

SELECTIONS: frozenset[Any] = frozenset(
    {np.maximum, np.minimum, np.sqrt, np.floor, np.ceil, np.trunc, np.copysign, np.sign}
)
"""Functions of a few machine instructions."""

FUNCTIONS: frozenset[Any] = frozenset(
    {
        *(np.exp, np.expm1, np.exp2, np.log, np.log1p, np.log2, np.log10, np.cbrt),
        *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh),
        *(np.arcsinh, np.arccosh, np.arctanh, np.power, np.hypot, np.arctan2),
    }
)
"""Functions that cost as much as many operations, where a backend does not say which of them, and which
others, it compiles to something better than a call for each element."""

COPIES: frozenset[Any] = frozenset({np.ndarray.copy, np.copy, memory.snapshot, arrays.copy, operator.pos, np.positive})
"""Give their argument's values in memory of their own, or nobody can tell."""

LOWERED: frozenset[Any] = frozenset(
    {*ARITHMETIC, *COMPARISONS, *LOGIC, *SELECTIONS, np.where, operator.pow, np.square, np.reciprocal}
)


@frozen(eq=False)
class Operation:
    """`fn` on scalars of the dtypes `takes`, to which operands are converted; `gives` is what it gives.

    `fn` is None for a copy, np.where for a choice between its second and third operand.
    """

    fn: Any
    operands: tuple[Atom, ...]
    takes: tuple[DType, ...]
    gives: DType


def operation(call: Call, types: Mapping[Var, Type], functions: frozenset[Any] = FUNCTIONS) -> Operation | None:
    """What a call is on one element; None for whatever is not lowered. `functions` are the ufuncs that are,
    beside arithmetic and its like."""
    result = types.get(call.result)
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if not isinstance(result, Array) or not result.dims or call.kwargs or not hashable(fn):
        return None
    if fn in COPIES and len(call.args) == 1:
        return _in(None, call.args, result.dtype, types)
    if fn is np.ndarray.astype and len(call.args) == 2:
        return _in(None, call.args[:1], result.dtype, types) if result.dtype.kind == "f" else None
    if fn not in LOWERED and fn not in functions or not all(_is_operand(a, types) for a in call.args):
        return None
    if isinstance(fn, np.ufunc) and len(call.args) != fn.nin:
        return None
    if fn in COMPARISONS:
        joint = _joint(call.args, types)
        return _of(COMPARISONS[fn], call.args, joint, np.dtype(bool), types) if joint is not None else None
    if fn in LOGIC:
        return _in(LOGIC[fn], call.args, result.dtype, types) if result.dtype.kind == "b" else None
    if fn is np.where:
        return _choice(call, result.dtype, types)
    if fn in ARITHMETIC:
        if result.dtype.kind == "i" and fn in (operator.truediv, np.divide, operator.abs, abs, np.absolute):
            return None
        return _in(ARITHMETIC[fn], call.args, result.dtype, types)
    if result.dtype.kind == "i" and fn in (np.minimum, np.maximum):
        return _in(fn, call.args, result.dtype, types)
    if result.dtype.kind != "f":
        return None
    if fn in (operator.pow, np.power):
        return _power(call, result.dtype, types, np.power in functions)
    if fn is np.square:
        return _in(operator.mul, (call.args[0], call.args[0]), result.dtype, types)
    if fn is np.reciprocal:
        return _in(operator.truediv, (Const(1.0), call.args[0]), result.dtype, types)
    return _in(fn, call.args, result.dtype, types)


def is_computed(dtype: DType) -> bool:
    """Whether scalars of this dtype are computed with here."""
    return dtype.isnative and dtype.type in (np.float64, np.float32, np.int64, np.bool_)


def _in(fn: Any, operands: tuple[Atom, ...], dtype: DType, types: Mapping[Var, Type]) -> Operation | None:
    """An operation in the dtype of its result; booleans are logic's alone."""
    if dtype.kind == "b" and fn not in (None, *LOGIC.values()):
        return None
    return _of(fn, operands, dtype, dtype, types)


def _of(fn: Any, operands: tuple[Atom, ...], takes: DType, gives: DType, types: Mapping[Var, Type]) -> Operation | None:
    if not is_computed(takes) or not is_computed(gives):
        return None
    if not all(_converts(a, takes, types) for a in operands):
        return None
    return Operation(fn, operands, (takes,) * len(operands), gives)


def _converts(atom: Atom, dtype: DType, types: Mapping[Var, Type]) -> bool:
    """Whether an operand is a number that this dtype can hold without going down in kind."""
    found = dtype_of(atom, types)
    if found is None:
        return False
    if dtype.kind == "b":
        return found == dtype
    order = "biuf"
    return order.index(found.kind) <= order.index(dtype.kind) and not (dtype.kind == "i" and found.kind == "b")


def dtype_of(atom: Atom, types: Mapping[Var, Type]) -> DType | None:
    """The dtype of an operand, Python's numbers as the largest of their kind."""
    t = type_of(atom, types)
    if isinstance(t, Array):
        return t.dtype if is_computed(t.dtype) else None
    found = {np.dtype(k) for k in kinds(t)}
    dtype = found.pop() if len(found) == 1 else None
    return dtype if dtype is not None and is_computed(dtype) else None


def _is_operand(atom: Atom, types: Mapping[Var, Type]) -> bool:
    t = type_of(atom, types)
    return dtype_of(atom, types) is not None and not (isinstance(t, Array) and not t.dims)


def _joint(operands: tuple[Atom, ...], types: Mapping[Var, Type]) -> DType | None:
    """The dtype in which operands meet: Python's numbers take that of the others."""
    found: list[Any] = []
    for a in operands:
        t = type_of(a, types)
        options = [t.dtype] if isinstance(t, Array) else [k(0) if k in (int, float) else np.dtype(k) for k in kinds(t)]
        if len(options) != 1:
            return None
        found += options
    dtype = np.result_type(*found)
    return dtype if dtype.kind in "if" else None


def _choice(call: Call, dtype: DType, types: Mapping[Var, Type]) -> Operation | None:
    if len(call.args) != 3 or not _is_boolean(call.args[0], types) or not is_computed(dtype):
        return None
    if not all(_converts(a, dtype, types) for a in call.args[1:]):
        return None
    return Operation(np.where, call.args, (np.dtype(bool), dtype, dtype), dtype)


def _is_boolean(atom: Atom, types: Mapping[Var, Type]) -> bool:
    found = dtype_of(atom, types)
    return found is not None and found.kind == "b"


def _power(call: Call, dtype: DType, types: Mapping[Var, Type], any_exponent: bool) -> Operation | None:
    """NumPy has short ways for a few exponents."""
    base, exponent = call.args
    value = exponent.value if isinstance(exponent, Const) else None
    if isinstance(call.fn, Const) and call.fn.value is operator.pow:
        if type(value) in (int, float):
            if value == 2:
                return _in(operator.mul, (base, base), dtype, types)
            if value == 1:
                return _in(None, (base,), dtype, types)
            if value == 0.5:
                return _in(np.sqrt, (base,), dtype, types)
            if value == -1:
                return _in(operator.truediv, (Const(1.0), base), dtype, types)
    return _in(np.power, call.args, dtype, types) if any_exponent else None
