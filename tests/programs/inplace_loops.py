"""Writes in loops: buffers, exits, tests on what is written."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])


def rows_of_a_matrix(x):
    a = np.outer(x, x)
    for row in a:
        row *= 2.0
        row[0] = row[1] * row[2]
    return np.sum(a**2)


def columns_of_a_matrix(x):
    a = np.outer(x, x)
    for col in a.T:
        col -= np.mean(col)
        col *= col[0]
    return np.sum(a**2 * np.arange(16).reshape(4, 4))


def rows_of_two_matrices(x):
    a = np.outer(x, x)
    b = np.zeros((4, 4))
    for r, q in zip(a, b):
        q[:] = r**2
        q[0] = np.sum(r)
    return np.sum(a * b)


def rows_by_number(x):
    a = np.outer(x, x)
    for i, r in enumerate(a):
        r[i] = x[i] ** 3
    return np.sum(a**2)


def read_through_a_tuple(x, y):
    """Arrays that are written, and read through a tuple that was made before."""
    s, a, b = 0.0, np.zeros(len(x)), y * 1.0
    for i in range(3):
        both = (a, b)
        a[:] = x * 2.0 + i
        b[1:] = b[:-1] * 0.5 + x[1:]
        c = np.concatenate(both)
        s = s + np.sum(c * c) * 0.1 + np.sum(np.stack(both) * x)
    return s


def four_parts_of_one(x, y):
    """Parts of an array, one behind the other, which are handed on together."""
    n = len(y) // 2
    h, s = np.tanh(y[:n]), 0.0
    for _ in range(3):
        g = np.concatenate((h, x[:n], h, x[-n:])) * np.sum(y) + 0.1
        h = h * g[:n] + np.tanh(g[n : 2 * n]) * g[2 * n : 3 * n] - np.sin(g[3 * n :])
        s = s + np.sum(h)
    return s


def rows_with_numbers(x):
    a = np.outer(x, x)
    b = a.copy()
    for r, (i, q) in zip(a, enumerate(b)):
        q[i] = r[0] * q[3]
        r[...] = q[::-1]
    return np.sum(a**2 * b)


def double_buffer(x):
    u = x.copy()
    v = np.zeros_like(u)
    for _ in range(5):
        v[1:-1] = 0.3 * u[:-2] + 0.4 * np.sin(u[1:-1]) + 0.3 * u[2:]
        v[0] = u[0]
        v[-1] = u[-1] * u[0]
        u, v = v, u
    return np.sum(u**2)


def buffers_in_a_list(x):
    bufs = [x.copy(), np.zeros(4)]
    for t in range(5):
        src, dst = bufs[t % 2], bufs[(t + 1) % 2]
        dst[1:-1] = src[:-2] * src[2:]
        dst[0] = src[0]
        dst[-1] = src[-1] + dst[0]
    return np.sum(bufs[1] ** 2) + np.sum(bufs[0])


def buffers_in_one_array(x):
    u = np.zeros((2, 4))
    u[0] = x
    for t in range(5):
        s, d = u[t % 2], u[(t + 1) % 2]
        d[1:-1] = np.sin(s[:-2]) * s[2:]
        d[0] = s[0]
        d[-1] = s[-1] + d[0]
    return np.sum(u**2)


def buffers_in_a_tuple(x):
    s = (x.copy(), x * 2)
    for i in range(3):
        a, b = s
        a[i] += b[i + 1] ** 2
        s = (b, a)
    return np.sum(s[0] * s[1])


def three_names_in_turn(x):
    a = x.copy()
    b = x * 2.0
    c = np.ones(4)
    for i in range(5):
        a, b, c = b, c, a
        a[i % 4] += b[0] * c[1]
        c = c * 1.1
    return np.sum(a * b) + np.sum(c**2)


def rebound_once_in_a_loop(x):
    a = x.copy()
    first = a
    for i in range(4):
        if i == 2:
            a = a * 2.0
        a[i] = a[i - 1] ** 2
    return np.sum(first**2) + np.sum(a * first)


def buffers_swapped_in_while(x):
    a = x.copy()
    b = np.zeros(4)
    k = 0
    while k < 3:
        np.multiply(a, 1.1, out=b)
        b[k] += a[k] ** 2
        a, b = b, a
        k += 1
    return np.sum(a**2) + np.sum(b)


def write_or_add(x):
    y = x.copy()
    for i in range(4):
        if y[i] > 0.5:
            y[i] = y[i - 1] * y[i]
        else:
            y[i] += x[0]
    return np.sum(y**2)


def left_in_the_middle(x):
    y = x.copy()
    i = 0
    while True:
        y[i % 4] *= 1.3
        if y[i % 4] > 1.0 or i > 10:
            break
        y[(i + 1) % 4] += 0.3 * y[i % 4] ** 2
        i += 1
    return np.sum(y**2)


def returned_from_a_loop(x):
    y = x.copy()
    for i in range(4):
        y[i] = y[i] * y[i - 1] + 1
        if y[i] > 1.5:
            return np.sum(y**2)
    return np.sum(y)


def continue_and_break(x):
    y = x.copy()
    for i in range(4):
        if i == 1:
            continue
        y[i] *= y[i - 1]
        if y[i] > 5:
            break
        y[i] += 1
    return np.sum(y**2)


def exits_between_writes(x):
    y = x.copy()
    y[0] *= 3.0
    if y[0] > 5.0:
        return np.sum(y)
    y[1] = y[0] ** 2
    for i in range(4):
        y[i] += 0.5
        if y[i] > 1.2:
            y[0] = y[i] ** 2
            return np.sum(y**2) + i
        y[i] *= y[0]
    return np.sum(y**3)


def loops_that_do_not_run(x):
    y = x.copy()
    for i in range(len(x) - 4):
        y[i] = 7.0 * x[i] ** 2
        y = y * 2
    while y[0] > 100:
        y *= 0.5
    return np.sum(y**2)


def while_on_what_is_written(x):
    y = x.copy()
    n = 0
    while np.sum(y**2) < 40 and n < 10:
        y *= 1.2
        y[n % 4] += x[0]
        n += 1
    return np.sum(y) * n


def while_within_while(x):
    y = x.copy()
    i = 0
    while i < 3:
        j = 0
        while j < 4:
            y[j] = y[j] * y[i] + 0.1
            if y[j] > 2.0:
                break
            j += 1
        i += 1
    return np.sum(y**2)


def loops_with_else(x):
    y = x.copy()
    for i in range(4):
        y[i] += y[i - 1]
        if y[i] > 100:
            break
    else:
        y *= 2.0
    while y[0] < 1:
        y += x
    else:
        y[2] = y[0] ** 2
    return np.sum(y**2)


def the_test_writes(x):
    y = x.copy()
    n = np.zeros(1)

    def step():
        y[:] = y * 1.5
        n[0] += 1.0
        return y[0] < 3.0

    while step():
        y[1] += y[0]
    return np.sum(y**2) + n[0] * x[0]


def table_of_steps(x):
    n = 4
    a = np.zeros((n, n))
    a[0] = x
    for t in range(1, n):
        for j in range(n):
            a[t, j] = 0.5 * a[t - 1, j] + 0.25 * np.tanh(a[t - 1, (j + 1) % n] * a[t, j - 1])
    return np.sum(a**2)


def cells_in_place(x):
    a = np.outer(x, x)
    for i in range(1, 3):
        for j in range(1, 3):
            a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i + 1, j] * a[i, j + 1]) / 3
    return np.sum(a)


def coefficients_in_an_array(x):
    c = np.zeros(2)
    s = 0.0
    for i in range(4):
        c[0] = i + 1.0
        c[1] = c[0] * 2
        s += x[i] ** 2 * c[0] + x[i] * c[1]
    return s


def two_accumulators(x):
    y = np.zeros(2)
    for v in x:
        y[0] += v**2
        y[1] -= v * y[0]
    return y[0] * y[1]


def prefix_and_suffix(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    for i in reversed(range(len(y) - 1)):
        y[i] *= y[i + 1]
    return y[0]


def index_array_that_changes(x):
    idx = np.zeros(2, int)
    y = x.copy()
    for i in range(3):
        idx[0] = i
        idx[1] = i + 1
        y[idx] = y[idx[::-1]] * 1.5
    return np.sum(y**2)


def counter_in_a_dict(x):
    c = {"n": 0}
    y = x.copy()
    for v in x:
        c["n"] += 1
        y[c["n"] - 1] = v**2
    return np.sum(y) * c["n"]


def try_without_derivatives(x):
    y = x.copy()
    n = np.zeros(3)
    try:
        n[0] = 3.0
    finally:
        n[1] = 1.0
    y *= n[0]
    y[0] = n[1]
    return np.sum(y**2)


def raise_that_is_not_met(x):
    y = x.copy()
    for i in range(4):
        if y[i] < -100:
            raise ValueError("no")
        y[i] = y[i - 1] * 2
    assert y.shape == (4,)
    return np.sum(y**2)


SAMPLES = {
    "rows_of_a_matrix": [(X,), (Y,)],
    "columns_of_a_matrix": [(X,), (Y,)],
    "rows_of_two_matrices": [(X,), (Y,)],
    "rows_by_number": [(X,), (Y,)],
    "rows_with_numbers": [(X,), (Y,)],
    "read_through_a_tuple": [(X, Y)],
    "four_parts_of_one": [(X, Y), (X[:3], Y[:2])],
    "double_buffer": [(X,), (Y,)],
    "buffers_in_a_list": [(X,), (Y,)],
    "buffers_in_one_array": [(X,), (Y,)],
    "buffers_in_a_tuple": [(X,), (Y,)],
    "three_names_in_turn": [(X,), (Y,)],
    "rebound_once_in_a_loop": [(X,), (Y,)],
    "buffers_swapped_in_while": [(X,), (Y,)],
    "write_or_add": [(X,), (Y,)],
    "left_in_the_middle": [(X,), (Y,)],
    "returned_from_a_loop": [(X,), (Y,)],
    "continue_and_break": [(X,), (Y,)],
    "exits_between_writes": [(X,), (Y,)],
    "loops_that_do_not_run": [(X,), (Y,)],
    "while_on_what_is_written": [(X,), (Y,)],
    "while_within_while": [(X,), (Y,)],
    "loops_with_else": [(X,)],
    "the_test_writes": [(X,)],
    "table_of_steps": [(X,), (Y,)],
    "cells_in_place": [(X,), (Y,)],
    "coefficients_in_an_array": [(X,), (Y,)],
    "two_accumulators": [(X,), (Y,)],
    "prefix_and_suffix": [(X,), (Y,)],
    "index_array_that_changes": [(X,), (Y,)],
    "counter_in_a_dict": [(X,), (Y,)],
    "try_without_derivatives": [(X,), (Y,)],
    "raise_that_is_not_met": [(X,), (Y,)],
}
