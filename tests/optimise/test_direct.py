"""Memory in between is left out where nobody can tell, and kept where somebody can."""

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check, same_value

X = np.array([0.4, 1.3, -0.2, 0.9])


def stencil(x):
    y = x * 1.0
    for _ in range(3):
        y[1:-1] -= 0.3 * (y[2:] - y[:-2])
    return np.sum(y**2)


def element(x):
    y = x * 1.0
    y[1] *= y[0]
    y[1] += 2.0
    return np.sum(y**2)


def fancy(x):
    y = x * 1.0
    y[[0, 2]] += x[1]
    y[x > 0.5] *= 2.0
    return np.sum(y**2)


def other_place(x):
    y = x * 1.0
    t = y[1:]
    t *= 2.0
    y[:-1] = t
    return np.sum(y**2)


def copied_then_written(x):
    y = x * 1.0
    t = y[1:].copy()
    y[2] = x[0] ** 2
    return np.sum(t * y[1:])


def overlapping(x):
    y = x * 1.0
    y[1:] += y[:-1]
    y[:-1] -= y[1:]
    y[::-1] += y
    return np.sum(y**3)


def cut(x):
    y = np.zeros(4, np.float32)
    y[1:] += x[1:]
    y[1:] *= 0.1
    return np.sum(y * x)


PROGRAMS = [stencil, element, fancy, other_place, copied_then_written, overlapping]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    check(f, X, order=2)


def test_narrow_arrays_are_rounded_as_the_primal_rounds():
    same_value(cut, X)


def test_views_are_not_stored_back():
    assert "y[1:-1] = " not in ad.source(ad.grad(stencil), X)
    assert "y[1] = " in ad.source(ad.grad(element), X)
    assert "y[:-1] = " in ad.source(ad.grad(other_place), X)


def test_no_copies_of_what_is_read_at_once():
    assert ".copy()" not in ad.source(ad.grad(stencil), X)


def test_a_difference_is_no_sum_with_the_opposite():
    text = ad.source(ad.grad(stencil), X)
    assert "-=" in text and "= -t" not in text


def test_what_is_kept_is_a_copy():
    def f(x):
        y = x * 1.0
        kept = []
        for i in range(3):
            kept.append(y * y)
            y[i] = kept[-1][i + 1]
        return np.sum(kept[0] * kept[2])

    check(f, X, order=2)
