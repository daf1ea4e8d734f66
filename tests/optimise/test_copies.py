"""Other names for a value are read as the value."""

import operator

import numpy as np

from adcompile.ir.nodes import For
from adcompile.optimise.passes import optimise
from tests.optimise.programs import calls, compound, entry, outcome, run, typed


def optimised(fn, *args, role="primal"):
    before = typed(fn, *args, role=role)
    after = optimise(before)
    assert outcome(after, args) == outcome(before, args)
    return after


def test_branches_that_agree():
    def f(x, p):
        if p:
            print("yes")
            y = x
        else:
            print("no")
            y = x
        return y

    (branch,) = compound(optimised(f, 1.0, True))
    assert branch.results == ()


def test_results_that_are_always_equal_are_one():
    def f(x, p):
        if p:
            a, b = x * 2.0, 1.0
            c = a
        else:
            a, b = x * 3.0, 2.0
            c = a
        return a + b + c

    (branch,) = compound(optimised(f, 1.0, True))
    assert len(branch.results) == 2


def test_carried_values_that_never_change():
    def f(x, n):
        k = x * 2.0
        y = 0.0
        for _ in range(n):
            if k > 1.0:
                k = k
            y = y + k
        return y + k

    (loop,) = [s for s in compound(optimised(f, 1.0, 3)) if isinstance(s, For)]
    assert len(loop.results) == 1


def test_carried_values_that_stay_equal():
    def f(x, n):
        a = b = x
        for _ in range(n):
            c = a * 2.0
            a = b = c
        return a + b

    (loop,) = compound(optimised(f, 1.0, 3))
    assert len(loop.results) == 1


def test_a_value_defined_in_the_branch_stays_inside():
    def f(x):
        if x > 0.0:
            y = x * 2.0
        else:
            raise ValueError("negative")
        return y

    program = optimised(f, 1.0)
    assert run(program, 1.0) == 2.0
    assert calls(program).count(operator.mul) == 1
    assert len(entry(program).body.statements) >= 2


def test_breaks_keep_their_own_values():
    def f(x, n):
        y, z = x, x
        for i in range(n):
            if i == 2:
                z = y + 1.0
                break
        return y, z

    before = typed(f, np.float64(1.0), 5)
    for n in (0, 1, 5):
        assert outcome(optimise(before), (np.float64(1.0), n)) == outcome(before, (np.float64(1.0), n))
