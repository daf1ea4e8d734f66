"""The programs of the tests taken through Jacobians of Jacobians: a long command, of which the tests run a few.

    python -m tests.second_order                              one sample of every program
    python -m tests.second_order --samples 9 --first 100 --programs 50
    python -m tests.second_order diagonal_read_later through_diff   these alone, all samples

Of each program whose arguments and result are real: jacrev and jacfwd, each of each, and, if the result is a scalar,
hessian, by all of its arguments. They must agree with each other and, along a direction, with differences of jacrev;
arguments must be as before. Where differences at several steps do not agree with each other, the sample lies near a
kink, or they drown in rounding: it is counted, and nothing is concluded. Refusals must have a place.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import itertools
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import adcompile as ad
from adcompile.tangents import leaves, randn_like
from tests import programs, programs_inplace
from tests.checks import active, direction, epsilon, inner, moved, slopes
from tests.fuzz import trees
from tests.fuzz.checker import Verdict
from tests.fuzz.differences import kinked
from tests.fuzz.runner import run
from tests.programs import Program

LARGEST = 40_000
"""Numbers that a second derivative has at most: programs with larger ones are passed over."""

MODES: dict[str, Callable[..., Any]] = {
    "jacrev of jacrev": lambda f, wrt: ad.jacrev(ad.jacrev(f, wrt), wrt),
    "jacfwd of jacrev": lambda f, wrt: ad.jacfwd(ad.jacrev(f, wrt), wrt),
    "jacrev of jacfwd": lambda f, wrt: ad.jacrev(ad.jacfwd(f, wrt), wrt),
    "jacfwd of jacfwd": lambda f, wrt: ad.jacfwd(ad.jacfwd(f, wrt), wrt),
    "hessian": ad.hessian,
}


def check(program: Program) -> Verdict | None:
    """What is to be said of a program; None if it has no real second derivative, or too large a one."""
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        value, wrt = program.function(*program.fresh()), active(program.args)
        found, given = leaves(value), [leaf for i in wrt for leaf in leaves(program.args[i])]
        size = sum(map(np.size, found)) * sum(map(np.size, given)) ** 2
        if not 0 < size <= LARGEST or any(np.iscomplexobj(leaf) for leaf in found + given):
            return None
        scalar = isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and not value.shape)
        verdicts, jacobians = [], {}
        for name, mode in MODES.items():
            if name != "hessian" or scalar:
                verdict, jacobians[name] = attempt(mode(program.function, wrt), program, name)
                verdicts.append(verdict)
        jacobians = {name: entries for name, entries in jacobians.items() if entries is not None}
        verdicts.append(agree(jacobians, epsilon(program.args, value)))
        if not any(v.failed for v in verdicts) and jacobians:
            verdicts.append(compared(program, wrt, next(iter(jacobians.values()))))
    ordered = [v for kind in ("crash", "wrong", "refused") for v in verdicts if v.kind == kind]
    return ordered[0] if ordered else verdicts[-1]


def attempt(derivative: Callable[..., Any], program: Program, mode: str) -> tuple[Verdict, list[np.ndarray] | None]:
    """The entries of a second derivative, unless there is none."""
    args = program.fresh()
    before = trees.bits(args)
    try:
        found = derivative(*args)
    except ad.AdcompileError as error:
        if error.place is None:
            return Verdict("crash", mode, "refusal without a place", str(error)), None
        return Verdict("refused", mode, error.message.splitlines()[0], str(error)), None
    except (RecursionError, Exception) as error:
        reason = f"{type(error).__name__} in {traceback.extract_tb(error.__traceback__)[-1].name}"
        return Verdict("crash", mode, reason, "".join(traceback.format_exception(error))[-3000:]), None
    if trees.bits(args) != before:
        return Verdict("wrong", mode, "arguments are not as before"), None
    return Verdict("right", mode), [np.asarray(leaf) for leaf in leaves(found)]


def agree(jacobians: dict[str, list[np.ndarray]], eps: float) -> Verdict:
    """Whether all of them are the same, up to rounding in proportion to the largest entry."""
    relative = 1e-8 if eps < 1e-10 else 1e4 * eps
    (first, expected), *others = jacobians.items() or [("", [])]
    largest = max((np.max(np.abs(e), initial=0.0, where=np.isfinite(e)) for e in expected), default=0.0)
    for name, entries in others:
        same = [a.shape for a in entries] == [a.shape for a in expected]
        if not same or not all(
            np.allclose(a, b, relative, relative * (1.0 + largest), equal_nan=True) for a, b in zip(entries, expected)
        ):
            return Verdict("wrong", name, f"differs from {first}", f"{entries}\nand\n{expected}")
    return Verdict("right")


def compared(program: Program, wrt: tuple[int, ...], second: list[np.ndarray]) -> Verdict:
    """The derivative of jacrev along a direction: by the entries of `second`, and by differences."""
    first = ad.jacrev(program.function, wrt)
    args, along = program.fresh(), direction(program.args, 7)
    at = first(*args)
    weights = randn_like(at, np.random.default_rng(11))
    rows, steps = leaves(weights), [leaf for i in wrt for leaf in leaves(along[i])]
    slope = size = 0.0
    for k, entry in enumerate(second):  # by leaves of the Jacobian, and within these of the arguments
        row, step = rows[k // len(steps)], steps[k % len(steps)]
        terms = entry * np.multiply.outer(np.asarray(row, float), step)
        slope, size = slope + float(np.sum(terms)), size + float(np.sum(np.abs(terms)))

    def jacobian(*args: Any) -> Any:
        return first(*copy.deepcopy(args))

    estimates = list(slopes(jacobian, program.args, along, weights))
    limit = (0.05 if epsilon(program.args, at) > 1e-10 else 1e-5) * (abs(slope) + 0.01 * size + 1e-3)
    if any(abs(e - slope) <= limit for e in estimates):
        return Verdict("right", compared=1)
    nearby = itertools.pairwise(estimates)
    steady = np.isfinite(slope) and any(abs(a - b) <= limit for a, b in nearby)
    if not steady or kinked(lambda h: inner(weights, jacobian(*moved(program.args, along, h))), size):
        return Verdict("right", kinks=1)
    return Verdict("wrong", "differences", "of the first Jacobian differ", f"{slope} against {estimates}")


# -- the command --------------------------------------------------------------------------------


def chosen(names: Iterable[str] = (), samples: int = 1) -> list[Program]:
    """So many samples of each program, or all of those named."""
    wanted, met, found = set(names), Counter[Any](), []
    for program in [*programs_inplace.collect(), *programs.collect()]:
        met[program.function] += 1
        if program.function.__name__ in wanted if wanted else met[program.function] <= samples:
            found.append(program)
    return found


def judge(index: int, program: Program) -> tuple[int, Verdict | None]:
    return index, check(program)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.second_order", description="Jacobians of Jacobians.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="functions of the programs; else all")
    parser.add_argument("--samples", type=int, default=1, metavar="N", help="samples of each program at most")
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first program")
    parser.add_argument("--programs", type=int, default=None, metavar="N", help="how many programs")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="time for one program")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes that check programs")
    options = parser.parse_args(argv)
    todo = chosen(options.names, options.samples)[options.first :]
    todo = todo[: options.programs]
    if unknown := set(options.names) - {p.function.__name__ for p in chosen()}:
        parser.error(f"no programs: {', '.join(sorted(unknown))}")
    counts, reasons, differences = Counter[str](), Counter[str](), Counter[str]()

    def late(index: int, program: Program) -> tuple[int, Verdict]:
        return index, Verdict("slow", reason="no verdict in time, or the process died")

    results = run(judge, list(enumerate(todo)), options.limit, late, options.jobs)
    for done, (index, verdict) in enumerate(results, 1):
        program = todo[index]
        if done % 50 == 0:
            print(f"{done} of {len(todo)}", file=sys.stderr, flush=True)
        if verdict is None:
            counts["passed over"] += 1
            continue
        counts[verdict.kind] += 1
        differences.update(confirmed=verdict.compared, kinks=verdict.kinks)
        topic = program.function.__module__.rpartition(".")[2]
        if verdict.kind != "right":
            print(f"{topic}.{program.name}: {verdict.kind} {verdict.stage}: {verdict.reason}", flush=True)
            print(*(f"    {line}" for line in verdict.detail.splitlines()[-8:]), sep="\n", flush=True)
        if verdict.kind == "refused":
            reasons[verdict.reason] += 1
    kinds = ("right", "refused", "wrong", "crash", "slow", "passed over")
    print(f"{len(todo)} programs: " + ", ".join(f"{counts[k]} {k}" for k in kinds))
    print(f"{differences['confirmed']} confirmed by differences, {differences['kinks']} where these say nothing")
    for reason, n in reasons.most_common():
        print(f"{n:5}  refused: {reason}")
    return int(any(counts[k] for k in ("wrong", "crash", "slow")))


if __name__ == "__main__":
    sys.exit(main())
