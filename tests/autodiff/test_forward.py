"""Forward mode: tangents beside the values, control flow as it is."""

import math

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits


def branches(x, y):
    if x > y:
        z = math.sin(x) * y
    else:
        z = x
    while z < 1.5:
        z = z * 1.3 + 0.1
    return z, [x, {"a": z * z}]


def arrays(a):
    parts = [a[i] * i for i in range(3)]
    parts.append(a.sum())
    return np.stack(parts[::-1]) * parts[-1], tuple(parts)[1]


@pytest.mark.parametrize(("x", "y"), [(0.7, 0.2), (0.2, 0.7)])
def test_branches_and_loops(x, y):
    ad.check_grads(branches, (x, y), order=2, modes=("fwd",))


def test_lists_of_arrays():
    ad.check_grads(arrays, (np.array([0.5, 1.5, -2.0]),), order=2, modes=("fwd",))


def test_the_value_keeps_its_bits():
    value, _ = ad.jvp(branches, (0.7, 0.2), (1.0, None))
    assert bits(value) == bits(branches(0.7, 0.2))


def test_tangents_are_linear():
    _, once = ad.jvp(branches, (0.7, 0.2), (1.0, 0.5))
    _, twice = ad.jvp(branches, (0.7, 0.2), (2.0, 1.0))
    assert twice[0] == 2.0 * once[0]
    assert twice[1][1]["a"] == 2.0 * once[1][1]["a"]


def test_an_absent_tangent_counts_as_zero():
    _, absent = ad.jvp(branches, (0.7, 0.2), (1.0, None))
    _, zero = ad.jvp(branches, (0.7, 0.2), (1.0, 0.0))
    assert absent == zero


@pytest.mark.parametrize("start", [1, True, np.int64(2), np.arange(3), np.array([True, False, True]), None, 0.5])
def test_whole_numbers_that_may_be_none_have_zero_tangents(start):
    def f(x, given):
        r = start if given else None
        for _ in range(2):
            r = x if r is None else r * x
        return np.sum(r)

    x = np.array([0.7, -1.2, 0.3])
    for given in (True, False):
        first = 1.0 if not given or start is None else start
        value, tangent = ad.jvp(f, (x, given), (np.ones(3), None))
        assert np.allclose(value, np.sum(first * x**2)) and np.allclose(tangent, np.sum(2.0 * first * x))
        assert np.allclose(ad.hessian(f)(x, given), np.diag(np.broadcast_to(2.0 * first, 3)))
