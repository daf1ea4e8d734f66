"""Products of which the shape alone is read are not computed."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.testing import check_grads


def summed(x, w):
    return np.sum(np.tanh(x @ w) @ w)


def dotted(x, w):
    return np.sum(np.dot(x, w)) + np.mean(x.dot(w))


def read_elsewhere(x, w):
    y = x @ w
    return np.sum(y) * y[0, 0]


def of_vectors(x, w):
    return np.sum(x @ w[0]) + np.sum(x[0] @ w)


def of_no_elements(x, w):
    return np.sum(x[:0] @ w) + np.sum(x)


def read_in_the_next_turn(x, w):
    for _ in range(3):
        x = x @ w
    return np.sum(x)


def read_by_nobody(x, w):
    y = x @ w
    y @ w
    return np.sum(x)


X, W = np.linspace(-1.0, 1.0, 6).reshape(2, 3), np.linspace(0.3, 1.1, 9).reshape(3, 3)
PROGRAMS = [(summed, 1), (dotted, 2), (read_elsewhere, 0), (of_vectors, 0), (of_no_elements, 1)]
PROGRAMS += [(read_in_the_next_turn, 0), (read_by_nobody, 2)]


@pytest.mark.parametrize("f, count", PROGRAMS)
def test_products_of_which_nobody_reads_the_elements(f, count):
    gradient = ad.grad(f, (0, 1))
    assert ad.source(gradient, X, W).count("product_outline") == count
    check_grads(f, (X, W))


def test_lengths_that_do_not_fit_raise_what_the_product_raises():
    for f in (summed, dotted):
        with pytest.raises(ValueError) as expected:
            f(X, X)
        with pytest.raises(ValueError) as caught:
            ad.grad(f)(X, X)
        assert str(caught.value) == str(expected.value)


def test_a_gradient_once_more():
    def g(x, w):
        return np.sum(ad.grad(summed)(x, w) ** 2)

    check_grads(g, (X, W))


def test_arrays_of_another_dtype():
    x, w = X.astype(np.float32), W.astype(complex)
    for args in ((x, W), (x, W.astype(np.float32))):
        assert [g.dtype for g in ad.grad(dotted, (0, 1))(*args)] == [a.dtype for a in args]
    assert ad.vjp(lambda x, w: np.sum(x @ w), X, w)[1](1.0)[1].dtype == complex
