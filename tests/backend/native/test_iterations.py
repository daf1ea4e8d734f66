"""Whether the iterations of a loop may go side by side."""

import math

import numpy as np
import pytest

from tests.backend.native.test_lockstep import E, M, lanes_in
from tests.kernels import agree


def carried_by_the_head(e, m):
    """The head counts along, and the inner loop reads what it counts."""
    total, level = 0.0, 1.0
    for i in range(len(m)):
        level = level * 1.01
        x = m[i] * level
        while x > 0.5:
            x = x - 0.2 * math.tanh(x) - 0.1 * e[i]
        total += x
    return total


def carried_by_both(e, m):
    total, level = 0.0, 1.0
    for i in range(len(m)):
        x = m[i] * level
        while x > 0.5:
            x = x - 0.2 * math.tanh(x) - 0.1 * e[i]
        level = level * 0.9 + x
        total += x
    return total


def length_of_its_own(e, m):
    """How many turns there are depends on the element."""
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for _ in range(i % 4):
            x = x - 0.2 * math.tanh(x) * e[i]
        total += x
    return total


def loop_within_the_inner_one(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        while x > 0.5:
            for _ in range(2):
                x = x - 0.2 * math.tanh(x) - 0.1 * e[i]
        total += x
    return total


def no_function_of_vectors(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        while x > 0.5:
            x = 0.8 * x - 0.01 * e[i]
        total += x
    return total


def table_read_in_turns(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for k in range(5):
            x = x - 0.1 * math.sin(x) * e[k]
        total += x
    return total


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (carried_by_the_head, 1),
        (carried_by_both, 0),
        (length_of_its_own, 0),
        (loop_within_the_inner_one, 0),
        (no_function_of_vectors, 0),
        (table_read_in_turns, 0),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_which_loops_do(f, expected):
    assert lanes_in(f, E, M) == expected
    agree(f, E, M)


def test_places_that_are_no_numbers_of_iterations():
    """A list of lists that is read from its end."""

    def backwards(e, m):
        ends = []
        for i in range(len(m)):
            x = m[i]
            while x > 0.5:
                x = x - 0.2 * math.tanh(x) - 0.1 * e[i]
            ends.append(x)
        return ends[-1] * ends[-2] + np.sum(e)

    agree(backwards, E, M)
