"""Tests and indices that are arrays without derivatives, written while the code runs: the way back wants them as
they were."""

import numpy as np

_X = np.array([1.3, 0.7, 2.1])


def flag_without_dimensions(x):
    m = np.zeros((), bool)
    s = 0.0
    for v in x:
        if m:
            s -= v * v
        m |= v > 0.5
    return s


def flag_in_an_expression(x):
    m = np.zeros(1, int)
    s = 0.0
    for v in x:
        s += v * v if m else v
        m += v > 0.8
    return s


def flags_combined(x):
    e, f = np.array(False), np.array(True)
    s = 0.0
    for v in x:
        c = e and f
        d = e or f
        g = not e
        if c:
            s += v
        if d:
            s += v**2
        if g:
            s += v**3
        e ^= True
        f ^= v > 1
    return s


def flag_in_a_dict(x):
    state = {"on": np.array(False)}
    s = 0.0
    for v in x:
        if state["on"]:
            s += v**2
        state["on"] ^= True
    return s


def flags_in_rows(x):
    flags = np.array([[True], [False], [True]])
    s = 0.0
    for r, v in zip(flags, x):
        if r:
            s += v**2
        r ^= True
    return s + (x[0] if flags[0] else x[1])


def flag_of_a_closure(x):
    flag = np.zeros(1, bool)

    def chosen(v):
        if flag:
            return v * v
        return v

    s = 0.0
    for v in x:
        s += chosen(v)
        flag ^= True
    return s


def flag_of_a_loop(x):
    done = np.zeros(1, bool)
    s, k = 0.0, 0
    while not done:
        s += x[k] ** 2
        k += 1
        done |= k > 1
    return s * x[2]


def bounds_moved(x):
    a, b = np.array(0), np.array(2)
    s = 0.0
    for v in x[:2]:
        s += np.sum(x[a:b]) * v
        a += 1
        b += 1
    return s


def bounds_of_a_slice(x):
    k = np.array(1)
    y = x * 1.0
    s = 0.0
    for v in x[:2]:
        part = slice(None, k)
        y[part] *= v
        s += np.sum(x[part] * y[:k]) * v
        k += 1
        s += np.sum(y[part])
    return s


def grid_of_indices(x):
    a = np.outer(x, x)
    at = np.array([0, 1])
    s = 0.0
    for v in x:
        s += np.sum(a[np.ix_(at, at)]) * v
        at += 1
        at %= 3
    return s


SAMPLES = {
    "flag_without_dimensions": [(_X,)],
    "flag_in_an_expression": [(_X,)],
    "flags_combined": [(_X,)],
    "flag_in_a_dict": [(_X,)],
    "flags_in_rows": [(_X,)],
    "flag_of_a_closure": [(_X,)],
    "flag_of_a_loop": [(_X,)],
    "bounds_moved": [(_X,)],
    "bounds_of_a_slice": [(_X,)],
    "grid_of_indices": [(_X,)],
}
