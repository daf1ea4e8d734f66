"""Timing tools side by side: alternating in one process, medians, gradients compared first.

A workload is a plain function with its arguments and an adjoint written by hand. Every tool gives
a callable that takes the arguments and returns the gradient; nothing is timed before all
gradients agree with the reference. Rounds alternate between the tools so that a busy machine
slows all of them alike, and only ratios between medians of one run mean anything.
"""

from __future__ import annotations

import gc
import statistics
import time
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Run = Callable[..., Any]


@dataclass(frozen=True)
class Workload:
    """What is differentiated: `function(*args)` with respect to `argnums`.

    `hand(*args)` returns the same gradients, written by hand in NumPy or plain Python. `jax`
    builds what a competent JAX user would write: a function of the same arguments, to which
    `jit(grad(…))` is applied; None where the function itself will do with `jax.numpy` for `np`.
    """

    name: str
    function: Run
    args: tuple[Any, ...]
    argnums: int | tuple[int, ...]
    hand: Run
    jax: Callable[[], Run] | None = None
    unit: str = "ms"
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Timing:
    """Median seconds of one call for each tool, `primal` among them, and what could not run."""

    workload: str
    unit: str
    seconds: Mapping[str, float]
    failed: Mapping[str, str] = field(default_factory=dict)

    def ratio(self, tool: str, to: str) -> float:
        return self.seconds[tool] / self.seconds[to]


class Disagreement(AssertionError):
    """A tool's gradient is not the reference's."""


def with_module(function: Run, module: Any) -> Run:
    """The same code with `module` where it says `np` or `math`: how a tool with its own numpy runs it."""
    namespace = {**function.__globals__, "np": module, "math": module}
    for name, value in list(namespace.items()):
        if isinstance(value, types.FunctionType) and value.__globals__ is function.__globals__:
            namespace[name] = types.FunctionType(value.__code__, namespace, name, value.__defaults__, value.__closure__)
    return types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def compare(tool: str, got: Any, want: Any, tolerance: float) -> None:
    """Raise Disagreement unless the gradients agree to `tolerance`, relative to the largest element."""
    pairs = list(zip(leaves(got), leaves(want)))
    if len(pairs) != len(leaves(want)) or len(leaves(got)) != len(pairs):
        raise Disagreement(f"{tool}: {len(leaves(got))} gradients, not {len(leaves(want))}")
    for k, (a, b) in enumerate(pairs):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            raise Disagreement(f"{tool}: gradient {k} has shape {a.shape}, not {b.shape}")
        error = float(np.max(np.abs(a - b), initial=0.0)) / max(1.0, float(np.max(np.abs(b), initial=0.0)))
        if not error <= tolerance:
            raise Disagreement(f"{tool}: gradient {k} is off by {error:.2e}")


def repeats(seconds: float, per_sample: float) -> int:
    """How many calls make one sample long enough for the clock."""
    return max(1, int(per_sample / max(seconds, 1e-9)))


def sample(run: Callable[[], Any], count: int) -> float:
    """Seconds per call over `count` calls, without collections of garbage between."""
    loop = range(count)
    start = time.perf_counter()
    for _ in loop:
        run()
    return (time.perf_counter() - start) / count


def medians(runs: Mapping[str, Callable[[], Any]], budget: float = 1.0, per_sample: float = 2e-3) -> dict[str, float]:
    """Median seconds of a call of each, measured in alternating rounds for `budget` seconds each on average."""
    counts: dict[str, int] = {}
    for name, run in runs.items():
        run()
        counts[name] = repeats(min(sample(run, 1), sample(run, 1)), per_sample)
    samples: dict[str, list[float]] = {name: [] for name in runs}
    order = list(runs)
    collecting = gc.isenabled()
    gc.collect()
    end = time.perf_counter() + budget * len(runs)
    try:
        while time.perf_counter() < end or len(samples[order[0]]) < 5:
            for name in order:
                samples[name].append(sample(runs[name], counts[name]))
            order.append(order.pop(0))  # nobody always runs behind the same tool
    finally:
        if collecting:
            gc.enable()
    return {name: statistics.median(samples[name]) for name in runs}


def measure(workload: Workload, tools: Mapping[str, Callable[[Workload], Run]], budget: float = 1.0) -> Timing:
    """Build, compare and time the tools on a workload; `hand` and `primal` are always among them."""
    args = workload.args
    want = workload.hand(*args)
    runs: dict[str, Callable[[], Any]] = {
        "primal": lambda: workload.function(*args),
        "hand": lambda: workload.hand(*args),
    }
    failed: dict[str, str] = {}
    for name, build in tools.items():
        try:
            run = build(workload)
            got = run(*args)
        except ImportError as missing:
            failed[name] = f"not installed: {missing.name}"
            continue
        compare(name, got, want, workload.tolerance)
        runs[name] = lambda run=run: run(*args)
    return Timing(workload.name, workload.unit, medians(runs, budget), failed)
