"""The shift of a logsumexp leaves the derivative, and sums of multiples are multiples of sums."""

import re

import numpy as np
import pytest

import adcompile as ad


def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def along(x):
    m = np.max(x, axis=0)
    return np.sum(m + np.log(np.sum(np.exp(x - m), axis=0)))


def lopsided(x):
    """The maximum does not cancel here."""
    m = np.max(x)
    return np.sum(np.exp(x - m)) + 2.0 * m


def scaled(x):
    return np.sum((x * x) * np.expand_dims(3.0 * x[:, 0], 1))


@pytest.mark.parametrize("f", [logsumexp, along, lopsided, scaled])
def test_against_the_primal(f):
    rng = np.random.default_rng(3)
    x, v, h = rng.standard_normal((4, 3)), rng.standard_normal((4, 3)), 1e-6
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    assert np.sum(ad.grad(f)(x) * v) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("f", [logsumexp, along])
def test_no_trace_of_the_maximum(f):
    source = re.sub(r"#.*", "", ad.source(ad.grad(f), np.ones((4, 3))))
    assert "==" not in source
    assert source.count("np.exp(") == 1


def test_kept_where_it_counts():
    assert "==" in ad.source(ad.grad(lopsided), np.ones((4, 3)))


def centred(x, m, w):
    r = (x - m[:, None, :]) @ w
    return np.sum(r * r) + np.sum((x - m[:, None, :]) * w[:, :1, :])


def test_sums_move_inwards():
    rng = np.random.default_rng(4)
    x, m, w = rng.standard_normal((5, 3)), rng.standard_normal((2, 3)), rng.standard_normal((2, 3, 3))
    v, h = rng.standard_normal((2, 3)), 1e-6
    slope = (centred(x, m + h * v, w) - centred(x, m - h * v, w)) / (2 * h)
    assert np.sum(ad.grad(centred, argnums=1)(x, m, w) * v) == pytest.approx(slope, rel=1e-7)
    source = re.sub(r"#.*", "", ad.source(ad.grad(centred, argnums=1), x, m, w))
    assert re.search(r"np\.sum\([^()]*axis=1, keepdims=True\) @", source) or "@ np.sum" not in source


def test_both_cotangents_of_a_division_share_one():
    def quotient(x, y):
        return np.sum(np.sin(x / y))

    at = (np.array([0.3, 1.2]), np.array([1.5, -0.7]))
    text = ad.source(ad.grad(quotient, argnums=(0, 1)), *at)
    assert text.count("/") - text.count("# return") == 2  # that of the function and one more
    ad.check_grads(quotient, at)
