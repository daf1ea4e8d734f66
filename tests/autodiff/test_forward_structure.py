"""Tangents of lists that had no derivatives when a loop began."""

import numpy as np

import adcompile as ad

X = np.array([0.6, -0.7, 1.2])


def filled(x):
    total = [0] * len(x)
    for i in range(len(x)):
        total[i] = total[i - 1] + x[i]
    return total[-1] * total[1]


def nested(x):
    rows = [[0] * 2 for _ in range(len(x))]
    for i in range(len(x)):
        rows[i] = [x[i], 2]
    return sum(a * a * b for a, b in rows)


def test_zeros_are_there_where_a_derivative_comes_in():
    for function in (filled, nested):
        for d in np.eye(3):
            step = 1e-6
            slope = (function(X + step * d) - function(X - step * d)) / (2 * step)
            np.testing.assert_allclose(ad.jvp(function, (X,), (d,))[1], slope, rtol=1e-7, atol=1e-12)
