"""Frozen records say and do what `dataclasses` makes of the same class."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest

from adcompile.frozen import frozen, replaced


@frozen
class Point:
    """Where."""

    x: int
    y: Any = 2

    def moved(self) -> Point:
        return dataclasses.replace(self, x=self.x + 1)


@frozen
class Named(Point):
    names: list[str] = field(default_factory=list, compare=False, repr=False)
    exact: bool = field(kw_only=True)


@frozen
class Nothing:
    pass


@frozen(eq=False)
class Itself:
    self: int
    after: list[int] = field(default_factory=list)

    def __post_init__(this) -> None:
        this.after.append(this.self)


@dataclass(frozen=True, slots=True)
class Twin:
    """Where."""

    x: int
    y: Any = 2


def test_made_compared_and_printed_as_dataclasses_are():
    assert Point(1) == Point(1, 2) == Point(y=2, x=1) != Point(2)
    assert hash(Point(1)) == hash(Point(1, 2)) and {Point(1): 3}[Point(1, 2)] == 3
    assert Point(1) != Twin(1) and Nothing() == Nothing() and Nothing() != Itself(1)
    assert repr(Point(1)) == repr(Twin(1)).replace("Twin", "Point")
    assert Point.__doc__ == Twin.__doc__ and Point.__match_args__ == Twin.__match_args__
    assert [f.name for f in dataclasses.fields(Point)] == [f.name for f in dataclasses.fields(Twin)]
    nan = float("nan")
    assert Point(1, nan) == Point(1, nan), "what is identical is equal, as in tuples"
    assert Itself(1) != Itself(1) and Itself(4).after == [4]


def test_fields_of_bases_defaults_and_keywords():
    a = Named(1, 5, exact=True)
    assert (a.x, a.y, a.names, a.exact) == (1, 5, [], True)
    assert Named(1, exact=False).names is not Named(1, exact=False).names
    assert Named(1, 2, ["a"], exact=True) == Named(1, 2, ["b"], exact=True) != Point(1, 2)
    assert repr(a) == "Named(x=1, y=5, exact=True)"
    assert a.moved() == Named(2, 5, exact=True)
    for wrong in (lambda: Named(1, 2, [], True), lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, z=2)):
        with pytest.raises(TypeError, match="__init__"):
            wrong()


@pytest.mark.parametrize("one", [Point(1), Named(1, exact=True)], ids=["own", "inherited"])
def test_nothing_changes(one: Any):
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 3
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    with pytest.raises(FrozenInstanceError):
        one.other = 3
    assert not hasattr(one, "__dict__") and one.x == 1


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_equal(again: Any):
    assert again(Named(1, [2], ["n"], exact=True)) == Named(1, [2], exact=True)
    assert again(Named(1, [2], ["n"], exact=True)).names == ["n"]
    assert again(Nothing()) == Nothing()


def test_what_contains_itself_is_printed():
    items: list[Any] = []
    one = Point(1, items)
    items.append(one)
    assert repr(one) == "Point(x=1, y=[...])"
    match one:
        case Point(1, [other]):
            assert other is one
        case _:
            pytest.fail("patterns read __match_args__")


def test_the_first_records_are_made_as_all_others_are():
    @frozen
    class Fresh:
        x: int
        more: list[int] = field(default_factory=list)
        named: int = field(default=3, kw_only=True)

    @frozen
    class Strict:
        x: int

    made = [(k.x, k.more, k.named) for k in (Fresh(x, named=x % 2) for x in range(20))]
    assert made == [(x, [], x % 2) for x in range(20)]
    assert Fresh(1, [2]).named == 3 and Fresh(1).more is not Fresh(1).more
    for _ in range(2):  # then it is compiled
        for given, named in (((), {}), ((1, 2), {}), ((1,), {"x": 2}), ((1,), {"y": 2})):
            with pytest.raises(TypeError, match=r"__init__\(\)"):
                Strict(*given, **named)


def test_another_record_with_changes():
    before = Named(1, 2, ["a"], exact=True)
    after = replaced(before, y=5, exact=False)
    assert after == dataclasses.replace(before, y=5, exact=False) and after.names is before.names
    with pytest.raises(TypeError):
        replaced(before, z=1)
