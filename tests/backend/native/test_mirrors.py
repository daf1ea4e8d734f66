"""Shadows in kernels, and arguments that share memory."""

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, outcome, same, text_of


def stencil(a, b, n):
    for _ in range(n):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a)


def random(*shape):
    return np.random.default_rng(3).random(shape)


def test_arrays_apart_have_zeros():
    text = text_of(stencil, random(6), random(6), 2)
    assert "nt.disjoint(A" not in text and text.count("nt.disjoint(a, b)") == 1 and "[1:-1]" not in text
    agree(stencil, random(6), random(6) + 1.0, 3)


@pytest.mark.parametrize("shape", [0, 1, 2, 3, 5])
def test_short_ones(shape):
    agree(stencil, random(shape), random(shape), 2)


def check_views(make):
    """Both backends, on views that `make` takes of one array each time."""
    pytest.importorskip("numba")
    found = []
    for backend in ("numpy", "numba"):
        args = make(random(4, 9))
        try:
            gradient = ad.grad(stencil, argnums=(0, 1), backend=backend)(*args, 2)
        except Exception as error:
            gradient = type(error), str(error)
        found.append((gradient, args))
    same(found[0], found[1])


def test_arrays_that_share_memory():
    check_views(lambda m: (m[0], m[0]))
    check_views(lambda m: (m[0, 1:], m[0, :-1]))
    check_views(lambda m: (m[0, :5], m[0, 4:]))
    check_views(lambda m: (m[0, ::-1], m[0]))


def test_layouts():
    check_views(lambda m: (m[:, 0], m[:, 1]))
    check_views(lambda m: (m[0, ::2], m[1, ::-2]))
    check_views(lambda m: (np.broadcast_to(m[0, :1], 5), m[1, :5]))
    check_views(lambda m: (m[0].astype(np.float32), m[1].astype(np.float32)))
    check_views(lambda m: (np.asfortranarray(m)[1], m[2]))


def test_what_raises_raises():
    assert outcome(stencil, (random(5), random(4), 2), True, "numpy")[0] is ValueError
    agree(stencil, random(5), random(4), 2)
    read_only = random(5)
    read_only.flags.writeable = False
    agree(stencil, read_only, random(5), 2)
