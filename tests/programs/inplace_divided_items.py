"""Items that are divided and raised in place where only the run time knows whether they are numbers or arrays; indices
that are tuples out of dicts; arrays that NumPy copies and the function then writes into."""

import numpy as np


def divided_by_rank(x):
    y = (x * x if x[0] > 0 else np.outer(x, x)).copy()
    y[0] /= x[1]
    y[1] *= x[0]
    return np.sum(y)


def divided_where_squeezed(x):
    y = np.squeeze(np.outer(x, x)[:1]).copy()
    y[0] /= x[1]
    y[1] **= x[0]
    return np.sum(y**2)


def divided_in_a_list(x):
    rows = []
    for k in range(2):
        rows.append(x * x if k else np.outer(x, x))
    for r in rows:
        r[0] /= x[1]
    return sum(np.sum(r * r) for r in rows)


def divided_at_a_place_met(x, m):
    y = np.ones((2, 2))
    y[tuple(np.argwhere(m > 3)[0])] /= x
    return np.sum(y)


def divided_at_numbers_and_slices(x):
    y = np.ones(4)
    for i in range(3):
        j = i if i % 2 else slice(i, i + 2)
        y[j] /= x
    return np.sum(y)


def places_in_a_dict(x, n):
    y = np.ones((2, 2)) * x
    places = {}
    for k in range(n):
        places[k] = (k, 1)
    y[places[0]] += x
    y[places[1]] *= x
    y[places[0]] /= x * 3.0
    return np.sum(y) + y[places[0]] * x


def groups_of_places(x, n):
    y = np.ones((2, 2)) * x
    groups = {}
    for k in range(n):
        groups.setdefault(k % 2, []).append((k, slice(0, 1)))
    return sum(np.sum(y[places[0]]) * x for places in groups.values())


def grid_of_what_is_written(x):
    y = x * 1.0
    g, h = np.meshgrid(y, y, indexing="ij")
    (z,) = np.meshgrid(y)
    y[0] = 3.0
    y *= x
    return np.sum(g * h * g) + np.sum(z * y)


def numbers_that_were_squeezed(x):
    k = np.squeeze(x[:1]) * 2.0
    return k * x[1] + sum(v.squeeze() for v in np.split(x * x, 2))


X = np.array([1.3, 0.7])

SAMPLES = {
    "divided_by_rank": [(X,), (np.array([-2.0, 0.7]),)],
    "divided_where_squeezed": [(X,)],
    "divided_in_a_list": [(X,)],
    "divided_at_a_place_met": [(1.7, np.array([[1.0, 5.0], [6.0, 7.0]]))],
    "divided_at_numbers_and_slices": [(1.7,)],
    "places_in_a_dict": [(1.7, 2)],
    "groups_of_places": [(1.7, 2)],
    "grid_of_what_is_written": [(X,)],
    "numbers_that_were_squeezed": [(X,)],
}
