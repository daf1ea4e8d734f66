"""Lists, tuples, dicts and objects that some paths leave unbound, used whole on the others."""

import collections

import numpy as np

Pair = collections.namedtuple("Pair", "a b")


class Holder:
    def __init__(self, v):
        self.v = v


def grown_if_bound(x, n):
    if n:
        l = [x[0] * 2]
    for i in range(n):
        l.append(l[-1] * x[i % 4])
    return sum(l) if n else x[1]


def last_row_of_a_loop(x, n):
    k = 0
    while k < n:
        row = [x[k], x[k] * k]
        k += 1
    if k:
        return np.array(row).sum() * x[3]
    return x[0]


def views_if_bound(x, n):
    y = x * 1.0
    if n:
        parts = [y[:2], y[2:]]
    if n:
        parts[0] *= 2.0
        parts[1][0] = parts[0][1]
    if n:
        return np.concatenate(parts).sum() * y[0]
    return y[0]


def begun_in_the_first_round(x, n):
    for i in range(n):
        if i == 0:
            found = []
            pairs = []
        found.append(x[i] ** 2)
        pairs.append((x[i], x[-i]))
    if n:
        return np.sum(found) * sum(p * q for p, q in pairs)
    return x[0]


def object_if_bound(x, n):
    if n:
        o = Holder([x[0]])
    for i in range(n):
        o.v.append(x[i])
    if n:
        return sum(o.v) * x[0]
    return x[0]


def named_if_bound(x, n):
    if n:
        p = Pair(x[0], {"k": [x[1]]})
        p.b["k"].append(x[2])
    for i in range(n):
        p.b["k"].append(p.a * i)
    return sum(p.b["k"]) if n else x[0]


POINT = np.array([1.1, 2.2, 3.3, 0.7])
ROUNDS = [(POINT, 0), (POINT, 1), (POINT, 3)]

SAMPLES = {
    "grown_if_bound": ROUNDS,
    "last_row_of_a_loop": ROUNDS,
    "views_if_bound": ROUNDS,
    "begun_in_the_first_round": ROUNDS,
    "object_if_bound": ROUNDS,
    "named_if_bound": ROUNDS,
}
