"""Functions that users write into their own code to steer differentiation."""

from __future__ import annotations

from typing import TypeVar

from adcompile.runtime.checkpoints import checkpointed

Value = TypeVar("Value")


def stop_gradient(x: Value) -> Value:
    """`x` itself, which every derivative takes for a constant."""
    return x


def checkpointed_range(*bounds: int, snaps: int) -> range:
    """`range(*bounds)`, for a loop whose way back keeps the states of `snaps` iterations instead of what
    every iteration computes: the others are run again, as rarely as can be.

        for i in ad.checkpointed_range(n, snaps=100):
            y = step(y)

    With c snapshots and at most r runs of each iteration the loop may have binomial(c + r, c) iterations. The
    gradient is that of a loop over `range`, bit for bit. Raises ValueError for less than one snapshot.
    """
    return checkpointed(range(*bounds), snaps)
