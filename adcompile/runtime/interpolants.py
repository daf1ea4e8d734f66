"""SciPy's piecewise polynomials and tables of values, as functions of what they are made of and where they are read."""

from __future__ import annotations

import functools
import importlib
import math
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable

# -- tables -----------------------------------------------------------------------------------------


def table_values(x: Any, y: Any, points: Any, axis: int, kind: Any, fill: Any, bounds_error: Any) -> Any:
    """`interp1d(x, y, kind, axis, …)(points)`, of points x that rise."""
    return table(x, y, kind, axis, bounds_error, fill)(points)


def table_of_another_kind(table: Any, points: Any) -> Any:
    return table(points)


def table_places(x: Any, points: Any) -> Any:
    """The right end of the piece in which a point lies, or next to which."""
    return np.clip(np.searchsorted(x, points), 1, len(x) - 1)


def table_steps(x: Any, points: Any, kind: str) -> Any:
    """Which value of a table of steps stands at a point."""
    first = np.clip(points, x[0], x[-1])
    return np.asarray(table(x, np.arange(float(len(x))), kind, 0, False, 0.0)(first)).astype(int)


def table_weights(x: Any, points: Any, degree: int, order: int) -> Any:
    """What each value of a table counts for at a point, in the spline through them or in its derivative."""
    return interpolate().make_interp_spline(x, np.eye(len(x)), degree)(points, order)


@functools.cache
def table_holds(kind: str, extrapolated: bool) -> tuple[str, ...]:
    """The names of what a table of this kind holds beside its values, and what says how they are read."""
    made = interpolate().interp1d(
        np.arange(4.0), np.arange(4.0), kind, bounds_error=False, fill_value="extrapolate" if extrapolated else 0.0
    )
    slots = [name for cls in type(made).__mro__ for name in vars(cls).get("__slots__", ())]
    return tuple(name for name in (*slots, *vars(made)) if name not in MADE and hasattr(made, name))


MADE = ("x", "y", "_y", "axis", "_kind", "_fill_value_orig")


def table(x: Any, y: Any, kind: Any, axis: int, bounds_error: Any, fill: Any) -> Any:
    return interpolate().interp1d(x, y, kind, axis, False, bounds_error, fill, assume_sorted=True)


# -- splines in a basis -----------------------------------------------------------------------------


def interpolating_coefficients(x: Any, y: Any, k: int, t: Any, bc_type: Any, axis: int) -> Any:
    """The coefficients of `make_interp_spline(x, y, k, t, bc_type, axis)`."""
    return interpolate().make_interp_spline(x, y, k, t, bc_type, axis).c


def interpolation_matrix(x: Any, k: int, t: Any, bc_type: Any) -> Any:
    """What each value counts for in each coefficient of an interpolating spline."""
    return interpolate().make_interp_spline(x, np.eye(len(x)), k, t, bc_type).c


def spline_values(t: Any, c: Any, k: int, points: Any, nu: int, extrapolate: Any) -> Any:
    """`BSpline(t, c, k, extrapolate)(points, nu)`."""
    return interpolate().BSpline.construct_fast(doubles(t), doubles(c), k, extrapolate)(points, nu)


def basis_values(t: Any, k: int, points: Any, nu: int, extrapolate: Any) -> Any:
    """The values of all functions of a basis of splines at points, or of their derivatives."""
    return interpolate().BSpline.construct_fast(doubles(t), np.eye(len(t) - k - 1), k, extrapolate)(points, nu)


def spline_integral(t: Any, c: Any, k: int, a: Any, b: Any, extrapolate: Any) -> Any:
    """`BSpline(t, c, k).integrate(a, b, extrapolate)`."""
    return interpolate().BSpline.construct_fast(doubles(t), doubles(c), k).integrate(a, b, extrapolate)


def basis_integrals(t: Any, k: int, a: Any, b: Any, extrapolate: Any) -> Any:
    return spline_integral(t, np.eye(len(t) - k - 1), k, a, b, extrapolate)


