"""NPBench's jacobi_2d: a stencil of five points, there and back between two arrays, in place."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def jacobi_2d(A, B, steps):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A * A)


def by_hand(A, B, steps):
    a, b = A.copy(), B.copy()
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    a_bar, b_bar = 2.0 * a, np.zeros_like(b)
    for _ in range(1, steps):
        for to, of in ((b_bar, a_bar), (a_bar, b_bar)):
            t = 0.2 * of[1:-1, 1:-1]
            of[1:-1, 1:-1] = 0.0
            to[1:-1, 1:-1] += t
            to[1:-1, :-2] += t
            to[1:-1, 2:] += t
            to[2:, 1:-1] += t
            to[:-2, 1:-1] += t
    return a_bar, b_bar


def loops(A, B, steps):
    a, b = A.copy(), B.copy()
    n = len(a)
    for _ in range(1, steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    a_bar, b_bar = 2.0 * a, np.zeros_like(b)
    # between zeros: each element gathers what it has given to five
    inner = np.zeros_like(a)
    for _ in range(1, steps):
        take_back(b_bar, a_bar, inner)
        take_back(a_bar, b_bar, inner)
    return a_bar, b_bar


def take_back(to, of, inner):
    n = len(to)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            inner[i, j] = 0.2 * of[i, j]
            of[i, j] = 0.0
    for i in range(1, n - 1):
        to[i, 0] += inner[i, 1]
        to[i, n - 1] += inner[i, n - 2]
        to[0, i] += inner[1, i]
        to[n - 1, i] += inner[n - 2, i]
        for j in range(1, n - 1):
            to[i, j] += inner[i, j] + inner[i, j + 1] + inner[i, j - 1] + inner[i - 1, j] + inner[i + 1, j]


def with_scan() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def jacobi_2d_scan(A, B, steps):
        def step(state, _):
            A, B = state
            inner = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
            B = B.at[1:-1, 1:-1].set(0.2 * inner)
            inner = B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
            A = A.at[1:-1, 1:-1].set(0.2 * inner)
            return (A, B), None

        (A, B), _ = lax.scan(step, (A, B), None, length=steps - 1)
        return np.sum(A * A)

    return jacobi_2d_scan


def workload(n: int = 150, steps: int = 50) -> Workload:
    i, j = np.meshgrid(np.arange(n, dtype=np.float64), np.arange(n, dtype=np.float64), indexing="ij")
    args = (i * (j + 2) / n, i * (j + 3) / n, steps)
    return Workload("jacobi_2d", jacobi_2d, args, (0, 1), by_hand, loops, jax=with_scan, static=(2,), written=(0, 1))
