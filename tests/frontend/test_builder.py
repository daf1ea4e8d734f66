"""The builder undoes what a branch bound, and says where nodes stand."""

import operator

import gast
import numpy as np

import adcompile as ad
from adcompile.errors import Place
from adcompile.frontend.builder import UNBOUND, Builder, Unit, place_of
from adcompile.frontend.scopes import Scopes
from adcompile.ir import ops
from adcompile.ir.nodes import Const, If

TEXT = "def f(x):\n    y = x\n    return len(y)"
TREE, CODE = gast.parse(TEXT), compile(TEXT, "file.py", "exec")


def builder():
    scopes = Scopes()
    return Builder(Unit("file.py", {"len": 1}, scopes, CODE), scopes.of(TREE.body[0]), ())


def test_scoped_bindings_are_undone():
    b = builder()
    b.bind("x", Const(1))

    def inside():
        b.bind("x", Const(2))
        b.bind("y", Const(3))
        b.call(operator.add, Const(1), Const(2), node=TREE.body[0])
        return b.value_of("x").value, b.value_of("y").value

    statements, values = b.scoped(inside)
    assert values == (2, 3) and len(statements) == 1
    assert b.value_of("x").value == 1 and b.value_of("y") is UNBOUND
    assert b.statements == []


def test_globals_are_loaded_and_locals_are_not():
    b = builder()
    assert b.load("y", TREE.body[0]) is UNBOUND
    b.load("len", TREE.body[0])
    read, call = b.statements
    assert read.fn.value is ops.read and read.args[0] is UNBOUND and read.args[1].value == "y"
    assert call.fn.value is ops.load_global and call.args[0].value.namespace == {"len": 1}
    assert not b.is_builtin(gast.Name("len", gast.Load(), None, None), "len")  # the module has its own


def test_choice_joins_names():
    b = builder()
    b.bind("x", Const(1))

    def rebind():
        b.bind("x", Const(2))
        return Const("then")

    value = b.choice(Const(True), rebind, lambda: Const("else"), ["x"], TREE.body[0], "v")
    (statement,) = b.statements
    assert isinstance(statement, If) and statement.results == (value, b.value_of("x"))


def test_places():
    assert place_of("file.py", TREE.body[0].body[0]) == Place("file.py", 2, 4, 2, 9)
    assert place_of("file.py", gast.Load()) is None


evaluations, latest = 0, 0.0
X = np.array([1.13, 1.37, 0.71])


def counts_evaluations(x):
    global evaluations, latest
    evaluations += 1
    latest = x[0] * evaluations
    return latest * x[1]


def test_names_of_a_module_are_put_back_by_pullbacks_and_left_by_forward_mode():
    before = evaluations, latest
    for _ in range(2):
        assert ad.grad(counts_evaluations)(X).tolist() == [X[1], X[0], 0.0]
        assert (evaluations, latest) == before
    _, pullback = ad.vjp(counts_evaluations, X)
    assert (evaluations, latest) == (before[0] + 1, X[0])
    for _ in range(2):
        assert pullback(1.0)[0].tolist() == [X[1], X[0], 0.0]
        assert (evaluations, latest) == before
    ad.jvp(counts_evaluations, (X,), (X,))
    assert (evaluations, latest) == (before[0] + 1, X[0])
    globals().update(evaluations=before[0], latest=before[1])
