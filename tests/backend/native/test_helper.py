import numpy as np
import pytest

numba = pytest.importorskip("numba")
from adcompile.backend.native.helper import helper  # noqa: E402


def test_divisions_are_not_checked():
    ratio = helper(lambda a, b: a / b)
    assert np.isinf(ratio(1.0, 0.0)) and np.isnan(ratio(0.0, 0.0))


def test_numbers_that_are_written_out_are_numbers():
    shifted = helper(lambda x, n: x + n)

    @numba.njit
    def kernel(x):
        return shifted(x, 1) + shifted(x, 2) + shifted(x, 3)

    assert kernel(1) == 9
    assert len(shifted.overloads) == 1
