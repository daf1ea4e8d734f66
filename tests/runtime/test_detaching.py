"""Copies of results: apart from all else, aliased within as the originals are."""

import collections
import enum

import numpy as np
from hypothesis import given, settings

from adcompile.runtime.detaching import detached
from tests.runtime.test_shadows import addresses, families


class Node:
    def __init__(self, data, next=None):
        self.data, self.next = data, next


class Colour(enum.Enum):
    RED = 1


class Bag(list):
    pass


Pair = collections.namedtuple("Pair", "a b")


@settings(max_examples=150, deadline=None)
@given(families())
def test_detached_arrays_alias_each_other_alone(arrays):
    found = detached(arrays)
    for a, s in zip(arrays, found):
        assert a.dtype == s.dtype and a.shape == s.shape and a.tobytes() == s.tobytes()
        for b, t in zip(arrays, found):
            assert not np.shares_memory(s, b)
            assert (s is t) == (a is b)
            if np.shares_memory(a, b):
                expected = addresses(a).reshape(-1, 1) - addresses(b).reshape(1, -1)
                got = addresses(s).reshape(-1, 1) - addresses(t).reshape(1, -1)
                assert np.array_equal(expected == 0, got == 0)


def test_detached_containers():
    a = np.arange(4.0)
    tree = {"a": a, "row": a[1:], "l": [a, (1, a)], "p": Pair(a, 2), "s": "text"}
    tree["self"] = tree
    new = detached(tree)
    assert new["self"] is new
    assert new["l"][0] is new["a"] is new["l"][1][1] is new["p"].a
    assert type(new["p"]) is Pair
    new["row"][0] = -1.0
    assert new["a"].tolist() == [0.0, -1.0, 2.0, 3.0]
    assert a.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_detached_objects():
    node = Node(np.ones(2))
    node.next = Node(node.data, node)
    new = detached(node)
    assert new is not node and new.next.next is new and new.next.data is new.data
    assert not np.shares_memory(new.data, node.data)
    lock = np.random.default_rng(0)
    same = (1, "s", len, np, lock, Colour.RED, None, slice(3))
    assert detached(same) is same


def test_detached_containers_of_other_classes():
    a = np.ones(2)
    dd = collections.defaultdict(list, {1: [a]})
    od = collections.OrderedDict(x=a, y=1)
    bag = Bag([a])
    bag.tag = a
    tree = [dd, od, collections.deque([a, 2], maxlen=3), bag, {1, 2}, frozenset((1, 2)), collections.Counter("aa")]
    new = detached(tree)
    assert [type(v) for v in new] == [type(v) for v in tree]
    assert new[0].default_factory is list and new[2].maxlen == 3
    assert new[0][1][0] is new[1]["x"] is new[2][0] is new[3][0] is new[3].tag
    assert new[4] == {1, 2} and new[4] is not tree[4] and new[6]["a"] == 2
    assert not np.shares_memory(new[1]["x"], a)


def test_detached_arrays_of_objects_and_subclasses():
    a = np.ones(2)
    boxes = np.empty(2, object)
    boxes[0] = boxes[1] = a
    new = detached([boxes, a])
    assert new[0][0] is new[0][1] is new[1]
    m = detached(np.recarray(2, [("x", "f8")]))
    assert type(m) is np.recarray


def test_detached_long_chains():
    node = None
    for _ in range(20_000):
        node = Node(1.0, node)
    new, count = detached(node), 0
    while new is not None:
        new, count = new.next, count + 1
    assert count == 20_000
