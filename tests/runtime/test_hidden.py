"""Numbers in what is one thing to a derivative."""

import functools
from array import array
from collections import Counter, deque
from types import MappingProxyType

import numpy as np
import pytest

from adcompile import tangents
from adcompile.runtime.hidden import hides, holder, is_array_of_numbers

X = np.array([1.0, 2.0])


class Plain:
    def __init__(self, a):
        self.a = a

    def method(self):
        return self.a


class Numbers(list):
    pass


class Length(float):
    pass


class Declared:
    def __iter__(self):
        return iter((1.0,))


HIDING = [
    X.astype(object), np.array([X, None], object), {1.0}, frozenset((X[0],)), iter([1.0]), (v for v in X), X.flat,
    zip(X, X), {"a": 1.0}.values(), Counter(a=1.0), MappingProxyType({"a": 1.0}), array("d", X), X.sum,
    Plain(1.0).method, functools.partial(np.add, X), Numbers((1.0,)), Length(1.0), np.ma.masked_array(X),
    np.zeros(2, [("a", float)]), np.zeros(1, [("a", float)])[0], Plain({1.0}), [2.0, (X.astype(object),)],
    deque([{1.0}]),
]  # fmt: skip
SEEN = [
    1.0, X, None, 3, "text", b"bytes", range(3), np.arange(3), np.array(["a"]), np.array(["a", None, 2], object),
    {1, 2}, [1.0, {"a": X}], deque([1.0]), Plain(X), Plain, np, np.sin, X.dtype, {"a": 1}.keys(), Counter("aab"),
    np.random.default_rng(0), lambda: X, Numbers((1,)), Declared(), np.zeros(2, [("a", int)]), (1, 2),
]  # fmt: skip


@pytest.mark.parametrize("value", HIDING, ids=lambda v: type(v).__name__)
def test_numbers_that_no_tangent_reaches(value):
    assert hides(value)


@pytest.mark.parametrize("value", SEEN, ids=lambda v: type(v).__name__)
def test_the_others_hide_nothing(value):
    assert not hides(value)


def test_what_hides_them_is_found():
    boxes, cycle = X.astype(object), []
    cycle += [cycle, {"a": (boxes,)}]
    assert holder(cycle) is boxes
    boxes[0] = cycle
    assert holder(cycle) is boxes


def test_what_a_class_is_declared_to_be_made_of_hides_nothing():
    class Bag(set):
        pass

    assert hides(Bag((1.0,)))
    tangents.register(Bag)
    assert not hides(Bag((1.0,)))


def test_arrays_of_numbers():
    assert is_array_of_numbers(np.array([1.0, 2, None, True, X[0]], object))
    assert not any(is_array_of_numbers(np.array([1.0, item], object)) for item in (1j, "a", X, [1.0]))
