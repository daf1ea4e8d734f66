"""Results whose class is decided at run time."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.classes import ORDER
from tests.kernels import agree, agree_pulled, agree_pushed, parts_of, text_of, wholly

A = np.array([0.5, 1.5, -0.7, 2.0])


def total(a, n):
    s = 0.0
    for i in range(n):
        s += a[i] ** 2
    return s


def total_from_nothing(a, n):
    s = 0
    for i in range(n):
        s = s + a[i] * 1.0
    return s


def either(x, a):
    y = x * 2.0
    if x > 1.0:
        y = y * a[0]
    return -y


def test_a_sum_of_nothing_is_what_it_began_with():
    assert "_class" in text_of(total, A, 2, value=True)
    for n in (0, 3):
        agree(total, A, n)
        agree(total_from_nothing, A, n)


def test_a_branch_decides():
    agree(either, 2.0, A)
    agree(either, 0.5, A)


def test_gradients_need_no_class():
    assert "_class" not in text_of(total, A, 2)
    assert ORDER == (int, float, np.float32, np.float64)


SINGLE = np.array([0.3, -0.7, 0.1, 0.1, 0.2], np.float32)


def sum_of_squares(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


def of_either_precision(x):
    s = 0.1
    for v in x:
        s = s * v + v if v > 0 else float(v)
    return s


def compared(x):
    s, t = 0.1, 0.0
    for v in x:
        if s < v:  # 0.1 is less than the single number of that name, but not in single precision
            t += v * s
        s = v
    return t


def compared_with_a_float(x):
    s, t = 0.1, 0.0
    for v in x:
        if s < 0.2:
            t += v
        s = v
    return t


@pytest.mark.parametrize("f", [sum_of_squares, of_either_precision, compared])
def test_single_precision_that_begins_with_a_float(f):
    for x in (SINGLE, SINGLE[:0], SINGLE[1:2], SINGLE.astype(float)):
        wholly(f, x)
    agree_pulled(f, SINGLE)
    agree_pushed(f, SINGLE)
    assert not parts_of(f, SINGLE, value=True).notes
    numeric = [(f(SINGLE + h) - f(SINGLE - h)) / 0.02 for h in np.eye(5, dtype=np.float32) * np.float32(0.01)]
    if f is sum_of_squares:
        np.testing.assert_allclose(ad.grad(f, backend="numba")(SINGLE), numeric, rtol=1e-2, atol=1e-3)


def test_a_precision_that_is_decided_at_run_time():
    agree(compared_with_a_float, SINGLE)
    assert any("precision" in n.why for n in parts_of(compared_with_a_float, SINGLE).notes)
