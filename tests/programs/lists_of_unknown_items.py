"""Lists whose items are of no known type where NumPy makes arrays of them: what functions gave that are chosen when
the code runs, lists of rows or of numbers."""

import numpy as np

_CHOSEN = [np.sin, lambda t: t * t]


def averages_of_chosen(x, n):
    values = [_CHOSEN[k % 2](x) for k in range(n)]
    return np.mean(values) * x[0] + np.max(values)


def rows_or_a_number(x, n):
    rows = [x * i for i in range(n)]
    return np.mean(rows or [0.0]) * x[0] + np.sum(rows or [[2.0]]) * x[1]


def row_beside_rows(x, k):
    return np.mean([_CHOSEN[k](x), x]) * x[0] + np.sum(np.concatenate([_CHOSEN[k](x), x]) ** 2)


def vectors_of_chosen(x, k):
    y = _CHOSEN[k](x[0])
    return np.dot([y, x[1], 2.0], x) + np.sum(x * [y, x[1], 2.0]) + np.linalg.norm([y, x[1]])


def tuples_of_chosen(x, k):
    a = (_CHOSEN[k](x[0]), x[1])
    return np.max(a) * np.prod(a) + np.cumsum([a, a])[2]


def matrices_of_chosen(x, n):
    rows = [_CHOSEN[i % 2](x) for i in range(n)]
    total = np.sum(np.stack(rows) ** 2) + np.sum(np.vstack(rows)) + np.var(rows, axis=0) @ x
    return total + np.linalg.norm(rows) + np.sum(np.cos(rows))


def tables_of_chosen(x, n):
    rows = [[_CHOSEN[i % 2](x[j]) for j in range(3)] for i in range(n)]
    return np.sum(rows) + np.sum(np.transpose(rows) ** 2) + np.trace(rows)


def stored_lists_of_chosen(x, n):
    values = [_CHOSEN[i % 2](x[0]) for i in range(n)]
    y = np.zeros(n)
    y[:] = values
    np.add(values, y, out=y)
    return np.sum(y * values) + np.interp(1.2, [1.0, 2.0], [values[0], values[1]])


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "averages_of_chosen": [(X, 2), (X, 3)],
    "rows_or_a_number": [(X, 0), (X, 2)],
    "row_beside_rows": [(X, 0), (X, 1)],
    "vectors_of_chosen": [(X, 0), (X, 1)],
    "tuples_of_chosen": [(X, 0), (X, 1)],
    "matrices_of_chosen": [(X, 2), (X, 3)],
    "tables_of_chosen": [(X, 2), (X, 3)],
    "stored_lists_of_chosen": [(X, 2), (X, 3)],
}
