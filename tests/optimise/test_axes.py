"""Axes of length one that are put in and taken out again leave the derivative."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from adcompile.ir import ops
from tests.optimise.test_helpers import adjoint

V = np.array([1.5, -2.0, 0.25])
M = np.arange(6.0).reshape(2, 3) + 1
COLUMN, ROW = V[:, None].copy(), V[None].copy()


def test_new_axes_of_zeros():
    def column(x, g):
        return ops.index_add(np.zeros_like(x), (slice(None), None), g * 2.0)

    def row(x, g):
        return ops.index_add(np.zeros_like(x), (None, slice(None)), g * 2.0)

    def whole(x, g):
        return ops.index_add(np.zeros_like(x), slice(None), g * 2.0)

    assert adjoint(column, V, COLUMN)[-2:] == [operator.mul, operator.getitem]
    assert adjoint(row, V, ROW)[-2:] == [operator.mul, operator.getitem]
    assert adjoint(whole, V, V) == [operator.mul]


def test_sums_that_keep_their_axes():
    def summed(x, g):
        return ops.index_add(np.zeros_like(x), (slice(None), None), np.sum(g, axis=1, keepdims=True))

    def negative(x, g):
        return ops.index_add(np.zeros_like(x), (slice(None), None), -np.sum(g, axis=1, keepdims=True))

    assert adjoint(summed, V, M.T.copy()) == [np.sum]
    assert adjoint(negative, V, M.T.copy()) == [np.sum, operator.neg]


def test_what_is_smaller_is_still_added_by_broadcasting():
    def column(x, g):
        return ops.index_add(np.zeros_like(x), (slice(None), None), g * 2.0)

    def part(x, g):
        return ops.index_add(np.zeros_like(x), (slice(1, None), None), g * 2.0)

    assert ops.index_add in adjoint(column, V, np.ones((1, 1)))
    assert ops.index_add in adjoint(column, V, np.ones(1))
    assert ops.index_add in adjoint(part, V, COLUMN[1:].copy())


def test_zeros_that_others_read_stay():
    def f(x, g):
        zeros = np.zeros_like(x)
        other = zeros + x
        return ops.index_add(zeros, (slice(None), None), g * 2.0), other

    assert ops.index_add in adjoint(f, V, COLUMN)


def test_axes_in_front_come_by_broadcasting():
    assert adjoint(lambda g, x: np.expand_dims(g, 0) * x, V, M) == [operator.mul]
    assert adjoint(lambda g, x: x / np.expand_dims(g, 0), V, M) == [operator.truediv]
    assert adjoint(lambda g, x: np.expand_dims(g, 0) * x, V, V) == [np.expand_dims, operator.mul]
    assert adjoint(lambda g, x: np.expand_dims(g, 1) * x, V[:2], M) == [np.expand_dims, operator.mul]


def test_defaults_are_not_printed():
    assert adjoint(lambda x: rt.sum_over(x, None, False), M) == [np.sum]


def centred(x, m):
    d = x - m[:, None, :]
    return np.sum(np.exp(d)) + np.sum(m[None] * x)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (2, 1), (1, 1)])
def test_against_the_primal(shape):
    rng = np.random.default_rng(0)
    x, m, v, h = rng.standard_normal((4, shape[1])), *rng.standard_normal((2, *shape)), 1e-6
    x = x[:2] if shape[0] == 2 else x[:1]
    slope = (centred(x, m + h * v) - centred(x, m - h * v)) / (2 * h)
    assert np.sum(ad.grad(centred, argnums=1)(x, m) * v) == pytest.approx(slope, rel=1e-6)
