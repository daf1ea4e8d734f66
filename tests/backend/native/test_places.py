"""The helpers for places in arrays, against NumPy."""

import numpy as np
import pytest

pytest.importorskip("numba")

from adcompile.backend.native import places as at
from adcompile.runtime.native import Fault

A = np.arange(12.0).reshape(4, 3)
X = A[:, 0].copy()


@pytest.mark.parametrize("places", [[0, 3, -1], [], [2], [-4, 2, 2]], ids=str)
@pytest.mark.parametrize("a", [A, X, A[::-1], X[::-1]], ids=["rows", "numbers", "rows backwards", "numbers backwards"])
def test_places_named_by_integers(a, places):
    where = np.array(places, np.int64)
    got = at.picked_at(a, where)
    assert got.shape == a[where].shape and np.array_equal(got, a[where])
    for put, added, values in (
        (at.put_at, at.added_at, np.cos(a[where])),
        (at.put_all_at, at.added_all_at, 7.0),
    ):
        b, c = a.copy(), a.copy()
        put(b, where, values)
        c[where] = values
        assert np.array_equal(b, c)
        added(b, where, values)
        np.add.at(c, where, values)
        assert np.array_equal(b, c)


@pytest.mark.parametrize("mask", [[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], ids=str)
def test_places_of_a_mask(mask):
    where = np.array(mask, bool)
    assert np.array_equal(at.picked_where(X, where), X[where])
    for put, added, values in (
        (at.put_where, at.added_where, np.cos(X[where])),
        (at.put_all_where, at.added_all_where, 7.0),
    ):
        b, c = X.copy(), X.copy()
        put(b, where, values)
        c[where] = values
        added(b, where, values)
        c[where] += values
        assert np.array_equal(b, c)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (at.picked_at, (X, np.array([4]))),
        (at.picked_at, (X, np.array([-5]))),
        (at.put_at, (X.copy(), np.array([0, 1]), np.ones(3))),
        (at.put_at, (A.copy(), np.array([0, 1]), np.ones((2, 2)))),
        (at.added_all_at, (X.copy(), np.array([9]), 1.0)),
        (at.picked_where, (X, np.ones(3, bool))),
        (at.put_where, (X.copy(), X > 0, np.ones(2))),
        (at.put_all_where, (X.copy(), np.ones(5, bool), 1.0)),
    ],
)
def test_what_does_not_fit_is_left(function, args):
    with pytest.raises(Fault):
        function(*args)


def test_the_last_writes():
    places = np.array([0, 2, 0, -2, 1, 2])
    written = np.full(4, -1)
    written[places] = np.arange(6)
    stays = at.last_at(X, places)
    assert [k in written for k in range(6)] == stays.tolist()


def test_indices_and_lengths():
    assert [at.index(k, 3) for k in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for k in (-4, 3):
        with pytest.raises(Fault):
            at.index(k, 3)
    for bounds in ((0, 5, 2), (5, 0, -2), (3, 3, 1), (0, -1, 1), (-2, -9, -3)):
        assert at.length(*bounds) == len(range(*bounds))
