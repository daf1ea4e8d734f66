"""NPBench's cholesky: the factor row by row, in place, over the lower triangle.

A weighted sum of the factor is differentiated with respect to the matrix, of which only the lower
triangle is read.
"""

from __future__ import annotations

import importlib
import math

import numpy as np

from benchmarks.harness import Run, Workload


def cholesky(A, W):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(W * np.tril(A))


def loops(A, W):
    a = A.copy()
    n = len(a)
    for i in range(n):
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s / a[j, j]
        s = a[i, i]
        for k in range(i):
            s -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(s)
    a_bar = np.tril(W)
    for i in range(n - 1, -1, -1):
        v = a_bar[i, i] / (2.0 * a[i, i])
        a_bar[i, i] = v
        for k in range(i):
            a_bar[i, k] -= 2.0 * v * a[i, k]
        for j in range(i - 1, -1, -1):
            v = a_bar[i, j] / a[j, j]
            a_bar[j, j] -= v * a[i, j]
            a_bar[i, j] = v
            for k in range(j):
                a_bar[i, k] -= v * a[j, k]
                a_bar[j, k] -= v * a[i, k]
    return a_bar


def of_library() -> Run:
    """For JAX: the library's factor of the matrix that the lower triangle means."""
    np = importlib.import_module("jax.numpy")

    def cholesky_library(A, W):
        return np.sum(W * np.linalg.cholesky(np.tril(A) + np.tril(A, -1).T))

    return cholesky_library


def literally() -> Run:
    """For JAX: slices of a length that grows are masks there."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def cholesky_literal(A, W):
        n = A.shape[0]
        at = np.arange(n)

        def element(j, state):
            i, A = state
            A = A.at[i, j].add(-np.dot(np.where(at < j, A[i], 0.0), A[j]))
            return i, A.at[i, j].divide(A[j, j])

        def row(i, A):
            _, A = lax.scan(lambda state, j: (lax.cond(j < i, element, lambda j, s: s, j, state), None), (i, A), at)[0]
            A = A.at[i, i].add(-np.sum(np.where(at < i, A[i] * A[i], 0.0)))
            return A.at[i, i].set(np.sqrt(A[i, i]))

        return np.sum(W * np.tril(lax.fori_loop(0, n, row, A)))

    return cholesky_literal


def workload(n: int = 100) -> Workload:
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    start = np.where(j < i, (-j % n) / n + 1.0, np.where(i == j, 1.0, 0.0))
    W = np.random.default_rng(4).standard_normal((n, n))
    return Workload(
        "cholesky",
        cholesky,
        (start @ start.T, W),
        0,
        loops=loops,
        jax=of_library,
        literal=literally,
        written=(0,),
        tolerance=1e-8,
    )
