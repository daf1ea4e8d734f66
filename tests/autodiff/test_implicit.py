"""Rules by residuals: what is remembered of the way there, and what is refused."""

import functools

import numpy as np
import pytest

import adcompile as ad
from adcompile.rules.kinds import implicit
from adcompile.testing import check_grads

optimize = pytest.importorskip("scipy.optimize")
X = np.array([1.2, 0.7])
SHIFT = np.array([0.1])


def halley(a):
    x = 1.0
    while abs(x * x * x - a) > 1e-15 * abs(a):
        x = x * (x**3 + 2 * a) / (2 * x**3 + a)
    return x


@implicit(halley)
def _halley(y, a):
    return y**3 - a


def test_a_rule_of_a_users_iteration():
    f = lambda a: halley(a) ** 2
    check_grads(f, (0.7,))
    third = ad.grad(ad.grad(ad.grad(f)))(0.7)
    assert third == pytest.approx(2 / 3 * (-1 / 3) * (-4 / 3) * 0.7 ** (-7 / 3), rel=1e-10)


def shifted(x):
    return optimize.brentq(lambda t: np.cos(t) - x[0] * t - SHIFT[0], 0.0, 2.0, xtol=1e-14) * x[1]


def test_a_pullback_remembers_what_was_read_of_a_module():
    expected = ad.grad(shifted)(X)
    _, pull = ad.vjp(shifted, X)
    SHIFT[0] = 0.9
    try:
        np.testing.assert_allclose(pull(1.0)[0], expected, rtol=1e-12)
    finally:
        SHIFT[0] = 0.1


def complex_start(x):
    return optimize.newton(lambda z: z * z + x[0], 1j).imag


def of_hessian(x):
    return optimize.minimize(lambda u: np.sum((u - x) ** 2), np.zeros(2)).hess_inv[0, 0] * x[0]


def at_a_bound(x):
    return optimize.minimize_scalar(lambda u: (u - x[0]) ** 2, bounds=(0.0, 1.0)).x


def noted(x):
    seen = []

    def f(t):
        seen.append(t)
        return t * t - x[0]

    return optimize.brentq(f, 0.0, 3.0)


def by_another(x):
    return optimize.fmin_bfgs(lambda u: np.sum((u - x) ** 2), np.zeros(2))[0]


def partly_applied(x):
    p = functools.partial(lambda t, c, d: t**c - d, c=2, d=x[0])
    return optimize.brentq(lambda t: p(t) * t, 0.1, 2.0)


def out_of_a_list(x):
    fs = [(lambda c: lambda t: t**2 - c)(c) for c in x]
    return optimize.brentq(fs[1], 0.0, 3.0)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (complex_start, "equation that is complex"),
        (of_hessian, "what a solver tells beside its solution"),
        (at_a_bound, "minimum between bounds that lies at one of them"),
        (noted, "a function that a solver of SciPy is given"),
        (partly_applied, "partial"),
        (out_of_a_list, "a function of a list or dict that is read at a position known only"),
        (by_another, "no derivative rule for scipy.optimize.fmin_bfgs"),
    ],
)
def test_refused_in_both_modes(f, text):
    for derivative in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (X,))):
        with pytest.raises(ad.AdcompileError) as caught:
            derivative()
        assert text in str(caught.value)


def test_what_carries_no_derivative_is_as_before():
    def f(x):
        told = optimize.minimize(lambda u: np.sum((u - 1.0) ** 2), np.zeros(2))
        r, more = optimize.brentq(np.cos, 0.0, 3.0, full_output=True)
        return x[0] * told.x[0] * told.hess_inv[0, 0] * told.nit * r * more.iterations

    told = optimize.minimize(lambda u: np.sum((u - 1.0) ** 2), np.zeros(2))
    r, more = optimize.brentq(np.cos, 0.0, 3.0, full_output=True)
    expected = told.x[0] * told.hess_inv[0, 0] * told.nit * r * more.iterations
    np.testing.assert_allclose(ad.grad(f)(X), [expected, 0.0], rtol=1e-12)
