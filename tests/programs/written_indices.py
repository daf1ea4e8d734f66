"""Loops that read by numbers which arrays and lists hold, and which change afterwards."""

import numpy as np


def slices_from_written_starts(x, p):
    """Rows are read from a start that is overwritten in the same turn."""
    x, p, s = x.copy(), p.copy(), 0.0
    for i in range(x.shape[0] - 1):
        j = p[i]
        s += np.sum(x[i, j : j + 2] * x[i, j : j + 2])
        x[i + 1, :] *= 2.0
        x[i + 1, :] += 0.1 * s
        p[i] = 0
    return s


def tails_from_written_starts(x, p):
    x, p, s = x.copy(), p.copy(), 0.0
    for i in range(x.shape[0] - 1):
        s += np.sum(x[i, p[i] :] ** 2)
        x[i + 1, :] *= 0.5 + 0.1 * s
        p[:] = 1
    return s


def items_at_written_places(x, p):
    x, p, s = x.copy(), p.copy(), 0.0
    for i in range(x.shape[0] - 1):
        j = p[i]
        s += x[i, j] ** 2
        x[i + 1] = np.sin(x[i + 1]) + 0.1 * s
        p[i] = 0
    return s


def items_at_places_of_a_list(x):
    x, s = x.copy(), 0.0
    places = [2, 0, 1, 2]
    for i in range(x.shape[0] - 1):
        j = places[0]
        s += x[i, j] * x[i, 2 - j]
        x[i + 1] *= s
        places.reverse()
    return s


def places_that_are_read_once_more(x, p):
    """What is written comes late enough for one of two loops only."""
    x, s = x.copy(), 0.0
    p = p.copy()
    for i in range(x.shape[0] - 1):
        s += x[i, p[i]] ** 3
        x[i + 1] += x[i] * s
    p += 1
    for i in range(x.shape[0]):
        s += x[i, p[i] % 3] * s * 0.1
    p[0] = 0
    return s


_X = np.random.default_rng(5).uniform(0.3, 1.1, (5, 3))
_P = np.array([1, 0, 2, 1, 1])

SAMPLES = {
    "slices_from_written_starts": [(_X, _P)],
    "tails_from_written_starts": [(_X, _P)],
    "items_at_written_places": [(_X, _P)],
    "items_at_places_of_a_list": [(_X,)],
    "places_that_are_read_once_more": [(_X, _P)],
}
