"""Truth values to which numbers are added, or in whose place numbers come."""

import numpy as np


def flag_added_to(x, n):
    total, c = 0.0, x[0] > 1.0
    for i in range(n):
        c = c + x[i]
        total += c * x[i]
    return total


def _flag_or_double(v, i):
    if i % 2:
        return v > 0.2
    return v * 2.0


def flag_or_number_returned(x, n):
    total = 0.0
    for i in range(n):
        total += _flag_or_double(x[i], i) * x[0]
    return total


def flag_or_number(x, n):
    total = 0.0
    for i in range(n):
        w = x[i] > 0.2 or x[i] * 2.0
        total += w * x[0]
    return total


def flags_counted_from(x, n):
    seen = x > 0.4
    total = 0.0
    for i in range(n):
        c = seen[i]
        for _ in range(2):
            c = c + 1
        total += c * x[i]
    return total


def flag_in_a_pair(x, n):
    pair = (x[0] > 0.2, x[1])
    total = 0.0
    for i in range(n):
        total += pair[0] * pair[1]
        pair = (pair[1] * x[i], pair[0] * x[i])
    return total


def flag_first_found(x, n):
    best = None
    total = 0.0
    for i in range(n):
        if best is None:
            best = x[i] > 0.1
        else:
            best = best * 0.5 + x[i]
        total += best * x[i]
    return total


_X = np.array([0.3, -0.7, 1.1, 0.5])

SAMPLES = {
    "flag_added_to": [(_X, 3)],
    "flag_or_number_returned": [(_X, 4)],
    "flag_or_number": [(_X, 4)],
    "flags_counted_from": [(_X, 4)],
    "flag_in_a_pair": [(_X, 3)],
    "flag_first_found": [(_X, 4)],
}
