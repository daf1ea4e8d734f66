"""Python's operators and builtins. The operators' rules serve NumPy's arithmetic too."""

from __future__ import annotations

import math
import operator

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import BOOL, FLOAT, INT, UNKNOWN, Array, Instance, Known, Scalar, Seq, TupleT, scalar
from adcompile.rules.kinds import composite, constant, elementwise, linear
from adcompile.rules.typing import always, power_type, truth
from adcompile.rules.typing_containers import container_type
from adcompile.rules.typing_fold import callable_type, isinstance_type, joined_scalars, len_type, range_type, type_type
from adcompile.runtime.marks import stop_gradient

TEXT = always(Instance(str))


@elementwise(rt.added)
@elementwise(operator.add, operator.iadd, typing=container_type(operator.add))
@elementwise(np.add)
def add(y, a, b):
    return 1.0, 1.0


@elementwise(rt.subtracted)
@elementwise(operator.sub, operator.isub, typing=container_type(operator.sub))
@elementwise(np.subtract)
def subtract(y, a, b):
    return 1.0, -1.0


@elementwise(rt.multiplied)
@elementwise(operator.mul, operator.imul, typing=container_type(operator.mul))
@elementwise(np.multiply)
def multiply(y, a, b):
    return b, a


@elementwise(operator.truediv, operator.itruediv, rt.divided)
def divide(y, a, b):
    if rt.is_static(type(y)) and (type(y) is float or type(y) is complex):
        return 1.0 / b, -y / b  # Python's division would have raised itself
    return rt.quotient(1.0, b), rt.quotient(-y, b)


@elementwise(np.divide)
def numpy_divide(y, a, b):
    return rt.quotient(1.0, b), rt.quotient(-y, b)


@elementwise(operator.mod, operator.imod, typing=container_type(operator.mod))
@elementwise(np.remainder)
def remainder(y, a, b):
    return 1.0, -(a // b)


@elementwise(operator.neg, np.negative)
def negative(y, x):
    return -1.0


@elementwise(operator.pos, np.positive)
def positive(y, x):
    return 1.0


@elementwise(operator.pow, operator.ipow, pow, typing=power_type())
@elementwise(rt.power, typing=power_type())
@elementwise(np.power, np.float_power)
def power(y, a, b):
    # 0 ** 0 has the derivative 0 for the base; 0 ** b has it for the exponent. Elsewhere a zero
    # exponent gives b y / a, which is 0 too, but depends on b.
    if np.ndim(b) == 0:
        by_base = b * rt.power(a, b - 1) if b != 0 else b * y / (a + (a == 0))
    else:
        by_base = b * np.where((a == 0) & (b == 0), 1, a) ** (b - 1.0)  # of unsigned integers, 0 - 1 wraps around
    if np.iscomplexobj(b):
        a = a + 0j  # of a negative number it has a logarithm
    if np.ndim(a) > 0:
        by_exponent = y * np.log(np.where(a == 0, 1.0, a))
    elif np.iscomplexobj(a):
        by_exponent = y * np.log(a) if a != 0 else 0.0
    else:
        by_exponent = y * np.log(a * 1.0) if a > 0 else 0.0 if a == 0 else math.nan  # small integers have small logs
    return by_base, by_exponent


@elementwise(math.pow)
def real_power(y, a, b):
    by_base = b * rt.power(a, b - 1.0) if b != 0.0 else b * y / (a + (a == 0.0))
    by_exponent = y * math.log(a) if a > 0.0 else 0.0 if a == 0.0 else math.nan
    return by_base, by_exponent


@composite(divmod, np.divmod)
def quotient_and_remainder(a, b):
    return a // b, a % b


@elementwise(abs, operator.abs, np.absolute)
def absolute(y, x):
    if np.iscomplexobj(x):
        return np.conjugate(x) / (y + (y == 0))
    if type(x) is float:
        return (x > 0.0) - (x < 0.0)
    return np.sign(rt.number(x))


@linear(float, typing=always(FLOAT))
def to_float(y_bar, y, x):
    return np.reshape(y_bar, np.shape(x)) if isinstance(x, np.ndarray) else y_bar


def converted(dtype):
    """The typing of one of NumPy's scalar classes as a function: of an array it makes an array."""

    def typing(args, kwargs):
        dims = args[0].dims if args and isinstance(args[0], Array) else ()
        if len(args) != 1 or kwargs or not isinstance(args[0], (Array, Scalar, Known)):
            return UNKNOWN
        return scalar(dtype) if dims == () else Array(np.dtype(dtype), dims)

    return typing


def to_scalar_class(y_bar, y, x, /):
    return np.reshape(y_bar, np.shape(x)) if isinstance(x, np.ndarray) else y_bar


for _dtype in (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128):
    linear(_dtype, typing=converted(_dtype))(to_scalar_class)
for _dtype in (np.bool_, *{np.dtype(code).type for code in np.typecodes["AllInteger"]}):
    constant(_dtype, typing=converted(_dtype))


@elementwise(complex, typing=always(scalar(complex)))
def to_complex(y, real, imag=0.0):
    return 1.0, 1j


@elementwise(max, typing=joined_scalars)
@elementwise(min, typing=joined_scalars)
def extremum(y, *xs):
    if len(xs) == 1:
        raise NotImplementedError(
            "max or min of an iterable of no known structure; go through arrays, lists, tuples and ranges"
        )
    if len(xs) == 2:
        a, b = xs
        # halves at a tie; which of the two is larger shows in which equals the result
        shared = 0.5 * (a == b)
        return (a == y) - shared, (b == y) - shared
    count = max(sum([x == y for x in xs]), 1)
    return tuple([(x == y) / count for x in xs])


constant(operator.floordiv, operator.ifloordiv, np.floor_divide)

_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
constant(*_COMPARISONS, typing=container_type(operator.eq))
constant(operator.not_, operator.truth, operator.is_, operator.is_not, typing=truth, total=True)
constant(operator.contains, typing=truth)
constant(bool, typing=truth)
constant(operator.invert, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)
constant(operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift)
constant(operator.index, int, ord, hash, id, typing=always(INT))
constant(round)
constant(stop_gradient, typing=lambda args, kwargs: args[0], total=True)
constant(isinstance, typing=isinstance_type, total=True)
constant(issubclass, by_value=True)
constant(callable, typing=callable_type, total=True)
constant(type, typing=type_type)
constant(len, typing=len_type)
constant(range, typing=range_type)
constant(str, repr, ascii, format, chr, bin, hex, oct, typing=TEXT)
constant(print, typing=always(Known(None)), pure=False)
constant(float.is_integer, typing=always(BOOL), total=True)
constant(int.bit_length, typing=always(INT), total=True)
constant(float.fromhex, typing=always(FLOAT))
constant(float.hex, str.format, str.join, str.upper, str.lower, str.strip, str.replace, typing=TEXT)
constant(str.startswith, str.endswith, str.isdigit, str.isalpha, typing=truth)
constant(str.split, str.rsplit, str.splitlines, typing=always(Seq(Instance(str), list)))
constant(slice.indices, typing=always(TupleT((INT, INT, INT))))
constant(list.index, tuple.index, list.count, tuple.count, typing=always(INT))
