"""Factorisations and recurrences in loops over single items: what they read is seldom written again."""

import numpy as np


def lu_by_items(a):
    u = a.copy()
    n = u.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                u[i, j] -= u[i, k] * u[k, j]
            u[i, j] /= u[j, j]
        for j in range(i, n):
            for k in range(i):
                u[i, j] -= u[i, k] * u[k, j]
    return sum_of_logs(u)


def sum_of_logs(u):
    s = 0.0
    for k in range(u.shape[0]):
        s += np.log(abs(u[k, k]))
    return s


def lu_after_crout(a):
    n = a.shape[0]
    lower, upper = np.zeros((n, n)), np.eye(n)
    for j in range(n):
        for i in range(j, n):
            s = 0.0
            for k in range(j):
                s += lower[i, k] * upper[k, j]
            lower[i, j] = a[i, j] - s
        for i in range(j + 1, n):
            s = 0.0
            for k in range(j):
                s += lower[j, k] * upper[k, i]
            upper[j, i] = (a[j, i] - s) / lower[j, j]
    return sum_of_logs(lower) + upper[0, n - 1] ** 2


def cholesky_in_place(a, b):
    n = a.shape[0]
    l, y = a.copy(), b.copy()
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                l[i, j] -= l[i, k] * l[j, k]
        l[j, j] = np.sqrt(l[j, j])
        for i in range(j + 1, n):
            l[i, j] /= l[j, j]
    for i in range(n):
        for k in range(i):
            y[i] -= l[i, k] * y[k]
        y[i] = y[i] / l[i, i]
    return np.sum(y * y)


def shortest_scaled_path(c):
    """Floyd and Warshall's loops, in which what is read may be written again."""
    d = c.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] * d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return np.sum(d)


def filtered_backwards(x):
    y = np.zeros(len(x) + 2)
    for i in range(len(x) - 1, -1, -1):
        y[i] = np.sin(y[i + 1]) * x[i] + 0.3 * y[i + 2] * y[i + 1]
        y[i + 2] *= 0.5
    return np.sum(y * y)


_A = np.random.default_rng(3).uniform(-0.5, 0.5, (4, 4))
_S = _A @ _A.T + 2.0 * np.eye(4)
_C = np.random.default_rng(4).uniform(0.3, 2.0, (4, 4))

SAMPLES = {
    "lu_by_items": [(_S + _A,)],
    "sum_of_logs": [(_S,)],
    "lu_after_crout": [(_S + _A,)],
    "cholesky_in_place": [(_S, np.array([0.4, -0.7, 1.1, 0.2]))],
    "shortest_scaled_path": [(_C,)],
    "filtered_backwards": [(np.array([0.4, 0.9, 1.3, 0.2, 0.8]),)],
}
