"""Names: values of one variable share it, joins and loops need no copies, swaps are parallel."""

import operator

import pytest

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Break, Const, Continue, For, If, Unreachable, Var, While, Yield
from tests.backend.printing import call, function, printed, program, reprint


def body(fn):
    """The lines of a printed function below its `def`."""
    text = printed(fn)
    lines = text[text.index("def ") :].strip().split("\n")
    return "\n".join(line[4:] for line in lines[1:])


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def swap(x, y, n):
    for _ in range(n):
        x, y = y, x
    return x, y


def rotate(a, b, c, n):
    for _ in range(n):
        a, b, c = b, c, a
    return a, b, c


def shift(a, b, c, n):
    for i in range(n):
        a, b, c = i, a, b
    return a, b, c


def lost_copy(n):
    x = 0
    y = 0
    for _ in range(n):
        y = x
        x = x + 1
    return y


def old_and_new(x):
    y = x
    x = x + 1
    return y * x


def branches(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


def changed_in_one(x):
    if x > 0:
        x = x + 1
    return x * x


def nested_loops(n):
    total = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            total = total + i * j
    return total


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@pytest.mark.parametrize(
    "fn, args, text",
    [
        (fibonacci, (10,), "a = 0\nb = 1\nfor _ in range(n):\n    a, b = b, a + b\nreturn a"),
        (swap, (1, 2, 3), "for _ in range(n):\n    x, y = y, x\nreturn x, y"),
        (rotate, (1, 2, 3, 4), "for _ in range(n):\n    a, b, c = b, c, a\nreturn a, b, c"),
        (shift, (1, 2, 3, 4), "for i in range(n):\n    c = b\n    b = a\n    a = i\nreturn a, b, c"),
        (lost_copy, (4,), "y = 0\nx = 0\nfor _ in range(n):\n    y = x\n    x = x + 1\nreturn y"),
        (old_and_new, (3,), "x_1 = x + 1\nreturn x * x_1"),
        (branches, (3,), "if x > 0:\n    y = x * x\nelse:\n    y = -x\nreturn y"),
        (changed_in_one, (3,), "if x > 0:\n    x = x + 1\nreturn x * x"),
        (gcd, (12, 18), "while b:\n    a, b = b, a % b\nreturn a"),
        (
            nested_loops,
            (5,),
            "total = 0\nfor i in range(n):\n    for j in range(n):\n        if j > i:\n            break\n"
            "        if (i + j) % 2:\n            continue\n        total = total + i * j\nreturn total",
        ),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_goldens(fn, args, text):
    assert body(fn) == text
    assert reprint(fn)(*args) == fn(*args)


def test_swap_problem_in_a_while():
    a, b, k = Var("a"), Var("b"), Var("k")
    ar, br, kr = Var("a"), Var("b"), Var("k")
    test, less = call(operator.gt, k, 0), call(operator.sub, k, 1)
    loop = While(
        (ar, br, kr), (Const(1), Const(2), Const(3)),
        Block((a, b, k), (test, If((), test.result,
              Block((), (less,), Continue((b, a, less.result))),
              Block((), (), Break((b, a, k))))), Unreachable()),
    )  # fmt: skip
    pair = call(ops.build_tuple, ar, br)
    emitted = emit(program(function("f", [], [loop, pair], pair.result)))
    assert load(emitted)() == (1, 2)


def test_results_keep_apart():
    """Two results of one If whose values are each other's."""
    x, y, c = Var("v"), Var("v"), Var("c")
    r1, r2 = Var("v"), Var("v")
    branch = If((r1, r2), c, Block((), (), Yield((x, y))), Block((), (), Yield((y, x))))
    out = call(ops.build_tuple, r1, r2)
    run = load(emit(program(function("f", [x, y, c], [branch, out], out.result))))
    assert run(1, 2, True) == (1, 2) and run(1, 2, False) == (2, 1)


def test_carried_value_only_the_result_reads():
    i, last, other = Var("i"), Var("v"), Var("v")
    r, s = Var("v"), Var("v")
    items = call(range, 3)
    loop = For((r, s), items.result, (Const(7), Const(8)), Block((i, last, other), (), Continue((i, i))))
    out = call(ops.build_tuple, r, s)
    run = load(emit(program(function("f", [], [items, loop, out], out.result))))
    assert run() == (2, 2)


def test_temporaries_take_the_name_they_flow_into():
    c, r = Var("c"), Var("y")
    square, double = call(operator.mul, c, c), call(operator.add, c, c)
    again = call(operator.add, square.result, square.result)
    then, orelse = Block((), (square, again), Yield((again.result,))), Block((), (double,), Yield((double.result,)))
    branch = If((r,), c, then, orelse)
    text = emit(program(function("f", [c], [branch], r))).source
    assert text == (
        "def f(c):\n    if c:\n        t = c * c\n        y = t + t\n    else:\n        y = c + c\n    return y\n"
    )
