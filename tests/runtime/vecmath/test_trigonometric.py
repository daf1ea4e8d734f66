"""sin, cos and tan where their arguments are hardest."""

from __future__ import annotations

import math

import mpmath
import pytest

from adcompile.runtime.vecmath import implementation
from adcompile.runtime.vecmath.large import LIMIT

HARD = (
    6381956970095103 * 2.0**797,  # the float64 nearest to a multiple of π/2
    math.pi, math.pi / 2, 3 * math.pi / 2, 710 * 11.0, 1e22, LIMIT, math.nextafter(LIMIT, 2e6), 1.5e6, 5e-324, 1e-9,
)  # fmt: skip


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_hard_arguments(name):
    function = implementation(name)
    with mpmath.workprec(1300):
        for x in HARD:
            for signed in (x, -x):
                want = getattr(mpmath, name)(mpmath.mpf(signed))
                unit = mpmath.mpf(math.ulp(float(want)))
                assert abs(mpmath.mpf(function(signed)) - want) <= unit, signed


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_infinity_has_no_angle(name):
    assert math.isnan(implementation(name)(math.inf)) and math.isnan(implementation(name)(-math.inf))
