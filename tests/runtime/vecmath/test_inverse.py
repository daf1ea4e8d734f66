"""asin, acos, atan and atan2: exact angles, the edges of the domain, and all quadrants."""

from __future__ import annotations

import itertools
import math

import pytest

from adcompile.runtime.vecmath import implementation


def test_exact_angles():
    assert implementation("asin")(1.0) == math.pi / 2 and implementation("asin")(-1.0) == -math.pi / 2
    assert implementation("acos")(1.0) == 0.0 and implementation("acos")(-1.0) == math.pi
    assert implementation("acos")(0.0) == math.pi / 2
    assert implementation("atan")(1.0) == math.pi / 4 and implementation("atan")(math.inf) == math.pi / 2


@pytest.mark.parametrize("name", ["asin", "acos"])
def test_outside_of_the_domain_there_is_no_angle(name):
    for x in (1.0000000000000002, -1.0000000000000002, 1e300, math.inf, math.nan):
        assert math.isnan(implementation(name)(x))


def test_atan2_of_special_values():
    function = implementation("atan2")
    values = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, 5e-324, -5e-324, 1e300, -1e300)
    for y, x in itertools.product(values, values):
        got, want = function(y, x), math.atan2(y, x)
        assert got == pytest.approx(want, rel=3e-16) and math.copysign(1, got) == math.copysign(1, want), (y, x)
