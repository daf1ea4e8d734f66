"""NumPy's elementwise functions that Python's operators and `math` do not share.

A partial of boolean type is a mask: what it does not select has derivative zero.
"""

from __future__ import annotations

import math

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, TupleT, is_complex
from adcompile.rules.kinds import composite, constant, elementwise, linear, with_settings
from adcompile.rules.kinds_beside import beside
from adcompile.rules.typing import broadcast_type
from adcompile.runtime import special, unbroadcast


@elementwise(np.fabs)
def fabs(y, x):
    return np.sign(rt.number(x))


@elementwise(np.square)
def square(y, x):
    return 2.0 * x


@elementwise(np.reciprocal)
def reciprocal(y, x):
    return -y * y


@elementwise(np.logaddexp)
def logaddexp(y, a, b):
    return np.exp(a - y), np.exp(b - y)


@elementwise(np.logaddexp2)
def logaddexp2(y, a, b):
    return np.exp2(a - y), np.exp2(b - y)


@elementwise(np.fmod)
def fmod(y, a, b):
    return 1.0, np.rint((y - a) / b)


@elementwise(np.copysign)
def copysign(y, a, b):
    return np.copysign(1.0, b) * np.sign(rt.number(a)), None


@elementwise(np.nextafter)
def nextafter(y, a, b):
    return 1.0, None


@elementwise(np.ldexp)
def ldexp(y, x, *, i):
    return np.exp2(np.asarray(i) * 1.0)  # of a small integer it is in half precision


constant(special.exponents)


@composite(np.frexp)
def frexp(x):
    e = special.exponents(x)
    return np.ldexp(x, -e), e


@composite(np.modf)
def modf(x):
    whole = np.trunc(x)
    return x - whole, whole


def half(mask, y):
    """½ where the mask selects, in the precision of the result. Of two whole numbers it is a bool of Python's."""
    return 0.5 * mask if np.result_type(y) == np.float64 else 0.5 * np.asarray(mask).astype(np.result_type(y))


def chosen(y, a, b):
    """Whether `a` is the result and `b` is not: Python has no order of complex numbers, by which to tell."""
    return (y == a) & (a != b)


@elementwise(np.maximum)
def maximum(y, a, b):
    tie = half(a == b, y)
    if np.iscomplexobj(y):
        return chosen(y, a, b) + tie, chosen(y, b, a) + tie
    return (a > b) + tie, (b > a) + tie


@elementwise(np.minimum)
def minimum(y, a, b):
    tie = half(a == b, y)
    if np.iscomplexobj(y):
        return chosen(y, a, b) + tie, chosen(y, b, a) + tie
    return (a < b) + tie, (b < a) + tie


@elementwise(np.fmax, np.fmin)
def extremum_without_nan(y, a, b):
    tie = half((a == b) & ~np.isnan(a), y)
    return ((a == y) & ~np.isnan(a)) - tie, ((b == y) & ~np.isnan(b)) - tie


@elementwise(np.clip)
def clip(y, a, a_min=None, a_max=None, *, min=None, max=None):
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    return partials_of_clip(y, a, low, high)


@elementwise(np.ndarray.clip, np.generic.clip)
def clip_method(y, a, min=None, max=None):
    return partials_of_clip(y, a, min, max)


@with_settings(np.clip)
def clip_between(a, a_min=None, a_max=None, *, min=None, max=None):
    return np.clip(a, min if a_min is None else a_min, max if a_max is None else a_max)


def partials_of_clip(y, a, low, high):
    """Half at a bound; NumPy's clip is minimum(maximum(a, low), high)."""
    if low is None and high is None:
        return 1.0, None, None
    if high is None:
        return half(a >= low, y) + half(a > low, y), half(a <= low, y) + half(a < low, y), None
    if low is None:
        return half(a <= high, y) + half(a < high, y), None, half(a >= high, y) + half(a > high, y)
    inside = half((a >= low) & (a <= high), y) + half((a > low) & (a < high), y)
    below = (half(a <= low, y) + half(a < low, y)) * (low < high)
    raised = np.maximum(a, low)
    return inside, below, half(raised >= high, y) + half(raised > high, y)


