"""Kernels compiled, chosen and cached."""

import warnings

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native import choice
from adcompile.backend.native.choice import chosen
from adcompile.backend.native.notes import NOTHING, NativeWarning
from tests.kernels import kernels_of


def cubes(x, n):
    s = 0.0
    for k in range(n):
        s += k * x**3
    return s


def test_numpy_is_the_default():
    entry, _ = ad.grad(cubes).specialise((0.5, 3), {})
    assert entry.made.derived.native is NOTHING


def test_without_numba_it_is_asked_for_or_done_without(monkeypatch):
    monkeypatch.setattr(choice, "available", lambda: False)
    assert chosen("auto") == "numpy"
    with pytest.raises(ImportError, match=r"pip install adcompile\[numba\]"):
        ad.grad(cubes, backend="numba")(0.25, 2)


def test_names_of_backends_are_checked():
    for call in (lambda: ad.grad(cubes, backend="jit"), lambda: ad.config(backend="C")):
        with pytest.raises(ValueError, match="backend is 'numpy' or 'numba' or 'auto'"):
            call()


def test_three_ways_to_say_it():
    pytest.importorskip("numba")
    want = ad.grad(cubes)(0.5, 3)
    with ad.config(backend="numba"):
        g = ad.grad(cubes)
        assert g(0.5, 3) == want and len(g.specialise((0.5, 3), {})[0].made.derived.native.kernels) == 1
    assert not ad.grad(cubes).specialise((0.5, 3), {})[0].made.derived.native.kernels
    assert repr(ad.grad(cubes, backend="auto")) == "grad(cubes, backend='auto')"


def test_forward_mode_and_jacobians():
    pytest.importorskip("numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NativeWarning)
        assert ad.jvp(cubes, (0.5, 3), (1.0, None), backend="numba") == ad.jvp(cubes, (0.5, 3), (1.0, None))
        assert ad.vjp(cubes, 0.5, 3, backend="numba")[1](1.0) == ad.vjp(cubes, 0.5, 3)[1](1.0)
        assert ad.hessian(cubes, backend="numba")(0.5, 3) == ad.hessian(cubes)(0.5, 3)


def test_arrays_from_a_kernel_are_the_caller_s():
    pytest.importorskip("numba")

    def squares(a):
        s = 0.0
        for v in range(a.shape[0]):
            s += a[v] ** 2
        return s

    a = np.array([1.0, 2.0])
    g = ad.grad(squares, backend="numba")
    first = g(a)
    first += 1.0
    assert first.flags.writeable and not np.shares_memory(first, a)
    np.testing.assert_array_equal(g(a), [2.0, 4.0])
    assert kernels_of(squares, a)[0] == 1


def bound_in_a_loop(x, n):
    for _ in range(n):
        s = x * x
    return np.sum(s)


@pytest.mark.filterwarnings("ignore")  # the loop that fills what is kept stays in Python
def test_what_the_first_iteration_finds_unbound():
    pytest.importorskip("numba")
    x = np.linspace(0.1, 0.4, 4)
    pulled = ad.vjp(bound_in_a_loop, x, 2, backend="numba")[1](1.0)
    np.testing.assert_allclose(pulled[0], 2.0 * x)
