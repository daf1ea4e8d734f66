"""What loops go through, as loops over blocks have it."""

import math

import numpy as np
import pytest

from adcompile.backend.native.strips import WIDTH
from tests.backend.native.test_strips import strips_in
from tests.kernels import agree, stays

X = np.linspace(0.2, 1.5, 3 * WIDTH + 5)


def over_an_array(x):
    total = 0.0
    for v in x:
        total += math.exp(-v) * v
    return total


def by_number(x):
    total = 0.0
    for i in range(len(x)):
        total += math.exp(-x[i]) * i
    return total


def by_threes(x):
    total = 0.0
    for i in range(2, len(x), 3):
        total += math.exp(-x[i]) * i
    return total


def from_its_end(x):
    total = 0.0
    for i in range(len(x) - 1, 0, -2):
        total += math.exp(-x[i]) * i
    return total


@pytest.mark.parametrize("f", [over_an_array, by_number, by_threes, from_its_end])
def test_numbers_of_iterations(f):
    assert strips_in(f, X) > 0
    for many in (0, 1, 2, 3, WIDTH, WIDTH + 1, len(X)):
        agree(f, X[:many])
    stays(f, X)


def a_few(x):
    total = 0.0
    for i in range(5):
        total += math.exp(-x[i]) * i
    return total


def by_any(x, n):
    total = 0.0
    for i in range(0, len(x), n):
        total += math.exp(-x[i]) * i
    return total


def test_loops_that_are_short_or_go_by_unknown_steps_stay_as_they_are():
    assert strips_in(a_few, X) == strips_in(by_any, X, 2) == 0
