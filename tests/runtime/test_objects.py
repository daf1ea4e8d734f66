"""What plain objects consist of, and what is never taken apart."""

import dataclasses
import enum
import logging
import threading

import numpy as np
import pytest

from adcompile.runtime.objects import attributes, blank, captured, is_plain, set_attribute, slots, with_captured


class Plain:
    shared = [1]

    def __init__(self, x):
        self.x = x

    @property
    def double(self):
        return 2 * self.x


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Mixed(Slotted):
    __slots__ = ("c", "__dict__")

    def __init__(self, a, c, d):
        super().__init__(a)
        self.c, self.d = c, d


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: float
    y: float = 2.0

    def __post_init__(self):
        assert self.x > 0


class Colour(enum.Enum):
    RED = 1


class Guarded:
    def __setattr__(self, name, value):
        raise AssertionError("not called")


PLAIN = [Plain(1), Slotted(1), Mixed(1, 2, 3), Frozen(1.0), Guarded()]


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: type(v).__name__)
def test_plain(value):
    assert is_plain(value)


@pytest.mark.parametrize(
    "value",
    [1, 2.0, "s", None, (), [], {}, np.ones(2), np.random.default_rng(0), Plain, np, len, test_plain, Plain(1).__init__]
    + [Colour.RED, logging.getLogger("x"), threading.Lock(), object(), np.float64(1), iter([1]), slice(3), np.sin],
    ids=lambda v: type(v).__name__,
)
def test_opaque(value):
    assert not is_plain(value)


def test_attributes_are_those_of_the_instance():
    assert attributes(Plain(3)) == {"x": 3}
    assert attributes(Slotted(3)) == {"a": 3}
    assert attributes(Mixed(1, 2, 3)) == {"a": 1, "c": 2, "d": 3}
    assert attributes(Frozen(1.0)) == {"x": 1.0, "y": 2.0}
    assert set(slots(Mixed)) == {"a", "b", "c"}


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: type(v).__name__)
def test_made_again_of_its_attributes(value):
    new = blank(type(value))
    assert attributes(new) == {}
    for name, item in attributes(value).items():
        set_attribute(new, name, item)
    assert type(new) is type(value)
    assert attributes(new) == attributes(value)


def test_closures_are_made_again_with_other_captures():
    def outer(x, y):
        def inner(z, k=3, *, m=4):
            return x + y * z + k + m

        return inner

    f = outer(1.0, 2.0)
    assert captured(f) == {"x": 1.0, "y": 2.0}
    g = with_captured(f, {"x": 10.0, "y": 2.0})
    assert (f(1), g(1), g(1, m=5)) == (10.0, 19.0, 20.0)
    assert captured(len.__class__ and test_plain) == {}


def test_unbound_cells_stay_unbound():
    def outer():
        def inner():
            return late

        found = captured(inner), with_captured(inner, {})
        late = 1.0
        return (*found, inner)

    items, other, inner = outer()
    assert items == {}
    with pytest.raises(NameError):
        other()
    assert inner() == 1.0
