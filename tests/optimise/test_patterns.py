"""Rules are read as they are written."""

import operator

import numpy as np
import pytest

from adcompile.optimise.patterns import Computed, Hole, Number, Operation, rule


def test_patterns_are_expressions():
    r = rule("x * (-y)", "-(x * y)")
    x, y = Hole("x", False), Hole("y", False)
    assert r.before == Operation(operator.mul, (x, Operation(operator.neg, (y,))))
    assert r.after == Operation(operator.neg, (Operation(operator.mul, (x, y)),))
    assert r.text == "x * (-y) → -(x * y)"


def test_numbers_literals_and_functions():
    assert rule("x * -1", "-x").before.args[1] == Number(-1)
    assert rule("c * x", "x").before.args[0] == Hole("c", True)
    assert rule("conj(x)", "x").before.fn is np.conj


def test_computed_literals():
    after = rule("c * (d * x)", "{c * d} * x").after
    assert isinstance(after.args[0], Computed)
    assert after.args[0].value({"c": 2.0, "d": 0.25}) == 0.5


def test_signs_are_cheap_and_divisions_dear():
    assert rule("-(c / y)", "{-c} / y").cost > rule("x * -1", "-x").cost


@pytest.mark.parametrize("text", ["x if y else z", "x @ y", "f(x)", "x[y]", "1.5 * x"])
def test_what_is_no_pattern_is_refused(text):
    with pytest.raises((ValueError, KeyError)):
        rule(text, "x")
