"""NPBench's trisolv: forward substitution, row by row."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def trisolv(L, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x * x)


def by_hand(L, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    x_bar, b_bar, L_bar = 2.0 * x, np.zeros_like(b), np.zeros_like(L)
    for i in range(len(b) - 1, -1, -1):
        v = x_bar[i] / L[i, i]
        b_bar[i] = v
        x_bar[:i] -= v * L[i, :i]
        L_bar[i, : i + 1] = -v * x[: i + 1]
    return L_bar, b_bar


def loops(L, b):
    n = len(b)
    x, b_bar, L_bar = np.zeros(n), np.zeros(n), np.zeros((n, n))
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    x_bar = 2.0 * x
    for i in range(n - 1, -1, -1):
        v = x_bar[i] / L[i, i]
        b_bar[i] = v
        for j in range(i):
            x_bar[j] -= v * L[i, j]
        for j in range(i + 1):
            L_bar[i, j] = -v * x[j]
    return L_bar, b_bar


def of_library() -> Run:
    np, linalg = importlib.import_module("jax.numpy"), importlib.import_module("jax.scipy.linalg")

    def trisolv_library(L, b):
        x = linalg.solve_triangular(L, b, lower=True)
        return np.sum(x * x)

    return trisolv_library


def literally() -> Run:
    """For JAX: slices of a length that grows are whole rows there, over zeros."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def trisolv_literal(L, b):
        def row(i, x):
            return x.at[i].set((b[i] - L[i] @ x) / L[i, i])

        x = lax.fori_loop(0, b.shape[0], row, np.zeros_like(b))
        return np.sum(x * x)

    return trisolv_literal


def workload(n: int = 2000) -> Workload:
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    L = np.tril((i + n - j + 1) * 2.0 / n)
    b = np.arange(n, dtype=np.float64)
    return Workload("trisolv", trisolv, (L, b), (0, 1), by_hand, loops, jax=of_library, literal=literally)
