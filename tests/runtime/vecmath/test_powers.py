"""pow, cbrt and hypot: every pair of special values, exact cases, and scaling."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from adcompile.runtime.vecmath import DTYPES, implementation
from benchmarks.vecmath import looped

VALUES = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -2.5, math.inf, -math.inf, math.nan, 1e20, -1e20)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pow_of_special_values(dtype):
    x, y = (v.ravel().astype(dtype) for v in np.meshgrid(VALUES, VALUES))
    got = np.empty_like(x)
    looped("pow", dtype, False)(x, y, got)
    with np.errstate(all="ignore"):
        want = np.power(x, y)
    np.testing.assert_allclose(got, want, rtol=2 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(np.signbit(got[got == got]), np.signbit(want[want == want]))


def test_small_whole_powers_are_exact():
    function = implementation("pow")
    for x, y in itertools.product(range(1, 30), range(0, 10)):
        assert function(float(x), float(y)) == float(x**y)


def test_powers_of_minus_one():
    function = implementation("pow")
    assert [function(-1.0, y) for y in (1.7e308, -1.7e308, 9007199254740991.0, 2.0**53)] == [1.0, 1.0, -1.0, 1.0]


def test_cbrt_of_cubes_is_exact():
    function = implementation("cbrt")
    for k in range(-200, 201):
        assert function(float(k**3)) == float(k)
    assert function(5e-324) == 1.7031839360032603e-108  # 2^-358, as 5e-324 is 2^-1074
    assert math.copysign(1, function(-0.0)) == -1


def test_hypot_is_scaled():
    function = implementation("hypot")
    assert function(3e200, 4e200) == pytest.approx(5e200, rel=2e-16)
    assert function(3e-200, 4e-200) == pytest.approx(5e-200, rel=2e-16)
    assert function(3 * 5e-324, 4 * 5e-324) == 5 * 5e-324
    assert function(math.inf, math.nan) == function(math.nan, -math.inf) == math.inf
