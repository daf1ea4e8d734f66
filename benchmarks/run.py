"""`python -m benchmarks.run [--workload W]… [--peers autograd,jax] [--json F]`: the table of ratios."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence

import numpy as np

from benchmarks import call_overhead, gmm, logsumexp, rk4_scalar
from benchmarks.harness import Timing, Workload, measure
from benchmarks.peers import PEERS, adcompile

MODULES = {"rk4_scalar": rk4_scalar, "gmm": gmm, "logsumexp": logsumexp, "call_overhead": call_overhead}
UNITS = {"ms": 1e3, "µs": 1e6}


def chosen(names: Sequence[str], small: bool) -> list[Workload]:
    return [workload for name in names for workload in MODULES[name].workloads(small)]


def table(timings: Sequence[Timing], tools: Sequence[str]) -> str:
    """One line a workload: medians of one call, and how much longer than the hand-written adjoint."""
    columns = ["primal", "hand", *tools]
    lines = [f"{'workload':<14}" + "".join(f"{c:>22}" for c in columns) + "   adcompile/primal"]
    for timing in timings:
        line = f"{timing.workload:<14}"
        for tool in columns:
            if tool not in timing.seconds:
                line += f"{'–':>22}"
                continue
            value = timing.seconds[tool] * UNITS[timing.unit]
            beside = "" if tool in ("primal", "hand") else f" ({timing.ratio(tool, 'hand'):.2f})"
            line += f"{f'{value:.3g} {timing.unit}{beside}':>22}"
        lines.append(line + f"{timing.ratio('adcompile', 'primal'):>10.2f}")
    failed = sorted({f"{tool}: {why}" for timing in timings for tool, why in timing.failed.items()})
    lines += ["In parentheses: times the hand-written adjoint. Medians; only ratios travel.", *failed]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--workload", action="append", choices=list(MODULES), help="run only this one; repeatable")
    parser.add_argument("--peers", default=",".join(PEERS), help="tools beside adcompile, by commas; '' for none")
    parser.add_argument("--json", metavar="FILE", help="write the medians, in seconds, to FILE")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds for each tool and workload")
    parser.add_argument("--small", action="store_true", help="tiny sizes: tries the harness, times mean nothing")
    options = parser.parse_args(argv)
    peers = [name for name in options.peers.split(",") if name]
    unknown = [name for name in peers if name not in PEERS]
    if unknown:
        parser.error(f"unknown peers {', '.join(unknown)}; there are {', '.join(PEERS)}")
    tools = {"adcompile": adcompile, **{name: PEERS[name] for name in peers}}
    timings = [measure(w, tools, options.budget) for w in chosen(options.workload or list(MODULES), options.small)]
    print(table(timings, list(tools)))
    if options.json:
        record = {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "seconds": {timing.workload: dict(timing.seconds) for timing in timings},
        }
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
