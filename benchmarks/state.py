"""What is promised of functions that write in place: cost against the primal, and growth with size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import adcompile as ad
from benchmarks import fdtd_2d, jacobi_2d
from benchmarks.figures import Figure
from benchmarks.harness import Workload, compare, medians

JACOBI = 1.3 * 13.5 / 5.2
"""1.3 × the adjoint written by hand ÷ the primal, as they were measured where both were."""


def element_reads(x):
    s = 0.0
    for i in range(1, len(x)):
        s += x[i] * x[i - 1]
    return s


def element_writes(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = x[i] * y[i - 1]
        y[i] += x[i - 1]
    return y[-1]


def figures(budget: float) -> Iterator[Figure]:
    """Gradients of stencils beside their primals; loops over elements at two sizes."""
    yield _beside_primal(jacobi_2d.workload(), JACOBI, budget)
    yield _beside_primal(fdtd_2d.workload(), 4.0, budget)
    for function in (element_reads, element_writes):
        yield from _growth(function, budget)


def _beside_primal(workload: Workload, bound: float, budget: float) -> Figure:
    gradient = ad.grad(workload.function, argnums=workload.argnums)
    if workload.hand is not None:
        compare(workload.name, gradient(*workload.args), workload.hand(*workload.args), workload.tolerance)
    runs: dict[str, Callable[[], Any]] = {
        "primal": lambda: workload.function(*workload.args),
        "gradient": lambda: gradient(*workload.args),
    }
    times = medians(runs, budget)
    note = ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in times.items())
    return Figure(f"{workload.name}: gradient / primal", times["gradient"] / times["primal"], bound, "", note)


def _growth(function: Callable[..., Any], budget: float) -> Iterator[Figure]:
    """Time and memory of a gradient at n = 1e5 over those at n = 1e4."""
    gradient = ad.grad(function)
    small, large = (np.linspace(0.5, 0.99, n) for n in (10_000, 100_000))
    times = medians({"small": lambda: gradient(small), "large": lambda: gradient(large)}, budget)
    name = function.__name__.replace("_", " ")
    yield Figure(f"{name}: time at n = 1e5 / at 1e4", times["large"] / times["small"], 13.0)
    yield Figure(f"{name}: memory at n = 1e5 / at 1e4", peak(gradient, large) / peak(gradient, small), 13.0)


def peak(gradient: Callable[..., Any], x: Any) -> int:
    """Bytes that a call holds at most."""
    gradient(x)
    tracemalloc.start()
    gradient(x)
    _, highest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return highest
