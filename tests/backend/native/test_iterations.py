"""Whether the iterations of a loop may go side by side."""

import math
import re

import numpy as np
import pytest

import adcompile as ad
from tests.backend.native.test_lockstep import E, M, lanes_in
from tests.kernels import agree, stays


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


def table_written_behind(e, m):
    total, table = 0.0, np.ones(8)
    for i in range(len(m)):
        x = m[i]
        for k in range(4):
            x = x - 0.1 * math.sin(x) * table[k]
        table[2] = x
        total += x * e[i]
    return total


def each_element_twice(e, m):
    """Negative numbers stand for elements that others stand for, too."""
    n = len(m)
    sums = np.zeros(n)
    for i in range(-n, n):
        x = m[i] + sums[i]
        for _ in range(3):
            x = x - 0.2 * math.sin(x)
        sums[i] += x * e[i]
    return np.sum(sums * m)


def from_a_number_on(e, m):
    total = 0.0
    for i in range(-3, 5):
        x = m[i]
        for _ in range(3):
            x = x - 0.2 * math.sin(x) * e[i]
        total += x
    return total


def stops_where_the_next_runs_for_long(e, m):
    """What the tail raises ends the call before the loop of another element has begun."""
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        while x > 0.5:
            x = x - 0.1 * np.sin(x) ** 2 - 0.1
        total += math.sqrt(float(x) + 1.0) * e[i]
    return total


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (carried_by_the_head, 1),
        (carried_by_both, 0),
        (length_of_its_own, 0),
        (loop_within_the_inner_one, 0),
        (no_function_of_vectors, 0),
        (table_read_in_turns, 1),
        (table_written_behind, 0),
        (each_element_twice, 0),
        (from_a_number_on, 1),
        (stops_where_the_next_runs_for_long, 0),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_which_loops_do(f, expected):
    assert lanes_in(f, E, M) == expected
    agree(f, E, M)


@pytest.mark.parametrize("many", [1, 2, 5, 37])
def test_elements_that_several_numbers_stand_for(many):
    agree(each_element_twice, E[:many], M[:many])


def read_where_it_is_there(e, m):
    """The last iteration reads no neighbour, as its loop does not run."""
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        while x > 1.0:
            x = x - 0.3 * math.exp(-x) - 0.1 * abs(m[i + 1]) - 0.05
        total += x * e[i]
    return total


def read_on_a_way_that_is_not_taken(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for _ in range(3):
            if x > 100.0:
                x = x - e[len(m) + 5]
            x = x - 0.2 * math.sin(x)
        total += x * e[i]
    return total


def divided_where_it_can_be(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        for k in range(5):
            if k > 0:
                x = x - math.sin(x) * (1.0 / k) * 0.3
            x = x + ((1.0 / (k - 2)) * 0.01 if k != 2 else 0.5)
        total += x * e[i]
    return total


@pytest.mark.parametrize("f", [read_where_it_is_there, read_on_a_way_that_is_not_taken, divided_where_it_can_be])
def test_what_the_function_does_not_do_leaves_no_kernel(f):
    m = M.copy()
    m[-1] = 0.3
    stays(f, E, m)


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


def written_where_there_is_no_place(e, m):
    """The sixth loop never ends; the fourth element has no place in the list."""
    out = np.zeros(3)
    for i in range(len(m)):
        x = m[i]
        while x > 0.5:
            x = x - e[i] * math.exp(-x)
        out[i] = x
    return np.sum(out)


def sine_of_what_is_infinite(e, m):
    total = 0.0
    for i in range(len(m)):
        x = m[i]
        while x > 0.5:
            x = x - e[i] * math.exp(-x)
        total += math.sin(x / e[5] if i == 3 else x)
    return total


@pytest.mark.parametrize("f", [written_where_there_is_no_place, sine_of_what_is_infinite])
def test_an_error_in_front_of_a_loop_without_end(f):
    """What raises behind the loop of one iteration raises, though that of a later one would run for ever."""
    pytest.importorskip("numba")
    e, m = np.full(17, 0.3), np.full(17, 2.0)
    e[5] = 0.0
    with pytest.raises((IndexError, ZeroDivisionError, ValueError)) as own, np.errstate(all="ignore"):
        f(e, m)
    with pytest.raises(own.type, match=re.escape(str(own.value))), np.errstate(all="ignore"):
        ad.jvp(f, (e, m), (m, e), backend="numba")
