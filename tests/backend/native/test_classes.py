"""Results whose class is decided at run time."""

import numpy as np

from adcompile.backend.native.classes import ORDER
from tests.kernels import agree, text_of

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
    assert ORDER == (int, float, np.float64)
