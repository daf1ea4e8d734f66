"""Which elements of an array an index names, as integers, and whether two of them may name the same one.

Integers are a variable and a constant, `i - 1`; what is known of them are bounds on differences, `i - j <= -1`. One
follows from others if the shortest path says so (Bellman and Ford).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from adcompile.frozen import frozen
from adcompile.ir.nodes import Var

Name = tuple[Var, str] | None
"""A variable in an iteration; None is zero."""

Linear = tuple[Name, int]
ZERO: Linear = (None, 0)


@frozen
class Axis:
    """The elements from `low` up to `high`, without it; None: as far as there are."""

    low: Linear
    high: Linear | None


@dataclass
class Order:
    """Bounds on differences of integers."""

    bounds: dict[tuple[Name, Name], int] = field(default_factory=dict[tuple[Name, Name], int])

    def add(self, small: Linear, large: Linear, apart: int = 0) -> None:
        """`small + apart <= large`."""
        key, bound = (small[0], large[0]), large[1] - small[1] - apart
        self.bounds[key] = min(bound, self.bounds.get(key, bound))

    def proves(self, small: Linear, large: Linear) -> bool:
        """Whether `small <= large` follows."""
        if small[0] == large[0]:
            return small[1] <= large[1]
        names = {name for key in self.bounds for name in key} | {small[0], large[0]}
        distance: dict[Name, int] = {large[0]: 0}
        for _ in names:
            before = dict(distance)
            for (to, origin), bound in self.bounds.items():
                if origin in distance and distance[origin] + bound < distance.get(to, distance[origin] + bound + 1):
                    distance[to] = distance[origin] + bound
            if distance == before:
                break
        else:
            return False  # bounds that contradict each other: nothing is said of what cannot happen
        found = distance.get(small[0])
        return found is not None and found <= large[1] - small[1]

    def counts_from_zero(self, value: Linear) -> bool:
        """Whether an index counts from the beginning of an axis, not from its end."""
        return self.proves(ZERO, value)

    def apart(self, first: Iterable[Axis | None], second: Iterable[Axis | None]) -> bool:
        """Whether two parts of an array, by their axes, have no element in common; None is any part of an axis."""
        pairs = ((a, b) for a, b in zip(first, second) if a is not None and b is not None)
        return any(self.below(a, b) or self.below(b, a) for a, b in pairs)

    def below(self, a: Axis, b: Axis) -> bool:
        """Whether all of one part of an axis comes before all of another."""
        if a.high is None or not self.counts_from_zero(a.high) or not self.counts_from_zero(a.low):
            return False
        return self.counts_from_zero(b.low) and self.proves(a.high, b.low)
