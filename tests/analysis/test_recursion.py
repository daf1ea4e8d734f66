"""Recursive functions are called by reference, once for each tuple of argument types."""

import numpy as np

import adcompile as ad
from adcompile.testing import check_grads


def power(x, n):
    return x if n == 0 else x * power(x * 1.0, n - 1)


def test_a_type_for_each_call():
    def f(x, n):
        return np.sum(power(np.array([x, 2.0 * x]), n)) + power(x, n)

    check_grads(f, (0.7, 2))
    source = ad.source(ad.grad(f), 0.7, 2)
    assert source.count("def power") >= 2
