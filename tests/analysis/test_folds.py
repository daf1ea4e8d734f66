"""Sums, reductions, extremes and quantifiers through a sequence."""

import builtins
import functools
import operator

import numpy as np
import pytest

from adcompile.analysis import folds
from tests.compiled import check, same_value

DATA = [0.5, -1.5, 1.0, 0.25]


@pytest.mark.parametrize("xs", [np.array(DATA), DATA, tuple(DATA)], ids=["array", "list", "tuple"])
@pytest.mark.parametrize("fn", [sum, max, min], ids=lambda fn: fn.__name__)
def test_one_sequence(fn, xs):
    def f(xs):
        return fn(xs) * xs[0]

    check(f, xs)


def with_key(xs):
    return max(xs, key=abs) + 2.0 * min(xs, key=lambda v: v * v)


def reduced(xs):
    return functools.reduce(lambda a, b: 0.5 * a * b + b, xs)


def pairwise(x, y):
    return max(x, y, 0.1) * min(x, y)


def quantified(xs, flag):
    return sum(xs) if any([flag, False]) and all((True, flag)) else xs[0]


def started(xs):
    return sum(xs, 10.0) + functools.reduce(operator.add, xs, 1.0)


@pytest.mark.parametrize("f", [with_key, reduced, started])
@pytest.mark.parametrize("xs", [np.array(DATA), DATA], ids=["array", "list"])
def test_reductions(f, xs):
    check(f, xs)


def test_of_numbers():
    check(pairwise, 0.5, 0.75)
    check(pairwise, 0.75, 0.5)


def test_quantifiers():
    check(quantified, np.array(DATA), True)
    check(quantified, np.array(DATA), False)


def test_extremes_of_equal_items_take_the_first():
    def f(xs):
        return builtins.max(xs, key=lambda v: round(v))

    same_value(f, [1.1, 1.2, 0.9])


@pytest.mark.parametrize("compensates", [False, True])
def test_sums_of_floats_are_what_python_makes_them(compensates, monkeypatch):
    """Since Python 3.12 `sum` keeps what rounding loses; the derivative is that of the plain sum."""
    monkeypatch.setattr(folds, "COMPENSATED", folds.COMPENSATED or compensates)
    for f in (of_parts, of_generator, of_values, of_products):
        check(f, 0.7, order=2)
    check(of_list, DATA, order=2)


def of_parts(x):
    return sum([x * 0.1, x * 0.2, x**3], x) * x


def of_generator(x):
    return sum(v * 0.1 * x for v in DATA)


def of_values(x):
    d = {"a": x * 0.1, "b": x * x}
    return sum(d.values()) + sum(reversed([x * 0.3, x * 0.7]), 2.5)


def of_products(x):
    return sum([x * i * 0.1 for i in range(40)])


def of_list(xs):
    return sum(xs) ** 2 + sum(v * w for v, w in zip(xs, DATA))
