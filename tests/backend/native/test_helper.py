import pytest

pytest.importorskip("numba")

import numpy as np

from adcompile.backend.native.helper import helper


def test_divisions_are_not_checked():
    ratio = helper(lambda a, b: a / b)
    assert np.isinf(ratio(1.0, 0.0)) and np.isnan(ratio(0.0, 0.0))
