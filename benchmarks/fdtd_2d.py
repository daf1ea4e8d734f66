"""NPBench's fdtd_2d: electric and magnetic fields on staggered grids, in place."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def fdtd_2d(ex, ey, hz, fict, steps):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def loops(ex, ey, hz, fict, steps):
    x, y, z = ex.copy(), ey.copy(), hz.copy()
    n, m = z.shape
    for t in range(steps):
        for j in range(m):
            y[0, j] = fict[t]
        for i in range(1, n):
            for j in range(m):
                y[i, j] -= 0.5 * (z[i, j] - z[i - 1, j])
        for i in range(n):
            for j in range(1, m):
                x[i, j] -= 0.5 * (z[i, j] - z[i, j - 1])
        for i in range(n - 1):
            for j in range(m - 1):
                z[i, j] -= 0.7 * (x[i, j + 1] - x[i, j] + y[i + 1, j] - y[i, j])
    x_bar, y_bar, z_bar = np.zeros_like(x), np.zeros_like(y), 2.0 * z
    for _ in range(steps):
        for i in range(n - 1):
            for j in range(m - 1):
                v = 0.7 * z_bar[i, j]
                x_bar[i, j + 1] -= v
                x_bar[i, j] += v
            for j in range(m - 1):
                v = 0.7 * z_bar[i, j]
                y_bar[i + 1, j] -= v
                y_bar[i, j] += v
        for i in range(n):
            for j in range(1, m):
                v = 0.5 * x_bar[i, j]
                z_bar[i, j] -= v
                z_bar[i, j - 1] += v
        for i in range(1, n):
            for j in range(m):
                v = 0.5 * y_bar[i, j]
                z_bar[i, j] -= v
                z_bar[i - 1, j] += v
        for j in range(m):
            y_bar[0, j] = 0.0
    return x_bar, y_bar, z_bar


def with_scan() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def fdtd_2d_scan(ex, ey, hz, fict, steps):
        def step(state, source):
            ex, ey, hz = state
            ey = ey.at[0, :].set(source)
            ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
            ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
            hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
            return (ex, ey, hz), None

        (ex, ey, hz), _ = lax.scan(step, (ex, ey, hz), fict[:steps])
        return np.sum(hz * hz)

    return fdtd_2d_scan


def workload(n: int = 200, steps: int = 20) -> Workload:
    m = n + n // 10
    i, j = np.meshgrid(np.arange(n, dtype=np.float64), np.arange(m, dtype=np.float64), indexing="ij")
    fict = np.arange(steps, dtype=np.float64)
    args = (i * (j + 1) / n, i * (j + 2) / m, i * (j + 3) / n, fict, steps)
    return Workload("fdtd_2d", fdtd_2d, args, (0, 1, 2), loops=loops, jax=with_scan, static=(4,), written=(0, 1, 2))
