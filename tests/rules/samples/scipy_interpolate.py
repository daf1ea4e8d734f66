"""Sample calls of the rules in adcompile/rules/scipy/interpolate.py."""

import numpy as np
from scipy import interpolate

from adcompile.runtime import interpolants as ip
from tests.rules.samples.numbers import complexes, real

KNOTS, V, ROWS = np.array([0.0, 0.5, 1.1, 1.9, 3.0]), real(5), real(3, 5)
X, SQUARE, WIDE = np.array([0.2, 1.4, 2.2]), np.array([[0.2, 1.4], [2.2, 0.7]]), np.array([-0.7, 0.3, 2.2, 4.1])
NAN, ON = np.nan, "extrapolate"
T, K = interpolate.make_interp_spline(KNOTS, V, k=3).t, 3
BERNSTEIN = interpolate.BPoly(real(3, 4), KNOTS)

SAMPLES = {
    ip.table_values: [
        ((KNOTS, V, X, 0, "linear", NAN, None), {}),
        ((KNOTS, ROWS, SQUARE, 1, "linear", NAN, None), {}),
        ((KNOTS, ROWS.T, SQUARE, 0, "linear", ON, None), {}),
        ((KNOTS, V, WIDE, 0, "linear", (1.5, np.array(-0.5)), False), {}),
        ((KNOTS, ROWS, WIDE, 1, "linear", real(3), False), {}),
        ((KNOTS, V, 1.4, 0, "linear", NAN, True), {}),
        ((KNOTS, complexes(5), X, 0, "linear", NAN, None), {}),
        *[((KNOTS, V, X, 0, kind, NAN, None), {}) for kind in ("nearest", "nearest-up", "previous", "next")],
        ((KNOTS, V, X[:0], 0, "linear", NAN, None), {}),
    ],
}


def table_of(kind):
    def value(y, points):
        return ip.table_values(KNOTS, y, points, y.ndim - 1, kind, ON, None)

    return value


def in_basis(nu, extrapolate):
    def value(c, points):
        return ip.spline_values(T, c, K, points, nu, extrapolate)

    return value


def through(k, bc_type):
    def value(y):
        return ip.interpolating_coefficients(KNOTS, y, k, None, bc_type, y.ndim - 1)

    return value


def derived(nu):
    def value(c):
        return ip.derived_coefficients(T, c, K, nu)

    return value


def integral(extrapolate):
    def value(c, a, b):
        return ip.spline_integral(T, c, K, a, b, extrapolate)

    return value


def weights(points):
    return ip.table_weights(KNOTS, points, 3, 1)


def basis(points):
    return ip.basis_values(T, K, points, 1, True)


def integrals(a, b):
    return ip.basis_integrals(T, K, a, b, False)


# by their places splines have no derivative
WRAPPED = {
    ip.table_values: [(table_of(kind), (V, X)) for kind in (0, 1, 2)] + [(table_of(3), (ROWS, SQUARE))],
    ip.table_weights: [(weights, (X,)), (weights, (SQUARE,))],
    ip.spline_values: [
        (in_basis(0, True), (V, X)),
        (in_basis(1, True), (ROWS.T, SQUARE)),
        (in_basis(0, True), (V, 1.4)),
        (in_basis(0, "periodic"), (complexes(5), WIDE)),
    ],
    ip.basis_values: [(basis, (X,)), (basis, (SQUARE,))],
    ip.interpolating_coefficients: [
        (through(3, None), (V,)),
        (through(3, "natural"), (ROWS,)),
        (through(1, None), (V,)),
    ],
    ip.derived_coefficients: [(derived(1), (V,)), (derived(-2), (ROWS.T,))],
    ip.spline_integral: [(integral(True), (V, 0.3, 3.5)), (integral(False), (ROWS.T, 2.2, -0.4))],
    ip.basis_integrals: [(integrals, (0.3, 2.1)), (integrals, (-0.3, 2.1))],
}
METHODS = {
    ip.opaque_values: [
        ((BERNSTEIN, X), {}),
        ((BERNSTEIN, 1.4, 1), {}),
        ((interpolate.BPoly(real(3, 4, 2), KNOTS), SQUARE), {}),
    ],
}
