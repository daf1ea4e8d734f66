"""What values consist of, and walks over them; the laws that build on it are in tests/test_tangents.py."""

import collections
import types
import typing

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import NotDifferentiable
from adcompile.runtime.structure import (
    GO,
    InPlace,
    Survey,
    Walk,
    defines_operators,
    has_tangent,
    is_immutable,
    is_namedtuple_class,
    parts_of,
    row_of_parts,
)

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


class Named(typing.NamedTuple):
    a: float
    b: float = 1.0

    def __add__(self, other):
        return Named(self.a + other.a)

    def norm(self):
        return abs(self.a)


class More(Pair):
    def sum(self):
        return self.a + self.b


class Doubled(Pair):
    def __new__(cls, a, b):
        return super().__new__(cls, 2 * a, b)


class Hidden(Pair):
    @property
    def a(self):
        return 5 * self[0]


class OtherItems(Pair):
    def __getitem__(self, k):
        return 3 * tuple.__getitem__(self, k)


class OtherOrder(Pair):
    def __iter__(self):
        return iter((self[1], self[0]))


class Counted(Pair):
    def __init__(self, a, b):
        self.count = 2


class Empty(Pair):
    def __bool__(self):
        return False


def test_records_are_what_their_fields_hold():
    assert all(map(is_namedtuple_class, (Pair, Named, More)))
    others = (tuple, list, Box, Doubled, Hidden, OtherItems, OtherOrder, Counted, Empty)
    assert not any(map(is_namedtuple_class, others))
    assert defines_operators(Named) and not defines_operators(More)


@pytest.mark.parametrize("cls", [Doubled, Hidden, OtherItems, OtherOrder, Counted, Empty])
def test_what_a_subclass_changes_is_refused(cls):
    f = {Counted: lambda x: cls(x, x).count * x * cls(x, x).a, Empty: lambda x: x if cls(x, x) else cls(x, x).a * x}
    for g in (f.get(cls, lambda x: cls(x, x).a * x), f.get(cls, lambda x: sum(cls(x, x * x)))):
        for derivative in (lambda: ad.grad(g)(1.5), lambda: ad.jvp(g, (1.5,), (1.0,))):
            with pytest.raises(ad.AdcompileError, match=r"test_structure\.py"):
                derivative()
