"""Sample calls of the rules in adcompile/rules/scipy/interpolate.py."""

import numpy as np
from scipy import interpolate

from adcompile import runtime as rt
from adcompile.rules.scipy.interpolate import PIECEWISE, TABLE
from tests.rules.samples.numbers import real

KNOTS, V, ROWS = np.array([0.0, 0.5, 1.1, 1.9, 3.0]), real(5), real(3, 5)
X, SQUARE, WIDE = np.array([0.2, 1.4, 2.2]), np.array([[0.2, 1.4], [2.2, 0.7]]), np.array([-0.7, 0.3, 2.2, 4.1])

SPLINE = interpolate.CubicSpline(KNOTS, V)
LINEAR, CUBIC = interpolate.interp1d(KNOTS, V), interpolate.interp1d(KNOTS, ROWS, kind="cubic")
FILLED = interpolate.interp1d(KNOTS, V, bounds_error=False, fill_value=(1.0, 2.0))
BEYOND = interpolate.interp1d(KNOTS, ROWS, fill_value="extrapolate")

METHODS = {
    PIECEWISE.__call__: [
        ((SPLINE, X), {}),
        ((SPLINE, 1.4), {}),
        ((SPLINE, WIDE, 1), {}),
        ((interpolate.CubicSpline(KNOTS, ROWS, axis=1), SQUARE), {}),
        ((interpolate.CubicSpline(KNOTS, ROWS.T), SQUARE), {}),
        ((interpolate.PchipInterpolator(KNOTS, V), X), {"nu": 1}),
    ],
    interpolate.BSpline.__call__: [
        ((interpolate.make_interp_spline(KNOTS, V, k=3), X), {}),
        ((interpolate.make_interp_spline(KNOTS, ROWS, k=3, axis=1), SQUARE), {}),
    ],
    TABLE.__call__: [
        *[((table, X), {}) for table in (LINEAR, CUBIC, BEYOND)],
        *[((table, WIDE), {}) for table in (FILLED, BEYOND)],
        ((interpolate.interp1d(KNOTS, V, kind="previous"), X), {}),
        ((CUBIC, SQUARE), {}),
        ((LINEAR, 1.4), {}),
    ],
    rt.table_derivative: [((CUBIC, X, 1), {}), ((LINEAR, X, 1), {})],
}
