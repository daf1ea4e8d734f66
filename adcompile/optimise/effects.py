"""What a call may do beyond its result: whether it is pure, and whether it may raise.

pure    no effect but its result (it may raise): may be merged with an identical call, and
        dropped if it is no primal
total   pure, and cannot raise on arguments of these types: may be dropped, unused, anywhere

Memory exhaustion, NumPy's warnings and integers beyond 1e308 do not count.
"""

from __future__ import annotations

import builtins
import math
import operator
import types as pytypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Raise, Statement, Var, While
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    Array,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    RangeT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
)
from adcompile.optimise.shapes import Shapes, is_elementwise
from adcompile.optimise.typing import INPLACE, inexact, is_immutable, is_number, is_real, kinds, rank, type_of, widened
from adcompile.rules import registry
from adcompile.runtime import arrays


def _names(module: Any, names: str) -> frozenset[Any]:
    return frozenset(getattr(module, name) for name in names.split() if hasattr(module, name))


_ADDITIVE = _names(operator, "add sub mul")
_DIVIDING = _names(operator, "truediv floordiv mod")
_SIGN = _names(operator, "neg pos") | {abs}
_ORDER = _names(operator, "lt le gt ge")
_LOGIC = _names(operator, "is_ is_not") | {isinstance, issubclass, callable, type, id}
_BITS = _names(operator, "and_ or_ xor lshift rshift invert")
_OPERATORS = (
    _ADDITIVE
    | _DIVIDING
    | _SIGN
    | _ORDER
    | _LOGIC
    | _BITS
    | _names(operator, "pow matmul eq ne getitem contains index not_ truth")
)
_BUILTINS = _names(
    builtins,
    "abs all any bool bytes complex dict divmod enumerate float frozenset getattr hasattr hash int isinstance len "
    "list max min ord chr pow range repr reversed round set slice sorted str sum tuple type zip",
)
_BUILDERS = frozenset({ops.build_tuple, ops.build_list, ops.build_string, ops.make_function, ops.identity, slice})
_OPS = _BUILDERS | frozenset(
    {
        *(ops.build_dict, ops.build_set, ops.dict_merge, ops.list_concat, ops.tuple_concat, ops.format_value),
        *(ops.unpack, ops.unpack_star, ops.load_global, ops.push, ops.pop, ops.index_add, ops.list_set),
        *(ops.warn_unused, ops.identity),
    }
)
LINEAR = frozenset({ops.push, ops.pop, ops.index_add})
"""Functional operations that use up their first argument."""

_TOTAL_MATH = _names(
    math, "atan atan2 tanh asinh erf erfc fabs copysign isnan isfinite isinf degrees radians cbrt hypot"
)
_WRITING = _names(np, "copyto put place putmask fill_diagonal put_along_axis") | {arrays.accumulate}
_INPUT_OUTPUT = _names(
    np,
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex memmap seterr seterrcall "
    "setbufsize set_printoptions errstate printoptions nditer vectorize frompyfunc apply_along_axis apply_over_axes "
    "piecewise fromfunction fromiter",
)
_PURE_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "math", "cmath", "adcompile.runtime.arrays")
_PURE_METHODS = frozenset(
    "all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot flatten item max mean "
    "min nonzero prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take tolist trace transpose "
    "var view __getitem__ compress choose keys values items get index count split strip startswith endswith lower "
    "upper join format is_integer hex bit_length".split()
)
_PURE_KINDS = frozenset({"elementwise", "reduction", "linear", "bilinear", "composite", "vjp"})
_TOTAL_UFUNCS = _names(
    np,
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt "
    "cbrt square absolute fabs negative positive sign floor ceil trunc rint reciprocal conjugate isnan isfinite isinf "
    "deg2rad rad2deg add subtract multiply true_divide maximum minimum fmax fmin arctan2 hypot copysign logaddexp "
    "equal not_equal",
)
_TOTAL_ON_ARRAY = _names(np, "zeros_like ones_like copy shape ndim size sum mean real imag any all ravel transpose") | {
    arrays.zeros_like
}
_ARRAY_ATTRIBUTES = frozenset({"shape", "T", "ndim", "size", "real", "imag", "dtype"})
_ITERABLES = (RangeT, TupleT, ListT, DictT, Seq)


@dataclass(frozen=True, slots=True)
class Summary:
    """What calling a function of the program may do."""

    pure: bool = False
    total: bool = False


