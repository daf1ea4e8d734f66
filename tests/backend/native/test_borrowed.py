"""Which parts of kept storage a kernel need not hold on to."""

import re

import numpy as np
import pytest

pytest.importorskip("numba")

from tests.kernels import agree, agree_pulled, text_of


def decayed(x, w):
    """Kept vectors that are read for their elements alone."""
    s = x * 1.0
    for k in range(len(w)):
        s = np.exp(-s * w[k]) + 0.1 * s * s
    return np.sum(s)


def grown_later(x, w):
    """A vector that is kept, and goes on into the next turn, when the storage grows."""
    s = x * 1.0
    parts = []
    for k in range(len(w)):
        t = np.sin(s) * w[k]
        s = np.concatenate((t, t[:1]))
        parts.append(s * s)
    return np.sum(s) + sum(np.sum(p * p) for p in parts)


def carried(x, w):
    old = x
    s = x * 1.0
    for k in range(len(w)):
        new = np.sin(s) * w[k]
        s = new * old * np.cos(new)
        old = new
    return np.sum(s * old)


def chosen(x, w):
    best = x * 0.0
    s = x * 1.0
    for k in range(len(w)):
        s = np.tanh(s * w[k]) + x
        if np.sum(s) > 0.0:
            best = s
    return np.sum(best * best * s)


def repeated(x, w):
    """What is kept is what the next turn begins with."""
    s = x
    for k in range(len(w)):
        s = np.exp(-s * w[k])
    return np.sum(s)


X, W = np.array([0.3, -0.7, 1.1]), np.linspace(0.5, 1.5, 9)


@pytest.mark.parametrize("f", [decayed, grown_later, carried, chosen, repeated])
def test_gradients_agree(f):
    agree(f, X, W)
    agree(f, X, np.linspace(0.4, 1.2, 40))
    agree_pulled(f, X, W)


def test_what_stays_within_a_turn_is_not_held():
    assert "nt.part(" in text_of(decayed, X, W)
    kept = re.findall("s_\\w+ = (.*)s_kept_data\\W", text_of(repeated, X, W))
    assert kept == ["nt.grown(", "", "nt.part("], "what is carried is held, what is read on the way back is not"


# -- views of arrays that last


def rows(x, w):
    """Products of rows of an argument, and of an array that is made at the top."""
    n = len(w)
    L = np.zeros((n, n))
    for i in range(n):
        L[i, i] = 2.0 + w[i]
        for j in range(i):
            L[i, j] = np.sin(w[i] * w[j]) - np.dot(L[i, :j], L[j, :j])
    y = np.zeros(n)
    for i in range(n):
        y[i] = (x[i % 3] - np.dot(L[i, :i], y[:i])) / L[i, i]
    return np.sum(y * y)


def read_last_by_a_view(x, w):
    """Nobody asks for what is made at the top once its views are taken, and other arrays come after it."""
    y = np.outer(x, w)
    left, right = y[0, 1:], y[1, :-1]
    total = 0.0
    for k in range(len(w) - 1):
        z = np.full(3 * len(w), 7.0 + k) * x[0]
        total += np.dot(left[: k + 1], right[: k + 1]) * z[0]
    return total


def handed_out(x, w):
    """Views that go on: into the next turn, into a list, out of the function."""
    y = np.outer(x, w)
    row, parts = y[0], []
    for k in range(1, 3):
        row = y[k] if x[k] > 0.0 else row
        parts.append(y[k, :4])
        parts.append(row[1:5])
    return np.dot(row, w) + sum(np.dot(p, p) for p in parts), y[1]


def added_in_parts(x, w):
    y = np.outer(w, x)
    for k in range(1, len(w)):
        y[k, :2] += y[k - 1, 1:] * y[k, 2]
        y[k] -= y[k - 1][::-1]
        y[k][1:] *= y[k - 1][:-1]
    return np.sum(y * np.cos(y))


@pytest.mark.parametrize("f", [rows, read_last_by_a_view, added_in_parts])
def test_views_of_what_lasts(f):
    agree(f, X, W)
    agree(f, X, np.linspace(0.4, 1.2, 40))
    agree_pulled(f, X, W)


def test_views_that_go_on_are_held():
    agree(lambda x, w: handed_out(x, w)[0], X, W)
    agree_pulled(lambda x, w: handed_out(x, w)[0], X, W)
    assert re.search(r"nt\.loose\(\w+\)\[", text_of(rows, X, W)), "rows are read for their elements alone"
    assert "nt.held(" in text_of(read_last_by_a_view, X, W), "what is made here lasts as long as its views"
