"""What code that is not followed may reach by itself."""

import functools
import types

import numpy as np

from adcompile.analysis.reach import MOST, mentioned, reaches

BUFFER = np.zeros(4)
OTHER = np.zeros(4)
HOLDER = types.SimpleNamespace(parts={"a": [OTHER]})


class Reader:
    shared = BUFFER[1:]

    @property
    def first(self):
        return self.count

    def call(self):
        return HOLDER


def reads():
    return BUFFER[0]


def reads_far():
    return Reader().call()


def reads_nothing(x):
    return np.sum(x) + len("BUFFER of text")


def test_names_in_code():
    assert mentioned([reads_far], {"count", "parts", "other"}) == {"count"}
    assert mentioned([lambda o: setattr(o, "parts", 1)], {"count", "parts"}) == {"parts"}
    assert mentioned([reads_nothing, np.sum, len], {"count"}) == set()


def test_memory_by_name_and_by_view():
    assert reaches([reads], [BUFFER]) and not reaches([reads], [OTHER])
    assert reaches([reads], [BUFFER[:2]])
    assert reaches([Reader], [BUFFER])


def test_memory_in_objects():
    assert reaches([reads_far], [OTHER])
    assert reaches([reads_far], [HOLDER])
    assert not reaches([reads_nothing], [OTHER, BUFFER, HOLDER])


def test_memory_that_is_captured_or_bound():
    mine = np.zeros(2)
    assert reaches([lambda: mine], [mine])
    assert reaches([functools.partial(reads_nothing, mine)], [mine])
    assert reaches([lambda x=mine: x], [mine])
    assert reaches([Reader().call], [HOLDER])
    assert not reaches([lambda: None], [mine])


def test_too_much_to_say():
    many = [types.SimpleNamespace() for _ in range(MOST + 1)]
    assert reaches([lambda: many], [OTHER])
