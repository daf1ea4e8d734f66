"""`python -m benchmarks.acceptance [--only PART] [--budget S]`: each promised speed, measured, beside its bound.

Exit status 1 if a bound is missed. Medians of alternating rounds in one process; what needs a
fresh process (first calls, imports) is measured in several and the median taken.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import adcompile as ad
from benchmarks import call_overhead, gmm, logsumexp, state
from benchmarks.figures import Figure
from benchmarks.harness import Workload, compare, medians
from benchmarks.second import processes
from tests import stress

# -- what runs ----------------------------------------------------------------------------------


def loop_400(x, y):
    """40 rounds of ten operations."""
    for _ in range(40):
        a = x * y + 0.1
        b = math.sin(a)
        c = b * x - a
        d = math.exp(-c * c)
        x = x + 0.01 * d
        y = y - 0.01 * b
    return x * y


def loop_400_by_hand(x, y):
    kept = []
    for _ in range(40):
        a = x * y + 0.1
        b = math.sin(a)
        c = b * x - a
        d = math.exp(-c * c)
        kept.append((x, y, a, b, c, d))
        x = x + 0.01 * d
        y = y - 0.01 * b
    x_bar, y_bar = y, x
    for x, y, a, b, c, d in reversed(kept):
        c_bar = -0.02 * c * d * x_bar
        b_bar = x * c_bar - 0.01 * y_bar
        a_bar = math.cos(a) * b_bar - c_bar
        x_bar += b * c_bar + y * a_bar
        y_bar += x * a_bar
    return x_bar, y_bar


def running(budget: float) -> Iterator[Figure]:
    """Gradients of compiled functions."""
    args = (0.3, 0.4)
    gradient = ad.grad(loop_400, argnums=(0, 1))
    compare("loop_400", gradient(*args), loop_400_by_hand(*args), 1e-12)
    runs: dict[str, Callable[[], Any]] = {"primal": lambda: loop_400(*args), "gradient": lambda: gradient(*args)}
    times = medians(runs, budget)
    yield Figure("400-operation scalar loop: gradient / primal", times["gradient"] / times["primal"], 5.0)

    scalar, vector = call_overhead.scalar_workload(), call_overhead.vector_workload()
    yield _against_hand(vector, budget)
    yield _overhead(scalar, budget)
    yield _scaled(gmm.workload(), 3.6 / 2.9, budget)
    yield _scaled(logsumexp.workload(), 2.2 / 1.7, budget)


def _checked(workload: Workload) -> tuple[Any, Callable[..., Any]]:
    gradient = ad.grad(workload.function, argnums=workload.argnums)
    compare(workload.name, gradient(*workload.args), workload.reference(*workload.args), workload.tolerance)
    return workload.args, gradient


def _against_hand(workload: Workload, budget: float) -> Figure:
    args, gradient = _checked(workload)
    times = medians({"hand": lambda: workload.reference(*args), "gradient": lambda: gradient(*args)}, budget)
    note = f"{times['gradient'] * 1e6:.1f} µs, by hand {times['hand'] * 1e6:.1f} µs"
    return Figure("10-operation vector function: gradient / by hand", times["gradient"] / times["hand"], 1.3, "", note)


def _overhead(workload: Workload, budget: float) -> Figure:
    args, gradient = _checked(workload)
    generated = gradient.specialise(args, {})[0].made.derived.call
    times = medians({"whole": lambda: gradient(*args), "generated": lambda: generated(*args)}, budget)
    note = f"generated function {times['generated'] * 1e6:.2f} µs"
    above = 1e6 * (times["whole"] - times["generated"])
    return Figure("call of a scalar gradient above the generated function", above, 2.0, "µs", note)


def _scaled(workload: Workload, ratio: float, budget: float) -> Figure:
    """Within 1.2 × the primal × what the hand-written adjoint took of the primal where it was measured."""
    args, gradient = _checked(workload)
    runs: dict[str, Callable[[], Any]] = {
        "primal": lambda: workload.function(*args),
        "hand": lambda: workload.reference(*args),
        "gradient": lambda: gradient(*args),
    }
    times = medians(runs, 2 * budget)
    bound = 1.2 * ratio
    note = ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in times.items())
    return Figure(f"{workload.name}: gradient / primal", times["gradient"] / times["primal"], bound, "", note)


# -- compiling ----------------------------------------------------------------------------------


def ten_statements(x, y):
    a = math.sin(x) * y
    b = math.exp(-a)
    c = b + x * y
    if c > 1.0:
        d = math.log(c)
    else:
        d = c * c
    e = math.sqrt(1.0 + d * d)
    s = 0.0
    for _ in range(3):
        s += e * x
    return s - y


def compiling() -> Iterator[Figure]:
    """What the first call costs."""
    warm, cold = first_calls()
    yield Figure("first call, 10 statements, pipeline imported and warm", warm, 30.0, "ms")
    yield Figure("the same, the first derivative of the process", cold, None, "ms")
    for name, generator in GENERATORS.items():
        yield from _long(name, generator)


def first_calls(rounds: int = 5) -> tuple[float, float]:
    """Milliseconds of a first call: after other derivatives, and as the first of a process."""
    warm: list[float] = []
    for _ in range(rounds):
        ad.clear()
        start = time.perf_counter()
        ad.grad(ten_statements)(0.3, 0.7)
        warm.append(1e3 * (time.perf_counter() - start))
    code = (
        "import time, adcompile as ad, adcompile.api\n"
        "from benchmarks.acceptance import ten_statements\n"
        "start = time.perf_counter()\nad.grad(ten_statements)(0.3, 0.7)\nprint(1e3 * (time.perf_counter() - start))"
    )
    return statistics.median(warm), in_processes(code)


def in_processes(code: str, rounds: int = 3) -> float:
    """The median of the number that `code` prints, run in fresh processes."""
    return statistics.median(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(rounds)
    )


GENERATORS: dict[str, tuple[Callable[[int], Any], Any]] = {
    "straight line": (stress.n_statements, 0.3),
    "elif chain": (stress.elif_chain, 0.5),
    "long sum": (stress.long_sum, 0.3),
    "array statements": (stress.array_statements, np.linspace(0.1, 0.9, 5)),
}


def build_time(make: Callable[[int], Any], n: int, x: Any, rounds: int = 2) -> float:
    """Seconds of the first call of a gradient of a fresh function of n statements, the least of some."""
    times: list[float] = []
    for _ in range(rounds):
        function = make(n)
        start = time.perf_counter()
        ad.grad(function)(x)
        times.append(time.perf_counter() - start)
    return min(times)


def _long(name: str, generator: tuple[Callable[[int], Any], Any]) -> Iterator[Figure]:
    make, x = generator
    build_time(make, 10, x)
    at_400 = build_time(make, 400, x)
    at_1000, at_2000 = build_time(make, 1000, x), build_time(make, 2000, x)
    yield Figure(f"{name}: first call, 400 statements", at_400, 1.5 if name == "straight line" else None, "s")
    note = f"{at_1000:.2f} s and {at_2000:.2f} s"
    yield Figure(f"{name}: time of 2000 statements / of 1000", at_2000 / at_1000, 2.6, "", note)


def importing() -> Iterator[Figure]:
    """What importing the package costs beside numpy, which it needs."""
    code = "import time; s = time.perf_counter(); import {}; print(1e3 * (time.perf_counter() - s))"
    times: dict[str, list[float]] = {"numpy": [], "adcompile": []}
    for name in times:
        in_processes(code.format(name), 1)
    for _ in range(9):
        for name in times:
            times[name].append(in_processes(code.format(name), 1))
    numpy, ours = (statistics.median(times[name]) for name in ("numpy", "adcompile"))
    yield Figure("import adcompile / import numpy", ours / numpy, 1.3, "", f"{ours:.0f} and {numpy:.0f} ms")


def main(argv: Sequence[str] | None = None) -> int:
    os.environ.setdefault("ADCOMPILE_KEEP", "0")  # what the compiler takes is measured, not what it has kept
    parser = argparse.ArgumentParser(prog="python -m benchmarks.acceptance", description=__doc__)
    parser.add_argument("--only", choices=["running", "state", "compiling", "importing", "processes"], help="one part")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds for each timed callable")
    options = parser.parse_args(argv)
    parts: dict[str, Callable[[], Iterator[Figure]]] = {
        "running": lambda: running(options.budget),
        "state": lambda: state.figures(options.budget),
        "compiling": compiling,
        "importing": importing,
        "processes": processes,
    }
    missed = 0
    for name, part in parts.items():
        if options.only in (None, name):
            for figure in part():
                print(figure, flush=True)
                missed += not figure.kept
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
