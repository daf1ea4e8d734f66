"""Functions as kernels: parameters, results, calls that are refused."""

import numpy as np
import pytest

from adcompile.backend.native.kernel import Kernel
from adcompile.backend.native.values import NotNative
from tests.kernels import agree, kernels_of, parts_of, text_of

A = np.array([0.5, 1.5, -0.7])


def f(x, n, unused):
    s = x
    for _ in range(n):
        s = s * s * 0.5 + x
    return s


def test_what_is_not_read_is_no_parameter():
    (kernel,) = parts_of(f, 0.5, 3, "text").kernels.values()
    assert isinstance(kernel, Kernel) and [p.name for p in kernel.params] == ["x", "n"]
    agree(f, 0.5, 3, "text")


def test_the_same_text_each_time():
    assert text_of(f, 0.5, 3, 1) == text_of(f, 0.5, 3, 1)


def with_fft(a):
    s = 0.0
    for _ in range(3):
        s += np.sum(np.abs(np.fft.fft(a * s)))
    return s


def test_what_no_kernel_can_call_is_named():
    notes = parts_of(with_fft, A).notes
    assert notes and "fft" in str(notes[0])
    assert issubclass(NotNative, Exception)


def several(a, x):
    for i in range(len(a)):
        x = x * a[i] + a[i]
    return x, (a, x)


@pytest.mark.parametrize("value", [False, True])
def test_results_are_what_they_are_on_numpy(value):
    agree(lambda a, x: several(a, x)[0], A, 0.5, value=value)
    assert kernels_of(lambda a, x: several(a, x)[0], A, 0.5)[0] == 1
