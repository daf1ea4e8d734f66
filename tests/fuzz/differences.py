"""Slopes of a function of one number, by evaluating it alone; and whether they can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Slope:
    value: float
    error: float  # an estimate

    def usable(self, size: float) -> bool:
        return self.error <= 1e-3 * (size + abs(self.value)) + 1e-7


def slope(phi: Callable[[float], float], start: float, rounds: int = 7) -> Slope:
    """Ridders' extrapolation of central differences."""
    shrink = 1.7
    rows: list[list[float]] = []
    best, error = 0.0, float("inf")
    for k in range(rounds):
        h = start / shrink**k
        row = [(phi(h) - phi(-h)) / (2 * h)]
        for j in range(1, k + 1):
            factor = shrink ** (2 * j)
            row.append((factor * row[j - 1] - rows[-1][j - 1]) / (factor - 1))
            estimate = max(abs(row[j] - row[j - 1]), abs(row[j] - rows[-1][j - 1]))
            if estimate <= error:
                best, error = row[j], estimate
        rows.append(row)
    return Slope(best, error)


def kinked(phi: Callable[[float], float], size: float, h: float = 1e-4) -> bool:
    """Whether the slopes from the two sides differ: the point lies on a kink."""
    here = phi(0.0)
    right = (4 * phi(h) - phi(2 * h) - 3 * here) / (2 * h)
    left = (3 * here + phi(-2 * h) - 4 * phi(-h)) / (2 * h)
    return not abs(right - left) <= 2e-3 * (size + abs(right) + abs(left)) * max(1.0, h / 1e-4)


def seen_by(slope: Slope, value: float, size: float) -> bool:
    """Whether a slope is the same as this value, as far as two of the finest steps must agree."""
    return abs(slope.value - value) <= 1e-2 * (size + abs(slope.value))


def settled(slopes: list[Slope], size: float, least: float) -> bool:
    """Whether the two finest steps see about the same slope. Where a function oscillates faster than the
    least of them, as an iterated sine of large numbers does, each sees another, the larger the finer it is.
    Where a slope of this `size` moves the result far within the `least` step two may agree by chance: all must."""
    far = size * least > 0.1
    values = [s.value for s in (slopes if far else slopes[-2:])]
    return max(values) - min(values) <= 1e-2 * ((0.0 if far else size) + max(map(abs, values)))
