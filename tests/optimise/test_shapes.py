"""Equal shapes: proved by broadcasting, by slices, by loops; never assumed."""

import operator

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.nodes import Call, For
from adcompile.ir.walk import statements_of
from adcompile.optimise.passes import PASSES, optimise
from adcompile.optimise.shapes import Shapes
from tests.optimise.programs import bits, calls, compound, entry, outcome, run, typed

V = np.array([1.5, -2.0, 0.25, 4.0])
NAMED = tuple(p for p in PASSES if p.name in ("fold", "dce"))


def shaped(fn, *args):
    """The shapes after all calls of `fn`, and the elements of the tuple that it returns."""
    program = optimise(typed(fn, *args, role="adjoint"), NAMED)
    defs = {s.result: s for s in statements_of(entry(program).body) if isinstance(s, Call)}
    shapes = Shapes(program.types, defs)
    for call in defs.values():
        shapes.note(call)
    return shapes, defs[entry(program).body.end.value].args


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: (x[1:], x[:-1]),
        lambda x: (x[2:], x[1:-1]),
        lambda x: (x[1:] * 2.0, np.exp(x)[:-1]),
        lambda x: (x[::2], (x * 2.0)[::2]),
        lambda x: (x[:], x),
        lambda x: (np.zeros(x.shape), np.ones(np.shape(x))),
        lambda x: (rt.broadcast_like(1.0, x), ops.index_add(np.zeros_like(x), 0, 1.0)),
        lambda x: (rt.unbroadcast(np.outer(x, x), x), x),
    ],
)
def test_equal(fn):
    shapes, (a, b) = shaped(fn, V)
    assert shapes.same(a, b)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: (x[1:], x[:-2]),
        lambda x: (x[::2], x[::-2]),
        lambda x: (x[1:3], x[1:-1]),
        lambda x: (x[x > 0.0], x[x > 1.0]),
        lambda x: (np.sum(np.outer(x, x), axis=0), x[1:]),
    ],
)
def test_not_proved(fn):
    shapes, (a, b) = shaped(fn, V)
    assert not shapes.same(a, b)


def test_matrices():
    shapes, (a, b) = shaped(lambda m: (m[1:, :-2], m[:-1, 2:]), np.ones((4, 5)))
    assert shapes.same(a, b)
    shapes, (a, b) = shaped(lambda m: (m[1:, :-2], m[:-1, 1:]), np.ones((4, 5)))
    assert not shapes.same(a, b)


def test_scopes_forget():
    program = typed(lambda x, y: (x * y, x, y), V, V, role="adjoint")
    defs = {s.result: s for s in statements_of(entry(program).body) if isinstance(s, Call)}
    shapes = Shapes(program.types, defs)
    x, y = entry(program).params
    mark = shapes.mark()
    for call in defs.values():
        shapes.note(call)
    assert shapes.same(x, y)
    shapes.undo(mark)
    assert not shapes.same(x, y)


def test_the_first_value_of_a_shape_stands_in():
    def f(x, y):
        t = np.exp(x) * y
        return x * np.size(t) + rt.broadcast_like(2.0, t)

    after = optimise(typed(f, V, V, role="adjoint"))
    assert np.exp not in calls(after)
    assert bits(run(after, V, V)) == bits(V * 4 + 2.0)


def test_a_dead_primal_goes_if_what_follows_raises_too():
    def f(x, y):
        dead = x * y
        return x + y

    assert calls(optimise(typed(f, V, V))) == [operator.add]


def test_a_dead_primal_stays_if_someone_could_tell():
    def f(x, y):
        dead = x * y
        print("after")
        return x + y

    program = typed(f, V, V)
    assert calls(optimise(program)).count(operator.mul) == 1
    assert outcome(optimise(program), (V, V[:3])) == outcome(program, (V, V[:3]))


def test_reads_inside_the_range_cannot_fail():
    def f(x, y):
        for i in range(len(x)):
            x[i] * 2.0
        return y

    assert compound(optimise(typed(f, V, 1.0))) == []


def test_reads_outside_the_range_may():
    def f(x, y):
        for i in range(len(x)):
            y[i]
        return x

    assert [type(s) for s in compound(optimise(typed(f, V, V)))] == [For]


def test_a_dead_loop_goes_if_a_live_one_reads_the_same():
    def f(x, n):
        s = 0.0
        for i in range(n):
            dead = x[i] * 2.0
        for i in range(n):
            s = s + x[i]
        return s

    assert len(compound(optimise(typed(f, V, 3)))) == 1


def test_a_dead_loop_stays_if_the_live_one_may_break():
    def f(x, n):
        s = 0.0
        for i in range(n):
            dead = x[i] * 2.0
        for i in range(n):
            if s > 1.0:
                break
            s = s + x[i]
        return s

    program = typed(f, V, 3)
    assert len([s for s in compound(optimise(program)) if isinstance(s, For)]) == 2
    assert outcome(optimise(program), (V, 9)) == outcome(program, (V, 9))
