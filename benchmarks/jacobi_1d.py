"""NPBench's jacobi_1d: a stencil of three points, there and back between two arrays, in place."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def jacobi_1d(A, B, steps):
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A * A)


def loops(A, B, steps):
    a, b = A.copy(), B.copy()
    n = len(a)
    for _ in range(1, steps):
        for i in range(1, n - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, n - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
    # the cotangents of what a statement writes, between zeros: each element gathers from three
    a_bar, b_bar = 2.0 * a, np.zeros(n)
    inner = np.zeros(n)
    for _ in range(1, steps):
        for i in range(1, n - 1):
            inner[i] = a_bar[i]
            a_bar[i] = 0.0
        b_bar[0] += 0.33333 * inner[1]
        b_bar[n - 1] += 0.33333 * inner[n - 2]
        for i in range(1, n - 1):
            b_bar[i] += 0.33333 * (inner[i - 1] + inner[i] + inner[i + 1])
        for i in range(1, n - 1):
            inner[i] = b_bar[i]
            b_bar[i] = 0.0
        a_bar[0] += 0.33333 * inner[1]
        a_bar[n - 1] += 0.33333 * inner[n - 2]
        for i in range(1, n - 1):
            a_bar[i] += 0.33333 * (inner[i - 1] + inner[i] + inner[i + 1])
    return a_bar, b_bar


def with_scan() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def jacobi_1d_scan(A, B, steps):
        def step(state, _):
            A, B = state
            B = B.at[1:-1].set(0.33333 * (A[:-2] + A[1:-1] + A[2:]))
            A = A.at[1:-1].set(0.33333 * (B[:-2] + B[1:-1] + B[2:]))
            return (A, B), None

        (A, B), _ = lax.scan(step, (A, B), None, length=steps - 1)
        return np.sum(A * A)

    return jacobi_1d_scan


def workload(n: int = 3200, steps: int = 800) -> Workload:
    i = np.arange(n, dtype=np.float64)
    args = ((i + 2) / n, (i + 3) / n, steps)
    return Workload("jacobi_1d", jacobi_1d, args, (0, 1), loops=loops, jax=with_scan, static=(2,), written=(0, 1))
