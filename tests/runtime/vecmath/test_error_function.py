"""erf and erfc: together one, the tail of erfc into the subnormal numbers, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from adcompile.runtime.vecmath import implementation


def test_both_add_up_to_one():
    erf, erfc = implementation("erf"), implementation("erfc")
    for x in np.linspace(-6, 6, 301):
        assert abs(erf(x) + erfc(x) - 1.0) <= 5e-16


def test_the_tail_against_mpmath():
    erfc = implementation("erfc")
    with mpmath.workprec(160):
        for x in [*np.linspace(0.4, 26.5, 200), 26.6, 27.0, 27.2]:
            want = mpmath.erfc(mpmath.mpf(float(x)))
            assert abs(mpmath.mpf(erfc(x)) - want) <= 2 * mpmath.mpf(math.ulp(float(want))), x


def test_ends():
    erf, erfc = implementation("erf"), implementation("erfc")
    assert (erf(6.0), erf(-math.inf), erfc(28.0), erfc(-6.0), erfc(math.inf)) == (1.0, -1.0, 0.0, 2.0, 0.0)
    assert math.copysign(1, erf(-0.0)) == -1 and erfc(-0.0) == 1.0
