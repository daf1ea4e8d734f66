"""Abstract types: joins are least upper bounds, and hold every value they are joined from."""

import itertools

import numpy as np
import pytest

from adcompile.ir.abstract import type_of
from adcompile.ir.types import (
    FLOAT,
    NEVER,
    UNKNOWN,
    Array,
    DictT,
    Known,
    ListT,
    Maybe,
    Scalar,
    Seq,
    TupleT,
    array_type,
    differentiable,
    dim_of,
    is_complex,
    join,
    widen,
)

VALUES = [
    0.5,
    2,
    True,
    1j,
    np.float32(1.0),
    np.ones(3),
    np.ones((1, 2)),
    np.ones(3, np.float32),
    (0.5, 1),
    [0.5],
    {"a": 1.0},
    None,
    "s",
]
TYPES = [type_of(v) for v in VALUES] + [Seq(FLOAT), Maybe(FLOAT), UNKNOWN, NEVER]
PAIRS = list(itertools.product(TYPES, TYPES))


@pytest.mark.parametrize("t", TYPES, ids=str)
def test_laws_of_one(t):
    assert join(t, t) == t
    assert join(t, NEVER) == t == join(NEVER, t)
    assert widen(widen(t)) == widen(t)


def test_joins_commute():
    for a, b in PAIRS:
        assert join(a, b) == join(b, a), (a, b)


def test_joins_are_above_both():
    for a, b in PAIRS:
        both = join(a, b)
        assert join(both, a) == both, (a, b)
        assert join(both, b) == both, (a, b)


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3,), (1,)), ((3, 1), (2, 1)), ((3,), (3, 1))], ids=str)
def test_dimensions(shapes):
    a, b = (array_type(np.zeros(s)) for s in shapes)
    both = join(a, b)
    if len(shapes[0]) != len(shapes[1]):
        assert both.dims is None
    else:
        for dim, m, n in zip(both.dims, *shapes):
            assert dim == (dim_of(m) if dim_of(m) == dim_of(n) else "any")


def test_numbers_keep_their_classes():
    assert join(type_of(0.5), type_of(np.float64(0.5))) == Scalar(frozenset({float, np.float64}))
    assert join(Known(1), Known(2)) == Scalar(frozenset({int}))


def test_structure_is_joined_part_by_part():
    assert join(TupleT((Known(1), FLOAT)), TupleT((Known(1), FLOAT))) == TupleT((Known(1), FLOAT))
    assert join(ListT((FLOAT,)), ListT((FLOAT, FLOAT))) == Seq(FLOAT, list)
    assert join(DictT(("a",), (FLOAT,)), DictT(("a",), (FLOAT,))) == DictT(("a",), (FLOAT,))


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_differentiable_values(value):
    def inexact(v):
        if isinstance(v, (tuple, list)):
            return any(map(inexact, v))
        if isinstance(v, dict):
            return any(map(inexact, v.values()))
        return isinstance(v, (float, complex, np.inexact)) or isinstance(v, np.ndarray) and v.dtype.kind in "fc"

    assert differentiable(type_of(value)) == inexact(value)


def test_complex():
    assert is_complex(type_of(1j))
    assert is_complex(Array(np.dtype(complex), ("one",)))
    assert not is_complex(type_of(0.5))
