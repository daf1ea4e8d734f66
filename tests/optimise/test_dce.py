"""What nobody reads goes, unless somebody would miss it."""

import math
import operator

import numpy as np

from adcompile.ir.nodes import Block, Call, Const, For, Return, Var, While
from adcompile.ir.types import FLOAT
from adcompile.optimise.dce import live_block, live_statements
from adcompile.optimise.passes import optimise
from tests.optimise.programs import calls, compound, entry, outcome, typed


def optimised(fn, *args, role="primal"):
    before = typed(fn, *args, role=role)
    after = optimise(before)
    assert outcome(after, args) == outcome(before, args)
    return after


V = np.array([1.0, 2.0, 3.0])


def test_arrays_proved_of_one_shape_go():
    def f(x, y):
        z = np.exp(x)
        unused = z * x
        return y

    assert calls(optimised(f, V, 1.0)) == []


def test_a_sum_that_ran_proves_shapes():
    def f(x, y):
        z = x + y
        unused = x * y
        return z

    assert calls(optimised(f, V, V)) == [operator.add]


def test_adjoints_that_may_raise_go():
    def f(x, y):
        z = x / y
        w = math.sqrt(z)
        return x

    assert calls(optimised(f, 1.0, 2.0, role="adjoint")) == []


def test_carried_values_that_only_feed_themselves_go():
    def f(x, n):
        y = dead = x
        for _ in range(n):
            dead = dead * 2.0 + y
            y = y * 3.0
        return y

    (loop,) = [s for s in compound(optimised(f, 1.0, 3)) if isinstance(s, For)]
    assert len(loop.results) == 1


def test_nested_dead_loops_go():
    def f(x, n):
        y = x
        for i in range(n):
            for _ in range(i):
                y = y + x
        return x

    assert compound(optimised(f, 1.0, 3)) == []


def test_a_loop_that_prints_stays():
    def f(x, n):
        for i in range(n):
            if i == 2:
                break
            print(i)
        return x

    assert len(compound(optimised(f, 1.0, 5))) == 2


def test_a_while_stays_unless_it_is_an_adjoint():
    def f(x):
        y = x
        while y < 10.0:
            y = y + 1.0
        return x

    assert [type(s) for s in compound(optimised(f, 1.0))][:1] == [While]
    assert compound(optimised(f, 1.0, role="adjoint")) == []


def test_iterators_are_used_up():
    def f(x):
        it = iter([1, 2, 3])
        for _ in it:
            pass
        return list(it)

    assert outcome(optimise(typed(f, 1.0)), (1.0,)) == outcome(typed(f, 1.0), (1.0,))


def test_live_block_keeps_what_is_asked_for():
    x, a, b, c = (Var(n) for n in "xabc")
    block = Block(
        (),
        (
            Call(a, Const(operator.neg), (x,), role="adjoint"),
            Call(b, Const(operator.neg), (a,), role="adjoint"),
            Call(c, Const(math.sqrt), (x,), role="adjoint"),
        ),
        Return(Const(None)),
    )
    assert [s.result for s in live_block(block, {b}).statements] == [a, b]
    assert [s.result for s in live_statements(block.statements, [a], {a: FLOAT})] == [a]


def test_structure_is_kept_where_it_matters():
    def f(x, n):
        y = 0.0
        for i in range(n):
            if i > 3:
                break
            t = x * 2.0 if x > 0.0 else x
            y = y + t
        return y

    program = optimised(f, 1.0, 8)
    assert len(compound(program)) == 3
    assert entry(program).body.end.value.name == "y"
