"""Stencils into arrays that are written turn by turn: what a turn leaves zero on the way back, and what it does not."""

import numpy as np

RNG = np.random.default_rng(61)
X, Y = RNG.uniform(0.4, 1.6, 9), RNG.uniform(0.4, 1.6, 9)
P, Q = RNG.uniform(0.4, 1.6, (5, 7)), RNG.uniform(0.4, 1.6, (5, 7))


def there_and_back(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] * b[1:-1] + b[2:])
    return np.sum(a * a)


def there_and_back_into_both(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] * b[2:] + b[1:-1])
    return np.sum(a * a) + np.sum(a * b)


def without_the_middle(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.4 * a[:-2] * a[2:]
        a[1:-1] = 0.6 * (b[:-2] + b[2:])
    return np.sum(a * a)


def to_one_side(a, b, steps):
    for _ in range(steps):
        b[1:] = 0.8 * a[:-1]
        a[:-1] = np.sin(b[1:]) + b[:-1]
    return np.sum(a * a)


def between_bounds(a, b, steps):
    n = len(a)
    for _ in range(steps):
        b[1 : n - 1] = 0.4 * (a[0 : n - 2] + a[1 : n - 1] + a[2:n])
        a[2 : n - 1] = 0.3 * (b[1 : n - 2] + b[2 : n - 1] + b[3:n])
    return np.sum(a * a)


def some_turns_skipped(a, b, steps):
    for k in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        if k % 2:
            continue
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a)


def left_behind_a_turn(a, b, steps):
    for k in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
        if k == 1:
            break
    return np.sum(a * a)


def seen_from_elsewhere(a, b, steps):
    ends = b[:2]
    for _ in range(steps):
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        a[:2] += ends * a[-2:]
    return np.sum(a * a)


def of_itself(a, steps):
    for _ in range(steps):
        a[1:-1] = 0.4 * (a[:-2] + a[1:-1] * a[1:-1] + a[2:])
    return np.sum(a * a)


def two_turns_in_one(a, b, rounds):
    for _ in range(rounds):
        c = np.zeros(len(a))
        for _ in range(2):
            c[1:-1] = 0.4 * (a[:-2] + a[2:]) + b[1:-1]
            a[1:-1] = 0.3 * (c[:-2] + c[1:-1] + c[2:])
        b[1:-1] = a[:-2] * c[2:]
    return np.sum(a * b)


def a_part_set_again(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        b[2:4] = a[:2] * b[3:5]
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
        a[:3] = 0.7
    return np.sum(a * a)


def in_planes(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] * a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * a)


def along_rows(a, b, steps):
    for _ in range(steps):
        b[:, 1:-1] = 0.4 * (a[:, :-2] + a[:, 1:-1] + a[:, 2:])
        a[:, 1:-1] = 0.3 * (b[:, :-2] * b[:, 2:] + b[:, 1:-1])
    return np.sum(a * a)


def down_columns(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.4 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] * b[2:] + b[1:-1])
    return np.sum(a * a)


def row_by_row(a, b):
    for r, q in zip(a, b):
        for _ in range(2):
            q[1:-1] = 0.4 * (r[:-2] + r[1:-1] + r[2:])
            r[1:-1] = 0.3 * (q[:-2] + q[1:-1] + q[2:])
    return np.sum(a * a)


LINES = [(X, Y, 3), (X[:2], Y[:2], 2), (X[:3], Y[:3], 2), (X[:4], Y[:4], 3), (X[:5], Y[:5], 0), (X[:6], Y[:6], 1)]
PLANES = [(P, Q, 2), (P[:3, :4].copy(), Q[:3, :4].copy(), 3), (P[:, :2].copy(), Q[:, :2].copy(), 1)]
SAMPLES = {
    "there_and_back": LINES,
    "there_and_back_into_both": LINES,
    "without_the_middle": LINES,
    "to_one_side": LINES,
    "between_bounds": [(X, Y, 3), (X[:5], Y[:5], 2)],
    "some_turns_skipped": LINES,
    "left_behind_a_turn": LINES,
    "seen_from_elsewhere": LINES,
    "of_itself": [(X, 3), (X[:2], 2), (X[:3], 2), (X[:4], 2)],
    "two_turns_in_one": LINES,
    "a_part_set_again": [(X, Y, 3), (X[:6], Y[:6], 2)],
    "in_planes": PLANES,
    "along_rows": PLANES,
    "down_columns": PLANES,
    "row_by_row": [(P, Q), (P[:2, :3].copy(), Q[:2, :3].copy())],
}
