"""The command line of the fuzzer; see the package."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from tests.fuzz import faults
from tests.fuzz.checker import Verdict, check
from tests.fuzz.constructs import GROUPS, TABLE, enabled
from tests.fuzz.counts import Counts
from tests.fuzz.program import Program, generate
from tests.fuzz.runner import BACKENDS, programs, run
from tests.fuzz.shrink import shrink


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random programs, differentiated.")
    parser.add_argument("--programs", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first program")
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", help="constructs or groups, beside the basic ones"
    )
    parser.add_argument("--without", nargs="*", default=[], metavar="NAME", help="constructs or groups left out")
    for group in ("inplace", "containers", "objects", "aliased"):
        parser.add_argument(f"--{group}", action=argparse.BooleanOptionalAction, default=True, help=GROUPS[group])
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes that check programs")
    parser.add_argument("--backend", choices=list(BACKENDS), default="numpy", help="what derivatives are made of")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS", help="time for one program")
    parser.add_argument("--shrink", type=float, default=60.0, metavar="SECONDS", help="time to shrink one failure")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="failures of one kind that are written")
    parser.add_argument("--found", type=Path, default=None, metavar="FOLDER", help="where failures are written")
    parser.add_argument("--details", action="store_true", help="count every construct")
    parser.add_argument("--show", type=int, default=None, metavar="I", help="print program I")
    parser.add_argument("--check", type=Path, default=None, metavar="FILE", help="check a program from a file")
    parser.add_argument("--faults", nargs="*", default=None, metavar="NAME", help="plant faults in the compiler")
    parser.add_argument("--constructs", action="store_true", help="list the constructs")
    return parser


def main(argv: list[str] | None = None) -> int:
    os.environ.setdefault("ADCOMPILE_KEEP", "0")  # faults are planted in the compiler
    options = arguments().parse_args(argv)
    without = [*options.without]
    for group, more in (
        ("inplace", ["mutating", "aliased", "globals", "late"]),
        ("containers", ["mutated"]),
        ("objects", []),
        ("aliased", []),
    ):
        if not getattr(options, group):
            without += [group, *more]
    names = enabled(options.only, without)
    if options.constructs:
        for c in TABLE.values():
            print(f"{c.name:28} {c.role:10} {c.group}")
        return 0
    if options.show is not None:
        program = generate(options.seed, options.show, names)
        print(program.source, "#", ", ".join(program.used))
        return 0
    if options.check is not None:
        return _check(options.check)
    if options.faults is not None:
        return faults.search(options.faults, options.seed, options.programs if options.programs != 100 else 2000, names)
    return _run(options, names)


def _check(path: Path) -> int:
    verdict = check(Program(0, 0, path.read_text(encoding="utf-8")), "both")
    print(verdict.kind, verdict.stage, verdict.reason, verdict.detail, sep="\n  ")
    return int(verdict.failed)


def _run(options: argparse.Namespace, names: frozenset[str]) -> int:
    counts = Counts(names)
    indices = range(options.first, options.first + options.programs)
    known: Counter[tuple[str, str, str]] = Counter()
    judged = programs(options.seed, indices, names, options.limit, options.jobs, options.backend)
    for program, verdict, seconds in judged:
        counts.add(program, verdict, seconds)
        if verdict.failed:
            print(f"program {program.index}: {verdict.kind} {verdict.stage}: {verdict.reason}", flush=True)
            kind = (verdict.kind, verdict.stage, verdict.reason)
            known[kind] += 1
            if known[kind] <= options.each:
                if verdict.kind != "slow" and options.backend == "numpy":
                    program = _smaller(program, verdict, options)
                _write(program, verdict, options.found)
    print(counts.report(options.details))
    return int(any(counts.kinds[k] for k in ("wrong", "crash", "slow")))


def _smaller(program: Program, verdict: Verdict, options: argparse.Namespace) -> Program:
    """Shrunk in a worker, where a candidate that hangs costs no more than the limit."""
    for result in run(
        _shrunk, [(program, verdict, options.shrink)], options.shrink + options.limit, lambda *_: program
    ):
        return result
    return program


def _shrunk(program: Program, verdict: Verdict, seconds: float) -> Program:
    second = "both" if "over" in verdict.stage else ""
    return shrink(program, lambda p: check(p, second, verdict.stage).like(verdict), seconds)


def _write(program: Program, verdict: Verdict, folder: Path | None) -> None:
    head = f"# {verdict.kind} {verdict.stage}: {verdict.reason}\n# program {program.index} of seed {program.seed}\n"
    head += "".join(f"# {line}\n" for line in verdict.detail.splitlines()[-6:])
    if folder is None:
        print(head + program.source, flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{program.name}.py").write_text(head + program.source, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
