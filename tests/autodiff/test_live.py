"""Adjoint statements that nobody reads are left out."""

import operator

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
