"""Parallel copies as a sequence of assignments: the last step out of SSA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adcompile.frozen import frozen


@frozen
class Copy:
    """`name = value`, where `value` reads the names in `reads`; `ordered` ones keep their order."""

    name: str
    value: Any
    reads: frozenset[str]
    ordered: bool = False
    atom: Any = None


def sequence(copies: Sequence[Copy]) -> list[list[Copy]]:
    """Groups to be assigned one after the other, each at once, that together assign all at once.

    An assignment comes after those that read the name it overwrites; what is in or between
    cycles is one group.
    """
    if len(copies) < 2:
        return [[copy] for copy in copies]
    writers = {copy.name: i for i, copy in enumerate(copies)}
    after: list[set[int]] = [set() for _ in copies]  # after[i]: to be assigned after copy i
    before: list[set[int]] = [set() for _ in copies]
    previous: int | None = None
    for i, copy in enumerate(copies):
        later = {writers[name] for name in copy.reads if name in writers} - {i}
        for j in later:
            after[i].add(j)
            before[j].add(i)
        if copy.ordered:
            if previous is not None:
                after[previous].add(i)
                before[i].add(previous)
            previous = i
    left = set(range(len(copies)))
    front = _peel(left, before, after)
    back = _peel(left, after, before)
    groups = [[copies[i]] for i in front]
    if left:
        groups.append([copies[i] for i in sorted(left)])
    return groups + [[copies[i]] for i in reversed(back)]


def _peel(left: set[int], blockers: list[set[int]], blocked: list[set[int]]) -> list[int]:
    """Take out, one by one, those that nothing that is left has to precede."""
    out: list[int] = []
    ready = sorted((i for i in left if not blockers[i] & left), reverse=True)
    while ready:
        i = ready.pop()
        out.append(i)
        left.discard(i)
        ready += sorted((j for j in blocked[i] & left if not blockers[j] & left), reverse=True)
    return out
