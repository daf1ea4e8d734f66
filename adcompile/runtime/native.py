"""What kernels of the numba backend raise and give: known to the run time, which does not import Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OWNERS: dict[type, Callable[[Any], tuple[int, int] | None]] = {}
"""By the class of what owns the memory of arrays that kernels have made: where it is, and how many arrays show it;
None where it is memory of an array from elsewhere."""


class Fault(Exception):
    """A kernel has met what Python or NumPy raise for, or what machine numbers cannot hold: the same
    code runs again on NumPy."""
