"""Nested functions: made by helpers that take what they capture."""

from tests.backend.printing import printed, reprint


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
