"""exp and what is made of it, at the ends of the range and around zero."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adcompile.runtime.vecmath import implementation


def at(name, *values):
    return [implementation(name)(v) for v in values]


def test_exp_overflows_and_vanishes_where_it_must():
    last, beyond = at("exp", 709.782712893384, 709.7827128933841)
    assert last == pytest.approx(math.exp(709.782712893384), rel=2.3e-16) and beyond == math.inf
    assert at("exp", -745.1332191019411, -745.1332191019412) == [5e-324, 0.0]


def test_exp_is_rounded_once_among_subnormal_numbers():
    x = -740.0 - np.arange(50) / 10
    assert at("exp", *x) == [math.exp(v) for v in x]


def test_expm1_keeps_small_arguments_and_the_sign_of_zero():
    tiny = [1e-300, -5e-324, 0.0, -0.0, 1e-18]
    got = at("expm1", *tiny)
    assert got == tiny and [math.copysign(1, v) for v in got] == [math.copysign(1, v) for v in tiny]


def test_hyperbolic_functions_outlast_exp():
    assert at("sinh", 710.4, -710.4) == pytest.approx([math.sinh(710.4), -math.sinh(710.4)], rel=4e-16)
    assert at("cosh", 710.4, -710.4) == pytest.approx([math.cosh(710.4)] * 2, rel=4e-16)
    assert at("sinh", 710.5, -1e308) == [math.inf, -math.inf]


def test_tanh_and_sinh_are_odd_to_the_bit():
    x = np.random.default_rng(0).normal(size=200)
    for name in ("tanh", "sinh"):
        assert at(name, *x) == [-v for v in at(name, *-x)]
    assert at("tanh", 1e300, -1e300) == [1.0, -1.0]


def test_logistic_functions_keep_their_tails():
    assert at("sigmoid", -740.0) == [math.exp(-740.0)]
    assert at("log_sigmoid", -1e300, 740.0) == [-1e300, -math.exp(-740.0)]


def test_gauss_is_exp_of_the_negated_square_bit_for_bit():
    exp, gauss = implementation("exp"), implementation("gauss")
    rng = np.random.default_rng(3)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 27.2, 27.3, -28.0, 1e200, 5e-324, 26.6, 26.7]
    for x in [*rng.normal(size=2000), *rng.uniform(-28, 28, 2000), *ends]:
        np.testing.assert_equal(gauss(float(x)), exp(-(float(x) * float(x))))
