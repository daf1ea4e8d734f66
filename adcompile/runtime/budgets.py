"""How a loop spends the memory it may have on the way to its derivative.

A loop keeps the states before some of its steps, and what the adjoints of several steps in a row (a block) read. With
more states fewer steps run again; in a larger block there are fewer states to go back to. Of all that fit, that is
chosen with which the fewest steps run again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np

from adcompile.errors import Unsupported


class Spending(NamedTuple):
    """So many states are kept, and the steps are recorded in blocks of so many."""

    snaps: int
    block: int = 1


def advances(count: int, snaps: int) -> int:
    """How many steps run again, at least, to reverse `count` with so many snapshots (Griewank and Walther 2000): with
    at most r runs of each, r · count - binomial(snaps + r, r - 1)."""
    if count <= 1:
        return 0
    if snaps == 1:
        return count * (count - 1) // 2
    runs = 1
    while comb(snaps + runs, snaps) < count:
        runs += 1
    return runs * count - comb(snaps + runs, runs - 1)


def reserve(state: int, step: int) -> int:
    """What a loop needs beside what it keeps: the state that is being advanced, and what one step and its adjoint
    compute on the way, which is taken for three more and two steps."""
    return 4 * state + 2 * step


@lru_cache(maxsize=1024)
def spending(count: int, state: int, step: int, budget: int) -> Spending:
    """How to reverse `count` steps within a budget: a state takes `state` bytes, what the adjoint of one step reads
    takes `step` bytes.

    Raises Unsupported for a budget in which there is no room for a state and a step beside the reserve.
    """
    free = budget - reserve(state, step)
    if count * step <= free:
        return Spending(1, max(count, 1))
    found: tuple[int, int, Spending] | None = None
    for block in _blocks(min(count, (free - state) // max(step, 1))):
        blocks = -(-count // block)
        snaps = min(blocks, (free - block * step) // state) if state else blocks
        cost = advances(blocks, snaps) * block
        if found is None or (cost, block) < found[:2]:
            found = cost, block, Spending(snaps, block)
    if found is None:
        least = reserve(state, step) + state + step
        raise Unsupported(
            f"memory_budget leaves {budget} bytes to a loop that needs {least}",
            remedy="give it more, or leave memory_budget out",
        )
    return found[2]


def _blocks(most: int) -> Iterable[int]:
    """Sizes of blocks to try: all small ones, then steps of three per cent."""
    block = 1
    while block <= most:
        yield block
        block += max(1, block // 32)


def size(seen: set[int], *values: Any) -> int:
    """The bytes that values take, with what they hold; without the arrays and containers (`id`) that were `seen`
    before. Numbers and tuples count each time: to know all of them again would take more memory than they do."""
    found, todo = 0, list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, tuple):
            todo += value
        elif not isinstance(value, NUMBERS):
            if value is None or id(value) in seen:
                continue
            seen.add(id(value))
            todo += held_by(value)
        found += sys.getsizeof(value)
    return found


def held_by(value: Any) -> Iterable[Any]:
    if isinstance(value, np.ndarray):
        return (value.base,)
    if isinstance(value, dict):
        return (*value, *value.values())
    if isinstance(value, (list, set, frozenset)):
        return value
    return (vars(value),) if hasattr(value, "__dict__") else ()


NUMBERS = (float, complex, int, np.number, np.bool_)


def all_numbers(values: Any) -> bool:
    """Whether there is nothing but numbers in a tree of tuples and lists: another one of its kind takes no more."""
    if isinstance(values, (tuple, list)):
        return all(map(all_numbers, values))
    return isinstance(values, NUMBERS)
