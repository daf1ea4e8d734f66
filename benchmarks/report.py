"""What a run says: the table of ratios, for the screen and for docs/performance.md."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.peers import PEERS
from benchmarks.rows import ROWS, Row

UNITS = {"ms": 1e3, "µs": 1e6}
Results = Mapping[str, Mapping[str, Any]]
"""By row: `seconds` and `failed` by tool, or `growing`."""


def ours_in(results: Results) -> list[str]:
    names = {tool for r in results.values() for part in ("seconds", "failed") for tool in r.get(part, {})}
    return sorted(name for name in names if name.startswith("adcompile"))


def best_peer(seconds: Mapping[str, float]) -> tuple[str, float] | None:
    known = [(t, name) for name, t in seconds.items() if name in PEERS]
    return (min(known)[1], min(known)[0]) if known else None


def figure(value: float | None, digits: int = 3) -> str:
    """Three digits, never as a power of ten."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def heads(results: Results) -> list[str]:
    peers = [p for p in PEERS if any(p in r.get("seconds", {}) or p in r.get("failed", {}) for r in results.values())]
    ours = ours_in(results)
    of_ours = [f"{name} / {to}" for name in ours for to in ("primal", "reference", "best peer")]
    return ["workload", "primal", "hand", "hand_numba", *ours, *peers, "best peer", "reference / primal", *of_ours]


def cells(row: Row, result: Mapping[str, Any], results: Results) -> list[str]:
    """The cells of a row: times, then quotients."""
    seconds: Mapping[str, float] = result.get("seconds", {})
    scale = UNITS[row.unit]
    out: list[str] = []
    best = best_peer(seconds)
    reference = row.published.hand if row.published else None
    for head in heads(results):
        if head == "workload":
            out.append(row.name if row.unit == "ms" else f"{row.name} ({row.unit})")
        elif head == "best peer":
            out.append(best[0] if best else "–")
        elif head == "reference / primal":
            out.append(figure(reference))
        elif " / " in head:
            out.append(figure(quotient(row, result, head)))
        else:
            out.append(figure(seconds[head] * scale if head in seconds else None))
    return out


def quotient(row: Row, result: Mapping[str, Any], head: str) -> float | None:
    """`tool / to`: how many times the function, the reference or the best peer a tool takes."""
    seconds: Mapping[str, float] = result.get("seconds", {})
    tool, to = head.rsplit(" / ", 1)
    if tool not in seconds:
        return None
    if to == "best peer":
        best = best_peer(seconds)
        return seconds[tool] / best[1] if best else None
    if to == "reference":
        reference = row.published.hand if row.published else None
        return seconds[tool] / (reference * seconds["primal"]) if reference else None
    return seconds[tool] / seconds[to] if to in seconds else None


def mean_speed(results: Results, tool: str) -> float | None:
    """How many times faster than the best peer, in the geometric mean over rows not bound by BLAS."""
    slower = [quotient(ROWS[name], r, f"{tool} / best peer") for name, r in results.items() if not ROWS[name].blas]
    known = [math.log(q) for q in slower if q]
    return math.exp(-sum(known) / len(known)) if known else None


def lines_of(results: Results) -> list[list[str]]:
    return [heads(results)] + [cells(ROWS[name], r, results) for name, r in results.items()]


