"""Borders that repeat what an array holds, as kernels make them."""

import numpy as np
import pytest

pytest.importorskip("numba")
from adcompile import runtime as rt
from adcompile.backend.native import borders
from adcompile.runtime.native import Fault

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("mode", ["edge", "wrap"])
def test_vectors(mode):
    for n in (1, 2, 5):
        x, wraps = RNG.normal(size=n), mode == "wrap"
        for before, after in ((0, 0), (1, 0), (2, 7), (5, 1)):
            padded = borders.padded_vector(x, before, after, wraps)
            assert np.array_equal(padded, np.pad(x, (before, after), mode))
            g = RNG.normal(size=padded.size)
            expected = rt.scatter(x, rt.padded_index(x.shape, (before, after), mode), g)
            assert np.allclose(borders.unpadded_vector(x, g, before, after, wraps), expected)


@pytest.mark.parametrize("mode", ["edge", "wrap"])
def test_matrices(mode):
    for shape in ((1, 3), (4, 2), (3, 5)):
        x, wraps = RNG.normal(size=shape), mode == "wrap"
        for widths in (((0, 0), (1, 2)), ((3, 1), (0, 0)), ((2, 5), (4, 1))):
            padded = borders.padded_matrix(x, *widths[0], *widths[1], wraps)
            assert np.array_equal(padded, np.pad(x, widths, mode))
            g = RNG.normal(size=padded.shape)
            expected = rt.scatter(x, rt.padded_index(x.shape, widths, mode), g)
            assert np.allclose(borders.unpadded_matrix(x, g, *widths[0], *widths[1], wraps), expected)


def test_nothing_is_left_to_numpy():
    with pytest.raises(Fault):
        borders.padded_vector(np.empty(0), 1, 1, False)
    with pytest.raises(Fault):
        borders.unpadded_matrix(np.empty((0, 2)), np.empty((2, 2)), 1, 1, 0, 0, True)
    with pytest.raises(Fault):
        borders.unpadded_vector(np.empty(2), np.empty(2), 1, 1, True)
