"""The helpers of kernels, against Python."""

import math

import pytest

pytest.importorskip("numba")

import numpy as np

from adcompile.backend.native import support as nt
from adcompile.runtime.native import Fault


def test_floats_that_python_would_raise_for():
    assert nt.finite(1.0) == 1.0 and nt.divisor(2.0) == 2.0 and nt.whole(-2.7) == -2
    for call in (
        lambda: nt.finite(math.inf),
        lambda: nt.finite(math.nan),
        lambda: nt.divisor(-0.0),
        lambda: nt.whole(1e30),
    ):
        with pytest.raises(Fault):
            call()


def test_minimum_and_maximum():
    for a in (0.0, -0.0, 1.0, math.nan, math.inf):
        for b in (0.0, -0.0, 1.0, math.nan, -math.inf):
            assert repr(nt.lesser(a, b)) == repr(min(a, b)) and repr(nt.greater(a, b)) == repr(max(a, b))
            np.testing.assert_equal(nt.minimum(a, b), np.minimum(a, b))
            np.testing.assert_equal(nt.maximum(a, b), np.maximum(a, b))


def test_indices():
    assert [nt.index(i, 3) for i in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for i in (3, -4):
        with pytest.raises(Fault):
            nt.index(i, 3)


@pytest.mark.parametrize("bounds", [(0, 5, 1), (5, 0, 1), (0, 7, 3), (7, 0, -3), (1, 1, -1), (0, 9, -1)])
def test_lengths_of_ranges(bounds):
    assert nt.length(*bounds) == len(range(*bounds))


@pytest.mark.parametrize("first", [1, -1, 2, -3])
@pytest.mark.parametrize("second", [1, -1, 2, -3])
@pytest.mark.parametrize("n", [0, 1, 7, 40])
def test_products_of_vectors_however_they_lie(first, second, n):
    a, b = (np.arange(k, k + 3.0 * n) ** 2 for k in (1.0, 2.0))
    a, b = (v[:n][::step] if abs(step) == 1 else v[::step][:n] for v, step in ((a, first), (b, second)))
    assert len(a) == len(b) == n
    assert nt.dot(a, b) == np.dot(a, b)  # sums of whole numbers


def test_storage_and_sums():
    a = np.arange(4.0)
    grown = nt.grown(a, 3, 5)
    assert grown.shape == (8,) and list(grown[:3]) == [0.0, 1.0, 2.0]
    assert nt.dot(a, a) == 14.0 and nt.total(a.reshape(2, 2)) == 6.0 and nt.total(a[:0]) == 0.0
    with pytest.raises(Fault):
        nt.dot(a, a[:2])
