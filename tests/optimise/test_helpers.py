"""Array helpers that types and shapes make superfluous."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.types import Array
from adcompile.ir.verify import verify
from adcompile.optimise.passes import optimise
from tests.optimise.programs import bits, calls, entry, run, typed

V = np.array([1.5, -2.0, 0.25])
M = np.arange(6.0).reshape(2, 3) + 1
ROW, COLUMN = M[:1], M[:, :1]


def adjoint(fn, *args):
    """The calls that are left; the value is the same, bit for bit."""
    program = typed(fn, *args, role="adjoint")
    after = optimise(program)
    verify(entry(after))
    found, expected = run(after, *args), run(program, *args)
    assert bits(found) == bits(expected)
    return calls(after)


def test_unbroadcast():
    assert adjoint(lambda g, x: rt.unbroadcast(g, x) * 2.0, V, V) == [operator.mul]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x) * 2.0, 1.0, 2.0) == [operator.mul]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x), M, 2.0) == [np.sum]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x), M, V) == [np.sum]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x), M, ROW) == [np.sum]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x), M, COLUMN) == [np.sum]
    assert adjoint(lambda g, x: rt.unbroadcast(g, x), M[None] * np.ones((2, 1, 1)), ROW) == [np.sum, np.sum]


def test_unbroadcast_stays_where_sizes_are_run_time():
    def f(g, x):
        return rt.unbroadcast(g, x) * 2.0

    program = typed(f, V, V[:1], role="adjoint")
    unknown = {v: Array(t.dtype, ("any",)) if isinstance(t, Array) else t for v, t in program.types.items()}
    assert rt.unbroadcast in calls(optimise(replace(program, types=unknown)))


def test_what_is_known_is_summed_where_other_sizes_are_run_time():
    wide = M[None] * np.ones((4, 1, 1))
    for x in (M[:, None, :][:1], np.ones((1, 1, 1)), ROW):
        program = typed(lambda g, x: rt.unbroadcast(g * 1.0, x) * 2.0, wide, x, role="adjoint")
        params = entry(program).params
        dims = ("any", *program.types[params[1]].dims[1:])
        types = {**program.types, params[1]: Array(program.types[params[1]].dtype, dims)}
        after = optimise(replace(program, types=types))
        verify(entry(after))
        assert calls(after).index(np.sum) < calls(after).index(rt.unbroadcast)
        assert np.allclose(run(after, wide, x), 2.0 * rt.unbroadcast(wide, x))


def test_broadcasting():
    assert adjoint(lambda g, x: rt.broadcast_like(g, x) * 2.0, V, V) == [operator.mul]
    assert adjoint(lambda g, x: rt.broadcast_like(g, x) * x, 2.0, V) == [operator.mul]
    assert adjoint(lambda g, x: np.broadcast_to(g, x.shape) * np.exp(x), 2.0, V) == [np.exp, operator.mul]
    assert rt.broadcast_like in adjoint(lambda g, x: rt.broadcast_like(g, x) * 2.0, 2.0, V)
    assert rt.broadcast_like in adjoint(lambda g, x: rt.broadcast_like(g, x) * g, 2.0, V)


def test_arithmetic_of_broadcast_scalars_comes_first():
    assert adjoint(lambda g, x: (-rt.broadcast_like(g, x)) * np.exp(x), 2.0, V) == [operator.neg, np.exp, operator.mul]
    assert adjoint(lambda x: rt.broadcast_like(1.0, x) + -rt.broadcast_like(1.0, x) + x, V)[-1] is np.copy


def test_expand_and_contract():
    assert adjoint(lambda g, x: rt.expand(g, x) * x, 2.0, M) == [operator.mul]
    assert adjoint(lambda g, x: rt.expand(g, x, 1) * x, V[:2], M) == [np.expand_dims, operator.mul]
    assert adjoint(lambda g, x: rt.expand(g, x, 0) * x, V, M) == [operator.mul]  # broadcasting does it
    assert adjoint(lambda g, x: rt.expand(g, x, 1, True) * x, COLUMN, M) == [operator.mul]
    assert adjoint(lambda g, y: rt.contract(g, y) * 2.0, V, V) == [operator.mul]


def test_like():
    assert adjoint(lambda g, x: rt.like(g * 2.0, x), V, V) == [operator.mul]
    assert adjoint(lambda g, x: rt.like(g * 2.0, x), np.float64(1.0), 2.0) == [operator.mul, float]
    assert rt.like in adjoint(lambda g, x: rt.like(g * 2.0, x), V, V.astype(np.float32))
    assert rt.like in adjoint(lambda g, x: rt.like(g * 2.0, x), V + 1j, V)


def test_zeros():
    assert adjoint(lambda x: rt.zeros_like(x), 1.0) == []
    assert adjoint(lambda x: rt.zeros_like(x), V) == [np.zeros_like]
    assert adjoint(lambda x: rt.zeros_like(x) + 2.0 * x, V) == [operator.mul]


def test_sums_of_scalars():
    assert adjoint(lambda x: np.sum(x * 2.0), np.float64(1.5)) == [operator.mul]
    assert adjoint(lambda x: np.sum(x * 2.0), 1.5) == [operator.mul, np.sum]  # it makes a np.float64


def test_adding_zeros_at_an_index():
    def f(x):
        return ops.index_add(np.exp(x), 1, 0.0)

    assert adjoint(f, V) == [np.exp]


@pytest.mark.parametrize("x", [V, M, V + 1j])
def test_attributes(x):
    expected = {1: [np.exp], 2: [np.exp]}[x.ndim]
    assert adjoint(lambda x: np.exp(x).T.T, x) == expected
    assert len(adjoint(lambda x: np.exp(x).real, x)) == 1 + np.iscomplexobj(x)
