"""Ranges, slices and index tuples that are made inside of branches, or of numbers that are computed there; ranges with a
step that is known when the code runs; a few numbers side by side, of which an index chooses one."""

import math

import numpy as np

RNG = np.random.default_rng(62)
X = RNG.uniform(0.4, 1.6, 7)
A = RNG.uniform(0.4, 1.6, (5, 5))
FLAGS = np.array([1, 0, 1, 1, 0, 1, 1])


def ranges_in_a_branch(x, flags):
    total = 0.0
    for i in range(len(x)):
        if flags[i] == 1:
            s = 0.0
            for j in range(i, min(len(x), i + 3)):
                s += np.exp(x[j])
            total += x[i] * np.log(s)
    return total


def ranges_on_both_sides(x, flags):
    total = 0.0
    n = len(x)
    for i in range(n):
        p = x[i]
        if flags[i] == 1:
            for j in range(i + 1, n):
                p = p * x[j]
        elif i > 2:
            for j in range(n - 1, i, -2):
                p = p + x[j] * x[i]
        else:
            p = p * p
        total += p
    return total


def ranges_behind_a_continue(x, flags):
    total = 0.0
    for i in range(len(x)):
        if flags[i] == 0:
            continue
        stop = min(len(x), i + 2)
        p = 1.0
        for j in range(i, stop):
            p = p * x[j]
        total += p
    return total


def ranges_between_numbers_of_an_array(x, ends):
    total = 0.0
    for k in range(len(ends) - 1):
        if ends[k + 1] > ends[k]:
            p = 1.0
            for j in range(ends[k], ends[k + 1]):
                p *= math.sin(x[j])
            total += p * p
    return total


def a_range_in_no_loop(x, n):
    p = 1.0
    if n > 2:
        for j in range(1, n):
            p = p * x[j]
    return p * x[0]


def rows_in_a_branch(a):
    total = 0.0
    for i in range(a.shape[0]):
        if a[i, 0] > 0.8:
            p = 1.0
            for v in a[i, 1:]:
                p = p * v
            total += p
    return total


def slices_in_a_branch(a):
    u = a * 1.0
    for i in range(1, a.shape[0]):
        if a[i, 0] > 0.8:
            u[i, 1:-1] = u[i, 1:-1] * u[i - 1, :-2]
            u[i, i:] = u[i, i:] * u[i, i]
    return np.sum(u * u)


def eliminated(a, x):
    m, b = a.copy(), x[: a.shape[0]].copy()
    n = m.shape[0]
    for k in range(n):
        for i in range(n):
            if i != k:
                f = m[i, k] / (m[k, k] + 2.0)
                for j in range(k, n):
                    m[i, j] -= f * m[k, j]
                b[i] -= f * b[k]
    return np.sum(b * b)


def indices_from_numbers(a, x):
    h, w = a.shape
    out = np.zeros(len(x))
    for i in range(len(x)):
        y = min(max(2.0 * x[i], 0.0), h - 1.001)
        z = min(max(3.0 * x[i] - 0.5, 0.0), w - 1.001)
        k, m = int(y), int(z)
        p, q = y - k, z - m
        out[i] = (1 - p) * (1 - q) * a[k, m] + (1 - p) * q * a[k, m + 1] + p * (1 - q) * a[k + 1, m] + p * q * a[k + 1, m + 1]
    return np.sum(out * out)


def pairs_in_a_branch(a):
    force = np.zeros(a.shape)
    e = 0.0
    for i in range(a.shape[0]):
        for j in range(i + 1, a.shape[0]):
            d = a[i, 0] - a[j, 0]
            if d * d < 0.5:
                force[i, 0] += d * a[i, 1]
                force[j, 1] -= d * d
                e += d * d * a[j, 2]
    return e + np.sum(force * force)


def by_a_step(x, h):
    total = 0.0
    for i in range(0, len(x), h):
        total += np.sin(x[i]) * x[i]
    return total


def by_steps_up_and_down(x, h):
    total = 0.0
    for t in range(1, h):
        for i in range(len(x) - 1, 0, -t):
            total = total * 0.5 + x[i] * x[i] * t
        for i in range(t, len(x), 2 * t):
            total += x[i] * total * 0.1
    return total


def by_halves(x):
    a = x[:4] * 1.0
    h = 2
    while h >= 1:
        for s in range(0, 4, 2 * h):
            for k in range(h):
                a[s + k] = a[s + k] * a[s + k + h] + 0.1
        h //= 2
    return np.sum(a)


def one_of_a_few(x):
    total = 0.0
    for p in range(len(x)):
        w = [0.5 * x[p] * x[p], 0.75 - x[p], np.sin(x[p])]
        for a in range(-3, 3):
            for b in range(2):
                total += w[a] * w[b] * (a + b)
    return total


def one_of_a_tuple(x, k):
    total = 0.0
    for p in range(len(x)):
        w = (x[p], x[p] * x[0], x[1])
        total += w[k] ** 2 + w[-k] * w[p % 2]
    return total


def one_of_a_few_that_change(x, k):
    total = 0.0
    for p in range(len(x)):
        w = [x[p], 2.0, x[p] * x[0]]
        w[1] = x[p] ** 3
        total += w[k] ** 2 + w[-k] * w[p % 2]
        w.append(total)
        total += w[-1] * w[k]
    return total


def cubes(x):
    return np.sum(1.0 / (1.0 + x**3) + (x - 1.0) ** 3 * x)


SAMPLES = {
    "ranges_in_a_branch": [(X, FLAGS), (X[:1], FLAGS)],
    "ranges_on_both_sides": [(X, FLAGS), (X[:2], FLAGS)],
    "ranges_behind_a_continue": [(X, FLAGS)],
    "ranges_between_numbers_of_an_array": [(X, np.array([0, 2, 2, 3, 7]))],
    "a_range_in_no_loop": [(X, 5), (X, 1)],
    "rows_in_a_branch": [(A,)],
    "slices_in_a_branch": [(A,), (A[:4],)],
    "eliminated": [(A, X)],
    "indices_from_numbers": [(A, X)],
    "pairs_in_a_branch": [(A,)],
    "by_a_step": [(X, 1), (X, 3), (X, 9)],
    "by_steps_up_and_down": [(X, 4), (X, 1)],
    "by_halves": [(X,)],
    "one_of_a_few": [(X,)],
    "one_of_a_tuple": [(X, 1), (X, 2)],
    "one_of_a_few_that_change": [(X, 0), (X, 2)],
    "cubes": [(X,)],
}
