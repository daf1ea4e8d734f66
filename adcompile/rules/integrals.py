"""The rules of `adcompile.runtime.integrals`: derivatives of integrals are integrals of derivatives, and the integrand
at the limits."""

from __future__ import annotations

from typing import Any

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN
from adcompile.rules.registry import Rule, register


def pulled_along(fun: Any, y_bar: Any, which: Any) -> Any:
    """The integrand of the cotangents of what `fun` has captured."""
    return lambda s: rt.pull_captured(fun, s, y_bar, which)


def pushed_along(fun: Any, dots: Any, which: Any) -> Any:
    """The integrand of the tangent."""
    return lambda s: rt.push_captured(fun, s, dots, which)


register(rt.integrated, Rule("integral", body=pulled_along, typing=lambda args, kwargs: args[0]))
register(rt.integral, Rule("integral", body=pulled_along, typing=lambda args, kwargs: UNKNOWN))
