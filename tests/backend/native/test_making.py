"""Arrays that kernels make: filled, as long as others, of parts, with new axes."""

import numpy as np

from tests.kernels import agree, text_of

X = np.linspace(0.3, 1.4, 5)
A = np.linspace(-0.5, 1.5, 12).reshape(3, 4)


def filled(x):
    total = 0.0
    for k in range(1, 4):
        weights = np.ones(k) * 2.0
        sums = np.zeros((k, 2))
        sums[:, 1] += weights * x[:k]
        total += np.sum(sums * sums) + np.sum(np.ones_like(weights) * x[k])
    return total


def joined(x):
    state = x
    for k in range(3):
        state = np.concatenate((state[1:], x[:1] * state[k]))
    return np.sum(state * state)


def triangles(a):
    total = 0.0
    for k in range(2):
        total += np.sum(np.tril(a) * np.triu(a, 1)) + np.sum(np.triu(a * a, -1) * a) * k
    return total


def matrices(x, n):
    total = 0.0
    for k in range(2):
        total += np.sum(np.eye(len(n))[k] * x * x)
    return total


def new_axes(x):
    """What is spread again of a sum that keeps its axis has a new one."""
    s = x
    for k in range(3):
        s = s * np.sum(np.sin(x[:, None] * s), axis=0) / (k + 2.0)
    return np.sum(s)


def test_they_are_made_in_kernels():
    for function, *args in ((filled, X), (joined, X), (triangles, A), (matrices, X, np.arange(5.0)), (new_axes, X)):
        text_of(function, *args)
        agree(function, *args)


def rows_around_their_mean(a):
    total = 0.0
    for k in range(3):
        centred = a - np.sum(a, axis=0) / 3.0
        spread = np.sqrt(np.sum(centred * centred, axis=0) + 0.1)
        total += np.sum(centred / spread * (k + 1.0))
        a = np.stack((a[0] * spread, a[1] + spread, a[2]))
    return total + np.sum(a * a)


def test_sums_of_rows_and_stacks():
    text_of(rows_around_their_mean, A)
    agree(rows_around_their_mean, A)
    agree(rows_around_their_mean, np.asfortranarray(A))
    agree(rows_around_their_mean, np.zeros((2, 4)))  # no third row
