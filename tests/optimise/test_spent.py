"""A list that is used up while its older state is read later is copied first; others are not."""

import heapq

import numpy as np
import pytest

import adcompile as ad


def read_before_it_grows(x, n):
    h = [v * 2.0 for v in x]
    first = h[0]
    while len(h) < n:
        h.append(1.0)
    return first * len(h)


def only_grows(x, n):
    h = []
    for v in x:
        h.append(v * v)
        if len(h) > n:
            h.append(v)
    return sum(h)


def grows_on_one_path(x, n):
    h = [v * 2.0 for v in x]
    if n > 5:
        h.append(1.0)
        t = h[-1] * h[0]
    else:
        t = h[1] * h[0]
    return t


@pytest.mark.parametrize("f, copied", [(read_before_it_grows, True), (only_grows, False), (grows_on_one_path, None)])
@pytest.mark.parametrize("n", [4, 6])
def test_gradients(f, copied, n):
    x, h = np.array([0.5, 1.5, 2.5]), 1e-6
    slopes = [(f(x + h * e, n) - f(x - h * e, n)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(ad.grad(f)(x, n), slopes, rtol=1e-6, atol=1e-8)
    forward = ad.source(ad.grad(f), x, n).split("_bar")[0]
    assert copied is None or ("list(" in forward) is copied


def left_behind_on_one_path(x, n):
    """The branch gives a state of the pool that is older than its last."""
    if n > 5:
        return 3.0 * x[0]
    bins = [[] for _ in range(2)]
    bins[0].append(x[1])
    w = sum(next(iter(bins)))
    table = [[0.0] * 3 for _ in range(n)]
    table[2][2] = 1
    return 2.0 * w


@pytest.mark.parametrize("n", [4, 6])
def test_a_state_that_a_branch_leaves_behind(n):
    x = np.array([0.5, 1.5, 2.5])
    np.testing.assert_array_equal(ad.grad(left_behind_on_one_path)(x, n), [3.0, 0.0, 0.0] if n > 5 else [0.0, 2.0, 0.0])


def heap_of_pairs(x):
    h = [(v * v, i) for i, v in enumerate(x)]
    heapq.heapify(h)
    total = 0.0
    for k in range(3):
        v, i = heapq.heappop(h)
        total += v * x[i] * k
    return total


def test_a_list_in_the_pair_that_pop_gives():
    """The loop over columns begins, each time, with the heap as it was before its items were taken."""
    x = np.array([1.1, 2.3, 0.7])
    np.testing.assert_allclose(ad.jacfwd(ad.jacfwd(heap_of_pairs))(x), np.diag([6.6, 27.6, 0.0]), atol=1e-12)
