import math
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.numerical import directional
from adcompile.rules import elementwise, frule, rrule, vjp
from adcompile.rules.registry import unregister
from adcompile.testing import CheckFailure, check_grads, check_rule, identical


def smooth(x, y):
    return np.sum(np.sin(x) * y)


def cube(x):
    return x * x * x


def axpy(a, x):
    return a * x


@pytest.fixture
def rules():
    """Registers with the functions of this file, and forgets them again."""
    yield
    for fn in (cube, axpy):
        unregister(fn)


X = np.array([0.3, -0.7, 1.1])


def test_right_gradients_pass():
    check_grads(smooth, (X, 2.0), order=2)
    check_grads(lambda x: (x * 2.0, {"s": np.exp(x)}), (X,), order=1)
    check_grads(lambda x, n: x**n, (1.5, 3), order=2)
    check_grads(cube, (0.5,), order=3)
    check_grads(lambda z: z * z, (1.0 + 2j,), order=1)
    check_grads(lambda x: np.sum(np.abs(x) ** 1.5), (X,), order=1)


@pytest.mark.parametrize("modes", [("fwd",), ("rev",)])
def test_one_mode_alone(modes):
    check_grads(smooth, (X, 2.0), order=2, modes=modes)


def test_unknown_modes_are_refused():
    with pytest.raises(ValueError, match="'forward'"):
        check_grads(cube, (1.0,), modes=("forward",))


@pytest.mark.parametrize(
    "fn, args, settings",
    [
        (np.sin, (X,), {}),
        (np.hypot, (X, 2.0), {}),
        (operator.mul, (2.0, X), {}),
        (np.sum, (np.outer(X, X),), {"axis": 0}),
        (math.exp, (0.3,), {}),
        (np.matmul, (np.outer(X, X), X), {}),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_rules_that_are_right(fn, args, settings):
    check_rule(fn, *args, **settings)


def test_a_callable_without_rule():
    with pytest.raises(CheckFailure, match="rule of cube: none is registered"):
        check_rule(cube, 1.0)


def right(y_bar, y, x):
    return 3.0 * x * x * y_bar


def wrong_value(y_bar, y, x):
    return 2.0 * x * x * y_bar


def wrong_dtype(y_bar, y, x):
    return np.float64(3.0) * x * x * y_bar


def wrong_shape(y_bar, y, x):
    return np.sum(3.0 * x * x * y_bar)


def wrong_arity(y_bar, y, x):
    return 3.0 * x * x * y_bar, y_bar


@pytest.mark.parametrize(
    "body, message",
    [(wrong_value, "got"), (wrong_dtype, "float64"), (wrong_shape, "shape"), (wrong_arity, "number of cotangents")],
)
def test_wrong_vjps_are_caught(rules, body, message):
    vjp(cube, body)
    with pytest.raises(CheckFailure, match="rule of cube") as caught:
        check_rule(cube, X)
    assert message in str(caught.value)


def test_a_right_vjp_passes(rules):
    vjp(cube, right)
    check_rule(cube, X)


def test_wrong_partials_are_caught(rules):
    @elementwise(axpy)
    def swapped(y, a, x):
        return a, x

    with pytest.raises(CheckFailure, match="argument"):
        check_rule(axpy, 2.0, X)

    @elementwise(axpy)
    def one_missing(y, a, x):
        return x

    with pytest.raises(CheckFailure, match="number of partial derivatives"):
        check_rule(axpy, 2.0, X)


def test_wrong_explicit_rules_are_caught(rules):
    @rrule(cube)
    def lies_about_the_value(x):
        return x * x, lambda y_bar: 3.0 * x * x * y_bar

    with pytest.raises(CheckFailure, match="value of the rrule"):
        check_rule(cube, 0.5)
    unregister(cube)

    @frule(cube)
    def not_a_pair(x, x_dot):
        return 3.0 * x * x * x_dot

    with pytest.raises(CheckFailure, match="result of the frule"):
        check_rule(cube, 0.5)


def test_directional_derivatives():
    value, error = directional(lambda x: np.sin(x), (0.5,), (2.0,))
    assert value == pytest.approx(2 * math.cos(0.5), rel=1e-14)
    value, error = directional(lambda x: abs(x) ** 1.5, (np.array([2.0]),), (np.array([1.0]),))
    assert value == pytest.approx(1.5 * math.sqrt(2), rel=1e-9)
    assert error < 1e-8
    assert directional(lambda x: int(x), (2.5,), (1.0,)) == (ad.tangents.NoTangent, 0.0)


def test_identical():
    assert identical((1.0, {"a": np.array([np.nan])}), (1.0, {"a": np.array([np.nan])}))
    assert not identical(1.0, np.float64(1.0))
    assert not identical(np.ones(2), np.ones(2, "f4"))
    assert not identical([1.0], (1.0,))


class Account:
    def __init__(self, balance):
        self.balance, self.entries, self.rows = balance, [], np.array([balance, 2.0])


def deposit(account, x):
    account.balance = account.balance * x
    account.entries.append(account.balance * x)
    account.rows *= x
    return account.entries[-1] * account.rows[0]


def forgets(account, x):
    account.balance = account.balance * ad.stop_gradient(x)
    return x * x


def test_objects_and_what_is_left_in_them():
    check_grads(deposit, (Account(1.5), 0.7))
    with pytest.raises(CheckFailure, match="left in the arguments"):
        check_grads(forgets, (Account(1.5), 0.7))


def test_arguments_that_share_memory_and_are_written_are_no_sample():
    def f(a, b):
        a *= b
        return a @ b

    a = np.array([1.2, -0.7, 2.1])
    with pytest.raises(ValueError, match="share memory"):
        ad.check_grads(f, (a[1:], a[:-1]))
    ad.check_grads(f, (a, a.copy()))
    ad.check_grads(lambda a, b: a @ b, (a, a))
