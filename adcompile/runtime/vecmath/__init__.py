"""Elementary functions for compiled code, written so that LLVM vectorises the loops around them.

Needs Numba, and is imported by the native backend alone. Each function is scalar, without branches, and
always inlined; at most 2 units in the last place from the true value, and at ±0, subnormal numbers, ±infinity
and nan what C's Annex F says. `docs/vecmath.md` has the methods, the measured errors and times.

    exp = implementation("exp", "float64")

    @numba.njit(error_model="numpy")
    def run(x, out):
        for i in range(x.size):
            out[i] = exp(x[i])
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from adcompile.runtime.vecmath import (
    error_function,
    exponential,
    inverse,
    libm,
    logarithm,
    powers,
    single,
    trigonometric,
)

TABLE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (exponential.exp64, single.exp32),
    "expm1": (exponential.expm1_64, single.expm1_32),
    "log": (logarithm.log64, single.log32),
    "log1p": (logarithm.log1p64, single.log1p32),
    "log2": (logarithm.log2_64, single.log2_32),
    "log10": (logarithm.log10_64, single.log10_32),
    "sin": (trigonometric.sin64, single.sin32),
    "cos": (trigonometric.cos64, single.cos32),
    "tan": (trigonometric.tan64, single.tan32),
    "sinh": (exponential.sinh64, single.sinh32),
    "cosh": (exponential.cosh64, single.cosh32),
    "tanh": (exponential.tanh64, single.tanh32),
    "asin": (inverse.asin64, single.asin32),
    "acos": (inverse.acos64, single.acos32),
    "atan": (inverse.atan64, single.atan32),
    "atan2": (inverse.atan2_64, single.atan2_32),
    "pow": (powers.pow64, single.pow32),
    "cbrt": (powers.cbrt64, single.cbrt32),
    "hypot": (powers.hypot64, single.hypot32),
    "erf": (error_function.erf64, single.erf32),
    "erfc": (error_function.erfc64, single.erfc32),
    "sigmoid": (exponential.sigmoid64, single.sigmoid32),
    "log_sigmoid": (exponential.log_sigmoid64, single.log_sigmoid32),
}

NAMES = tuple(TABLE)
DTYPES = ("float64", "float32")


@cache
def implementation(name: str, dtype: str = "float64", accurate: bool = False) -> Callable[..., Any]:
    """The function of that name for code that Numba compiles: scalars of `dtype` to a scalar of `dtype`.

    `accurate` takes the C library's instead, which errs by less than one unit in the last place but is
    called element by element. Arguments are to be of `dtype` exactly. atan2, pow and hypot have two. A name
    or dtype that is not in NAMES or DTYPES raises KeyError.
    """
    if name not in TABLE or dtype not in DTYPES:
        raise KeyError(f"no {name} of {dtype}: there are {', '.join(NAMES)} of {' and '.join(DTYPES)}")
    if accurate:
        return libm.from_library(name, dtype)
    return TABLE[name][DTYPES.index(dtype)]
