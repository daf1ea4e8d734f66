"""Twenty-six arithmetic operations on two long vectors, one after another."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Workload


def elem_chain(x, y):
    u = x * y + x
    v = u * u - y
    u = v / (1.0 + x * x) + u
    v = u * y - v * 0.5
    u = v / (2.0 + y * y) - u
    v = u * v + 0.25 * u
    u = v - u * x
    v = u / (1.5 + v * v)
    return np.sum(v * u - x * y)


def by_hand(x, y):
    """`p`, `q`, `r` are what is divided by in turn; quotients are differences of what follows them."""
    u1 = x * y + x
    v1 = u1 * u1 - y
    p = 1.0 + x * x
    u2 = v1 / p + u1
    v2 = u2 * y - v1 * 0.5
    q = 2.0 + y * y
    u3 = v2 / q - u2
    v3 = u3 * v2 + 0.25 * u3
    u4 = v3 - u3 * x
    r = 1.5 + v3 * v3
    v4 = u4 / r
    u4_bar = 2.0 * v4
    v3_bar = u4_bar - 2.0 * v3 * v4 * v4
    u3_bar = (v2 + 0.25) * v3_bar - x * u4_bar
    t = u3_bar / q
    v2_bar = u3 * v3_bar + t
    y_bar = u2 * v2_bar - 2.0 * y * (u3 + u2) * t - x
    u2_bar = y * v2_bar - u3_bar
    t = u2_bar / p
    v1_bar = t - 0.5 * v2_bar
    y_bar -= v1_bar
    u1_bar = u2_bar + 2.0 * u1 * v1_bar
    y_bar += x * u1_bar
    return (y + 1.0) * u1_bar - 2.0 * x * (u2 - u1) * t - u3 * u4_bar - y, y_bar


def loops(x, y):
    n = len(x)
    x_bar, y_bar = np.empty(n), np.empty(n)
    for i in range(n):
        a, b = x[i], y[i]
        u1 = a * b + a
        v1 = u1 * u1 - b
        p = 1.0 + a * a
        u2 = v1 / p + u1
        v2 = u2 * b - v1 * 0.5
        q = 2.0 + b * b
        u3 = v2 / q - u2
        v3 = u3 * v2 + 0.25 * u3
        u4 = v3 - u3 * a
        v4 = u4 / (1.5 + v3 * v3)
        u4_bar = v4 + v4
        v3_bar = u4_bar - 2.0 * v3 * v4 * v4
        u3_bar = (v2 + 0.25) * v3_bar - a * u4_bar
        t = u3_bar / q
        v2_bar = u3 * v3_bar + t
        u2_bar = b * v2_bar - u3_bar
        s = u2_bar / p
        v1_bar = s - 0.5 * v2_bar
        u1_bar = u2_bar + 2.0 * u1 * v1_bar
        x_bar[i] = (b + 1.0) * u1_bar - 2.0 * a * (u2 - u1) * s - u3 * u4_bar - b
        y_bar[i] = u2 * v2_bar - 2.0 * b * (u3 + u2) * t - a - v1_bar + a * u1_bar
    return x_bar, y_bar


def workload(n: int = 1_000_000) -> Workload:
    rng = np.random.default_rng(7)
    return Workload("elem_chain", elem_chain, (rng.standard_normal(n), rng.standard_normal(n)), (0, 1), by_hand, loops)
