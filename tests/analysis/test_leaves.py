"""Leaves of structured values: they alone are carried by loops and joined by branches."""

import math

from adcompile.analysis.leaves import deep_widen, leaf_names, leaf_types
from adcompile.ir.types import FLOAT, DictT, Known, ListT, TupleT
from tests.compiled import check, same_value

NESTED = TupleT((FLOAT, DictT(("a", "b"), (FLOAT, ListT((FLOAT, Known(2)))))))


def carried(x):
    state = (x, {"speed": 1.0, "path": [x, 0.0]})
    for _ in range(20):
        a, d = state
        state = (a + d["speed"], {"speed": d["speed"] * 0.9, "path": [a, d["path"][0]]})
    return state[0] * state[1]["path"][1]


def swapped(x, y):
    pair = (x, y)
    if x < y:
        pair = (y, x)
    return pair[0] - math.sin(pair[1])


def test_known_parts_are_no_leaves():
    assert leaf_types(NESTED) == [FLOAT, FLOAT, FLOAT]
    assert len(leaf_names("s", NESTED)) == 3
    assert len(set(leaf_names("s", NESTED))) == 3


def test_widening_reaches_inside():
    assert leaf_types(deep_widen(NESTED))[-1] != Known(2)
    assert len(leaf_types(deep_widen(NESTED))) == 4
    assert deep_widen(deep_widen(NESTED)) == deep_widen(NESTED)


def test_structures_carried_by_loops():
    check(carried, 0.7, order=2)


def test_structures_joined_by_branches():
    check(swapped, 0.3, 0.9)
    same_value(swapped, 0.9, 0.3)
