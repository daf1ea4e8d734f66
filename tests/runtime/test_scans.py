"""Recurrences and quantile positions, against NumPy."""

import numpy as np
import pytest

from adcompile.runtime.scans import quantile_position, quantile_slope, recurrence

RNG = np.random.default_rng(0)
METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "inverted_cdf"]


def test_recurrence_solves_the_triangular_system():
    a, g = RNG.normal(size=5), RNG.normal(size=5)
    assert np.allclose((np.eye(5) - np.diag(a[1:], -1)) @ recurrence(g, a), g)


def test_recurrence_of_ones_is_a_sum():
    g = RNG.normal(size=(4, 2))
    assert np.allclose(recurrence(g, np.ones((4, 2))), np.cumsum(g, axis=0))
    assert recurrence(np.zeros(0), np.zeros(0)).shape == (0,)


def test_recurrence_leaves_its_arguments():
    g = np.ones(3)
    recurrence(g, g)
    assert g.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0.0, 0.3, 0.55, 1.0])
def test_positions_are_where_quantiles_lie(q, method):
    counts = np.array([1, 4, 7])
    positions = quantile_position(q, counts, method)
    assert positions.shape == counts.shape
    for n, at in zip(counts, positions):
        values = np.sort(RNG.normal(size=n))
        expected = np.quantile(values, q, method=method)
        assert np.interp(at, np.arange(n), values) == pytest.approx(expected)


@pytest.mark.parametrize("method", METHODS)
def test_slopes(method):
    counts, q, h = np.array([4, 7]), np.array([0.31, 0.57]), 1e-6
    difference = (quantile_position(q + h, counts, method) - quantile_position(q - h, counts, method)) / (2 * h)
    assert np.allclose(quantile_slope(q, counts, method), difference, atol=1e-6)
