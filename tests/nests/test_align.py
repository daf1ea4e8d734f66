"""Loops that touch an array some places apart, set side by side: by what they compute, at every length."""

import operator

import numpy as np
import pytest

from adcompile.analysis.views import fn_of
from adcompile.ir.nodes import Call, For
from adcompile.ir.walk import statements_of
from tests.nests.lowered import both
from tests.nests.test_lower import random
from tests.nests.test_plan import loops


def three_places(a):
    b = a * 1.0
    for _ in range(3):
        b[1:-1] = 0.3 * (b[:-2] + b[1:-1] * b[1:-1] + b[2:])
    return np.sum(b * b)


def upwind(u, c):
    for _ in range(3):
        inner = u[1:-1]
        u[1:-1] = inner - c * inner * np.where(inner > 0.0, inner - u[:-2], u[2:] - inner)
    return np.sum(u * u)


def wide(a, b):
    c = a[:-4] * b[4:] - a[2:-2] * b[1:-3] + a[3:-1] * a[4:]
    d = c * b[:-4] + b[2:-2] * c
    return np.sum(d * c)


def backwards(a):
    b = a[::-1] * 2.0
    c = b[:-1] * a[1:] + b[1:] * a[:-1]
    return np.sum(c * c * b[1:])


def every_other(a):
    b = a[::2] * a[::2]
    c = b[1:] * a[:-2:2] + b[:-1]
    return np.sum(c * c)


def rows_and_columns(a):
    for _ in range(2):
        a[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] * a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] + a[2:, 2:] * a[:-2, :-2]
        )
    return np.sum(a * a)


def along_columns(a):
    b = a.T * 1.0
    c = b[:-2] + b[1:-1] * b[2:]
    return np.sum(c * c)


def two_that_may_be_one(a, b):
    c = a[1:] * b[:-1] + a[:-1] * b[1:]
    d = a[1:] * c + b[:-1] * c
    return np.sum(d * d)


LINES = [three_places, wide, backwards, every_other]
PLANES = [rows_and_columns, along_columns]


@pytest.mark.parametrize("n", range(12))
@pytest.mark.parametrize("f", LINES, ids=lambda f: f.__name__)
def test_lines_of_every_length(f, n):
    given = [random(n + 5) for _ in range(f.__code__.co_argcount)]
    least = {wide: 4, backwards: 1, every_other: 2, three_places: 2}[f]
    assert both(f, *given).agree(*(random(max(n, least)) for _ in given))


@pytest.mark.parametrize("n", range(2, 8))
@pytest.mark.parametrize("f", PLANES, ids=lambda f: f.__name__)
def test_planes_of_every_shape(f, n):
    made = both(f, random(5, 5))
    for m in range(2, 8):
        assert made.agree(random(n, m))


@pytest.mark.parametrize("n", range(2, 9))
def test_what_a_branch_chooses(n):
    assert both(upwind, random(6), 0.1).agree(random(n), 0.1)


@pytest.mark.parametrize("n", range(1, 7))
def test_additions_to_what_may_be_one_array(n):
    made = both(two_that_may_be_one, random(6), random(6))
    x = random(n)
    assert made.agree(x, x) and made.agree(random(n), random(n))


def adjoint_loops(f, *args):
    """The innermost loops of a reverse sweep, each with its reads and writes of elements."""
    program = both(f, *args).program
    every = [s for s in statements_of(program.functions[program.entry].body) if isinstance(s, For)]
    inner = [s for s in every if s.role == "adjoint" and not any(isinstance(t, For) for t in s.body.statements)]
    return [[fn_of(c) for c in statements_of(s.body) if isinstance(c, Call)] for s in inner]


def test_three_additions_become_one_loop_and_its_ends():
    _, together, _ = adjoint_loops(three_places, random(9))[-3:]
    assert together.count(operator.getitem) >= 4, "what is added at three places, and what is there"


def test_what_is_overwritten_before_anybody_reads_it_is_not_written():
    _, together, _ = adjoint_loops(three_places, random(9))[-3:]
    assert together.count(operator.setitem) == 1


def test_loops_that_do_not_meet_stay_apart():
    def products(a, b):
        c = a * b + a
        d = c * c - b
        return np.sum(d * d)

    assert loops(both(products, random(5), random(5)).program) == (1, 1)
