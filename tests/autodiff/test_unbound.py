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


def bound_in_a_branch_and_read_in_an_inner_one(x, n):
    if n > 1:
        a = np.sin(x)
    y = x * x
    if n:
        if n > 1:
            y *= a
    return np.sum(y * y)


PROGRAMS = [
    bound_in_a_branch, bound_in_a_loop, bound_in_some_iterations, bound_in_an_inner_loop, bound_in_a_while,
    bound_by_one_branch_of_another, bound_in_a_branch_and_read_in_an_inner_one,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_paths_that_do_not_read_an_unbound_name_are_differentiated(f):
    for n in (0, 2, 5):
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


def written_in_an_inner_branch(x, n):
    q = x * 1.0
    if n:
        if n > 2:
            q *= np.cos(q)
    return np.sum(q)


def read_in_an_inner_branch(x, n):
    q, s = x * 1.0, x[0]
    if n:
        s = np.sin(s)
        if n > 2:
            q = q * np.cos(q * s)
    elif n > 1:
        q = q * s
    return np.sum(x * q) * s


def looping_beside_an_inner_branch(x, n):
    s = x[0]
    if n:
        for i in range(n):
            s = np.sin(s) * x[i % 2]
            if i > 1:
                s *= s
        if n > 2:
            x[:] *= s
    return s * np.sum(x)


def looping_in_an_inner_branch(x, n):
    a, b = x.copy(), x * 0.5
    if n:
        t = a * b
        if n > 1:
            u = np.sin(t)
            if n > 2:
                for i in range(n):
                    b[i % 2] *= u[0]
                    a = np.tanh(a * u) + b
                a *= u
            else:
                b += u * t
    return np.sum(a * b)


def nested_in_a_loop(x, n):
    q = x * 1.0
    for i in range(n + 1):
        s = q[0] * x[1]
        if i:
            if i > 1:
                q *= np.cos(q * s)
            q[1:] += s
    return np.sum(q)


def with_parts(x, n):
    parts = [x * 1.0, x * 2.0]
    if n:
        if n > 2:
            parts[0] *= np.sin(parts[1])
            parts.append(np.exp(parts[0]))
        parts[1] *= parts[0]
    return sum(np.sum(p * p) for p in parts)


NESTED = [
    written_in_an_inner_branch, read_in_an_inner_branch, looping_beside_an_inner_branch, looping_in_an_inner_branch,
    nested_in_a_loop, with_parts,
]  # fmt: skip


@pytest.mark.parametrize("f", NESTED)
def test_what_an_inner_branch_keeps_may_be_unbound_in_a_second_sweep(f):
    x, w, v = np.array([0.8, -0.6]), np.array([0.7, -1.3]), np.array([0.4, 0.9])

    def along(x, n):
        return ad.grad(f)(x, n) @ w

    def twice_along(x, n):
        return ad.grad(along)(x, n) @ v

    for n in (0, 2, 3):
        ad.check_grads(along, (x, n), order=1)
        ad.check_grads(twice_along, (x, n), order=1)


@pytest.mark.parametrize("f", PROGRAMS)
def test_tangents_of_what_is_unbound_are_differentiated(f):
    def slope(x, n):
        return ad.jvp(f, (x, n), (np.array([0.4, 0.9]), None))[1]

    x, w = np.array([1.0, 2.0]), np.array([0.7, -1.3])
    for n in (0, 1, 2, 5):
        expected = (slope(x + 1e-6 * w, n) - slope(x - 1e-6 * w, n)) / 2e-6
        np.testing.assert_allclose(ad.grad(slope)(x, n) @ w, expected, rtol=1e-6, atol=1e-7)
