"""Whose memory is what kernels give: what nobody else can reach is not copied, everything else is."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.boundary import is_owned, own_tree, shown_in

pytest.importorskip("numba")
X = np.linspace(0.2, 1.7, 6)


def made_by_a_kernel():
    numba = pytest.importorskip("numba")

    @numba.njit
    def make(x):
        a = x * 2.0
        return a, a[1:], x[2:], x * 3.0

    assert ad.grad(lambda x: np.sum(x * x * x), backend="numba")(X) is not None  # the backend is there
    return make


def test_of_arrays_that_show_one_memory_all_or_none_are_owned():
    make = made_by_a_kernel()
    kept = list(make(X))
    shown = shown_in(kept)
    assert [is_owned(kept, k, shown) for k in range(4)] == [True, True, False, True]
    assert [is_owned(kept, k) for k in range(4)] == [False, False, False, True]
    outside = kept[:1]  # the array itself is held elsewhere, the other one shows its memory
    assert [is_owned(kept, k, shown) for k in range(4)] == [False, True, False, True]
    assert [is_owned(kept, k, shown_in(kept[1:])) for k in range(4)] == [False, False, False, True]
    assert outside[0].shape == (6,)


def test_what_is_owned_stays_what_it_is():
    make = made_by_a_kernel()
    raw = [make(X)]
    mine = own_tree(raw, 0)
    assert mine[0].base is raw[0][0].base and np.shares_memory(mine[0], mine[1])
    assert not np.shares_memory(mine[2], X) and np.array_equal(mine[2], X[2:])


def rows(x):
    y = np.sin(x) * x[::-1]
    z = np.exp(y[1:]) * y[:-1]
    return z * np.sum(z * x[1:])


def test_writes_into_results_and_arguments_do_not_reach_what_is_kept():
    x = X.copy()
    value, pullback = ad.vjp(rows, x, backend="numba")
    _, wanted = ad.vjp(rows, X)
    value[:] = np.nan
    x[:] = np.nan
    for _ in range(2):
        (found,) = pullback(np.ones(5))
        np.testing.assert_allclose(found, wanted(np.ones(5))[0], rtol=1e-13)
        found[:] = np.nan


def kept_and_given(x):
    y = np.exp(x)
    z = y * y * x
    return y, z * z


def test_what_is_given_and_kept_is_not_shared():
    (y, z), pullback = ad.vjp(kept_and_given, X, backend="numba")
    _, wanted = ad.vjp(kept_and_given, X)
    seed = np.ones(6), np.ones(6)
    y[:], z[:] = np.nan, np.nan
    np.testing.assert_allclose(pullback(seed)[0], wanted(seed)[0], rtol=1e-13)
