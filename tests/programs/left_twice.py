"""Loops that an iteration leaves, or goes on from, in two places, with what was computed before the first of them."""

import numpy as np


def left_or_left(x, n):
    t = 1.0
    for s in range(n):
        d = x * t
        if s == 3:
            break
        t = d + 1.0
        if s == 20:
            break
    return t


def passed_or_left(x, n):
    t, u = np.ones(2), 0.0
    for s in range(n):
        d = x * t
        if s == 1:
            continue
        t = d + 1.0
        u += t[0] * d[1]
        if s == 5:
            break
    return np.sum(t) + u


def passed_or_passed(x, n):
    t = 1.0
    for s in range(n):
        d = x * t
        e = d * d
        if s == 3:
            continue
        t = d + 0.5
        if s == 2:
            continue
        t = t * x + 0.1 * e
    return t


def inner_loop_left(x, n):
    t = 1.0
    for s in range(3):
        for q in range(n):
            d = x * t
            if q == 3:
                break
            if d > 50.0:
                continue
            t = d + 0.2
            if q > s + 1:
                break
    return t


def rows_written(x, n):
    y = np.zeros((n, 2))
    for s in range(1, n):
        d = x[s % 2] * y[s - 1] + x
        if s == 2:
            continue
        y[s] = d * d
        if s == n - 2:
            break
        y[s, 0] += d[1]
    return np.sum(y * y)


SAMPLES = {
    "left_or_left": [(0.7, 6), (0.7, 2)],
    "passed_or_left": [(0.7, 8)],
    "passed_or_passed": [(0.7, 6)],
    "inner_loop_left": [(0.7, 5)],
    "rows_written": [(np.array([0.4, 0.7]), 6)],
}
