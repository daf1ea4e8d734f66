"""Elementwise NumPy functions and operators on arrays of one shape."""

import numpy as np


def squares(x):
    return np.sum(x * x + 3.0 * x)


def elementwise_result(x):
    return np.sin(x) * np.exp(-x)


def array_operators(x, y):
    return np.sum((x + y) * (x - y) / (1.0 + y**2) - -x)


def scalar_on_the_left(x):
    return np.sum(2.0 / x - 3.0 ** (-x) + 1.0 - x)


def array_powers(x, y):
    return np.sum(x**y + np.power(x, 2) + np.float_power(x, 1.5) + x**0.5)


def trigonometric_ufuncs(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(x) + np.arcsin(x) * np.arccos(x) + np.arctan(x))


def hyperbolic_ufuncs(x):
    return np.sum(np.sinh(x) * np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arccosh(1.0 + x) + np.arctanh(x))


def exponential_ufuncs(x):
    return np.sum(np.exp(x) + np.exp2(x) + np.expm1(x) + np.log(x) * np.log2(x) + np.log10(x) + np.log1p(x))


def log_add_exp(x, y):
    return np.sum(np.logaddexp(x, y) * np.logaddexp2(x, 2.0 * y))


def root_ufuncs(x):
    return np.sum(np.sqrt(x) + np.cbrt(x) + np.square(x) + np.reciprocal(x) + np.hypot(x, 2.0))


def sign_ufuncs(x):
    return np.sum(np.abs(x) * np.sign(x) + np.absolute(x) + np.fabs(x) + np.negative(x) + np.positive(x))


def angle_ufuncs(x, y):
    return np.sum(np.arctan2(x, y) + np.sin(np.deg2rad(x)) + np.rad2deg(y) + np.radians(x) + np.degrees(x))


def remainder_ufuncs(x, y):
    return np.sum(np.remainder(x, y) + np.fmod(x, y) * 2.0 + (x // y) * x + x % y)


def rounding_ufuncs(x):
    return np.sum(x * np.floor(x) + np.ceil(x) * x**2 + np.rint(x) + np.round(x, 1) * x + np.trunc(x) * x)


def copysign_heaviside(x, y):
    return np.sum(np.copysign(x, y) + np.heaviside(x, 0.5) * y)


def sinc_array(x):
    return np.sum(np.sinc(x))


def where_branches(x):
    return np.sum(np.where(x > 0, x * x, -2.0 * x))


def where_guards_log(x):
    safe = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, np.log(safe), 0.0) + x)


def masked_products(x):
    return np.sum((x > 0) * x**3 + np.where(np.isnan(x), 0.0, x))


def softplus_sigmoid(x):
    return np.sum(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0) + 1.0 / (1.0 + np.exp(-x)))


def method_calls(x):
    return (x.clip(-0.9, 0.9) * x.conj().real).sum() + x.round(1).sum()


def integer_array_constant(x):
    n = np.arange(3)
    return np.sum(x**n) + np.sum(n * x) + np.sum(x / (n + 1))


def constants_like(x):
    return np.sum(x * np.ones_like(x) + np.zeros_like(x)) * np.full_like(x, 2.0)[0]


def zero_dimensional(x):
    return np.sin(x) * x + 1.0


def reused_many_times(x):
    y = x * x
    z = y * x + y
    return np.sum(z * y + z / (1.0 + y))


def nan_to_num_finite(x):
    return np.sum(np.nan_to_num(x) ** 2)


SAMPLES = {
    "squares": [(np.array([0.5, -1.0, 1.4]),), (np.array([0.5]),), (np.array([]),), (np.array([[0.5, -1.0]]),)],
    "elementwise_result": [(np.array([0.5, -1.0, 1.4]),), (np.array([[0.5], [-1.0]]),)],
    "array_operators": [(np.array([0.5, -1.0, 1.4]), np.array([0.2, 0.8, -0.3]))],
    "scalar_on_the_left": [(np.array([0.5, -1.0, 1.4]),)],
    "array_powers": [(np.array([0.5, 1.0, 1.4]), np.array([0.2, 1.8, -0.3]))],
    "trigonometric_ufuncs": [(np.array([0.5, -0.7, 0.1]),)],
    "hyperbolic_ufuncs": [(np.array([0.5, 0.7, 0.1]),)],
    "exponential_ufuncs": [(np.array([0.5, 0.7, 1.1]),)],
    "log_add_exp": [(np.array([0.5, -0.7]), np.array([0.2, 1.8]))],
    "root_ufuncs": [(np.array([0.5, 0.7, 1.1]),)],
    "sign_ufuncs": [(np.array([0.5, -0.7]),)],
    "angle_ufuncs": [(np.array([0.5, -0.7]), np.array([0.2, -1.8]))],
    "remainder_ufuncs": [(np.array([5.3, -4.7]), np.array([2.1, 1.8]))],
    "rounding_ufuncs": [(np.array([5.33, -4.72]),)],
    "copysign_heaviside": [(np.array([0.5, -0.7]), np.array([-0.2, -1.8]))],
    "sinc_array": [(np.array([0.5, -0.7, 2.2]),)],
    "where_branches": [(np.array([0.5, -0.7, 2.2]),)],
    "where_guards_log": [(np.array([0.5, -0.7, 2.2]),)],
    "masked_products": [(np.array([0.5, -0.7, 2.2]),)],
    "softplus_sigmoid": [(np.array([0.5, -0.7, 2.2]),)],
    "method_calls": [(np.array([0.52, -0.71, 2.23]),)],
    "integer_array_constant": [(np.array([0.5, -0.7, 2.2]),)],
    "constants_like": [(np.array([0.5, -0.7, 2.2]),)],
    "zero_dimensional": [(np.array(0.7),)],
    "reused_many_times": [(np.array([0.5, -0.7, 2.2]),)],
    "nan_to_num_finite": [(np.array([0.5, -0.7]),)],
}
