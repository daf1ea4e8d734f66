"""Control flow reads as one writes it; comments name the source of adjoints."""

import operator

import numpy as np

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Const, If, Raise, Unreachable, Var, Yield
from tests.backend.printing import body_of, call, function, program


def place(line, file="model.py"):
    return Place(file, line, 0, line, 1)


def test_comments_and_accumulation(tmp_path):
    file = tmp_path / "model.py"
    file.write_text("r = x @ w - y\nloss = np.sum(r ** 2)\n")
    lines = [place(1, str(file)), place(2, str(file))]
    x, w, y = Var("x"), Var("w"), Var("y")
    product = call(operator.matmul, x, w, place=lines[0])
    r = call(operator.sub, product.result, y, name="r", place=lines[0])
    r_bar = call(operator.mul, 2.0, r.result, name="r_bar", place=lines[1], role="adjoint")
    t = call(np.ndarray.T, x, place=lines[0], role="adjoint")
    w_bar = call(operator.matmul, t.result, r_bar.result, name="w_bar", place=lines[0], role="adjoint")
    f = function("loss_grad", [w, x, y], [product, r, r_bar, t, w_bar], w_bar.result)
    assert emit(program(f)).source == (
        "def loss_grad(w, x, y):\n"
        "    r = x @ w - y\n"
        "    # loss = np.sum(r ** 2)                       model.py:2\n"
        "    r_bar = 2.0 * r\n"
        "    # r = x @ w - y                               model.py:1\n"
        "    return x.T @ r_bar\n"
    )


def test_early_return_of_a_raise():
    x = Var("x")
    r = Var("")
    test = call(operator.lt, x, 0)
    branch = If((r,), test.result, Block((), (), Raise(Const(ValueError("neg")))), Block((), (), Yield((x,))))
    text = body_of(test, branch, params=(x,), value=r)
    assert text == "def f(x):\n    if x < 0:\n        raise ValueError('neg')\n    return x\n"


def test_both_branches_leave():
    x = Var("x")
    branch = If(
        (), x, Block((), (), Raise(Const(ValueError("a")))), Block((), (), Raise(Const(KeyError("b"))))
    )
    f = function("f", [x], [branch], Const(None))
    f = type(f)(f.name, f.params, (), Block((), (branch,), Unreachable()), f.signature)
    assert emit(program(f)).source == (
        "def f(x):\n    if x:\n        raise ValueError('a')\n    raise KeyError('b')\n"
    )


def test_recorded_predicates_stay_a_chain():
    """Deep elif chains whose tests are kept for the reverse sweep: `elif (p := …)`."""
    x = Var("x")
    depth = 200
    kept = [Var("p") for _ in range(depth)]

    def chain(k):
        test = Call(kept[k], Const(operator.gt), (x, Const(k)))
        out = Var("y"), Var("q")
        if k + 1 == depth:
            rest = Block((), (), Yield((x, Const(None))))
        else:
            statements, inner = chain(k + 1)
            rest = Block((), statements, Yield(inner))
        then = Block((), (), Yield((Const(k), kept[k])))
        return (test, If(out, kept[k], then, rest)), out

    statements, (y, q) = chain(0)
    pair = call(ops.build_tuple, y, q)
    emitted = emit(program(function("f", [x], [*statements, pair], pair.result)))
    assert "elif (" in emitted.source
    assert max(len(line) - len(line.lstrip()) for line in emitted.source.split("\n")) <= 8
    assert load(emitted)(3.5) == (0, True) and load(emitted)(-1) == (-1, None)


def test_nothing_after_return():
    f = function("f", [Var("x")], [], Const(None))
    assert emit(program(f)).source == "def f(x):\n    return\n"
