"""Rules of functions that write into their arguments."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.testing import CheckFailure, check_grads, check_rule

X = np.array([1.13, 2.37, 0.71])


def by_rrule(a, v):
    a[:] = v * 2 + a * 3
    return np.sum(a)


@rules.rrule(by_rrule, writes="a")
def _by_rrule(a, v):
    a[:] = v * 2 + a * 3

    def pullback(y_bar, a_bar):
        g = a_bar + y_bar
        return 3 * g, 2 * g

    return np.sum(a), pullback


def by_frule(a, v):
    a[:] = v * 2 + a * 3
    return np.sum(a)


@rules.frule(by_frule, writes=0)
def _by_frule(a, v, a_dot, v_dot):
    a[:] = v * 2 + a * 3
    a_dot[:] = 2 * v_dot + 3 * a_dot
    return np.sum(a), np.sum(a_dot)


def by_vjp(a, v):
    a[:] = v * 2 + a * 3
    return np.sum(a)


@rules.vjp(by_vjp, writes=("a",))
def _by_vjp(bars, y, a, v):
    g = bars[0] + bars[1]
    return 3 * g, 2 * g


def without_rule(a, v):
    a[:] = v * 2 + a * 3
    return np.sum(a)


def grown(a, v, k=2.0):
    a += v**k


@rules.rrule(grown, writes="a")
def _grown(a, v, *, k=2.0):
    a += v**k
    return None, lambda y_bar, a_bar: (a_bar, k * v ** (k - 1) * a_bar)


def swapped(a, b):
    for i in range(len(a)):
        a[i], b[i] = b[i], a[i]


@rules.vjp(swapped, writes=("a", "b"))
def _swapped(bars, y, a, b):
    return bars[2], bars[1]


MODES = {"by_rrule": by_rrule, "by_frule": by_frule, "by_vjp": by_vjp}


def program(f):
    def run(x):
        b = x * x
        s = f(b, x)
        t = f(b, b * x)
        return s * t + np.sum(b * b)

    return run


@pytest.mark.parametrize("f", MODES.values(), ids=list(MODES))
def test_modes(f):
    ruled, plain, ones = program(f), program(without_rule), np.ones(3)
    assert np.allclose(ad.grad(ruled)(X), ad.grad(plain)(X), 1e-13)
    assert np.allclose(ad.jvp(ruled, (X,), (ones,)), ad.jvp(plain, (X,), (ones,)), 1e-13)
    assert np.allclose(ad.hessian(ruled)(X), ad.hessian(plain)(X), 1e-12)
    again = [ad.grad(lambda x, r=r: np.sum(ad.grad(r)(x) ** 2))(X) for r in (ruled, plain)]
    assert np.allclose(*again, 1e-12)


@pytest.mark.parametrize("f", MODES.values(), ids=list(MODES))
def test_checks(f):
    check_rule(f, 0.3 * np.ones(3), X)
    check_grads(program(f), (X,))
    assert rules.is_primitive(f) and rules.is_primitive(f, "forward")


def test_arguments_are_put_back():
    def f(x):
        grown(x, x * 2)
        return np.sum(x**2)

    def plain(x):
        return np.sum((x + 4 * x**2) ** 2)

    x = X.copy()
    value, pullback = ad.vjp(f, x)
    assert np.array_equal(x, X + (X * 2) ** 2.0) and np.isclose(value, plain(X))
    assert np.allclose(pullback(1.0)[0], ad.grad(plain)(X)) and np.array_equal(x, X)
    check_grads(f, (X,))


def test_by_name_and_without_result():
    def f(x):
        b = x * 1
        grown(b, x)
        grown(a=b, v=x * x)
        grown(b, x, k=3.0)
        return np.sum(b**2)

    check_rule(grown, np.ones(3), X)
    assert np.allclose(ad.grad(f)(X), ad.grad(lambda x: np.sum((x + x**2 + x**4 + x**3) ** 2))(X))


def test_several_arrays():
    def f(x):
        a, b = x * x, 2 * x
        swapped(a, b)
        return np.sum(a**3) + b[0]

    check_rule(swapped, np.ones(3), X)
    assert np.allclose(ad.grad(f)(X), ad.grad(lambda x: np.sum(8 * x**3) + x[0] ** 2)(X))


def test_shared_memory_is_refused():
    def given_twice(x):
        grown(x, x)
        return np.sum(x)

    def overlapping(x):
        y = x * 1
        by_vjp(y[:2], y[1:])
        return np.sum(y)

    for f in (given_twice, overlapping):
        for derivative in (ad.grad(f), lambda x, f=f: ad.jvp(f, (x,), (x * 1,))):
            with pytest.raises(ad.RuleError, match="gets memory twice that it writes into"):
                derivative(X.copy())


def itself(a, v):
    a[:] = v
    return a


def test_results_that_share_memory_are_refused():
    def f(x):
        b = np.zeros(3)
        return np.sum(itself(b, x) * b)

    rules.vjp(itself, lambda bars, y, a, v: (0 * a, bars[0] + bars[1]), writes="a")
    with pytest.raises(ad.RuleError, match="returns memory that it writes into"):
        ad.grad(f)(X)


def test_what_writes_names():
    for writes in ("z", 7, -1, True):
        with pytest.raises(ad.RuleError, match="names no parameter of itself"):
            rules.vjp(itself, lambda bars, y, a, v: (None, None), writes=writes)
    with pytest.raises(ad.RuleError, match="writes into other arguments"):
        rules.rrule(grown, lambda a, v: (None, None), writes="v")
    with pytest.raises(ad.RuleError, match="does not fit"):
        rules.vjp(itself, lambda bars, y, a: None, writes="a")


def wrong(a, v):
    a[:] = v * 2


def unsaid(a, v):
    a[:] = v * 2
    return np.sum(a)


def test_check_rule_tells():
    rules.vjp(wrong, lambda bars, y, a, v: (0 * a, 3 * bars[1]), writes="a")
    with pytest.raises(CheckFailure):
        check_rule(wrong, np.ones(3), X)
    rules.vjp(unsaid, lambda y_bar, y, a, v: (0 * a, 2 * y_bar * np.ones_like(v)))
    with pytest.raises(CheckFailure, match="writes=0"):
        check_rule(unsaid, np.zeros(3), X)
