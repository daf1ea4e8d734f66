"""Transforms inside differentiated functions."""

import math

import numpy as np
import pytest

import adcompile as ad


def f(x):
    return math.sin(x) * x * x


def central(g, x, h=1e-5):
    return (g(x + h) - g(x - h)) / (2 * h)


slope = ad.grad(f)


def by_module_name(x):
    return slope(x) * x


def made_inside(x):
    return ad.grad(lambda t: f(t) * x)(x)


def value_too(x):
    value, gradient = ad.value_and_grad(f)(x * x)
    return value * gradient


def by_jvp(x):
    value, tangent = ad.jvp(f, (x,), (x * 2.0,))
    return value + tangent


def by_vjp(x):
    value, pullback = ad.vjp(f, x)
    return value * pullback(x)[0]


@pytest.mark.parametrize("g", [by_module_name, made_inside, value_too, by_jvp, by_vjp])
@pytest.mark.parametrize("x", [0.4, -1.3])
def test_derivatives_of_derivatives(g, x):
    expected = central(g, x)
    assert ad.grad(g)(x) == pytest.approx(expected, rel=1e-7)
    assert ad.jvp(g, (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-7)


def test_no_confusion_of_perturbations():
    """The inner derivative holds the outer variable constant."""

    def g(x):
        return x * ad.grad(lambda y: x + y)(1.0)

    assert ad.grad(g)(3.0) == central(g, 3.0) or ad.grad(g)(3.0) == pytest.approx(central(g, 3.0))


def test_third_order():
    third = ad.grad(ad.grad(ad.grad(f)))(0.4)
    assert third == pytest.approx(central(ad.grad(ad.grad(f)), 0.4), rel=1e-6)


def test_hessian_of_arrays():
    def h(a):
        return np.sum(np.sin(a) * a[::-1])

    a = np.array([0.3, -0.4, 1.2])
    hessian = ad.hessian(h)(a)
    assert np.allclose(hessian, hessian.T)
    v = np.array([1.0, -2.0, 0.5])
    difference = (ad.grad(h)(a + 1e-6 * v) - ad.grad(h)(a - 1e-6 * v)) / 2e-6
    assert np.allclose(hessian @ v, difference, rtol=1e-6)
