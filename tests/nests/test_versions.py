"""What an augmented assignment gives is read where the array is, after it and not elsewhere."""

import numpy as np
import pytest

from tests.nests.lowered import both

X = np.array([0.4, 0.9, 1.7, 0.6, 1.1])


def straight(x):
    y = x * 2.0
    y += x
    y *= 0.5
    y -= y * y
    return np.sum(y * y)


def on_one_path(x, k):
    y = x * 2.0
    if k > 1:
        y += x
        y *= 3.0
    y -= 1.0
    return np.sum(y * x)


def in_a_loop(x, k):
    y = x * 2.0
    y += 1.0
    for _ in range(k):
        z = y * x
        y *= 0.5
        z += y
        y += z[0]
    return np.sum(y * y)


def two_names(x):
    y = x * 2.0
    z = y
    y += x
    z *= 0.5
    return np.sum(y * z)


def two_names_on_one_path(x, k):
    y = x * 2.0
    z = x * 3.0
    for i in range(k):
        w = y if i % 2 else z
        w += x
        w *= y
    return np.sum(y * z)


def seen_through_a_slice(x):
    y = x * 2.0
    z = y[1:]
    y += x
    z *= y[:-1]
    y -= 0.5
    return np.sum(y * y)


CASES = [(straight, ()), (two_names, ()), (seen_through_a_slice, ())]
CASES += [(f, (k,)) for f in (on_one_path, in_a_loop, two_names_on_one_path) for k in (0, 1, 3)]


@pytest.mark.parametrize("f, more", CASES, ids=lambda v: getattr(v, "__name__", str(v)))
@pytest.mark.parametrize("kind", ["primal", "joint", "split"])
def test_the_same(f, more, kind):
    left = not both(f, X, *more, kind=kind).agree(X, *more)
    assert not left or f is two_names_on_one_path or (f, kind) == (seen_through_a_slice, "split")


def test_temporaries_need_no_memory():
    assert "np.empty" not in both(straight, X, kind="primal").text
