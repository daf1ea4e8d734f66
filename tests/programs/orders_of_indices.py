"""Orders of indices: a range, or a list of ints, sorted by what numbers stand at them."""

import numpy as np


def ranked(x):
    values = [x[0], x[1] * 2.0, x[2]]
    order = sorted(range(3), key=lambda i: values[i])
    return sum(values[i] * (k + 1) for k, i in enumerate(order))


def sorted_again_in_a_loop(x, n):
    values = [v * v for v in x]
    for _ in range(n):
        order = sorted(range(len(values)), key=lambda i: values[i])
        values = [values[i] * (k + 1) for k, i in enumerate(order)]
    return values[0] * values[2]


def simplex(x, n):
    points = [x, x * 1.5, x - 0.25, x + np.array([0.5, 0.0, -0.5])]
    costs = [np.sum(p**2) for p in points]
    for _ in range(n):
        order = sorted(range(4), key=lambda i: costs[i], reverse=True)
        points, costs = [points[i] for i in order], [costs[i] for i in order]
        middle = (points[1] + points[2] + points[3]) / 3.0
        points[0] = middle + 0.5 * (middle - points[0])
        costs[0] = np.sum(points[0] ** 2) + 0.1 * np.sum(points[0])
    return min(costs) * costs[order[0]]


def of_run_time_length(x):
    squares = x * x
    total = 0.0
    for k, i in enumerate(sorted(range(len(x)), key=lambda i: -squares[i])):
        total += squares[i] * (k + 1)
    return total


def keyed_by_getitem(x):
    values = [v * v for v in x]
    order = sorted(range(len(x)), key=values.__getitem__)
    back = sorted(range(len(x)), key=x.__getitem__, reverse=True)
    return values[order[0]] * values[order[1]] ** 2 + x[back[0]] * x[back[2]] ** 3


def of_every_second(x):
    order = sorted(range(0, len(x), 2), key=lambda i: (x[i] > 1.0, -x[i]))
    return x[order[0]] ** 2 * x[order[-1]] + len(order)


def plain(x):
    order = sorted(range(len(x)), reverse=True)
    return x[order[0]] ** 2 * x[order[1]]


def written_in_order(x):
    out = np.zeros(len(x))
    total = 0.0
    for i in sorted(range(len(x)), key=lambda i: x[i]):
        total += x[i]
        out[i] = total * x[i]
    return np.sum(out**2)


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "ranked": [(X,), (-X,)],
    "sorted_again_in_a_loop": [(X, 3), (X, 0)],
    "simplex": [(X, 4)],
    "of_run_time_length": [(X,), (X[:1],)],
    "keyed_by_getitem": [(X,)],
    "of_every_second": [(X,)],
    "plain": [(X,)],
    "written_in_order": [(X,)],
}
