"""Of what is read for its shape alone, kernels keep no elements."""

import re
import warnings

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.notes import NativeWarning
from tests.kernels import agree, text_of


def gates(w, h, x):
    """Cells of a recurrent layer: the sums in front of the gates are wanted for their length."""
    b = h.shape[0]
    for t in range(x.shape[0]):
        s = np.concatenate((x[t], h)) * w + 0.5 * w
        h = np.tanh(s[:b]) * (1.0 / (1.0 + np.exp(-s[b:])))
    return np.sum(h * h)


def growing(x):
    total = 0.0
    for k in range(len(x)):
        s = x[:k] * 2.0 + x[0]
        total += np.sum(np.exp(s[1:])) * x[k]
    return total


def falling(x):
    total = 0.0
    for k in range(len(x)):
        s = np.exp(x[k:]) + x[k]
        total += np.sum(s[:2] * s[:2])
    return total


def tables(a):
    total = 0.0
    for k in range(3):
        s = a * (k + 1.0) + a[0, 0]
        total += np.sum(np.sin(s[1:, :-1]))
    return total


def on_one_path(x):
    total = 0.0
    for k in range(len(x)):
        s = x * 2.0 + x[k]
        if x[k] > 0.5:
            total += np.sum(np.exp(s[k:]))
    return total


RNG = np.random.default_rng(5)
X = RNG.uniform(0.1, 1.0, 6)
PROGRAMS = [
    (gates, RNG.uniform(-1.0, 1.0, 8), RNG.uniform(-1.0, 1.0, 4), RNG.uniform(-1.0, 1.0, (5, 4))),
    (growing, X),
    (falling, X),
    (tables, RNG.uniform(0.1, 1.0, (3, 4))),
    (on_one_path, X),
]


@pytest.mark.parametrize("f, args", [(f, args) for f, *args in PROGRAMS])
def test_agrees_with_numpy(f, args):
    agree(f, *args)
    agree(f, *args, value=False)


@pytest.mark.parametrize("f, args", [(f, args) for f, *args in PROGRAMS])
def test_pullbacks_get_shapes(f, args):
    pytest.importorskip("numba")
    with warnings.catch_warnings():  # views are not handed over
        warnings.simplefilter("ignore", NativeWarning)
        value, pullback = ad.vjp(f, *args, backend="numba")
    expected, plain = ad.vjp(f, *args)
    assert np.allclose(value, expected, rtol=1e-14)
    for _ in range(2):
        for got, wanted in zip(pullback(1.5), plain(1.5)):
            assert np.allclose(got, wanted, rtol=1e-13, atol=1e-15)


def test_other_lengths_by_the_same_kernel():
    pytest.importorskip("numba")
    native, plain = ad.grad(growing, backend="numba"), ad.grad(growing)
    for n in (3, 9, 2, 30, 1, 0, 12):
        x = RNG.uniform(0.1, 1.0, n)
        assert np.allclose(native(x), plain(x), rtol=1e-13)


def test_no_elements_are_copied():
    f, *args = PROGRAMS[0]
    text = text_of(f, *args)
    (data,) = set(re.findall(r"= nt\.grown\((\w+_data), 0, \w+\)", text))
    assert not re.search(rf"{data}\[[^\]]*\] = ", text)
