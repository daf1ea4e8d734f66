"""scipy.interpolate: piecewise polynomials, by their coefficients, by the data of splines, and by where they are read.

Objects of these classes are taken apart: what they hold carries derivatives. Coefficients and values are SciPy's own;
their derivatives are those of the formulas that they come from. Which piece a point lies in is constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate, linalg

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, TupleT, Type
from adcompile.rules.kinds import composite, constant, overlay
from adcompile.rules.numpy.constant import without_rule
from adcompile.rules.numpy.dims import Dims, array, dims_of, dtype_of, static
from adcompile.runtime import interpolants as ip
from adcompile.runtime.objects import FOLLOWED

BASE: Any = next(c for c in interpolate.PPoly.__mro__ if "__call__" in vars(c))
SPLINES = (interpolate.CubicSpline, interpolate.CubicHermiteSpline, interpolate.PchipInterpolator)
FOLLOWED.update((interpolate.PPoly, *SPLINES))
PRIVATE = "_c" in vars(BASE)  # since SciPy 1.17
ASARRAY = getattr(interpolate.PPoly([[0.0]], [0.0, 1.0]), "_asarray", None)


# -- objects ------------------------------------------------------------------------------------


def fill(self: Any, c: Any, x: Any, extrapolate: Any, axis: Any) -> None:
    if PRIVATE:
        self._c, self._x, self._asarray = c, x, ASARRAY
    else:
        self.c, self.x = c, x
    self.extrapolate, self.axis = extrapolate, axis


def coefficients(self: Any) -> Any:
    return self._c if PRIVATE else self.c


def breakpoints(self: Any) -> Any:
    return self._x if PRIVATE else self.x


def way_out(extrapolate: Any, otherwise: Any) -> Any:
    """What is kept of `extrapolate=`."""
    if extrapolate is None:
        return otherwise
    return "periodic" if extrapolate == "periodic" else bool(extrapolate)


def place_of(axis: Any, y: Any) -> Any:
    return axis % np.ndim(y)


@overlay(BASE.__init__)
def piecewise_polynomial(self: Any, c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> None:
    told = rt.solve(interpolate.PPoly, c, x, extrapolate, axis)
    given = np.asarray(c)
    moved = np.moveaxis(given, (axis, axis + 1), (0, 1)) if axis != 0 else given
    rows = np.ascontiguousarray(moved, dtype=complex if given.dtype.kind == "c" else float)
    if not isinstance(self, interpolate.PPoly):
        rows = rt.beside(rows, c, "a polynomial in the basis of Bernstein by its coefficients; use PPoly")
    fill(self, rows, np.ascontiguousarray(x, dtype=float), told.extrapolate, axis)


@overlay(interpolate.CubicSpline.__init__)
def cubic_spline(
    self: Any, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> None:
    way = way_out(extrapolate, "periodic" if isinstance(bc_type, str) and bc_type == "periodic" else True)
    fill(self, ip.spline_coefficients(x, y, axis, bc_type), floats(x), way, place_of(axis, y))


@overlay(interpolate.CubicHermiteSpline.__init__)
def hermite_spline(self: Any, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> None:
    fill(self, ip.hermite_coefficients(x, y, dydx, axis), floats(x), way_out(extrapolate, True), place_of(axis, y))


@overlay(interpolate.PchipInterpolator.__init__)
def monotone_spline(self: Any, x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> None:
    fill(self, ip.monotone_coefficients(x, y, axis), floats(x), way_out(extrapolate, True), place_of(axis, y))


@overlay(BASE.construct_fast.__func__)
def construct_fast(cls: Any, c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    made = object.__new__(cls)
    fill(made, np.asarray(c), np.asarray(x), True if extrapolate is None else extrapolate, axis)
    return made


@overlay(BASE.__call__)
def evaluated(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    if not isinstance(self, interpolate.PPoly) or isinstance(self, interpolate.Akima1DInterpolator):
        return ip.opaque_values(self, x, nu, extrapolate)
    way = self.extrapolate if extrapolate is None else extrapolate
    y = ip.piecewise_values(coefficients(self), breakpoints(self), x, nu, way)
    if self.axis == 0:
        return y
    first = tuple(range(np.ndim(x)))
    return np.moveaxis(y, first, tuple([k + self.axis for k in first]))


@overlay(interpolate.PPoly.antiderivative)
def antiderivative(self: Any, nu: Any = 1) -> Any:
    if nu <= 0:
        return self.derivative(-nu)
    c = ip.integrated_coefficients(coefficients(self), breakpoints(self), nu)
    way = False if self.extrapolate == "periodic" else self.extrapolate
    return self.construct_fast(c, breakpoints(self), way, self.axis)


@overlay(interpolate.PPoly.integrate)
def integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    way = self.extrapolate if extrapolate is None else extrapolate
    return ip.piecewise_integral(coefficients(self), breakpoints(self), a, b, way)


without_rule(interpolate.PPoly.solve, interpolate.PPoly.roots, BASE.extend)


# -- types --------------------------------------------------------------------------------------


def coefficients_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Doubles, or complex ones: for each power and piece what `y` has for each place along its axis."""
    y, axis = dims_of(args[1]), static(args[-1] if not isinstance(static(args[-1]), str) else args[2])
    dtype = dtype_of(args[1])
    if y is None or dtype is None or not isinstance(axis, int):
        return UNKNOWN
    rest: Dims = (*y[: axis % len(y)], *y[axis % len(y) + 1 :])
    return array(np.dtype(complex if dtype.kind == "c" else float), ("any", "any", *rest))


