"""SciPy's splines and tables, made of what is differentiated; none without SciPy."""

import importlib.util

import numpy as np

HERE = importlib.util.find_spec("scipy") is not None
if HERE:
    from scipy import interpolate

_X = np.array([0.0, 0.5, 1.1, 1.9, 3.0])
_Y = np.array([0.3, 1.2, -0.7, 2.0, 0.1])
_AT = np.array([0.2, 1.4, 2.2])
_WIDE = np.array([-0.7, 0.3, 2.2, 4.1])


def cubic_spline_of_data(y, p):
    s = interpolate.CubicSpline(_X, y)
    return np.sum(s(p) * s(p, 1)) + s(0.7) if isinstance(s, interpolate.PPoly) else 0.0


def spline_of_places(x, y):
    return np.sum(interpolate.CubicSpline(x, y, bc_type="natural")(_AT) ** 2)


def slopes_at_the_ends(y, v):
    return np.sum(interpolate.CubicSpline(_X, y, bc_type=((1, v), (2, 2.0 * v)))(_WIDE) ** 2)


def derived_and_integrated(y, a):
    s = interpolate.CubicSpline(_X, y)
    return np.sum(s.derivative()(_AT) * s.antiderivative(2)(_AT)) + s.integrate(a, 2.5) + np.sum(s.c[:, 1])


def monotone_curves(y, p):
    rising = interpolate.PchipInterpolator(_X, np.cumsum(y**2))
    return np.sum(rising(p) + interpolate.CubicHermiteSpline(_X, y, 2.0 * y, extrapolate=False)(p) ** 2)


def polynomial_written_later(c, p):
    pieces = c * 1.0
    f = interpolate.PPoly(pieces, _X)
    pieces[0] *= 3.0
    return np.sum(f(p) ** 2) + np.sum(interpolate.PPoly(np.stack((c, c)), _X, axis=1)(p))


def several_curves(rows):
    first = interpolate.CubicSpline(_X, rows, axis=1)(np.stack((_AT, _AT + 0.1)))
    return np.sum(first**2) + np.sum(np.stack([interpolate.interp1d(_X, r)(_AT) for r in rows]) ** 3)


def linear_table_of_data(x, y, p):
    return np.sum(interpolate.interp1d(x, y)(p) ** 2) + float(interpolate.interp1d(x[::-1], y)(0.7))


def tables_of_splines(y, p):
    total = 0.0
    for kind in ("slinear", "quadratic", "cubic"):
        total += np.sum(interpolate.interp1d(_X, y, kind=kind)(p) ** 2)
    return total + np.sum(interpolate.interp1d(_X, y, kind=2, fill_value="extrapolate")(p * 2.0))


def tables_of_steps(y):
    total = np.sum(interpolate.interp1d(_X, y, kind="nearest")(_AT) ** 2)
    after = interpolate.interp1d(_X, y, kind="previous", fill_value="extrapolate")(_WIDE[1:])
    before = interpolate.interp1d(_X, y, kind="next", fill_value="extrapolate")(_WIDE[:3])
    return total + np.sum(after**2 * before)


def filled_beyond(y, p, a):
    return np.sum(interpolate.interp1d(_X, y, bounds_error=False, fill_value=(a, 2.0))(p) ** 2)


class _Curve:
    def __init__(self, x, y):
        self.table = interpolate.interp1d(x, y, fill_value="extrapolate")
        self.spline = interpolate.make_interp_spline(x, y, k=3)

    def at(self, p):
        return self.table(p) + self.spline(p, nu=1)


def curve_of_an_object(y, p):
    return np.sum(_Curve(_X, y).at(p) ** 2)


def splines_in_a_basis(c, p):
    knots = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 3.0, 3.0, 3.0])
    s = interpolate.BSpline(knots, c, 3)
    return np.sum(s(p) ** 2 * s.derivative()(p) + s.antiderivative()(p)) + s.integrate(0.3, 2.5)


def interpolating_spline(y, p):
    natural = interpolate.make_interp_spline(_X, y, k=3, bc_type="natural")
    return np.sum(natural(p) * interpolate.make_interp_spline(_X, y, k=2)(p))


def table_of_whole_numbers(p):
    return np.sum(interpolate.CubicSpline([0, 1, 2, 3], [0, 1, 3, 9])(p) * interpolate.interp1d([0, 1, 3], [4, 1, 3])(p))


SAMPLES = {
    "cubic_spline_of_data": [(_Y, _WIDE)],
    "spline_of_places": [(_X, _Y)],
    "slopes_at_the_ends": [(_Y, 0.7)],
    "derived_and_integrated": [(_Y, 0.3)],
    "monotone_curves": [(_Y, _AT)],
    "polynomial_written_later": [(np.arange(12.0).reshape(3, 4) ** 0.5, _AT)],
    "several_curves": [(np.stack((_Y, _Y**2)),)],
    "linear_table_of_data": [(_X, _Y, _AT)],
    "tables_of_splines": [(_Y, _AT)],
    "tables_of_steps": [(_Y,)],
    "filled_beyond": [(_Y, _WIDE, 0.4)],
    "curve_of_an_object": [(_Y, _AT)],
    "splines_in_a_basis": [(_Y, _AT)],
    "interpolating_spline": [(_Y, _AT)],
    "table_of_whole_numbers": [(_AT,)],
}
if not HERE:
    SAMPLES = {}
