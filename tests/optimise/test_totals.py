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
