"""Functions called by reference: derived once, with what their pullback reads handed on."""

import math

import pytest

import adcompile as ad
from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request, specialise
from tests.compiled import check


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def tree(x, depth):
    if depth == 0:
        return math.sin(x)
    return tree(x * 0.5, depth - 1) * tree(x + 0.1, depth - 1)


def even(x, n):
    return x if n == 0 else odd(x * 1.1, n - 1)


def odd(x, n):
    return x * x if n == 0 else even(x * 0.9, n - 1)


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("f", [power, tree, even])
def test_recursion(f, n):
    check(f, 0.7, n)


def test_second_order():
    ad.check_grads(tree, (0.7, 2), order=2)


def test_a_function_is_derived_once():
    made = specialise(tree, Request("joint", (0,)), (type_of(0.7), type_of(3)))
    names = [ref.name for ref in made.program.functions]
    assert len(names) == len(set(names)) <= 4


def test_the_number_of_active_arguments_matters():
    def f(x, y):
        return power(x, 3) * power(y * y, 2)

    check(f, 0.7, 1.3)
    assert ad.grad(f, 1)(0.7, 1.3) == ad.grad(f, (0, 1))(0.7, 1.3)[1]
