"""Several quotients by one number become products by its inverse, where only derivatives show it."""

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, text_of

X = np.array([0.3, -1.2, 2.1, 0.0, -0.4])
Y = np.array([1.3, 0.2, -0.7, 0.5, 3.0])


def chained(x, y):
    u = x * y / (1.0 + x * x)
    v = u / (2.0 + y * y + np.exp(x)) - y
    return np.sum(u * v)


def twice_by_a_sum(x, y):
    d = np.abs(x) + (0.5 + np.square(y))
    return np.sum(x / d * (y / d))


def in_a_loop(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        d = 3.0 + x[i] * x[i]
        s += x[i] / d * (y[i] / d)
    return s


@pytest.mark.parametrize("f, divisions", [(chained, 2), (twice_by_a_sum, 1), (in_a_loop, 1)])
def test_gradients_divide_once(f, divisions):
    text = text_of(f, X, Y)
    assert text.count(" / ") == divisions and "inverse" in text
    agree(f, X, Y, value=False)
    ad.check_grads(f, (X, Y), order=1)


def seen_beside(x, y):
    d = 1.0 + x * x
    return np.sum(np.sqrt(y * y / d) + x / d * (y / d))


def test_those_that_nobody_sees_are_products_beside_others():
    text = text_of(seen_beside, X, Y)
    assert text.count(" * inverse") == 5 and text.count(" / ") == 3
    agree(seen_beside, np.array([0.3, -1.2, 2.1, 0.7, -0.4]), Y, value=False)


def by_what_may_be_small(x, y):
    d = x * x
    return np.sum(x / d + y / d)


def by_a_difference(x, y):
    d = 1.0 - x * x
    return np.sum(x / d + y / d)


def compared(x, y):
    d = 1.0 + x * x
    q = x / d
    return np.sum(np.where(q > 0.2, q * y, y / d))


def at_the_end_of_a_root(x, y):
    d = 1.0 + x * x
    q = y * y / d
    return np.sum(np.sqrt(q) + x / d)


def in_what_is_divided_by(x, y):
    d = 1.0 + x * x
    return np.sum(y / (x / d - 0.25) + y / d)


def of_integers_beside(x, y):
    d = 1.0 + x * x
    return np.sum(np.floor(3.0 * x / d) * y / d)


KEPT = {
    by_what_may_be_small: None, by_a_difference: None, compared: 2, at_the_end_of_a_root: 3, in_what_is_divided_by: 5,
    of_integers_beside: 2,
}  # fmt: skip
"""How many divisions there are, the inverse among them, or None where all stay."""


@pytest.mark.parametrize("f", KEPT)
def test_others_stay(f):
    """Those that could be infinite or inexact, and those whose last bit may decide on something."""
    x = np.array([0.3, -1.2, 2.1, 0.7, -0.4])
    text = text_of(f, x, Y)
    assert ("inverse" not in text) if KEPT[f] is None else text.count(" / ") == KEPT[f], text
    agree(f, x, Y, value=False)


def test_the_value_keeps_its_bits():
    pytest.importorskip("numba")
    assert "inverse" not in text_of(chained, X, Y, value=True)
    value, grads = ad.value_and_grad(in_a_loop, (0, 1), backend="numba")(X, Y)
    assert value == in_a_loop(X, Y)
    wanted = ad.grad(in_a_loop, (0, 1), backend="numpy")(X, Y)
    np.testing.assert_allclose(grads, wanted, rtol=1e-14, atol=1e-15)


def test_what_is_divided_by_may_be_infinite_or_no_number():
    x, y = np.array([1e200, np.nan, 0.0, -1e308, 1e-320]), np.array([1.0, 2.0, np.inf, 1e300, -1e-310])
    agree(chained, x, y, value=False)
