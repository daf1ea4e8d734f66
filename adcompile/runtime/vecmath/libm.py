"""The same functions as Numba has them: those of the C library, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.runtime.vecmath.intrinsics import inlined


def sigmoid(x):
    small = np.exp(-abs(x))
    return (small if x < 0.0 else np.float64(1.0)) / (1.0 + small)


def log_sigmoid(x):
    return min(x, np.float64(-0.0)) - np.log1p(np.exp(-abs(x)))


def gauss(x):
    return np.exp(-(x * x))


ONE: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "cbrt": np.cbrt,
    "erf": math.erf,
    "erfc": math.erfc,
    "sigmoid": inlined(sigmoid),
    "log_sigmoid": inlined(log_sigmoid),
    "gauss": inlined(gauss),
}
TWO: dict[str, Callable[..., Any]] = {"atan2": np.arctan2, "pow": np.power, "hypot": np.hypot}


def from_library(name: str, dtype: str) -> Callable[..., Any]:
    """The function of that name for compiled code, its arguments and its result of that dtype."""
    to: Any = np.float32 if dtype == "float32" else np.float64
    if name in TWO:
        function = TWO[name]
        return inlined(lambda x, y: to(function(to(x), to(y))))
    function = ONE[name]
    return inlined(lambda x: to(function(to(x))))
