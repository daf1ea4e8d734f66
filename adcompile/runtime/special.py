"""Functions of numbers that the derivatives of `math` need and Python lacks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Named in derivatives of functions of `scipy.special`
ROOT_PI, ROOT_2PI = math.sqrt(math.pi), math.sqrt(2.0 * math.pi)
LOG_2, LOG_10 = math.log(2.0), math.log(10.0)

# Bernoulli numbers B2, B4, … of the asymptotic series
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def total(items: Any, start: Any) -> Any:
    """`sum(items, start)`."""
    return sum(items, start)


def valued(plain: Any, value: Any) -> Any:
    """`value`, which is `plain` computed with other roundings: it has the derivatives of `plain`."""
    return value


def quotient(a: Any, b: Any) -> Any:
    """`a / b` as NumPy divides: inf or nan where Python raises. A derivative at the edge of a
    domain is infinite; that is no reason for it to raise where the function does not."""
    try:
        return a / b
    except ZeroDivisionError:
        with np.errstate(all="ignore"):
            return np.true_divide(a, b).item()


def power(a: Any, b: Any) -> Any:
    """`a ** b` as NumPy has it: inf where Python raises."""
    try:
        return a**b
    except (ZeroDivisionError, OverflowError):
        with np.errstate(all="ignore"):
            return np.float_power(a, b).item()


def digamma(x: float) -> float:
    """The derivative of `math.lgamma`; nan at its poles (zero and the negative integers) and at -inf."""
    if x == -math.inf or x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:  # reflection, so that the recurrence below stays short
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * x)
    result = 0.0
    while x < 12.0:
        result -= 1.0 / x
        x = x + 1.0  # of an array it would be written into: `x += 1.0`
    if math.isinf(x):
        return x
    result += math.log(x) - 0.5 / x
    power = inverse = 1.0 / (x * x)
    for k, b in enumerate(_BERNOULLI, start=1):
        result -= b * power / (2 * k)
        power *= inverse
    return result


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of `digamma`; for negative x the recurrence takes -x steps."""
    if n == 0:
        return digamma(x)
    if x <= 0 and x == math.floor(x):
        return math.nan
    sign = -1.0 if n % 2 == 0 else 1.0
    factorial = math.gamma(n + 1)
    result = 0.0
    while x < 14.0 + n:
        result += quotient(factorial, x ** (n + 1))
        x = x + 1.0
    result += math.gamma(n) / x**n + 0.5 * factorial / x ** (n + 1)
    for k, b in enumerate(_BERNOULLI, start=1):
        result += b * math.exp(math.lgamma(2 * k + n) - math.lgamma(2 * k + 1)) / x ** (2 * k + n)
    return sign * result


def exponent(x: float) -> int:
    """The e of `m, e = math.frexp(x)`."""
    return math.frexp(x)[1]


def bessel_i(n: int, x: Any) -> Any:
    """The modified Bessel function I_n of numbers or arrays, by the trapezoidal rule on its
    integral over a period, which converges exponentially."""
    x = np.asarray(x)
    points = 32 + n + 2 * int(np.sqrt(80.0 * np.max(np.abs(x), initial=0.0)))
    angles = 2.0 * np.pi * np.arange(points) / points
    cosines = np.cos(angles).astype(x.dtype if x.dtype.kind == "f" else float)
    weights = (np.cos(n * angles) / points).astype(cosines.dtype)
    # opposite points taken together, so that an odd function is exactly odd
    waves = (np.sinh if n % 2 else np.cosh)(x[..., None] * cosines)
    return (waves @ weights)[()]


def exponents(x: Any) -> Any:
    """The e of `m, e = np.frexp(x)`."""
    return np.frexp(x)[1]
