"""Reverse mode: blocks are assembled backwards; branches replay what the forward run took."""

import math

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits
from tests.compiled import check


def branches(x, y):
    if x > y:
        a, b = x * x, y
    elif x > 0.0:
        a, b = y, math.exp(x)
    else:
        a, b = x, x * y
    return a * b


def condition_overwritten(x):
    flag = x > 0.5
    y = x * x if flag else x
    flag = y > 10.0
    return y * (3.0 if flag else 2.0)


def one_sided(x, y):
    z = x
    if y > 0.0:
        z = z * y
        w = z * z
        z = z + w
    return z * y


def value_overwritten(a):
    b = np.sin(a)
    a = a * b
    b = np.cos(a) * b
    return np.sum(a * b)


@pytest.mark.parametrize(("x", "y"), [(0.7, 0.2), (0.2, 0.7), (-0.2, 0.7)])
@pytest.mark.parametrize("f", [branches, one_sided])
def test_branches(f, x, y):
    check(f, x, y, order=2)


@pytest.mark.parametrize("x", [0.2, 0.7, 5.0])
def test_predicates_are_those_of_the_forward_run(x):
    check(condition_overwritten, x)


def test_overwritten_names_are_kept():
    check(value_overwritten, np.array([0.5, 1.5]), order=2)


def test_joint_and_split_agree():
    a = np.array([0.5, 1.5, -0.25])
    value, pullback = ad.vjp(value_overwritten, a)
    joint_value, gradient = ad.value_and_grad(value_overwritten)(a)
    assert bits(value) == bits(joint_value) == bits(value_overwritten(a))
    assert np.allclose(pullback(1.0)[0], gradient, rtol=1e-13)


def test_arguments_stay():
    a = np.array([0.5, 1.5])
    before = bits(a)
    ad.grad(value_overwritten)(a)
    assert bits(a) == before


def singular_or_not(x):
    return np.sum(np.cumprod(x) * np.arange(1.0, len(x) + 1))


@pytest.mark.parametrize("zero", [0.0, 0.4])
def test_kept_values_of_the_path_not_taken(zero):
    """The rule of cumprod branches; its second derivative keeps values of either side."""
    x, v = np.array([0.5, zero, 1.2]), np.array([1.0, -0.5, 2.0])

    def slope(x):
        return ad.jvp(singular_or_not, (x,), (v,))[1]

    ad.check_grads(slope, (x,), order=1, modes=("rev",))
