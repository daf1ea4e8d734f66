"""Inverse functions of complex numbers along their cuts, where the sign of a zero says on which side."""

import cmath

import numpy as np


def _parts(z):
    return z.real * 1.7 + z.imag * 0.6


def both_sides_of_the_cut(v):
    above, below = complex(v, 0.0), complex(v, -0.0)
    total = 0.0
    for z in (above, below):
        total = total + _parts(np.arcsin(z)) * _parts(np.arccos(z)) + _parts(np.arccosh(z)) ** 2
    return total


def both_sides_of_an_upright_cut(v):
    return _parts(np.arcsinh(complex(0.0, v))) * _parts(np.arcsinh(complex(-0.0, v)))


def of_real_numbers(v):
    return _parts(cmath.acos(v)) * _parts(cmath.asin(v)) + _parts(cmath.acosh(v)) + _parts(np.emath.arccos(v))


def arrays_on_the_cut(x):
    z = x + np.array([0.0j, -0.0j, 0.4j])
    return np.sum(np.real(np.arcsin(z) * np.arccos(z)) + np.imag(np.arccosh(z) * np.arcsinh(z)))


def complex_powers(v):
    """Of a negative number too, whose logarithm is complex."""
    x = v * np.array([1.0, 0.3, 2.0])
    y = x ** (0.3 + 1j * x) + np.power(x, 1j * v) + np.power(2.0 * x, np.array([1j, 2.0, 0.5]))
    return np.sum(np.abs(y) ** 2) + _parts(v ** (0.4 + 0.2j * v)) + np.sum(np.real(v ** (1j * x)))


SAMPLES = {
    "both_sides_of_the_cut": [(2.3,), (-2.3,), (0.3,)],
    "both_sides_of_an_upright_cut": [(2.3,), (-2.3,), (0.3,)],
    "of_real_numbers": [(2.3,), (-2.3,), (0.3,)],
    "complex_powers": [(2.3,), (-2.3,), (np.float64(-0.3),)],
    "arrays_on_the_cut": [(np.array([2.3, 1.7, -2.0]),), (np.array([-2.3, -1.7, 0.4]),)],
}
