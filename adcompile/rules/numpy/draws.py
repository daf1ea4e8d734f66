"""numpy.random: draws that move with their parameters, which shift and scale a draw without parameters.

What was drawn is found from the result, so that nothing is drawn again; with a scale of 0 it cannot be, and the
derivative by that is nan. Parameters of the shape of a distribution have no derivative.

Choices, permutations and shuffles draw places, by which elements are read: they draw as for an array of the same shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Scalar, Type, widen
from adcompile.rules.kinds import constant, overlay, vjps
from adcompile.rules.numpy.random import choice_type, draw_type, permutation_type
from adcompile.runtime import scans

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


# -- places -------------------------------------------------------------------------------------


def drawn_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """What a generator gives for the places of an array, or for a number."""
    name, pool = getattr(args[1], "value", None), widen(args[2])
    places = Array(np.dtype(int), pool.dims) if isinstance(pool, Array) else pool
    if not isinstance(places, (Array, Scalar)):
        return UNKNOWN
    typing = choice_type(1) if name == "choice" else permutation_type(1)
    return typing([args[0], places, *args[3:]], kwargs)


constant(scans.drawn_places, typing=drawn_type, pure=False)


def elements(a: Any, places: Any) -> Any:
    return places if np.ndim(a) == 0 else np.reshape(a, (-1,))[places]


@overlay(np.random.Generator.choice)
def choice(
    self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True
) -> Any:
    if axis == 0:
        return elements(a, scans.drawn_places(self, "choice", a, size, replace, p, shuffle=shuffle))
    return elements(a, scans.drawn_places(self, "choice", a, size, replace, p, axis=axis, shuffle=shuffle))


@overlay(np.random.RandomState.choice)
def legacy_choice(self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    return elements(a, scans.drawn_places(self, "choice", a, size, replace, p))


@overlay(np.random.Generator.permutation)
def permutation(self: Any, x: Any, axis: Any = 0) -> Any:
    return elements(x, scans.drawn_places(self, "permutation", x, axis=axis))


@overlay(np.random.RandomState.permutation)
def legacy_permutation(self: Any, x: Any) -> Any:
    return elements(x, scans.drawn_places(self, "permutation", x))


@overlay(np.random.Generator.shuffle)
def shuffle(self: Any, x: Any, axis: Any = 0) -> None:
    rearrange(x, scans.drawn_order(self, x, axis=axis))


@overlay(np.random.RandomState.shuffle)
def legacy_shuffle(self: Any, x: Any) -> None:
    rearrange(x, scans.drawn_order(self, x))


constant(scans.drawn_order, pure=False, typing=lambda args, kwargs: order_type(args[1]))


def order_type(x: Type) -> Type:
    return Array(np.dtype(int), x.dims) if isinstance(x, Array) else UNKNOWN


def rearrange(x: Any, order: Any) -> None:
    if isinstance(x, np.ndarray):
        x[...] = np.reshape(x, (-1,))[order]
    else:
        x[:] = [x[i] for i in order]
