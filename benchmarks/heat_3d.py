"""NPBench's heat_3d: a stencil of seven points in space, there and back between two arrays, in place."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def heat_3d(A, B, steps):
    for _ in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, 0:-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, 0:-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return np.sum(A * A)


def loops(A, B, steps):
    a, b = A.copy(), B.copy()
    for _ in range(1, steps):
        spread(b, a)
        spread(a, b)
    a_bar, b_bar = 2.0 * a, np.zeros_like(b)
    inner = np.zeros_like(a)
    for _ in range(1, steps):
        take_back(b_bar, a_bar, inner)
        take_back(a_bar, b_bar, inner)
    return a_bar, b_bar


def spread(to, of):
    n = len(of)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                around = of[i + 1, j, k] + of[i - 1, j, k] + of[i, j + 1, k] + of[i, j - 1, k]
                to[i, j, k] = 0.25 * of[i, j, k] + 0.125 * (around + of[i, j, k + 1] + of[i, j, k - 1])


def take_back(to, of, inner):
    """What `spread` has done, transposed: the cotangents of what it has written lie between zeros."""
    n = len(of)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                inner[i, j, k] = of[i, j, k]
                of[i, j, k] = 0.0
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            to[0, i, j] += 0.125 * inner[1, i, j]
            to[n - 1, i, j] += 0.125 * inner[n - 2, i, j]
            to[i, 0, j] += 0.125 * inner[i, 1, j]
            to[i, n - 1, j] += 0.125 * inner[i, n - 2, j]
            to[i, j, 0] += 0.125 * inner[i, j, 1]
            to[i, j, n - 1] += 0.125 * inner[i, j, n - 2]
            for k in range(1, n - 1):
                around = inner[i + 1, j, k] + inner[i - 1, j, k] + inner[i, j + 1, k] + inner[i, j - 1, k]
                to[i, j, k] += 0.25 * inner[i, j, k] + 0.125 * (around + inner[i, j, k + 1] + inner[i, j, k - 1])


def with_scan() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def spread_inner(of, to):
        middle = of[1:-1, 1:-1, 1:-1]
        new = (
            0.125 * (of[2:, 1:-1, 1:-1] - 2.0 * middle + of[:-2, 1:-1, 1:-1])
            + 0.125 * (of[1:-1, 2:, 1:-1] - 2.0 * middle + of[1:-1, :-2, 1:-1])
            + 0.125 * (of[1:-1, 1:-1, 2:] - 2.0 * middle + of[1:-1, 1:-1, 0:-2])
            + middle
        )
        return to.at[1:-1, 1:-1, 1:-1].set(new)

    def heat_3d_scan(A, B, steps):
        def step(state, _):
            A, B = state
            B = spread_inner(A, B)
            return (spread_inner(B, A), B), None

        (A, B), _ = lax.scan(step, (A, B), None, length=steps - 1)
        return np.sum(A * A)

    return heat_3d_scan


def workload(n: int = 25, steps: int = 25) -> Workload:
    i, j, k = np.meshgrid(*[np.arange(n, dtype=np.float64)] * 3, indexing="ij")
    # NPBench's own start alone is a state of rest
    start = (i + j + (n - k)) * 10 / n + np.random.default_rng(12).standard_normal((n, n, n))
    args = (start, start.copy(), steps)
    return Workload("heat_3d", heat_3d, args, (0, 1), loops=loops, jax=with_scan, static=(2,), written=(0, 1))
