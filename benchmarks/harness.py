"""Workloads, and their timing: gradients are compared before anything counts, tools alternate, medians.

Every tool runs in the same process on one thread. A tool is built once for a workload; what is timed
is one call that gives the gradient. Times are those of a machine and a moment: only ratios travel.
"""

from __future__ import annotations

import gc
import statistics
import time
import types
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Run = Callable[..., Any]
Call = Callable[[], Any]


@dataclass(frozen=True)
class Workload:
    """What is differentiated: `function(*args)` with respect to `argnums`.

    `hand(*args)` returns the same gradients, written by hand in NumPy or plain Python; `loops` does
    so in loops over elements that Numba compiles. Both leave the arguments as they are.

    `jax` builds what a competent JAX user would write: a function of the same arguments, to which
    `jit(grad(…))` is applied; None where the function itself will do with `jax.numpy` for `np`.
    `literal` builds the same statements with `.at[].set` for what is written in place, where that is
    something else. `static` are the positions of arguments that are known when JAX compiles.

    `written` are the positions of arrays into which the function writes. With `rows` the function
    returns that many rows of independent numbers, and for each row its gradient is wanted: the
    result is a tuple of gradients, those of the first row first.
    """

    name: str
    function: Run
    args: tuple[Any, ...]
    argnums: int | tuple[int, ...]
    hand: Run | None = None
    loops: Run | None = None
    jax: Callable[[], Run] | None = None
    literal: Callable[[], Run] | None = None
    static: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    rows: int = 0
    tolerance: float = 1e-9

    def fresh(self) -> tuple[Any, ...]:
        """The arguments in memory of their own."""
        return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in self.args)

    @property
    def reference(self) -> Run:
        """A gradient by hand, compiled by nobody."""
        run = self.hand or self.loops
        assert run is not None, f"{self.name} has no gradient by hand"
        return run


@dataclass(frozen=True)
class Under:
    """A call made under settings, which are made and unmade outside of what is timed."""

    call: Call
    settings: Callable[[], AbstractContextManager[Any]]

    def __call__(self) -> Any:
        with self.settings():
            return self.call()


@dataclass(frozen=True)
class Timing:
    """Median seconds of one call for each tool, `primal` among them, and what could not run."""

    workload: str
    seconds: Mapping[str, float]
    failed: Mapping[str, str] = field(default_factory=dict)

    def ratio(self, tool: str, to: str) -> float:
        return self.seconds[tool] / self.seconds[to]


class Disagreement(AssertionError):
    """A tool's gradient is not the reference's."""


def with_module(function: Run, module: Any, **others: Any) -> Run:
    """The same code with `module` where it says `np` or `math`, and `others` by name: how a tool
    with its own numpy runs it."""
    namespace = {**function.__globals__, "np": module, "math": module, **others}
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


def primal(workload: Workload) -> Call:
    """The function itself; what it writes into is filled anew before each call, which counts."""
    function, args = workload.function, workload.fresh()
    again = [(args[i], workload.args[i]) for i in workload.written]
    if not again:
        return lambda: function(*args)

    def run() -> Any:
        for written, before in again:
            np.copyto(written, before)
        return function(*args)

    return run


# -- timing -------------------------------------------------------------------------------------

CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}
"""`cpu` leaves out what other processes take: the better clock on a machine that is in use."""


def repeats(seconds: float, per_sample: float) -> int:
    """How many calls make one sample long enough for the clock."""
    return max(1, int(per_sample / max(seconds, 1e-9)))


def sample(run: Call, count: int, clock: Callable[[], float] = time.perf_counter, untimed: int = 0) -> float:
    """Seconds per call over `count` calls, behind `untimed` others."""
    if isinstance(run, Under):
        with run.settings():
            return sample(run.call, count, clock, untimed)
    for _ in range(untimed):
        run()
    loop = range(count)
    start = clock()
    for _ in loop:
        run()
    return (clock() - start) / count


def medians(
    runs: Mapping[str, Call], budget: float = 1.0, per_sample: float = 2e-3, clock: str = "wall"
) -> dict[str, float]:
    """Median seconds of a call of each, measured in alternating rounds, without collections of garbage.

    Each is measured for about `budget` seconds, and at least five times; what takes longer than
    the budget at least twice. Before each sample of what takes less than a tenth of the budget goes
    a call that is not timed: a tool of the round that gives its memory back to the system makes the
    next one find pages anew (8 MB cost more than reading and writing them), which no user of one tool sees.
    """
    now = CLOCKS[clock]
    counts: dict[str, int] = {}
    rounds: dict[str, int] = {}
    untimed: dict[str, int] = {}
    for name, run in runs.items():
        once = sample(run, 1, now)
        if once < budget:  # the first call may have had something to make
            once = min(sample(run, 1, now), sample(run, 1, now))
        counts[name] = repeats(once, per_sample)
        untimed[name] = int(once < budget / 10)
        rounds[name] = max(2 if once > budget else 5, int(budget / max(once * counts[name], 1e-9)))
    samples: dict[str, list[float]] = {name: [] for name in runs}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        # in each round all that are still short of samples for their share of the way, so that the
        # rounds of a slow tool lie among those of the fast ones
        total = max(rounds.values())
        for k in range(total):
            for name in _rotated(list(runs), k):
                if len(samples[name]) * total <= k * rounds[name]:
                    samples[name].append(sample(runs[name], counts[name], now, untimed[name]))
    finally:
        if collecting:
            gc.enable()
    return {name: statistics.median(taken) for name, taken in samples.items()}


def _rotated(names: list[str], by: int) -> list[str]:
    """Nobody always runs behind the same tool."""
    by %= len(names)
    return names[by:] + names[:by]


def measure(
    workload: Workload, tools: Mapping[str, Callable[[Workload], Call]], budget: float = 1.0, clock: str = "wall"
) -> Timing:
    """Build, compare and time the tools on a workload, and the function itself.

    A tool that is not installed, cannot do the workload or gives another gradient is not timed:
    `failed` has its name and the reason.
    """
    want = workload.reference(*workload.fresh())
    runs: dict[str, Call] = {"primal": primal(workload)}
    failed: dict[str, str] = {}
    for name, build in tools.items():
        try:
            run = build(workload)
            compare(name, run(), want, workload.tolerance)
        except ImportError as missing:
            failed[name] = f"not installed: {missing.name}"
        except Disagreement as wrong:
            failed[name] = f"wrong: {wrong}"
        except Exception as error:  # whatever another tool raises is the answer that the table gives
            failed[name] = f"{type(error).__name__}: {first_line(error)}"
        else:
            runs[name] = run
    return Timing(workload.name, medians(runs, budget, clock=clock), failed)


def first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")[:160]
