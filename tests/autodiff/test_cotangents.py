"""Cotangents have the type of what they belong to, add up, and share memory with nothing."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.autodiff.cotangents import tangent_type
from adcompile.ir.abstract import type_of
from adcompile.ir.types import UNKNOWN, Seq
from tests.compiled import check


def used_often(x, a):
    t = (x, {"k": a, "l": [x, x * a]})
    return t[0] * t[1]["k"] + t[1]["l"][0] + np.sum(t[1]["l"][1]) + t[0]


def elements(a):
    total = 0.0
    for i in range(len(a)):
        total = total + a[i] * a[-i - 1] + a[0]
    return total


def unused(x, a, n):
    return x * 2.0


@pytest.mark.parametrize("value", [np.float32(0.5), np.ones((2, 1)), np.ones(3, np.complex64)])
def test_type_of_an_inexact_value_is_its_own(value):
    assert tangent_type(type_of(value)) == type_of(value)


def test_sequences_hold_tangents():
    assert isinstance(tangent_type(Seq(type_of(1.5), list)), Seq)
    assert tangent_type(UNKNOWN) == UNKNOWN


def test_contributions_add_up():
    check(used_often, 0.5, np.array([1.0, 2.0]), order=2)
    check(elements, np.array([0.5, 1.5, -2.0]), order=2)


def test_gradients_have_the_type_of_their_argument():
    args = (np.float32(0.5), np.ones((2, 3), np.float32), 3)
    _, pullback = ad.vjp(unused, *args)
    x_bar, a_bar, n_bar = pullback(np.float32(1.0))
    assert type(x_bar) is np.float32
    assert (a_bar.dtype, a_bar.shape) == (args[1].dtype, args[1].shape)
    assert not a_bar.any()
    assert n_bar is None


def test_gradients_share_no_memory():
    a, b = np.ones(3), np.full(3, 2.0)
    a_bar, b_bar = ad.grad(lambda a, b: np.sum(a + b), (0, 1))(a, b)
    assert not np.shares_memory(a_bar, b_bar)
    a_bar += 1.0
    b_bar *= 3.0
    gradient = ad.grad(lambda a, b: np.sum(a * b))(a, b)
    assert not np.shares_memory(gradient, b)
    gradient += 1.0
    assert b.tolist() == [2.0, 2.0, 2.0]
