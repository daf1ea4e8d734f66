"""sin, cos and tan in float64.

x = n π/2 + r with |r| ≤ π/4, by three products with parts of π/2 of which the first is exact and the error of
the second is kept (Cody and Waite); r comes in two parts. Both the polynomial of the sine and that of the
cosine are computed, and the quadrant selects.

From LIMIT on the digits of 2/π are needed that meet those of x (Payne and Hanek): whole-number work in
`large`, reached by a call that does not stop the loop around it from being vectorised (`calls`).
"""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.calls import rare
from adcompile.runtime.vecmath.intrinsics import (
    bits,
    copysign,
    exact_sum,
    fabs,
    fast_sum,
    fma,
    from_bits,
    inlined,
    muladd,
    polynomial,
    quotient,
    select,
)
from adcompile.runtime.vecmath.large import LIMIT, reduced_large

ROUND = 6755399441055744.0  # 1.5 * 2^52: what is added to it is rounded to a whole number
TWO_OVER_PI = c.TWO_OVER_PI[0]
PART1, PART2, PART3 = c.HALF_PI_PARTS
TINY = 7e-9  # below, x - x³/6 is x in float64

sin_tail = polynomial(c.SIN)
cos_tail = polynomial(c.COS)


@inlined
def reduced(x):
    """The quadrant in the low bits of an int64, and r in two parts, for |x| ≤ LIMIT.

    The second part is small beside the first unless digits cancel, and then both are: the polynomials take the
    first one as it is, while the second one is still being computed.
    """
    shifted = muladd(x, TWO_OVER_PI, ROUND)
    n = shifted - ROUND
    a = muladd(-n, PART1, x)
    b = n * PART2
    b_low = fma(n, PART2, -b)
    high, low = exact_sum(a, -b)
    return bits(shifted), high, muladd(-n, PART3, low - b_low)


@inlined
def sin_parts(r, low):
    """sin(r + low) for |r| ≤ π/4: a sum of r and something small."""
    z = r * r
    return r, muladd(z * r, sin_tail(z), low * muladd(-0.5, z, 1.0))


@inlined
def cos_parts(r, low):
    """cos(r + low) for |r| ≤ π/4: a sum of 1 - r²/2 and something small."""
    z = r * r
    half = 0.5 * z
    most = 1.0 - half
    return most, ((1.0 - most) - half) + muladd(z * z, cos_tail(z), -r * low)


@inlined
def sin_turned(quadrant, r, low):
    """sin(quadrant π/2 + r + low)."""
    s, s_low = sin_parts(r, low)
    k, k_low = cos_parts(r, low)
    even = (quadrant & 1) == 0
    value = select(even, s, k) + select(even, s_low, k_low)
    return from_bits(bits(value) ^ ((quadrant & 2) << 62))


@inlined
def tan_turned(quadrant, r, low):
    """tan(quadrant π/2 + r + low)."""
    r, low = fast_sum(r, low)
    s, s_low = fast_sum(*sin_parts(r, low))
    k, k_low = fast_sum(*cos_parts(r, low))
    even = (quadrant & 1) == 0
    up, up_low = select(even, s, k), select(even, s_low, k_low)
    down, down_low = select(even, k, s), select(even, k_low, s_low)
    value = quotient(up, up_low, down, down_low)
    return select(even, value, -value)


def sine(x):
    quadrant, r, low = reduced_large(x)
    return copysign(1.0, x) * sin_turned(quadrant, r, low)


def cosine(x):
    quadrant, r, low = reduced_large(x)
    return sin_turned(quadrant + 1, r, low)


def tangent(x):
    quadrant, r, low = reduced_large(x)
    return copysign(1.0, x) * tan_turned(quadrant, r, low)


sin_far = rare("sin_far", sine, LIMIT)
cos_far = rare("cos_far", cosine, LIMIT)
tan_far = rare("tan_far", tangent, LIMIT)


@inlined
def sin64(x):
    far, size = sin_far(x), fabs(x)
    n, r, low = reduced(x)
    return select(size < TINY, x, select(size <= LIMIT, sin_turned(n, r, low), far))


@inlined
def cos64(x):
    far = cos_far(x)
    n, r, low = reduced(x)
    return select(fabs(x) <= LIMIT, sin_turned(n + 1, r, low), far)


@inlined
def tan64(x):
    far, size = tan_far(x), fabs(x)
    n, r, low = reduced(x)
    return select(size < TINY, x, select(size <= LIMIT, tan_turned(n, r, low), far))
