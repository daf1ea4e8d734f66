"""Items of lists and dicts that give their place to arrays of another length, at places known when the code runs."""

import numpy as np


def one_number_gives_way(x, n):
    rows = [x[0] * np.ones(1), x * 2.0]
    s = np.sum(rows[n % 2] ** 2)
    rows[n % 2] = x * 3.0
    return s + np.sum(rows[0] * rows[1])


def one_number_takes_over(x, n):
    rows = [x * 2.0, np.sin(x)]
    s = np.sum(rows[n % 2] ** 2)
    rows[n % 2] = s * np.ones(1)
    return s + np.sum(rows[0] * rows[1])


def read_and_replaced(x, n):
    rows = [x[:2] * 1.0, x[1:] * 1.0]
    rows[n % 2] = np.concatenate((rows[0] * 2.0, rows[1]))
    return rows[0][0] * rows[1][0] + np.sum(rows[n % 2] ** 2)


def levels(x, n):
    """The coarsest of them has one number."""
    rows = [np.array([np.mean(x)]) * x[1], x * 2.0]
    s = 0.0
    for i in range(n):
        s += np.sum(rows[i % 2] ** 2)
        rows[i % 2] = np.sin(x) * s
    return s + np.sum(rows[0])


def bins_that_grow(x, places):
    bins = [x[:1] * 1.0, x[1:2] * 2.0, x[:1] * 3.0]
    for i in range(len(x)):
        k = places[i]
        bins[k] = np.concatenate((bins[k], bins[k][-1:] * x[i]))
    return sum(np.sum(b * b) for b in bins)


def kept_by_key(x, n):
    d = {0: x[0] * np.ones(1), 1: x * 2.0}
    s = np.sum(d[n % 2] ** 2)
    d[n % 2] = x * 3.0
    return s + np.sum(d[0] * d[1])


def lists_replaced(x, n):
    rows = [[x[0]], [x[1], x[2] * x[0]]]
    s = 0.0
    for i in range(n):
        s = s + rows[i % 2][-1] ** 2
        rows[i % 2] = [s * x[0], s + x[1], x[2]]
    return s * rows[0][0] + rows[1][-1]


def matrices_replaced(x, n):
    q = [x[None, :2] * 1.0, np.outer(x, x[:2])]
    s = 0.0
    for i in range(n):
        s = s + np.sum(q[i % 2] ** 2)
        q[i % 2] = np.outer(x[1:], q[i % 2][0]) * 0.5
    return s + np.sum(q[0][0] * q[1][0])


def swapped_lengths(x, n):
    rows = [x[:1] * 1.0, x[:2] * 2.0, x * 3.0]
    for i in range(n):
        a, b = rows[i % 3], rows[(i + 1) % 3]
        rows[i % 3], rows[(i + 1) % 3] = b * x[0], a * x[1]
    return sum(np.sum(r**2) * (k + 1.0) for k, r in enumerate(rows))


X, PLACES = np.array([0.3, -0.7, 0.9]), [1, 0, 1]
SAMPLES = {
    "one_number_gives_way": [(X, 0), (X, 1)],
    "one_number_takes_over": [(X, 0), (X, 1)],
    "read_and_replaced": [(X, 0), (X, 1)],
    "levels": [(X, 0), (X, 3)],
    "bins_that_grow": [(X, PLACES)],
    "kept_by_key": [(X, 0), (X, 1)],
    "lists_replaced": [(X, 3)],
    "matrices_replaced": [(X, 3)],
    "swapped_lengths": [(X, 4)],
}
