"""Arrays that a loop has put into a list, and that are written by way of another list, or of another place in it."""

import numpy as np


def written_in_a_copy(x, n):
    rows = [x.copy() for _ in range(3)]
    total = 0.0
    for i in range(n):
        others = list(rows)
        others[0][0] += x[i]
        total += others[0][0] * rows[1][1]
    return total


def rows_exchanged(x, n):
    rows = [np.array(x) for _ in range(3)]
    total = 0.0
    for i in range(n):
        rows[0], rows[1] = rows[1], rows[0]
        rows[0][0] *= 2.0
        total += rows[0][0] * x[i]
    return total


def rows_taken_and_put_back(x, n):
    rows = [x[::-1].copy() for _ in range(3)]
    total = 0.0
    for i in range(n):
        row = rows.pop(0)
        row[0] += x[i]
        rows.append(row)
        total += rows[0][0] * rows[2][0]
    return total


def rows_turned_round(x, n):
    rows = []
    total = 0.0
    for _ in range(3):
        rows.append(np.cumsum(x))
    for i in range(n):
        rows = rows[1:] + rows[:1]
        rows[0][0] = rows[0][0] * x[i]
        total += rows[0][0] + rows[2][1] * rows[1][0]
    return total


def rows_in_a_tuple(x, n):
    rows = [x.copy() for _ in range(3)]
    total = 0.0
    for i in range(n):
        others = tuple(rows)
        others[i % 3][1] *= x[0]
        total += rows[0][1] * rows[1][1]
    return total


def rows_in_pairs(x, n):
    """Tuples of arrays that a loop carries."""
    pair = (x.copy(), np.sin(x))
    total = 0.0
    for i in range(n):
        pair = (pair[1], pair[0])
        pair[0][0] += x[i]
        total += pair[0][0] * pair[1][0]
    return total


def rows_kept_before_they_change(x, n):
    rows = [x.copy() for _ in range(2)]
    seen = []
    for i in range(n):
        others = rows if i % 2 else [rows[1], rows[0]]
        seen.append(others[0])
        others[1][0] += x[i] * others[0][1]
    total = 0.0
    for k in range(len(seen)):
        total += seen[k][0] * (k + 1.0)
    return total


def rows_several_times(x, n):
    rows = [x.copy() for _ in range(2)] * 2
    total = 0.0
    for i in range(n):
        rows[i % 4][0] += x[i]
        total += rows[0][0] * rows[3][0]
    return total


_X = np.array([0.3, -0.7, 1.1, 0.5])

SAMPLES = {
    "written_in_a_copy": [(_X, 3)],
    "rows_exchanged": [(_X, 4)],
    "rows_taken_and_put_back": [(_X, 4)],
    "rows_turned_round": [(_X, 4)],
    "rows_in_a_tuple": [(_X, 4)],
    "rows_in_pairs": [(_X, 4)],
    "rows_kept_before_they_change": [(_X, 4)],
    "rows_several_times": [(_X, 4)],
}
