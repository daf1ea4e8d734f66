"""Indices stand where they are used, and mean the same there."""

import re

import numpy as np
import pytest

import adcompile as ad

X = np.linspace(0.2, 1.7, 6)
M = np.linspace(0.1, 1.2, 12).reshape(3, 4)
WHERE = np.array([0, 2, 2])


def neighbours(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[1:] ** 2) + np.sum(np.exp(x[:-1]))


def new_axes(x):
    d = x[:, None] - x[None, :]
    return np.sum(d * d * x[:, None])


def gathered(m):
    picked = m[:, [0, 2, 2]]
    return np.sum(picked * picked) + np.sum(m[:, [0, 2, 2]])


def by_numbers(m):
    s = 0.0
    for i in range(m.shape[0] - 1):
        s = s + np.sum(m[i, :] * m[i + 1, :]) * m[i, 0]
    return s


def named(x):
    inner = slice(1, -1)
    return np.sum(x[inner] * x[2:] * x[inner])


CASES = {f.__name__: (f, x) for f, x in ((neighbours, X), (new_axes, X), (gathered, M), (by_numbers, M), (named, X))}


@pytest.mark.parametrize("name", CASES)
def test_against_the_primal(name):
    f, x = CASES[name]
    v, h = np.cos(np.arange(x.size)).reshape(x.shape), 1e-6
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    gradient = ad.grad(f)(x)
    assert np.sum(gradient * v) == pytest.approx(slope, rel=1e-6)
    assert ad.jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=1e-6)
    assert np.allclose(ad.vjp(f, x)[1](1.0)[0], gradient)


@pytest.mark.parametrize("name", ["neighbours", "new_axes", "by_numbers", "gathered"])
def test_no_slice_has_a_name(name):
    f, x = CASES[name]
    text = re.sub(r"#.*", "", ad.source(ad.grad(f), x))
    assert not re.search(r"\w+ = slice|slice\(None, None, None\)", text)


def test_names_of_the_user_stay():
    assert "inner = slice(1, -1)" in ad.source(ad.grad(named), X)


def test_an_index_that_is_needed_elsewhere():
    def f(x, n):
        where = 1, n
        return np.sum(x[where]), where

    assert ad.grad(f, has_aux=True)(M, 2)[1] == (1, 2)
