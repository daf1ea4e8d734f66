"""Integrals: third derivatives, what is refused, and how many numbers a derivative integrates."""

import numpy as np
import pytest

import adcompile as ad

integrate = pytest.importorskip("scipy.integrate")
X = np.array([1.2, 0.7])
TABLE = np.array([0.3, 0.4])


def gaussian(x):
    return integrate.quad(lambda s: np.exp(-x[1] * s**2), 0.0, x[0], epsabs=1e-13, epsrel=1e-13)[0]


def test_third_derivatives():
    def by_hessian(x):
        return np.sum(ad.hessian(gaussian)(x) * np.array([[1.0, 2.0], [3.0, 4.0]]))

    differences = [(by_hessian(X + h) - by_hessian(X - h)) / 2e-5 for h in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(ad.grad(by_hessian)(X), differences, rtol=1e-6)


def test_what_is_not_asked_for_is_not_integrated():
    data = np.linspace(0.0, 1.0, 1000)

    def f(x):
        return integrate.quad(lambda s: np.mean(data) * np.exp(-x * s), 0.0, 1.0)[0]

    text = ad.source(ad.grad(f), 0.7)
    assert "zeros_like" not in text and "rt.integral(" in text


def test_constants_are_integrated():
    def f(x):
        return integrate.quad(lambda s: 2.0, 0.0, x[0])[0] + integrate.quad(lambda s: 3, x[1], 1.0)[0]

    np.testing.assert_allclose(ad.grad(f)(X), [2.0, -3.0])


def by_module(x):
    return integrate.quad(lambda s: np.exp(-x[0] * s) * TABLE[0], 0.0, 1.0)[0]


def weighted(x):
    return integrate.quad(lambda s: np.exp(-x[0] * s), 0.0, 1.0, weight="cos", wvar=2.0)[0]


def estimate(x):
    return integrate.quad(lambda s: np.exp(-x[0] * s), 0.0, 1.0)[1]


def not_a_number(x):
    return integrate.quad(lambda s: np.array([x[0] * s]), 0.0, 1.0)[0]


def broken_at_a_moving_point(x):
    return integrate.quad(lambda s: 1.0 * (s > x[1]), 0.0, 1.0, points=[x[1]])[0]


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (by_module, "reads an array or an object of a module"),
        (weighted, "weighted or complex integral"),
        (estimate, "what a solver tells beside"),
        (broken_at_a_moving_point, "points where its integrand breaks"),
        (not_a_number, "does not give a real number"),
    ],
)
def test_refused_in_both_modes(f, text):
    for derivative in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (X,))):
        with pytest.raises(ad.AdcompileError, match=text):
            derivative()
