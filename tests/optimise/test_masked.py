"""Zeros of what was left out stay zeros where a partial is infinite, and are not looked for elsewhere."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt


def first_of_quotients(x, y):
    return np.sum((x / y)[:2] ** 2)


X, Y = np.array([0.3, 1.2, 0.7]), np.array([1.5, -0.7, 2.0])


def test_choices_are_made_late():
    text = ad.source(ad.grad(first_of_quotients, argnums=(0, 1)), X, Y)
    assert "rt.masked(" in text and "np.where" not in text
    ad.check_grads(first_of_quotients, (X, Y))


@pytest.mark.parametrize("last", [np.inf, 0.0, np.nan])
def test_what_was_left_out_has_no_derivative(last):
    y = np.array([1.5, -0.7, last])
    with np.errstate(all="ignore"):
        x_bar, y_bar = ad.grad(first_of_quotients, argnums=(0, 1))(X, y)
    assert x_bar[2] == 0.0 and y_bar[2] == 0.0
    assert np.all(np.isfinite(x_bar)) and np.all(np.isfinite(y_bar))


def test_product_becomes_the_result_where_it_is_finite():
    g = np.array([0.0, 2.0])
    product = np.array([0.0, 3.0])
    assert rt.masked(product, g) is product
    for bad in (np.inf, np.nan):
        assert np.array_equal(rt.masked(np.array([bad, 3.0]), g), [0.0, 3.0])
    assert np.array_equal(rt.masked(np.array([0.0, np.inf]), g), [0.0, np.inf])
    assert np.array_equal(rt.masked(np.array([np.nan + 1j, 3.0j]), g), [0.0, 3.0j])


def test_a_product_that_overflows_when_squared_stays():
    product = np.array([1e300, 1.0])
    assert np.array_equal(rt.masked(product, np.ones(2)), product)


def test_shapes_that_differ_broadcast():
    assert np.array_equal(rt.masked(np.ones((2, 2)), np.array([0.0, 1.0])), [[0.0, 1.0], [0.0, 1.0]])


def test_second_derivatives_pass_through():
    expected = np.diag([2.0 / 1.5**2, 2.0 / 0.7**2, 0.0])
    assert np.allclose(ad.hessian(first_of_quotients)(X, Y), expected)
    assert np.allclose(ad.jacrev(ad.grad(first_of_quotients))(X, Y), expected)


def test_what_is_written_after_the_test_is_seen():
    """A cotangent into which an adjoint adds later: the test is of what it was."""

    def rows(x):
        y = np.sqrt(x)
        return np.sum(y[0] * y[1]) + np.sum(y[:1] ** 3) + y[1, 0]

    ad.check_grads(rows, (np.array([[0.3, 1.2], [0.7, 2.0], [1.0, 3.0]]),))
