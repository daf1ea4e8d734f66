"""Statements are typed, and what is known is folded, as they are built."""

import operator

import numpy as np

from adcompile.analysis import builtins, folds, structure
from adcompile.analysis.builder import Builder, const_type, parts, rank, same_form
from adcompile.analysis.calls import new_context
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Const
from adcompile.ir.types import FLOAT, DictT, Known, ListT, TupleT

HANDLERS = (builtins, folds, structure)


def test_known_calls_leave_no_statement():
    b = Builder(new_context())
    out = b.call(operator.add, 2, 3)
    assert out == Const(5) or out.value == operator.add(2, 3)
    assert b.statements == []


def test_emitted_calls_are_typed():
    b = Builder(new_context())
    x = b.new("x", type_of(0.5))
    y = b.call(operator.mul, x, 2.0, name="y")
    assert b.type(y) == type_of(operator.mul(0.5, 2.0))
    assert [s.result for s in b.statements] == [y]


def test_items_of_what_was_built_in_sight_are_the_items():
    b = Builder(new_context())
    x, y = b.new("x", FLOAT), b.new("y", FLOAT)
    pair = b.build_tuple(x, y)
    count = len(b.statements)
    assert b.items(pair) == [x, y]
    assert b.call(operator.getitem, pair, -1) is y
    assert len(b.statements) == count


def test_parts_of_a_foreign_container_have_one_stand_in():
    b = Builder(new_context())
    pair = b.new("pair", TupleT((FLOAT, FLOAT)))
    assert b.context_items(pair) == b.context_items(pair)
    assert b.statements == []
    assert b.real(b.context_items(pair)[1]) is b.statements[-1].result


def test_forms():
    assert same_form(TupleT((FLOAT,)), TupleT((Known(1),)))
    assert not same_form(TupleT((FLOAT,)), ListT((FLOAT,)))
    assert not same_form(DictT(("a",), (FLOAT,)), DictT(("b",), (FLOAT,)))
    assert parts(const_type((1, 2.0))) == (Known(1), Known(2.0))


def test_rank():
    for value in (1.5, np.float64(2.0), np.zeros(()), np.zeros((2, 1, 3))):
        assert rank(type_of(value)) == np.ndim(value)
