"""What the forward sweep has evaluated, read by the reverse."""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.products import split_of
from adcompile.rules import registry
from adcompile.testing import check_grads


def turning(x):
    s = x
    for _ in range(4):
        s = s - math.sin(s) * math.cos(s) * x
    return s


def turning_array(x):
    s = x * 1.0
    for _ in range(3):
        s = s + np.sin(s) * np.cos(s)
    return np.sum(s)


def newton(x):
    total = 0.0
    for e, m in zip(x[:3], x[3:]):
        E, step = m, 1.0
        while abs(step) > 1e-10:
            step = (E - e * math.sin(E) - m) / (1.0 - e * math.cos(E))
            E = E - step
        total += E
    return total


def written_behind(x):
    s = np.zeros(3)
    t = 0.0
    for i in range(3):
        c = np.cos(x)
        t = t + np.sum(np.sin(x) * c * (i + 1))
        c[0] = 0.0
        s = s + c * x
    return t + np.sum(s)


def seen_by_shape(x):
    t = 0.0
    for i in range(3):
        c, v = np.cos(x * i), np.sin(x * i)
        t = t + np.sum(v * v) * np.sum(np.ones(c.shape))
    return t


def in_a_branch(x):
    s = x
    for i in range(4):
        if i % 2:
            s = s - 0.3 * math.sin(s) * math.cos(s)
        else:
            s = s + 0.2 * math.cos(s)
    return s


def left_early(x):
    s = x
    for _ in range(9):
        c = math.cos(s)
        if c < 0.4:
            break
        s = s + 0.3 * math.sin(s) * c
    return s * c


def hyperbolic(x):
    return np.sum(np.sinh(x) * np.cosh(x))


def two_functions_of_one(x):
    """sinh is not cosh, though each is the other's derivative."""
    s = x
    for _ in range(2):
        s = 0.3 * np.cosh(s) + s * np.sinh(s)
    return np.sum(s)


X = np.array([0.3, 0.5, 0.7])
CALLS = [
    (turning, 0.7), (turning, np.float64(0.7)), (turning_array, X), (newton, np.array([0.1, 0.3, 0.5, 0.7, 1.1, 2.0])),
    (written_behind, X), (seen_by_shape, X), (in_a_branch, 0.7), (left_early, 0.4), (hyperbolic, X),
    (two_functions_of_one, X),
]  # fmt: skip


@pytest.mark.parametrize("fn, x", CALLS, ids=lambda v: getattr(v, "__name__", None))
def test_derivatives(fn, x):
    check_grads(fn, (x,))


def evaluations(text):
    """Of sine and cosine, in code."""
    code = "".join(line.split("#")[0] for line in text.splitlines())
    return code.count(".sin("), code.count(".cos(")


@pytest.mark.parametrize("fn, x", [(turning, 0.7), (turning_array, X), (newton, np.ones(6) * 0.3)])
def test_what_is_kept_is_not_evaluated_again(fn, x):
    assert evaluations(ad.source(fn, x)) == (1, 1)


def test_a_pullback_reads_what_the_sweep_has_evaluated():
    def f(x):
        return np.sin(x) * np.cos(x)

    assert {kept.name for kept in ad.saved(f, X)} == {"t"}
    assert evaluations(split_of(f, (X,)).source) == (1, 1)


def test_functions_that_share_a_rule_are_not_the_same():
    @ad.rules.elementwise(one, other)
    def rule(y, x):
        return 2.0

    try:
        assert ad.grad(lambda x: chained(x))(0.4) == pytest.approx(slope(chained, 0.4))
    finally:
        for fn in (one, other):
            registry.unregister(fn)


def one(x):
    return 2.0 * x


def other(x):
    return 2.0 * x + 1.0


def chained(x):
    s = x
    for _ in range(3):
        s = one(s) * other(s) * 0.1
    return s


def slope(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
