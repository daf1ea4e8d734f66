"""exp(-(x * x)) is one function in kernels: where it is that, and where something else is computed."""

import math

import numpy as np
import pytest
from scipy import special

import adcompile as ad
from tests.kernels import agree, text_of

X = np.array([0.3, -1.2, 2.1, 0.0, -0.4, 5.5, -27.0])


def of_erf(x):
    return np.sum(special.erf(0.5 * x) * x)


def itself(x):
    return np.sum(np.exp(-(x * x)) * x)


def square_used_elsewhere(x):
    s = x * x
    return np.sum(np.exp(-s) * s)


def negation_used_elsewhere(x):
    m = -(x * x)
    return np.sum(np.exp(m) * np.sin(m))


def in_a_loop(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * np.exp(-(x[i] * x[i]))
    return s


@pytest.mark.parametrize("f", [of_erf, itself, square_used_elsewhere, negation_used_elsewhere, in_a_loop])
def test_it_is_one_function(f):
    assert "vm_gauss_f8(" in text_of(f, X) and "vm_exp_f8(" not in text_of(f, X)
    agree(f, X)
    ad.check_grads(f, (X[:5],), order=1)


def of_two(x):
    return np.sum(np.exp(-(x * np.sin(x))) * x)


def without_the_sign(x):
    return np.sum(np.exp(x * x * 0.25))


def of_what_is_negated_first(x):
    return np.sum(np.exp((-x) * x))


@pytest.mark.parametrize("f", [of_two, without_the_sign, of_what_is_negated_first])
def test_what_is_something_else(f):
    assert "vm_gauss_f8(" not in text_of(f, X)
    agree(f, X[:6])


def test_single_precision_keeps_its_roundings():
    assert "vm_gauss" not in text_of(itself, X.astype(np.float32))


def test_by_the_library():
    with ad.config(elementary="libm"):
        agree(of_erf, X)
    x = 1.5
    assert ad.grad(of_erf, backend="numpy")(np.array([x]))[0] == pytest.approx(
        math.erf(0.5 * x) + x * math.exp(-0.25 * x * x) / math.sqrt(math.pi)
    )
