"""What lists, dicts, sets and objects hold, taken down and put back."""

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field

import numpy as np
import pytest

import adcompile as ad
from adcompile import runtime as rt
from adcompile.errors import Unsupported
from adcompile.runtime.objects import is_of_attributes


@dataclass
class Point:
    x: float
    held: list = field(default_factory=list)


class Computed:
    y = property(lambda self: 3.0)


class Slotted:
    __slots__ = ("a", "b")


def test_build_object_calls_nothing_of_the_class():
    made = rt.build_object(Point, ("x",), 3.0)
    assert type(made) is Point and vars(made) == {"x": 3.0}
    slotted = rt.build_object(Slotted, ("a",), 1)
    assert slotted.a == 1 and not hasattr(slotted, "b")
    computed = rt.build_object(Computed, ("y",), 2.0)
    assert vars(computed) == {"y": 2.0} and rt.held_by(computed, "y") == 2.0 and computed.y == 3.0


def test_arrays_are_put_back_wherever_they_are_by_then():
    a, fixed = np.array([1.0, 2.0]), np.zeros(2)
    fixed.flags.writeable = False
    items = [a, (fixed, {"again": a})]
    taken = rt.take_down_arrays(items)
    items.clear()
    a += 1.0
    rt.put_back(taken)
    assert items == [] and np.all(a == [1.0, 2.0])


def test_what_is_put_back_is_the_same_object():
    inner, q, raw = [1, 2], deque([1, 2], maxlen=2), bytearray(b"ab")
    counts, table = Counter("aab"), OrderedDict(b=1, a=2)
    d, s = {"q": q, "t": (inner, [raw, counts]), "d": table}, {1, 2}
    taken = rt.take_down(d, s)
    inner.append(3)
    q.append(3)
    raw[0] = 66
    counts.update("c")
    counts["a"] = -1
    table.move_to_end("b")
    d["n"], d["q"] = 1, None
    s.clear()
    for _ in range(2):
        rt.put_back(taken)
        assert d == {"q": q, "t": (inner, [raw, counts]), "d": table} and d["q"] is q and d["t"][0] is inner
        assert inner == [1, 2] and q == deque([1, 2]) and q.maxlen == 2 and s == {1, 2} and raw == b"ab"
        assert counts == {"a": 2, "b": 1} and list(table) == ["b", "a"]


def test_refill():
    xs, d, o = [1, 2], {"a": 1}, Slotted()
    o.a = 1
    rt.refill(xs, [3])
    rt.refill(xs, xs)
    rt.refill(d, {"b": 2})
    rt.refill(o, rt.build_object(Slotted, ("b",), 2))
    assert xs == [3] and d == {"b": 2} and o.b == 2 and not hasattr(o, "a")


def test_different():
    a, b = [1], [1]
    rt.different(a, b)
    with pytest.raises(Unsupported, match="passed twice"):
        rt.different(a, b, a)


def test_plain_classes():
    assert is_of_attributes(Point) and is_of_attributes(Slotted)
    assert not any(map(is_of_attributes, (list, dict, int, type, object, ValueError, type("L", (list,), {}))))


def test_held_by_asks_no_class():
    class Hidden:
        x = property(lambda self: 1)

        def __getattribute__(self, name):
            raise AssertionError

    made = rt.build_object(Hidden, ("y",), 2.0)
    assert rt.held_by(made, "y") == 2.0


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def test_attributes_are_put_back_in_their_order():
    o = Pair(1.0, 2.0)
    for names in (("b", "a"), ("c", "b", "a"), ("b",), ("b", "a", "c"), ("a", "b")):
        rt.refill(o, rt.build_object(Pair, names, *names))
        assert list(vars(o).items()) == [(n, n) for n in names]


@pytest.mark.parametrize("k", [0, 1, 2])
def test_an_attribute_that_is_deleted_and_set_again_is_the_last(k):
    def f(x, o, k):
        for _ in range(k):
            del o.a
            o.a = x * x
        return o.a * o.b

    plain = Pair(2.0, 3.0)
    f(0.5, plain, k)
    forward, backward = Pair(2.0, 3.0), Pair(2.0, 3.0)
    ad.jvp(f, (0.5, forward, k), (1.0, None, None))
    _, pullback = ad.vjp(f, 0.5, backward, k)
    assert list(vars(forward).items()) == list(vars(backward).items()) == list(vars(plain).items())
    pullback(1.0)
    assert list(vars(backward).items()) == [("a", 2.0), ("b", 3.0)]
