"""Eigenvalues of real matrices, which are complex or not as the numbers want: what code asks of that is not answered
before it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.ir.types import Type, is_complex

BY_CHANCE = (np.linalg.eig, np.linalg.eigvals)


def is_by_chance(fn: Any) -> bool:
    """Whether the numbers that it is given say whether the result of a function is complex."""
    return any(fn is f for f in BY_CHANCE)


def note_spectrum(b: Builder, fn: Any, types: Iterable[Type]) -> None:
    """From a call of these on, what counts as complex may be real."""
    if is_by_chance(fn) and b.role == "primal" and not any(map(is_complex, types)):
        b.context.by_chance = True


def may_be_real(b: Builder, types: Iterable[Type]) -> bool:
    """Whether only the run time knows if values of these types are complex."""
    return b.context.by_chance and b.role == "primal" and any(map(is_complex, types))
