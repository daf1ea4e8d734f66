"""Which parts of kept storage a kernel need not hold on to."""

import re

import numpy as np
import pytest

pytest.importorskip("numba")

from tests.kernels import agree, agree_pulled, text_of


def decayed(x, w):
    """Kept vectors that are read for their elements alone."""
    s = x * 1.0
    for k in range(len(w)):
        s = np.exp(-s * w[k]) + 0.1 * s * s
    return np.sum(s)


def grown_later(x, w):
    """A vector that is kept, and goes on into the next turn, when the storage grows."""
    s = x * 1.0
    parts = []
    for k in range(len(w)):
        t = np.sin(s) * w[k]
        s = np.concatenate((t, t[:1]))
        parts.append(s * s)
    return np.sum(s) + sum(np.sum(p * p) for p in parts)


def carried(x, w):
    old = x
    s = x * 1.0
    for k in range(len(w)):
        new = np.sin(s) * w[k]
        s = new * old * np.cos(new)
        old = new
    return np.sum(s * old)


def chosen(x, w):
    best = x * 0.0
    s = x * 1.0
    for k in range(len(w)):
        s = np.tanh(s * w[k]) + x
        if np.sum(s) > 0.0:
            best = s
    return np.sum(best * best * s)


def repeated(x, w):
    """What is kept is what the next turn begins with."""
    s = x
    for k in range(len(w)):
        s = np.exp(-s * w[k])
    return np.sum(s)


X, W = np.array([0.3, -0.7, 1.1]), np.linspace(0.5, 1.5, 9)


@pytest.mark.parametrize("f", [decayed, grown_later, carried, chosen, repeated])
def test_gradients_agree(f):
    agree(f, X, W)
    agree(f, X, np.linspace(0.4, 1.2, 40))
    agree_pulled(f, X, W)


def test_what_stays_within_a_turn_is_not_held():
    assert "nt.part(" in text_of(decayed, X, W)
    kept = re.findall("s_\\w+ = (.*)s_kept_data\\W", text_of(repeated, X, W))
    assert kept == ["nt.grown(", "", "nt.part("], "what is carried is held, what is read on the way back is not"
