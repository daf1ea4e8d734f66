"""Identical operations run once, where nobody can tell."""

import operator

import numpy as np

from adcompile.ir.nodes import Block, Call, Const, Return, Var
from adcompile.ir.ops import build_tuple
from adcompile.ir.types import FLOAT, TupleT
from adcompile.optimise.cse import cse
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import optimise
from adcompile.optimise.sharing import sharing
from tests.optimise.programs import calls, outcome, run, typed


def optimised(fn, *args, role="primal"):
    before = typed(fn, *args, role=role)
    after = optimise(before)
    assert outcome(after, args) == outcome(before, args)
    return after


V = np.array([1.0, 2.0, 3.0])


def count(program, fn):
    return calls(program).count(fn)


def test_the_same_operation_runs_once():
    assert count(optimised(lambda x, y: (x * y) + (x * y), 1.5, 2.5), operator.mul) == 1
    assert count(optimised(lambda x: np.exp(x) + np.exp(x), V), np.exp) == 1


def test_addition_commutes_for_numbers():
    assert count(optimised(lambda x, y: (x + y) * (y + x), 1.5, 2.5), operator.add) == 1
    assert count(optimised(lambda x, y: (x + y, y + x), [1], [2]), operator.add) == 2


def test_literals_of_different_classes_differ():
    assert count(optimised(lambda x: (x * 1, x * 1.0, x * True), 2), operator.mul) == 3
    assert count(optimised(lambda x: (x * 0.0, x * -0.0), 2.0), operator.mul) == 2


def test_a_branch_does_not_serve_what_follows():
    def f(x):
        y = np.exp(x) if x > 0.0 else x
        return y + np.exp(x)

    assert count(optimised(f, 1.0), np.exp) == 2


def test_what_dominates_serves_branches_and_loops():
    def f(x, n):
        y = np.exp(x)
        for i in range(n):
            if i > 1:
                y = y + np.exp(x)
        return y

    assert count(optimised(f, 1.0, 4), np.exp) == 1


def test_two_fresh_arrays_that_are_returned_stay_two():
    program = optimised(lambda x: (np.exp(x), np.exp(x)), V)
    a, b = run(program, V)
    assert not np.shares_memory(a, b)


def test_one_returned_and_one_read_are_one():
    assert count(optimised(lambda x: (np.exp(x), np.sum(np.exp(x))), V), np.exp) == 1


def test_nothing_is_reused_over_a_write():
    def f(x):
        a = np.sum(x)
        x[0] = 7.0
        return a + np.sum(x)

    assert count(optimised(f, V), np.sum) == 2


def test_a_write_in_a_loop_is_seen_by_the_next_iteration():
    def f(x, n):
        s = np.sum(x)
        for _ in range(n):
            s = s + np.sum(x)
            x[0] = s
        return s

    assert count(optimised(f, V, 3), np.sum) == 2


def test_an_array_that_is_written_is_not_shared():
    def f(x):
        a = x * 2.0
        b = x * 2.0
        a[0] = 5.0
        return np.sum(a) + np.sum(b)

    assert count(optimised(f, V), operator.mul) == 2


def test_impure_calls_are_repeated():
    def f(x):
        print(x)
        print(x)
        return x

    assert count(optimised(f, 1.0), print) == 2


def test_each_loop_has_its_own_iterator():
    def f(x, n):
        t = range(n)
        for i in reversed(t):
            x = x * i
        for i in reversed(t):
            x = x + i
        return x

    assert count(optimised(f, 2.0, 4, role="adjoint"), reversed) == 2


def test_primal_statements_do_not_read_adjoints():
    x, a, b, c, out = (Var(n) for n in ("x", "a", "b", "c", "out"))
    types = dict.fromkeys((x, a, b, c), FLOAT) | {out: TupleT((FLOAT, FLOAT, FLOAT))}
    sin = Const(operator.neg)
    block = Block(
        (),
        (
            Call(a, sin, (x,), role="adjoint"),
            Call(b, sin, (x,), role="primal"),
            Call(c, sin, (x,), role="adjoint"),
            Call(out, Const(build_tuple), (a, b, c)),
        ),
        Return(out),
    )
    effects = Effects(types)
    new = cse(block, types, effects, sharing(block, effects))
    assert [s.result for s in new.statements] == [a, b, out]
    assert new.statements[-1].args == (a, b, b)
