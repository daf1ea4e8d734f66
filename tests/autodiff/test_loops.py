"""Loops in reverse: every exit, every kind of iterable, carried structures."""

import math

import numpy as np
import pytest

from tests.compiled import check


def for_else(x, n):
    for i in range(n):
        x = x * 1.5
        if x > 2.0:
            y = x * i
            break
    else:
        y = x * x
    return y


def returning(x, n):
    for i in range(n):
        if x > 1.0:
            return x * i
        x = x + 0.3 * x * x
    return math.sin(x)


def while_true(x):
    count = 0
    while True:
        count += 1
        x = 0.5 * (x * x + 0.5 / x)
        if count > 4:
            return x


def newton(a):
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def raising(x, n):
    for i in range(n):
        x = x * 1.1
        if i > 5:
            raise ValueError(i)
    return x


def collected(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
        x = x * 0.9
    return out


def over_elements(xs, k):
    total = k
    for x in xs:
        total = total * x + k
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 6])
@pytest.mark.parametrize("f", [for_else, returning, raising, collected])
def test_exits(f, n):
    check(f, 0.7, n)


def test_while():
    check(while_true, 0.7, order=2)
    check(newton, 3.0)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_elements(n):
    check(over_elements, np.linspace(0.5, 1.5, n), 0.7)