def text(results: Results) -> str:
    """For the screen."""
    rows = lines_of(results)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    out = ["  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths))) for row in rows]
    return "\n".join([*out, "", *notes(results)])


def notes(results: Results) -> list[str]:
    said = [f"{tool}: {speed:.2f} times as fast as the best peer, in the geometric mean over rows not bound by BLAS"
            for tool in ours_in(results) if (speed := mean_speed(results, tool))]  # fmt: skip
    return said + list(failures(results))


def failures(results: Results) -> Iterable[str]:
    """What did not run, and why; a tool that is not installed once."""
    seen: dict[str, list[str]] = {}
    for name, result in results.items():
        for tool, why in result.get("failed", {}).items():
            if not why.startswith("Unsuited"):
                seen.setdefault(f"{tool}: {why}", []).append(name)
    for why, where in seen.items():
        yield f"{why} ({'all rows' if len(where) == len(results) > 1 else ', '.join(where)})"


# -- growth -------------------------------------------------------------------------------------


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The exponent of time as a power of size, over the whole range."""
    span = math.log(sizes[-1] / sizes[0])
    return math.log(times[-1] / times[0]) / span if span else 0.0


def growth(results: Results) -> list[list[str]]:
    """For each row: exponents of the function and of gradients, and gradient by function at each size; the same by
    the function that the backend has compiled."""
    ours = sorted({n for r in results.values() for n in r.get("growing", {}) if n.startswith("adcompile")})
    known = {n for r in results.values() for n in r.get("growing", {})}
    pairs = [(tool, f"primal {tool.removeprefix('adcompile ')}") for tool in ours]
    head = ["workload", "sizes", "primal: exponent"]
    for tool, native in pairs:
        head += [f"{tool}: exponent", f"{tool}: / primal"]
        head += [f"{native}: exponent", f"{tool}: / {native}"] if native in known else []
    out = [head]
    for name, result in results.items():
        times = result.get("growing")
        if not times or times["sizes"][0] == times["sizes"][-1]:
            continue
        sizes = times["sizes"]
        line = [name, ", ".join(f"{s:g}" for s in sizes) + f" {ROWS[name].counts}", _exponent(times, "primal")]
        for tool, native in pairs:
            line += [_exponent(times, tool), _quotients(times, tool, "primal")]
            line += [_exponent(times, native), _quotients(times, tool, native)] if native in known else []
        out.append(line)
    return out


def _exponent(times: Mapping[str, Sequence[float]], tool: str) -> str:
    return f"{slope(times['sizes'], times[tool]):.2f}"


def _quotients(times: Mapping[str, Sequence[float]], tool: str, of: str) -> str:
    return ", ".join(figure(a / b, 2) for a, b in zip(times[tool], times[of]))


# -- the page -----------------------------------------------------------------------------------


def machine() -> str:
    """What kind of processor, without its name in any network."""
    model, flags = platform.machine(), ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            entries = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines() if ":" in line)
        known = {key.strip(): value.strip() for key, value in entries.items()}
        model = known.get("model name", model)
        flags = next(
            (f" with {w}" for w, f in (("AVX-512", "avx512f"), ("AVX2", "avx2")) if f in known.get("flags", "")), ""
        )
    return f"{model}{flags}, {os.cpu_count()} cores, one of them used; {platform.system()}"


def versions() -> dict[str, str]:
    known = {"python": platform.python_version()}
    for name in ("numpy", "scipy", "numba", "jax", "autograd", "torch"):
        try:
            known[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return known


def markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


PAGE = """# Performance

Made by `python -m benchmarks.run --doc docs/performance.md`; what is measured and how: `benchmarks/README.md`.

{machine}. {versions}. Medians of {clock} time of alternating calls, milliseconds unless said; only ratios travel.

- **primal** the function itself, in NumPy; **hand** and **hand_numba** our adjoints written by hand.
- **reference / primal** what a hand-written adjoint took of the function where these workloads were first measured.
- **/ primal**, **/ reference**, **/ best peer** how many times the function, that adjoint and the fastest peer a
  gradient of ours takes.

{table}

{notes}
"""
GROWTH = """
## Growth with the size

The exponent of time over the range of sizes, and gradient by function at each: by the function as it is (primal), and
by the function as the same backend compiles it (primal numba).

{table}
"""


def page(results: Results, clock: str) -> str:
    """The whole of docs/performance.md."""
    timed = {name: r for name, r in results.items() if "seconds" in r}
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    out = PAGE.format(
        machine=machine(),
        versions=used,
        clock=clock,
        table=markdown(lines_of(timed)),
        notes="\n".join(f"- {line}" for line in notes(timed)),
    )
    grown = growth(results)
    return out + (GROWTH.format(table=markdown(grown)) if len(grown) > 1 else "")


def record(results: Results, clock: str) -> dict[str, Any]:
    return {"machine": machine(), "versions": versions(), "clock": clock, "argv": sys.argv[1:], "rows": dict(results)}
