"""pow, cbrt and hypot in float64."""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.exponential import exp_sum
from adcompile.runtime.vecmath.intrinsics import (
    bits,
    copysign,
    fabs,
    floor,
    fma,
    from_bits,
    inlined,
    muladd,
    polynomial,
    select,
    shift_right,
    sqrt,
)
from adcompile.runtime.vecmath.logarithm import log_sum

INF = float("inf")
NAN = float("nan")
ROUND = 6755399441055744.0  # 1.5 * 2^52: what is added to it is rounded to a whole number
ROUND_BITS = 0x4338000000000000
MANTISSA = 0x000FFFFFFFFFFFFF
ONE_BITS = 0x3FF0000000000000
WHOLE_BITS = 0x4330000000000000  # 2^52: small whole numbers in its low bits are added to it
WHOLE = 4503599627370496.0 + 1023.0
NORMAL = 2.2250738585072014e-308
UP = 18014398509481984.0  # 2^54: what makes subnormal numbers normal
HALF_ROOT, QUARTER_ROOT = c.CUBE_ROOTS

inverse_cube_root = polynomial(c.CBRT)


@inlined
def power_at_ends(x, y, value):
    """x^y, where value is |x|^y if that is not a limit: signs, zeros, infinities and what is not real."""
    size = fabs(x)
    grows = (size > 1.0) == (y > 0.0)
    end = (size == 0.0) | (size == INF) | (fabs(y) == INF)
    value = select(end, select(size == 1.0, 1.0, select(grows, INF, 0.0)), value)
    whole = floor(y) == y
    half = 0.5 * y
    odd = whole & (floor(half) != half)
    value = select((copysign(1.0, x) < 0.0) & odd, -value, value)
    value = select((x < 0.0) & (size != INF) & (not whole), NAN, value)
    value = select((x != x) | (y != y), NAN, value)
    return select((x == 1.0) | (y == 0.0), 1.0, value)


@inlined
def pow64(x, y):
    """exp(y log |x|) with the logarithm and the product in two parts."""
    log, log_low = log_sum(fabs(x))
    power = y * log
    low = muladd(y, log_low, fma(y, log, -power))
    sure = (fabs(power) < 800.0) & (power != 0.0)  # where the second part is finite, and counts
    value = exp_sum(power, select(sure, low, -0.0))
    return power_at_ends(x, y, value)


@inlined
def cube_root_start(size):
    """v, an estimate of v^(-1/3) and 2^j with size = 2^(3j) v and 1 ≤ v < 8, for positive normal numbers."""
    word = bits(size)
    k = from_bits(shift_right(word, 52) | WHOLE_BITS) - WHOLE
    m = from_bits((word & MANTISSA) | ONE_BITS)
    shifted = muladd(k - 1.0, 0.3333333333333333, ROUND)
    rest = k - 3.0 * (shifted - ROUND)  # 0, 1 or 2
    v = m * select(rest == 0.0, 1.0, select(rest == 1.0, 2.0, 4.0))
    r = inverse_cube_root(m) * select(rest == 0.0, 1.0, select(rest == 1.0, HALF_ROOT, QUARTER_ROOT))
    return v, r, from_bits(((bits(shifted) - ROUND_BITS) << 52) + ONE_BITS)


@inlined
def cbrt64(x):
    """v^(-1/3) by a polynomial and a step that leaves the cube of its error; its square times v, corrected."""
    size = fabs(x)
    small = size < NORMAL
    v, r, scale = cube_root_start(select(small, size * UP, size))
    # the error e = 1 - v r³ falls by r (1 - e)^(-1/3) = r (1 + e/3 + 2e²/9 + …)
    e = muladd(-v * r, r * r, 1.0)
    r = muladd(r * e, muladd(e, 0.2222222222222222, 0.3333333333333333), r)
    y = v * r * r
    square = y * y
    error = fma(square, y, -v) + fma(y, y, -square) * y
    y = muladd(-0.3333333333333333 * r * r, error, y)
    value = copysign(y * select(small, scale * 2.0**-18, scale), x)
    return select((size > 0.0) & (size < INF), value, x)


@inlined
def hypot64(x, y):
    """√(x² + y²), scaled by a power of two where squares overflow or lose bits."""
    a, b = fabs(x), fabs(y)
    largest = select(a > b, a, b)
    scale = select(largest > 1e150, 2.0**-600, select(largest < 1e-140, 2.0**600, 1.0))
    back = select(largest > 1e150, 2.0**600, select(largest < 1e-140, 2.0**-600, 1.0))
    a, b = a * scale, b * scale
    value = sqrt(muladd(a, a, b * b)) * back
    return select((fabs(x) == INF) | (fabs(y) == INF), INF, value)
