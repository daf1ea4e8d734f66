"""Integrals of numbers and of arrays, between limits of every kind."""

import numpy as np
import pytest

from adcompile.runtime.integrals import integral

pytest.importorskip("scipy.integrate")
SETTINGS = (1e-12, 1e-12, None)


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (1.0, 0.0), (-np.inf, 0.5), (0.5, np.inf), (np.inf, 0.0)])
def test_arrays_are_integrated_as_numbers_are(lower, upper):
    def number(s, a):
        return np.exp(-a * s * s)

    found = integral(lambda s, a: np.array([number(s, a), 2 * number(s, a)]), lower, upper, SETTINGS, 0.7)
    one = integral(number, lower, upper, SETTINGS, 0.7)
    assert type(one) is float
    np.testing.assert_allclose(found, [one, 2 * one], rtol=1e-9)


def test_nothing_between_equal_limits():
    assert integral(lambda s: s, 1.0, 1.0, SETTINGS) == 0.0
    np.testing.assert_array_equal(integral(lambda s: np.array([s, s]), 1.0, 1.0, SETTINGS), np.zeros(2))


def test_places_where_the_integrand_breaks():
    settings = (1e-12, 1e-12, [0.3])
    assert integral(lambda s: abs(s - 0.3), 0.0, 1.0, settings) == pytest.approx(0.29, abs=1e-12)
    np.testing.assert_allclose(integral(lambda s: np.array([abs(s - 0.3)]), 0.0, 1.0, settings), [0.29], atol=1e-12)
