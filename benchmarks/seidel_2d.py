"""NPBench's seidel_2d: sweeps over a grid in which each cell sees the new values before it."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def seidel_2d(A, sweeps):
    n = A.shape[0]
    for _ in range(sweeps - 1):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            )
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return np.sum(A * A)


def by_hand(A, sweeps):
    a = A.copy()
    n = len(a)
    for _ in range(sweeps - 1):
        for i in range(1, n - 1):
            row = a[i].tolist()
            rest = a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:]
            rest += a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            left = row[0]
            for j, more in enumerate(rest.tolist(), 1):
                row[j] = left = (row[j] + more + left) / 9.0
            a[i] = row
    a_bar = 2.0 * a
    for _ in range(sweeps - 1):
        for i in range(n - 2, 0, -1):
            row = a_bar[i].tolist()
            for j in range(n - 2, 0, -1):
                row[j] /= 9.0
                row[j - 1] += row[j]
            a_bar[i] = row
            t = a_bar[i, 1:-1].copy()
            a_bar[i, 2:] += t
            for other in (a_bar[i - 1], a_bar[i + 1]):
                other[:-2] += t
                other[1:-1] += t
                other[2:] += t
    return a_bar


def loops(A, sweeps):
    a = A.copy()
    n = len(a)
    for _ in range(sweeps - 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                above = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                below = a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = (above + a[i, j - 1] + a[i, j] + a[i, j + 1] + below) / 9.0
    a_bar = 2.0 * a
    for _ in range(sweeps - 1):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                v = a_bar[i, j] / 9.0
                a_bar[i, j] = v
                a_bar[i, j - 1] += v
                a_bar[i, j + 1] += v
                a_bar[i - 1, j - 1] += v
                a_bar[i - 1, j] += v
                a_bar[i - 1, j + 1] += v
                a_bar[i + 1, j - 1] += v
                a_bar[i + 1, j] += v
                a_bar[i + 1, j + 1] += v
    return a_bar


def with_scan() -> Run:
    """For JAX: a scan over rows; the recurrence along a row is a product with a triangular matrix."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def seidel_2d_scan(A, sweeps):
        m = A.shape[0] - 2
        distance = np.arange(m)[:, None] - np.arange(m)[None, :]
        powers = np.where(distance >= 0, 9.0 ** (-1.0 - distance), 0.0)

        def row(above, pair):
            here, below = pair
            rest = here[1:-1] + above[:-2] + above[1:-1] + above[2:] + here[2:] + below[:-2] + below[1:-1] + below[2:]
            rest = rest.at[0].add(here[0])
            new = here.at[1:-1].set(powers @ rest)
            return new, new

        def sweep(A, _):
            _, inner = lax.scan(row, A[0], (A[1:-1], A[2:]))
            return A.at[1:-1].set(inner), None

        A, _ = lax.scan(sweep, A, None, length=sweeps - 1)
        return np.sum(A * A)

    return seidel_2d_scan


def literally() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def seidel_2d_literal(A, sweeps):
        n = A.shape[0]

        def element(j, state):
            i, A = state
            A = A.at[i, j].add(A[i, j - 1])
            return i, A.at[i, j].divide(9.0)

        def row(i, A):
            rest = A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
            rest += A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            A = A.at[i, 1:-1].add(rest)
            return lax.fori_loop(1, n - 1, element, (i, A))[1]

        A = lax.fori_loop(0, sweeps - 1, lambda _, A: lax.fori_loop(1, n - 1, row, A), A)
        return np.sum(A * A)

    return seidel_2d_literal


def workload(n: int = 50, sweeps: int = 8) -> Workload:
    i, j = np.meshgrid(np.arange(n, dtype=np.float64), np.arange(n, dtype=np.float64), indexing="ij")
    args = ((i * (j + 2) + 2) / n, sweeps)
    return Workload(
        "seidel_2d", seidel_2d, args, 0, by_hand, loops, jax=with_scan, literal=literally, static=(1,), written=(0,)
    )
