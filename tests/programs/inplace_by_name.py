"""Arrays that augmented assignments change under their names, in loops that also write into parts of them."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
W = np.array([0.9, 1.3, 0.2, 0.6])


def damped_and_moved(x, w):
    for _ in range(3):
        x[1:] += x[:-1] * w[1:]
        x *= w
    return np.sum(x * x)


def changed_on_some_paths(x, w, flag):
    for i in range(4):
        if i % 2 == flag:
            x *= w
        elif i == 3:
            x += w
            continue
        x[1:] += x[:-1] * w[1:]
    return np.sum(x * x)


def until_large(x, w):
    n = 0
    while np.sum(x) < 20.0 and n < 9:
        x *= 1.0 + w
        n += 1
        if n == 6:
            break
    return np.sum(x * x)


def names_change_places(x, w):
    y = x.copy()
    for _ in range(3):
        y *= w
        x, y = y, x
        x -= 0.1
    return np.sum(x * y * y)


def made_anew_on_some_paths(x, w):
    y = x
    for i in range(3):
        y *= w
        if i == 1:
            y = y * 2.0
        y[0] += 1.0
    return np.sum(x * y)


def in_two_loops(x, w):
    for _ in range(3):
        for j in range(2):
            x *= w
            x[j] -= 1.0
        x /= 2.0
    return np.sum(x * x)


def inert_counts(x, w):
    k = np.zeros(3, int)
    for i in range(3):
        k += i
        k[0] *= 2
        x[k[1] % 3] *= w[0]
    return np.sum(x[:3] * k)


def sums_that_may_be_none(x, w, n):
    s = np.zeros(4)
    for _ in range(n):
        s += x * w
        s *= 2.0
    return np.sum(s * x)


def number_that_turns(x, w):
    s = 0.0
    for _ in range(3):
        s += x * w
        s *= x
    return np.sum(s)


def rows_of_a_list(x, w):
    for row in [x, w]:
        row *= 2.0
        for _ in range(2):
            row += row[::-1] * 0.3
    return np.sum(x * w)


def views_changed(x, w):
    inner = x[1:-1]
    for _ in range(2):
        inner *= w[1:-1]
        inner += x[2:] * 0.5
        x *= 1.5
    return np.sum(x * w)


def items_put_back(x, w):
    table = [x * 1.0, w * 2.0]
    for k in range(2):
        table[k] += x
        table[k][1:] *= table[k - 1][:-1]
        table[k] *= w
    return np.sum(table[0] * table[1])


SAMPLES = {
    "damped_and_moved": [(X, W)],
    "changed_on_some_paths": [(X, W, 0), (X, W, 1)],
    "until_large": [(X, W), (0.01 * X, W)],
    "names_change_places": [(X, W)],
    "made_anew_on_some_paths": [(X, W)],
    "in_two_loops": [(X, W)],
    "inert_counts": [(X, W)],
    "sums_that_may_be_none": [(X, W, 3), (X, W, 0)],
    "number_that_turns": [(X, W)],
    "rows_of_a_list": [(X, W)],
    "views_changed": [(X, W)],
    "items_put_back": [(X, W)],
}
