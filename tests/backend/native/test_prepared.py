"""Arrays that the caller makes for a kernel."""

import numpy as np
import pytest

from adcompile.backend.native.prepared import ZEROS, prepared
from tests.kernels import agree, parts_of

A, B = np.array([[0.5, 1.5, -0.7], [0.2, 0.9, 1.1]]), np.array([0.5, 0.25, 2.0])


def f(a, b):
    return np.sum(a * a / b)


def test_gradients_lie_in_memory_of_numpy_s_own():
    pytest.importorskip("numba")  # whether a part is lowered depends on it
    made = [text for kernel in parts_of(f, A, B).kernels.values() for text in kernel.prepared]
    assert any(text.startswith("np.empty(({0}.shape[0], ") for text in made), made
    agree(f, A, B)
    agree(f, np.zeros((0, 3)), B)
    made = [text for kernel in parts_of(f, A[:1], B).kernels.values() for text in kernel.prepared]
    assert any(text.startswith("np.empty((1, {0}.shape[1], ") for text in made), made
    agree(f, A[:1], B)


def test_zeros_like_a_parameter():
    def pick(a):
        return a[1] * a[0]

    (kernel,) = parts_of(pick, B).kernels.values()
    assert kernel.prepared == (ZEROS.format(n="{0}"),) and callable(prepared)
    agree(pick, B)
    agree(pick, np.asfortranarray(B))
    agree(pick, B[::-1])
