"""Short axes written out: by what they compute, at every length, and in how many loops."""

import numpy as np
import pytest

from tests.nests.lowered import both
from tests.nests.test_lower import random
from tests.nests.test_plan import loops
from tests.programs.few_rows import rotated_points


def unpacked(a, x):
    p, q, r = a
    size = np.sqrt(p * p + q * q + r * r)
    return np.sum(a / size * x)


def filled(a, x):
    out = np.zeros((3, a.shape[1]))
    out[0] = a[1] * x[2]
    out[2] = a[2] * x[1]
    out[1] += out[0] - out[2]
    return np.sum(out / np.sqrt(1.0 + np.sum(out * out, axis=0)))


def rows_moved(a, x):
    table = np.stack((a[0], x[1], a[2]))
    table[1:] = table[:-1] * x[1:]
    table[:-1] = table[1:] * table[:-1] + x[0]
    return np.sum(table * np.sum(table, axis=0))


def rows_turned_round(a, x):
    table = np.stack((a[0], x[1], a[2]))
    table[:] = table[::-1] * x[0]
    table *= table[1]
    return np.sum(table * a * np.sum(table, axis=0))


def largest(a, x):
    table = np.stack((a[0], x[1], a[2])) - np.sum(x, axis=0)
    return np.max(table) * np.sum(table * np.max(table, axis=0))


def with_lengths(a, x):
    p, q, r = x
    table = a * p
    return np.sum(np.sum(table, axis=1)) + np.sum(q * r)


def kept_whole(a, x):
    p, q, r = a
    unit = a / np.sqrt(p * p + q * q + r * r)
    return np.sum(unit @ unit.T) + np.sum(unit * x)


def in_steps(a, x):
    state = np.stack((a[0], x[1]))
    for k in range(3):
        speed = np.sqrt(np.sum(state * state, axis=0) + 1.0)
        state = state + 0.1 * state[::-1] / speed * x[k]
    return np.sum(state * a[0])


def in_a_branch(a, x):
    out = a * 1.0
    if x[0, 0] > 0.0:
        p, q, r = x
        out = out * (p + q * r)
        out = out / np.sqrt(np.sum(out * out, axis=0) + 1.0)
    return np.sum(out * x)


def triangles(a, x):
    table = np.tril(np.stack((a[0], x[1], a[2])), 1)
    return np.sum(table * x[1] + np.sum(table, axis=0))


def planes(a, x):
    three = np.stack((a[0], x[1], a[2]))
    both_of = three[:, None, :] * np.stack((x[0], x[2]))
    return np.sum(both_of / (1.0 + np.sum(three * three, axis=0)))


ALL = [
    rotated_points, unpacked, filled, rows_moved, rows_turned_round, largest, with_lengths, kept_whole, in_steps,
    in_a_branch, triangles, planes,
]  # fmt: skip


WRITES = (rows_moved, rows_turned_round)
"""What a split derivative keeps a copy of is written first: it is left, and runs as it was."""


@pytest.mark.parametrize("kind", ["joint", "split", "primal"])
@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_rows_written_out(function, kind):
    args = random(3, 5), random(3, 5)
    made = both(function, *args, kind=kind)
    runs = kind != "split" or function not in WRITES
    assert made.agree(*args) == runs
    for n in (1, 2, 3, 4, 8, 9):
        assert made.agree(random(3, n), random(3, n)) == runs
    assert made.agree(random(3, 8)[:, ::2], random(6, 4)[::2]) == runs
    made.agree(random(4, 3).T, random(3, 4))  # the same, or left: rows do not lie behind each other


@pytest.mark.parametrize("function", [rotated_points, unpacked, filled, in_steps], ids=lambda f: f.__name__)
def test_other_lengths_are_left(function):
    args = random(3, 5), random(3, 5)
    made = both(function, *args)
    for a, x in (((1, 5), (3, 5)), ((3, 5), (1, 5)), ((4, 5), (4, 5)), ((2, 5), (2, 5)), ((3, 5), (3, 1))):
        made.agree(random(*a), random(*x))  # the same, or the same exception, or left


@pytest.mark.parametrize("function, count", [(rotated_points, 1), (unpacked, 1), (rows_moved, 1)])
def test_they_share_one_loop(function, count):
    program = both(function, random(3, 5), random(3, 5), kind="primal").program
    assert loops(program) == (count, count)


def test_long_rows_stay_in_loops():
    def f(a, x):
        table = np.zeros((5, a.shape[1]))
        table[0] = a[0] * x[0]
        return np.sum(table / np.sqrt(1.0 + np.sum(table * table, axis=0)))

    args = random(3, 5), random(3, 5)
    made = both(f, *args)
    assert made.agree(*args) and len(loops(made.program)) > 1


def test_whole_arrays_are_gone_through_row_by_row():
    def f(a, x):
        p, _, r = a
        return np.sum(a * x * np.exp(a)) + p[0] * r[0]

    made = both(f, random(3, 5), random(3, 5), kind="primal")
    assert made.agree(random(3, 4), random(3, 4)) and "for j in" in made.text
