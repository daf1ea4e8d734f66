"""Long loops that become vectors take two at a time: the wish is there, and results are those of one at a time."""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")
from adcompile.backend.native import interleaved  # noqa: E402
from adcompile.backend.native import support as nt  # noqa: E402
from adcompile.runtime.vecmath import implementation  # noqa: E402
from tests.kernels import agree, text_of  # noqa: E402

exp, erf = implementation("exp"), implementation("erf")


def wished(function, *args):
    """How many loops of a function carry the wish, as Numba lowers it."""
    count, real = 0, interleaved._twice

    def counted(module):
        nonlocal count
        count += 1
        return real(module)

    interleaved._twice = counted
    try:
        numba.njit(error_model="numpy")(function)(*args)
    finally:
        interleaved._twice = real
    return count


def long(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i]) * erf(x[i])
    nt.interleave()


def short(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i])
    nt.interleave()


def inner_of_two(x, out):
    for j in range(3):
        for i in range(len(x)):
            out[i] = exp(x[i] + j) * erf(x[i]) / (1.0 + x[i])
        out[0] = exp(out[0]) * erf(out[1])
    nt.interleave()


def two(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i]) * erf(x[i])
    for i in range(len(x)):
        if out[i] > 0.0:
            out[i] = math.sqrt(out[i]) * exp(x[i] * x[i] * 0.5) + erf(out[i])
    nt.interleave()


@pytest.mark.parametrize("function, count", [(long, 1), (short, 0), (inner_of_two, 1), (two, 2)])
def test_long_loops_that_hold_no_other_carry_the_wish(function, count):
    x = np.linspace(-1.0, 2.0, 41)
    assert wished(function, x, np.empty_like(x)) == count


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 100])
def test_every_element_is_computed_once(size):
    rng = np.random.default_rng(size)
    x = rng.uniform(-2, 2, size)
    out, one = np.full(size, 7.0), np.empty(size)
    numba.njit(error_model="numpy")(long)(x, out)
    for i in range(size):
        one[i] = math.exp(x[i]) * math.erf(x[i])
    np.testing.assert_allclose(out, one, rtol=1e-14, atol=1e-15)


def f(x, y):
    u = np.exp(-x * y) + np.sin(y)
    return np.sum(np.tanh(u) / (1.0 + u * u) * x)


@pytest.mark.parametrize("size", [1, 5, 16, 23, 64])
def test_gradients_of_kernels(size):
    rng = np.random.default_rng(size)
    x, y = rng.uniform(0.2, 1.5, (2, size))
    agree(f, x, y)
    assert "nt.interleave()" in text_of(f, x, y)
