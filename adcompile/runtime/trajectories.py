"""Solutions of differential equations that generated code computes: those of equations for derivatives, by SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable


def followed_path(
    found: Any, fun: Callable[..., Any], start: Any, span: Any, times: Any, settings: Any
) -> Any:
    """`found`, which solves y' = fun(y, t) from `start` between the times of `span`: a row for each of the times."""
    return found


def path(fun: Callable[..., Any], start: Any, span: Any, times: Any, settings: Any, *captured: Any) -> Any:
    """The solution of y' = fun(y, t, *captured), a row for each of the times. `settings`: the method, "odeint" or
    one of solve_ivp, and the errors allowed, relative and absolute, for each unknown alike."""
    method, rtol, atol, most = settings
    if np.ndim(rtol) > 0 or np.ndim(atol) > 0:
        raise NotDifferentiable(
            "the derivative of a differential equation with an error allowed for each unknown",
            None,
            "give rtol and atol as numbers, and scale the unknowns",
        )
    by = importlib.import_module("scipy.integrate")
    if method == "odeint":
        return by.odeint(lambda y, t: fun(y, float(t), *captured), start, times, rtol=rtol, atol=atol, mxstep=most)
    if len(times) == 0:
        return np.zeros((0, len(start)))
    limits = {"rtol": rtol, "atol": atol, "max_step": most}
    ends = float(span[0]), float(span[-1])
    told = by.solve_ivp(lambda t, y: fun(y, float(t), *captured), ends, start, method, t_eval=times, **limits)
    if not told.success:
        raise ArithmeticError(f"the equation for derivatives has no solution: {told.message}")
    return told.y.T


def rows(found: Any) -> Any:
    """What a solver has found: a row for each time."""
    return np.array(found, np.float64)


def push_along(fun: Callable[..., Any], y: Any, t: Any, y_dot: Any, dots: Any, which: tuple[bool, ...]) -> Any:
    """The tangent of fun(y, t), for those of y and of what `fun` has captured; only followed."""
    raise TypeError("a function that is only followed")


def jacobian_along(fun: Callable[..., Any], y: Any, t: Any, which: tuple[bool, ...]) -> Any:
    """The derivatives of fun(y, t) by y and by what `fun` has captured, side by side; only followed."""
    raise TypeError("a function that is only followed")
