"""All of the functions in float32.

They are computed in float64 with shorter polynomials, and rounded once: nothing overflows on the way, no
second parts are needed, and small or subnormal float32 numbers are ordinary. A vector instruction takes half
as many elements that way; carrying float32 in two parts would cost more.
"""

from __future__ import annotations

import numpy as np

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.error_function import ERF_MIDDLE, ERFC_MIDDLE, SHIFT
from adcompile.runtime.vecmath.exponential import INVERSE_LOG2, ROUND, ROUND_BITS, power_of_two
from adcompile.runtime.vecmath.intrinsics import (
    bits,
    copysign,
    fabs,
    from_bits,
    inlined,
    muladd,
    polynomial,
    select,
    shift_right,
    sqrt,
)
from adcompile.runtime.vecmath.inverse import HALF_PI, PI
from adcompile.runtime.vecmath.large import LIMIT
from adcompile.runtime.vecmath.logarithm import MANTISSA, ROOT_HALF_BITS, TO_ONE, WHOLE, WHOLE_BITS, at_ends
from adcompile.runtime.vecmath.powers import cube_root_start, power_at_ends
from adcompile.runtime.vecmath.trigonometric import PART1, PART2, TWO_OVER_PI, cos_far, sin_far, tan_far

LOG2 = c.LOG2_PARTS[0] + c.LOG2_PARTS[1]
LOG10E = c.INVERSE_LOG10[0] + c.INVERSE_LOG10[1]

exp_tail = polynomial(c.EXP_SHORT)
series = polynomial(c.LOG_SHORT)
power_series = polynomial(c.LOG)  # a logarithm is multiplied by up to 2^30 in a power
sin_tail = polynomial(c.SIN_SHORT)
cos_tail = polynomial(c.COS_SHORT)
atan_tail = polynomial(c.ATAN_SHORT)
asin_tail = polynomial(c.ASIN_SHORT)
near_zero = polynomial(c.ERF_SHORT)
erf_tail = polynomial(c.ERF_TAIL_SHORT)
erfc_tail = polynomial(c.ERFC_TAIL_SHORT)


@inlined
def scale_and_rest(x):
    """s and p with exp(x) = s (1 + p); beyond ±300, those of ±300."""
    x = select(x > 300.0, 300.0, select(x < -300.0, -300.0, x))
    shifted = muladd(x, INVERSE_LOG2, ROUND)
    r = muladd(shifted - ROUND, -LOG2, x)
    return power_of_two(bits(shifted) - ROUND_BITS), muladd(r * r, exp_tail(r), r)


@inlined
def exp_wide(x):
    scale, p = scale_and_rest(x)
    return muladd(scale, p, scale)


@inlined
def expm1_wide(x):
    scale, p = scale_and_rest(x)
    return muladd(scale, p, scale - 1.0)


@inlined
def exp32(x):
    return np.float32(exp_wide(np.float64(x)))


@inlined
def expm1_32(x):
    x = np.float64(x)
    return np.float32(copysign(expm1_wide(x), x))


@inlined
def sinh32(x):
    x = np.float64(x)
    e = expm1_wide(fabs(x))
    return np.float32(copysign(0.5 * (e + e / (e + 1.0)), x))


@inlined
def cosh32(x):
    e = exp_wide(np.float64(x))
    return np.float32(0.5 * (e + 1.0 / e))


@inlined
def tanh32(x):
    x = np.float64(x)
    e = expm1_wide(2.0 * fabs(x))
    return np.float32(copysign(e / (e + 2.0), x))


@inlined
def sigmoid32(x):
    return np.float32(1.0 / (1.0 + exp_wide(-np.float64(x))))


@inlined
def log_sigmoid32(x):
    x = np.float64(x)
    small = exp_wide(-fabs(x))
    near = small < 0.41
    log1p = muladd(select(near, 0.0, 1.0), LOG2, log_from_one(select(near, small, 0.5 * small - 0.5)))
    return np.float32(select(x < 0.0, x, -0.0) - log1p)


@inlined
def parts(x):
    """k and m with x = 2^k m and √½ ≤ m < √2, for positive finite normal x."""
    moved = bits(x) + TO_ONE
    return from_bits(shift_right(moved, 52) | WHOLE_BITS) - WHOLE, from_bits((moved & MANTISSA) + ROOT_HALF_BITS)


@inlined
def log_from_one(f):
    """log(1 + f) for √½ ≤ 1 + f < √2."""
    s = f / (2.0 + f)
    z = s * s
    return s * muladd(z, series(z), 2.0)


@inlined
def log_wide(x):
    k, m = parts(x)
    return at_ends(x, muladd(k, LOG2, log_from_one(m - 1.0)))


@inlined
def log1p_wide(x):
    total = 1.0 + x
    k, m = parts(total)
    near = (x > -0.29) & (x < 0.41)  # where 1 + x would lose what counts
    value = muladd(select(near, 0.0, k), LOG2, log_from_one(select(near, x, m - 1.0)))
    return at_ends(total, value)


@inlined
def log32(x):
    return np.float32(log_wide(np.float64(x)))


@inlined
def log1p32(x):
    x = np.float64(x)
    return np.float32(copysign(log1p_wide(x), x))


@inlined
def log2_32(x):
    x = np.float64(x)
    k, m = parts(x)
    return np.float32(at_ends(x, muladd(log_from_one(m - 1.0), INVERSE_LOG2, k)))


