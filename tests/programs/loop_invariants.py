"""What every turn of a loop computes alike: read, kept, handed on, written into, told apart, in loops of loops."""

import numpy as np


def read_in_all_turns(x, p, A, n):
    for _ in range(n):
        c = np.exp(0.1 * p)
        B = np.outer(p, p)
        x = np.sin(A.T @ x) * c + 0.1 * (B @ x)
    return np.sum(x)


def steps_with_momentum(w, X, t, n):
    m, v = np.zeros_like(w), np.zeros_like(w)
    for k in range(1, n + 1):
        g = X.T @ (X @ w - t) / len(t)
        m, v = 0.9 * m + 0.1 * g, 0.9 * v + 0.1 * g * g
        w = w - 0.1 * (m / (1.0 - 0.9**k)) * np.exp(-v)
    return np.sum((X @ w - t) ** 2)


def in_the_outer_loop(x, p, q, n):
    for i in range(n):
        for j in range(2):
            e = np.exp(p * q)
            r = np.tanh(x)
            for k in range(2):
                x = x + 0.1 * np.sin(e * x) * r + 0.1 * np.cos(r)
    return np.sum(x * x)


def while_it_is_small(x, p):
    while np.sum(x) < 9.0:
        c = np.cosh(p)
        x = x * c + 0.1 * p
    return np.sum(x * x)


def handed_on_and_written(x, p, n):
    rows = []
    for i in range(n):
        r = np.exp(p)
        rows.append(r)
        x = x + r
    rows[0][0] = 0.5
    return np.sum(x) + np.sum(rows[1] * x) + np.sum(rows[0])


def written_in_a_turn(x, p, n):
    for i in range(n):
        r = np.exp(p)
        r[0] *= x[0]
        r += 0.1 * x
        x = x + np.sin(r)
    return np.sum(x)


def carried_to_the_next(x, p, n):
    z = p * 1.0
    for i in range(n):
        z, y = np.exp(0.2 * p), z
        x = x + z * y
    z *= 0.5
    return np.sum(x) + np.sum(z)


def of_what_is_written(x, p, n):
    p = p * 1.0
    for i in range(n):
        c = np.exp(p)
        v = p[1:]
        p[0] = 0.3 * x[0]
        x = x * c + 0.1 * np.sum(v * p[:-1])
    return np.sum(x)


def views_of_one(x, A, n):
    A = A.copy()
    for i in range(n):
        T, v = A.T, A[:, 1]
        T[0, i % 3] = x[0]
        x = np.sin(T @ x) + v
    return np.sum(x) + A[2, 0]


def told_apart(x, p, n):
    last, apart = p, 0.0
    for i in range(n):
        r = np.exp(p)
        apart += 0.0 if r is last else 1.0
        last = r
        x = x * r
    return np.sum(x) * apart


def not_in_every_turn(x, p, n):
    for i in range(n):
        if i == 1:
            continue
        c = np.exp(p)
        if x[0] > 3.0:
            x = x * c
            break
        x = x + c
    return np.sum(x)


def no_turn_divides(x, p, n):
    """No turn at all: nothing is divided by zero, and NumPy warns of nothing."""
    for i in range(n):
        x = x / p + np.log(p) * p**-1.0
    return np.sum(x * x)


def half_of_a_step(x, h, n):
    for i in range(n):
        half = 0.5 * h
        x = x + half * np.sin(x + half) * (1.0 - half * 2)
    return x


def first_columns_again(w, X, k, n):
    for i in range(n):
        w = w - 0.1 * (X[:, :k].T @ (X[:, :k] @ w[:k]))[0]
    return np.sum(w * w)


V = np.array([0.3, 0.7, 0.5])
W = np.array([0.6, 0.2, 0.4])
M = np.array([[0.9, 0.2, 0.1], [0.3, 0.8, 0.5], [0.4, 0.1, 0.7]])
SAMPLES = {
    "read_in_all_turns": [(V, W, M, 3), (V, W, M, 0)],
    "steps_with_momentum": [(V, M, W, 4)],
    "in_the_outer_loop": [(V, W, W + 0.1, 2)],
    "while_it_is_small": [(V, W)],
    "handed_on_and_written": [(V, W, 3)],
    "written_in_a_turn": [(V, W, 3)],
    "carried_to_the_next": [(V, W, 3), (V, W, 0)],
    "of_what_is_written": [(V, W, 3)],
    "views_of_one": [(V, M, 4)],
    "told_apart": [(V, W, 3)],
    "not_in_every_turn": [(V, W, 4)],
    "no_turn_divides": [(V, W, 2), (V, np.array([0.0, 0.0, 1.0]), 0)],
    "half_of_a_step": [(0.4, 0.1, 5)],
    "first_columns_again": [(V, M, 2, 3)],
}
