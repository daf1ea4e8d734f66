"""erf and erfc in float64.

Near zero erf x = x + x p(x²) with a polynomial p. Farther out erfc x = exp(-x²) h(w) / (2x + 1) with a
polynomial h in w = 1 / (x + 3.5), which changes little; both reciprocals come from one division. The square is
taken in two parts, as the exponential would magnify its rounding.
"""

from __future__ import annotations

from adcompile.runtime.vecmath import coefficients as c
from adcompile.runtime.vecmath.exponential import gauss64, reduced_parts, scaled
from adcompile.runtime.vecmath.intrinsics import (
    copysign,
    exact_sum,
    fabs,
    fast_sum,
    fma,
    inlined,
    muladd,
    polynomial,
    reciprocal,
    select,
)

near_zero = polynomial(c.ERF)
erf_tail = polynomial(c.ERF_TAIL)
ERFC_FIRST, ERFC_LOST = c.ERFC_TAIL[0], c.ERFC_LOST
erfc_tail = polynomial(c.ERFC_TAIL[1:])
SHIFT, ERF_MIDDLE, ERFC_MIDDLE = c.TAIL_SHIFT, c.ERF_MIDDLE, c.ERFC_MIDDLE


@inlined
def erf64(x):
    """Its exponential is that of the derivative, exp(-(x * x)), which compilers then compute once for both."""
    size, square = fabs(x), x * x
    small = muladd(x, near_zero(square), x)
    d, e = size + SHIFT, size + size + 1.0
    inverse = reciprocal(d * e)
    gauss = gauss64(x)
    exact = muladd(gauss, -fma(x, x, -square), gauss)
    large = 1.0 - exact * (d * inverse * erf_tail(muladd(e, inverse, -ERF_MIDDLE)))
    large = select(size < 6.0, large, select(size != size, x, 1.0))
    return select(size < 1.0, small, copysign(large, x))


@inlined
def erfc64(x):
    size = fabs(x)
    small = 1.0 - muladd(x, near_zero(x * x), x)
    far = select(size > 28.0, 28.0, size)
    square = far * far
    d, d_low = fast_sum(SHIFT, far)
    e, e_low = exact_sum(far + far, 1.0)
    inverse = 1.0 / (d * e)
    # what rounding took from 1 / d, the square, 1 / e, h and h / e is given back
    w = e * inverse
    u = muladd(w, muladd(-w, d_low, fma(-w, d, 1.0)), w - ERFC_MIDDLE)
    h, h_low = fast_sum(ERFC_FIRST, muladd(u, erfc_tail(u), ERFC_LOST))
    v = d * inverse
    lost = muladd(-v, e_low, fma(-v, e, 1.0)) - fma(far, far, -square)
    n, r, small_r = reduced_parts(-square)
    g = v * h
    rest = muladd(g, r, muladd(g, small_r, muladd(v, h_low, fma(v, h, -g))))
    large = scaled(g + muladd(lost, g + rest, rest), n)
    large = select(x < 0.0, 2.0 - large, large)
    return select(size < 0.5, small, select(size != size, x, large))
