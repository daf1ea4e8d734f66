"""Functions of `cmath`, of complex numbers of NumPy's classes as of Python's own."""

import cmath

import numpy as np


def phase_of_an_element(x):
    z = np.array([1.0 + 0.0j, x * 2.0 + 1.0j])
    return cmath.phase(z[1]) * abs(z[1])


def polar_of_a_sum(x, w):
    length, angle = cmath.polar(np.sum(np.exp(1j * x) * w))
    return length * angle


def functions_of_elements(x):
    z = np.exp(0.3j * x) * x
    return sum((cmath.log(v) * cmath.sqrt(v)).real + cmath.phase(v) for v in z)


SAMPLES = {
    "phase_of_an_element": [(0.7,)],
    "polar_of_a_sum": [(np.array([0.3, 1.1]), np.array([0.5, 0.8]))],
    "functions_of_elements": [(np.array([0.4, 0.9, 1.3]),)],
}