def same_coefficients(args: list[Type], kwargs: dict[str, Type]) -> Type:
    c = args[0]
    return Array(c.dtype, ("any", *c.dims[1:])) if isinstance(c, Array) and c.dims else UNKNOWN


def values_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    c, points = args[0], dims_of(args[2])
    return Array(c.dtype, (*points, *c.dims[2:])) if isinstance(c, Array) and c.dims and points is not None else UNKNOWN


def integral_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    c = args[0]
    return Array(c.dtype, c.dims[2:]) if isinstance(c, Array) and c.dims else UNKNOWN


def pieces_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    points = dims_of(args[1])
    if points is None or not points:
        return UNKNOWN
    return TupleT((array(np.dtype(int), points), array(np.dtype(float), points), array(np.dtype(bool), points)))


# -- their coefficients -------------------------------------------------------------------------


def floats(x: Any) -> Any:
    a = np.asarray(x)
    return np.array(a, dtype=np.result_type(a.dtype, np.float64))


def along(dx: Any, y: Any) -> Any:
    """Numbers for the first axis of y, as an array that broadcasts with it."""
    return np.reshape(dx, (-1,) + (1,) * (np.ndim(y) - 1))


def hermite(x: Any, y: Any, s: Any) -> Any:
    """The cubics with these values and slopes at their ends."""
    dx = along(np.diff(x), y)
    slope = np.diff(y, axis=0) / dx
    t = (s[:-1] + s[1:] - 2.0 * slope) / dx
    return np.stack((t / dx, (slope - s[:-1]) / dx - t, s[:-1], y[:-1]))


@composite(ip.hermite_coefficients, typing=coefficients_type)
def hermite_coefficients(x: Any, y: Any, dydx: Any, axis: Any = 0) -> Any:
    return hermite(floats(x), np.moveaxis(floats(y), axis, 0), np.moveaxis(floats(dydx), axis, 0))


