"""itemgetter, attrgetter and methodcaller: a change of what they take, and what is refused."""

import ctypes
from operator import attrgetter, itemgetter

import numpy as np
import pytest

import adcompile as ad
from tests.compiled import check


def picked(x, get):
    return get(x) ** 2


def of_name(x, name):
    return attrgetter(name)(x)[0] ** 2


def through(x, function):
    return function(x) * 2.0


def test_a_getter_among_the_arguments():
    x = np.array([0.5, 2.0])
    check(picked, x, itemgetter(1))
    gradient = ad.grad(picked)
    assert gradient(x, itemgetter(0)).tolist() == [1.0, 0.0]
    assert gradient(x, itemgetter(1)).tolist() == [0.0, 4.0]


def test_an_attribute_by_name():
    x = np.array([[0.5, 2.0]])
    assert ad.grad(lambda x, name: np.sum(of_name(x, name)))(x, "T").tolist() == [[1.0, 0.0]]


def test_a_missing_item_raises_what_python_raises():
    with pytest.raises(IndexError):
        ad.grad(lambda x: itemgetter(3)(x))(np.array([1.0, 2.0]))


def test_code_that_is_not_python_is_refused():
    twice = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda v: 2.0 * v)
    assert twice(1.5) == 3.0
    with pytest.raises(ad.NotDifferentiable, match=r"not Python[\s\S]*rules\.vjp"):
        ad.grad(through)(1.5, twice)
