"""Twenty-six arithmetic operations on two long vectors, one after another."""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Workload


def elem_chain(x, y):
    a = x * y + x
    b = a * a - y
    c = b / (1.0 + x * x)
    d = c * y + a * b
    e = d - 0.5 * c * x
    f = e / (2.0 + y * y)
    g = f * a + e * b
    h = g - c * d
    p = h * 0.25 + f * f
    q = p - x * y
    return np.sum(q)


def by_hand(x, y):
    a = x * y + x
    b = a * a - y
    x_2 = 1.0 + x * x
    y_2 = 2.0 + y * y
    c = b / x_2
    d = c * y + a * b
    e = d - 0.5 * c * x
    f = e / y_2
    f_bar = 2.0 * f + 0.25 * a
    e_bar = 0.25 * b + f_bar / y_2
    d_bar = e_bar - 0.25 * c
    c_bar = y * d_bar - 0.25 * d - 0.5 * x * e_bar
    b_bar = 0.25 * e + a * d_bar + c_bar / x_2
    a_bar = 0.25 * f + b * d_bar + 2.0 * a * b_bar
    x_bar = -y - 0.5 * c * e_bar - 2.0 * x * c * c_bar / x_2 + (y + 1.0) * a_bar
    y_bar = -x - 2.0 * y * f * f_bar / y_2 + c * d_bar - b_bar + x * a_bar
    return x_bar, y_bar


def loops(x, y):
    n = len(x)
    x_bar, y_bar = np.empty(n), np.empty(n)
    for i in range(n):
        s, t = x[i], y[i]
        a = s * t + s
        b = a * a - t
        s_2, t_2 = 1.0 + s * s, 2.0 + t * t
        c = b / s_2
        d = c * t + a * b
        e = d - 0.5 * c * s
        f = e / t_2
        f_bar = 2.0 * f + 0.25 * a
        e_bar = 0.25 * b + f_bar / t_2
        d_bar = e_bar - 0.25 * c
        c_bar = t * d_bar - 0.25 * d - 0.5 * s * e_bar
        b_bar = 0.25 * e + a * d_bar + c_bar / s_2
        a_bar = 0.25 * f + b * d_bar + 2.0 * a * b_bar
        x_bar[i] = -t - 0.5 * c * e_bar - 2.0 * s * c * c_bar / s_2 + (t + 1.0) * a_bar
        y_bar[i] = -s - 2.0 * t * f * f_bar / t_2 + c * d_bar - b_bar + s * a_bar
    return x_bar, y_bar


def workload(n: int = 1_000_000) -> Workload:
    rng = np.random.default_rng(7)
    return Workload("elem_chain", elem_chain, (rng.standard_normal(n), rng.standard_normal(n)), (0, 1), by_hand, loops)
