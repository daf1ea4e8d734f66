"""The builder undoes what a branch bound, and says where nodes stand."""

import operator

import gast

from adcompile.errors import Place
from adcompile.frontend.builder import UNBOUND, Builder, Unit, place_of
from adcompile.frontend.scopes import Scopes
from adcompile.ir import ops
from adcompile.ir.nodes import Const, If

TREE = gast.parse("def f(x):\n    y = x\n    return len(y)")


def builder():
    scopes = Scopes()
    return Builder(Unit("file.py", {"len": 1}, scopes), scopes.of(TREE.body[0]), ())


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
    assert read.fn.value is ops.read and read.args == (UNBOUND,)
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