@dataclass(frozen=True)
class Effects:
    """Facts about the calls of one program."""

    types: Mapping[Var, Type]
    summaries: Mapping[FunctionRef, Summary] = field(default_factory=dict[FunctionRef, Summary])

    def pure(self, call: Call) -> bool:
        """Whether the call has no effect but its result."""
        if not isinstance(call.fn, Const):
            return False
        fn = call.fn.value
        if fn is ops.apply:
            return isinstance(call.args[0], Const) and is_pure(call.args[0].value, self.summaries)
        if fn in INPLACE if _hashable(fn) else False:
            return is_immutable(type_of(call.args[0], self.types)) or isinstance(call.args[0], Const)
        if any(name in ("out", "key") for name, _ in call.kwargs):
            return False  # a result is written into an argument; `key` is anybody's function
        if isinstance(fn, np.ufunc) and len(call.args) > fn.nin:
            return False
        if not is_pure(fn, self.summaries):
            return False
        # operators of unknown objects may be anybody's methods; differentiated code has none such
        return call.role != "primal" or not (fn in _DUNDERS and self._dunder(call))

    def _dunder(self, call: Call) -> bool:
        return any(isinstance(type_of(a, self.types), (Unknown, Instance)) for a in call.args)

    def total(self, call: Call, shapes: Shapes) -> bool:
        """Whether the call is pure and cannot raise."""
        if not self.pure(call):
            return False
        assert isinstance(call.fn, Const)
        fn = call.fn.value
        if isinstance(fn, FunctionRef):
            return self.summaries[fn].total
        if fn in _BUILDERS or fn in LINEAR or fn in _LOGIC or fn in (ops.load_global, ops.warn_unused):
            return True
        types = [type_of(a, self.types) for a in call.args]
        if isinstance(self.types.get(call.result), Known) and fn in _OPERATORS and all(map(_is_known_simple, types)):
            return True
        return _total(INPLACE.get(fn, fn), call, types, shapes)

    def removable(self, call: Call, shapes: Shapes) -> bool:
        """Whether the call may be dropped if nobody reads its result."""
        return self.pure(call) if call.role != "primal" else self.total(call, shapes)

    def finite(self, loop: For) -> bool:
        """Whether iterating is an effect of nothing and comes to an end."""
        t = type_of(loop.iterable, self.types)
        if isinstance(t, Array):
            return t.dims is not None and len(t.dims) > 0
        if isinstance(t, Known):
            return isinstance(t.value, (tuple, str, range, list, dict))
        return isinstance(t, _ITERABLES) or loop.role != "primal" and isinstance(t, IterT)


_DUNDERS = (_OPERATORS | _BUILTINS) - _LOGIC - {getattr, hasattr} | {getattr}


def _hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def is_pure(fn: Any, summaries: Mapping[FunctionRef, Summary]) -> bool:
    """Whether a callable, given no buffer to write into, does nothing but compute."""
    if isinstance(fn, FunctionRef):
        return summaries.get(fn, Summary()).pure
    if not _hashable(fn):
        return False
    if fn in _OPERATORS or fn in _OPS or fn in _BUILTINS:
        return True
    if isinstance(fn, np.ufunc):
        return True
    if isinstance(fn, type):
        return issubclass(fn, (np.generic, tuple)) or fn is np.dtype
    if isinstance(fn, pytypes.BuiltinMethodType) and isinstance(fn.__self__, np.ufunc):
        return fn.__name__ in ("reduce", "accumulate", "outer", "reduceat")
    if isinstance(fn, pytypes.MethodDescriptorType):
        return fn.__name__ in _PURE_METHODS
    if fn in _WRITING or fn in _INPUT_OUTPUT:
        return False
    rule = registry.lookup(fn)
    if rule is not None and rule.kind in ("constant", *_PURE_KINDS):
        return rule.pure
    return getattr(fn, "__module__", None) in _PURE_MODULES


def _is_known_simple(t: Type) -> bool:
    return isinstance(t, Known) and is_immutable(t)


def _total(fn: Any, call: Call, types: list[Type], shapes: Shapes) -> bool:
    """Whether a pure callable cannot raise on arguments of these types."""
    if fn is operator.getitem:
        return _has_item(types[0], types[1])
    if fn is getattr:
        return len(types) == 2 and _has_attribute(types[0], types[1])
    if fn in (operator.eq, operator.ne) and all(map(is_immutable, types)):
        return True
    if not call.kwargs and types and all(map(is_number, types)):
        return _total_on_numbers(fn, call.args, types, shapes)
    if fn is len:
        return isinstance(types[0], (TupleT, ListT, DictT, Seq, RangeT)) or (rank(types[0]) or 0) > 0
    if fn in (np.sum, np.mean) and is_number(types[0]) and inexact(types[0]):
        return _axis_in_range(call, types)
    if fn in (ops.unpack, ops.build_dict):
        return fn is ops.build_dict and all(_is_known_simple(t) for t in types[::2])
    rule = registry.lookup(fn)
    return rule is not None and rule.total and all(map(is_number, types)) and sum(map(_is_array, types)) < 2


def _is_array(t: Type) -> bool:
    return isinstance(t, Array)


def _is_numpy(t: Type) -> bool:
    """An array, or a scalar of NumPy's: division by zero gives inf or nan."""
    return isinstance(t, Array) or bool(kinds(t)) and all(issubclass(k, np.number) for k in kinds(t))


