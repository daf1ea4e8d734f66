"""The verifier takes what the grammar allows and nothing else."""

import operator

import pytest

from adcompile.ir.nodes import (
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Raise,
    Return,
    Signature,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.verify import InvalidIR, verify

X, Y, Z = Var("x"), Var("y"), Var("z")
ONE = Const(1)


def function(*statements, end=None):
    return Function("f", (X,), (), Block((), statements, end or Return(X)), Signature(("x",)))


def block(*statements, end, params=()):
    return Block(params, statements, end)


def add(result, *args):
    return Call(result, Const(operator.add), args)


EMPTY = block(end=Yield())
VALID = {
    "call": function(add(Y, X, ONE), end=Return(Y)),
    "if": function(If((Y,), X, block(end=Yield((X,))), block(end=Yield((ONE,)))), end=Return(Y)),
    "raise": function(If((), X, block(end=Raise(X)), EMPTY)),
    "all raise": function(If((), X, block(end=Raise(X)), block(end=Raise(X))), end=Unreachable()),
    "for": function(For((Y,), X, (ONE,), block(params=(Z, Var("c")), end=Continue((Z,)))), end=Return(Y)),
    "tree": function(
        While(
            (),
            (),
            block(If((), X, block(end=Break()), block(end=Continue())), end=Unreachable()),
        )
    ),
}
INVALID = {
    "read before": function(add(Y, Z), add(Z, X)),
    "read outside": function(If((), X, block(add(Y, X), end=Yield()), EMPTY), end=Return(Y)),
    "twice": function(add(Y, X), add(Y, X)),
    "arity": function(If((Y,), X, block(end=Yield((X,))), EMPTY)),
    "too few initial values": function(For((Y,), X, (), block(params=(Z,), end=Continue()))),
    "no return": function(end=Yield()),
    "return inside": function(If((), X, block(end=Return(X)), EMPTY)),
    "break outside": function(If((), X, block(end=Break()), EMPTY)),
    "break not last": function(
        While((), (), block(If((), X, block(end=Break()), EMPTY), add(Y, X), end=Continue())),
    ),
    "leaves, with results": function(
        While((), (), block(If((Y,), X, block(end=Break()), block(end=Continue())), end=Unreachable())),
    ),
    "half leaves": function(While((), (), block(If((), X, block(end=Break()), EMPTY), end=Unreachable()))),
    "unreachable": function(end=Unreachable()),
    "break values": function(While((Y,), (ONE,), block(params=(Z,), end=Break()))),
}


@pytest.mark.parametrize("name", VALID)
def test_valid(name):
    verify(VALID[name])


@pytest.mark.parametrize("name", INVALID)
def test_invalid(name):
    with pytest.raises(InvalidIR):
        verify(INVALID[name])
