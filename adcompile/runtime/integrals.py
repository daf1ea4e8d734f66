"""Integrals that generated code computes: those of derivatives of integrands, by the solvers of SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np


def integrated(found: Any, fun: Callable[..., Any], lower: Any, upper: Any, settings: Any) -> Any:
    """`found`, which is the integral of a function of one number between these limits."""
    return found


def integral(fun: Callable[..., Any], lower: Any, upper: Any, settings: Any, *captured: Any) -> Any:
    """The integral of a function that gives a number, or an array with one axis: of what it is given beside the place
    nothing depends on that. `settings`: the errors allowed, absolute and relative, and points where it breaks."""
    by = importlib.import_module("scipy.integrate")
    epsabs, epsrel, points = settings
    if lower == upper:
        return np.multiply(0.0, fun(float(lower), *captured))
    if np.ndim(fun(inside(float(lower), float(upper)), *captured)) == 0:
        limits = {"epsabs": epsabs, "epsrel": epsrel, "points": points, "limit": 50 if points is None else 500}
        return float(by.quad(fun, lower, upper, args=captured, **limits)[0])
    turned = upper < lower  # quad_vec leaves out what is between limits in the other order
    first, last = (upper, lower) if turned else (lower, upper)
    limits = {"epsabs": epsabs, "epsrel": epsrel, "points": points, "limit": 10000}
    found = by.quad_vec(lambda s: np.asarray(fun(float(s), *captured)), float(first), float(last), **limits)[0]
    return -found if turned else found


def inside(lower: float, upper: float) -> float:
    """A place between two limits, which may be infinite."""
    if np.isfinite(lower) and np.isfinite(upper):
        return 0.5 * (lower + upper)
    return 0.0 if not (np.isfinite(lower) or np.isfinite(upper)) else lower + 1.0 if np.isfinite(lower) else upper - 1.0


def pull_captured(fun: Callable[..., Any], s: Any, y_bar: Any, which: tuple[bool, ...]) -> Any:
    """The cotangents of what `fun` has captured, one after the other, for one of `fun(s)`; only followed."""
    raise TypeError("a function that is only followed")


def push_captured(fun: Callable[..., Any], s: Any, dots: tuple[Any, ...], which: tuple[bool, ...]) -> Any:
    """The tangent of `fun(s)`, for those of what `fun` has captured; only followed."""
    raise TypeError("a function that is only followed")
