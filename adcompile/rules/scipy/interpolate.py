"""scipy.interpolate: tables and B-splines, by what they are made of and where they are read.

Objects of these classes are taken apart: what they hold carries derivatives. Values and coefficients are SciPy's own.
They are linear in what the objects hold: by that the derivative is what SciPy makes of unit vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Instance, Known, Type
from adcompile.rules.kinds import composite, constant, overlay, vjps
from adcompile.rules.numpy.constant import without_rule
from adcompile.rules.numpy.dims import array, dims_of, dtype_of, static
from adcompile.rules.typing import always
from adcompile.runtime import interpolants as ip
from adcompile.runtime.objects import FOLLOWED

TABLE: Any = next(c for c in interpolate.interp1d.__mro__ if "__call__" in vars(c))
FOLLOWED.update((interpolate.interp1d, interpolate.BSpline))

# objects made of values with derivatives are refused: their evaluation says nothing about these
without_rule(interpolate.Akima1DInterpolator, typing=always(Instance(interpolate.Akima1DInterpolator)))


def middle(evaluated: Any) -> Any:
    return evaluated.x[len(evaluated.x) // 2]


def evaluated_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Of what is known here and real: the values at x have the shape of x beside the other axes of the object."""
    found, dims = args[0], dims_of(args[1])
    if not isinstance(found, Known) or dims is None:
        return UNKNOWN
    sample = np.asarray(found.value(middle(found.value)))
    return array(sample.dtype, dims) if sample.ndim == 0 and sample.dtype.kind == "f" else array(sample.dtype, None)


OPAQUE = "a polynomial in the basis of Bernstein, or an Akima spline, by its data; use PPoly or PchipInterpolator"


