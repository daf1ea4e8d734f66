"""Operators on objects: whose method is asked, and in which order."""

import cmath
import math
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.operators import comes_first, operator_named


class Left:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return self.v * 2.0


class Right(Left):
    def __radd__(self, other):
        return self.v * 3.0


class Plain(Left):
    pass


def test_a_subclass_comes_first_where_it_says_anew():
    assert comes_first(Left, Right, "__radd__") and not comes_first(Left, Plain, "__radd__")
    assert comes_first(Left, Plain, None) and not comes_first(Plain, Left, None)
    assert not comes_first(Left, Left, None) and not comes_first(None, Left, None)


def test_operators_have_the_names_of_their_methods():
    assert operator_named("and") is operator.and_ and operator_named("floordiv") is operator.floordiv


def test_objects_of_one_class_are_not_asked_for_the_reflected_operator():
    def f(x):
        return Left(x) + Left(x)

    with pytest.raises(TypeError):
        f(1.0)
    with pytest.raises(TypeError):
        ad.grad(f)(1.0)


class Even(int):
    """Python asks `int` for its number."""

    def __mul__(self, other):
        return int(self) * other * 2

    def __index__(self):
        return 0


def test_conversions_of_a_number_of_a_class_of_its_own():
    for f in (lambda x, k: k * x, lambda x, k: x * float(k), lambda x, k: x * int(k)):
        value, gradient = ad.value_and_grad(f)(1.5, Even(2))
        assert value == f(1.5, Even(2)) and gradient == value / 1.5


class Shown:
    def __format__(self, spec):
        return "a" + spec


def test_format_without_a_specification():
    assert ad.grad(lambda x: x * len(format(Shown())) + len("{}".format(Shown())))(2.0) == 1.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sin", "log", "atan", "erf", "gamma", "hypot", "fsum", "pow", "rect"])
def test_functions_of_floats_take_the_real_parts_of_numpys_complex_numbers(name):
    forms = {
        "hypot": lambda x, z: math.hypot(z[1], x),
        "fsum": lambda x, z: math.fsum(z),
        "pow": lambda x, z: math.pow(z[1], 1.5 + x),
        "rect": lambda x, z: cmath.rect(x, z[1]).imag,
    }
    fn = getattr(math, name, None)
    form = forms.get(name, lambda x, z: fn(z[1]))

    def f(x):
        return form(x, np.array([0.4 + 1j * x, x * 0.9 + 0.3j * x]))

    slope = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert ad.grad(f)(0.7) == pytest.approx(slope, rel=1e-7)
    assert ad.jvp(f, (0.7,), (1.0,)) == (f(0.7), pytest.approx(slope, rel=1e-7))
