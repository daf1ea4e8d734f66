"""The grammar: nodes are frozen, values are compared by identity."""

import dataclasses

import pytest

from adcompile.ir import nodes
from adcompile.ir.nodes import Block, Call, Const, If, Return, Var, Yield

CLASSES = [c for c in vars(nodes).values() if dataclasses.is_dataclass(c) and c.__module__ == nodes.__name__]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_nodes_cannot_be_written(cls):
    required = [f for f in dataclasses.fields(cls) if f.default is f.default_factory is dataclasses.MISSING]
    node = cls(*(None for _ in required))
    for field in dataclasses.fields(cls):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
            setattr(node, field.name, 1)
    with pytest.raises((AttributeError, TypeError)):
        node.fact = 1  # facts are maps keyed by value, never attributes


def test_values_are_points():
    assert Var("x") != Var("x")
    assert len({Var("x"), Var("x")}) == 2


def test_replacing_makes_a_new_node():
    x, y = Var("x"), Var("y")
    block = Block((), (), Yield((x,)))
    branch = If((y,), Const(True), block, block)
    other = dataclasses.replace(branch, orelse=Block((), (), Yield((y,))))
    assert branch.orelse is block
    assert other.then is block


def test_the_role_of_statements_is_primal_unless_said():
    assert Call(Var("y"), Const(abs)).role == "primal"


def test_the_docstring_names_every_node():
    for cls in (Call, If, Block, Return, *CLASSES):
        assert cls.__name__ in nodes.__doc__ or cls.__doc__
