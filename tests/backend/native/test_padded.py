"""Padding and slopes in loops: native, and what NumPy gives."""

import numpy as np
import pytest

from tests.kernels import agree, parts_of

pytest.importorskip("numba")

X = np.array([0.3, 0.7, -0.2, 0.8, 1.1, 0.5])


def with_zeros(x):
    for _ in range(3):
        y = np.pad(x, 1)
        x = 0.3 * (y[2:] + y[:-2]) + 0.1 * x * np.pad(x[1:-1], ((2, 0),))
    return np.sum(x * x)


def with_edges(x):
    for _ in range(3):
        y = np.pad(x, (0, 2), mode="edge")
        x = np.sin(y[2:] * x) + np.pad(x, 1, "edge")[:-2]
    return np.sum(x * x)


def around(x):
    for _ in range(3):
        y = np.pad(x, 1, "wrap")
        x = 0.3 * (y[2:] * y[:-2]) + 0.1 * x
    return np.sum(x * x)


def matrices(x):
    a, total = np.outer(x, x[:4]), 0.0
    for _ in range(3):
        p, q, r = np.pad(a, 1), np.pad(a, ((1, 2), (0, 1)), mode="edge"), np.pad(a, ((2, 1), (3, 0)), "wrap")
        a = a + 0.1 * (p[2:, 1:-1] * p[:-2, 1:-1] + q[:6, 1:] * q[3:, :4]) + r[1:7, :4] * 0.2
        total += np.sum(q * q) + np.sum(r**3)
    return total + np.sum(a * a)


def borders_wider_than_the_rest(x):
    total = 0.0
    for i in range(3):
        q, p = np.pad(x[: i + 1], (2, 3), mode="wrap"), np.pad(x[: i + 1], 2, "edge")
        total += np.sum(np.sin(q) * q) + np.sum(p * p)
    return total


def slopes(x):
    for _ in range(3):
        x = x - 0.1 * np.gradient(x) + 0.1 * np.gradient(x, 0.5) * np.gradient(x, x[0])
    return np.sum(x * x)


NATIVE = [with_zeros, with_edges, around, borders_wider_than_the_rest, slopes]


@pytest.mark.parametrize("function", NATIVE)
def test_loops_with_them_are_native(function):
    parts = parts_of(function, X)
    assert len(parts.kernels) == 1 and not parts.notes, [note.why for note in parts.notes]


@pytest.mark.parametrize("function", [*NATIVE, matrices])
def test_they_give_what_numpy_gives(function):
    agree(function, X)


def nothing_to_repeat(x):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.pad(x[6:], 1, "edge"))
    return total


def nothing_to_come_around(x):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.pad(x[6:], 1, "wrap"))
    return total


def too_short_for_slopes(x):
    total = 0.0
    for i in range(3):
        total += np.sum(np.gradient(x[i + 3 :]))
    return total


@pytest.mark.parametrize("function", [nothing_to_repeat, nothing_to_come_around, too_short_for_slopes])
def test_what_numpy_refuses_raises_the_same(function):
    assert agree(function, X) is ValueError
