"""numpy.polynomial: sums, products, powers, derivatives and integrals of series, in each of the six bases.

These are linear in the coefficients of one series, so that the series of the basis give the matrix. Results end with a
coefficient that is not zero: what has been cut off there has no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adcompile import runtime as rt
from adcompile.rules.kinds import composite, vjps

BASES = {
    "poly": polynomial,
    "cheb": chebyshev,
    "leg": legendre,
    "herm": hermite,
    "herme": hermite_e,
    "lag": laguerre,
}


def of_length(c: Any, n: Any) -> Any:
    """Coefficients of n terms: the others are cut off, and zeros put behind."""
    return np.concatenate((c[:n], np.zeros_like(c, shape=max(n - len(c), 0))))


def named(operation: str) -> Any:
    return [getattr(module, f"{name}{operation}") for name, module in BASES.items()]


@vjps(*named("add"))
def add(y_bar: Any, y: Any, c1: Any, c2: Any) -> Any:
    return as_given(y_bar, c1), as_given(y_bar, c2)


@vjps(*named("sub"))
def sub(y_bar: Any, y: Any, c1: Any, c2: Any) -> Any:
    return as_given(y_bar, c1), -as_given(y_bar, c2)


def as_given(y_bar: Any, c: Any) -> Any:
    """The cotangent of a series, which may be a number."""
    return np.reshape(of_length(y_bar, np.size(c)), np.shape(c))


def product_rule(times: Any) -> Any:
    def mul(y_bar: Any, y: Any, c1: Any, c2: Any) -> Any:
        n = len(y_bar)
        first = np.stack([of_length(times(e, c2), n) for e in np.eye(np.size(c1), dtype=y.dtype)])
        second = np.stack([of_length(times(c1, e), n) for e in np.eye(np.size(c2), dtype=y.dtype)])
        first_bar, second_bar = np.conj(first) @ y_bar, np.conj(second) @ y_bar
        return rt.like(np.reshape(first_bar, np.shape(c1)), c1), rt.like(np.reshape(second_bar, np.shape(c2)), c2)

    return mul


def derivative_rule(derived: Any) -> Any:
    def der(y_bar: Any, y: Any, c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
        matrix = derived(np.eye(c.shape[axis], dtype=y.dtype), m, scl)
        return np.moveaxis(np.tensordot(np.conj(matrix), np.moveaxis(y_bar, axis, 0), ([0], [0])), 0, axis)

    return der


def integral_rule(integrated: Any) -> Any:
    def integral(
        y_bar: Any, y: Any, c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0
    ) -> Any:
        matrix = integrated(np.eye(c.shape[axis], dtype=y.dtype), m, (), lbnd, scl)
        return np.moveaxis(np.tensordot(np.conj(matrix), np.moveaxis(y_bar, axis, 0), ([0], [0])), 0, axis)

    return integral


def power_rule(times: Any) -> Any:
    def power(c: Any, pow: Any, maxpower: Any = 16) -> Any:
        product = np.ones(1)
        for _ in range(int(pow)):
            product = times(product, c)
        return product

    return power


def grid_rules(values: Any) -> Any:
    def grid2d(x: Any, y: Any, c: Any) -> Any:
        return values(y, values(x, c))

    def grid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        return values(z, values(y, values(x, c)))

    return grid2d, grid3d


for name, module in BASES.items():
    vjps(getattr(module, f"{name}mul"))(product_rule(getattr(module, f"{name}mul")))
    vjps(getattr(module, f"{name}der"), wrt=(0,))(derivative_rule(getattr(module, f"{name}der")))
    vjps(getattr(module, f"{name}int"), wrt=(0,))(integral_rule(getattr(module, f"{name}int")))
    composite(getattr(module, f"{name}pow"))(power_rule(getattr(module, f"{name}mul")))
    for dimensions, rule in zip("23", grid_rules(getattr(module, f"{name}val"))):
        composite(getattr(module, f"{name}grid{dimensions}d"))(rule)
