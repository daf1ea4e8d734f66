"""What classes say of their attributes."""

import enum
import functools

from adcompile.analysis.said import getters, is_bound, is_of_members, is_special, sets_attribute


class A:
    data = 1.0

    def __init__(self):
        self.own = 2.0

    def by_name(self, name):
        setattr(self, name, 3.0)

    @property
    def computed(self):
        return 1.0

    @functools.cached_property
    def once(self):
        return 2.0


class Colour(enum.Enum):
    RED = 1


def test_who_computes_an_attribute():
    assert getters(A, "computed") == [A.computed.fget]
    assert getters(A, "once") == [functools.cached_property.__get__]
    assert getters(A, "data") == [] == getters(A, "missing")


def test_what_is_bound_and_what_is_set():
    assert is_bound(A.by_name) and is_special(A.by_name) and not is_special(A.data) and not is_bound(A().by_name)
    assert sets_attribute(A.__init__, "own") and not sets_attribute(A.__init__, "data")
    assert sets_attribute(A.by_name, "whatever")


def test_what_each_member_has():
    assert is_of_members(Colour, "value") and not is_of_members(Colour, "shade")
