"""Logarithms: exact powers, ends of the domain, and the two parts that powers use."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from adcompile.runtime.vecmath import implementation, logarithm


def test_log2_of_powers_of_two_is_exact():
    log2 = implementation("log2")
    assert [log2(math.ldexp(1.0, k)) for k in range(-1074, 1024)] == [float(k) for k in range(-1074, 1024)]


def test_log10_of_powers_of_ten_is_exact():
    log10 = implementation("log10")
    assert [log10(float(f"1e{k}")) for k in range(0, 23)] == [float(k) for k in range(0, 23)]


def test_ends_of_the_domain():
    for name in ("log", "log2", "log10"):
        function = implementation(name)
        assert function(0.0) == function(-0.0) == -math.inf
        assert math.isnan(function(-1e-300)) and math.isnan(function(-math.inf))
    log1p = implementation("log1p")
    assert log1p(-1.0) == -math.inf and math.isnan(log1p(-1.1)) and math.copysign(1, log1p(-0.0)) == -1


def test_the_sum_of_both_parts_has_63_bits():
    rng = np.random.default_rng(3)
    close = [1 + rng.uniform(-0.3, 0.4, 300), 1 + 1e-9 * rng.normal(size=50)]
    x = np.concatenate([np.exp(rng.uniform(-700, 700, 300)), *close])
    with mpmath.workprec(160):
        for value in x:
            high, low = logarithm.log_sum(value)
            want = mpmath.log(mpmath.mpf(float(value)))
            assert abs(mpmath.mpf(high) + mpmath.mpf(low) - want) <= abs(want) * mpmath.mpf(2) ** -63
