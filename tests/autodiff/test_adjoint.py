"""The adjoint of one call, by each kind of rule."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.autodiff.adjoint import bind_rule
from adcompile.ir.nodes import Call, Const, Var
from adcompile.rules.registry import lookup
from tests.compiled import check

A = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
B = np.array([0.3, 0.6, -0.9])
S = A @ A.T + 3.0 * np.eye(2)


def elementwise(a, b):
    return np.hypot(a, b) * a / b


def reduction(a, b):
    return np.sum(a * b, axis=1) * np.max(a, axis=1) + np.mean(a, axis=(0, 1), keepdims=True)[0]


def linear(a, b):
    return np.transpose(a)[0] + np.cumsum(b)[:2] + np.reshape(a, -1)[1:3]


def bilinear(a, b):
    return a @ b + np.outer(a[0], b)[1, :2]


def structure(a, b):
    xs = [row * 2.0 for row in a]
    xs.append(b)
    return xs[-1] * xs[0] + sum(list(xs))


def repeated(a, b):
    return a[:, [0, 0, 2]] * b[[1, 1, 1]] + a[np.array([0, 1]), np.array([2, 2])][0]


@pytest.mark.parametrize("f", [elementwise, reduction, linear, bilinear, structure, repeated])
def test_kinds(f):
    check(f, A, B, order=2)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (4, 1, 1)])
def test_unbroadcast(shape):
    def f(a, b):
        return a * b + a / (2.0 + b)

    check(f, A, np.full(shape, 0.5))
    check(f, np.full(shape, 0.5), A)


def test_of_matrices():
    check(lambda s: np.linalg.inv(s) @ s.T + np.linalg.det(s), S, order=2)


def test_arguments_are_bound_by_the_parameters_of_the_rule():
    rule = lookup(np.sum)
    call = Call(Var("y"), Const(np.sum), (Var("a"),), (("axis", Const(1)),))
    by_position = Call(Var("y"), Const(np.sum), (call.args[0], Const(1)))
    for way in (call, by_position):
        bound = bind_rule(rule.body, 1, way)
        assert bound.args == call.args
        assert [(name, atom.value) for name, atom in bound.settings] == [("axis", 1)]


def test_arguments_without_a_cotangent_are_refused():
    def f(x):
        return np.sum(np.percentile(np.arange(5.0), x * 20.0, method="nearest")) * operator.index(3)

    try:
        slope = ad.grad(f)(1.2)
    except ad.AdcompileError as error:
        assert error.place is not None
    else:
        assert slope == 0.0


def limited(x, high):
    return x * 1.0 if high is None else np.minimum(x, high)


@rules.elementwise(limited)
def _limited(y, x, high):
    if high is None:
        return 1.0, None
    return (x < high) * 1.0, (x >= high) * 1.0


def rule_of_a_users(x, k):
    high = None if k > 1 else x[2]
    return np.sum(limited(x, high) ** 2)


def clipped(x, k):
    low, high = None if k > 1 else x * 0.4, None if k < 1 else x[1]
    return np.sum(np.clip(x, low, high) ** 2) + np.sum(x.clip(low, 1.0) ** 3)


@pytest.mark.parametrize("f", [rule_of_a_users, clipped])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_arguments_that_are_none_on_one_path(f, k):
    x, step = np.array([0.3, 0.7, 1.4, 2.1]), 1e-6
    slopes = np.array([(f(x + step * e, k) - f(x - step * e, k)) / (2 * step) for e in np.eye(4)])
    np.testing.assert_allclose(ad.grad(f)(x, k), slopes, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ad.jvp(lambda z: f(z, k), (x,), (x,))[1], slopes @ x, rtol=1e-6)
    curved = ad.jvp(lambda z: ad.grad(f)(z, k), (x,), (x,))[1]
    numerical = (ad.grad(f)(x + step * x, k) - ad.grad(f)(x - step * x, k)) / (2 * step)
    np.testing.assert_allclose(curved, numerical, rtol=1e-5, atol=1e-7)
