"""Orders and tables in loops of kernels."""

import numpy as np
import pytest

from tests.kernels import agree, agree_pulled, by_differences, wholly

X, W = np.array([0.9, 0.2, 1.4, -0.3]), np.array([-0.5, 0.3, 0.7, 1.1])
A = np.linspace(-1.0, 1.2, 12).reshape(3, 4)


def means(x, w):
    s = 0.0
    for k in range(3):
        s += np.average(x * (k + 1), weights=w) ** 2 + np.average(x)
    return s


def largest_two(x, w):
    s = 0.0
    for _ in range(3):
        y = np.sort(x * w)
        s += y[-1] * y[-2] + np.sum(y * w)
    return s


def by_order(x, w):
    s = 0.0
    for k in range(3):
        order = np.argsort(x - k * w * 0.1)
        s += np.sum(x[order] * w) + np.sum(w[np.argsort(np.floor(x), kind="stable")] * x)
    return s


def of_three(x, w):
    s = 0.0
    for k in range(3):
        v = sorted([x[0], x[1] * w[0], x[2], x[k]])
        u = sorted([x[i] * w[i] for i in range(len(x))], reverse=True)
        s += v[0] * v[1] + u[0] * u[2]
    return s


def in_intervals(x, w):
    """A step function, and linear pieces."""
    s = 0.0
    for v in x:
        k = np.searchsorted(w, v)
        s += v * w[k - 1] + w[np.searchsorted(w, v, side="right") % 4] * v
    places = np.searchsorted(w, x)
    return s + np.sum(w[places - 1] * x)


def interpolated(x, w):
    s = 0.0
    for k in range(5):
        s += x[k % 4] * np.interp(k * 0.3, TABLE, HEIGHTS)
    return s * np.sum(w)


TABLE, HEIGHTS = np.array([0.0, 0.5, 0.9]), np.array([1.0, 3.0, -2.0])


def those_above(x, w):
    s = 0.0
    for k in range(3):
        for i in np.nonzero(x > k * 0.3)[0]:
            s += x[i] ** 2
        for i in np.where(x < w[k])[0]:
            s += x[i] * w[i]
        s += np.sum(x[np.flatnonzero(x > 0.1)])
    return s


def medians(x, w):
    """Of an odd and an even number of elements, and of none."""
    s = 0.0
    for k in range(1, 5):
        s += np.median(x[:k]) * w[k - 1] + np.median(x * w)
    return s


VECTORS = [means, largest_two, by_order, in_intervals, interpolated, those_above, medians]


@pytest.mark.parametrize("f", VECTORS)
def test_vectors(f):
    wholly(f, X, W)
    by_differences(f, X, W)
    agree(f, X[::-1], W)


def test_lists_of_numbers():
    wholly(of_three, X, W)
    by_differences(of_three, X, W)
    agree(of_three, np.array([1.0, np.nan, 0.5, 2.0]), W)


def cells_above(a, x):
    s = 0.0
    for k in range(2):
        for i, j in np.argwhere(a > x[k]):
            s += a[i, j] ** 2 * x[j]
        rows, columns = np.nonzero(a < x[k])
        for n in range(len(rows)):
            s += a[rows[n], columns[n]] * x[2]
    return s


def test_cells_of_matrices():
    x = X + 0.05
    agree(cells_above, A, x)
    agree(cells_above, np.asfortranarray(A), x)
    by_differences(cells_above, A, x)
    agree_pulled(cells_above, A, x)


def test_what_numpy_decides():
    """Equal numbers, numbers that are none, and weights that cancel."""
    for x in (np.array([0.5, 0.5, 0.1, 0.1]), np.array([np.nan, 0.2, 0.1, np.nan])):
        for f in VECTORS:
            agree(f, x, W)
    assert agree(means, X, np.array([1.0, -1.0, 0.0, 0.0])) is ZeroDivisionError
    assert agree(means, X, W[:3]) is not None
    agree(in_intervals, X, W[::-1])
    agree(medians, np.array([np.inf, -np.inf, 1.0, 2.0]), W)
    long = np.sin(np.arange(40.0) ** 2)
    for f in (largest_two, by_order, medians):
        wholly(f, long, np.cos(long))


@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_median_of_nothing():
    def f(x):
        s = 0.0
        for k in range(2):
            s += np.median(x[:k]) * x[k]
        return s

    agree(f, X)


@pytest.mark.parametrize("given", [{"kind": "foo"}, {"kind": 3}, {"axis": 0.0}])
def test_what_numpy_does_not_take(given):
    def f(x):
        s = 0.0
        for k in range(2):
            s += np.sort(x, **given)[0] * x[k]
        return s

    assert agree(f, np.array([0.3, -0.7, 1.1])) in (ValueError, TypeError)
