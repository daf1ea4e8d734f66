"""Special functions, against `math` and SciPy."""

import math

import numpy as np
import pytest

from adcompile.runtime import special
from adcompile.runtime.special import bessel_i, digamma, exponent, exponents, polygamma

scipy_special = pytest.importorskip("scipy.special")
POINTS = [1e-3, 0.3, 1.0, 2.5, 11.9, 12.1, 150.0, -0.5, -3.3]


@pytest.mark.parametrize("x", POINTS)
def test_digamma(x):
    assert digamma(x) == pytest.approx(scipy_special.digamma(x), rel=1e-12)


@pytest.mark.parametrize("x", [0.3, 2.5, 20.0])
def test_digamma_is_the_slope_of_lgamma(x):
    h = 1e-5
    assert digamma(x) == pytest.approx((math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h), rel=1e-7)


@pytest.mark.parametrize("x", [0, -1, -7])
def test_poles(x):
    assert math.isnan(digamma(x))
    assert math.isnan(polygamma(1, x))


def test_far_down():
    assert math.isnan(digamma(-math.inf)) and digamma(math.inf) == math.inf


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("x", [0.3, 1.0, 7.7, 40.0])
def test_polygamma(n, x):
    assert polygamma(n, x) == pytest.approx(float(scipy_special.polygamma(n, x)), rel=1e-11)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_bessel(n):
    x = np.array([0.0, 0.3, 2.0, 15.0, -4.0])
    assert np.allclose(bessel_i(n, x), scipy_special.iv(n, x), rtol=1e-12, atol=1e-15)


def test_exponents():
    x = np.array([0.3, 1.0, 1e10, -5.0, 0.0])
    assert np.array_equal(exponents(x), np.frexp(x)[1])
    assert [exponent(v) for v in x] == [math.frexp(v)[1] for v in x]


@pytest.mark.parametrize("a, b", [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, 0), (1j, 0.0), (3.0, 2.0)])
def test_quotients_are_those_of_numpy(a, b):
    with np.errstate(all="ignore"):
        expected = np.true_divide(a, b).item()
    got = special.quotient(a, b)
    assert type(got) is type(expected) and np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("a, b", [(0.0, -0.5), (0.0, -2), (10.0, 400), (2.0, 3.0)])
def test_powers_are_those_of_numpy(a, b):
    with np.errstate(all="ignore"):
        assert special.power(a, b) == np.float_power(a, b)


@pytest.mark.parametrize("fn", [digamma, lambda x: polygamma(1, x)])
def test_an_array_without_axes_is_left_alone(fn):
    x = np.array(1.5)
    assert fn(x) == pytest.approx(fn(1.5))
    assert x == 1.5
