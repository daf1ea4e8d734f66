"""Loops whose iterations go side by side: what they compute, and that they do."""

import math
import re

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, agree_pulled, agree_pushed, parts_of, stays
from tests.programs import side_by_side

E, M = side_by_side.SAMPLES["newton"][0]
APART = ("warm_start", "of_the_one_before")
TOGETHER = [name for name in side_by_side.SAMPLES if name not in APART]


def lanes_in(f, *args, value=False):
    """How many loops of a gradient go side by side."""
    kernels = parts_of(f, *args, value=value).kernels.values()
    return sum(len(re.findall(r"lanes\w* = np.empty", kernel.source)) for kernel in kernels)


@pytest.mark.parametrize("name", TOGETHER)
def test_iterations_go_side_by_side(name):
    f = getattr(side_by_side, name)
    assert lanes_in(f, E, M) == 1
    stays(f, E, M)
    agree_pulled(f, E, M)
    agree_pushed(f, E, M)


def bisected(e, m):
    """What is kept of each turn is whether it went up; one step of Newton's method gives the derivative."""
    total = 0.0
    for i in range(len(m)):
        low, high = 0.0, 8.0
        while high - low > 1e-4:
            middle = 0.5 * (low + high)
            if middle - e[i] * math.sin(middle) > m[i]:
                high = middle
            else:
                low = middle
        a = 0.5 * (low + high)
        total += a - (a - e[i] * math.sin(a) - m[i]) / (1.0 - e[i] * math.cos(a))
    return total


def test_bisection():
    """No program for finite differences: what it gives jumps by what is left of the interval."""
    assert lanes_in(bisected, E, M) == 1
    stays(bisected, E, M)


@pytest.mark.parametrize("name", APART)
def test_iterations_that_follow_each_other_do_not(name):
    f = getattr(side_by_side, name)
    assert lanes_in(f, E, M) == 0
    agree(f, E, M)


@pytest.mark.parametrize("many", [0, 1, 2, 15, 16, 17, 32, 33])
def test_any_number_of_elements(many):
    stays(side_by_side.newton, E[:many], M[:many])
    stays(side_by_side.many_ways, E[:many], M[:many])


def logarithms(x):
    total = 0.0
    for v in x:
        y = v
        for _ in range(4):
            y = y - 0.1 * math.log(y)
        total += y
    return total


def divided(x):
    total = 0.0
    for i in range(len(x)):
        y = float(x[i])
        k = 0
        while math.exp(y) < 9.0:
            y = y + 0.25 / y
            k += 1
        total += y * k
    return total


def refused(x):
    total = 0.0
    for i in range(len(x)):
        y = x[i]
        while y < 3.0:
            y = y + math.exp(-y)
            if y > 20.0:
                raise ValueError("too high")
        total += y
    return total


@pytest.mark.parametrize("f", [logarithms, divided, refused])
@pytest.mark.parametrize("at", [0, 3, 17, 19])
def test_what_raises_in_a_lane_raises_what_the_function_does(f, at):
    x = np.linspace(0.5, 2.5, 20)
    assert lanes_in(f, x) == 1
    assert agree(f, x) is None
    bad = x.copy()
    bad[at] = {logarithms: -1.0, divided: 0.0, refused: -5.0}[f]
    assert agree(f, bad) in (ValueError, ZeroDivisionError)


def test_lanes_that_are_done_raise_nothing():
    """The function computes no logarithm of what has fallen below zero; the lanes beside it go on."""

    def falling(x):
        total = 0.0
        for v in x:
            y = v
            while y > 0.0:
                y = y - 0.4 + 0.1 * math.log(y)
            total += y * v
        return total

    stays(falling, np.linspace(0.5, 9.0, 24))


def test_two_loops():
    def twice(e, m):
        out = np.zeros(len(m))
        for i in range(len(m)):
            x = m[i]
            while x > 1.0:
                x = x - math.sin(x) ** 2 - 0.1
            out[i] = x
        total = 0.0
        for i in range(len(e)):
            y = out[i] + e[i]
            while y > 0.3:
                y = y - 0.5 * math.tanh(y) * e[i] ** 2 - 0.05 * y
            total += y * out[i]
        return total

    assert lanes_in(twice, E, M) == 2
    stays(twice, E, M)


def test_elements_written_where_they_were_read():
    def in_place(x, c):
        for i in range(len(x)):
            v = x[i]
            while v * c[i] > 0.5:
                v = v - 0.3 * math.exp(-v) - 0.2
            x[i] = v
        return np.sum(x * x)

    assert lanes_in(in_place, M, E) == 1
    stays(in_place, M, E)
    both = np.concatenate((M, E))
    agree(lambda z: in_place(z[: len(M)] * 1.0, z[len(M) :]), both)


def test_arrays_that_share_memory():
    def shifted(m):
        view = m[1:]
        for i in range(len(view)):
            x = m[i]
            while x > 0.5:
                x = 0.7 * math.sin(x) * x
            view[i] = x
        return np.sum(m * m)

    assert lanes_in(shifted, M) == 0
    agree(shifted, M)


def test_histories_that_the_function_reads_are_not_rows():
    def history(e, m):
        kept = []
        for i in range(len(m)):
            x, row = m[i], []
            while x > 1.0:
                x = x - math.sin(x) ** 2 - 0.1
                row.append(x * e[i])
            kept.append(row)
        return sum(v * v for row in kept for v in row)

    agree(history, E, M)


def test_large_integers_are_no_floats():
    def counted(x, n):
        total = 0.0
        for i in range(len(x)):
            y, k = x[i], n
            while y > 1.0:
                y = y - 0.1 * math.sin(y) ** 2 - 0.05
                k += 1
            total += y * (k % 7)
        return total

    agree(counted, M, 2**53 + 1)


def test_the_class_of_a_result_that_no_turn_has_changed():
    def last(x):
        y = 0.5
        for i in range(len(x)):
            y = 0.5
            while y < x[i]:
                y = y + math.exp(-y) * x[i]
        return y

    agree(last, M)
    agree(last, M * 0.0)
    agree(last, M[:0])


def test_the_elementary_functions_of_the_library_have_no_lanes():
    pytest.importorskip("numba")
    with ad.config(elementary="libm"):
        agree(side_by_side.newton, E, M)
