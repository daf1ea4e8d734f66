"""scipy.interpolate: piecewise polynomials, splines and tables, by the place where they are evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Instance, Known, Scalar, Type, widen
from adcompile.rules.kinds import vjps
from adcompile.rules.numpy.constant import without_rule
from adcompile.rules.numpy.dims import array, dims_of
from adcompile.rules.typing import always

PIECEWISE = next(c for c in interpolate.PPoly.__mro__ if "__call__" in vars(c))
TABLE = next(c for c in interpolate.interp1d.__mro__ if "__call__" in vars(c))


# objects made of values with derivatives are refused: their evaluation says nothing about these
for cls in (
    interpolate.PPoly,
    interpolate.CubicSpline,
    interpolate.CubicHermiteSpline,
    interpolate.PchipInterpolator,
    interpolate.Akima1DInterpolator,
    interpolate.BSpline,
    interpolate.interp1d,
):
    without_rule(cls, typing=always(Instance(cls)))


def evaluated_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Of what is known here and real: the values at x have the shape of x beside the other axes of the object."""
    x, found = args[1] if len(args) > 1 else kwargs.get("x", UNKNOWN), args[0]
    dims = dims_of(x) if isinstance(widen(x), (Array, Scalar)) else None
    if not isinstance(found, Known) or dims is None:
        return UNKNOWN
    sample = np.asarray(found.value(middle(found.value)))
    return array(sample.dtype, dims) if sample.ndim == 0 and sample.dtype.kind == "f" else array(sample.dtype, None)


def middle(evaluated: Any) -> Any:
    points = evaluated.t if isinstance(evaluated, interpolate.BSpline) else evaluated.x
    return points[len(points) // 2]


def along_places(y_bar: Any, slope: Any, x: Any, axis: Any) -> Any:
    """The cotangent of the places: the axes of x begin at `axis` of the result."""
    product, n = y_bar * np.conj(slope), np.ndim(x)
    if product.ndim == n:
        return product
    first = axis if n > 0 else 0
    return np.sum(product, axis=(*range(first), *range(first + n, product.ndim)))


@vjps(PIECEWISE.__call__, interpolate.BSpline.__call__, wrt=(1,), typing=evaluated_type)
def piecewise(y_bar: Any, y: Any, self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    return None, along_places(y_bar, self(x, nu + 1, extrapolate), x, self.axis)


def axis_of_table(table: Any) -> Any:
    return table._y_axis


@vjps(TABLE.__call__, wrt=(1,), typing=evaluated_type)
def table(y_bar: Any, y: Any, self: Any, x: Any) -> Any:
    if not isinstance(self, interpolate.interp1d):
        raise NotImplementedError("the derivative of this interpolator of scipy.interpolate")
    return None, along_places(y_bar, rt.table_derivative(self, x, 1), x, axis_of_table(self))


@vjps(rt.table_derivative, wrt=(1,), typing=evaluated_type)
def table_derivative(y_bar: Any, y: Any, table: Any, x: Any, order: Any) -> Any:
    return None, along_places(y_bar, rt.table_derivative(table, x, order + 1), x, axis_of_table(table))