def outside_of_knots(t: Any, k: int, points: Any) -> Any:
    return (points < t[k]) | (points > t[len(t) - k - 1])


def derived(t: Any, c: Any, k: int, nu: int) -> Any:
    """A spline's derivative; of a negative order its integral."""
    spline = interpolate().BSpline.construct_fast(doubles(t), doubles(c), k)
    return spline.antiderivative(-nu) if nu < 0 else spline.derivative(nu)


def derived_coefficients(t: Any, c: Any, k: int, nu: int) -> Any:
    return derived(t, c, k, nu).c


def derived_knots(t: Any, k: int, nu: int) -> Any:
    return derived(t, np.zeros(len(t) - k - 1), k, nu).t


def derivation_matrix(t: Any, k: int, nu: int) -> Any:
    """What each coefficient of a spline counts for in those of its derivative."""
    return derived(t, np.eye(len(t) - k - 1), k, nu).c


# -- piecewise polynomials --------------------------------------------------------------------------


def spline_coefficients(x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot") -> Any:
    """The coefficients of `CubicSpline(x, y, axis, bc_type)`."""
    return interpolate().CubicSpline(x, y, axis, bc_type).c


def monotone_coefficients(x: Any, y: Any, axis: int = 0) -> Any:
    """The coefficients of `PchipInterpolator(x, y, axis)`."""
    return interpolate().PchipInterpolator(x, y, axis).c


def hermite_coefficients(x: Any, y: Any, dydx: Any, axis: int = 0) -> Any:
    """The coefficients of `CubicHermiteSpline(x, y, dydx, axis)`."""
    return interpolate().CubicHermiteSpline(x, y, dydx, axis).c


def integrated_coefficients(c: Any, x: Any, order: int) -> Any:
    """The coefficients of `PPoly(c, x).antiderivative(order)`."""
    return polynomial(c, x, True).antiderivative(order).c


def piecewise_values(c: Any, x: Any, points: Any, nu: int, extrapolate: Any) -> Any:
    """`PPoly(c, x, extrapolate)(points, nu)`."""
    return polynomial(c, x, extrapolate)(points, nu)


def piecewise_integral(c: Any, x: Any, a: Any, b: Any, extrapolate: Any) -> Any:
    """`PPoly(c, x, extrapolate).integrate(a, b)`."""
    return polynomial(c, x, extrapolate).integrate(a, b)


def pieces(x: Any, points: Any, extrapolate: Any) -> tuple[Any, Any, Any]:
    """Of each point the piece that it lies in, how many periods it is moved by, and whether there is none."""
    if x[0] > x[-1]:
        raise NotDifferentiable("a piecewise polynomial whose breakpoints fall", None, "give them in rising order")
    points, turns, outside = np.asarray(points), np.zeros(np.shape(points)), np.zeros(np.shape(points), bool)
    if extrapolate == "periodic":
        turns = np.floor((points - x[0]) / (x[-1] - x[0]))
        points = x[0] + (points - x[0]) % (x[-1] - x[0])
    elif not extrapolate:
        outside = (points < x[0]) | (points > x[-1])
    return np.clip(np.searchsorted(x, points, "right") - 1, 0, len(x) - 2), turns, outside


def falling(n: int, count: int) -> int:
    """n · (n − 1) · …, of `count` factors."""
    return math.perm(n, count)


def opaque_values(polynomial: Any, points: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """Those of a polynomial whose coefficients are not followed."""
    return polynomial(points, nu, extrapolate)


def polynomial(c: Any, x: Any, extrapolate: Any) -> Any:
    return interpolate().PPoly.construct_fast(doubles(c), doubles(x), extrapolate)


def doubles(a: Any) -> Any:
    """Numbers as SciPy's objects hold them."""
    return np.ascontiguousarray(a, np.result_type(a, np.float64))


def interpolate() -> Any:
    """The module of SciPy's, imported where it is asked for."""
    return importlib.import_module("scipy.interpolate")
