"""Orders of numbers, and places among them, against NumPy and Python."""

import itertools

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

from adcompile.backend.native import orders as nt
from adcompile.backend.native.support import listed
from adcompile.runtime.native import Fault

DRAWS = np.random.default_rng(0)
NUMBERS = (-np.inf, -1.0, -0.0, 0.0, 0.5, 2.0, np.inf, np.nan)


@njit
def order_of_listed(a, reverse):
    return np.array(nt.sort_order(listed(a), reverse, a.dtype))


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_sorting(n):
    a = DRAWS.normal(size=n)
    np.testing.assert_array_equal(nt.sorted_numbers(a[::-1]), np.sort(a))
    np.testing.assert_array_equal(nt.order_of(a[::-1], False), np.argsort(a[::-1]))
    whole = DRAWS.integers(-3, 3, n)
    np.testing.assert_array_equal(nt.order_of(whole, True), np.argsort(whole, kind="stable"))
    for items in (a.tolist(), whole.tolist()):
        for reverse in (False, True):
            wanted = sorted(range(n), key=items.__getitem__, reverse=reverse)
            np.testing.assert_array_equal(order_of_listed(np.array(items), reverse), np.array(wanted, int))


def test_what_has_no_order_leaves():
    for a in ([1.0, 1.0], [np.nan, 1.0]):
        with pytest.raises(Fault):
            nt.order_of(np.array(a), False)
    for call in (lambda a: nt.order_of(a, True), nt.sorted_numbers):
        with pytest.raises(Fault):
            call(np.array([1.0, np.nan]))


@pytest.mark.parametrize("right", [False, True])
def test_places_in_tables(right):
    side = "right" if right else "left"
    tables = [np.array(t) for t in ([], [0.0], [0.0, 0.0, 0.5], [-1.0, 2.0, np.nan], [3.0, 1.0, 2.0])]
    for table, v in itertools.product(tables, NUMBERS):
        assert nt.place_in(table, v, right) == np.searchsorted(table, v, side)
    for table in tables[:-1]:
        values = np.array(NUMBERS)
        np.testing.assert_array_equal(nt.places_in(table, values, right), np.searchsorted(table, values, side))
    with pytest.raises(Fault):
        nt.places_in(tables[-1], np.array(NUMBERS), right)


def test_what_is_not_zero():
    for a in (np.array(NUMBERS), np.array([], bool), np.array([True, False]), np.array([0, 3, -1])):
        np.testing.assert_array_equal(nt.nonzero(a), np.flatnonzero(a))
        np.testing.assert_array_equal(nt.cells(a.reshape(1, -1).T), np.argwhere(a.reshape(1, -1).T))


@pytest.mark.parametrize("n", [1, 2, 4, 5, 30])
def test_interpolation(n):
    for table in (np.sort(DRAWS.normal(size=n)), np.zeros(n), DRAWS.normal(size=n)):
        values = DRAWS.normal(size=n)
        values[DRAWS.integers(n)] = np.inf
        xs = np.concatenate([DRAWS.normal(size=50), table, NUMBERS])
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(nt.all_interpolated(xs, table, values), np.interp(xs, table, values))
            for x in xs:
                np.testing.assert_equal(nt.interpolated(x, table, values), np.interp(x, table, values))
    with pytest.raises(Fault):
        nt.interpolated(0.5, np.zeros(0), np.zeros(0))
