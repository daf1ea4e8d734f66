"""Integers that are never below 0, and what indexing by them leaves out."""

import numpy as np

from adcompile.nests.counted import counted
from tests.compiled import specialised
from tests.nests.lowered import both


def indices(x, n, k):
    rows = x.shape[0]
    twice = 2 * rows + 1
    back = rows - 1
    least = max(back, 0)
    given = n + 1
    for up in range(n):
        behind = up + 3
        before = up - 1
        x[up] = behind + before
    for down in range(n - 1, -1, -1):
        x[down] = least
        for above in range(n - 1, down, -1):
            x[above] = abs(k)
    for below in range(n - 1, -2, -1):
        x[below] = 1.0
    for unknown in range(k, n):
        x[unknown] = twice
    return np.sum(x) + given


def test_what_counts():
    program = specialised(indices, np.ones(5), 3, 1)
    (only,) = program.functions.values()
    found = {v.name for v in counted(only.body, program.types)}
    assert {"shape_0", "twice", "least", "up", "behind", "down", "above"} <= found
    assert not {"back", "given", "before", "below", "unknown"} & found


def rows_by(x, y, first, n):
    """From `first` on, which may be below 0: those are counted from the end."""
    for i in range(n):
        x[i, 1:-1] = x[i, 1:-1] * y[i, 1:-1] + np.sin(x[i, 2:])
    for i in range(first, n):
        y[i, : i + 1] = y[i, : i + 1] * x[i, : i + 1] + np.cos(y[i, : i + 1])
    return np.sum(x) + np.sum(y)


def test_rows_with_and_without_a_sign():
    x, y = np.linspace(0.1, 0.9, 24).reshape(4, 6), np.linspace(1.2, 0.3, 24).reshape(4, 6)
    lowered = both(rows_by, x, y, 0, 4)
    assert lowered.changed
    for first in (0, 2, -2, -4):
        for n in (0, 1, 3, 4):
            assert lowered.agree(x, y, first, n), (first, n)
    assert not lowered.agree(x, y, 0, 5), "no such row"
    assert not lowered.agree(x, y, -5, 2), "no such row"
