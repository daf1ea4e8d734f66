"""The helpers of generated code, met in code that is differentiated."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from tests.compiled import check

X = np.array([0.5, 1.2, 2.0])


def added_at_fancy_places(x):
    a = np.zeros(3)
    rt.accumulate(a, [0, 0, 2], x**2)
    b = rt.accumulate(a, slice(1, None), x[0])
    return np.sum(a**2) + b[1]


def items_added(x):
    pairs = [(v, v * v) for v in x]
    bars = rt.zero_list(pairs)
    for i in range(len(pairs)):
        rt.add_item(bars, i, (x[i] ** 3, x[i]))
    return sum(a * b for a, b in bars)


def zeros_filled(x):
    items = [v * v for v in x]
    bars = rt.zero_list(items)
    for i in range(len(x)):
        bars[i] += items[i] ** 2
    copied = rt.copy(bars)
    bars[0] = 0.0
    return sum(copied) * bars[1]


def lists_added(x):
    first, second = [], []
    for i in range(len(x)):
        first.append((x[i] * i, x[0]))
        second.append((x[i] ** 2, x[i]))
    total, out = rt.add(first, second), 0.0
    for _ in range(len(x)):
        a, b = total.pop()
        out += a * b
    return out * first[1][0]


def summed(x):
    return rt.total([x[0], x[1] ** 2, x[2]], 1.0) * x[0]


WRITING = [added_at_fancy_places, items_added, zeros_filled, lists_added, summed]


@pytest.mark.parametrize("f", WRITING, ids=lambda f: f.__name__)
def test_they_write_into_what_they_are_given(f):
    check(f, X, order=2)


def test_tuples_are_added_item_by_item():
    def f(x):
        a, b = rt.add((x, 2.0), (x * x, x))
        c, d = rt.add(rt.zeros_like((x, 1.0)), (a, b))
        return c * d

    ad.check_grads(f, (0.7,), order=2)
