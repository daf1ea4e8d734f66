"""Sums that may be computed into their first operand: replayed so, and compared."""

import operator

import numpy as np
import pytest

from adcompile.ir.nodes import Block, Call, Const, For, Function, If, While
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array
from adcompile.optimise.inplace import owned
from adcompile.optimise.passes import PASSES, optimise
from tests import interpret
from tests.optimise.programs import bits, entry, typed

V = np.array([1.0, 2.0, 3.0])


def in_place(block, chosen):
    """The block with the chosen sums written in place."""
    statements = []
    for s in block.statements:
        match s:
            case Call() if s.result in chosen:
                s = Call(s.result, Const(operator.iadd), s.args, (), s.place, s.role)
            case If():
                s = If(s.results, s.test, in_place(s.then, chosen), in_place(s.orelse, chosen), s.place, s.role)
            case For():
                s = For(s.results, s.iterable, s.init, in_place(s.body, chosen), s.place, s.role)
            case While():
                s = While(s.results, s.init, in_place(s.body, chosen), s.place, s.role)
        statements.append(s)
    return Block(block.params, tuple(statements), block.end)


NAMED = tuple(p for p in PASSES if p.name in ("fold", "dce"))  # makes known what is called


def replayed(fn, *args, role="adjoint"):
    """How many sums are written in place; that way the results are the same, bit for bit, and
    the arguments are left alone."""
    program = optimise(typed(fn, *args, role=role), NAMED)
    function = entry(program)
    chosen = owned(function, program.types)
    written = Function(function.name, function.params, (), in_place(function.body, chosen), function.signature)
    kept = [bits(a) for a in args]
    found = large_stack(lambda: interpret.run(written, args, ()))
    assert [bits(a) for a in args] == kept
    assert bits(found) == bits(large_stack(lambda: interpret.run(function, args, ())))
    return len(chosen)


def test_a_fresh_array_is_written():
    assert replayed(lambda x, y: np.exp(x) + y, V, V) == 1
    assert replayed(lambda x, y: (np.exp(x) + y) + x, V, V) == 2


def test_arguments_and_primal_statements_are_not():
    assert replayed(lambda x, y: x + y, V, V) == 0
    assert replayed(lambda x, y: np.exp(x) + y, V, V, role="primal") == 0


def test_what_is_read_again_is_not():
    def f(x, y):
        t = np.exp(x)
        return (t + y) * t

    assert replayed(f, V, V) == 0


def test_views_are_not():
    assert replayed(lambda x, y: x[1:] + y[1:], V, V) == 0
    assert replayed(lambda x, y: np.exp(x)[::-1] + y, V, V) == 0


@pytest.mark.parametrize("other", [np.ones((2, 3)), V.astype(np.complex128), V.astype(np.float32)])
def test_shape_and_dtype_must_be_the_results(other):
    expected = int(other.dtype == np.float32)
    assert replayed(lambda x, y: np.exp(x) + y, V, other) == expected


def test_run_time_sizes_are_not_taken_for_proved():
    def f(x, y):
        return np.exp(x) + y

    program = optimise(typed(f, V[:1], V, role="adjoint"), NAMED)
    unknown = {v: Array(t.dtype, ("any",)) if isinstance(t, Array) else t for v, t in program.types.items()}
    assert owned(entry(program), unknown) == frozenset()


def test_carried_sums():
    def f(x, n):
        s = np.zeros_like(x)
        for i in range(n):
            s = s + x * i
        return s

    assert replayed(f, V, 4) == 1


def test_a_carried_sum_whose_start_is_read_is_not():
    def f(x, n):
        start = np.zeros_like(x)
        s = start
        for _ in range(n):
            s = s + x
        return s - start

    assert replayed(f, V, 4) == 0


def test_an_outer_array_handed_on_in_each_iteration_is_not():
    def f(x, n):
        other = np.exp(x)
        s = np.zeros_like(x)
        r = np.zeros_like(x)
        for _ in range(n):
            r = s + x
            s = other
        return r

    assert replayed(f, V, 4) == 0


def test_an_outer_array_summed_in_each_iteration_is_not():
    def f(x, n):
        t = np.exp(x)
        r = x
        for _ in range(n):
            r = t + x
        return r

    assert replayed(f, V, 4) == 0


def test_branches():
    def f(x, p):
        s = np.zeros_like(x)
        if p:
            s = s + x
        s = s + x * 2.0
        return s

    assert replayed(f, V, True) == 2
    replayed(f, V, False)


def test_nested_loops():
    def f(x, n):
        s = np.zeros_like(x)
        for i in range(n):
            for j in range(i):
                s = s + x * j
            s = s + x
        return s

    assert replayed(f, V, 4) == 2


def test_breaks():
    def f(x, n):
        s = np.zeros_like(x)
        for i in range(n):
            if i == 2:
                break
            s = s + x
        return s

    assert replayed(f, V, 5) == 1
