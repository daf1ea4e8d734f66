"""Arrays read and written at tuples made of arrays of ints, of which only the run time knows the length."""

import numpy as np


def cells_above(x):
    grid = np.outer(x, x * x)
    return sum(grid[tuple(p)] ** 2 for p in np.argwhere(grid > 2.0))


def written_at_rows(x, places):
    grid = np.outer(x, x * x)
    total = 0.0
    for p in places:
        grid[tuple(p)] *= 2.0
        at = tuple(p + 0)
        grid[at] = grid[at] ** 2 * x[0]
        total += grid[at] * grid[at[0], 0] * grid[tuple(p[::-1])] * len(at)
    return total


def neighbours_clipped(x):
    grid = np.outer(x, x * x)
    total = 0.0
    for p in np.argwhere(grid > 2.0):
        for step in [(0, 1), (1, 0), (-1, 0)]:
            q = tuple(np.clip(p + np.array(step), 0, 2))
            total += grid[q] * grid[tuple(p)]
    return total


def rows_by_a_tuple(x, p):
    grid = np.outer(x, x * x)
    row = grid[tuple(p)]  # a view: the tuple is shorter than the array has axes
    row *= x
    return grid.sum() + grid[tuple(p)].sum() ** 2


def block_by_a_tuple(x, p):
    cube = x[:, None, None] * x[:, None] * x * x[0]
    cube[tuple(p)] *= 3.0
    return np.sum(cube[tuple(p)] ** 2) + np.sum(cube**2)


def index_bound_on_one_path(x, k):
    grid = np.outer(x, x * x)
    if k > 0:
        cell, tail = (k, k - 1), slice(k, None)
    elif k < -2:
        cell, tail = (0, 0), slice(k)
    total = grid[0, 1] * x[0]
    if k > 0 or k < -2:
        total += grid[cell] ** 2 * np.sum(x[tail] ** 3)
    return total


X = np.array([1.3, 0.7, 2.1])
PLACES = np.array([[0, 2], [1, 1]])
SAMPLES = {
    "cells_above": [(X,)],
    "written_at_rows": [(X, PLACES)],
    "neighbours_clipped": [(X,)],
    "rows_by_a_tuple": [(X, np.array([1]))],
    "index_bound_on_one_path": [(X, 1), (X, 0), (X, -3)],
    "block_by_a_tuple": [(X, np.array([1, 2]))],
}
