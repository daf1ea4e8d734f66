"""Tests of several conditions, whose truth alone is asked: lists, numbers and names among them."""

import numpy as np


def taken_while_there_are_any(x, n):
    stack, total = [x], 0.0
    while stack and n > 0:
        v = stack.pop()
        n -= 1
        total = total + np.sum(np.sin(v))
        stack.extend([v * 0.5, v * 0.25])
    return total + sum(np.sum(v * v) for v in stack)


def added_while_there_are_any(x, n):
    stack, total = [x], 0.0
    while n and stack:
        v = stack.pop(0)
        n -= 1
        total = total + np.sum(v * v)
        stack += [v * 0.5, np.sin(v)]
    return total


def one_of_several(x, n, tag=None):
    rows = [x * i for i in range(n)]
    total = np.sum(x * x)
    if not (rows and n > 1) or tag:
        total = total * 2.0
    elif rows or tag is None:
        rows.append(x)
    total = total + (np.sum(rows[0] * x) if rows and rows[-1][0] > 0.0 else x[1])
    return total + sum(np.sum(r) for i, r in enumerate(rows) if i and n)


def any_and_all(x, n):
    rows = [[v * i for v in x] for i in range(n)]
    found = any(row and row[0] > 1.0 for row in rows)
    return sum(x) * 2.0 if found and all(row or n for row in rows) else x[0] * x[1]


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "taken_while_there_are_any": [(X, 0), (X, 3)],
    "added_while_there_are_any": [(X, 0), (X, 3)],
    "one_of_several": [(X, 0), (X, 1), (X, 3), (X, 3, "a")],
    "any_and_all": [(X, 0), (X, 3)],
}
