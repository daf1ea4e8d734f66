"""The reduction of large arguments, against mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from adcompile.runtime.vecmath.large import LIMIT, reduced_large

NEAREST = 6381956970095103 * 2.0**797  # of all float64, that whose remainder is the smallest


def test_quadrant_and_remainder():
    rng = np.random.default_rng(4)
    x = [LIMIT, NEAREST, 1.7976931348623157e308, *np.exp2(rng.uniform(20.7, 1024, 400))]
    with mpmath.workprec(1300):
        for value in x:
            quadrant, r, low = reduced_large(float(value))
            turns = mpmath.mpf(float(value)) * 2 / mpmath.pi
            whole = mpmath.nint(turns)
            rest = (turns - whole) * mpmath.pi / 2
            assert quadrant == int(whole) % 4
            assert abs(mpmath.mpf(r) + mpmath.mpf(low) - rest) <= abs(rest) * mpmath.mpf(2) ** -70


def test_what_is_no_number_stays_none():
    assert math.isnan(reduced_large(math.inf)[1]) and math.isnan(reduced_large(math.nan)[1])
