"""Arrays of our own that are read for the last time are written over; no others."""

import re

import numpy as np
import pytest

import adcompile as ad


def unscaled(x):
    """The sum of squares of a scaled array: its adjoint fits where the array was."""
    a = x * 3.0
    b = np.exp(a)
    return np.sum(b * np.sum(b)) + np.sum(a)


def kept_by_the_result(x):
    a = x * x
    return np.sum(a * a * a), a


def seen_through_a_view(x):
    a = x * x
    b = a.T
    return np.sum(a * a) + np.sum(np.exp(b) * a)


def in_a_loop(x):
    a = x * x
    for _ in range(3):
        a = a * np.sin(a)
    return np.sum(a * a)


@pytest.mark.parametrize("f", [unscaled, seen_through_a_view, in_a_loop])
def test_against_the_primal(f):
    rng = np.random.default_rng(5)
    x, v, h = rng.standard_normal((3, 3)), rng.standard_normal((3, 3)), 1e-6
    before = x.copy()
    gradient = ad.grad(f)(x)
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    assert np.sum(gradient * v) == pytest.approx(slope, rel=1e-6)
    assert np.array_equal(x, before)
    value, pullback = ad.vjp(f, x)
    assert all(np.allclose(pullback(1.0)[0], gradient, rtol=1e-12) for _ in range(2))


def test_what_is_returned_stays():
    x = np.linspace(0.5, 1.5, 4)
    gradient, a = ad.grad(kept_by_the_result, has_aux=True)(x)
    assert np.array_equal(a, x * x)
    assert np.allclose(gradient, 6.0 * x**5)


def mixture(x, m):
    scaled = (x - m[:, None]) * 2.0
    inner = np.sum(scaled * scaled, axis=1)
    return np.sum(np.log(inner))


def test_written_over_at_the_last_read():
    args = np.ones((3, 4)), np.linspace(0.1, 0.3, 3)
    source = re.sub(r"#.*", "", ad.source(ad.grad(mixture, argnums=(0, 1)), *args))
    assert re.search(r"\*= np\.expand_dims", source)
    x, m, h = *args, 1e-6
    slope = (mixture(x + h, m) - mixture(x - h, m)) / (2 * h)
    assert np.sum(ad.grad(mixture)(x, m)) == pytest.approx(slope, rel=1e-6)
