"""Sums and extrema of whole rows, and arrays side by side, as loops."""

import numpy as np
import pytest

from tests.nests.lowered import both
from tests.nests.test_lower import random

SHAPES = [(3, 4), (1, 4), (3, 1), (5, 2)]


def of_columns(x):
    theta = np.sqrt(np.sum(x * x, axis=0) + 1.0)
    w = x / theta
    return np.sum(w * np.cos(theta))


def kept_axes(x):
    largest = np.max(x, axis=0, keepdims=True)
    return np.sum(x * largest) + np.sum(np.min(x * x, axis=-2) ** 2)


def before_and_after_a_write(x):
    y = x * 2.0
    first = np.sum(y, axis=0)
    y[0] += first
    second = np.sum(y, axis=0)
    return np.sum(first * second)


def of_cubes(x):
    cube = x[:, None] * x[None] * 0.5
    return np.sum(np.sum(cube, axis=(0, 1)) ** 2) + np.sum(np.sum(cube, axis=1) * x)


def of_axes_exchanged(x):
    return np.sum(np.sum(x.T * 2.0, axis=0) ** 2) + np.sum(np.sum(x[::-1, ::-1], axis=0) ** 3)


def in_a_loop(x):
    s = x[0]
    for k in range(3):
        s = s + np.sum(x * s, axis=0) / (k + 2.0)
    return np.sum(s * s)


ROWS = [of_columns, kept_axes, before_and_after_a_write, of_cubes, of_axes_exchanged, in_a_loop]


@pytest.mark.parametrize("kind", ["joint", "split", "primal"])
@pytest.mark.parametrize("function", ROWS, ids=lambda f: f.__name__)
def test_rows(function, kind):
    made = both(function, random(3, 4), kind=kind)
    assert made.changed
    for shape in SHAPES:
        assert made.agree(random(*shape)) and made.agree(random(2 * shape[0], 2 * shape[1])[::2, ::2]), shape
        made.agree(np.asfortranarray(random(*shape)))  # or it leaves: what is kept would lie otherwise


def test_rows_become_loops():
    text = both(of_columns, random(3, 4)).text
    assert "axis" not in "".join(line.split("#")[0] for line in text.splitlines())


def largest_of_rows(x):
    return np.sum(np.max(x * 2.0, axis=0))


def test_of_no_rows_there_is_no_largest():
    made = both(largest_of_rows, random(3, 4), kind="primal")
    assert made.changed and not made.agree(np.zeros((0, 4)))
    assert both(of_columns, random(3, 4), kind="primal").agree(np.zeros((0, 4)))


def rows_of_cubes(x):
    return np.sum(x[:, None] * x * 3.0, axis=0)


def test_results_lie_in_memory_as_those_of_numpy():
    made = both(rows_of_cubes, random(3, 4), kind="primal")
    mine = made.looped(random(3, 4))
    assert mine.flags.c_contiguous
    odd = np.asfortranarray(random(3, 4))
    assert not made.agree(odd) or made.looped(odd).strides == rows_of_cubes(odd).strides


def side_by_side(x, y):
    across = np.stack((x[1] * y[0] - x[0] * y[1], x[0] * y[0], y[1]))
    return np.sum(across * across) + np.sum(across[0] * across[2])


def last_axis(x, y):
    pairs = np.stack([np.sin(x[0]), y[1]], axis=-1)
    return np.sum(pairs[:, 0] * pairs[:, 1] * x[1])


def then_written(x, y):
    table = np.stack((x[0], y[0]))
    x = x * 3.0
    table[1] *= x[0]
    return np.sum(table * table) + np.sum(x * table[0])


def turned_in_a_loop(x, y):
    a, b = x[0], y[0]
    for _ in range(3):
        table = np.stack((a, b))
        b = b + table[0] * table[1]
        a = table[1] * 0.5
    return np.sum(a * b)


def one_array_thrice(x, y):
    table = np.stack((y[0], y[0], y[0]))
    table[0] += x[0]
    return np.sum(table[0] * table[1])


def held_by_others_too(x, y):
    parts = (x[0] * 2.0, y[0] * 3.0)
    table = np.stack(parts)
    table[0] = 1.0
    return np.sum(table * parts[0] * parts[1])


STACKS = [side_by_side, last_axis, then_written, turned_in_a_loop, one_array_thrice, held_by_others_too]


@pytest.mark.parametrize("kind", ["joint", "split", "primal"])
@pytest.mark.parametrize("function", STACKS, ids=lambda f: f.__name__)
def test_stacks(function, kind):
    args = random(2, 5), random(2, 5)
    made = both(function, *args, kind=kind)
    assert made.changed and made.agree(*args)
    assert made.agree(random(2, 1), random(2, 1)) and made.agree(random(2, 4)[:, ::2], random(4, 2)[::2])
    assert not made.agree(random(2, 1), random(2, 5)) and not made.agree(random(2, 5), random(2, 1))


def test_stacks_become_loops():
    text = both(side_by_side, random(2, 5), random(2, 5)).text
    assert "np.stack" not in "".join(line.split("#")[0] for line in text.splitlines())
