"""Adjoints of calls that build, read and join containers."""

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check

X = np.array([0.5, -1.0, 2.0])


def grown(x, n):
    out = [x, x * 2.0]
    for i in range(n):
        out.append(out[-1] * x[i % 3])
    last = out.pop()
    return last * out[0] + sum(out)


def joined(x, n):
    history = (x[0],)
    for _ in range(n):
        history = history + (history[-1] * x[1],)
    return history[-1] * history[0] + len(history)


def rebuilt(x, n):
    history = [x[0], x[1]]
    for _ in range(n):
        history = [*history, history[-1] * history[-2]]
    return list(history)


def stretched(x, n):
    xs = [v * v for v in x]
    return (xs + [x[0]] * n)[1:]


def read(x, n):
    rows = [x * i for i in range(n + 2)]
    return rows[n][::2] + rows[-1][[0, 0]] + rows[1][x > -2.0][:2]


def copied(x, n):
    ys = tuple([v * n for v in x])
    return sum(list(ys)) * ys[0]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("f", [grown, joined, rebuilt, stretched, read, copied])
def test_containers(f, n):
    check(f, X, n, order=2)


def read_while_it_grows(x, n):
    out = [x[0]]
    for _ in range(n):
        q = x[1]
        for s in out:
            q = q * s * q
        out.append(q)
    return q + out[-1]


def read_while_items_are_replaced(x, n):
    table = [v * 1.0 for v in x]
    for k in range(n):
        q = x[1]
        for s in table:
            q = q * s - 0.1 * q * q
        table[k % 2] = q
    return q + sum(table)


@pytest.mark.parametrize("f", [read_while_it_grows, read_while_items_are_replaced])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_what_a_list_was_before_a_write_is_kept_and_differentiated_again(f, n):
    """A derivative keeps each state of the list, and reads it after the next has been made."""
    x, v = np.array([0.4, 1.3, 0.7]), np.array([0.3, -0.2, 0.5])
    expected = ad.hvp(lambda y: f(y, n), (x,), (v,))
    again = ad.grad(lambda y: ad.grad(f)(y, n) @ v)(x)
    np.testing.assert_allclose(again, expected, rtol=1e-12)
    h = 1e-6
    slopes = (ad.grad(f)(x + h * v, n) - ad.grad(f)(x - h * v, n)) / (2 * h)
    np.testing.assert_allclose(expected, slopes, rtol=1e-6, atol=1e-8)


def one_of_three(x):
    s = 0.0
    for k in range(-3, 3):
        s += [x[0] * x[1], 2.0, np.sin(x[1])][k] * x[k]
    return s


def test_the_one_of_a_few_numbers_that_is_meant_gets_the_cotangent():
    """No list of zeros is made for the others."""
    x = np.array([0.3, 0.8, 1.4])
    g = ad.grad(one_of_three)
    wanted = [(one_of_three(x + h) - one_of_three(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(g(x), wanted, rtol=1e-7)
    text = ad.source(g, x)
    assert "zero_list" not in text and "add_item" not in text
