"""Names that some paths leave unbound, read where the same test, or another one, says that they are bound."""

import numpy as np
import pytest

import adcompile as ad


def bound_in_a_branch(x, n):
    if n > 1:
        a = x * 2
    y = x * x
    if n > 1:
        y *= a
    return np.sum(y)


def bound_in_a_loop(x, n):
    for _ in range(n):
        a = x > 0
        x *= 1.5
    return np.sum(x[a]) if n else np.sum(x)


def bound_in_some_iterations(x, n):
    for i in range(n):
        if i == 3:
            break
        if i > 0:
            a = x * 2
        x = x * 1.5
    return np.sum(x * a) if n > 1 else np.sum(x)


def bound_in_an_inner_loop(x, n):
    for _ in range(n):
        for j in range(n - 1):
            a = x > 0.5 * j
            x *= 1.5
    return np.sum(x[a]) if n > 1 else np.sum(x)


def bound_in_a_while(x, n):
    while n > 0:
        a = x > 0
        x *= 1.5
        n -= 1
        if n == 1:
            break
    y = x[a] if x[0] > 1.2 else x
    return np.sum(y**2)


def bound_by_one_branch_of_another(x, n):
    if n:
        if n > 2:
            a = np.sin(x)
        elif n > 1:
            a = x**2
    x *= 3.0
    if n > 1:
        x *= a
    return np.sum(x)


PROGRAMS = [
    bound_in_a_branch, bound_in_a_loop, bound_in_some_iterations, bound_in_an_inner_loop, bound_in_a_while,
    bound_by_one_branch_of_another,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_paths_that_do_not_read_an_unbound_name_are_differentiated(f):
    for n in (0, 1, 2, 5):
        ad.check_grads(f, (np.array([1.0, 2.0]), n), order=2)
        expected = ad.grad(f)(np.array([1.0, 2.0]), n)
        np.testing.assert_allclose(ad.jacrev(f)(np.array([1.0, 2.0]), n), expected, rtol=1e-13)


def reads_it_always(x, n):
    for _ in range(n):
        a = x * 2
    x *= 3.0
    return np.sum(x * a)


def test_reading_what_is_unbound_raises():
    ad.check_grads(reads_it_always, (np.array([1.0, 2.0]), 2), order=1)
    for derive in (ad.grad, ad.jacrev, lambda f: lambda *args: ad.vjp(f, *args)):
        with pytest.raises((UnboundLocalError, TypeError)):  # None, in a loop that keeps the name
            derive(reads_it_always)(np.array([1.0, 2.0]), 0)
