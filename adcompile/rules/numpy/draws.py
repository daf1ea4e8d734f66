"""numpy.random: draws that move with their parameters, which shift and scale a draw without parameters.

What was drawn is found from the result, so that nothing is drawn again; with a scale of 0 it cannot be, and the
derivative by that is nan. Parameters of the shape of a distribution have no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.rules.kinds import vjps
from adcompile.rules.numpy.random import draw_type

OWNERS = (np.random.RandomState, np.random.Generator)


def drawn(*names: str) -> list[Any]:
    return [getattr(owner, name) for owner in OWNERS for name in names]


@vjps(*drawn("normal", "laplace", "logistic", "gumbel"), wrt=(1, 2), typing=draw_type(float, 1, 2), pure=False)
def located(y_bar: Any, y: Any, self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return None, rt.unbroadcast(y_bar, loc), rt.unbroadcast(y_bar * ((y - loc) / scale), scale)


@vjps(*drawn("uniform"), wrt=(1, 2), typing=draw_type(float, 1, 2), pure=False)
def uniform(y_bar: Any, y: Any, self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    share = (y - low) / (high - low)
    return None, rt.unbroadcast(y_bar * (1.0 - share), low), rt.unbroadcast(y_bar * share, high)


@vjps(*drawn("lognormal"), wrt=(1, 2), typing=draw_type(float, 1, 2), pure=False)
def lognormal(y_bar: Any, y: Any, self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    g = y_bar * y
    return None, rt.unbroadcast(g, mean), rt.unbroadcast(g * ((np.log(y) - mean) / sigma), sigma)


@vjps(*drawn("exponential", "rayleigh"), wrt=(1,), typing=draw_type(float, 1, 1), pure=False)
def scaled(y_bar: Any, y: Any, self: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, rt.unbroadcast(y_bar * (y / scale), scale)


@vjps(*drawn("gamma"), wrt=(2,), typing=draw_type(float, 1, 2), pure=False)
def gamma(y_bar: Any, y: Any, self: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return None, None, rt.unbroadcast(y_bar * (y / scale), scale)
