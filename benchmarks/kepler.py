"""Kepler's equation E - e sin E = M by Newton's method, element by element, until the step is small.

The sum of the anomalies is differentiated with respect to all eccentricities and mean anomalies.
"""

from __future__ import annotations

import importlib
import math

import numpy as np

from benchmarks.harness import Run, Workload


def kepler(e, M):
    total = 0.0
    for eccentricity, mean in zip(e, M):
        E = mean
        step = 1.0
        while abs(step) > 1e-10:
            step = (E - eccentricity * math.sin(E) - mean) / (1.0 - eccentricity * math.cos(E))
            E = E - step
        total += E
    return total


def loops(e, M):
    """Newton's iterates are kept, and each step is followed back."""
    e_bar, M_bar = np.zeros_like(e), np.zeros_like(M)
    iterates = np.empty(100)
    for k in range(len(M)):
        E, step, count = M[k], 1.0, 0
        while abs(step) > 1e-10:
            iterates[count] = E
            count += 1
            step = (E - e[k] * math.sin(E) - M[k]) / (1.0 - e[k] * math.cos(E))
            E = E - step
        E_bar = 1.0
        for i in range(count - 1, -1, -1):
            E = iterates[i]
            s, c = math.sin(E), math.cos(E)
            slope = 1.0 - e[k] * c
            step_bar = -E_bar / slope
            slope_bar = -step_bar * (E - e[k] * s - M[k]) / slope
            e_bar[k] -= step_bar * s + slope_bar * c
            M_bar[k] -= step_bar
            E_bar += step_bar * slope + slope_bar * e[k] * s
        M_bar[k] += E_bar
    return e_bar, M_bar


def as_arrays() -> Run:
    """For JAX: all elements at once, Newton's method to the end without derivatives, then one step
    with them, which has the derivatives of the root."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def kepler_arrays(e, M):
        def newton(E):
            return (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))

        def more(state):
            return np.max(np.abs(state[1])) > 1e-10

        def once(state):
            step = newton(state[0])
            return state[0] - step, step

        E, _ = lax.while_loop(more, once, (M, np.ones_like(M)))
        E = lax.stop_gradient(E)
        return np.sum(E - newton(E))

    return kepler_arrays


def with_scan() -> Run:
    """For JAX: as many steps as any element needs, each with its derivative."""
    np, lax = importlib.import_module("jax.numpy"), importlib.import_module("jax").lax

    def kepler_scan(e, M):
        def once(E, _):
            return E - (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E)), None

        return np.sum(lax.scan(once, M, None, length=8)[0])

    return kepler_scan


def workload(n: int = 1000) -> Workload:
    rng = np.random.default_rng(3)
    args = (rng.uniform(0.05, 0.6, n), rng.uniform(0.1, 3.0, n))
    return Workload("kepler", kepler, args, (0, 1), loops=loops, jax=as_arrays, literal=with_scan)
