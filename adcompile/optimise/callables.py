"""Callables by what they may do: the tables behind `effects` and `total`."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.runtime import arrays, batches, dynamic, memory


def names(module: Any, listed: str) -> frozenset[Any]:
    """Those of the module's functions that this version of it has."""
    return frozenset(getattr(module, name) for name in listed.split() if hasattr(module, name))


ADDITIVE = names(operator, "add sub mul")
DIVIDING = names(operator, "truediv floordiv mod")
SIGN = names(operator, "neg pos") | {abs}
ORDER = names(operator, "lt le gt ge")
LOGIC = names(operator, "is_ is_not") | {isinstance, issubclass, callable, type, id}
BITS = names(operator, "and_ or_ xor lshift rshift invert")
OPERATORS = (
    ADDITIVE
    | DIVIDING
    | SIGN
    | ORDER
    | LOGIC
    | BITS
    | names(operator, "pow matmul eq ne getitem contains index not_ truth")
)
BUILTINS = names(
    builtins,
    "abs all any bool bytes complex dict divmod enumerate float frozenset getattr hasattr hash int isinstance len "
    "list max min ord chr pow range repr reversed round set slice sorted str sum tuple type zip",
)
BUILDERS = frozenset(
    {ops.build_tuple, ops.build_list, ops.build_string, ops.make_function, ops.identity, slice, ops.generator}
)
OPS = BUILDERS | frozenset(
    {
        *(ops.build_dict, ops.build_object, ops.build_set),
        *(ops.dict_merge, ops.list_concat, ops.tuple_concat, ops.format_value),
        *(ops.unpack, ops.unpack_star, ops.load_global, ops.push, ops.pop, ops.index_add, ops.list_set),
        ops.put_item,
        *(ops.read, ops.identity, dynamic.dots_of),
    }
)
LINEAR = frozenset({ops.push, ops.pop, ops.put_item, ops.index_add, arrays.add_item})
"""Functional operations that use up their first argument."""

ITERATORS = names(builtins, "reversed iter zip enumerate map filter") | {np.ndenumerate, np.nditer}
"""What iterating over their results uses up: each result is its own."""

WRITING = names(np, "copyto put place putmask fill_diagonal put_along_axis") | {
    *(arrays.accumulate, memory.add_at, memory.add_each, memory.put_each),
    *(batches.store_each, batches.add_each_at),
}
INPUT_OUTPUT = names(
    np,
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex memmap seterr seterrcall "
    "setbufsize set_printoptions errstate printoptions nditer vectorize frompyfunc apply_along_axis apply_over_axes "
    "piecewise fromfunction fromiter",
)
PURE_MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "math",
    "cmath",
    "adcompile.runtime.arrays",
    "adcompile.runtime.calls",
    "adcompile.runtime.batches",
    "adcompile.runtime.loops",
    "adcompile.runtime.special",
)
PURE_METHODS = frozenset(
    name
    for line in (
        "all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot flatten item max",
        "mean min nonzero prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take tolist trace",
        "transpose var view __getitem__ compress choose keys values items get index count split strip startswith",
        "endswith lower upper join format is_integer hex bit_length",
    )
    for name in line.split()
)
PURE_KINDS = frozenset("elementwise reduction linear bilinear composite vjp implicit integral trajectory".split())
DUNDERS = (OPERATORS | BUILTINS) - LOGIC
"""What may run methods of unknown objects."""

TOTAL_MATH = names(math, "atan atan2 tanh asinh erf erfc fabs copysign isnan isfinite isinf degrees radians cbrt hypot")
TOTAL_UFUNCS = names(
    np,
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt "
    "cbrt square absolute fabs negative positive sign floor ceil trunc rint reciprocal conjugate isnan isfinite isinf "
    "deg2rad rad2deg add subtract multiply true_divide maximum minimum fmax fmin arctan2 hypot copysign logaddexp "
    "equal not_equal",
)
TOTAL_ON_ARRAY = frozenset(
    (
        *names(np, "zeros_like ones_like copy shape ndim size sum mean real imag any all ravel transpose"),
        *(np.ndarray.T, np.ndarray.shape, np.ndarray.ndim, np.ndarray.size, arrays.zeros_like),
    )
)
LOUD = frozenset(
    (
        *names(np, "log log2 log10 log1p sqrt arcsin arccos arccosh arctanh reciprocal divide power float_power"),
        *names(np, "floor_divide remainder fmod mean var std"),
        *names(np.ndarray, "mean var std"),
    )
)
"""What may be total and warns of ordinary numbers, as divisions by zero and powers do."""
_ALONG_AXES = "sum mean var std prod cumsum cumprod all any"
REDUCING = frozenset().union(*(names(owner, _ALONG_AXES) for owner in (np, np.ndarray, np.generic)))
"""With an axis these raise where there is none such."""
ARRAY_ATTRIBUTES = frozenset({"shape", "T", "ndim", "size", "real", "imag", "dtype"})
