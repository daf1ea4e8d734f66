"""One workload in a process of its own, on one core: `python -m benchmarks.child '{"row": "gmm", …}'`.

The last line of what it prints is the result. Nothing that one workload does to memory, caches or a
library's state is there for the next one, and one that dies takes no other with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adcompile import pipeline
from adcompile.backend.derived import Request
from adcompile.ir.abstract import type_of
from benchmarks.harness import CLOCKS, Timing, Workload, measure, medians, primal
from benchmarks.peers import HAND, PEERS, Tool, adcompile
from benchmarks.rows import ROWS


@dataclass(frozen=True)
class Job:
    """What to measure: a row, at its full size unless `size` says otherwise, with which tools.

    With `growing` the sizes of the row are gone through, and only the function and ours are timed.
    """

    row: str
    peers: tuple[str, ...] = ()
    backends: tuple[str, ...] = ("numpy",)
    hand: bool = True
    size: int | None = None
    growing: bool = False
    budget: float = 1.0
    clock: str = "wall"


def tools(job: Job) -> dict[str, Tool]:
    ours = {f"adcompile {backend}": adcompile(backend) for backend in job.backends}
    return {**(HAND if job.hand else {}), **ours, **{name: PEERS[name] for name in job.peers}}


def run(job: Job) -> dict[str, Any]:
    """The result as JSON has it: `seconds` and `failed` by tool, with `growing` lists by size."""
    row = ROWS[job.row]
    try:
        if job.growing:
            return {"growing": grown(job)}
        timing = measure(row.workload(job.size), tools(job), job.budget, job.clock)
    except ImportError as missing:
        timing = Timing(job.row, {}, {"all": f"not installed: {missing.name}"})
    return {"seconds": dict(timing.seconds), "failed": dict(timing.failed)}


def grown(job: Job) -> dict[str, list[float]]:
    """Medians at the sizes of the row, for the function, for each backend of ours, and for the function where that
    backend compiles it."""
    row = ROWS[job.row]
    times: dict[str, list[float]] = {"sizes": [float(size) for size in row.growing]}
    for size in row.growing:
        workload = row.workload(size)
        runs = {"primal": primal(workload)}
        for backend in job.backends:
            runs[f"adcompile {backend}"] = adcompile(backend)(workload)
            if backend != "numpy":
                runs[f"primal {backend}"] = primal(compiled(workload, backend))
        for call in runs.values():
            call()  # what compiles is no sample
        for name, seconds in medians(runs, job.budget, clock=job.clock).items():
            times.setdefault(name, []).append(seconds)
    return times


def compiled(workload: Workload, backend: Any) -> Workload:
    """The workload with its function as `backend` compiles it, without a derivative."""
    types = tuple(type_of(arg, objects=True) for arg in workload.fresh())
    made = pipeline.derive(workload.function, Request("primal", backend=backend), types, ())
    return replace(workload, function=made.call)


def pin() -> None:
    """Stay on one core, where the system can be asked for that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def settle_allocator() -> None:
    """Bring malloc to the state of a process that has handled a large array before.

    The C library returns memory to the system, and takes it back page by page, below limits that
    grow with the largest block that was ever freed. What a call costs would depend on what else
    the process has done: a call whose arrays fit in megabytes may take thrice as long without.
    """
    np.ones(31 * 2**20 // 8)


def apart(job: Job) -> dict[str, Any]:
    """`run` in a new process."""
    command = [sys.executable, "-m", "benchmarks.child", json.dumps(asdict(job))]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    said = done.stderr.strip().splitlines() or [""]
    return {"seconds": {}, "failed": {"all": f"exit status {done.returncode}: {said[-1]}"}}


def main(argv: Sequence[str] | None = None) -> int:
    given = json.loads((argv or sys.argv[1:])[0])
    job = Job(**{**given, "peers": tuple(given.get("peers", ())), "backends": tuple(given["backends"])})
    assert job.clock in CLOCKS
    pin()
    settle_allocator()
    print(json.dumps(run(job)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
