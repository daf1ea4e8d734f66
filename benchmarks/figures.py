"""What is promised of a measured figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One promise: `value` must not be above `bound`; no bound: reported only."""

    what: str
    value: float
    bound: float | None
    unit: str = ""
    note: str = ""

    @property
    def kept(self) -> bool:
        return self.bound is None or self.value <= self.bound

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"≤ {self.bound:.3g} {self.unit}"
        verdict = "" if self.bound is None else ("ok" if self.kept else "MISSED")
        return f"{self.what:<58}{f'{self.value:.3g} {self.unit}':>14}  {bound:<14}{verdict:<7}{self.note}"
