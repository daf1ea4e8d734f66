"""Objects that say which number they are, where numbers of an array or of a sum are made of them."""

import cmath
import math

import numpy as np


class Doubled:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return float(self.v * 2)


class Turned:
    def __init__(self, v):
        self.v = v

    def __complex__(self):
        return complex(self.v * 2, self.v)


def summed_objects(x):
    return math.fsum([Doubled(x), x, 1.0]) * x + math.fsum(Doubled(v) for v in (x, x * x))


def filled_with_objects(x):
    a = np.zeros(3)
    a.fill(Doubled(x))
    b = np.full(2, Doubled(x * x), dtype=float)
    c = np.full_like(a, Doubled(x))
    np.put(a, 0, Doubled(x * 3))
    c.put([1], Doubled(x))
    np.putmask(c, [True, False, False], Doubled(x + 1))
    return np.sum(a * c) + np.sum(b)


def complex_of_objects(x):
    a = np.array([Turned(x), Doubled(x)], dtype=complex)
    b = np.zeros(2, complex)
    b[0] = Turned(x * x)
    return (a[0] * b[0]).imag + np.complex128(Turned(x)).real * cmath.exp(Turned(x)).imag + a[1].real


SAMPLES = {
    "summed_objects": [(1.5,), (0.7,)],
    "filled_with_objects": [(1.5,)],
    "complex_of_objects": [(0.6,)],
}
