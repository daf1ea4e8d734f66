"""Which pure calls cannot raise, by the types of their arguments."""

from __future__ import annotations

import inspect
import operator
import types as pytypes
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import Array, DictT, IterT, Known, ListT, RangeT, Scalar, Seq, SliceT, TupleT, Type, Unknown
from adcompile.optimise.callables import (
    ADDITIVE,
    ARRAY_ATTRIBUTES,
    DIVIDING,
    ORDER,
    REDUCING,
    SIGN,
    TOTAL_MATH,
    TOTAL_ON_ARRAY,
    TOTAL_UFUNCS,
)
from adcompile.optimise.shapes import Shapes, is_elementwise
from adcompile.optimise.typing import inexact, is_immutable, is_number, is_real, kinds, rank, widened
from adcompile.rules import registry

_SMALL_POWER = 4
"""`x ** 2` is as good as `x * x`, which gives inf where Python's power would raise OverflowError."""


def is_known_simple(t: Type) -> bool:
    return isinstance(t, Known) and is_immutable(t)


def is_total(fn: Any, call: Call, types: list[Type], shapes: Shapes) -> bool:
    """Whether a pure callable cannot raise on arguments of these types."""
    if fn is operator.getitem:
        if isinstance(types[0], (Array, Seq)) and not isinstance(types[1], Unknown) and shapes.reached(*call.args):
            return True
        return _has_item(types[0], types[1])
    if fn is ops.build_dict:
        return all(is_known_simple(t) for t in types[::2])
    if fn is ops.build_object:  # which calls nothing of the class
        return isinstance(types[0], Known) and not inspect.isabstract(types[0].value)
    if fn is getattr:
        return len(types) == 2 and _has_attribute(types[0], types[1])
    if fn in (operator.eq, operator.ne) and all(map(is_immutable, types)):
        return True
    if fn is np.dot and len(types) == 2 and not call.kwargs and all(rank(t) == 1 and inexact(t) for t in types):
        return shapes.same(call.args[0], call.args[1])
    if fn is np.swapaxes or fn is np.expand_dims:
        extra = int(fn is np.expand_dims)
        return not call.kwargs and _are_axes(types[1:], (rank(types[0]) or 0) + extra) and _is_array(types[0])
    if fn in REDUCING and types and is_number(types[0]) and (call.kwargs or len(types) > 1):
        return inexact(types[0]) and _axis_in_range(call, types)
    if not call.kwargs and types and all(map(is_number, types)):
        return _total_on_numbers(fn, call.args, types, shapes)
    if fn is len:
        return has_length(types[0])
    if fn is zip or fn is enumerate and len(types) == 1:  # which goes through nothing yet
        return all(has_length(t) or isinstance(t, IterT) for t in types)
    rule = registry.lookup(fn)
    return rule is not None and rule.total and all(map(is_number, types)) and sum(map(_is_array, types)) < 2


def has_length(t: Type) -> bool:
    return isinstance(t, (TupleT, ListT, DictT, Seq, RangeT)) or (rank(t) or 0) > 0


def _are_axes(axes: list[Type], n: int) -> bool:
    """Whether these are known axes of an array that has `n`."""
    return all(isinstance(a, Known) and type(a.value) is int and -n <= a.value < n for a in axes)


def _is_array(t: Type) -> bool:
    return isinstance(t, Array)


def _is_numpy(t: Type) -> bool:
    """An array, or a scalar of NumPy's: division by zero gives inf or nan."""
    return isinstance(t, Array) or bool(kinds(t)) and all(issubclass(k, np.number) for k in kinds(t))


def _total_on_numbers(fn: Any, args: tuple[Atom, ...], types: list[Type], shapes: Shapes) -> bool:
    if fn in (bool, operator.not_, operator.truth):
        return all(map(kinds, types))
    if fn is range:
        return len(types) == 1 and bool(kinds(types[0])) and kinds(types[0]) <= {int, bool}
    if fn in (float, complex):
        return bool(kinds(types[0])) and all(k in (int, bool, float, np.float64) for t in types for k in kinds(t))
    if fn in TOTAL_MATH:
        return all(k in (int, bool, float, np.float64) for t in types for k in kinds(t)) and not any(
            map(_is_array, types)
        )
    if fn in TOTAL_ON_ARRAY:
        return len(types) == 1 and not isinstance(types[0], Known)
    if not _fits(types):
        return False
    if fn is np.outer:
        return len(types) == 2
    if is_elementwise(fn) and not shapes.compatible(args):
        return False
    if fn in ADDITIVE or fn in SIGN:
        return not any(map(_may_be_numpy_bool, types))
    if fn in ORDER:
        return all(map(is_real, types))
    if fn in (operator.eq, operator.ne):
        return True
    if fn in DIVIDING:
        divisor = types[1]
        nonzero = isinstance(divisor, Known) and bool(divisor.value)
        return (
            all(map(is_real, types)) and (nonzero or any(map(_is_numpy, types))) or (fn is operator.truediv and nonzero)
        )
    if fn is operator.pow:
        if _is_python(types[0]) and _is_python(types[1]):
            return isinstance(types[1], Known) and 0 <= types[1].value <= _SMALL_POWER
        return any(map(_is_numpy, types)) and all(map(_no_int_array, types)) and any(map(inexact, types))
    if fn in TOTAL_UFUNCS:
        return all(map(_float_or_python_int, types))
    rule = registry.lookup(fn)
    return rule is not None and rule.total and (rule.kind == "elementwise" or sum(map(_is_array, types)) < 2)


