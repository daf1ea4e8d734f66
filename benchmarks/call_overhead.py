"""What one call costs: ten operations on a Python float, and the same on a vector of ten."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.harness import Workload


def scalar(x):
    a = math.sin(x)
    b = a * x + 0.5
    c = math.exp(-b)
    d = c * a - b
    return d * d + math.cos(c)


def scalar_by_hand(x):
    a = math.sin(x)
    b = a * x + 0.5
    c = math.exp(-b)
    d_bar = 2.0 * (c * a - b)
    c_bar = a * d_bar - math.sin(c)
    b_bar = -d_bar - c * c_bar
    return math.cos(x) * (c * d_bar + x * b_bar) + a * b_bar


def vector(x):
    a = np.sin(x)
    b = a * x + 0.5
    c = np.exp(-b)
    d = c * a - b
    return np.sum(d * d + np.cos(c))


def vector_by_hand(x):
    a = np.sin(x)
    b = a * x + 0.5
    c = np.exp(-b)
    d_bar = 2.0 * (c * a - b)
    c_bar = a * d_bar - np.sin(c)
    b_bar = -d_bar - c * c_bar
    return np.cos(x) * (c * d_bar + x * b_bar) + a * b_bar


def scalar_workload(n: int = 1) -> Workload:
    """`n` has no part in it."""
    return Workload("call_scalar", scalar, (0.7,), 0, scalar_by_hand, scalar_by_hand)


def vector_workload(n: int = 10) -> Workload:
    x = np.random.default_rng(2).standard_normal(n)
    return Workload("call_vector", vector, (x,), 0, vector_by_hand, vector_by_hand)
