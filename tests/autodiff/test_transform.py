"""Whole functions: which arguments, auxiliary results, results that are no numbers."""

import numpy as np
import pytest

import adcompile as ad


def f(x, a, n):
    return x * np.sum(a * a) * n


def with_aux(x):
    return x * x, {"x": x, "name": "aux"}


def constant(x):
    return 3.0


def identity(x):
    return x


ARGS = (0.5, np.array([1.0, 2.0]), 3)


def test_argnums():
    both = ad.grad(f, (0, 1))(*ARGS)
    assert ad.grad(f)(*ARGS) == both[0]
    assert np.array_equal(ad.grad(f, 1)(*ARGS), both[1])
    assert np.array_equal(ad.grad(f, (1, 0))(*ARGS)[0], both[1])
    ad.check_grads(f, ARGS, order=2)


def test_aux_comes_through():
    gradient, aux = ad.grad(with_aux, has_aux=True)(0.5)
    assert aux == with_aux(0.5)[1]
    assert gradient == ad.grad(lambda x: with_aux(x)[0])(0.5)


def test_no_influence_gives_zeros():
    assert ad.grad(constant)(0.5) == 0.0
    assert ad.jvp(constant, (0.5,), (1.0,)) == (constant(0.5), 0.0)


def test_the_identity():
    a = np.ones(2)
    value, pullback = ad.vjp(identity, a)
    g = np.array([1.0, 2.0])
    (a_bar,) = pullback(g)
    assert np.array_equal(a_bar, g)
    assert not np.shares_memory(a_bar, g)


@pytest.mark.parametrize("result", [lambda x: np.ones(2) * x, lambda x: (x, x), lambda x: 1j * x, lambda x: round(x)])
def test_gradients_are_of_numbers(result):
    with pytest.raises(TypeError):
        ad.grad(result)(0.5)


def test_integers_have_no_gradient():
    with pytest.raises(TypeError, match=r"3\.0"):
        ad.grad(f)(3, *ARGS[1:])