def _is_python(t: Type) -> bool:
    return bool(kinds(t)) and kinds(t) <= {int, bool, float}


def _fits(types: list[Type]) -> bool:
    """No Python int beside an integer array or NumPy integer that may be too small to hold it."""
    small = [t for t in types if isinstance(t, Array) and t.dtype.kind in "iu"]
    small += [t for t in types if any(issubclass(k, np.integer) for k in kinds(t))]
    python = [t for t in types if int in kinds(t)]
    return not small or all(isinstance(t, Known) and -128 <= t.value < 128 for t in python)


def _may_be_numpy_bool(t: Type) -> bool:
    return np.bool_ in kinds(t) or isinstance(t, Array) and t.dtype.kind == "b"


def _no_int_array(t: Type) -> bool:
    return not (isinstance(t, Array) and t.dtype.kind in "biu") and not any(issubclass(k, np.integer) for k in kinds(t))


def _float_or_python_int(t: Type) -> bool:
    return inexact(t) or kinds(t) <= {int, bool} and bool(kinds(t))


def _has_item(container: Type, index: Type) -> bool:
    match container:
        case TupleT(items, _) | ListT(items):
            return _is_int(index) and isinstance(index, Known) and -len(items) <= index.value < len(items)
        case DictT(keys, _) if isinstance(index, Known):
            return is_immutable(index) and any(type(k) is type(index.value) and k == index.value for k in keys)
        case Array(_, dims) if dims is not None:
            parts = _index_parts(index)
            taken = [p for p in parts if p not in (Known(None), Known(Ellipsis))]
            return len(taken) <= len(dims) and all(map(_cannot_miss, taken)) and parts.count(Known(Ellipsis)) < 2
        case _:
            return False


def _index_parts(index: Type) -> list[Type]:
    if isinstance(index, TupleT):
        return list(index.items)
    if isinstance(index, Known) and isinstance(index.value, tuple):
        return [Known(part) for part in index.value]
    return [index]


def _is_int(t: Type) -> bool:
    return kinds(t) == frozenset({int})


def _cannot_miss(index: Type) -> bool:
    """Whether an index is a slice, which takes what there is."""
    if isinstance(index, Known) and isinstance(index.value, slice):
        index = SliceT((Known(index.value.start), Known(index.value.stop), Known(index.value.step)))
    if not isinstance(index, SliceT):
        return False
    step = index.parts[2]
    return all(p == Known(None) or _is_int(p) for p in index.parts) and isinstance(step, Known) and step != Known(0)


def _has_attribute(owner: Type, name: Type) -> bool:
    if not isinstance(name, Known):
        return False
    owner = widened(owner)
    if isinstance(owner, Array):
        return name.value in ARRAY_ATTRIBUTES or _has_method(np.ndarray, name.value)
    if isinstance(owner, Scalar):
        return name.value in ("real", "imag") or all(_has_method(kind, name.value) for kind in owner.kinds)
    if isinstance(owner, (TupleT, ListT, DictT, Seq)):
        cls = dict if isinstance(owner, DictT) else list if isinstance(owner, ListT) else owner.cls
        return isinstance(getattr(cls, name.value, None), (pytypes.MethodDescriptorType, pytypes.FunctionType))
    return isinstance(owner, Known) and hasattr(owner.value, name.value)


def _has_method(cls: type, name: str) -> bool:
    return callable(getattr(cls, name, None))


def _axis_in_range(call: Call, types: list[Type]) -> bool:
    n = rank(types[0])
    settings = dict(call.kwargs)
    axis = call.args[1] if len(call.args) > 1 else settings.pop("axis", Const(None))
    keepdims = settings.pop("keepdims", Const(False))
    if settings or len(call.args) > 2 or not isinstance(axis, Const) or not isinstance(keepdims, Const):
        return False
    if axis.value is None:
        return True
    wanted = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    whole = n is not None and all(type(a) is int and -n <= a < n for a in wanted)
    return whole and n is not None and len({a % n for a in wanted}) == len(wanted)
