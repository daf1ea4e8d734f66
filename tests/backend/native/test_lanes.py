"""One iteration in one lane: what is chosen where a function branches."""

import math

import numpy as np
import pytest

from tests.backend.native.test_lockstep import E, M, lanes_in
from tests.kernels import agree, stays


def chosen(e, m):
    total = 0.0
    for i in range(len(m)):
        x, up = m[i], False
        for k in range(6):
            big = x > 1.2
            step = 0.3 * math.sin(x) if big else -0.1 * x * k
            up = up or not big
            if up and k > 2:
                step = min(step, 0.05) + max(e[i], 0.1 * k)
            x = x - step
        total += x
    return total


def powers(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        k = 0
        while k < 5:
            x = x ** (0.5 + e[i]) * 1.1 + x**2 * 0.01 - x**-1.5 * 0.02 + math.pow(x, 0.3) * 0.1
            x = x + math.atan2(x, e[i]) * 0.1 - math.hypot(x, e[i]) * 0.05 + abs(-x) ** 3 * 0.001
            k += 1
        total += x
    return total


def by_numpy(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for _ in range(4):
            x = np.log1p(x) + np.sqrt(x) * np.tanh(e[i]) + np.maximum(x, 0.5) - np.minimum(e[i], x) * np.square(x) * 0.1
        total += x
    return total


def without_a_value(e, m):
    """What is kept of one way is not there on the other."""
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for _ in range(7):
            if x > 1.0:
                t = math.exp(-x)
                x = x - t * t * e[i]
            elif x > 0.8:
                x = x * (0.9 + 0.01 * x)
            else:
                t = math.cos(x)
                x = x + t * t
        total += x
    return total


@pytest.mark.parametrize("f", [chosen, powers, by_numpy, without_a_value], ids=lambda f: f.__name__)
def test_what_a_lane_computes(f):
    assert lanes_in(f, E, M) == 1
    stays(f, E, M)


def squared(x):
    total = 0.0
    for i in range(len(x)):
        y = float(x[i])
        while y < 1e300:
            y = math.exp(0.1 * y) + y**2
        total += y * 1e-300
    return total


def test_numbers_that_are_too_large_raise():
    assert lanes_in(squared, M) == 1
    assert agree(squared, M) is OverflowError


def test_what_is_not_finite_in_numpy_raises_nothing():
    def grown(x):
        total = 0.0
        for i in range(len(x)):
            y = x[i]
            for _ in range(9):
                y = np.exp(y)
            total += y
        return total

    assert lanes_in(grown, M) == 1
    stays(grown, M)
