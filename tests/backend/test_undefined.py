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


def made_in_a_loop(x, n):
    for i in range(n):
        y = x * i
    return np.sum(y)


def two_made_in_a_loop(x, n):
    for i in range(n):
        y = x * i
        z = [y, x + i]
    return np.sum(y * z[1])


def made_in_a_while(x, n):
    while n > 0:
        y = x * n
        n -= 1
    return y[0] * 2.0


def made_in_some_iterations(x, n):
    for i in range(n):
        w = x * i
        if i == 0:
            continue
        y = w * w
        if i == 3:
            break
    return np.sum(y * w)


def handed_on(x, n):
    for i in range(n):
        if i > n - 2:
            z = np.sum(y * y)  # noqa: F821
        y = x * i
    return z


LOOPS = [made_in_a_loop, two_made_in_a_loop, made_in_a_while, made_in_some_iterations, handed_on]


@pytest.mark.parametrize("fn", LOOPS)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_the_reverse_sweep_keeps_of_unbound_names(fn, n):
    """It keeps what is bound under a name before it is bound again: a stand-in, where nothing is."""
    x = np.array([1.0, 2.0, 3.0])
    derivatives = [ad.value_and_grad(fn), ad.hessian(fn), lambda *args: ad.vjp(fn, *args)]
    try:
        value = fn(x, n)
    except UnboundLocalError as error:
        for d in derivatives:
            with pytest.raises(UnboundLocalError, match=str(error)):
                d(x, n)
    else:
        assert ad.value_and_grad(fn)(x, n)[0] == value
        ad.check_grads(lambda x: fn(x, n), (x,))
