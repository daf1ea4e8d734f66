"""What is known when the program is built is not computed when it runs."""

import math
import operator

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Const, If
from adcompile.optimise.passes import optimise
from tests.optimise.programs import calls, compound, entry, outcome, typed


def optimised(fn, *args, role="primal"):
    before = typed(fn, *args, role=role)
    after = optimise(before)
    assert outcome(after, args) == outcome(before, args)
    return after


def returned(program):
    value = entry(program).body.end.value
    return value.value if isinstance(value, Const) else value.name


def test_integers_and_floats_of_literals():
    assert returned(optimised(lambda x: 2 * 3 + 1, 1.0)) == 7
    assert returned(optimised(lambda x: 0.1 + 0.2, 1.0)) == 0.1 + 0.2


def test_what_raises_is_left_to_raise():
    assert calls(optimised(lambda x: 1 // 0, 1.0)) == [operator.floordiv]
    assert calls(optimised(lambda x: "a" + 1, 1.0)) == [operator.add]


def test_large_powers_are_not_computed():
    assert calls(optimised(lambda x: 10**5000 > 0, 1.0))[0] is operator.pow


def test_known_branches():
    def f(x):
        if 1 < 2:
            y = x
        else:
            y = math.sin(x)
        return y

    assert compound(optimised(f, 1.0)) == [] and returned(optimised(f, 1.0)) == "x"


def test_a_test_that_was_decided_outside():
    def f(x):
        p = x > 0.0
        y = 0.0
        if p:
            y = x * 2.0 if p else x * 3.0
        return y

    program = optimised(f, 1.0)
    assert len([s for s in compound(program) if isinstance(s, If)]) == 1
    assert calls(program).count(operator.mul) == 1


def test_a_raise_ends_the_block():
    def f(x):
        if True:
            raise ValueError("no")
        return x

    program = optimised(f, 1.0)
    assert compound(program) == []


def test_elements_of_what_is_built_in_sight():
    def f(x, y):
        t = (x, y, (y, x))
        return t[0] + t[2][0] + len(t)

    assert calls(optimised(f, 1.0, 2.0)) == [operator.add, operator.add]


def test_unpacking_is_free():
    def f(x, y):
        a, b = y, x
        return a - b

    assert calls(optimised(f, 1.0, 2.0)) == [operator.sub]


def test_conversions_that_change_nothing():
    assert calls(optimised(lambda x: float(x), 1.0)) == []
    assert calls(optimised(lambda x: float(x), np.float64(1.0))) == [float]
    assert calls(optimised(lambda x: +x, True)) == [operator.pos]


def test_rebinding_is_plain_arithmetic_for_scalars_only():
    def f(x, y):
        x += y
        return x

    assert calls(optimised(f, 1.0, 2.0)) == [operator.add]
    assert calls(optimised(f, np.ones(2), 2.0)) == [operator.iadd]


def test_pop_of_a_push_is_what_was_pushed():
    def f(x):
        s = []
        s = ops.push(s, x * 2.0)
        s, y = ops.pop(s)
        return y

    assert calls(optimised(f, 1.0, role="adjoint")) == [operator.mul]


def test_a_loop_that_breaks_at_once_is_no_loop():
    def f(x):
        while True:
            x = x * 2.0
            break
        return x

    program = optimised(f, 1.5)
    assert compound(program) == [] and calls(program) == [operator.mul]
