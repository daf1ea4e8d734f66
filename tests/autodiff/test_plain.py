"""Operators on objects that functions chosen when the code runs have made."""

import math
import operator

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.1, 2.3, 0.7])


class Term:
    """An object whose operators are not those of its number."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Term(self.v * other.v)

    def __floordiv__(self, other):
        return Term(self.v * other.v)

    def __lt__(self, other):
        return Term(self.v - other.v)

    def __neg__(self):
        return Term(self.v**2)

    def __float__(self):
        return float(self.v) * 2.0

    def __round__(self):
        return self.v * 3.0

    def __floor__(self):
        return self.v * 3.0

    def __getitem__(self, k):
        return self.v * k


    def __iter__(self):
        return iter([self.v, self.v])


def taken_apart(o):
    a, b = o
    return a * b


def single(v):
    return Term(v)


def double(v):
    return Term(v * 2.0)


def chosen(x):
    return [single, double][int(x[2] > 0.0)](x[0])


OPERATORS = [
    lambda o: (o + o).v,
    lambda o: (o // o).v,
    lambda o: (o < o).v,
    lambda o: (-o).v,
    lambda o: float(o),
    lambda o: round(o),
    lambda o: math.floor(o),
    lambda o: o[3],
    lambda o: taken_apart(o),
    lambda o: operator.add(o, o).v,
    lambda o: np.sum(np.array([o, o])).v,
]


@pytest.mark.parametrize("asked", OPERATORS)
def test_objects_of_unknown_type_are_not_taken_for_numbers(asked):
    def f(x):
        return asked(chosen(x)) * x[1]

    assert np.isfinite(f(X))
    with pytest.raises(ad.AdcompileError):
        ad.grad(f)(X)
    with pytest.raises(ad.AdcompileError):
        ad.jvp(f, (X,), (np.ones(3),))


def test_in_loops_and_branches():
    def f(x):
        o, total = chosen(x), 0.0
        for k in range(30):
            if x[1] > 0.0:
                total = total + x[k % 3] * (o + o).v
        return total

    with pytest.raises(ad.Unsupported, match="whose class says what operators do"):
        ad.grad(f)(X)


def scaled(v):
    return v * 2.0


def squared(v):
    return v**2


def test_numbers_of_unknown_type_stay_right():
    def f(x):
        y, total = [scaled, squared][int(x[2] > 0.0)](x[0]), 0.0
        for k in range(20):
            total = total + x[k % 3] * y * (1.0 if y < 3.0 else 2.0) + y // 1.0
        return total

    by_hand = ad.grad(lambda x: sum(x[k % 3] for k in range(20)) * x[0] ** 2)(X)
    assert np.allclose(ad.grad(f)(X), by_hand)
    assert np.isclose(ad.jvp(f, (X,), (X,))[1], by_hand @ X)
    again = ad.jvp(ad.grad(f), (X,), (X,))[1]
    expected = ad.jvp(ad.grad(lambda x: sum(x[k % 3] for k in range(20)) * x[0] ** 2), (X,), (X,))[1]
    assert np.allclose(again, expected)
