"""Sums, reductions, extremes and quantifiers through a sequence."""

import builtins
import functools
import operator

import numpy as np
import pytest

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
