"""The coefficients of `adcompile.runtime.vecmath`, computed: `python -m benchmarks.vecmath_coefficients [--check]`.

Writes `adcompile/runtime/vecmath/coefficients.py` anew; `--check` compares instead. Every polynomial is the
minimax approximation, found by Remez' exchange in 60 digits with mpmath, of a smooth function that is given
below with its interval and the weight of its error; then its coefficients are rounded to float64. The
constants are roundings of logarithms of 2 and of pi, some cut short so that products with small whole
numbers are exact.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf

TARGET = Path(__file__).parent.parent / "adcompile" / "runtime" / "vecmath" / "coefficients.py"
GRID = 1200  # where the error is looked at: its extremes are found to about a thousandth of their size

DIGITS = 60

Real = Any  # mpmath's mpf, which has no types


@dataclass(frozen=True)
class Fit:
    """A polynomial of `degree` in t on [low, high] that is nearest to `function`, its error times `weight`."""

    name: str
    what: str
    function: Callable[[Real], Real]
    weight: Callable[[Real], Real]
    low: Real
    high: Real
    degree: int


def remez(fit: Fit) -> tuple[list[Real], Real]:
    """The coefficients of 1, t, t², … and the largest weighted error."""
    low, high, size = mpf(fit.low), mpf(fit.high), fit.degree + 2
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * mpmath.cos(mp.pi * k / GRID) for k in range(GRID + 1)]
    values = [fit.function(t) for t in grid]
    weights = [fit.weight(t) for t in grid]
    places = [round(GRID * (k + 0.5) / size) for k in range(size)]
    for _ in range(40):
        # Σ c_j t^j + (-1)^i E / w(t) = f(t) at size places
        matrix = mpmath.matrix(size, size)
        right = mpmath.matrix(size, 1)
        for row, place in enumerate(places):
            for column in range(fit.degree + 1):
                matrix[row, column] = grid[place] ** column
            matrix[row, size - 1] = (-1) ** row / weights[place]
            right[row] = values[place]
        solution = mpmath.lu_solve(matrix, right)
        coefficients, level = list(solution[: size - 1]), abs(solution[size - 1])
        errors = [(horner(coefficients, t) - f) * w for t, f, w in zip(grid, values, weights)]
        places = alternating(errors, size)
        largest = max(abs(e) for e in errors)
        if largest <= level * mpf("1.01"):
            return coefficients, largest
    raise ArithmeticError(f"{fit.name}: the exchange does not settle")


def horner(coefficients: Sequence[Real], t: Real) -> Real:
    value = mpf(0)
    for coefficient in reversed(coefficients):
        value = value * t + coefficient
    return value


def alternating(errors: Sequence[Real], size: int) -> list[int]:
    """The places of the `size` largest errors that alternate in sign."""
    runs: list[int] = []
    for place, error in enumerate(errors):
        if runs and (error > 0) == (errors[runs[-1]] > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = place
        else:
            runs.append(place)
    while len(runs) > size:
        if len(runs) == size + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:
            least = min(range(len(runs) - 1), key=lambda i: abs(errors[runs[i]]) + abs(errors[runs[i + 1]]))
            del runs[least : least + 2]
    if len(runs) < size:
        raise ArithmeticError("fewer extremes than coefficients: the degree is too high for the precision")
    return runs


def series(term: Callable[[int], Real]) -> Real:
    """The sum of the terms from 0 on, until they no longer count."""
    total, k = mpf(0), 0
    while True:
        value = term(k)
        total += value
        k += 1
        if abs(value) < mpf(10) ** -DIGITS * abs(total):
            return total


def tiny(t: Real) -> Real:
    """t, kept from 0, where quotients below are not defined; their values are continuous there."""
    return t if abs(t) > mpf(10) ** -18 else mpf(10) ** -18


def atanh_tail(terms: int) -> Callable[[Real], Real]:
    """(2 atanh(s)/s - the first `terms` terms of its series) / z^terms, by z = s²."""

    def tail(z: Real) -> Real:
        return series(lambda k: 2 * z**k / (2 * (k + terms) + 1))

    return tail


def erfcx(x: Real) -> Real:
    return mpmath.exp(x * x) * mpmath.erfc(x)


TAIL_SHIFT = 3.5
"""What is added to x before the reciprocal, in which the tails of erf and erfc are polynomials: of a few
numbers tried the one that needs the lowest degrees."""

TAIL_MIDDLES = {"ERF": 0.1640625, "ERFC": 0.140625}
"""What is taken from the reciprocal, so that it is about as far on both sides of 0 and terms do not cancel."""


def tail(name: str, lowest: Real, highest: Real, degree: int, absolute: bool) -> Fit:
    """erfcx(x) (2x + 1) by u = 1 / (x + b) - c; absolute: as it counts in 1 - erfc(x), relative otherwise."""
    b, c = mpf(TAIL_SHIFT), mpf(TAIL_MIDDLES[name.split("_")[0]])

    def place(u: Real) -> Real:
        return 1 / (u + c) - b

    def function(u: Real) -> Real:
        return erfcx(place(u)) * (2 * place(u) + 1)

    def weight(u: Real) -> Real:
        x = place(u)
        return mpmath.exp(-x * x) / (2 * x + 1) if absolute else mpf(1)

    what = f"erfcx(x) (2x + 1) by 1 / (x + {TAIL_SHIFT}) - {float(c)}, {float(lowest)} < x < {float(highest)}"
    return Fit(name, what, function, weight, 1 / (highest + b) - c, 1 / (lowest + b) - c, degree)


def fits() -> list[Fit]:
    half_log2 = mpmath.log(2) / 2 * mpf("1.0001")
    atanh_z = ((mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    eighth = (mp.pi / 4) ** 2 * mpf("1.0001")
    third = mpf(1) / 3

    def exp_tail(r: Real) -> Real:
        return series(lambda k: r**k / mpmath.factorial(k + 2))

    def sin_tail(z: Real) -> Real:
        return series(lambda k: -((-z) ** k) / mpmath.factorial(2 * k + 3))

    def cos_tail(z: Real) -> Real:
        return series(lambda k: (-z) ** k / mpmath.factorial(2 * k + 4))

    def atan_tail(z: Real) -> Real:
        x = mpmath.sqrt(tiny(z))
        return (mpmath.atan(x) / x - 1) / tiny(z)

    def asin_tail(z: Real) -> Real:
        x = mpmath.sqrt(tiny(z))
        return (mpmath.asin(x) / x - 1) / tiny(z)

    def erf_ratio(z: Real) -> Real:
        x = mpmath.sqrt(tiny(z))
        return mpmath.erf(x) / x - 1

    def one(_: Real) -> Real:
        return mpf(1)

    def pair(name: str, what: str, f: Any, weight: Any, low: Real, high: Real, wide: int, short: int) -> list[Fit]:
        """One polynomial for float64, and a shorter one, still in float64, for float32."""
        return [
            Fit(name, f"{what}, for float64", f, weight, low, high, wide),
            Fit(f"{name}_SHORT", f"{what}, for float32", f, weight, low, high, short),
        ]

    return [
        *pair("EXP", "(exp(r) - 1 - r) / r² by r", exp_tail, abs_or_tiny, -half_log2, half_log2, 9, 4),
        *pair("LOG", "(2 atanh(s)/s - 2) / z by z = s²", atanh_tail(1), tiny, mpf(0), atanh_z, 6, 2),
        Fit("LOG_TAIL", "(2 atanh(s)/s - 2 - 2z/3) / z² by z = s²", atanh_tail(2), square, mpf(0), atanh_z, 7),
        *pair("SIN", "(sin(r)/r - 1) / z by z = r²", sin_tail, tiny, mpf(0), eighth, 5, 2),
        *pair("COS", "(cos(r) - 1 + z/2) / z² by z = r²", cos_tail, square, mpf(0), eighth, 5, 2),
        *pair("ATAN", "(atan(x)/x - 1) / z by z = x²", atan_tail, tiny, mpf(0), mpf(1), 19, 8),
        *pair("ASIN", "(asin(x)/x - 1) / z by z = x²", asin_tail, tiny, mpf(0), mpf("0.25"), 11, 4),
        *pair("ERF", "erf(x)/x - 1 by z = x²", erf_ratio, one, mpf(0), mpf(1), 12, 6),
        tail("ERF_TAIL", mpf(1), mpf(6), 11, True),
        tail("ERF_TAIL_SHORT", mpf(1), mpf(4), 6, True),
        tail("ERFC_TAIL", mpf("0.5"), mpf("27.5"), 21, False),
        tail("ERFC_TAIL_SHORT", mpf("0.5"), mpf("10.5"), 10, False),
        Fit("CBRT", "m^(-1/3) by m", lambda m: m**-third, lambda m: m**third, mpf(1), mpf(2), 5),
    ]


def abs_or_tiny(t: Real) -> Real:
    return abs(tiny(t))


def square(t: Real) -> Real:
    return tiny(t) ** 2


def cut(value: Real, bits: int) -> float:
    """The first `bits` bits of a positive number."""
    exponent = mpmath.frexp(value)[1]
    return float(mpmath.floor(mpmath.ldexp(value, bits - exponent)) * mpf(2) ** (exponent - bits))


def pieces(value: Real, bits: Sequence[int]) -> list[float]:
    """value as a sum of floats: pieces of so many bits each, the last one rounded in full."""
    found: list[float] = []
    for count in bits:
        found.append(cut(value, count))
        value -= mpf(found[-1])
    return [*found, float(value)]


def with_rest(value: Real) -> tuple[float, float]:
    return float(value), float(value - mpf(float(value)))


def constants() -> list[tuple[str, str, tuple[float, ...]]]:
    log2, half_pi = mpmath.log(2), mp.pi / 2
    return [
        ("LOG2_PARTS", "ln 2: its first 32 bits, the rest", tuple(pieces(log2, [32]))),
        ("LOG2_WIDE", "ln 2: its first 42 bits, the rest", tuple(pieces(log2, [42]))),
        ("HALF_PI_PARTS", "pi/2: its first 33 bits, 53 more, the rest", tuple(pieces(half_pi, [33, 53]))),
        ("HALF_PI", "pi/2 and what float64 leaves over", with_rest(half_pi)),
        ("PI", "pi and what float64 leaves over", with_rest(mp.pi)),
        ("INVERSE_LOG2", "1/ln 2: its first 32 bits, the rest", tuple(pieces(1 / log2, [32]))),
        ("INVERSE_LOG10", "1/ln 10: its first 32 bits, the rest", tuple(pieces(1 / mpmath.log(10), [32]))),
        ("LOG10_OF_2", "log10 2: its first 40 bits, the rest", tuple(pieces(mpmath.log10(2), [40]))),
        ("TWO_THIRDS", "2/3 and what float64 leaves over", with_rest(mpf(2) / 3)),
        ("TWO_OVER_PI", "2/pi", (float(2 / mp.pi),)),
        ("CUBE_ROOTS", "2^(-1/3), 4^(-1/3)", (float(mpf(2) ** (-mpf(1) / 3)), float(mpf(4) ** (-mpf(1) / 3)))),
    ]


def two_over_pi_words() -> list[int]:
    """The binary digits of 2/pi behind the point, 64 to a word: enough for every float64."""
    words = 20
    with mpmath.workprec(64 * words + 64):
        digits = int(mpmath.floor(mpmath.ldexp(2 / mp.pi, 64 * words)))
    return [(digits >> (64 * (words - 1 - k))) & (2**64 - 1) for k in range(words)]


def lines_of_constants() -> list[str]:
    lines: list[str] = []
    for name, what, values in constants():
        lines += [f"# {what}", f"{name} = ({', '.join(map(repr, values))},)", ""]
    lines += ["# tails of erf and erfc: what is added to x, and what is taken from the reciprocal"]
    lines += [f"TAIL_SHIFT = {TAIL_SHIFT!r}", *(f"{k}_MIDDLE = {v!r}" for k, v in TAIL_MIDDLES.items()), ""]
    lines += ["# The binary digits of 2/pi behind the point, 64 to a word", "TWO_OVER_PI_DIGITS = ("]
    return lines + [f"    0x{word:016x}," for word in two_over_pi_words()] + [")", ""]


def lines_of(fit: Fit) -> list[str]:
    coefficients, error = remez(fit)
    print(f"{fit.name}: degree {fit.degree}, error 2^{float(mpmath.log(error, 2)):.1f}", file=sys.stderr)
    lines = [f"# {fit.what}; weighted error {float(error):.1e}", f"{fit.name} = ("]
    lines += [f"    {float(c)!r}," for c in coefficients] + [")", ""]
    if fit.name == "ERFC_TAIL":
        lost = float(coefficients[0] - mpf(float(coefficients[0])))
        lines += ["# what rounding its first coefficient left over", f"ERFC_LOST = {lost!r}", ""]
    return lines


def text() -> str:
    lines = [
        '"""Coefficients and constants of the elementary functions.',
        "",
        "Written by `python -m benchmarks.vecmath_coefficients`, which says how each is found; not edited by hand.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
    ]
    with mp.workdps(DIGITS):
        lines += lines_of_constants()
        for fit in fits():
            lines += lines_of(fit)
    return "\n".join(lines[:-1]) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vecmath_coefficients", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args(argv)
    new = text()
    if options.check:
        same = TARGET.read_text(encoding="utf-8") == new
        print("the file is what this computes" if same else "the file is not what this computes")
        return 0 if same else 1
    TARGET.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
