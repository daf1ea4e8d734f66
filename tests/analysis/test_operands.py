"""Operators between numbers, arrays and objects, captured or passed, whose class says what they do."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.operands import number_takes
from adcompile.ir.types import Known, Scalar


class Gauge(float):
    """A float with a unit: its arithmetic is its own."""

    def __mul__(self, other):
        return float(self) * other * 2.0

    def __rmul__(self, other):
        return float(self) * other * 3.0

    def __add__(self, other):
        return float(self) + 7.0 * other

    def __neg__(self):
        return 4.0


class Count(int):
    def __mul__(self, other):
        return int(self) * other * 2.0

    __rmul__ = __mul__


class Twice(list):
    """Its elements are twice what it holds."""

    def __getitem__(self, k):
        return 2.0 * list.__getitem__(self, k)


class Table(dict):
    def __getitem__(self, key):
        return 2.0 * dict.__getitem__(self, key)

    def __missing__(self, key):
        return 9.0


class Pairs(tuple):
    def __getitem__(self, k):
        return 2.0 * tuple.__getitem__(self, k)


class Measure:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value)

    def __mul__(self, other):
        return 4.0 * other

    def __rmul__(self, other):
        return 3.0 * other


class AsOne(Measure):
    __array_ufunc__ = None


class Preferred(Measure):
    __array_priority__ = 10.0


gauge, count, twice, table, pairs = Gauge(2.0), Count(2), Twice([1.0, 3.0]), Table(a=1.0), Pairs((1.0, 3.0))
measure, as_one, preferred = Measure(2.0), AsOne(2.0), Preferred(2.0)
FOLLOWED = [
    lambda x: gauge * x,
    lambda x: x * gauge,
    lambda x: (gauge + x) * -gauge,
    lambda x: count * x,
    lambda x: twice[1] * x,
    lambda x: table["a"] * x + table["b"],
    lambda x: pairs[1] * x,
    lambda x: measure * x + x * measure,
    lambda x: np.sum(np.array([x, x * x]) * as_one),
    lambda x: np.sum(np.array([x, x * x]) * preferred),
]


@pytest.mark.parametrize("f", FOLLOWED)
def test_the_class_says(f):
    ad.check_grads(f, (1.7,), order=2)
    assert ad.value_and_grad(f)(1.7)[0] == f(1.7)


@pytest.mark.parametrize(
    "f, m",
    [
        (lambda m, x: m * x + x * m, gauge),
        (lambda m, x: m * x, count),
        (lambda m, x: m[1] * x, twice),
        (lambda m, x: m["a"] * x, table),
        (lambda m, x: m[1] * x, pairs),
    ],
)
def test_of_an_argument_too(f, m):
    expected = (f(m, 1.7 + 1e-6) - f(m, 1.7 - 1e-6)) / 2e-6
    assert ad.grad(f, argnums=1)(m, 1.7) == pytest.approx(expected)
    assert ad.jvp(f, (m, 1.7), (None, 1.0)) == (f(m, 1.7), pytest.approx(expected))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * count,  # a float takes an int as such: what Count says is not asked for
        lambda x: np.float64(x) * gauge,
        lambda x: np.sum(np.multiply(np.array([x, x]), measure)),
        lambda x: np.sum(np.array([x, x]) * measure),
        lambda x: np.sum(np.array([x, x]) * Measure(x)),
    ],
)
def test_what_is_refused(f):
    for derivative in (lambda: ad.grad(f)(1.7), lambda: ad.jvp(f, (1.7,), (1.0,))):
        with pytest.raises(ad.Unsupported, match=r"test_operands\.py:(.|\n)*(whose class says|an array before)"):
            derivative()


@pytest.mark.parametrize(
    "left, cls, taken",
    [
        (float, Count, True), (float, Gauge, False), (int, Count, False), (int, Gauge, False),
        (complex, Gauge, True), (np.float64, Gauge, True), (float, Measure, False), (np.float64, Measure, False),
    ],
)  # fmt: skip
def test_whose_method_comes_first(left, cls, taken):
    assert number_takes(Scalar(frozenset({left})), cls) == taken
    assert number_takes(Known(left(2)), cls) == taken
