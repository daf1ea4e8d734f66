"""Adjoint statements that nobody reads are left out."""

import operator

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.autodiff.live import live_statements
from adcompile.ir.nodes import Block, Call, Const, If, Raise, Var, Yield

X, Y, Z = Var("x"), Var("y"), Var("z")


def double(result, value=X):
    return Call(result, Const(operator.add), (value, value), role="adjoint")


def choice(results, then, orelse):
    return If(results, Const(True), then, orelse, role="adjoint")


def test_calls_are_kept_for_their_readers():
    first, second, idle = double(Y), double(Z, Y), double(Var("idle"))
    assert live_statements([first, idle, second], [Z]) == [first, second]
    assert live_statements([first, idle, second], []) == []


def test_branches_lose_results_nobody_reads():
    a, b, c = Var("a"), Var("b"), Var("c")
    then = Block((), (double(a), double(b)), Yield((a, b)))
    orelse = Block((), (double(c),), Yield((c, X)))
    (kept,) = live_statements([choice((Y, Z), then, orelse)], [Y])
    assert kept.results == (Y,)
    assert [s.result for s in kept.then.statements] == [a]
    assert kept.then.end.values == (a,)
    assert [s.result for s in kept.orelse.statements] == [c]
    assert live_statements([choice((Y, Z), then, orelse)], [X]) == []


def test_what_raises_stays():
    raising = Block((), (), Raise(Const(ValueError())))
    statement = choice((), raising, Block((), (), Yield(())))
    assert live_statements([statement], []) == [statement]


def test_what_blocks_read_is_live():
    first = double(Y)
    inside = Block((), (double(Z, Y),), Yield((Z,)))
    outer = choice((Var("out"),), inside, Block((), (), Yield((X,))))
    assert live_statements([first, outer], outer.results) == [first, outer]


def smoothed(u, f):
    u[1:-1] = 0.5 * (u[:-2] + u[2:]) + f[1:-1]


@rules.rrule(smoothed, writes="u")
def _smoothed(u, f):
    u[1:-1] = 0.5 * (u[:-2] + u[2:]) + f[1:-1]

    def pullback(y_bar, left_bar):
        inner = np.zeros_like(left_bar)
        inner[1:-1] = left_bar[1:-1]
        u_bar = left_bar - inner
        left, right = u_bar[:-2], u_bar[2:]
        left += 0.5 * inner[1:-1]
        right -= -0.5 * inner[1:-1]
        return u_bar, inner

    return None, pullback


def test_pullbacks_may_write_through_views():
    u, f, left_bar = np.linspace(0.0, 1.0, 5), np.full(5, 0.1), np.arange(1.0, 6.0)
    pulled = ad.vjp(smoothed, u, f)[1](None, mutated={"u": left_bar})
    for arg, bar in enumerate(pulled):
        for k, e in enumerate(np.eye(5)):
            after = [u.copy(), f.copy()], [u.copy(), f.copy()]
            after[0][arg][:] += 1e-6 * e
            after[1][arg][:] -= 1e-6 * e
            smoothed(*after[0])
            smoothed(*after[1])
            slope = np.dot(left_bar, after[0][0] - after[1][0]) / 2e-6
            assert bar[k] == pytest.approx(slope, abs=1e-8)
