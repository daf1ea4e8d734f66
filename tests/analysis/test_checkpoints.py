"""Marks are ranges and calls to everybody who does not ask for them."""

import numpy as np
import pytest

import adcompile as ad


def test_a_range_where_nothing_is_reversed():
    def f(x, n):
        for i in ad.checkpointed_range(1, n, 2, snaps=2):
            x = x * i
        return x

    assert ad.jvp(f, (2.0, 6), (1.0, None)) == (30.0, 15.0)
    assert ad.grad(ad.grad(f))(2.0, 6) == 0.0
    assert ad.jacobian(f)(np.ones(2), 6).tolist() == [[15.0, 0.0], [0.0, 15.0]]


def test_made_inside_a_function():
    def f(x, fun):
        return ad.checkpoint(fun)(x) * ad.checkpoint(lambda y: y * y, policy=ad.save_all)(x)

    assert ad.grad(f)(3.0, np.sin) == pytest.approx(np.cos(3.0) * 9.0 + np.sin(3.0) * 6.0)


def test_other_arguments():
    with pytest.raises(ad.Unsupported, match="a policy of checkpoint"):
        ad.grad(lambda x, p: ad.checkpoint(np.sin, p)(x))(1.0, 2.0)
    with pytest.raises(ad.AdcompileError):
        ad.grad(lambda x: ad.checkpoint(np.sin, ad.save_all, 3)(x))(1.0)
