"""The building blocks: exact residuals with and without a fused multiply-add, sums, quotients, polynomials."""

from __future__ import annotations

import functools
from fractions import Fraction

import numba
import numpy as np
import pytest

from adcompile.runtime.vecmath import intrinsics as own

PAIRS = np.random.default_rng(6).normal(size=(200, 2)) * 1e3


@functools.cache
def residual(fused):
    """a b - (the rounded product), as compiled where the processor has fma, or has not."""

    @numba.njit
    def run(a, b):
        return own.fma(a, b, -(a * b))

    with pytest.MonkeyPatch.context() as patch:
        if not fused:
            patch.setattr(own, "has_fma", lambda _: False)
        run(1.0, 1.0)
    return run


@pytest.mark.parametrize("fused", [True, False])
def test_residuals_are_exact(fused):
    for a, b in PAIRS:
        assert Fraction(residual(fused)(a, b)) == Fraction(a) * Fraction(b) - Fraction(float(a * b))


def test_sums_are_exact():
    for a, b in PAIRS:
        total, low = own.exact_sum(a, b * 1e-8)
        assert Fraction(total) + Fraction(low) == Fraction(a) + Fraction(b * 1e-8)


def test_quotients_take_the_second_parts():
    for n, d in PAIRS:
        got = Fraction(own.quotient(n, n * 1e-17, d, d * 3e-17))
        want = (Fraction(n) + Fraction(n * 1e-17)) / (Fraction(d) + Fraction(d * 3e-17))
        assert abs(got - want) <= Fraction(float(np.spacing(abs(float(want))))) * Fraction(51, 100)


@pytest.mark.parametrize("exponent", [-900, -3, 0, 1, 5, 900])
def test_inverses_without_a_division(exponent):
    for y in np.ldexp(np.random.default_rng(7).uniform(1, 2, 300), exponent).tolist():
        error = abs(Fraction(own.reciprocal(y)) * Fraction(y) - 1)
        assert error <= Fraction(2) ** -52, y
        first = float(1 / Fraction(y)) * 1.0015
        assert abs(Fraction(own.refined(y, first)) * Fraction(y) - 1) <= Fraction(2) ** -52


def test_polynomials_and_bits():
    cubic = own.polynomial((1.0, -2.0, 0.5, 3.0))

    @numba.njit
    def run(x, n):
        return cubic(x), own.from_bits(own.bits(x)), own.shift_right(n, 60), own.select(x > 0.0, 1.0, 2.0), own.floor(x)

    assert run(-2.5, -1) == (1 + 5 + 0.5 * 6.25 - 3 * 15.625, -2.5, 15, 2.0, -3.0)
