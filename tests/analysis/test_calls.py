"""What a call means: folded, given its type by a rule, followed, or refused with its place."""

import functools
import math
import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile.ir.nodes import Call, Const
from adcompile.ir.walk import statements_of
from tests.compiled import check, same_value, specialised


def called(program):
    """The callables that the entry function calls."""
    body = program.functions[program.entry].body
    return [s.fn.value for s in statements_of(body) if isinstance(s, Call) and isinstance(s.fn, Const)]


def helper(x, n):
    return x**n


def followed(x):
    return helper(x, 3) + math.sin(2.0)


def factorial_like(x, n):
    return x if n == 0 else x * factorial_like(x, n - 1)


def recursive(x):
    return x if x > 10.0 else recursive(x * 1.5) * 0.5


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k


scale = Scale(3.0)


@functools.lru_cache
def table(n):
    return float(n) ** 2


def uses_all(x):
    pick = {"a": math.sin, "b": np.cos}["b"]
    return scale(x) * table(3) + pick(x) + operator.mul(x, x)


def alternative(x, flag):
    f = math.sin if x > 0.0 else math.cos
    return f(x) * flag


def opaque(x):
    return np.float64(x).__class__.__name__, x


def unknown_function(x):
    return eval("x * x", {"x": x})


def test_functions_are_inlined_and_known_calls_fold():
    fns = called(specialised(followed, 0.5))
    assert helper not in fns
    assert math.sin not in fns
    check(followed, 0.5)


def test_rules_keep_their_calls():
    def f(x):
        return np.tanh(x)

    assert np.tanh in called(specialised(f, 0.5))


def test_recursion():
    check(factorial_like, 0.7, 4)
    check(recursive, 0.7)
    assert len(specialised(recursive, 0.7).functions) > 1


def test_objects_caches_and_tables():
    check(uses_all, 0.7)


def test_a_choice_of_functions():
    check(alternative, 0.7, 2.0)
    check(alternative, -0.7, 2.0)


def test_inert_calls_run_as_they_are():
    same_value(opaque, 0.5)


def test_active_calls_without_a_rule_are_refused():
    with pytest.raises(ad.AdcompileError) as caught:
        ad.grad(unknown_function)(0.5)
    assert caught.value.remedy
