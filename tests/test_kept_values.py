"""What a pullback reads is what it was at the call, whoever writes into it afterwards.

Kept values cross the boundary of calls: the public `vjp`, functions that are not inlined, rules of
users, module arrays. Whatever is overwritten between the call and the pullback, or between two runs
of the pullback, its result stays the same.
"""

import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.rules import registry

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([1.3, 0.2, 0.9, 0.6])
MODULE = np.array([1.0, 2.0, 3.0, 4.0])


def squares(x, y):
    return np.sum(x * x * y)


def views(x, y):
    a, b = x[::-1], y.reshape(2, 2)
    return np.sum(a * a * b.ravel()) + b[0, 1] ** 2


def looped(x, y):
    s = x
    for i in range(3):
        s = s * y + x[i]
    return np.sum(s * s)


def chosen_positions(x, y):
    z = y * 1.3
    z[[-2, 1]] = x[0]
    w = y * x
    w[[0, 2, 0]] = x[::-1][:3]
    return np.sum(np.sin(x)) + np.sum(z * z * w)


def recursive(x, n):
    if n == 0:
        return np.sum(x * x)
    return recursive(np.sin(x) * x, n - 1) * x[0]


def through_recursion(x, y):
    return recursive(x * y, 3) + recursive(x, 2)


def recursion_on_the_argument(x, y):
    return recursive(x, 1) * np.sum(y)


def with_module(x, y):
    return np.sum(x * MODULE * y * x)


def writes_what_it_read(x, y):
    """Overwritten by the function itself."""
    s = np.sum(x * x * y)
    x *= 2.0
    y[:] = x
    return s + np.sum(x * y)


def writes_in_a_loop(x, y):
    total = 0.0
    for i in range(4):
        total += x[i] ** 2 * np.sum(y * y)
        x[i] = y[i - 1]
        y *= 1.1
    return total


def structured(x, y):
    pair = {"a": x, "b": (y, x)}
    return np.sum(pair["a"] * pair["b"][0] * pair["b"][1])


FUNCTIONS = [
    squares, views, chosen_positions, looped, through_recursion, recursion_on_the_argument, with_module,
    writes_what_it_read, writes_in_a_loop, structured,
]  # fmt: skip


def difference(f, i):
    h, found = 1e-6, []
    for k in range(4):
        args = [[X.copy(), Y.copy()] for _ in range(2)]
        args[0][i][k] += h
        args[1][i][k] -= h
        found.append((f(*args[0]) - f(*args[1])) / (2 * h))
    return np.array(found)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_arguments_overwritten_between_call_and_pullback(f):
    x, y = X.copy(), Y.copy()
    value, pullback = ad.vjp(f, x, y)
    x += 1.0
    y[:] = np.nan
    bars = pullback(1.0)
    for i, bar in enumerate(bars):
        np.testing.assert_allclose(bar, difference(f, i), rtol=1e-6, atol=1e-8)
    x[:], y[:] = 5.0, -3.0
    for array in bars:
        array += 100.0  # what came out is the caller's
    for i, bar in enumerate(pullback(1.0)):
        np.testing.assert_allclose(bar, difference(f, i), rtol=1e-6, atol=1e-8)
    assert value == f(X.copy(), Y.copy())


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_two_pullbacks_do_not_disturb_each_other(f):
    first = ad.vjp(f, X.copy(), Y.copy())[1]
    second = ad.vjp(f, Y.copy(), X.copy())[1]
    expected = [pull(1.0) for pull in (first, second)]
    for pull, bars in ((second, expected[1]), (first, expected[0]), (second, expected[1])):
        for a, b in zip(pull(1.0), bars):
            assert np.array_equal(a, b)
        doubled = pull(2.0)
        np.testing.assert_allclose(doubled[0], 2.0 * bars[0], rtol=1e-14)


def test_module_arrays_overwritten_between_call_and_pullback():
    _, pullback = ad.vjp(with_module, X, Y)
    before = MODULE.copy()
    expected = difference(with_module, 0)
    try:
        MODULE[:] = 0.0
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-6)
        assert not ad.grad(with_module)(X, Y).any()
    finally:
        MODULE[:] = before


def test_the_result_overwritten_between_call_and_pullback():
    value, pullback = ad.vjp(np.exp, X)
    expected = value.copy()
    value[:] = 0.0
    np.testing.assert_allclose(pullback(np.ones(4))[0], expected, rtol=1e-15)


def norm(x):
    return math.sqrt(float(np.sum(x * x)))


def norm_rule(x):
    """The pullback reads the argument itself, not a copy."""
    y = norm(x)
    return y, lambda g: g * x / y


@pytest.fixture
def users_rule():
    ad.rules.rrule(norm)(norm_rule)
    yield
    registry.unregister(norm)


def normed(x, y):
    return norm(x) * np.sum(x * y)


def normed_then_written(x, y):
    z = x * 1.0
    s = norm(z)
    z *= 3.0
    t = norm(z)
    z[0] = 0.0
    return s * t * np.sum(z * y)


def normed_argument_written(x, y):
    s = norm(x)
    x[1:] = y[1:]
    return s * np.sum(x * y)


def normed_in_a_loop(x, y):
    total = 0.0
    for i in range(4):
        total += norm(x) * y[i]
        x[i] = total
    return total


@pytest.mark.parametrize("f", [normed, normed_then_written, normed_argument_written, normed_in_a_loop])
def test_rules_of_users_whose_argument_is_overwritten_later(f, users_rule):
    x, y = X.copy(), Y.copy()
    try:
        _, pullback = ad.vjp(f, x, y)
    except ad.Unsupported as error:
        assert error.place is not None and error.remedy
        return
    x += 1.0
    y *= 0.0
    for _ in range(2):
        for i, bar in enumerate(pullback(1.0)):
            np.testing.assert_allclose(bar, difference(f, i), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ad.grad(f)(X.copy(), Y.copy()), difference(f, 0), rtol=1e-6, atol=1e-8)


def test_linearize_keeps_its_point():
    x = X.copy()
    _, push = ad.linearize(lambda v: np.sum(v**3), x)
    x += 1.0
    assert push(np.ones(4)) == pytest.approx(3.0 * np.sum(X**2), rel=1e-14)
    x *= 0.0
    assert push(np.ones(4)) == pytest.approx(3.0 * np.sum(X**2), rel=1e-14)
