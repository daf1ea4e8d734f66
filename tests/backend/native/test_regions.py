"""What is native of a function that is not native as a whole."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.compiled import NativeWarning
from tests.kernels import agree, kernels_of, parts_of


def with_a_product(a, m):
    b = m @ a
    for i in range(len(b)):
        b[i] += 0.5 * b[i - 1]
    return np.sum(m @ b)


def with_a_sort(a):
    s = 0.5
    for _ in range(3):
        s += np.sort(a * s)[0]
    return s


def straight(a):
    return np.sum(np.exp(a) * a)


A = np.array([0.5, 1.5, -0.7])
M = np.arange(9.0).reshape(3, 3) / 9


def test_matrix_products_stay_with_numpy():
    parts = parts_of(with_a_product, A, M)
    assert parts.kernels and all("@" not in k.source for k in parts.kernels.values())
    agree(with_a_product, A, M)


def test_arithmetic_of_arrays_is_not_worth_it_unless_asked_for():
    assert not parts_of(straight, A, backend="auto").kernels
    assert parts_of(straight, A, backend="numba").kernels
    assert not parts_of(straight, A, backend="numpy").kernels


def test_what_is_not_native_is_told():
    pytest.importorskip("numba")
    with pytest.warns(NativeWarning, match=r"a loop of with_a_sort_grad\(\) \(.*test_regions.py:\d+.*runs on NumPy"):
        ad.grad(with_a_sort, backend="numba")(A)
    count, notes = kernels_of(with_a_sort, A)
    assert notes and all(n.place is not None for n in notes)
    agree(with_a_sort, A)


def test_auto_says_nothing(recwarn):
    pytest.importorskip("numba")
    np.testing.assert_array_equal(ad.grad(with_a_sort, backend="auto")(A), ad.grad(with_a_sort)(A))
    assert not [w for w in recwarn if issubclass(w.category, NativeWarning)]
