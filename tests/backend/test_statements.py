"""In-place updates: stacks, buffers, and arrays that others may share."""

import operator

import numpy as np

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, Continue, For, Var
from adcompile.ir.types import FLOAT, Array
from tests.backend.printing import body_of, call, function, program


def place(line, file="model.py"):
    return Place(file, line, 0, line, 1)


def stack_program():
    """Push the squares of 0 … n-1, pop them and add them up."""
    n, i, st, j, st2, total = Var("n"), Var("i"), Var("s"), Var("j"), Var("s"), Var("x_bar")
    kept, st_out, total_out = Var("s"), Var("s"), Var("x_bar")
    square = call(operator.mul, i, i)
    pushed = call(ops.push, st, square.result, name="s")
    r1, r2 = call(range, n), call(range, n)
    fill = For((kept,), r1.result, (Const([]),), Block((i, st), (square, pushed), Continue((pushed.result,))))
    popped = call(ops.pop, st2, role="adjoint")
    rest = call(operator.getitem, popped.result, 0, name="s", role="adjoint")
    item = call(operator.getitem, popped.result, 1, name="v", role="adjoint")
    more = call(operator.add, total, item.result, name="x_bar", role="adjoint")
    drain = For(
        (st_out, total_out), r2.result, (kept, Const(0)),
        Block((j, st2, total), (popped, rest, item, more), Continue((rest.result, more.result))), role="adjoint",
    )  # fmt: skip
    start = call(ops.build_list, name="s")
    fill = For((kept,), r1.result, (start.result,), fill.body)
    types = {total: FLOAT, more.result: FLOAT, item.result: FLOAT}
    return program(function("f", [n], [start, r1, fill, r2, drain], total_out), types=types)


def test_stacks_print_as_append_and_pop():
    emitted = emit(stack_program())
    assert emitted.source == (
        "def f(n):\n"
        "    s = []\n"
        "    for i in range(n):\n"
        "        s.append(i * i)\n"
        "    x_bar = 0\n"
        "    for _ in range(n):\n"
        "        v = s.pop()\n"
        "        x_bar += v\n"
        "    return x_bar\n"
    )
    assert load(emitted)(5) == 30


def test_buffers_change_in_place():
    x, i = Var("x"), Var("i")
    zeros = call(np.zeros, 3, name="x_bar", role="adjoint")
    first = call(ops.index_add, zeros.result, i, 2.0, name="x_bar", role="adjoint")
    second = call(ops.index_add, first.result, 0, x, name="x_bar", role="adjoint")
    text = body_of(zeros, first, second, params=(x, i))
    assert "    x_bar = np.zeros(3)\n    x_bar[i] += 2.0\n    x_bar[0] += x\n    return x_bar\n" in text


def test_arrays_are_not_added_in_place():
    """x_bar may share memory with something else."""
    a, b = Var("x_bar"), Var("v")
    array = Array(np.dtype(float), ("many",))
    total = call(operator.add, a, b, name="x_bar", role="adjoint")
    twice = call(operator.mul, total.result, 2.0, name="z", role="adjoint", place=place(1))
    total2 = Call(total.result, total.fn, total.args, (), place(2), "adjoint")
    text = body_of(total2, twice, params=(a, b), types={a: array, b: array, total.result: array})
    assert "x_bar = x_bar + v" in text
