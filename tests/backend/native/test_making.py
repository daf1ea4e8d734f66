"""Arrays that kernels make: filled, as long as others, of parts, with new axes."""

import numpy as np
import pytest

from tests.kernels import agree, agree_pulled, parts_of, stays, text_of, wholly

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


def turned(x):
    a, total = np.outer(x, x[:4])[None] * np.ones((2, 1, 1)), 0.0
    for _ in range(3):
        b, c, d = np.swapaxes(a, 1, 2), np.transpose(a, (2, 0, 1)), np.moveaxis(a, 0, -1)
        total += np.sum(b * b.swapaxes(0, 0)) + np.sum(a.transpose(1, 2, 0) * d) + np.sum(c * np.moveaxis(a, 2, 0))
        a = a * 0.9 + 0.1 * np.swapaxes(b * b, -1, 1)
        a = a + 0.1 * np.transpose(np.transpose(a) * d.swapaxes(0, 1), (2, 1, 0))
    return total + np.sum(np.moveaxis(x, 0, 0) * np.transpose(x))


def test_axes_are_turned_in_kernels():
    parts = parts_of(turned, X[:4])
    assert not parts.notes, [str(n) for n in parts.notes]
    agree(turned, X[:4])


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


def table(x, n):
    """A table that is filled with a number, and the least of three neighbours."""
    best = np.full((len(x) + 1, n + 1), np.inf)
    best[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, n + 1):
            best[i, j] = abs(x[i - 1] - x[j - 1]) + min(best[i - 1, j], best[i, j - 1], best[i - 1, j - 1])
    return best[len(x), n]


def spread(x, n):
    s = 0.0
    for k in range(3):
        t = np.linspace(x[k], x[-1], n)
        s += np.sum(t * t) + np.sum(np.linspace(0, 2, 5) * x)
        s += np.sum(np.arange(len(x)) * x) + np.sum(np.arange(2, 2 * len(x) + 2, 2) * x) + np.sum(np.full(n, x[k]) ** 2)
    return s


def products(x, n):
    s = 0.0
    for k in range(3):
        s += np.prod(x * (k + 1.0)) + np.prod(x[:n])
    return s


def traces(a, n):
    s = 0.0
    for k in range(3):
        b = a.T @ a * (k + 1.0)
        s += np.trace(b) ** 2 + np.sum(np.eye(3, n) * a[:, :n])
    return s


def copies(x, n):
    s = 0.0
    for k in range(n):
        y = np.array(x, dtype=float)
        y[k] = 2.0 * np.asarray(x)[k]
        a, b = np.sin(y[:2])
        s += np.sum(y * y) * a + b
    return s


@pytest.mark.parametrize("function", [table, spread, products, copies])
def test_arrays_of_numbers(function):
    (agree if function is products else wholly)(function, X, 4)
    agree(function, X[::-1], 3)
    agree(function, X * 0.0, 5)
    for n in (0, 1, -1):
        agree(function, X, n)


def test_traces():
    text_of(traces, A, 3)
    wholly(traces, A, 3)
    agree(traces, A[::-1], 0)


def unpacked(x):
    s = 0.0
    for k in range(3):
        a, b = x[k:]
        s += a * b
    return s


def test_unpacking_too_many():
    agree(unpacked, X)
    agree(unpacked, X[:2])


def kept_behind_each_other(x, w):
    """What is put together is kept by some iterations, and is part of what the next ones put together."""
    y = x
    total = 0.0
    for i in range(4):
        y = np.concatenate((w[:i], y[1:], w[i : i + 1]))
        total += np.sum(np.sin(y) * y)
    return total * np.sum(y)


def test_vectors_put_together_are_kept():
    x, w = np.linspace(0.3, 1.1, 6), np.linspace(0.2, 0.9, 5)
    stays(kept_behind_each_other, x, w)
    agree_pulled(kept_behind_each_other, x, w)


def matrices_put_together(x, w):
    a = np.outer(x, w)
    total = 0.0
    for i in range(3):
        a = np.concatenate((a[1:] * a[1:], a[:1]))
        total += np.sum(a * x[i])
    return total


def test_matrices_put_together_are_kept():
    agree(matrices_put_together, np.linspace(0.3, 1.1, 6), np.linspace(0.2, 0.9, 5))
