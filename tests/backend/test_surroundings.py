"""What another process could compare."""

import abc
import collections
import decimal
import functools
import math
import os
import threading
import types

import numpy as np
import pytest

from adcompile.backend import surroundings
from adcompile.backend.surroundings import Surroundings, Untold

GLOBAL = 3


def uses(x):
    return x**GLOBAL + math.sin(x)


def digest(*roots):
    return Surroundings(*roots).digest


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Held:
    def __init__(self, a):
        self.a = a


PAIRS = [
    (1, 2),
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    (1j, 1.0),
    ("a", b"a"),
    (None, 0),
    ([1, 2], (1, 2)),
    ([1, 2], [2, 1]),
    ([[1], 2], [[1, 2]]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (collections.OrderedDict(a=1), {"a": 1}),
    ({1, 2}, {1, 3}),
    (frozenset({int}), frozenset({float})),
    (np.float32(1), np.float64(1)),
    (np.ones(3), np.ones((3, 2))),
    (np.ones(3), np.ones(1)),
    (np.ones(3), np.ones(3, np.float32)),
    (np.dtype("f8"), np.dtype("f4")),
    (np.sin, np.cos),
    (math.sin, math.cos),
    (len, abs),
    (functools.partial(pow, 2), functools.partial(pow, 3)),
    (functools.partial(pow, exp=2), functools.partial(pow, mod=2)),
    (slice(1), slice(2)),
    (range(3), range(4)),
    (Slotted(1), Slotted(2)),
    (Held(1), Held(2)),
    (Held(1), Slotted(1)),
    (decimal.Decimal("1.5"), decimal.Decimal("2.5")),
    (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})),
    (ValueError("a"), ValueError("b")),
    ([1].append, [2].append),
    (Held(1).__init__, Held(2).__init__),
    (lambda x: x + 1, lambda x: x + 2),
    (int, float),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=[f"{type(a).__name__}-{k}" for k, (a, _) in enumerate(PAIRS)])
def test_what_differs_is_told_apart(one, other):
    assert digest(one) == digest(one)
    assert digest(one) != digest(other)


def test_elements_of_arrays_and_the_order_of_hashes_say_nothing():
    assert digest(np.zeros(3)) == digest(np.ones(4))
    assert digest({"b", "a", "c"}) == digest({"c", "a", "b"})
    assert digest(np.random.default_rng(1)) == digest(np.random.default_rng(2))


def test_what_holds_itself():
    items = [1]
    items.append(items)
    again = [1]
    again.append(again)
    assert digest(items) == digest(again) != digest([1, [1]])


def test_names_that_code_reads(monkeypatch):
    before = digest(uses)
    met = Surroundings(uses)
    assert (id(globals()), "GLOBAL") in met.read and (id(vars(math)), "sin") in met.read
    monkeypatch.setitem(globals(), "GLOBAL", 4)
    assert digest(uses) != before
    monkeypatch.undo()
    assert digest(uses) == before
    monkeypatch.setattr(math, "sin", math.cos)
    assert digest(uses) != before


def test_what_is_registered_matters_where_it_may_be_met():
    before = digest(uses)
    assert Surroundings(uses, beside=[(np.sinc, 1)]).digest == Surroundings(uses, beside=[(np.hypot, 2)]).digest
    one, other = (Surroundings(uses, beside=[(math.sin, k)]).digest for k in (1, 2))
    assert len({before, one, other}) == 3


def test_what_nobody_can_tell():
    with pytest.raises(Untold):
        Surroundings(np.array([None]))
    with pytest.raises(Untold):
        Surroundings(x for x in ())
    with pytest.raises(Untold):
        Surroundings({Held(1), Held(2)})
    with pytest.raises(Untold, match="more than"):
        Surroundings([[k] for k in range(surroundings.LIMIT + 1)])


def test_locks_say_nothing():
    assert digest(threading.Lock()) == digest(threading.Lock())


def test_texts_are_told_apart_by_identity_and_name_what_they_format():
    one, same, other = "".join(["a", "b"]), "".join(["a", "b"]), "".join(["a", "b"])
    assert digest([one, one]) != digest([one, same]) == digest([same, other])
    assert digest("{0.GLOBAL}", uses) != digest("{0}", uses)


def test_what_is_registered_with_abstract_classes_cannot_be_told():
    class Base(abc.ABC):
        @abc.abstractmethod
        def weigh(self, x): ...

    for cls in (Base, os.PathLike, collections.UserDict):
        with pytest.raises(Untold, match="an abstract class"):
            Surroundings(cls)
    assert digest(collections.abc.Sized) == digest(collections.abc.Sized)
