"""Names that some paths leave unbound raise where the primal does, and nowhere else."""


import numpy as np
import pytest

import adcompile as ad
from tests.backend.printing import reprint


def sometimes(n):
    if n:
        y = 1
    return y


def after_no_trip(n):
    for i in range(n):
        y = i
    return y


def passed_on(n):
    for i in range(3):
        if i > 1:
            z = y + n  # noqa: F821
        if n:
            y = i
    return z


@pytest.mark.parametrize("fn", [sometimes, after_no_trip, passed_on])
def test_unbound(fn):
    again = reprint(fn)
    assert again(2) == fn(2)
    with pytest.raises(UnboundLocalError):
        fn(0)
    with pytest.raises((UnboundLocalError, TypeError)):
        again(0)


def test_copies_of_unbound_values_do_not_raise():
    """Copying a name that is not bound yet to another is none of the primal's doing."""

    def f(n):
        for i in range(n):
            old = new if i else None  # noqa: F821
            new = i
        return n

    assert reprint(f)(3) == 3


def copied(x):
    if x > 1.0:
        y = 1.0
    z = y
    return x * x


def looked_at(x):
    if x > 1.0:
        y = x
    y
    return x * x


def constant(x):
    if x > 1.0:
        n = 2
    return x * n


def constant_text(x):
    if x > 1.0:
        mode = "a"
    return x * x if mode == "a" else x


def after_a_loop(x):
    for i in range(int(x)):
        last = i
    kept = last
    return x * x


def in_a_loop(x):
    for i in range(3):
        if x > 1.0:
            y = x * i
        z = y
    return x * x


def structured(x):
    if x > 1.0:
        pair = (x, 2.0)
    other = pair
    return x * x


def deleted(x):
    y = x
    if x < 1.0:
        del y
    z = y
    return x * x


CASES = [copied, looked_at, constant, constant_text, after_a_loop, in_a_loop, structured, deleted]


@pytest.mark.parametrize("f", CASES)
def test_unbound_names_raise(f):
    with pytest.raises(UnboundLocalError):
        f(0.5)
    for derivative in (ad.grad(f), lambda x: ad.jvp(f, (x,), (1.0,)), lambda x: ad.vjp(f, x), ad.grad(ad.grad(f))):
        with pytest.raises(UnboundLocalError):
            derivative(0.5)


@pytest.mark.parametrize("f", CASES)
def test_bound_names_are_read(f):
    ad.check_grads(f, (2.5,), order=2)


def found_or_not(x, n):
    for v in x:
        if v > n:
            r = v
            break
    return r * 2.0


def found_from_behind(x, n):
    k = len(x)
    while k > 0:
        k -= 1
        if x[k] < n:
            r = x[k] * 2.0
            break
    return r * r


@pytest.mark.parametrize("f, n", [(found_or_not, 2.0), (found_from_behind, -1.0)])
def test_a_loop_that_finds_nothing_leaves_its_result_unbound(f, n):
    """Its name is nobody else's within the loop."""
    x = np.array([0.1, 0.5, 0.9])
    for run in (lambda: ad.value_and_grad(f)(x, n), lambda: ad.vjp(f, x, n), lambda: ad.jvp(f, (x, n), (x, 0.0))):
        with pytest.raises(UnboundLocalError):
            run()
    assert ad.value_and_grad(f)(x, 0.2)[0] == f(x, 0.2)
