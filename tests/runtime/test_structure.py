"""What values consist of, and walks over them; the laws that build on it are in tests/test_tangents.py."""

import collections
import types

import numpy as np
import pytest

from adcompile.errors import NotDifferentiable
from adcompile.runtime.structure import GO, InPlace, Survey, Walk, has_tangent, is_immutable, parts_of, row_of_parts

Pair = collections.namedtuple("Pair", "a b")


class Box:
    def __init__(self, item):
        self.item = item


def test_parts():
    x = 1.0
    assert (
        parts_of((1, 2))
        == parts_of([1, 2])
        == parts_of(collections.deque([1, 2]))
        == parts_of(Pair(1, 2))
        == {0: 1, 1: 2}
    )
    assert parts_of({"k": 1}) == {"k": 1}
    assert parts_of(Box(3)) == {"item": 3}
    assert parts_of(lambda: x) == {"x": 1.0}
    for value in (1, "ab", None, {1}, len, np.ones(2), Box, np, lambda: 0, types.SimpleNamespace, range(2), b"ab"):
        assert parts_of(value) is None
    assert is_immutable(Pair(1, 2)) and not is_immutable([])


def test_survey():
    a = np.ones(2)
    inner = [1, "s"]
    value = {"a": [a], "b": inner, "c": (a, Box(2))}
    value["self"] = value
    survey = Survey(value)
    assert list(survey.arrays.values()) == [a] or survey.arrays.keys() == {id(a)}
    assert id(value) in survey.active and id(value["a"]) in survey.active
    assert id(inner) not in survey.active and id(value["c"][1]) not in survey.active
    assert has_tangent(value) and not has_tangent(inner)


def test_rows_must_match():
    assert row_of_parts(([1, 2], [3, 4]), {0: 1, 1: 2}) == [{0: 1, 1: 2}, {0: 3, 1: 4}]
    for other in ((1, 2), [1], {0: 1, 1: 2}, None):
        with pytest.raises(NotDifferentiable, match="structure"):
            row_of_parts(([1, 2], other), {0: 1, 1: 2})


def go(*_):
    return GO


def test_a_walk_copies_structure_and_aliases():
    box = Box(1.0)
    value = {
        "x": [box, (box, 2.0)],
        "q": collections.deque([1.0], maxlen=4),
        "d": collections.defaultdict(list, k=[3.0]),
    }
    value["self"] = value
    new = Walk(lambda x: x + 1.0, go).run(value)
    assert new["self"] is new and new["x"][0] is new["x"][1][0] and new["x"][0].item == 2.0
    assert new["x"][1][1] == 3.0 and list(new["q"]) == [2.0] and new["q"].maxlen == 4
    assert new["d"] == {"k": [4.0]} and new["d"].default_factory is list
    assert box.item == 1.0


def test_a_walk_in_place_keeps_what_it_can():
    inner = [1.0]
    a = np.ones(2)
    value = (inner, Pair(a, 2.0))
    walk = InPlace(lambda x: 10.0 * x, go)
    new = walk.run(value)
    assert new[0] is inner and inner == [10.0]
    assert type(new[1]) is Pair and new[1] == (a, 20.0)
    assert walk.rows == [(a,)]
    assert InPlace(lambda x: x, go).run(value) is value
