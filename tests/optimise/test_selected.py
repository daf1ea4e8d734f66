"""Second derivatives where a cotangent is zero though nothing was left out: at residuals of zero."""

import math

import numpy as np
import pytest

import adcompile as ad


def chosen(x):
    return np.sum(np.where(x > 0.5, np.log(x), 0.0) ** 2)


def roots(x):
    return np.sum(np.where(x > 0.5, np.sqrt(x) - 1.0, 0.0) ** 2)


def reciprocals(x):
    return np.sum(np.select([x > 0.5], [1.0 / x - 1.0], 0.0) ** 2)


def powers(x):
    return np.sum(np.where(x > 0.5, x**0.5 - 1.0, 0.0) ** 2)


def masked(x):
    return np.sum((np.log(x) * (x > 0.5))[:-1] ** 2) + np.sum(np.log(x)[x > 0.5] ** 2)


def by_parts(x):
    return np.sum(np.diff(np.log(x + 1.0) - np.log(2.0)) ** 2) + np.sum(np.log(x + 1e-9)[1:] ** 2)


def holes(x):
    return np.nansum(np.log(x)) ** 2 + np.sum(np.log(x), where=x > 0.5) ** 2


FUNCTIONS = (chosen, roots, reciprocals, powers, masked, by_parts, holes)
POINTS = [np.array([1.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0, 0.25]), np.array([0.0, 1.0])]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of what is left out
@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("x", POINTS, ids=str)
def test_where_a_cotangent_is_zero(f, x):
    if f in (by_parts, holes, masked) and 0.0 in x:
        return  # infinite
    gradient, n, h = ad.grad(f), len(x), 1e-5
    expected = [(gradient(x + h * e) - gradient(x - h * e)) / (2 * h) for e in np.eye(n)]
    forward = [ad.jvp(gradient, (x,), (e,))[1] for e in np.eye(n)]
    backward = [ad.vjp(gradient, x)[1](e)[0] for e in np.eye(n)]
    assert np.allclose(forward, expected, rtol=1e-5, atol=1e-6)
    assert np.allclose(backward, expected, rtol=1e-5, atol=1e-6)
    assert np.allclose(ad.hessian(f)(x), expected, rtol=1e-5, atol=1e-6)


def logarithms(x):
    return np.log(x)[1:]


def test_a_zero_cotangent_has_a_derivative():
    """The map from cotangents to cotangents is linear, at zero too."""
    x, v = np.array([0.5, 1.0, 2.0]), np.array([1.0, -3.0])
    pulled = ad.jvp(lambda u: ad.vjp(logarithms, x)[1](u)[0], (np.zeros(2),), (v,))[1]
    assert np.allclose(pulled, [0.0, 1.0, -1.5])


def on_one_path(x):
    y, z, w = math.log(x), math.sqrt(x) - 1.0, 1.0 / x - 1.0
    if x > 0.5:
        return y**2
    return z**2 + w**2


def in_part(x):
    return np.sum(np.array([np.log(x), np.sqrt(x) - 1.0, 0.0])[:2] ** 2)


@pytest.mark.parametrize("f", [on_one_path, in_part])
@pytest.mark.parametrize("x", [1.0, np.float64(1.0), 0.25, 2.0])
def test_numbers(f, x):
    h = 1e-5
    expected = (ad.grad(f)(x + h) - ad.grad(f)(x - h)) / (2 * h)
    assert ad.jvp(ad.grad(f), (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-5)
    assert ad.grad(ad.grad(f))(x) == pytest.approx(expected, rel=1e-5)


def infinite_beside(x):
    y = np.sqrt(x)
    return np.sum((np.sqrt(y) * y)[1:]) + np.sum(np.where(x > 0.5, y**3, x**3))


def test_third_derivatives_where_something_was_left_out():
    x = np.array([0.0, 1.0])
    with np.errstate(all="ignore"):
        found = [
            outer(inner(ad.grad(infinite_beside)))(x)
            for outer in (ad.jacrev, ad.jacfwd)
            for inner in (ad.jacrev, ad.jacfwd)
        ]
        h, hessian = 1e-4, ad.hessian(infinite_beside)
        slope = (hessian(np.array([0.0, 1.0 + h])) - hessian(np.array([0.0, 1.0 - h]))) / (2 * h)
    for third in found:
        assert third[0, 0, 0] == pytest.approx(6.0)
        assert third[1, 1, 1] == pytest.approx(slope[1, 1], rel=1e-6)
        assert np.count_nonzero(third) == 2
