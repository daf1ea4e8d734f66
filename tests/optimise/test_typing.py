"""Types of atoms and of arithmetic."""

import operator

import numpy as np
import pytest

from adcompile.ir.abstract import type_of as type_of_value
from adcompile.ir.nodes import Const, Var
from adcompile.ir.types import FLOAT, UNKNOWN, Array, Instance, Known, TupleT, scalar
from adcompile.optimise.typing import (
    agree,
    arithmetic,
    const_key,
    definite,
    inexact,
    is_immutable,
    is_real,
    precision,
    rank,
    same_atom,
    type_of,
)

VALUES = [
    *(2, 1.5, 1 + 2j, True, np.float64(1.5), np.float32(1.5), np.int64(3), np.complex64(1j)),
    *(np.ones(3), np.ones((1, 3), np.float32), np.ones((2, 1)), np.ones(()), np.ones(3, complex), np.arange(3)),
]


@pytest.mark.parametrize("fn", [operator.add, operator.mul, operator.sub])
def test_arithmetic_has_the_type_of_its_result(fn):
    for a in VALUES:
        for b in VALUES:
            expected = type_of_value(fn(a, b))
            found = arithmetic(fn, (type_of_value(a), type_of_value(b)))
            assert found == expected or found == UNKNOWN or agree(found, expected), (a, b)


def test_agreement():
    many, any_ = Array(np.dtype(float), ("many",)), Array(np.dtype(float), ("any",))
    assert agree(many, many) and agree(many, any_)
    assert not agree(many, Array(np.dtype(float), ("one",)))
    assert not agree(many, Array(np.dtype(np.float32), ("many",)))
    assert not agree(FLOAT, scalar(np.float64)) and agree(Known(1.5), FLOAT)
    assert not agree(UNKNOWN, UNKNOWN)


def test_literals_are_told_apart():
    keys = {const_key(Const(v)) for v in (0.0, -0.0, 0, False, 0j, "0", None)}
    assert len(keys) == 7
    assert same_atom(Const(float("nan")), Const(float("nan")))
    x = Var("x")
    assert same_atom(x, x) and not same_atom(x, Var("x"))


def test_predicates():
    vector = Array(np.dtype(float), ("many",))
    assert is_immutable(FLOAT) and is_immutable(TupleT((FLOAT,))) and is_immutable(Instance(str))
    assert not is_immutable(vector) and not is_immutable(TupleT((vector,))) and not is_immutable(UNKNOWN)
    assert inexact(vector) and not inexact(scalar(int, float)) and not inexact(Known(True))
    assert is_real(vector) and not is_real(scalar(float, complex))
    assert definite(vector) and not definite(Array(np.dtype(float), ("any",))) and not definite(UNKNOWN)
    assert rank(vector) == 1 and rank(FLOAT) == 0 and rank(UNKNOWN) is None
    assert precision(vector) == 8 and precision(scalar(np.float32)) == 4 and precision(scalar(np.complex64)) == 4


def test_atoms():
    x = Var("x")
    assert type_of(x, {x: FLOAT}) == FLOAT and type_of(x, {}) == UNKNOWN
    assert type_of(Const(2), {}) == Known(2) and type_of(Const(np.ones(2)), {}) == Array(np.dtype(float), ("many",))
