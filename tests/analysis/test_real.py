"""Callables of the specialiser, given to code that is not followed: made real, or refused with a place."""

import functools
import operator

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.1, 2.3])


def square(v):
    return v * v


def in_a_set(x):
    return x[0] * len(set(map(functools.partial(operator.mul, 2.0), [1.0, 2.0])))


def in_a_tuple(x):
    text = str((1, functools.partial(operator.mul, 2.0)))
    return x[0] * ("functools.partial" in text)


def checkpointed(x):
    return x[0] * (1 + (4.0 in map(ad.checkpoint(square), [1.0, 2.0])))


def of_a_derivative(x):
    return x[0] * (1 + (2.0 in map(ad.grad(square), [1.0, 2.0])))


def of_a_pullback(x):
    return x[0] * len(set(map(ad.vjp(square, 2.0)[1], [1.0, 2.0])))


@pytest.mark.parametrize("f", [in_a_set, in_a_tuple, checkpointed])
def test_they_are_what_they_are_without_a_derivative(f):
    value, gradient = ad.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, [f(X) / X[0], 0.0])


@pytest.mark.parametrize("f", [of_a_derivative, of_a_pullback])
def test_derivatives_are_refused_where_nothing_differentiates(f):
    with pytest.raises(ad.Unsupported, match="given to code that is not followed") as caught:
        ad.grad(f)(X)
    assert caught.value.place is not None
