"""Burgers' equation in one dimension, upwind differences, in place: each cell looks where its wind comes from."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Run, Workload


def burgers_1d(u, c, steps):
    for _ in range(steps):
        inner = u[1:-1]
        u[1:-1] = inner - c * inner * np.where(inner > 0.0, inner - u[:-2], u[2:] - inner)
    return np.sum(u * u)


def by_hand(u, c, steps):
    w, kept = u.copy(), np.empty((steps, len(u)))
    for s in range(steps):
        kept[s] = w
        inner = w[1:-1]
        w[1:-1] = inner - c * inner * np.where(inner > 0.0, inner - w[:-2], w[2:] - inner)
    w_bar = 2.0 * w
    for s in range(steps - 1, -1, -1):
        w = kept[s]
        inner = w[1:-1]
        right = inner > 0.0
        slope = np.where(right, inner - w[:-2], w[2:] - inner)
        t = w_bar[1:-1].copy()
        v = c * inner * t
        from_left, from_right = v * right, v * ~right
        w_bar[1:-1] -= c * slope * t + from_left - from_right
        w_bar[:-2] += from_left
        w_bar[2:] -= from_right
    return w_bar


def loops(u, c, steps):
    n = len(u)
    kept = np.empty((steps + 1, n))
    for i in range(n):
        kept[0, i] = u[i]
    for s in range(steps):
        w, new = kept[s], kept[s + 1]
        new[0] = w[0]
        new[n - 1] = w[n - 1]
        for i in range(1, n - 1):
            slope = w[i] - w[i - 1] if w[i] > 0.0 else w[i + 1] - w[i]
            new[i] = w[i] - c * w[i] * slope
    w_bar, before = 2.0 * kept[steps], np.zeros(n)
    for s in range(steps - 1, -1, -1):
        w = kept[s]
        for i in range(n):
            before[i] = 0.0
        before[0] = w_bar[0]
        before[n - 1] = w_bar[n - 1]
        for i in range(1, n - 1):
            t = c * w_bar[i]
            if w[i] > 0.0:
                before[i] += w_bar[i] - t * (2.0 * w[i] - w[i - 1])
                before[i - 1] += t * w[i]
            else:
                before[i] += w_bar[i] - t * (w[i + 1] - 2.0 * w[i])
                before[i + 1] -= t * w[i]
        w_bar, before = before, w_bar
    return w_bar


def with_scan() -> Run:
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def burgers_1d_scan(u, c, steps):
        def step(u, _):
            inner = u[1:-1]
            slope = np.where(inner > 0.0, inner - u[:-2], u[2:] - inner)
            return u.at[1:-1].set(inner - c * inner * slope), None

        u, _ = lax.scan(importlib.import_module("jax").checkpoint(step), u, None, length=steps)
        return np.sum(u * u)

    return burgers_1d_scan


def workload(n: int = 500, steps: int = 500) -> Workload:
    x = np.linspace(0.0, 1.0, n)
    u = np.sin(2.0 * np.pi * x) + 0.3 * np.cos(6.0 * np.pi * x) + 0.01
    return Workload(
        "burgers_1d", burgers_1d, (u, 0.2, steps), 0, by_hand, loops, jax=with_scan, static=(2,), written=(0,)
    )
