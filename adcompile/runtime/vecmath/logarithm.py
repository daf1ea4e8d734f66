"""log, log1p, log2 and log10 in float64, and the logarithm in two parts that powers need.

x = 2^k m with √½ ≤ m < √2 and s = (m - 1) / (m + 1); then log m = 2 atanh s = 2s + s z p(z) with z = s² and
a polynomial p. As 2s = f - s f with f = m - 1, which is exact, log m = f - s (f - z p), and the
two subtractions are arranged so that the large terms are exact.
"""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.intrinsics import (
    bits,
    exact_sum,
    fabs,
    fma,
    from_bits,
    inlined,
    muladd,
    polynomial,
    refined,
    select,
    shift_right,
)

INF = float("inf")
NAN = float("nan")
ROUND = 6755399441055744.0  # 1.5 * 2^52: a whole number added to it stands in the low bits
ONE_BITS = 0x3FF0000000000000
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # √½
TO_ONE = ONE_BITS - ROOT_HALF_BITS
MANTISSA = 0x000FFFFFFFFFFFFF
WHOLE_BITS = 0x4330000000000000  # 2^52: small whole numbers in its low bits are added to it
WHOLE = 4503599627370496.0 + 1023.0
NORMAL = 2.2250738585072014e-308
UP = 18014398509481984.0  # 2^54: what makes subnormal numbers normal
LOG2_HIGH, LOG2_LOW = c.LOG2_WIDE  # an exponent times the first part is exact
LOG2E_HIGH, LOG2E_LOW = c.INVERSE_LOG2
LOG10E_HIGH, LOG10E_LOW = c.INVERSE_LOG10
LOG10_OF_2_HIGH, LOG10_OF_2_LOW = c.LOG10_OF_2
THIRDS_HIGH, THIRDS_LOW = c.TWO_THIRDS

inverse_of_sum = polynomial((1.47775591, -0.72244411, 0.11686289))
series = polynomial(c.LOG)
series_tail = polynomial(c.LOG_TAIL)


@inlined
def parts(x):
    """k and m with x = 2^k m and √½ ≤ m < √2, for positive finite x."""
    small = x < NORMAL
    moved = bits(select(small, x * UP, x)) + TO_ONE
    k = from_bits(shift_right(moved, 52) | WHOLE_BITS) - select(small, WHOLE + 54.0, WHOLE)
    return k, from_bits((moved & MANTISSA) + ROOT_HALF_BITS)


@inlined
def at_ends(x, value):
    """value, and what logarithms are at zero, at infinity, below zero and of nan."""
    value = select(x == 0.0, -INF, select(x == INF, INF, value))
    return select(x >= 0.0, value, NAN)


@inlined
def near_one(f):
    """f²/2 and s (f²/2 + z p(z)): log(1 + f) is f less the first plus the second."""
    y = 2.0 + f
    s = f * refined(y, inverse_of_sum(y))
    z = s * s
    half_square = 0.5 * f * f
    return half_square, s * muladd(z, series(z), half_square)


@inlined
def log64(x):
    k, m = parts(x)
    f = m - 1.0
    half_square, rest = near_one(f)
    value = k * LOG2_HIGH - ((half_square - muladd(k, LOG2_LOW, rest)) - f)
    return at_ends(x, value)


@inlined
def log1p64(x):
    total, lost = exact_sum(1.0, x)
    k, m = parts(total)
    near = (x > -0.29) & (x < 0.41)  # where f is x itself
    k = select(near, 0.0, k)
    f = select(near, x, m - 1.0)
    # 2^-k, from a whole number in the low bits; beyond 2^100 what is lost no longer counts
    scaled = lost * from_bits(ONE_BITS - (bits(select(k > 100.0, 100.0, k) + ROUND) << 52))
    # the derivative 1/(1 + f) of the logarithm, as a short series: what it multiplies is tiny
    correction = select(near, 0.0, scaled * muladd(f, f - 1.0, 1.0))
    half_square, rest = near_one(f)
    value = k * LOG2_HIGH - ((half_square - (muladd(k, LOG2_LOW, correction) + rest)) - f)
    value = select(fabs(x) < 1e-17, x, value)
    return at_ends(total, value)


@inlined
def log1p_unit(x):
    """log(1 + x) for 0 ≤ x ≤ 1, where k is 0 or 1 and m - 1 is exact, or nearly."""
    near = x < 0.41
    k = select(near, 0.0, 1.0)
    f = select(near, x, muladd(0.5, x, -0.5))
    half_square, rest = near_one(f)
    return k * LOG2_HIGH - ((half_square - muladd(k, LOG2_LOW, rest)) - f)


@inlined
def log2_64(x):
    k, m = parts(x)
    high, low = split_near_one(m - 1.0)
    product = high * LOG2E_HIGH
    rest = muladd(low + high, LOG2E_LOW, low * LOG2E_HIGH)
    total = k + product
    return at_ends(x, total + (rest + ((k - total) + product)))


@inlined
def log10_64(x):
    k, m = parts(x)
    high, low = split_near_one(m - 1.0)
    product = high * LOG10E_HIGH
    whole = k * LOG10_OF_2_HIGH
    rest = muladd(k, LOG10_OF_2_LOW, muladd(low + high, LOG10E_LOW, low * LOG10E_HIGH))
    total = whole + product
    return at_ends(x, total + (rest + ((whole - total) + product)))


@inlined
def split_near_one(f):
    """log(1 + f) as a sum: 21 bits, whose product with 32 bits is exact, and the rest."""
    half_square, rest = near_one(f)
    high = from_bits(bits(f - half_square) & -0x100000000)
    return high, ((f - high) - half_square) + rest


@inlined
def log_sum(x):
    """log x as a sum of two parts with about 66 bits, for positive finite x."""
    k, m = parts(x)
    f = m - 1.0
    d = m + 1.0
    d_low = m - (d - 1.0)
    inverse = 1.0 / d
    s = f * inverse
    s_low = (fma(-s, d, f) - s * d_low) * inverse
    z = s * s
    z_low = muladd(s + s, s_low, fma(s, s, -z))
    # the series is 2s + s³ (2/3 + z q(z)): each product with its error
    term = z * series_tail(z)
    a = THIRDS_HIGH + term
    a_low = ((THIRDS_HIGH - a) + term) + THIRDS_LOW
    cube = z * s
    cube_low = muladd(z_low, s, muladd(z, s_low, fma(z, s, -cube)))
    b = cube * a
    b_low = muladd(cube_low, a, muladd(cube, a_low, fma(cube, a, -b)))
    high = (s + s) + b
    low = ((s + s) - high) + b + (b_low + (s_low + s_low))
    whole = k * LOG2_HIGH
    total = whole + high
    return total, ((whole - total) + high) + muladd(k, LOG2_LOW, low)
