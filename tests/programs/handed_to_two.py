"""A cotangent that two operands are handed, of which one is added to in place afterwards."""

import numpy as np


def read_before_the_sum(x, y):
    a = y[1]
    w = x + y
    return a * 3.0 + np.sum(w * w) + np.sum(w)


def read_on_both_sides(x, y):
    a, b = y[1], x[0] * x[1]
    w = x - y
    v = w + x
    return a * b + np.sum(v * v) + np.sum(w) + np.sum(v[:1])


def joined_before(x, y):
    z = np.concatenate((x[:1], x[1:])) * x[0]
    a = y[1]
    w = z + y
    for k in range(2):
        a = a * y[k]
    return a * 3.0 + np.sum(w * w) + np.sum(w)


_X, _Y = np.array([0.1, 0.2]), np.array([0.3, 0.5])
SAMPLES = {name: [(_X, _Y)] for name in ("read_before_the_sum", "read_on_both_sides", "joined_before")}
