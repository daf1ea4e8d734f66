"""Which elementary functions of loops are computed for many iterations at once."""

import math

import numpy as np
import pytest

from tests.backend.native.test_strips import APART, W, X, strips_in
from tests.kernels import agree, stays
from tests.programs import functions_in_loops


@pytest.mark.parametrize("name", APART)
def test_functions_of_what_the_loop_does_are_not(name):
    f = getattr(functions_in_loops, name)
    assert strips_in(f, X, W) == 0
    agree(f, X, W)


def test_a_division_that_is_not_done():
    w = W.copy()
    w[::3] = 0.5
    stays(functions_in_loops.functions_on_some_ways, X, w)


def below_single_precision(x, w):
    total = np.float32(0.0)
    for i in range(len(x)):
        total += np.exp(-x[i]) * w[i]
    return total


def test_single_precision_is_left_alone():
    x, w = X.astype(np.float32), W.astype(np.float32)
    assert strips_in(below_single_precision, x, w) == 0
    agree(below_single_precision, x, w)


def short_ranges(x, w):
    total = 0.0
    for i in range(4):
        total += math.exp(-x[i]) * w[i]
    return total


def carried_through(x, w):
    """Each is computed of the one before; so is its derivative, of what was kept."""
    y = x[0]
    for i in range(len(x)):
        y = 0.3 * math.exp(0.2 * y) + w[i]
    return y


def added_to_all(x, w):
    """What `x` and `w` are may be one array."""
    for i in range(len(x)):
        w[i] = w[i] + math.exp(-x[len(x) - 1 - i])
    return np.sum(w)


def plain_elements(x, w):
    return np.sum(np.exp(-x) * w)


@pytest.mark.parametrize("f", [short_ranges, carried_through, added_to_all, plain_elements])
def test_loops_that_stay(f):
    assert strips_in(f, X, W) == 0
    agree(f, X, W)


def between_pairs(x, w):
    """What is divided by is tested first: of an element and itself nothing is computed."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            r = abs(float(x[i]) - float(x[j]))
            if r > 0.0:
                total += math.exp(-1.0 / r) * w[j]
    return total


def but_where_nothing_is_left(x, w):
    total = 0.0
    for i in range(len(x)):
        k = i - 3
        if k != 0:
            total += math.exp(1.0 / k) * x[i]
        d = float(w[i]) - float(w[5])
        if d == 0.0:
            continue
        total = total * 0.9 + math.exp(-abs(1.0 / d)) * x[i]
    return total


def of_small_squares(x, w):
    total, k = 0.0, [4_000_000_000 * (i % 2) + i for i in range(len(x))]
    for i in range(len(x)):
        if k[i] < 1000:
            total = total * 0.9 + math.exp(-0.001 * (k[i] * k[i])) * x[i] * w[i]
    return total


@pytest.mark.parametrize("f", [between_pairs, but_where_nothing_is_left, of_small_squares])
def test_what_the_loop_does_not_do_leaves_no_kernel(f):
    stays(f, X, W)