def where_forward(condition, a, b, condition_dot, a_dot, b_dot):
    y = np.where(condition, a, b)
    return y, rt.broadcast_like(np.where(condition, a_dot, b_dot), y)


def where_type(args, kwargs):
    """Of a condition alone: the indices of what is true, one array for each axis."""
    if len(args) != 1:
        return broadcast_type(np.where, args, kwargs)
    rank = len(args[0].dims) if isinstance(args[0], Array) and args[0].dims is not None else 0
    return TupleT((Array(np.dtype(np.intp), ("any",)),) * rank) if rank else UNKNOWN


@beside(np.where, frule=where_forward, wrt=(1, 2), typing=where_type)
def where(y_bar, y, condition, a=None, b=None):
    # selected, not multiplied: an infinite cotangent of the other branch must not leak
    return unbroadcast(np.where(condition, y_bar, 0.0), a), unbroadcast(np.where(condition, 0.0, y_bar), b)


@elementwise(np.nan_to_num)
def nan_to_num(y, x, *, copy=True, nan=0.0, posinf=None, neginf=None):
    return np.isfinite(x)


@with_settings(np.nan_to_num)
def nan_to_num_by(x, copy=True, nan=0.0, posinf=None, neginf=None):
    y = np.where(np.isnan(x), nan, np.nan_to_num(x, nan=0.0))
    high = y if posinf is None else np.where(np.isposinf(x), posinf, y)
    return high if neginf is None else np.where(np.isneginf(x), neginf, high)


@composite(rt.parts_to_num)
def parts_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    real = np.nan_to_num(np.real(x), nan=nan, posinf=posinf, neginf=neginf)
    return real + 1j * np.nan_to_num(np.imag(x), nan=nan, posinf=posinf, neginf=neginf)


@elementwise(np.sinc)
def sinc(y, x):
    near = np.absolute(x) < 0.1
    s = (math.pi * math.pi) * x * x
    series = 1.0 - s / 10.0 * (1.0 - s / 28.0 * (1.0 - s / 54.0 * (1.0 - s / 88.0 * (1.0 - s / 130.0))))
    # near zero the quotient cancels, and its own derivative would be wrong at zero
    quotient = (np.cos(math.pi * x) - y) / np.where(near, 1.0, x)
    return np.where(near, -(math.pi * math.pi) / 3.0 * x * series, quotient)


@elementwise(np.heaviside)
def heaviside(y, a, b):
    return None, a == 0


@elementwise(np.i0)
def i0(y, x):
    return special.bessel_i(1, x)


@elementwise(special.bessel_i)
def bessel_i(y, n, x):
    if n == 0:
        return None, special.bessel_i(1, x)
    return None, 0.5 * (special.bessel_i(n - 1, x) + special.bessel_i(n + 1, x))


# -- complex numbers -----------------------------------------------------------------------------

REAL = (np.real, np.ndarray.real, np.generic.real, complex.real, float.real)
IMAG = (np.imag, np.ndarray.imag, np.generic.imag, complex.imag, float.imag)
CONJ = (np.conjugate, np.ndarray.conj, np.ndarray.conjugate, np.generic.conj, np.generic.conjugate)


@linear(*REAL, total=True)
def real(y_bar, y, val):
    return y_bar


@linear(*IMAG, total=True)
def imag(y_bar, y, val):
    return 1j * y_bar if np.iscomplexobj(val) else 0.0 * y_bar


@linear(*CONJ, complex.conjugate, float.conjugate, total=True)
def conj(y_bar, y, x):
    return np.conjugate(y_bar)


def real_if_close_type(args, kwargs):
    """Whether a complex argument becomes real is decided by its values."""
    return UNKNOWN if is_complex(args[0]) else broadcast_type(np.real_if_close, args, kwargs)


@elementwise(np.real_if_close, typing=real_if_close_type)
def real_if_close(y, a, *, tol=100):
    return 1.0


@elementwise(np.angle)
def angle(y, z, *, deg=False):
    if not np.iscomplexobj(z):
        return 0.0
    unit = -57.29577951308232j if deg else -1.0j
    square = np.real(z) * np.real(z) + np.imag(z) * np.imag(z)
    return unit * np.conjugate(z) / (square + (square == 0))