@inlined
def log10_32(x):
    return np.float32(LOG10E * log_wide(np.float64(x)))


@inlined
def sine_and_cosine(x):
    """The quadrant in the low bits of an int64, and the sine and cosine of the rest, for |x| ≤ LIMIT."""
    shifted = muladd(x, TWO_OVER_PI, ROUND)
    n = shifted - ROUND
    r = muladd(-n, PART2, muladd(-n, PART1, x))
    z = r * r
    return bits(shifted), muladd(z * r, sin_tail(z), r), muladd(z, muladd(z, cos_tail(z), -0.5), 1.0)


@inlined
def turned(quadrant, sine, cosine):
    value = select((quadrant & 1) == 0, sine, cosine)
    return from_bits(bits(value) ^ ((quadrant & 2) << 62))


@inlined
def sin32(x):
    x = np.float64(x)
    far = sin_far(x)
    n, sine, cosine = sine_and_cosine(x)
    value = select(fabs(x) <= LIMIT, turned(n, sine, cosine), far)
    return np.float32(select(x == 0.0, x, value))


@inlined
def cos32(x):
    x = np.float64(x)
    far = cos_far(x)
    n, sine, cosine = sine_and_cosine(x)
    return np.float32(select(fabs(x) <= LIMIT, turned(n + 1, sine, cosine), far))


@inlined
def tan32(x):
    x = np.float64(x)
    far = tan_far(x)
    n, sine, cosine = sine_and_cosine(x)
    even = (n & 1) == 0
    value = select(even, sine, -cosine) / select(even, cosine, sine)
    return np.float32(select(x == 0.0, x, select(fabs(x) <= LIMIT, value, far)))


@inlined
def halved(size):
    """s and asin s, where s is |x| below ½ and √((1 - |x|)/2) from there on."""
    near = size < 0.5
    z = select(near, size * size, muladd(-0.5, size, 0.5))
    s = select(near, size, sqrt(z))
    return near, muladd(s * z, asin_tail(z), s)


@inlined
def asin32(x):
    x = np.float64(x)
    near, angle = halved(fabs(x))
    return np.float32(copysign(select(near, angle, muladd(-2.0, angle, HALF_PI)), x))


@inlined
def acos32(x):
    x = np.float64(x)
    near, angle = halved(fabs(x))
    angle = copysign(angle, x)
    return np.float32(select(near, HALF_PI - angle, muladd(2.0, angle, select(x < 0.0, PI, 0.0))))


@inlined
def atan32(x):
    x = np.float64(x)
    size = fabs(x)
    over = size > 1.0
    s = select(over, 1.0 / size, size)
    z = s * s
    angle = muladd(s * z, atan_tail(z), s)
    return np.float32(copysign(select(over, HALF_PI - angle, angle), x))


@inlined
def atan2_32(y, x):
    y, x = np.float64(y), np.float64(x)
    a, b = fabs(y), fabs(x)
    steep = a > b
    top, bottom = select(steep, b, a), select(steep, a, b)
    s = select(top == bottom, select(top == 0.0, 0.0, 1.0), top / bottom)
    z = s * s
    angle = muladd(s * z, atan_tail(z), s)
    left = copysign(1.0, x) < 0.0
    base = select(steep, HALF_PI, select(left, PI, 0.0))
    value = base + select(steep != left, -angle, angle)
    return np.float32(copysign(select((x != x) | (y != y), x + y, value), y))


@inlined
def pow32(x, y):
    x, y = np.float64(x), np.float64(y)
    size = fabs(x)
    k, m = parts(size)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    log = muladd(k, LOG2, s * muladd(z, power_series(z), 2.0))
    return np.float32(power_at_ends(x, y, exp_wide(y * log)))


@inlined
def cbrt32(x):
    x = np.float64(x)
    size = fabs(x)
    v, r, scale = cube_root_start(size)
    r = muladd(r * 0.3333333333333333, muladd(-v * r, r * r, 1.0), r)
    value = copysign(v * r * r * scale, x)
    return np.float32(select((size > 0.0) & (size < np.inf), value, x))


@inlined
def hypot32(x, y):
    x, y = np.float64(x), np.float64(y)
    value = sqrt(muladd(x, x, y * y))
    return np.float32(select((fabs(x) == np.inf) | (fabs(y) == np.inf), np.inf, value))


@inlined
def erf32(x):
    x = np.float64(x)
    size = fabs(x)
    small = muladd(x, near_zero(x * x), x)
    far = select(size > 4.0, 4.0, size)
    d, e = far + SHIFT, far + far + 1.0
    inverse = 1.0 / (d * e)
    large = 1.0 - exp_wide(-far * far) * (d * inverse) * erf_tail(muladd(e, inverse, -ERF_MIDDLE))
    return np.float32(select(size < 1.0, small, copysign(select(size != size, x, large), x)))


@inlined
def erfc32(x):
    x = np.float64(x)
    size = fabs(x)
    small = 1.0 - muladd(x, near_zero(x * x), x)
    far = select(size > 10.5, 10.5, size)
    d, e = far + SHIFT, far + far + 1.0
    inverse = 1.0 / (d * e)
    large = exp_wide(-far * far) * (d * inverse) * erfc_tail(muladd(e, inverse, -ERFC_MIDDLE))
    large = select(x < 0.0, 2.0 - large, large)
    return np.float32(select(size < 0.5, small, select(size != size, x, large)))
