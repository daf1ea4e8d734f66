"""Adjoints stand right before their only reader, and never across a write of what they read."""

import operator

import numpy as np

import adcompile as ad
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, Continue, For, Function, Return, Signature, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import FLOAT, INT, Array, RangeT, Seq
from adcompile.optimise.late import late

HERE, THERE = Place("f.py", 1, 0, 1, 1), Place("f.py", 2, 0, 2, 1)
ARRAY = Array(np.dtype(float), ("many",))
F = FunctionRef("f")


def adjoint(result, fn, *args, place=HERE):
    return Call(result, Const(fn), args, (), place, "adjoint")


def moved(statements, result, types, params):
    signature = Signature(tuple(p.name for p in params))
    function = Function("f", params, (), Block((), statements, Return(result)), signature)
    return late(Program(F, {F: function}, types)).functions[F].body.statements


def line(x_place, y_place):
    """y = 2 x, a = 3, z = y + a: y is read once."""
    x, y, a, z = Var("x"), Var("y"), Var("a"), Var("z")
    made = adjoint(y, operator.mul, Const(2.0), x, place=x_place)
    other = adjoint(a, operator.mul, x, x, place=THERE)
    last = adjoint(z, operator.add, y, a, place=y_place)
    order = moved((made, other, last), z, {x: FLOAT, y: FLOAT, a: FLOAT, z: FLOAT}, (x,))
    return [s.result.name for s in order]


def test_before_the_only_reader_of_the_line():
    assert line(HERE, HERE) == ["a", "y", "z"]


def test_other_lines_stay_where_they_are():
    assert line(THERE, HERE) == ["y", "a", "z"]


def test_not_across_a_write():
    x, y, w, z = Var("x"), Var("y"), Var("w"), Var("z")
    made = adjoint(y, operator.mul, Const(2.0), x)
    write = adjoint(w, ops.index_add, x, Const(0), Const(1.0), place=THERE)
    last = adjoint(z, operator.add, y, w)
    types = {x: ARRAY, y: ARRAY, w: ARRAY, z: ARRAY}
    assert [s.result.name for s in moved((made, write, last), z, types, (x,))] == ["y", "w", "z"]


def test_what_goes_on_is_read_behind_what_it_replaces():
    kept, steps, k, a, b, y, r = (Var(name) for name in ("kept", "steps", "k", "a", "b", "y", "r"))
    read = adjoint(b, operator.getitem, kept, k)
    use = adjoint(y, operator.mul, a, a, place=THERE)
    body = Block((k, a), (read, use), Continue((b,)))
    loop = For((r,), steps, (Const(1.0),), body, HERE, "adjoint")
    types = {kept: Seq(FLOAT), steps: RangeT(True), k: INT, a: FLOAT, b: FLOAT, y: FLOAT, r: FLOAT}
    (found,) = moved((loop,), r, types, (kept, steps))
    assert [s.result.name for s in found.body.statements] == ["y", "b"]


def test_text_of_a_loop_that_uses_a_value_before_and_after():
    def f(x):
        total = 0.0
        while total < 3.0:
            x = x * np.sin(x) + 1.0
            total += x * x
        return total

    text = ad.source(ad.grad(f), 0.7)
    assert "x_1" not in text
    ad.check_grads(f, (0.7,), order=2)
