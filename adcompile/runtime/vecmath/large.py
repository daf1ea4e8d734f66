"""The quadrant of float64 numbers so large that it needs many digits of 2/π.

x = M 2^E with a whole number M below 2^53. Digits of 2/π whose product with x is a multiple of 4 are left
out; of the others 192 are taken, from a table, and multiplied with M in whole numbers modulo 2^192. The first
two bits of the product are the quadrant, the others the fraction of it, right to 2^-137 of a quadrant; no
float64 is nearer than 2^-62 to a multiple of π/2 relative to a quadrant, so 75 bits remain.
"""

from __future__ import annotations

import numba
import numpy as np

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.intrinsics import bits, fma, inlined

LIMIT = 1.6e6
"""Up to here n = x 2/π has 20 bits, and its product with 33 bits of π/2 is exact."""

DIGITS = np.array([0, *c.TWO_OVER_PI_DIGITS], np.uint64)  # behind a word of zeros, for |x| near LIMIT
HALF_PI, HALF_PI_LOW = c.HALF_PI
U = np.uint64
ONE, HALF_WORD, WORD_LESS_1, LOW_HALF = U(1), U(32), U(63), U(0xFFFFFFFF)
MANTISSA, IMPLIED, EXPONENT = U(0x000FFFFFFFFFFFFF), U(1 << 52), U(0x7FF)


@inlined
def upper_product(a, b):
    """The upper 64 bits of the product of two uint64."""
    a1, a0, b1, b0 = a >> HALF_WORD, a & LOW_HALF, b >> HALF_WORD, b & LOW_HALF
    first, second = a1 * b0, a0 * b1
    middle = ((a0 * b0) >> HALF_WORD) + (first & LOW_HALF) + (second & LOW_HALF)
    return a1 * b1 + (first >> HALF_WORD) + (second >> HALF_WORD) + (middle >> HALF_WORD)


@inlined
def word_at(place):
    """64 digits of 2/π from `place` on, where 64 is the first one behind the point."""
    k, offset = place >> 6, U(place & 63)
    return (DIGITS[k] << offset) | ((DIGITS[k + 1] >> ONE) >> (WORD_LESS_1 - offset))


@numba.njit(error_model="numpy")
def reduced_large(x):
    """The quadrant, and r in two parts with |x| = quadrant π/2 + r modulo 2π, for |x| ≥ LIMIT; else nan."""
    if not abs(x) < np.inf:
        return np.int64(0), np.nan, 0.0
    word = U(bits(x))
    m = (word & MANTISSA) | IMPLIED
    exponent = np.int64((word >> U(52)) & EXPONENT) - 1075  # |x| = m 2^exponent
    place = exponent - 2 + 64  # the digit of weight 2^(1 - exponent), the first whose product is no multiple of 4
    w0, w1, w2 = word_at(place), word_at(place + 64), word_at(place + 128)
    # m (w0 2^128 + w1 2^64 + w2) modulo 2^192
    p2 = m * w2
    carry = upper_product(m, w2)
    p1 = m * w1 + carry
    p0 = m * w0 + upper_product(m, w1) + (ONE if p1 < carry else U(0))
    quadrant = np.int64(p0 >> U(62))
    # what is behind the two bits of the quadrant, as a fraction in [-1/2, 1/2)
    f0 = (p0 << U(2)) | (p1 >> U(62))
    f1 = (p1 << U(2)) | (p2 >> U(62))
    f2 = p2 << U(2)
    sign = 1.0
    if f0 >> WORD_LESS_1:
        quadrant += 1
        sign = -1.0
        f0, f1, f2 = ~f0, ~f1, ~f2
    # the sum of pieces of 32 bits, each exact, from the largest on: the rounding errors add up in `low`
    high, low, scale = 0.0, 0.0, 2.0**-32
    for piece in (f0 >> HALF_WORD, f0 & LOW_HALF, f1 >> HALF_WORD, f1 & LOW_HALF, f2 >> HALF_WORD, f2 & LOW_HALF):
        term = np.float64(piece) * scale
        total = high + term
        low += (high - total) + term
        high = total
        scale *= 2.0**-32
    total = high + low
    low = (high - total) + low
    r = total * HALF_PI
    r_low = fma(total, HALF_PI, -r) + (total * HALF_PI_LOW + low * HALF_PI)
    return quadrant & 3, sign * r, sign * r_low
