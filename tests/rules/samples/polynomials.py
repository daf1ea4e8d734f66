"""Sample calls of the rules in adcompile/rules/numpy/polynomials.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, positive, real

X = real(5)


def cubed(x):
    return x * x * x


def halved(x):
    return 0.5 * np.sin(x)


def spread(x):
    return np.stack((x[0] * x[1], x[2]))


SAMPLES = {
    np.polyval: [
        ((real(4), real(3)), {}),
        ((real(4), 1.5), {}),
        ((real(1), real(2, 2)), {}),
        (([1.5, 2.0, -0.5], 0.7), {}),
        ((complexes(3), complexes(2)), {}),
    ],
    np.vander: [((real(3),), {}), ((real(3), 4), {}), ((real(3), 2), {"increasing": True}), ((real(3), 1), {})],
    np.polyder: [((real(5),), {}), ((real(5), 2), {})],
    np.polyint: [((real(3),), {}), ((real(3), 2), {}), ((real(3),), {"k": 1.5})],
    np.polymul: [((real(3), real(4)), {})],
    np.polyadd: [((real(3), real(4)), {}), ((real(3), 1.5), {})],
    np.polysub: [((real(4), real(2)), {})],
    np.poly: [((real(3),), {})],
    np.polyfit: [
        ((real(6), real(6), 2), {}),
        ((real(6), real(6, 2), 2), {}),
        ((real(6), real(6), 1), {"w": positive(6)}),
    ],
    np.piecewise: [
        ((X, [X < 0, X >= 0], [cubed, halved]), {}),
        ((X, [X < 0, X < 1], [cubed, halved, 2]), {}),
    ],
    np.apply_along_axis: [((halved, 0, real(3, 2)), {}), ((np.sum, 1, real(3, 2)), {}), ((spread, 0, real(3, 4)), {})],
    np.geomspace: [
        ((0.5, 8.0, 5), {}),
        ((0.5, 8.0), {"num": 4, "endpoint": False}),
        ((positive(3), 9.0, 4), {"axis": 1}),
    ],
}
