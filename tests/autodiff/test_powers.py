"""Powers of Python's numbers that are complex where the base is negative: right, or refused when they are met."""

import math

import numpy as np
import pytest

import adcompile as ad

REAL = {
    "root": lambda v: v**0.5 * v,
    "exponent": lambda v: 3.0**v + v**v,
    "in place": lambda v: np.sum(in_place(v)),
    "builtin": lambda v: pow(v, 1.5),
    "whole": lambda v: v**3 + v**-2.0,
    "squares": lambda v: (v * v + math.fabs(v)) ** 1.5 / max(v, 1.0) ** 0.5,
}
COMPLEX = {
    "real part": lambda v: (v**1.5).imag * v,
    "modulus": lambda v: abs(v**0.5),
    "returned": lambda v: v**0.5 * 2.0,
    "array": lambda v: np.sum(np.imag(np.array([v**1.5, 1.0]))),
    "loop": lambda v: looped(v),
}


def in_place(v):
    v **= 0.5
    return v


def looped(v):
    total = 0.0
    for _ in range(3):
        total = total + np.imag(v**0.5)
        v = v - 1.0
    return total


def factor_without_derivative(v, c):
    return (c**0.5 * v).imag


@pytest.mark.parametrize("name", REAL)
def test_real_powers(name):
    f = REAL[name]
    ad.check_grads(f, (1.7,), order=2)
    if name in ("whole", "squares"):
        ad.check_grads(f, (-1.7,), order=2)


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd, lambda f: ad.grad(ad.grad(f))])
def test_complex_powers_are_refused_when_they_are_met(name, derivative):
    d = derivative(COMPLEX[name])
    d(3.5)
    with pytest.raises(ad.Unsupported, match=r"complex in Python.*test_powers\.py"):
        d(-1.5)


def test_factors_that_carry_no_derivative():
    assert ad.grad(factor_without_derivative)(2.0, 4.0) == 0.0
    with pytest.raises(ad.Unsupported, match="complex in Python"):
        ad.grad(factor_without_derivative)(2.0, -4.0)


def test_what_is_never_negative_is_not_asked():
    assert "check_real" not in ad.source(ad.grad(REAL["squares"]), 2.0)
    assert "check_real" in ad.source(ad.grad(REAL["root"]), 2.0)


def test_numpy_s_numbers_are_real():
    with np.errstate(invalid="ignore"):
        assert math.isnan(ad.grad(REAL["root"])(np.float64(-2.0)))
    assert "check_real" not in ad.source(ad.grad(REAL["root"]), np.float64(2.0))
