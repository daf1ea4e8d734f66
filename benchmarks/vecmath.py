"""`python -m benchmarks.vecmath [--points N]`: how far `adcompile.runtime.vecmath` is off, and how fast it is.

The errors are in units in the last place, the largest over all points, with the point. The points of a
function are of three kinds in equal parts: uniform over where it changes, over all magnitudes of its domain,
and close to where its method changes or its value vanishes. float64 is compared with long double, which has 64
bits of mantissa on x86 (elsewhere the errors are left out); for erf and erfc, which NumPy does not have, with
Taylor series in long double whose coefficients mpmath gives. float32 is compared with float64. Times are
nanoseconds an element; beside them NumPy's and those of the C library called by Numba.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import mpmath
import numba
import numpy as np

from adcompile.runtime.vecmath import DTYPES, NAMES, implementation

Array = Any
CHUNK = 500_000
MARKERS = ("<!-- measured -->", "<!-- end of what is measured -->")
INF = math.inf
SPECIAL = (0.0, -0.0, INF, -INF, math.nan, 1.0, -1.0, 2.0, -3.0, 0.5, 5e-324, -5e-324, 1e-310, 1.7e308, -1.7e308)


@dataclass(frozen=True)
class Case:
    """Where a function is tried: `low` to `high` uniformly; all magnitudes, by sign; around `edges`."""

    reference: Callable[..., Array]
    low: float
    high: float
    signs: tuple[float, ...]
    edges: tuple[float, ...] = ()
    two: bool = False


def reference_sigmoid(x: Array) -> Array:
    small = np.exp(-abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def reference_log_sigmoid(x: Array) -> Array:
    return np.minimum(x, np.longdouble(-0.0)) - np.log1p(np.exp(-abs(x)))


STEP = 1 / 16
TERMS = 15


@cache
def erfcx_series() -> Array:
    """Taylor coefficients of exp(x²) erfc(x) around the multiples of STEP up to 28, in long double.

    By the recurrence of its differential equation: f' = 2x f - 2/√π.
    """
    table = np.zeros((int(28 / STEP) + 2, TERMS), np.longdouble)
    with mpmath.workdps(60):
        for row in range(len(table)):
            x = mpmath.mpf(row) * STEP
            f = [mpmath.exp(x * x) * mpmath.erfc(x)]
            f.append(2 * x * f[0] - 2 / mpmath.sqrt(mpmath.pi))
            for k in range(2, TERMS):
                f.append((2 * x * f[k - 1] + 2 * f[k - 2]) / k)
            for k, value in enumerate(f):
                high = float(value)
                table[row, k] = np.longdouble(high) + np.longdouble(float(value - high))
    return table


def erfc_above(x: Array) -> Array:
    """erfc for 0 ≤ x ≤ 28; x² is split, as exp magnifies its rounding."""
    x = np.where(np.isnan(x), 0, x)  # an index must not be nan; the callers put it back
    row = np.rint(x / STEP).astype(np.int64)
    h, series = x - row * np.longdouble(STEP), erfcx_series()
    value = series[row, TERMS - 1]
    for k in range(TERMS - 2, -1, -1):
        value = value * h + series[row, k]
    head = x.astype(np.float32).astype(np.longdouble)
    return value * np.exp(-head * head) * np.exp(-(x - head) * (x + head))


def reference_erfc(x: Array) -> Array:
    tail = erfc_above(np.minimum(abs(x), np.longdouble(28)))
    return np.where(np.isnan(x), x, np.where(x < 0, 2 - tail, tail))


def reference_erf(x: Array) -> Array:
    """Below 1 by the series of erf, as 1 - erfc loses bits."""
    z = np.minimum(x * x, np.longdouble(1))
    value = np.zeros_like(x)
    for k in range(30, -1, -1):
        value = 1 / np.longdouble(2 * k + 1) - z * value / (k + 1)
    root = np.longdouble(2) / np.sqrt(np.arccos(np.longdouble(-1)))
    far = np.copysign(1 - erfc_above(np.minimum(abs(x), np.longdouble(28))), x)
    return np.where(abs(x) < 1, root * x * value, np.where(np.isnan(x), x, far))


BOTH, ABOVE = (1.0, -1.0), (1.0,)
HALF_PIS = tuple(k * math.pi / 2 for k in (1, 2, 3, 5, 100, 1e5, 1e6)) + (1.6e6, math.pi / 4)
CASES = {
    "exp": Case(np.exp, -745.2, 709.8, BOTH, (709.78, -708.4, -745.13, 0.3466)),
    "expm1": Case(np.expm1, -40.0, 709.8, BOTH, (709.78, 0.3466, -0.3466, 1.04)),
    "log": Case(np.log, 0.0, 10.0, ABOVE, (1.0, 0.7071, 1.4142, 2.2e-308)),
    "log1p": Case(np.log1p, -1.0, 10.0, BOTH, (-1.0, 0.41, -0.29, 1.0)),
    "log2": Case(np.log2, 0.0, 10.0, ABOVE, (1.0, 0.7071, 1.4142, 2.0)),
    "log10": Case(np.log10, 0.0, 10.0, ABOVE, (1.0, 0.7071, 1.4142, 10.0)),
    "sin": Case(np.sin, -100.0, 100.0, BOTH, HALF_PIS),
    "cos": Case(np.cos, -100.0, 100.0, BOTH, HALF_PIS),
    "tan": Case(np.tan, -100.0, 100.0, BOTH, HALF_PIS),
    "sinh": Case(np.sinh, -710.5, 710.5, BOTH, (0.3466, 1.04, 22.0, 710.47)),
    "cosh": Case(np.cosh, -710.5, 710.5, BOTH, (0.3466, 1.04, 22.0, 710.47)),
    "tanh": Case(np.tanh, -20.0, 20.0, BOTH, (0.1733, 0.52, 1.0, 19.0)),
    "asin": Case(np.arcsin, -1.0, 1.0, BOTH, (0.5, 1.0)),
    "acos": Case(np.arccos, -1.0, 1.0, BOTH, (0.5, 1.0, -1.0)),
    "atan": Case(np.arctan, -10.0, 10.0, BOTH, (1.0, 0.5)),
    "atan2": Case(np.arctan2, -10.0, 10.0, BOTH, two=True),
    "pow": Case(np.power, 0.0, 10.0, ABOVE, (1.0,), two=True),
    "cbrt": Case(np.cbrt, -10.0, 10.0, BOTH, (1.0, 2.0, 4.0, 8.0)),
    "hypot": Case(np.hypot, -10.0, 10.0, BOTH, (1e150, 1e-140), two=True),
    "erf": Case(reference_erf, -6.0, 6.0, BOTH, (1.0, 0.5, 5.9)),
    "erfc": Case(reference_erfc, -6.0, 27.5, BOTH, (0.5, 1.0, 26.54, 27.2)),
    "sigmoid": Case(reference_sigmoid, -745.2, 40.0, BOTH, (0.3466, 1.0, -709.0)),
    "log_sigmoid": Case(reference_log_sigmoid, -40.0, 745.2, BOTH, (0.3466, 1.0, 36.0)),
}


def points(case: Case, dtype: str, count: int, rng: Any) -> tuple[Array, ...]:
    """`count` arguments of the function, in arrays of `dtype`: one array, or two."""
    third = count // 3
    lowest, highest = (-1074, 1024) if dtype == "float64" else (-149, 128)
    uniform = rng.uniform(case.low, case.high, count - 2 * third)
    every = np.exp2(rng.uniform(lowest, highest, third)) * rng.choice(case.signs, third)
    edges = np.array([s * e for e in (case.edges or (1.0,)) for s in case.signs])
    close = rng.choice(edges, third) * (1 + rng.choice((1, -1), third) * np.exp2(-rng.uniform(3, 53, third)))
    with np.errstate(over="ignore"):
        x = np.concatenate([uniform, every, close]).astype(dtype)
    if not case.two:
        return (x,)
    if case.reference is np.power:
        # results of all magnitudes, those that overflow and vanish too
        limit = 750 if dtype == "float64" else 105
        with np.errstate(divide="ignore"):
            y = rng.uniform(-limit, limit, count) / np.log(x.astype(np.float64))
        return x, np.where(rng.random(count) < 0.1, np.rint(y), y).astype(dtype)
    with np.errstate(over="ignore"):
        y = x * np.exp2(rng.uniform(-30, 30, count)) * rng.choice((1, -1), count)
        return x, y.astype(dtype)


def errors(got: Array, want: Array) -> Array:
    """|got - want| in units in the last place of want, where got is not its rounding."""
    nearest = want.astype(got.dtype)
    largest = np.finfo(got.dtype).max
    unit = np.spacing(np.minimum(abs(nearest), largest)).astype(np.longdouble)
    off = (abs(got.astype(np.longdouble) - want) / unit).astype(np.float64)
    off[(got == nearest) | (np.isnan(got) & np.isnan(nearest))] = 0.0
    # the rounding of the true value itself is an error of up to a half: count it where it is known
    exact = (abs(nearest.astype(np.longdouble) - want) / unit).astype(np.float64)
    same = np.isfinite(exact) & (got == nearest)
    off[same] = exact[same]
    off[np.isnan(off)] = math.inf
    return off


@cache
def looped(name: str, dtype: str, accurate: bool) -> Callable[..., None]:
    """`run(x, out)` or `run(x, y, out)`: the function, element by element, compiled."""
    function = implementation(name, dtype, accurate)
    if CASES[name].two:

        @numba.njit(error_model="numpy")
        def run_two(x, y, out):
            for i in range(x.size):
                out[i] = function(x[i], y[i])

        return run_two

    @numba.njit(error_model="numpy")
    def run(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    return run


def largest_error(name: str, dtype: str, count: int, seed: int = 0) -> tuple[float, tuple[float, ...]]:
    """The largest error in units in the last place over `count` points, and where it was found."""
    case, run, rng = CASES[name], looped(name, dtype, False), np.random.default_rng(seed)
    worst, place = 0.0, (math.nan,)
    for start in range(0, count, CHUNK):
        args = points(case, dtype, min(CHUNK, count - start), rng)
        out = np.empty_like(args[0])
        run(*args, out)
        with np.errstate(all="ignore"):
            off = errors(out, case.reference(*(a.astype(np.longdouble) for a in args)))
        k = int(np.argmax(off))
        if off[k] > worst:
            worst, place = float(off[k]), tuple(float(a[k]) for a in args)
    return worst, place


def specials(name: str, dtype: str) -> list[tuple[tuple[float, ...], float, float]]:
    """Arguments among SPECIAL where the value is wrong beyond two units, or has the wrong sign: with both values."""
    case = CASES[name]
    with np.errstate(over="ignore"):
        values = np.array(SPECIAL).astype(dtype)
    args = [a.ravel() for a in np.meshgrid(values, values)] if case.two else [values]
    out = np.empty_like(args[0])
    looped(name, dtype, False)(*args, out)
    with np.errstate(all="ignore"):
        want = np.asarray(case.reference(*(a.astype(np.longdouble) for a in args)))
        bad = errors(out, want) > 2
    bad |= (np.signbit(out) != np.signbit(want)) & ~np.isnan(out)
    return [(tuple(float(a[k]) for a in args), float(out[k]), float(want[k])) for k in np.flatnonzero(bad)]


NUMPY: dict[str, Any] = {
    "sigmoid": lambda x, out: np.divide(1, np.add(1, np.exp(np.negative(x, out=out), out=out), out=out), out=out),
    **{n: c.reference for n, c in CASES.items() if isinstance(c.reference, np.ufunc)},
}


def times(name: str, dtype: str, size: int) -> dict[str, float]:
    """Seconds of processor time for `size` elements: ours, NumPy's, the C library's; the least of some rounds."""
    case, rng = CASES[name], np.random.default_rng(1)
    low, high = max(case.low, -10.0), min(case.high, 10.0)
    args = tuple(rng.uniform(low, high, size).astype(dtype) for _ in range(2 if case.two else 1))
    out = np.empty_like(args[0])
    runs = {"ours": looped(name, dtype, False), "numpy": NUMPY.get(name), "libm": looped(name, dtype, True)}
    found: dict[str, float] = {}
    for tool, run in runs.items():
        if run is None:
            continue
        rounds: list[float] = []
        while len(rounds) < 10 or sum(rounds) < 0.3:
            start = time.thread_time()
            run(*args, out)
            rounds.append(time.thread_time() - start)
        found[tool] = min(rounds)
    return found


def row(name: str, dtype: str, count: int, size: int, known: dict[tuple[str, str], Any]) -> dict[str, Any]:
    if (name, dtype) in known:
        worst, place = known[name, dtype]["error"], known[name, dtype]["at"]
    else:
        worst, place = largest_error(name, dtype, count)
    spent = {tool: seconds / size * 1e9 for tool, seconds in times(name, dtype, size).items()}
    return {"name": name, "dtype": dtype, "error": worst, "at": place, "special": specials(name, dtype), **spent}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Markdown: the errors and, in nanoseconds an element, the times."""
    lines = ["| function | dtype | largest error, ulp | at | ours, ns | NumPy | libm in Numba |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for r in rows:
        at = ", ".join(f"{v:.9g}" for v in r["at"])
        spent = [f"{r[t]:.2f}" if t in r else "–" for t in ("ours", "numpy", "libm")]
        lines.append(f"| {r['name']} | {r['dtype']} | {r['error']:.2f} | {at} | {' | '.join(spent)} |")
    return "\n".join(lines)


def machine(count: int, size: int) -> str:
    """What the table is about, in a line."""
    features = llvm.get_host_cpu_features()
    vectors = next((v for v in ("avx512f", "avx2", "sse2", "neon") if features.get(v)), "")
    versions = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"
    return f"{count} points for each function; arrays of {size}; {platform.machine()} {vectors}; {versions}."


def written(document: str, text: str) -> str:
    """The document with what stands between its two markers replaced."""
    before, _, rest = document.partition(MARKERS[0])
    _, found, after = rest.partition(MARKERS[1])
    if not found:
        raise ValueError(f"the document has no {MARKERS[0]} … {MARKERS[1]}")
    return f"{before}{MARKERS[0]}\n\n{text}\n\n{MARKERS[1]}{after}"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vecmath", description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000, help="where the error is looked at, for each function")
    parser.add_argument("--size", type=int, default=1_000_000, help="elements of the arrays that are timed")
    parser.add_argument("--function", action="append", choices=NAMES, help="only this one; repeatable")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    parser.add_argument("--write", metavar="FILE", help="write the table between the markers of FILE (docs/vecmath.md)")
    parser.add_argument("--errors", metavar="FILE", help="what --json wrote before: only times are measured")
    options = parser.parse_args(argv)
    before = json.loads(Path(options.errors).read_text(encoding="utf-8")) if options.errors else []
    known = {(r["name"], r["dtype"]): r for r in before}
    rows: list[dict[str, Any]] = []
    for name in options.function or NAMES:
        for dtype in DTYPES:
            rows.append(row(name, dtype, options.points, options.size, known))
            print(f"{name} {dtype}: {rows[-1]['error']:.3f}", *rows[-1]["special"][:3], file=sys.stderr, flush=True)
    text = f"{machine(options.points, options.size)}\n\n{table(rows)}"
    print(text)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    if options.write:
        target = Path(options.write)
        target.write_text(written(target.read_text(encoding="utf-8"), text), encoding="utf-8")
    return 1 if any(r["special"] or r["error"] > 2 for r in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
