"""asin, acos, atan and atan2 in float64.

asin and acos: below ½ a polynomial in x²; from ½ on by asin x = π/2 - 2 asin √((1 - x)/2), which uses the same
polynomial. atan: above 1 by π/2 - atan(1/x); one polynomial of degree 19 in x² serves all of [0, 1], which in
vector code costs less than dividing the interval further.
"""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.intrinsics import copysign, fabs, fast_sum, inlined, muladd, polynomial, select, sqrt

HALF_PI, HALF_PI_LOW = c.HALF_PI
PI, PI_LOW = c.PI
INF = float("inf")

asin_tail = polynomial(c.ASIN)
atan_tail = polynomial(c.ATAN)


@inlined
def halved(size):
    """s and t with asin s = s + t, where s is |x| below ½ and √((1 - |x|)/2) from there on."""
    near = size < 0.5
    z = select(near, size * size, muladd(-0.5, size, 0.5))
    s = select(near, size, sqrt(z))
    return near, s, s * z * asin_tail(z)


@inlined
def asin64(x):
    size = fabs(x)
    near, s, t = halved(size)
    high, low = fast_sum(HALF_PI, -2.0 * s)
    value = select(near, s + t, high + (muladd(-2.0, t, HALF_PI_LOW) + low))
    return copysign(value, x)


@inlined
def acos64(x):
    near, s, t = halved(fabs(x))
    s, t = copysign(s, x), copysign(t, x)
    middle = (HALF_PI - s) - (t - HALF_PI_LOW)
    end = 2.0 * (s + t)
    end = select(x < 0.0, PI + (end + PI_LOW), end)
    return select(near, middle, end)


@inlined
def atan64(x):
    size = fabs(x)
    over = size > 1.0
    inverse = 1.0 / size
    s = select(over, inverse, size)
    z = s * s
    t = s * z * atan_tail(z)
    value = select(over, (HALF_PI - s) - (t - HALF_PI_LOW), s + t)
    return copysign(value, x)


@inlined
def atan2_64(y, x):
    a, b = fabs(y), fabs(x)
    steep = a > b
    top, bottom = select(steep, b, a), select(steep, a, b)
    # 0/0 and infinity/infinity: the angle is that of 0 and of 1
    s = select(top == bottom, select(top == 0.0, 0.0, 1.0), top / bottom)
    z = s * s
    t = s * z * atan_tail(z)
    left = copysign(1.0, x) < 0.0
    s, t = select(steep != left, -s, s), select(steep != left, -t, t)
    base = select(steep, HALF_PI, select(left, PI, 0.0))
    base_low = select(steep, HALF_PI_LOW, select(left, PI_LOW, 0.0))
    value = (base + s) + (t + base_low)
    return copysign(select((x != x) | (y != y), x + y, value), y)
