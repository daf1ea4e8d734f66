"""Vectors of an iteration that lie where those of the iterations before have been."""

import numpy as np
import pytest

pytest.importorskip("numba")

import adcompile as ad
from tests.kernels import agree, agree_pulled, text_of


def waves(x, w):
    """Vectors that nobody has behind their iteration."""
    s = 0.0
    for k in range(len(w)):
        a = np.concatenate((x * w[k], x[:k]))
        b = np.concatenate((a, x[1:]))
        s += np.sum(np.sin(a) * a) + b[k] * b[-1]
    return s


def longer_and_longer(x, w):
    s = 0.0
    for k in range(len(w)):
        for j in range(k):
            a = np.concatenate((x[:j], x[: k - j], x))
            s += np.sum(a * a) * w[j] + a[j]
    return s


def handed_on(x, w):
    """A vector that the next iteration reads, a view of one that a list keeps, and one that is chosen."""
    old, parts, best = x, [], x
    for k in range(len(w)):
        new = np.concatenate((old[1:], old[:1])) * w[k]
        parts.append(new[1:])
        best = new if np.sum(new) > np.sum(best) else best
        old = new
    return np.sum(old * old) + sum(np.sum(p * p) for p in parts) + np.sum(best)


def left_early(x, w):
    """Behind the last one nobody asks for the memory any more."""
    s = 0.0
    for k in range(len(w)):
        if w[k] > 0.8:
            a = np.concatenate((x, x * w[k]))
            b = np.full(2 * len(x), 7.0)
            s += np.sum(a * a) + b[0]
            break
        s += x[0] * w[k]
    return s


X, W = np.array([0.3, -0.7, 1.1, 0.2]), np.linspace(0.5, 1.5, 4)


@pytest.mark.parametrize("f", [waves, longer_and_longer, handed_on, left_early])
def test_gradients_agree(f):
    agree(f, X, W)
    agree_pulled(f, X, W)


@pytest.mark.parametrize("f", [waves, handed_on])
def test_lengths_change_from_call_to_call(f):
    native, plain = (ad.grad(f, argnums=(0, 1), backend=b) for b in ("numba", "numpy"))
    for n in (4, 40, 5, 400, 4):
        x = np.cos(np.arange(n, dtype=float))
        for got, want in zip(native(x, W), plain(x, W)):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_what_stays_in_its_iteration_has_no_memory_of_its_own():
    assert "a_bar_room" in text_of(waves, X, W)
    assert "new_room" not in text_of(handed_on, X, W), "the next iteration reads it"
    assert "_room" not in text_of(left_early, X, W), "a loop that is left"
