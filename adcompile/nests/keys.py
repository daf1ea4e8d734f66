"""The lengths of axes as symbolic keys: equal keys, equal lengths.

    3                        this number
    ("dim", x, 0)            the length of the first axis of `x`
    n                        the number that the Var holds, which counts from 0 on
    ("less", key, 2)         2 less, but not below zero: `x[1:-1]`, and `x[2:]` just the same
    ("least", key, 5)        5, or the key where that is less: `x[:5]`; a Var that counts in place of 5
    ("place", key, n)        which place the index `n` means on an axis of this length
    ("clip", key, n)         where the bound `n` of a slice lies on an axis of this length
    ("span", a, b, step)     how many steps there are from a to b

Keys name only values that are no views, so that they can be computed wherever those are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adcompile.ir.nodes import Var

Key = Any
Keys = tuple[Key, ...]


def vars_in(key: Key) -> set[Var]:
    """The values that a key names."""
    if isinstance(key, Var):
        return {key}
    return {v for part in key for v in vars_in(part)} if isinstance(key, tuple) else set()


def counts(key: Key) -> bool:
    """Whether what a key says is never below 0, as lengths are; an index may be."""
    return not isinstance(key, tuple) or key[0] != "place"


def size(key: Key) -> int:
    """How much a key is made of; numbers are the least."""
    return 0 if isinstance(key, int) else 1 + sum(map(size, key)) if isinstance(key, tuple) else 1


def less(key: Key, count: int) -> Key:
    """`count` less than a length, but not below zero."""
    if isinstance(key, int):
        return max(key - count, 0)
    if count == 0:
        return key
    again = isinstance(key, tuple) and key[0] == "less"
    return ("less", key[1], key[2] + count) if again else ("less", key, count)


def least(key: Key, count: int | Var) -> Key:
    if isinstance(key, int) and isinstance(count, int):
        return min(key, count)
    return 0 if count == 0 else ("least", key, count)


def span(start: Key, stop: Key, step: int) -> Key:
    if isinstance(start, int) and isinstance(stop, int):
        return len(range(start, stop, step))
    return stop if start == 0 and step == 1 else ("span", start, stop, step)


def common(found: Sequence[Keys]) -> Keys:
    """The lengths of what arrays of these lengths are broadcast to, one of each axis that is not 1."""
    rank = max(map(len, found))
    out: list[Key] = []
    for k in range(rank):
        axis = [keys[k - rank + len(keys)] for keys in found if k - rank + len(keys) >= 0]
        out.append(next((n for n in axis if n != 1), 1))
    return tuple(out)
