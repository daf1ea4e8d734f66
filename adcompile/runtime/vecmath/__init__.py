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

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

_HOMES = {
    "exponential": "exp expm1 sinh cosh tanh sigmoid log_sigmoid",
    "logarithm": "log log1p log2 log10",
    "trigonometric": "sin cos tan",
    "inverse": "asin acos atan atan2",
    "powers": "pow cbrt hypot",
    "error_function": "erf erfc",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

NAMES = tuple(_HOME)
_INNER = {"gauss": "exponential"}
"""What kernels of ours alone call, in float64: a part of another."""
DTYPES = ("float64", "float32")


@cache
def implementation(name: str, dtype: str = "float64", accurate: bool = False) -> Callable[..., Any]:
    """The function of that name for code that Numba compiles: scalars of `dtype` to a scalar of `dtype`.

    `accurate` takes the C library's instead, which errs by less than one unit in the last place but is
    called element by element. Arguments are to be of `dtype` exactly. atan2, pow and hypot have two. A name
    or dtype that is not in NAMES or DTYPES raises KeyError.
    """
    inner = _INNER.get(name) if dtype == "float64" else None
    if name not in _HOME and inner is None or dtype not in DTYPES:
        raise KeyError(f"no {name} of {dtype}: there are {', '.join(NAMES)} of {' and '.join(DTYPES)}")
    # Imported when one of them is asked for: Numba takes 0.1 ms to wrap a function, and there are more than a hundred
    if accurate:
        return _module("libm").from_library(name, dtype)
    home, size = (inner or _HOME[name], "64") if dtype == "float64" else ("single", "32")
    return getattr(_module(home), f"{name}_{size}" if name[-1].isdigit() else f"{name}{size}")


def _module(name: str) -> Any:
    return importlib.import_module(f"adcompile.runtime.vecmath.{name}")
