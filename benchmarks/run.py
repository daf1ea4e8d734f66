"""`python -m benchmarks.run`: every workload beside its peers, as a table of ratios.

Each workload runs in a process of its own, on one core. Gradients are compared before they are
timed. The exit status is 1 if a gradient of ours is wrong or refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks import child, plot, report
from benchmarks.harness import CLOCKS
from benchmarks.peers import PEERS
from benchmarks.rows import ROWS


def parser() -> argparse.ArgumentParser:
    out = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    add = out.add_argument
    add("--workload", action="append", choices=list(ROWS), help="run only this one; repeatable")
    add("--peers", default=",".join(PEERS), help="tools beside adcompile, by commas; '' for none")
    add("--backend", default="numpy", help="backends of adcompile, by commas")
    add("--json", metavar="FILE", help="write all that was measured, in seconds, to FILE")
    add("--plot", metavar="FILE", help="draw the ratios (needs matplotlib)")
    add("--doc", metavar="FILE", help="write the page docs/performance.md, machine and versions included")
    add("--complexity", action="store_true", help="also time three sizes of each, and compare how they grow")
    add("--budget", type=float, default=1.0, help="seconds for each tool and workload")
    add("--clock", choices=list(CLOCKS), default="wall", help="cpu: without what other processes take")
    add("--small", action="store_true", help="tiny sizes: tries the harness, times mean nothing")
    return out


def main(argv: Sequence[str] | None = None) -> int:
    parse = parser()
    options = parse.parse_args(argv)
    peers = tuple(name for name in options.peers.split(",") if name)
    unknown = [name for name in peers if name not in PEERS]
    if unknown:
        parse.error(f"unknown peers {', '.join(unknown)}; there are {', '.join(PEERS)}")
    results: dict[str, dict[str, Any]] = {}
    for name in options.workload or list(ROWS):
        results[name] = measured(name, peers, options)
        print(f"{name}: done", file=sys.stderr, flush=True)
    print(report.text(results))
    if options.complexity:
        print("\n" + report.markdown(report.growth(results)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report.record(results, options.clock), file, indent=2)
    if options.doc:
        with open(options.doc, "w", encoding="utf-8") as file:
            file.write(report.page(results, options.clock))
    if options.plot:
        plot.draw(results, options.plot)
    missing = [name for name, r in results.items() if not any(t.startswith("adcompile") for t in r["seconds"])]
    return 1 if missing else 0


def measured(name: str, peers: tuple[str, ...], options: argparse.Namespace) -> dict[str, Any]:
    job = child.Job(
        name,
        peers,
        tuple(options.backend.split(",")),
        size=ROWS[name].small if options.small else None,
        budget=options.budget,
        clock=options.clock,
    )
    result = child.apart(job)
    if options.complexity:
        grown = child.Job(name, (), job.backends, growing=True, budget=options.budget / 2, clock=options.clock)
        result["growing"] = child.apart(grown).get("growing", {})
    return result


if __name__ == "__main__":
    raise SystemExit(main())
