"""What loops keep for the reverse sweep: no more than is read, no less than is needed."""

import math

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check


def linear_sum(x, n):
    total = 0.0
    for i in range(n):
        total = total + x * i
    return total


def power_chain(x, n):
    for _ in range(n):
        x = math.sin(x) * x
    return x


def nested(x, n):
    total = 0.0
    for i in range(n):
        y = x
        for _ in range(i):
            y = y * y * 0.5
        total = total + y
    return total


def rows(a):
    state = a[0]
    for i in range(1, len(a)):
        state = np.tanh(state * a[i]) + state
    return state


def with_exits(x, n):
    for i in range(n):
        if i % 2:
            continue
        x = x * x
        if x < 0.01:
            break
    return x


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("f", [linear_sum, power_chain, nested, with_exits])
def test_loops(f, n):
    check(f, 0.7, n, order=2)


def test_loops_over_rows():
    check(rows, np.linspace(0.1, 1.2, 12).reshape(4, 3), order=2)


def test_linear_loops_keep_nothing():
    source = ad.source(ad.grad(linear_sum), 0.7, 3)
    assert "append" not in source
    assert "append" in ad.source(ad.grad(power_chain), 0.7, 3)


def test_a_pullback_runs_twice():
    _, pullback = ad.vjp(power_chain, 0.7, 4)
    assert pullback(1.0) == pullback(1.0)
    assert pullback(2.0)[0] == 2.0 * pullback(1.0)[0]


def windows(c, xs, n):
    """Parts of an array whose bounds are computed."""
    s = 0.0
    for i in range(n):
        k = math.floor(xs[i])
        part = c[k : k + 2] * (xs[i] - k)
        s += np.sum(part * part)
    return s


def windows_on_some_paths(c, xs, n):
    s = 0.0
    for i in range(n):
        k = math.floor(xs[i])
        if k % 2:
            s += np.sum(c[k : k + 2] * xs[i])
        else:
            s += np.sum(c[k + 1 : None if k == 0 else k - 1 : -1] ** 2 * xs[i])
    return s


def test_of_slices_the_bounds_are_kept():
    c, xs = np.array([0.4, -1.2, 0.7, 2.1, -0.3, 1.1]), np.array([1.2, 3.7, 0.4, 2.5])
    for function in (windows, windows_on_some_paths):
        check(function, c, xs, 4)
        check(function, c, xs[:0], 0)
    text = ad.source(ad.grad(windows, (0, 1)), c, xs, 4)
    assert "slice(" not in text.partition("reversed")[0]
