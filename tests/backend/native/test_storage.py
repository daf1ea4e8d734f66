"""Storage that grows, and parts of it that nobody holds on to."""

import numpy as np
import pytest

pytest.importorskip("numba")

import numba

from adcompile.backend.native.storage import grown, noted, part


@numba.njit
def doubled(items, start, stop):
    some = part(items, start, stop)
    for k in range(some.shape[0]):
        some[k] *= 2.0
    return np.sum(some), some.shape[0]


def test_parts_show_the_memory_itself():
    items = np.arange(6.0)
    assert doubled(items, 2, 5) == (18.0, 3)
    assert items.tolist() == [0.0, 1.0, 4.0, 6.0, 8.0, 5.0]
    assert doubled(items, 4, 4) == (0.0, 0)


def test_parts_of_bytes_and_truth_values():
    @numba.njit
    def taken(items):
        return part(items, 1, 3).sum()

    assert taken(np.array([True, True, False, True])) == 1
    assert taken(np.arange(4)) == 3


def test_what_grows_keeps_what_was_there():
    items = grown(np.array([1.0, 2.0, 3.0]), 2, 9)
    assert items.shape == (9,) and items[:2].tolist() == [1.0, 2.0]
    assert grown(np.zeros(8), 0, 9).shape == (16,)


def test_noted():
    words = np.array([2, 5, 0, 0, 0])
    noted(words, (24, 0))
    assert words.tolist() == [2, 5, 3, 0, 1]
    noted(words, (8, 8))
    assert words.tolist() == [2, 5, 3, 1, 1]
