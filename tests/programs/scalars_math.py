"""Python floats, the math module, builtins on numbers, NumPy functions on scalars."""

import math

import numpy as np


def polynomial(x):
    return 3.0 * x**3 - 2.0 * x**2 + x / 4.0 - 7.0


def operators(x, y):
    return (x + y) * (x - y) / (1.0 + x * x) - -x + (+y) ** 2


def power_both(x, y):
    return x**y + 2.0**x + pow(y, 3)


def power_integers(x):
    return x**0 + x**1 + x**2 + x**-3 + x**7


def modulo_floor(x, y):
    return x % y + (x // y) * x + divmod(x, y)[1]


def trigonometry(x):
    return math.sin(x) * math.cos(x) + math.tan(x) / (1.0 + math.atan(x))


def inverse_trigonometry(x):
    return math.asin(x) * math.acos(x) + math.atan2(x, 1.0 + x)


def hyperbolic(x):
    return math.sinh(x) / math.cosh(x) + math.tanh(2.0 * x) + math.asinh(x) + math.acosh(1.0 + x) + math.atanh(x)


def exponentials(x):
    return math.exp(x) * math.expm1(x) + math.log(x) * math.log1p(x) + math.log2(x) + math.log10(x)


def logarithm_with_base(x, b):
    return math.log(x, b)


def roots(x, y):
    return math.sqrt(x) + math.hypot(x, y) + math.pow(x, 1.5)


def special(x):
    return math.erf(x) + math.erfc(x * x) + math.lgamma(x) + math.gamma(x + 1.0)


def angles(x):
    return math.sin(math.radians(x)) + math.degrees(x * x)


def absolute_and_copysign(x, y):
    return abs(x) * math.fabs(y) + math.copysign(x, y) * x


def piecewise_constants(x):
    return x * math.floor(x) + math.ceil(x) * x * x + int(x * 10.0) * x + round(x) + math.trunc(x) * x


def float_and_int(x):
    return float(x) * 2 + int(2.9) * x + float(3) * x


def fmod_and_ldexp(x):
    return math.fmod(x, 0.3) + math.ldexp(x * x, 3)


def distances(x, y):
    return math.dist((x, y), (y * y, 1.0)) + math.hypot(x, y, x * y)


def math_sums(x, y):
    return math.fsum([x, y, x * y]) + math.prod([x, y, 2.0]) * math.fsum((x, 1.0))


def builtin_rounding_to_digits(x):
    return x * round(x, 1) + abs(-x) ** 3


def numpy_on_floats(x):
    return np.sin(x) * np.exp(-x) + np.sqrt(x) + np.square(x) + np.log1p(x)


def numpy_scalar_argument(x):
    y = x * 2.0
    return y * y + np.float64(3.0) * x


def boolean_arithmetic(x):
    return (x > 0) * x * x + (x > 10) * 5.0


def constants_of_math(x):
    return math.pi * x + math.sin(math.tau * x) + math.e**x


def bit_and_integer_arithmetic(x, n):
    return x * (n << 2) + x**2 * (n & 6) - (n // 2) * x + (n % 3)


def independent_of_argument(x):
    y = 3.0
    return y * y


def identity(x):
    return x


def signs_of_numpy_numbers(x):
    """Comparisons of them are NumPy's truths, which have no difference."""
    low, high = x[0], np.float64(x[1])
    return math.copysign(low, -high) * math.fabs(high) + math.fabs(low) + math.copysign(low * high, high)


def gamma_of_an_array(x):
    """A rule that counts up from its argument leaves that alone."""
    y = np.asarray(x * 1.0).reshape(())
    return math.gamma(y) * math.lgamma(y) + y**2


def class_attribute_of_values(x):
    """`x.__class__` of arrays, numbers and what is neither always."""
    total, n = 0.0, 2
    for v in x:
        total = total + (v if v.__class__ is np.float64 else 3.0 * v) * (2.0 if total.__class__ is float else 1.0)
    total = total + (x[0] if x.__class__ is np.ndarray else x[1])
    total = total * (2.0 if n.__class__ is int else 3.0) + (x[0] if len(x).__class__ is not int else x[1])
    return total + (x[1] if slice(1).__class__ is slice and (x > 0).__class__ in (np.ndarray, list) else x[0])


def sum_of_cubes(x, y, z):
    return x**3 + y**3 + z**3 - 3.0 * x * y * z


def attributes_of_several_classes(x, y):
    r = x[0]
    if y >= 0.11:
        r = 0.5 * y
    if y >= 3.0:
        r = 2
    return abs(r.real) * y + abs(r.conjugate()) + abs(r.imag) + np.abs(r.real) ** 2


SAMPLES = {
    "attributes_of_several_classes": [(np.array([-0.3]), 0.05), (np.array([-0.3]), 0.7), (np.array([-0.3]), 3.5)],
    "polynomial": [(1.3,), (0.0,)],
    "operators": [(1.3, -0.4)],
    "power_both": [(1.3, 0.6)],
    "power_integers": [(1.3,), (-0.8,)],
    "modulo_floor": [(7.3, 2.1), (-7.3, 2.1)],
    "trigonometry": [(0.6,)],
    "inverse_trigonometry": [(0.6,)],
    "hyperbolic": [(0.6,)],
    "exponentials": [(0.6,)],
    "logarithm_with_base": [(0.6, 3.0)],
    "roots": [(0.6, -1.2)],
    "special": [(0.6,)],
    "angles": [(0.6,)],
    "absolute_and_copysign": [(0.6, -1.2), (-0.6, 1.2)],
    "piecewise_constants": [(2.33,), (-1.74,)],
    "float_and_int": [(0.6,)],
    "fmod_and_ldexp": [(1.0,), (-1.0,)],
    "distances": [(0.6, -1.2)],
    "math_sums": [(0.6, -1.2)],
    "builtin_rounding_to_digits": [(0.63,)],
    "numpy_on_floats": [(0.6,)],
    "numpy_scalar_argument": [(np.float64(0.6),)],
    "boolean_arithmetic": [(0.6,), (-0.6,)],
    "constants_of_math": [(0.6,)],
    "bit_and_integer_arithmetic": [(0.6, 7)],
    "independent_of_argument": [(0.6,)],
    "identity": [(0.6,)],
    "signs_of_numpy_numbers": [(np.array([0.6, -1.2]),), (np.array([-0.6, 1.2]),)],
    "gamma_of_an_array": [(1.3,), (2.6,)],
    "class_attribute_of_values": [(np.array([0.6, 1.2]),)],
    "sum_of_cubes": [(0.6, -1.2, 0.3)],
}
