"""Cells behind branches and from one iteration to the next."""

import pytest

import adcompile as ad
from tests.compiled import check


class Box:
    def __init__(self, v):
        self.v = v


def either(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    c.v += 1.0
    return c.v * c.v


def each_side_makes_one(x):
    if x > 1.0:
        a = Box(x)
        b = a
    else:
        a = Box(x * x)
        b = a
    b.v += x
    return a.v * b.v


def of_every_iteration(x, n):
    box = Box(x)
    for _ in range(n):
        box.v *= 0.9
        box = Box(box.v + x)
        box.v += 1.0
    return box.v


def two_names_all_the_way(x, n):
    a = Box(x)
    b = a
    for _ in range(n):
        a = Box(a.v * x)
        b = a
        b.v += 1.0
    return a.v * b.v


@pytest.mark.parametrize("f", [either, each_side_makes_one])
def test_branches(f):
    for x in (0.7, 1.6):
        check(f, x)


@pytest.mark.parametrize("f", [of_every_iteration, two_names_all_the_way])
def test_loops(f):
    check(f, 0.7, 20)


def reads_the_other_name(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    c.v += 1.0
    return a.v


def writes_the_other_name(x):
    a, b = Box(x), Box(x * x)
    c = a if x > 1.0 else b
    a.v = 5.0 * x
    return c.v


def keeps_the_first(x, n):
    first = Box(x)
    box = first
    for _ in range(n):
        box.v = box.v * x
        box = Box(x)
    return first.v


def swapped_at_times(x, n):
    a, b = Box(x), Box(2.0 * x)
    for i in range(n):
        if i % 3 == 0:
            a, b = b, a
        a.v += b.v * x
    return a.v


@pytest.mark.parametrize("f", [reads_the_other_name, writes_the_other_name, keeps_the_first, swapped_at_times])
def test_right_or_refused(f):
    """A write must not be lost: these are refused as long as they are not followed."""
    args = (0.7, 20)[: f.__code__.co_argcount]
    try:
        got = ad.grad(f)(*args)
    except ad.AdcompileError as error:
        assert error.place is not None
        return
    h = 1e-6
    slope = (f(0.7 + h, *args[1:]) - f(0.7 - h, *args[1:])) / (2 * h)
    assert got == pytest.approx(slope, rel=1e-5)
