"""Which indices need no check, and which checks stand before a loop."""

import numpy as np

from adcompile.backend.native.bounds import Linear
from adcompile.ir.nodes import Var
from tests.kernels import agree, stays, text_of

A = np.array([0.5, 1.5, -0.7, 2.0])


def by_its_length(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(i):
            s += a[i] * a[j] * a[i - j - 1]
    return s


def by_a_number(a, n):
    s = 0.0
    for i in range(1, n):
        s += a[i] * a[i - 1]
    return s


def around_the_edge(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * a[i - 1]
    return s


def only_where_it_is(a, n):
    s = 0.0
    for i in range(n):
        if i < 4:
            s += a[i] ** 2
    return s


def test_the_length_of_the_array_proves_it():
    text = text_of(by_its_length, A)
    assert "nt.index" not in text and "Fault" not in text
    agree(by_its_length, A)


def test_a_number_is_compared_once():
    text = text_of(by_a_number, A, 3)
    assert "nt.index" not in text
    assert text.count("raise nt.Fault") == 3  # its size, and a check before each of two loops
    agree(by_a_number, A, 4)
    agree(by_a_number, A, 5)
    agree(by_a_number, A, -3)


def test_indices_that_begin_at_the_end_are_checked_as_they_come():
    assert "nt.index" in text_of(around_the_edge, A)
    agree(around_the_edge, A)


def test_what_a_branch_guards_is_not_checked_before_it():
    text = text_of(only_where_it_is, A, 9)
    assert "nt.index" in text and " < 0" not in text.replace("k < 0", "")
    agree(only_where_it_is, A, 9)


def test_linear_forms():
    x, y = Var("x"), Var("y")
    form = Linear(1, {x: 2}).plus(Linear(3, {x: 1, y: 1}), -2)
    assert form == Linear(-5, {y: -2})
    assert len({form, Linear(-5, {y: -2})}) == 1


def with_gaps(a):
    s = 0.0
    for k in range(0, len(a), 2):
        s += a[k] * a[k + 1]
    for k in range(len(a) - 1, 0, -2):
        s += a[k] * a[k - 1]
    return s


def test_the_last_of_a_range_with_gaps_is_what_counts():
    for n in (0, 1, 2, 5, 6):
        agree(with_gaps, np.linspace(0.5, 1.5, n))


def ring(x, a, b):
    s = 0.0
    for k in range(a, b):
        s = s + x[k - 1] * x[k] ** 2
    return s


def lagged(x, lag, n):
    s = 0.0
    for k in range(n):
        for j in range(2):
            s += x[k] * x[k - lag - j]
    return s


def from_the_end(x, n):
    y = x * 1.0
    for k in range(n):
        y[k - n] *= x[k] + y[-k]
    return np.sum(y)


def test_indices_below_zero_stay():
    for first, last in ((0, 4), (1, 4), (2, 3), (-1, 3), (3, 3)):
        stays(ring, A, first, last)
    for lag in (0, 1, 2):
        stays(lagged, A, lag, 4)
    stays(from_the_end, A, 4)


def test_indices_out_of_range_raise():
    for f, args in ((ring, (-4, 2)), (ring, (0, 6)), (lagged, (5, 2)), (lagged, (-1, 4)), (from_the_end, (5,))):
        agree(f, A, *args)