def _total_on_numbers(fn: Any, args: tuple[Atom, ...], types: list[Type], shapes: Shapes) -> bool:
    if fn in (bool, operator.not_, operator.truth):
        return all(map(kinds, types))
    if fn in (float, complex, range):
        return (
            bool(kinds(types[0]))
            and all(k in (int, bool, float, np.float64) for t in types for k in kinds(t))
            and (fn is not range or len(types) == 1)
        )
    if fn in _TOTAL_MATH:
        return all(k in (int, bool, float, np.float64) for t in types for k in kinds(t)) and not any(
            map(_is_array, types)
        )
    if fn in _TOTAL_ON_ARRAY:
        return len(types) == 1 and not isinstance(types[0], Known)
    if not _fits(types):
        return False
    if is_elementwise(fn) and not shapes.compatible(args):
        return False
    if fn in _ADDITIVE or fn in _SIGN:
        return not any(map(_may_be_numpy_bool, types))
    if fn in _ORDER:
        return all(map(is_real, types))
    if fn in (operator.eq, operator.ne):
        return True
    if fn in _DIVIDING:
        divisor = types[1]
        nonzero = isinstance(divisor, Known) and bool(divisor.value)
        return (
            all(map(is_real, types)) and (nonzero or any(map(_is_numpy, types))) or (fn is operator.truediv and nonzero)
        )
    if fn is operator.pow:
        return any(map(_is_numpy, types)) and all(map(_no_int_array, types)) and any(map(inexact, types))
    if fn in _TOTAL_UFUNCS:
        return all(map(_float_or_python_int, types))
    rule = registry.lookup(fn)
    return rule is not None and rule.total and (rule.kind == "elementwise" or sum(map(_is_array, types)) < 2)


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
    if not isinstance(index, Known):
        return False
    i = index.value
    match container:
        case TupleT(items, _) | ListT(items):
            return type(i) is int and -len(items) <= i < len(items)
        case DictT(keys, _):
            return is_immutable(index) and any(type(k) is type(i) and k == i for k in keys)
        case Array(_, dims) if dims is not None:
            parts = i if isinstance(i, tuple) else (i,)
            taken = [p for p in parts if p is not None and p is not Ellipsis]
            plain = all(isinstance(p, slice) and p.step != 0 for p in taken) and sum(p is Ellipsis for p in parts) < 2
            return plain and len(taken) <= len(dims)
        case _:
            return False


def _has_attribute(owner: Type, name: Type) -> bool:
    if not isinstance(name, Known):
        return False
    owner = widened(owner)
    if isinstance(owner, Array):
        return name.value in _ARRAY_ATTRIBUTES
    if isinstance(owner, Scalar):
        return name.value in ("real", "imag")
    return isinstance(owner, Known) and hasattr(owner.value, name.value)


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


def summarise(functions: Mapping[FunctionRef, Function], types: Mapping[Var, Type]) -> dict[FunctionRef, Summary]:
    """Purity of each function of a program. A recursion is pure if its body is, but only a
    function without loops of unknown length and without recursion is total."""
    summaries = {ref: Summary(pure=True, total=True) for ref in functions}
    for ref in functions:  # a call back into what is not yet decided may not end
        summaries[ref] = Summary(pure=True, total=False)
    changed = True
    while changed:
        changed = False
        effects = Effects(types, summaries)
        for ref, function in functions.items():
            if summaries[ref].pure and not _pure_block(function.body, effects):
                summaries[ref], changed = Summary(), True
    # callees first: totality grows from the leaves
    changed = True
    while changed:
        changed = False
        effects = Effects(types, summaries)
        for ref, function in functions.items():
            if summaries[ref] == Summary(True, False) and _total_function(function, effects):
                summaries[ref], changed = Summary(True, True), True
    return summaries


def _pure_block(block: Block, effects: Effects) -> bool:
    return not isinstance(block.end, Raise) and all(_pure_statement(s, effects) for s in block.statements)


def _pure_statement(statement: Statement, effects: Effects) -> bool:
    match statement:
        case Call():
            return effects.pure(statement)
        case If(then=then, orelse=orelse):
            return _pure_block(then, effects) and _pure_block(orelse, effects)
        case For():
            return effects.finite(statement) and _pure_block(statement.body, effects)
        case While():
            return statement.role != "primal" and _pure_block(statement.body, effects)
        case _:
            return False


def _total_function(function: Function, effects: Effects) -> bool:
    shapes = Shapes(effects.types, {}, assume=False)
    return _total_block(function.body, effects, shapes)


def _total_block(block: Block, effects: Effects, shapes: Shapes) -> bool:
    mark = shapes.mark()
    for s in block.statements:
        match s:
            case Call():
                if not effects.total(s, shapes):
                    return False
                shapes.note(s)
            case If(then=then, orelse=orelse):
                if not (_total_block(then, effects, shapes) and _total_block(orelse, effects, shapes)):
                    return False
            case For():
                if not (effects.finite(s) and _total_block(s.body, effects, shapes)):
                    return False
            case _:
                return False
    shapes.undo(mark)
    return not isinstance(block.end, Raise)


def writes(block: Block, effects: Effects) -> bool:
    """Whether anything in a block may write into memory or state that others see."""
    return any(_writing(s, effects) for s in block.statements)


def _writing(statement: Statement, effects: Effects) -> bool:
    match statement:
        case Call():
            return not effects.pure(statement)
        case If(then=then, orelse=orelse):
            return writes(then, effects) or writes(orelse, effects)
        case For() | While():
            return writes(statement.body, effects)
        case _:
            return True
