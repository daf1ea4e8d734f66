"""Shifts that cancel have no derivative code; those that do not cancel have theirs."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([[0.3, -1.2, 2.0], [1.5, 0.1, 0.7]])
SQUARE = np.array([[0.3, -1.2, 2.0], [1.5, 0.1, 0.7], [-0.4, 2.2, 0.9]])
W = np.array([[1.0, -2.0, 0.5], [0.3, 0.8, -1.1]])


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum(W * (e / np.sum(e, axis=-1, keepdims=True)))


def by_methods(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return (W * (e / e.sum(axis=1, keepdims=True))).sum()


def of_all(x):
    e = np.exp(-(np.min(x) - x))
    return np.sum(W * e) / np.sum(e)


def axis_put_in_again(x):
    m = np.max(x, axis=1)
    return np.sum((m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))) ** 2)


def expanded(x):
    m = np.max(x, axis=1)
    return np.sum((m + np.log(np.mean(np.exp(x - np.expand_dims(m, 1)), axis=1))) ** 2)


def leading_axis(x):
    m = np.max(x, axis=0)
    return np.sum((m + np.log(np.sum(np.exp(x - m), axis=0))) ** 2)


def log_softmax(x):
    shifted = x - np.max(x, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return np.sum(W * log_p)


def scaled(x):
    u = 0.5 * (x - np.max(x))
    return np.sum(np.exp(u) * W) / np.sum(np.exp(u))


def in_a_loop(x):
    total = 0.0
    for row in range(2):
        e = np.exp(x[row] - np.max(x[row]))
        total += np.sum(W[row] * e) / np.sum(e)
    return total


CANCELS = (
    softmax, by_methods, of_all, axis_put_in_again, expanded, leading_axis, log_softmax, scaled, in_a_loop,
)  # fmt: skip


def normalised(x):
    return np.sum(W * (x / np.max(x, axis=1, keepdims=True)) ** 2)


def guarded(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(W * (e / (np.sum(e, axis=1, keepdims=True) + 0.1)))


def shift_left_over(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - m), axis=1, keepdims=True)) + 2.0 * m)


def another_axis(x):
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    return np.sum(W * (e / np.sum(e, axis=1, keepdims=True)))


def in_a_branch(x):
    m = np.max(x)
    total = np.sum(np.exp(x - m))
    if total > 1.0:
        total = total * m
    return total


def kept_in_a_list(x):
    u = [x - np.max(x)]
    return np.sum(u[0] ** 2)


REMAINS = (normalised, guarded, shift_left_over, another_axis, in_a_branch, kept_in_a_list)


def compares(function, x=X):
    return " == " in ad.source(ad.grad(function), x)


@pytest.mark.parametrize("function", CANCELS)
def test_what_cancels_is_not_followed(function):
    assert not compares(function)
    ad.check_grads(function, (X,))


@pytest.mark.parametrize("function", REMAINS)
def test_what_remains_is_followed(function):
    assert compares(function)
    ad.check_grads(function, (X,))


def test_an_axis_that_is_not_put_in_again_is_another_one():
    """On a square matrix `x - m` is valid without it, and something else."""

    def mistaken(x):
        m = np.max(x, axis=1)
        e = np.exp(x - m)
        return np.sum(SQUARE * (e / np.sum(e, axis=1, keepdims=True)))

    assert compares(mistaken, SQUARE)
    ad.check_grads(mistaken, (SQUARE,))


def test_an_array_that_is_written_is_not_followed_by_name():
    def in_place(x):
        e = np.exp(x - np.max(x))
        e[0] *= 2.0
        return np.sum(W * e) / np.sum(e)

    ad.check_grads(in_place, (X,))