@vjps(ip.opaque_values, wrt=(0, 1), typing=evaluated_type)
def opaque_values(y_bar: Any, y: Any, polynomial: Any, points: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """The axes of the points begin at the object's axis of the result."""
    slope = ip.opaque_values(polynomial, points, nu + 1, extrapolate)
    product, n = y_bar * np.conj(slope), np.ndim(points)
    if product.ndim == n:
        return rt.no_derivative(OPAQUE), product
    first = polynomial.axis if n > 0 else 0
    return rt.no_derivative(OPAQUE), np.sum(product, axis=(*range(first), *range(first + n, product.ndim)))


def placed(y: Any, points: Any, axis: Any) -> Any:
    """Values whose first axes are those of the points, with these beginning at `axis`."""
    first = tuple(range(np.ndim(points)))
    return y if len(first) == 0 else np.moveaxis(y, first, tuple([k + axis for k in first]))


# -- tables -------------------------------------------------------------------------------------

SPLINES = ("zero", "slinear", "quadratic", "cubic")

constant(ip.table_holds, by_value=True)


@overlay(interpolate.interp1d.__init__)
def interp1d(
    self: Any,
    x: Any,
    y: Any,
    kind: Any = "linear",
    axis: Any = -1,
    copy: Any = True,
    bounds_error: Any = None,
    fill_value: Any = np.nan,
    assume_sorted: Any = False,
) -> None:
    told = rt.solve(interpolate.interp1d, x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted)
    spline = not isinstance(kind, str) or kind in SPLINES
    names = ip.table_holds("cubic" if spline else kind, isinstance(fill_value, str))
    for k in rt.positions(names):
        setattr(self, names[k], getattr(told, names[k]))
    order = np.argsort(x, kind="mergesort")
    values = np.asarray(y)
    if not copy and assume_sorted:  # what is written into y later counts
        values = rt.beside(values, y, "interp1d with copy=False and assume_sorted=True; leave out one of them")
    values = np.take(values if values.dtype.kind in "fc" else values * 1.0, order, axis=axis)
    self.x, self.y, self._kind = np.take(x, order), values, "spline" if spline else kind
    self.axis, self._y = axis % np.ndim(values), np.reshape(np.moveaxis(values, axis, 0), (len(order), -1))
    if isinstance(fill_value, str) and kind == "previous":
        fill_value = (np.nan, np.take(values, -1, axis))
    elif isinstance(fill_value, str) and kind == "next":
        fill_value = (np.take(values, 0, axis), np.nan)
    self._fill_value_orig = fill_value


@overlay(TABLE.__call__)
def table(self: Any, x: Any) -> Any:
    return read(self, x) if isinstance(self, interpolate.interp1d) else ip.table_of_another_kind(self, x)


def read(table: Any, x: Any) -> Any:
    kind = table._spline.k if table._kind == "spline" else table._kind
    return ip.table_values(table.x, table.y, x, table.axis, kind, table._fill_value_orig, table.bounds_error)


without_rule(ip.table_of_another_kind)


def table_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    x, y, points, axis = dtype_of(args[0]), args[1], dims_of(args[2]), static(args[3])
    doubles = x is not None and x.type is np.float64 and dtype_of(args[2]) == x
    if not doubles or not isinstance(y, Array) or not y.dims or points is None:
        return UNKNOWN
    if y.dtype.type not in (np.float64, np.complex128):
        return UNKNOWN
    if len(y.dims) == 1:
        return Array(y.dtype, points)
    return Array(y.dtype, (*y.dims[:axis], *points, *y.dims[axis + 1 :]) if isinstance(axis, int) else None)


@composite(ip.table_values, typing=table_type)
def table_values(x: Any, y: Any, points: Any, axis: Any, kind: Any, fill: Any, bounds_error: Any) -> Any:
    """At a point of the table the slope is that of the piece on the left."""
    rows, at = np.moveaxis(y, axis, 0), np.asarray(points)
    if not isinstance(kind, str):
        value = np.tensordot(ip.table_weights(x, at, kind, 0), rows, 1)
    elif kind == "linear":
        k = ip.table_places(x, at)
        share = behind((at - x[k - 1]) / (x[k] - x[k - 1]), rows)
        value = rows[k - 1] + share * (rows[k] - rows[k - 1])
    else:
        value = rows[ip.table_steps(x, at, kind)]
    if not isinstance(fill, str):
        below, above = fill if isinstance(fill, tuple) and len(fill) == 2 else (fill, fill)
        value = np.where(behind(at < x[0], rows), alone(below, rows), value)
        value = np.where(behind(at > x[-1], rows), alone(above, rows), value)
    return placed(value, points, axis)


def behind(t: Any, rows: Any) -> Any:
    """Numbers for each point, as an array that broadcasts with the values there."""
    return np.reshape(t, np.shape(t) + (1,) * (np.ndim(rows) - 1))


def alone(fill: Any, rows: Any) -> Any:
    """A fill value: of numbers it may be an array of one."""
    return np.reshape(fill, ()) if np.ndim(rows) == 1 else fill


constant(ip.table_places, ip.table_steps)


def weights_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    points = dims_of(args[1])
    return UNKNOWN if points is None else Array(np.dtype(float), (*points, "any"))


KNOTS = "an interpolating spline by the places that it goes through, or a spline by its knots; use CubicSpline"


@vjps(ip.table_weights, wrt=(0, 1), typing=weights_type)
def table_weights(y_bar: Any, y: Any, x: Any, points: Any, kind: Any, order: Any) -> Any:
    return rt.no_derivative(KNOTS), np.sum(y_bar * ip.table_weights(x, points, kind, order + 1), axis=-1)


# -- splines in a basis -------------------------------------------------------------------------

PRIVATE = isinstance(vars(interpolate.BSpline).get("c"), property)  # since SciPy 1.17
ASARRAY = getattr(interpolate.BSpline([0.0, 0.0, 1.0, 1.0], [0.0, 1.0], 1), "_asarray", None)


def fill(self: Any, t: Any, c: Any, k: Any, extrapolate: Any, axis: Any) -> None:
    if PRIVATE:
        self._t, self._c, self._asarray = t, c, ASARRAY
    else:
        self.t, self.c = t, c
    self.k, self.extrapolate, self.axis = k, extrapolate, axis


def knots(self: Any) -> Any:
    return self._t if PRIVATE else self.t


def coefficients(self: Any) -> Any:
    return self._c if PRIVATE else self.c


@overlay(interpolate.BSpline.__init__)
def spline(self: Any, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> None:
    told = rt.solve(interpolate.BSpline, t, c, k, extrapolate, axis)
    given = np.asarray(c)
    moved = np.moveaxis(given, axis, 0) if axis != 0 else given
    rows = np.ascontiguousarray(moved, dtype=complex if given.dtype.kind == "c" else float)
    fill(self, np.ascontiguousarray(t, dtype=float), rows, k, told.extrapolate, axis % np.ndim(given))


@overlay(interpolate.BSpline.construct_fast.__func__)
def construct_fast(cls: Any, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    made = object.__new__(cls)
    fill(made, np.asarray(t), np.asarray(c), k, extrapolate, axis)
    return made


@overlay(interpolate.make_interp_spline)
def make_interp_spline(
    x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0, check_finite: Any = True
) -> Any:
    told = rt.solve(interpolate.make_interp_spline, x, y, k, t, bc_type, axis, check_finite)
    if bc_type is None or isinstance(bc_type, str) and bc_type != "periodic":
        c = ip.interpolating_coefficients(x, y, k, t, bc_type, axis)
    else:
        c = rt.beside(told.c, (y, bc_type), "make_interp_spline with this bc_type; use natural, clamped or not-a-knot")
    return interpolate.BSpline.construct_fast(rt.vector(knots(told)), c, k, axis=axis % np.ndim(y))


@overlay(interpolate.BSpline.__call__)
def spline_evaluated(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    way = self.extrapolate if extrapolate is None else extrapolate
    return placed(ip.spline_values(knots(self), coefficients(self), self.k, x, nu, way), x, self.axis)


@overlay(interpolate.BSpline.derivative)
def derivative(self: Any, nu: Any = 1) -> Any:
    t = ip.derived_knots(knots(self), self.k, nu)
    c = ip.derived_coefficients(knots(self), coefficients(self), self.k, nu)
    return interpolate.BSpline.construct_fast(t, c, self.k - nu, self.extrapolate, self.axis)


@overlay(interpolate.BSpline.antiderivative)
def antiderivative(self: Any, nu: Any = 1) -> Any:
    way = self.extrapolate
    t = ip.derived_knots(knots(self), self.k, -nu)
    c = ip.derived_coefficients(knots(self), coefficients(self), self.k, -nu)
    return interpolate.BSpline.construct_fast(t, c, self.k + nu, False if way == "periodic" else way, self.axis)


@overlay(interpolate.BSpline.integrate)
def integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    way = self.extrapolate if extrapolate is None else extrapolate
    return ip.spline_integral(knots(self), coefficients(self), self.k, a, b, way)


without_rule(interpolate.BSpline.insert_knot, typing=always(Instance(interpolate.BSpline)))


def rows_type(place: int) -> Any:
    """Doubles, or complex ones: as many rows as there are basis functions."""

    def typing(args: list[Type], kwargs: dict[str, Type]) -> Type:
        dtype, dims = dtype_of(args[1]), dims_of(args[1])
        axis = static(args[place]) if place else 0
        if dtype is None or not dims or not isinstance(axis, int):
            return UNKNOWN
        rest = (*dims[: axis % len(dims)], *dims[axis % len(dims) + 1 :])
        return array(np.dtype(complex if dtype.kind == "c" else float), ("any", *rest))

    return typing


def spline_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    c, points = args[1], dims_of(args[3])
    return Array(c.dtype, (*points, *c.dims[1:])) if isinstance(c, Array) and c.dims and points is not None else UNKNOWN


def basis_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    points = dims_of(args[2])
    return UNKNOWN if points is None else Array(np.dtype(float), (*points, "any"))


without_rule(ip.derived_knots, typing=always(Array(np.dtype(float), ("any",))))
constant(ip.outside_of_knots)
without_rule(
    ip.interpolation_matrix,
    ip.derivation_matrix,
    typing=always(Array(np.dtype(float), ("any", "any"))),
)


@composite(ip.interpolating_coefficients, typing=rows_type(5))
def interpolating_coefficients(x: Any, y: Any, k: Any, t: Any, bc_type: Any, axis: Any) -> Any:
    return np.tensordot(ip.interpolation_matrix(x, k, t, bc_type), np.moveaxis(np.asarray(y), axis, 0), 1)


@composite(ip.derived_coefficients, typing=rows_type(0))
def derived_coefficients(t: Any, c: Any, k: Any, nu: Any) -> Any:
    matrix = ip.derivation_matrix(t, k, nu)
    return np.tensordot(matrix, c[: matrix.shape[1]], 1)


@composite(ip.spline_values, typing=spline_type)
def spline_values(t: Any, c: Any, k: Any, points: Any, nu: Any, extrapolate: Any) -> Any:
    inner = ip.basis_values(t, k, points, nu, "periodic" if extrapolate == "periodic" else True)
    y = np.tensordot(inner, c[: inner.shape[-1]], 1)
    if extrapolate:
        return y
    return np.where(behind(ip.outside_of_knots(t, k, points), c), np.nan, y)


@vjps(ip.basis_values, wrt=(0, 2), typing=basis_type)
def basis_values(y_bar: Any, y: Any, t: Any, k: Any, points: Any, nu: Any, extrapolate: Any) -> Any:
    return rt.no_derivative(KNOTS), None, np.sum(y_bar * ip.basis_values(t, k, points, nu + 1, extrapolate), axis=-1)


def integral_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    c = args[1]
    return Array(c.dtype, c.dims[1:]) if isinstance(c, Array) and c.dims else UNKNOWN


@composite(ip.spline_integral, typing=integral_type)
def spline_integral(t: Any, c: Any, k: Any, a: Any, b: Any, extrapolate: Any) -> Any:
    if extrapolate == "periodic":
        raise NotImplementedError("the derivative of the integral of a periodic spline; use antiderivative()")
    return np.tensordot(ip.basis_integrals(t, k, a, b, extrapolate), c[: len(t) - k - 1], 1)


@vjps(ip.basis_integrals, wrt=(0, 2, 3), typing=always(Array(np.dtype(float), ("any",))))
def basis_integrals(y_bar: Any, y: Any, t: Any, k: Any, a: Any, b: Any, extrapolate: Any) -> Any:
    """Outside of the knots there is nothing to integrate, but where it goes on."""
    a_bar = np.sum(y_bar * ip.basis_values(t, k, a, 0, True))
    b_bar = np.sum(y_bar * ip.basis_values(t, k, b, 0, True))
    if not extrapolate:
        a_bar = np.where(ip.outside_of_knots(t, k, a), 0.0, a_bar)
        b_bar = np.where(ip.outside_of_knots(t, k, b), 0.0, b_bar)
    return rt.no_derivative(KNOTS), None, -a_bar, b_bar
