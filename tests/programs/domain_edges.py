"""Functions at the edges of domains, sampled where all derivatives are finite nevertheless, or where
what is infinite is not used."""

import math

import numpy as np

_SINGULAR = np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 1.0], [0.3, -0.7, 1.1]])


def determinant_of_singular(a):
    return np.linalg.det(a) ** 2 + np.linalg.det(a)


def powers_of_zero(x, p):
    return x**2 + x**3.0 + x**1 + math.pow(x, 3.0) + (x + 1.0) ** p


def length_of_nothing(x, y):
    return math.hypot(x, y) ** 2 + math.dist((x, y), (0.0, 0.0)) ** 2


def root_of_what_is_there(x):
    return math.sqrt(x) if x > 0.0 else x


def small_numbers(x):
    return math.atan2(x, 1.0) * math.cosh(x) + math.asinh(x) + math.ldexp(x, 3)


def shares(x, y):
    return x / np.sum(np.ones(3)) + np.float64(2.0) / y


SAMPLES = {
    "determinant_of_singular": [(_SINGULAR,), (np.zeros((2, 2)),)],
    "powers_of_zero": [(0.0, 2.0), (np.float64(0.0), 2.0)],
    "length_of_nothing": [(0.6, -0.8)],
    "root_of_what_is_there": [(-0.3,), (0.25,)],
    "small_numbers": [(0.0,), (1e-160,)],
    "shares": [(0.7, 1.5)],
}
