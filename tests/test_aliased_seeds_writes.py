"""Tangents and cotangents in the memory of arguments that the function writes into, and of its results.

What is given as a seed counts as it is when it is given; nothing of it is written, but where it is
the argument's own memory.
"""

import itertools

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits

N = 4
START = np.linspace(0.5, 1.7, 2 * N)


def doubled(x):
    x *= 2.0
    return x


def squared(x):
    x[:] = x * x[::-1]
    return x * 1.0


def view_of_written(x):
    x[0] = x[1] ** 2
    return x[::-1]


def local(x):
    y = x.copy()
    y[1:] *= y[:-1]
    return y


def scanned(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1] ** 2
    return x


FUNCTIONS = [doubled, squared, view_of_written, local, scanned]
LAYOUTS = {
    "identical": lambda m: (m[:N], m[:N]),
    "shifted": lambda m: (m[:N], m[1 : N + 1]),
    "reversed": lambda m: (m[:N], m[:N][::-1]),
    "strided": lambda m: (m[:N], m[::2]),
    "apart": lambda m: (m[:N], m[N:]),
}

every_function = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
every_layout = pytest.mark.parametrize("name", LAYOUTS)


def clean(name):
    return [a.copy() for a in LAYOUTS[name](START.copy())]


@every_function
@every_layout
def test_tangents_in_the_memory_of_the_argument(f, name):
    x, v = clean(name)
    expected = ad.jvp(f, (x,), (v,))
    m = START.copy()
    x, v = LAYOUTS[name](m)
    value, tangent = ad.jvp(f, (x,), (v,))
    assert bits(value) == bits(expected[0]) or np.array_equal(value, expected[0])
    np.testing.assert_allclose(tangent, expected[1], rtol=1e-14)
    assert tangent.flags.writeable and not np.shares_memory(tangent, m) and not np.shares_memory(tangent, value)
    left = START.copy()
    f(LAYOUTS[name](left)[0])
    assert bits(m) == bits(left), "only what the function writes is written"


@every_function
@every_layout
def test_cotangents_in_the_memory_of_the_argument(f, name):
    """The seed is read before the argument is put back."""
    m = START.copy()
    x, ct = LAYOUTS[name](m)
    value, pullback = ad.vjp(f, x)
    seed = ct.copy()
    bars = pullback(ct)
    assert bits(m) == bits(START), "put back"
    other = ad.vjp(f, LAYOUTS[name](START.copy())[0].copy())[1]
    np.testing.assert_allclose(bars[0], other(seed)[0], rtol=1e-14)
    assert not np.shares_memory(bars[0], m) and bars[0].flags.writeable


@every_function
def test_the_result_is_its_own_cotangent(f):
    x = START[:N].copy()
    value, pullback = ad.vjp(f, x)
    seed = value.copy()
    bars = pullback(value)
    assert np.array_equal(value, seed)
    np.testing.assert_allclose(bars[0], pullback(seed)[0], rtol=1e-14)
    again = pullback(value)[0]
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations((x, value, bars[0], again), 2))


@every_function
def test_writing_into_what_comes_out_changes_nothing(f):
    x = START[:N].copy()
    value, pullback = ad.vjp(f, x)
    ct = np.cos(np.arange(N))
    first = pullback(ct)[0]
    expected = first.copy()
    first[:] = np.nan
    value[:] = np.nan
    assert np.array_equal(pullback(ct)[0], expected)
    assert bits(x) == bits(START[:N])


@every_function
def test_a_gradient_as_the_next_argument(f):
    x, ct = START[:N].copy(), np.cos(np.arange(N))
    first = ad.vjp(f, x)[1](ct)[0]
    kept = first.copy()
    value, pullback = ad.vjp(f, first)
    np.testing.assert_allclose(pullback(kept.copy())[0], ad.vjp(f, kept.copy())[1](kept)[0], rtol=1e-14)
    assert np.array_equal(first, kept) and np.array_equal(value, f(kept.copy()))
