"""Namedtuples whose class says what operators do, methods of classes called on their instances, keywords of builtins."""

import functools
import math
from typing import NamedTuple

import numpy as np


class Vector(NamedTuple):
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y) if isinstance(other, Vector) else NotImplemented

    def __rsub__(self, number):
        return Vector(number - self.x, number - self.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __rmul__(self, k):
        return Vector(self.x * k * k, self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __imul__(self, other):
        return Vector(self.x * other.x, 3.0 * self.y * other.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __lt__(self, other):
        return self.x < other.x

    def __eq__(self, other):
        return isinstance(other, Vector)

    __hash__ = tuple.__hash__

    @property
    def area(self):
        return self.x * self.y

    @classmethod
    def polar(cls, r, angle):
        return cls(r * math.cos(angle), r * math.sin(angle))


def sums_of_vectors(a, b):
    total = Vector(a, b) + Vector(a * b, 1.0)
    total = total * b
    total += Vector(b, a)
    return total @ Vector(1.0, a) + total.area


def reflected_operators_of_vectors(a, b):
    return (2.0 - Vector(a, b)).y * (b * Vector(a, b)).x - abs(-Vector(a, b))


def in_place_operator_of_a_vector(a, b):
    v = Vector(a, b)
    v *= Vector(b, a * a)
    return v.x * v.y


def vectors_compared(a, b):
    v, w = Vector(a, b), Vector(b, a)
    smaller = v if v < w else w
    return smaller.x * a * a if v == w else smaller.y


def vectors_in_a_loop(a, n):
    v = Vector(a)
    for k in range(n):
        v = v * a + Vector(1.0, a - k)
    return (v - Vector(a, a)).area


def vector_as_argument(v, k):
    return (v + v * k).area


def sum_of_vectors(a, b):
    return sum([Vector(a, b), Vector(b, a)], Vector(a * b, 0.0)).area


class Family:
    scale = 2.0

    def __init__(self, rate):
        self.rate = rate

    @classmethod
    def of(cls, rate):
        return cls(rate * cls.scale)

    def renewed(self, rate):
        return self.of(rate * self.rate)


class Younger(Family):
    scale = 5.0


_family = Younger(1.0)


def class_method_of_an_instance(a, b):
    return Family(a).of(b).rate * Younger(a).renewed(b).rate + _family.of(a).rate


def class_method_of_a_record(a, b):
    return Vector(a, b).polar(a, b).area


def keywords_of_pow(a, b):
    return pow(base=a, exp=b) + pow(a, exp=2) + functools.partial(pow, exp=b)(a)


def loop_settings_of_ufuncs(x, y):
    wide = np.multiply(x, y, dtype=complex) * (1.0 + 2.0j)
    kept = np.add(x, y * y, order="F", subok=False, casting="same_kind")
    return np.sum(np.real(wide) * kept) + np.sum(np.matmul(x, y, dtype=float) * np.exp(x, signature="d->d"))


def sum_by_einsum_of_products(a, b):
    return np.einsum("ij,jk->", a, b, optimize=True) * np.einsum("ii->", a, optimize=True)


_A = np.array([[0.5, 1.5], [0.3, -0.4]])

SAMPLES = {
    "sums_of_vectors": [(0.7, 1.3)],
    "reflected_operators_of_vectors": [(0.7, 1.3)],
    "in_place_operator_of_a_vector": [(0.7, 1.3)],
    "vectors_compared": [(0.7, 1.3), (1.3, 0.7)],
    "vectors_in_a_loop": [(0.7, 3), (0.7, 0)],
    "vector_as_argument": [(Vector(0.7, 1.3), 0.4)],
    "sum_of_vectors": [(0.7, 1.3)],
    "class_method_of_an_instance": [(0.7, 1.3)],
    "class_method_of_a_record": [(0.7, 1.3)],
    "keywords_of_pow": [(0.7, 1.3)],
    "loop_settings_of_ufuncs": [(np.array([0.3, 0.8]), np.array([0.9, 0.4]))],
    "sum_by_einsum_of_products": [(_A, _A.T + 1.0)],
}
