"""What iterations hand on is kept once, and right whatever way the loop ends."""

import math

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check


def before_and_after(x, n):
    total = 0.0
    for k in range(n):
        x = x + math.sin(x) / (k + 1)
        total += x * x
        if total > 30.0:
            break
    return total


def swapped(a, n):
    b, total = a * a, 0.0
    for _ in range(n):
        a, b = b, math.sin(a) * b
        total += a * a * b
    return total


def only_rotated(a, n):
    b, total = a * a, 0.0
    for _ in range(n):
        a, b = b, a
        total += a * a * b
    return total


def exit_first(x, n):
    k, total = 0, 0.0
    while True:
        if k >= n:
            break
        k += 1
        x = math.tanh(x) + x
        total += x * x
    return total * x


def other_on_one_path(x, n):
    total = 0.0
    for k in range(n):
        y = math.sin(x) * x
        total += y * y
        if k % 2:
            continue
        x = y
    return total + x * x


def inside_another(x, n):
    total = 0.0
    for _ in range(n):
        y = x
        for _ in range(3):
            y = math.cos(y) * y
            total += y * y
        x = y + 0.5
    return total


def arrays(x, n):
    total = 0.0
    for _ in range(n):
        x = np.sin(x) * x
        total = total + np.sum(x * x)
    return total


PROGRAMS = [before_and_after, swapped, only_rotated, exit_first, other_on_one_path, inside_another]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers(f, n):
    check(f, 0.7, n, order=2)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_arrays(n):
    check(arrays, np.array([0.4, -0.8]), n, order=2)


@pytest.mark.parametrize("f, lists", [(before_and_after, 1), (only_rotated, 0)])
def test_one_list_for_both(f, lists):
    assert ad.source(ad.grad(f), 0.7, 3).count(".append(") == lists
