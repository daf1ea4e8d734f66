"""All of `math`, with the functions of NumPy and cmath that are the same."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import BOOL, FLOAT, INT, TupleT
from adcompile.rules.kinds import composite, constant, elementwise
from adcompile.rules.typing import always
from adcompile.runtime import special


def only_present(*names: str) -> list[Callable[..., Any]]:
    """The functions of `math` with these names that this version of Python has."""
    return [getattr(math, name) for name in names if hasattr(math, name)]


@elementwise(np.sin, math.sin, cmath.sin)
def sine(y, x):
    return np.cos(x)


@elementwise(np.cos, math.cos, cmath.cos)
def cosine(y, x):
    return -np.sin(x)


@elementwise(np.tan, math.tan, cmath.tan)
def tangent(y, x):
    return 1.0 + y * y


# The inverses of complex numbers: y knows on which side of its cut x lies, where 1 ± x has lost the sign of a zero.


@elementwise(np.arcsin, math.asin, cmath.asin)
def arcsine(y, x):
    if np.iscomplexobj(y):
        return rt.quotient(1.0, np.cos(y))
    return rt.quotient(1.0, np.sqrt((1.0 - x) * (1.0 + x)))


@elementwise(np.arccos, math.acos, cmath.acos)
def arccosine(y, x):
    if np.iscomplexobj(y):
        return rt.quotient(-1.0, np.sin(y))
    return rt.quotient(-1.0, np.sqrt((1.0 - x) * (1.0 + x)))


@elementwise(np.arctan, math.atan, cmath.atan)
def arctangent(y, x):
    return 1.0 / (1.0 + x * x)


@elementwise(np.sinh, math.sinh, cmath.sinh)
def hyperbolic_sine(y, x):
    return np.cosh(x)


@elementwise(np.cosh, math.cosh, cmath.cosh)
def hyperbolic_cosine(y, x):
    return np.sinh(x)


@elementwise(np.tanh, math.tanh, cmath.tanh)
def hyperbolic_tangent(y, x):
    return 1.0 - y * y


@elementwise(np.arcsinh, math.asinh, cmath.asinh)
def area_hyperbolic_sine(y, x):
    if np.iscomplexobj(y):
        return rt.quotient(1.0, np.cosh(y))
    return 1.0 / np.sqrt(x * x + 1.0)


@elementwise(np.arccosh, math.acosh, cmath.acosh)
def area_hyperbolic_cosine(y, x):
    if np.iscomplexobj(y):
        return rt.quotient(1.0, np.sinh(y))
    return rt.quotient(1.0, np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@elementwise(np.arctanh, math.atanh, cmath.atanh)
def area_hyperbolic_tangent(y, x):
    return rt.quotient(1.0, (1.0 - x) * (1.0 + x))


@elementwise(np.exp, math.exp, cmath.exp)
def exponential(y, x):
    return y


@elementwise(np.exp2, *only_present("exp2"))
def exponential_of_two(y, x):
    return y * math.log(2.0)


@elementwise(np.expm1, math.expm1)
def exponential_less_one(y, x):
    return y + 1.0


@elementwise(np.log)
def natural_logarithm(y, x):
    return rt.quotient(1.0, x)


@elementwise(math.log, cmath.log)
def logarithm(y, x, base=None):
    if base is None:
        return 1.0 / x, None
    base = base * 1.0  # logarithms of small integers are in half precision
    return 1.0 / (x * np.log(base)), -y / (base * np.log(base))


@elementwise(np.log2, math.log2)
def logarithm_to_two(y, x):
    return rt.quotient(1.0, x * math.log(2.0))


@elementwise(np.log10, math.log10, cmath.log10)
def logarithm_to_ten(y, x):
    return rt.quotient(1.0, x * math.log(10.0))


@elementwise(np.log1p, math.log1p)
def logarithm_of_one_more(y, x):
    return rt.quotient(1.0, 1.0 + x)


@elementwise(np.sqrt, math.sqrt, cmath.sqrt)
def square_root(y, x):
    return rt.quotient(0.5, y)


@elementwise(np.cbrt, *only_present("cbrt"))
def cube_root(y, x):
    return rt.quotient(1.0, 3.0 * y * y)


@elementwise(np.degrees, np.rad2deg, math.degrees)
def in_degrees(y, x):
    return 57.29577951308232


@elementwise(np.radians, np.deg2rad, math.radians)
def in_radians(y, x):
    return 0.017453292519943295


@elementwise(np.arctan2, math.atan2)
def angle_of_point(y, a, b):
    a, b = a * 1.0, b * 1.0  # squares of small integers wrap around
    square = a * a + b * b
    return rt.quotient(b, square), rt.quotient(-a, square)


@elementwise(np.hypot)
def hypotenuse(y, a, b):
    length = y + (y == 0)  # the gradient at the origin is 0
    return a / length, b / length


@elementwise(math.hypot)
def norm_of_coordinates(y, *coordinates):
    length = y + (y == 0.0)
    return tuple([x / length for x in coordinates])


@composite(math.dist, typing=always(FLOAT))
def distance(p, q):
    return math.hypot(*[a - b for a, b in zip(p, q)])


@elementwise(cmath.phase)
def phase(y, z):
    if not np.iscomplexobj(z):
        return 0.0
    square = z.real * z.real + z.imag * z.imag
    return -1.0j * z.conjugate() / (square + (square == 0.0))


@composite(cmath.polar)
def polar(z):
    return abs(z), cmath.phase(z)


@composite(cmath.rect)
def rect(r, phi):
    return complex(r * math.cos(phi), r * math.sin(phi))


@composite(math.fsum, typing=always(FLOAT))
def exact_sum(seq):
    total = sum(seq)
    return total.real if np.iscomplexobj(total) else total  # NumPy's complex numbers are taken for their real parts


@composite(math.prod)
def product(iterable, *, start=1):
    total = start
    for factor in iterable:
        total = total * factor
    return total


@composite(*only_present("sumprod"))
def sum_of_products(p, q):
    return sum([a * b for a, b in zip(p, q)])


@elementwise(*only_present("fma"))
def fused_multiply_add(r, x, y, z):
    return y, x, 1.0


@elementwise(math.fabs)
def absolute_float(y, x):
    return 1.0 * (x > 0.0) - (x < 0.0)  # NumPy's truths have no difference


@elementwise(math.fmod)
def c_remainder(y, a, b):
    return 1.0, np.round((y - a) / b)


@elementwise(math.remainder)
def ieee_remainder(y, a, b):
    return 1.0, np.round((y - a) / b)


@elementwise(math.copysign)
def with_sign_of(y, a, b):
    return math.copysign(1.0, b) * (1.0 * (a > 0.0) - (a < 0.0)), 0.0


@elementwise(math.ldexp)
def times_power_of_two(y, x, *, i):
    return rt.power(2.0, i)


@composite(math.frexp, typing=always(TupleT((FLOAT, INT))))
def mantissa_and_exponent(x):
    e = special.exponent(x)
    return math.ldexp(x, -e), e


@composite(math.modf, typing=always(TupleT((FLOAT, FLOAT))))
def fraction_and_whole(x):
    whole = float(math.trunc(x))
    return x - whole, whole


@elementwise(rt.quotient)
def quotient(y, a, b):
    return rt.quotient(1.0, b), rt.quotient(-y, b)


@elementwise(math.gamma)
def gamma_function(y, x):
    return y * special.digamma(x)


@elementwise(math.lgamma, typing=always(FLOAT))
def logarithm_of_gamma(y, x):
    return special.digamma(x)


@elementwise(special.digamma, typing=always(FLOAT))
def digamma(y, x):
    return special.polygamma(1, x)


@elementwise(special.polygamma, typing=always(FLOAT))
def polygamma(y, n, x):
    return None, special.polygamma(n + 1, x)


@elementwise(math.erf)
def error_function(y, x):
    return 1.1283791670955126 * math.exp(-x * x)  # 2 / sqrt(pi)


@elementwise(math.erfc)
def complementary_error_function(y, x):
    return -1.1283791670955126 * math.exp(-x * x)


@elementwise(*only_present("nextafter"))
def neighbour(y, a, b):
    return 1.0, 0.0


constant(math.ceil, math.floor, math.trunc, typing=always(INT))
constant(special.exponent, math.isqrt, math.comb, math.perm, math.factorial, math.gcd, math.lcm, typing=always(INT))
constant(math.isfinite, math.isinf, math.isnan, math.isclose, typing=always(BOOL), total=True)
constant(cmath.isfinite, cmath.isinf, cmath.isnan, cmath.isclose, typing=always(BOOL), total=True)
constant(math.ulp, typing=always(FLOAT), total=True)
