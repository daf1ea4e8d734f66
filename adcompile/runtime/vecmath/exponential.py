"""exp, expm1, the hyperbolic functions and the logistic ones, in float64.

x = n ln 2 + r with a whole number n and |r| ≤ ln 2 / 2; then exp(r) - 1 = r + r² q(r) with a polynomial q,
and 2^n is made in the bits of the exponent. n is rounded by adding 1.5·2^52, which also leaves it in the
low bits: processors before AVX-512 have no conversion from vectors of float64 to int64.
"""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.intrinsics import (
    bits,
    copysign,
    exact_sum,
    fabs,
    fast_sum,
    from_bits,
    inlined,
    muladd,
    polynomial,
    quotient,
    select,
    shift_right,
)
from adcompile.runtime.vecmath.logarithm import log1p_unit

ROUND = 6755399441055744.0  # 1.5 * 2^52: what is added to it is rounded to a whole number
ROUND_BITS = 0x4338000000000000
INVERSE_LOG2 = 1.4426950408889634
LOG2_HIGH, LOG2_LOW = c.LOG2_PARTS  # a whole number of 11 bits times the first part is exact
NOTHING = -0.0  # adding it is no operation, as adding 0.0 would be for -0.0
TINY = 1e-9  # below, x - x³ is x in float64

tail = polynomial(c.EXP)
tail_of_minus = polynomial([(-1) ** k * a for k, a in enumerate(c.EXP)])


@inlined
def reduced(x, low):
    """n as an int64, and r with x + low = n ln 2 + r, for |x| < 2^20 and a small correction `low`."""
    shifted = muladd(x, INVERSE_LOG2, ROUND)
    n = shifted - ROUND
    r = muladd(-n, LOG2_LOW, muladd(-n, LOG2_HIGH, x) + low)
    return bits(shifted) - ROUND_BITS, r


@inlined
def reduced_parts(x):
    """n, r and w with exp(x) = 2^n (1 + r + w), where w is small beside r and corrects its rounding."""
    shifted = muladd(x, INVERSE_LOG2, ROUND)
    n = shifted - ROUND
    near = muladd(-n, LOG2_HIGH, x)
    r = muladd(-n, LOG2_LOW, near)
    rest = muladd(-n, LOG2_LOW, near - r)
    return bits(shifted) - ROUND_BITS, r, muladd(r * r, tail(r), rest)


@inlined
def within(x):
    """x, and a number whose exponential is the same where that is 0 or infinite."""
    return select(x > 720.0, 720.0, select(x < -760.0, -760.0, x))


@inlined
def power_of_two(n):
    """2^n, for -1023 < n < 1024."""
    return from_bits((n + 1023) << 52)


@inlined
def scaled(value, n):
    """value 2^n in two steps: the result may be subnormal, and rounded once, or finite where 2^n is not."""
    half = shift_right(n + 2048, 1) - 1024
    return value * power_of_two(half) * power_of_two(n - half)


@inlined
def exp_sum(x, low):
    """exp(x + low), where |low| is at most a few units in the last place of x."""
    n, r = reduced(within(x), low)
    return scaled(1.0 + muladd(r * r, tail(r), r), n)


@inlined
def exp64(x):
    return exp_sum(x, NOTHING)


@inlined
def gauss64(x):
    """exp(-(x * x)) bit for bit, without a negation.

    Compilers would move that into what x comes from, and not see that erf has computed the same.
    """
    square = x * x
    square = select(square > 760.0, 760.0, square)
    shifted = muladd(square, -INVERSE_LOG2, ROUND)
    n = shifted - ROUND
    r = muladd(n, LOG2_LOW, muladd(n, LOG2_HIGH, square))
    return scaled(1.0 - muladd(r * r, -tail_of_minus(r), r), bits(shifted) - ROUND_BITS)


@inlined
def exp_parts(x):
    """exp(x) in two parts."""
    n, r, w = reduced_parts(within(x))
    most, rest = fast_sum(1.0, r)
    value, low = fast_sum(most, rest + w)
    return scaled(value, n), scaled(low, n)


@inlined
def quarters(x):
    """s, r and w with s (1 + r + w) = exp(x) / 4, which overflows where no hyperbolic function is finite; x > -700."""
    n, r, w = reduced_parts(select(x > 710.6, 710.6, x))
    return power_of_two(n - 2), r, w


@inlined
def expm1_quarter(x):
    """(exp(x) - 1) / 4 in two parts, its terms added by size, as they cancel next to zero."""
    scale, r, w = quarters(x)
    most = scale - 0.25
    total = muladd(scale, r, most)
    rest = muladd(scale, w, muladd(scale, r, most - total))
    return fast_sum(total, rest)


@inlined
def expm1_64(x):
    value, _ = expm1_quarter(select(x < -45.0, -45.0, x))
    return select(fabs(x) < 1e-17, x, 4.0 * value)


@inlined
def sinh64(x):
    """(E + E / (E + 1)) / 2 with E = exp(x) - 1."""
    q, q_low = expm1_quarter(fabs(x))
    n = select(q > 1e18, 1e18, q)  # more, and the second term no longer counts
    d, d_low = exact_sum(n, 0.25)
    value = 2.0 * (q + (q_low + quotient(0.25 * n, 0.25 * q_low, d, d_low + q_low)))
    return select(fabs(x) < TINY, x, copysign(value, x))


@inlined
def cosh64(x):
    scale, r, w = quarters(fabs(x))
    quarter = muladd(scale, r + w, scale)
    return 2.0 * quarter + 0.125 / quarter


@inlined
def tanh64(x):
    """E / (E + 2) with E = exp(2x) - 1."""
    size = fabs(x)
    q, q_low = expm1_quarter(2.0 * select(size > 20.0, 20.0, size))
    d, d_low = exact_sum(0.5, q)
    value = quotient(q, q_low, d, d_low + q_low)
    return select(size < TINY, x, copysign(value, x))


@inlined
def sigmoid64(x):
    small, low = exp_parts(-fabs(x))
    total, lost = fast_sum(1.0, small)
    return quotient(select(x < 0.0, small, 1.0), select(x < 0.0, low, 0.0), total, lost + low)


@inlined
def log_sigmoid64(x):
    return select(x < 0.0, x, NOTHING) - log1p_unit(exp64(-fabs(x)))
