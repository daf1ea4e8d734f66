"""What a process pays for its first gradient where another one has made it: `python -m benchmarks.second ROW`.

Prints milliseconds of CPU time: of importing Numba and calling an identity function that `njit(cache=True)` has
compiled before; of importing adcompile behind that; of the first gradient on the numba backend; and of another one.
With `--by-hand`, of the first call of the adjoint written by hand, in a process that has only imported NumPy: what
the workload itself asks for, with the memory that it touches for the first time.
"""

from __future__ import annotations

import importlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.rows import ROWS

IDENTITY = "import numba\n\n\n@numba.njit(cache=True)\ndef identity(x):\n    return x\n"
BOUND = 50.0  # milliseconds above the identity function


@dataclass(frozen=True)
class Paid:
    identity: float
    imported: float
    first: float
    later: float

    @property
    def above(self) -> float:
        return self.imported + self.first


def paid(row: str) -> Paid:
    """What this process pays; nothing of Numba and adcompile must have been imported."""
    workload = ROWS[row].workload()
    times = [time.process_time()]
    importlib.import_module("stock_identity").identity(1.0)
    times.append(time.process_time())
    names = ("grad", "vjp")  # with all that their first use imports
    assert all(callable(getattr(importlib.import_module("adcompile"), name)) for name in names)
    times.append(time.process_time())
    call = importlib.import_module("benchmarks.peers").adcompile("numba")(workload)  # which copies the arguments
    times.append(time.process_time())
    for _ in range(2):
        call()
        times.append(time.process_time())
    identity, imported, _, first, later = (1e3 * (b - a) for a, b in itertools.pairwise(times))
    return Paid(identity, imported, first, later)


def by_hand(row: str) -> float | None:
    """What the adjoint written by hand in NumPy takes where nothing has run before; None where there is none."""
    workload = ROWS[row].workload()
    if workload.hand is None:
        return None
    before = time.process_time()
    workload.hand(*workload.args)
    return 1e3 * (time.process_time() - before)


def processes(rounds: int = 3) -> Iterator[Figure]:
    """What the second process pays for its first gradient of each workload, after another has made it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "stock_identity.py").write_text(IDENTITY, encoding="utf-8")
        path = os.pathsep.join([folder, *sys.path])
        environment = {**os.environ, "PYTHONPATH": path, "ADCOMPILE_CACHE": f"{folder}/cache", "ADCOMPILE_KEEP": "1"}
        identities: list[float] = []
        for name, row in ROWS.items():
            said = [_said(environment, name) for _ in range(1 + rounds)]
            run = [Paid(*times) for times in said]
            later = sorted(run[1:], key=lambda p: p.above)[rounds // 2]
            identities.append(later.identity)
            note = f"identity {later.identity:.0f}, import {later.imported:.0f}, gradient {later.first:.0f}, then "
            hand = [t for _ in range(rounds) for t in _said(environment, name, "--by-hand")]
            by = f" by hand {statistics.median(hand):.3g} at first;" if hand else ""
            note += f"{later.later:.3g};{by} the first process {run[0].first:.0f}"
            yield Figure(f"{row.name}: second process, above a stock identity", later.above, BOUND, "ms", note)
        yield Figure("the identity itself", statistics.median(identities), None, "ms")


def _said(environment: dict[str, str], *arguments: str) -> list[float]:
    """What a process of its own measures."""
    command = [sys.executable, "-m", "benchmarks.second", *arguments]
    run = subprocess.run(command, check=True, capture_output=True, env=environment)
    return [float(text) for text in run.stdout.split()]


if __name__ == "__main__":
    if "--by-hand" in sys.argv:
        print(*(t for t in [by_hand(sys.argv[1])] if t is not None))
    else:
        print(*astuple(paid(sys.argv[1])))
