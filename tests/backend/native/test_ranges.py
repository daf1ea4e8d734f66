"""Ranges, tuples and shapes, which are printed where they are used."""

import numpy as np

from tests.kernels import agree, text_of

A = np.array([[0.5, 1.5, -0.7], [1.0, 0.2, 0.4]])


def through_shapes(a):
    n, m = a.shape
    s = 0.0
    for i in range(n):
        for j in range(0, m, 2):
            p = (a[i, j], i + 1)
            s = s * 0.5 + p[0] ** p[1]
    return s


def countdown(x, n):
    s = x
    for k in range(n, 0, -3):
        s = s * s / k + x
    return s


def test_tuples_and_shapes():
    text = text_of(through_shapes, A)
    assert "shape[0]" in text and "(t, " not in text
    agree(through_shapes, A)


def test_steps():
    for n in (7, 1, 0, -2):
        agree(countdown, 0.5, n)
