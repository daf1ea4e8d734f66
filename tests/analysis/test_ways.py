"""Objects of modules beside those that are passed in: one object under two names is noticed."""

import types

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.13, 1.37, 0.71])
HELD = types.SimpleNamespace(v=2.0)
TABLE = {"other": types.SimpleNamespace(v=2.0), "same": HELD}


def through_both(x, o):
    o.v = x[0]
    return HELD.v * x[1] + TABLE["other"].v


def test_an_object_of_a_module_that_is_passed_too():
    other = types.SimpleNamespace(v=1.0)
    assert np.allclose(ad.grad(through_both)(X, other), [0.0, 2.0, 0.0])
    for same in (HELD, TABLE["other"]):
        with pytest.raises(ad.Unsupported, match="derivative is made for different ones"):
            ad.grad(through_both)(X, same)
    assert HELD.v == 2.0 and other.v == 1.0


def test_two_ways_to_one_object():
    def f(x, o):
        o.v = x[0]
        return HELD.v * TABLE["same"].v * x[1] * o.v

    assert np.allclose(ad.grad(f)(X, types.SimpleNamespace(v=1.0)), [4 * X[1], 4 * X[0], 0.0])


def test_a_default_of_the_function_itself_is_passed_once():
    def f(x, o=types.SimpleNamespace(v=2.0)):
        o.v = o.v * x[0]
        return o.v * x[1]

    assert np.allclose(ad.grad(f)(X), [2 * X[1], 2 * X[0], 0.0])