@composite(ip.spline_coefficients, typing=coefficients_type)
def spline_coefficients(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot") -> Any:
    """From slopes with which the second derivatives of neighbours agree."""
    x, y = floats(x), np.moveaxis(floats(y), axis, 0)
    dx = np.diff(x)
    slope = np.diff(y, axis=0) / along(dx, y)
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            return hermite(x, y, slopes_around(dx, slope))
        return hermite(x, y, slopes_between(x, y, dx, slope, bc_type, bc_type))
    return hermite(x, y, slopes_between(x, y, dx, slope, bc_type[0], bc_type[1]))


def slopes_around(dx: Any, slope: Any) -> Any:
    """Of a periodic spline."""
    before, n = np.roll(dx, 1), len(dx)
    one = np.eye(n)
    last = dx[:, None] * np.roll(one, -1, axis=1) + before[:, None] * np.roll(one, 1, axis=1)
    matrix = np.diag(2.0 * (before + dx)) + last
    right = 3.0 * (along(dx, slope) * np.roll(slope, 1, axis=0) + along(before, slope) * slope)
    s = np.reshape(np.linalg.solve(matrix, np.reshape(right, (n, -1))), np.shape(slope))
    return np.concatenate((s, s[:1]))


def slopes_between(x: Any, y: Any, dx: Any, slope: Any, start: Any, end: Any) -> Any:
    n = len(dx) + 1
    free = is_free(start), is_free(end)
    if n == 2:
        start = (1, slope[0]) if free[0] else start
        end = (1, slope[0]) if free[1] else end
    elif n == 3 and free[0] and free[1]:
        return parabola(dx, slope)
    near, far = min(1, n - 2), max(n - 3, 0)
    first = end_equation(start, dx[0], dx[near], slope[0], slope[near], -0.5)
    last = end_equation(end, dx[-1], dx[far], slope[-1], slope[far], 0.5)
    zero, between = np.zeros(1), along(dx, slope)
    upper = np.concatenate((zero, np.reshape(first[1], (1,)), dx[:-1]))
    diagonal = np.concatenate((np.reshape(first[0], (1,)), 2.0 * (dx[:-1] + dx[1:]), np.reshape(last[0], (1,))))
    lower = np.concatenate((dx[1:], np.reshape(last[1], (1,)), zero))
    inner = 3.0 * (between[1:] * slope[:-1] + between[:-1] * slope[1:])
    right = np.concatenate((whole(first[2], y), inner, whole(last[2], y)))
    matrix = np.stack((upper, diagonal, lower))
    return np.reshape(linalg.solve_banded((1, 1), matrix, np.reshape(right, (n, -1))), np.shape(y))


def is_free(condition: Any) -> Any:
    return isinstance(condition, str) and condition == "not-a-knot"


def whole(row: Any, y: Any) -> Any:
    return np.reshape(row, (1, *np.shape(y)[1:]))


def end_equation(condition: Any, h: Any, g: Any, slope: Any, inner: Any, sign: Any) -> Any:
    """What the slopes at an end and beside it count for, and what they give. From the end on, the steps are h and g."""
    if is_free(condition):
        return g, h + g, ((h + 2.0 * (h + g)) * g * slope + h**2 * inner) / (h + g)
    order, value = (1 if condition == "clamped" else 2, 0.0) if isinstance(condition, str) else condition
    if order == 1:
        return h / h, 0.0 * h, value + 0.0 * slope
    return 2.0 * h, h, sign * h**2 * value + 3.0 * h * slope


def parabola(dx: Any, slope: Any) -> Any:
    """The slopes of the parabola through three points."""
    q = (slope[1] - slope[0]) / (dx[0] + dx[1])
    return np.stack((slope[0] - q * dx[0], slope[0] + q * dx[0], slope[1] + q * dx[1]))


@composite(ip.monotone_coefficients, typing=coefficients_type)
def monotone_coefficients(x: Any, y: Any, axis: Any = 0) -> Any:
    """By slopes that are weighted harmonic means of those beside them; none where these turn (Fritsch and Butland, SIAM
    Journal on Scientific and Statistical Computing 5, 1984)."""
    x, y = floats(x), np.moveaxis(floats(y), axis, 0)
    h = along(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    if len(x) == 2:
        return hermite(x, y, np.concatenate((m, m)))
    turning = np.sign(m[1:]) * np.sign(m[:-1]) <= 0
    before, behind = np.where(turning, 1.0, m[:-1]), np.where(turning, 1.0, m[1:])
    first, second = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    inner = np.where(turning, 0.0, (first + second) / (first / before + second / behind))
    start, end = end_slope(h[:1], h[1:2], m[:1], m[1:2]), end_slope(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return hermite(x, y, np.concatenate((start, inner, end)))


def end_slope(h: Any, g: Any, slope: Any, inner: Any) -> Any:
    d = ((2.0 * h + g) * slope - h * inner) / (h + g)
    steep = (np.sign(slope) != np.sign(inner)) & (np.abs(d) > 3.0 * np.abs(slope))
    return np.where(np.sign(d) != np.sign(slope), 0.0, np.where(steep, 3.0 * slope, d))


# -- their values -------------------------------------------------------------------------------

constant(ip.pieces, typing=pieces_type)
constant(ip.falling)


@composite(ip.piecewise_values, typing=values_type)
def piecewise_values(c: Any, x: Any, points: Any, nu: Any, extrapolate: Any) -> Any:
    k, turns, outside = ip.pieces(x, points, extrapolate)
    t = behind(np.asarray(points) - turns * (x[-1] - x[0]) - x[k], c)
    y, n = np.zeros_like(c[0][k]), len(c)
    for p in range(n - nu):
        y = y * t + ip.falling(n - 1 - p, nu) * c[p][k]
    return np.where(behind(outside, c), np.nan, y)


def behind(t: Any, c: Any) -> Any:
    """Numbers for each point, as an array that broadcasts with the values there."""
    return np.reshape(t, np.shape(t) + (1,) * (np.ndim(c) - 2))


@composite(ip.integrated_coefficients, typing=same_coefficients)
def integrated_coefficients(c: Any, x: Any, order: Any) -> Any:
    """What is integrated begins with zero, and goes on where the piece before ends."""
    dx = along(np.diff(x), c[0])
    for _ in range(order):
        n = len(c)
        c = c / along(np.arange(n, 0, -1), c)
        area = np.zeros_like(c[0])
        for p in range(n):
            area = (area + c[p]) * dx
        start = np.concatenate((np.zeros_like(area[:1]), np.cumsum(area, axis=0)[:-1]))
        c = np.concatenate((c, start[None]))
    return c


@composite(ip.piecewise_integral, typing=integral_type)
def piecewise_integral(c: Any, x: Any, a: Any, b: Any, extrapolate: Any) -> Any:
    if extrapolate == "periodic":
        raise NotImplementedError("the derivative of the integral of a periodic spline; use antiderivative()")
    f = ip.integrated_coefficients(c, x, 1)
    return ip.piecewise_values(f, x, b, 0, extrapolate) - ip.piecewise_values(f, x, a, 0, extrapolate)
