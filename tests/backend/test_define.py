"""Nested functions: made by helpers that take what they capture."""

import numpy as np
import pytest

from tests.backend.printing import printed, reprint
from tests.checks import right_or_refused


def captures(x):
    s = x * 2

    def g(a, /, b=3, *rest, c, d=5, **kw):
        return a + b * s + sum(rest) + c * d + sum(kw.values())

    return g(1, c=2) + g(1, 2, 3, 4, c=5, d=6, e=7)


def calls_itself(n):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    return fact(n)


def makes_lambdas(x):
    fs = [lambda a, k=k: a * k for k in range(3)]
    return [f(x) for f in fs]


def test_nested_functions():
    assert reprint(captures)(2) == captures(2)
    assert reprint(calls_itself)(5) == 120
    assert reprint(makes_lambdas)(2) == [0, 2, 4]


def test_helpers_stand_before_the_function():
    text = printed(calls_itself)
    assert text.index("def make_fact():") < text.index("    def fact(k):") < text.index("def calls_itself(n):")


def test_parameters_named_like_globals():
    def f(np, x):
        return np + len([np, x])

    assert reprint(f)(1, 2) == 3


def assigned_again(x, k):
    a = 1.0
    fs = [lambda: a, lambda: 2.0]
    if not k:
        a = 0.5
    return x * fs[k % 2]()


def captured_by_each_branch(x, k):
    if k > 1:
        a = 1.0
        h = lambda: a
    else:
        a = 2.0
        h = lambda: a * 3
    return x * h()


def counts_within(x, k):
    def count():
        n, held = 0, [2.0]

        def step():
            nonlocal n
            n += 1
            held.append(n)
            return n

        held = [4.0]
        return step() + step() + n + sum(held)

    return x * [count, lambda: 2.0][k % 2]()


def counts_around(x, k):
    n = 0
    fs = [lambda: n * 1.0, lambda: 2.0]

    def walk(d):
        nonlocal n
        n += 1
        return fs[d % 2]() + (walk(d - 1) if d > 0 else 0.0)

    return x * walk(k)


@pytest.mark.parametrize("f", [assigned_again, captured_by_each_branch, counts_within, counts_around])
def test_variables_of_functions_that_are_chosen_when_the_code_runs(f):
    assert not right_or_refused(f, __file__) or f is assigned_again


def tries_within(x, k):
    held = np.arange(1.0, 3.0) + k

    def step(v):
        held[0] += v
        try:
            u = v * 0.5 + held[0]
        except ValueError:
            u = v
        with np.errstate(all="ignore"):
            if u > 3.0:
                return u * 2.0
        return u

    return x * sum(list(map(step, held)))


def test_functions_that_run_as_written_may_try():
    assert not right_or_refused(tries_within, __file__)
