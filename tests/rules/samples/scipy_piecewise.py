"""Sample calls of the rules in adcompile/rules/scipy/piecewise.py."""

import numpy as np

from adcompile.runtime import interpolants as ip
from tests.rules.samples.numbers import complexes, real

X, Y, ROWS = np.array([0.0, 0.5, 1.1, 1.9, 3.0]), real(5), real(2, 5)
AT, SQUARE, WIDE = np.array([0.2, 1.4, 2.2]), np.array([[0.2, 1.4], [2.2, 0.7]]), np.array([-0.7, 0.3, 2.2, 4.1])
C, MORE = real(3, 4), real(4, 4, 2)


def around(x, y, points):
    c = ip.spline_coefficients(x, np.concatenate((y, y[:1])), 0, "periodic")
    return ip.piecewise_values(c, x, points, 0, "periodic")


SAMPLES = {
    ip.spline_coefficients: [
        ((X, Y), {}),
        *[((X, Y, 0, ends), {}) for ends in ("natural", "clamped", ("clamped", "not-a-knot"), ("natural", (1, 0.7)))],
        ((X, ROWS, 1, ((2, real(2)), (2, real(2)))), {}),
        ((X, complexes(5), 0, ((1, 0.3), "not-a-knot")), {}),
        *[((X[:n], Y[:n]), {}) for n in (2, 3, 4)],
        ((X[:3], Y[:3], 0, ("not-a-knot", "natural")), {}),
        ((X[:2], Y[:2], 0, ("natural", "not-a-knot")), {}),
    ],
    ip.monotone_coefficients: [
        ((X, np.array([0.1, 0.4, 1.7, 1.1, 0.9])), {}),
        ((X, np.array([0.1, 0.2, 2.7, 2.9, 6.0])), {}),
        ((X, np.array([[0.1, 0.4, 1.7, 2.1, 5.9], [1.1, 0.7, 1.7, 1.5, 1.4]]), 1), {}),
        ((X[:2], Y[:2]), {}),
    ],
    ip.hermite_coefficients: [((X, Y, real(5)), {}), ((X, ROWS, real(2, 5), 1), {}), ((X, complexes(5), real(5)), {})],
    ip.piecewise_values: [
        ((C, X, AT, 0, True), {}),
        ((C, X, WIDE, 1, True), {}),
        ((MORE, X, SQUARE, 2, False), {}),
        ((C, X, 1.4, 0, True), {}),
        ((C, X, WIDE, 0, "periodic"), {}),
        ((complexes(3, 4), X, AT, 0, True), {}),
        ((C, X, AT[:0], 0, True), {}),
    ],
    ip.integrated_coefficients: [((C, X, 1), {}), ((MORE, X, 2), {})],
    ip.piecewise_integral: [((C, X, 0.3, 2.2, True), {}), ((MORE, X, 2.2, -0.4, True), {})],
}
WRAPPED = {ip.spline_coefficients: [(around, (X[: n + 1], Y[:n], at)) for n, at in ((4, WIDE), (3, AT), (2, AT))]}
