"""Arrays in kernels: elements, views, whole arrays, indices that are not there."""

import numpy as np
import pytest

import adcompile as ad
from tests.kernels import agree, parts_of, text_of


def sums_of_elements(a, i):
    s = 0.0
    for k in range(a.shape[0]):
        s += a[k] * a[k - 1] * a[i]
    return s


def in_place(a, n):
    for i in range(1, n):
        a[i] = a[i - 1] * a[i] + 1.0
        a[0] -= 0.5 * a[i]
    return np.sum(a * a)


def slices(a):
    b = a.copy()
    for i in range(1, 4):
        b[:i] += b[i] * np.flip(b[:i])
        b[i:] = b[i:] * 2.0
    return np.dot(b, a)


def overlapping(a):
    for _ in range(2):
        a[1:] = a[:-1]
        a[:-1] += a[1:]
    return np.sum(a**2)


def table(a, b):
    t = np.zeros((3, a.shape[0]))
    for i in range(3):
        for j in range(a.shape[0]):
            t[i, j] = a[j] * b[i % b.shape[0]] + (t[i - 1, j] if i > 0 else 0.0)
    return np.sum(t)


A = np.array([0.5, 1.5, -0.7, 2.0])


@pytest.mark.parametrize("i", [0, 3, -1, -4, 4, -5])
def test_indices_from_the_end_and_beyond(i):
    agree(sums_of_elements, A, i)


@pytest.mark.parametrize("n", [4, 2, 1, 0, 5])
def test_a_fault_leaves_arrays_as_numpy_leaves_them(n):
    agree(in_place, A, n)


def test_slices():
    agree(slices, A)


def test_overlapping_views_are_read_before_they_are_written():
    agree(overlapping, A)


def test_work_arrays_of_two_dimensions():
    agree(table, A, A[:2])


def test_arrays_that_are_not_contiguous():
    agree(sums_of_elements, np.arange(8.0)[::2], 1)
    agree(in_place, np.arange(8.0)[::-2] + 0.1, 3)


def added_to_a_part(a, b):
    for _ in range(2):
        b += a
    return np.sum(a * a)


def test_arguments_may_be_parts_of_each_other():
    x = np.arange(1.0, 6.0)
    for a, b in ((x[:-1], x[1:]), (x[1:], x[:-1]), (x, x)):
        agree(added_to_a_part, a.copy(), b.copy())
        want = ad.grad(added_to_a_part)(a, b)
        np.testing.assert_allclose(ad.grad(added_to_a_part, backend="auto")(a, b), want, rtol=1e-12)


def test_arrays_that_are_not_to_be_written():
    a = A.copy()
    a.flags.writeable = False
    agree(in_place, a, 3)
    agree(sums_of_elements, a, 1)


def test_single_precision():
    agree(in_place, A.astype(np.float32), 3)
    assert "np.float32(0.5)" in text_of(in_place, A.astype(np.float32), 3)


def test_what_may_fail_after_a_write_is_put_back():
    (kernel,) = parts_of(in_place, A, 3).kernels.values()
    assert [v.name for v in kernel.saved] == ["a"]
