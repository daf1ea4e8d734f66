"""Cosine and sine transforms transposed, against their matrices."""

import numpy as np
import pytest

from adcompile import runtime as rt

fft = pytest.importorskip("scipy.fft")


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("family", ["dct", "dst"])
def test_the_transposed_matrix(family, kind, n):
    transform, ends = getattr(fft, family), getattr(rt, f"{family}_ends")
    matrix = transform(np.eye(n), kind, axis=0)
    bar = np.linspace(0.3, 1.7, 2 * n).reshape(n, 2)
    before, after = ends(kind, bar, 0)
    np.testing.assert_allclose(
        after * transform(before * bar, rt.transposed_kind(kind), axis=0), matrix.T @ bar, rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("family", ["dct", "dst"])
def test_the_inverse_is_of_the_transposed_kind(family, kind):
    x = np.linspace(0.3, 1.7, 5)
    inverse = getattr(fft, f"i{family}")(x, kind)
    np.testing.assert_allclose(getattr(fft, family)(x, rt.transposed_kind(kind), norm="forward"), inverse, rtol=1e-13)


def test_the_weights_have_the_precision_of_the_cotangent():
    before, after = rt.dct_ends(1, np.ones((2, 3), np.complex64), 1)
    assert before.dtype == after.dtype == np.float32 and before.shape == after.shape == (1, 3)
