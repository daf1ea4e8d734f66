"""Which elementary functions of NumPy and SciPy a kernel has in vectorised form, and what it calls them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from adcompile.backend.native.values import Code

_NUMPY = {
    "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2", "log10": "log10", "sin": "sin",
    "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "power": "pow", "cbrt": "cbrt", "hypot": "hypot",
}  # fmt: skip
_SCIPY = {"erf": "erf", "erfc": "erfc", "expit": "sigmoid", "log_expit": "log_sigmoid"}


def gauss(x: Any) -> Any:
    """exp(-(x * x)) of a number, in float64 alone; see `gaussians`."""
    return np.exp(-(x * x))


_OURS: dict[Any, str] = {**{getattr(np, ours): name for ours, name in _NUMPY.items()}, gauss: "gauss"}
DTYPES: dict[Code, str] = {"f8": "float64", "f4": "float32"}
NAMES = {(name, code): f"vm_{name}_{code}" for name in (*_NUMPY.values(), *_SCIPY.values()) for code in DTYPES}
NAMES["gauss", "f8"] = "vm_gauss_f8"
"""What kernels call them, by name and machine type."""


def vectorised() -> dict[Any, str]:
    """By function, its name in `runtime.vecmath`; SciPy's, once somebody has imported them."""
    special = sys.modules.get("scipy.special")
    more = {getattr(special, ours): name for ours, name in _SCIPY.items()} if special is not None else {}
    return {**_OURS, **more}


def header(used: frozenset[tuple[str, Code]], accurate: bool) -> str:
    """The lines that define what a kernel calls; `accurate`: the C library's."""
    lines = [
        f"{NAMES[name, code]} = implementation({name!r}, {DTYPES[code]!r}, {accurate})" for name, code in sorted(used)
    ]
    start = ["from adcompile.runtime.vecmath import implementation", ""] if lines else []
    return "".join(f"{line}\n" for line in (*start, *lines))
