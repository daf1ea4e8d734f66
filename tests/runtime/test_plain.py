"""Operands of unknown type: numbers and arrays pass, objects whose class says what operators do are refused."""

import collections
import decimal

import numpy as np
import pytest

import adcompile as ad
from adcompile.runtime.plain import check_answer, check_joined, check_plain, seed


class Product:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return self.v * other.v


class Below(Product):
    pass


class Holder:
    def __init__(self, v):
        self.v = v


Pair = collections.namedtuple("Pair", "first second")


def test_numbers_arrays_and_containers_pass():
    plain = (1, 2.0, 3j, True, np.float32(1.0), np.ones(2), [1.0], (2.0,), {}, "text", None, Pair(1, 2))
    check_plain("f.py:1:1", *plain, Holder(1.0), decimal.Decimal(1))


@pytest.mark.parametrize("value", [Product(1.0), Below(1.0), np.array([Product(1.0)], dtype=object)])
def test_objects_with_operators_are_refused(value):
    with pytest.raises(ad.Unsupported, match=r"met when the code runs, f\.py:1:1"):
        check_plain("f.py:1:1", 1.0, value)


def test_a_comparison_answers_yes_or_no():
    for answer in (True, np.True_, np.ones(2) > 0.0):
        check_answer("", answer)
    for answer in (1.5, Product(1.0), np.ones(2)):
        with pytest.raises(ad.Unsupported, match="which gives a"):
            check_answer("", answer)


@pytest.mark.parametrize(
    "values", [([1.0], [2.0]), ((1.0,), 2), (2, Pair(1, 2)), ([1.0], np.int64(2)), ([1.0], (2.0,))]
)
def test_what_joins_and_repeats_is_refused(values):
    with pytest.raises(ad.Unsupported, match=r"joined or repeated \(met when the code runs, f\.py:1:1\)"):
        check_joined("f.py:1:1", *values)


def test_arithmetic_passes():
    for values in ((1.0, 2), ([1.0], np.ones(1)), ((1.0,), np.float64(2.0)), ("a", "b"), (np.ones(2), 2)):
        check_joined("f.py:1:1", *values)


def test_the_seed_of_a_real_scalar_is_one():
    for result in (2, 2.0, np.float32(2), np.array(2.0), np.array(2.0, np.float32)):
        assert seed("f.py:1:1", "f", result) == 1.0
    for result in (2j, np.array(2j), np.ones(1), np.array(2), np.array([None]), None, "a", (1.0,), Holder(1.0)):
        with pytest.raises(ad.NotDifferentiable, match=r"f\(\) returns .* \(met when the code runs, f\.py:1:1\)"):
            seed("f.py:1:1", "f", result)
