"""Values of every structure for tests of tangents: strategies, and the classes they use."""

import collections
import dataclasses
import enum

import numpy as np
from hypothesis import strategies as st

Pair = collections.namedtuple("Pair", "a b")


class Plain:
    """An object whose constructor must not run for a tangent."""

    kind = "shared by all"

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("x", "y", "__weakref__")


class Base:
    __slots__ = ("a",)


class Derived(Base):
    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def total(self):
        raise AssertionError("properties are no parts")


@dataclasses.dataclass
class Model:
    w: object
    n: int = 3
    rest: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: object
    label: str = "f"

    def __post_init__(self):
        assert self.label == "f"


class Colour(enum.Enum):
    RED = 1.5


def closure_over(*values):
    first, rest = values[0], values[1:]

    def closure(x):
        return first, rest, x

    return closure


def slotted(x, y=None):
    value = Slotted()
    value.x = x
    if y is not None:  # y may be missing
        value.y = y
    return value


inexact = st.sampled_from(["f2", "f4", "f8", "g", "c8", "c16", "G"])
arrays = st.builds(
    lambda shape, dtype, order: np.arange(1, 1 + np.prod(shape)).reshape(shape, order=order).astype(dtype),
    st.lists(st.integers(0, 3), max_size=3),
    inexact,
    st.sampled_from("CF"),
)
numbers = st.one_of(
    st.floats(-4, 4, width=16),
    st.builds(complex, st.floats(-4, 4, width=16)),
    st.builds(np.float32, st.integers(0, 3)),
    st.builds(np.float64, st.integers(0, 3)),
    st.builds(np.complex64, st.integers(0, 3)),
    st.just(np.longdouble(2)),
    st.just(np.float16(2)),
)
inert = st.sampled_from([3, True, None, "text", np.int64(3), np.arange(3), len, np, float, Colour.RED, slice(2), {1.0}])


def structured(parts):
    some = st.lists(parts, max_size=3)
    keys = st.lists(st.sampled_from("abcd"), unique=True, max_size=3)
    return st.one_of(
        some,
        some.map(tuple),
        some.map(collections.deque),
        keys.flatmap(lambda ks: st.fixed_dictionaries({k: parts for k in ks})),
        keys.flatmap(lambda ks: st.fixed_dictionaries({k: parts for k in ks}).map(collections.OrderedDict)),
        st.builds(Pair, parts, parts),
        st.builds(Plain, a=parts, b=parts),
        st.builds(slotted, parts, st.one_of(st.none(), parts)),
        st.builds(Derived, parts, parts),
        st.builds(Model, parts, st.integers(), parts),
        st.builds(Frozen, parts),
        st.builds(closure_over, parts, parts),
        st.builds(lambda p, q: [p, q, p], parts, parts),  # one thing twice
        arrays.map(lambda a: [a, a.T, a[..., ::-1] if a.ndim else a, a]),
    )


@st.composite
def cyclic(draw, parts):
    value = draw(st.sampled_from([list, Plain]))()
    inner = [draw(parts), value, (value, draw(parts))]
    if isinstance(value, list):
        value.extend(inner)
    else:
        value.a, value.b, value.c = inner
    return value


trees = st.recursive(st.one_of(arrays, numbers, inert), lambda p: st.one_of(structured(p), cyclic(p)), max_leaves=8)
