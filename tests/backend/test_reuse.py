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


def read_later_through_a_view(x):
    """The view of `a` is read by the adjoint of the first term, after that of the second has read `a`."""
    a = x * 2.0
    b = np.swapaxes(a, 0, 1)
    return np.sum(b @ b) + np.sum(np.exp(a * 0.5))


def a_view_in_a_loop(x):
    s = 0.0
    for k in range(3):
        a = x * (k + 1.0)
        s = s + np.sum(np.exp(a.T @ a) * a)
    return s


def viewed_and_kept(x):
    rows = []
    for k in range(3):
        a = x * (k + 1.0)
        rows.append(a[0])
        x = x + np.sum(a * a) * a
    return np.sum(rows[0] * rows[1] * rows[2]) + np.sum(x)


FUNCTIONS = [unscaled, seen_through_a_view, in_a_loop, read_later_through_a_view, a_view_in_a_loop, viewed_and_kept]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_against_the_primal(f):
    rng = np.random.default_rng(5)
    x, v, h = 0.3 * rng.standard_normal((3, 3)), rng.standard_normal((3, 3)), 1e-6
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
    assert re.search(r"_bar \*= .*\[:, None\]", source)
    x, m, h = *args, 1e-6
    slope = (mixture(x + h, m) - mixture(x - h, m)) / (2 * h)
    assert np.sum(ad.grad(mixture)(x, m)) == pytest.approx(slope, rel=1e-6)


def products(x, y, c):
    """The view of `centred` is read for the last time before `centred` is."""
    centred = x - y[:, None, :]
    scaled = y[:, None, :] * centred + centred @ np.swapaxes(c, 1, 2)
    return np.sum(scaled * scaled)


def test_a_line_of_its_own_for_what_would_take_fresh_memory():
    x, y, h = np.linspace(0.1, 0.9, 6).reshape(3, 2), np.linspace(0.2, 0.5, 4).reshape(2, 2), 1e-6
    c = np.linspace(0.2, 0.5, 8).reshape(2, 2, 2)
    assert "centred *= " in ad.source(ad.grad(products, argnums=(1, 2)), x, y, c)
    slope = (products(x, y + h, c + h) - products(x, y - h, c - h)) / (2 * h)
    assert sum(map(np.sum, ad.grad(products, argnums=(1, 2))(x, y, c))) == pytest.approx(slope, rel=1e-6)
