"""Sums move inwards through products of adjoints, and change nothing but the time."""

import numpy as np
import pytest

import adcompile as ad
from tests.checks import passes

X, W, B = np.random.default_rng(0).normal(size=(3, 5, 5))
ROW = B[:1]


def layer(x, w, b):
    return np.sum(np.sin((x + b) @ w))


def two(x, w, b):
    return np.sum(np.tanh((x + b) @ w + (x * b) @ w.T))


def scaled(x, w, b):
    return np.sum((x + b) * w[:, :1] * np.sin(x))


@pytest.mark.parametrize("f", [layer, two, scaled])
def test_gradients_stay(f):
    optimised = ad.grad(f, (0, 1, 2))(X, W, ROW)
    with passes(()):
        plain = ad.grad(f, (0, 1, 2))(X, W, ROW)
    for a, b in zip(optimised, plain):
        assert np.allclose(a, b, rtol=1e-12)
    ad.check_grads(f, (X, W, ROW), order=1)


def test_the_product_is_of_sums():
    """The gradient for the row sums before it multiplies: a row by a matrix, not a matrix by a matrix."""
    source = ad.source(ad.grad(layer, 2), X, W, ROW)
    product = next(line for line in source.splitlines() if "@ w.T" in line)
    assert product.index("np.sum") < product.index("@ w.T")
    assert "keepdims=True) @ w.T" in product
