"""The table of what programs are made of.

A production makes code of one construct and says so by its registration; the fuzzer counts each
construct and each pair of constructs, and sees to it that none stays at zero.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

ROLES = ("statement", "number", "array", "argument", "result", "mark")


@dataclass(frozen=True)
class Construct:
    """`role` says where it stands; a mark is found by what another production happens to do."""

    name: str
    group: str
    role: str
    weight: float
    make: Callable[..., Any]


TABLE: dict[str, Construct] = {}

GROUPS = {
    "basic": "assignments, arithmetic, calls of NumPy",
    "control": "branches, loops, and ways out of them",
    "views": "slices, views of views, aliases",
    "inplace": "writes into arrays",
    "functions": "helpers, closures, lambdas",
    "mutating": "helpers that write into their arguments",
    "containers": "lists, dicts, tuples",
    "mutated": "lists and dicts that are written into",
    "objects": "objects with attributes",
    "arguments": "kinds of arguments",
    "aliased": "arguments that share memory",
    "results": "kinds of results",
    "globals": "arrays of the module",
    "late": "keys, iterators, variables and attributes that are met, or seen, late",
    "sides": "lists, dicts and objects with one name on a path and two on another",
    "effects": "callbacks that write, tables, tuples as indices, draws, arrays of objects, late iterators",
    "flows": "functions that yield, match, and try",
    "inner": "derivatives that the program itself takes",
}

# A program has one result; not both of these can be had.
EXCLUSIVE = ("result",)


def register(name: str, group: str, role: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Any]:
    assert group in GROUPS and role in ROLES and name not in TABLE, name

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        TABLE[name] = Construct(name, group, role, weight, make)
        return make

    return enter


def enabled(only: Iterable[str] = (), without: Iterable[str] = ()) -> frozenset[str]:
    """The constructs that a run uses; names of constructs and of groups are both taken."""
    only, without = set(only), set(without)
    unknown = (only | without) - set(TABLE) - set(GROUPS)
    if unknown:
        raise ValueError(f"no construct and no group: {', '.join(sorted(unknown))}")
    kept = [
        c.name
        for c in TABLE.values()
        if (not only or c.name in only or c.group in only or c.group in ("basic", "arguments", "results"))
        and not {c.name, c.group} & without
    ]
    return frozenset(kept)


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of constructs that one program can hold."""
    made = itertools.combinations(sorted(names), 2)
    return [(a, b) for a, b in made if together(a, b)]


def together(a: str, b: str) -> bool:
    """Whether one program can hold both."""
    return not (TABLE[a].role == TABLE[b].role and TABLE[a].role in EXCLUSIVE)


BLOCK = 6


@functools.lru_cache(maxsize=8)
def blocks(names: frozenset[str], seed: int) -> tuple[tuple[str, ...], ...]:
    """Sets of constructs in which each pair occurs: what the programs of a seed must hold, in turn."""
    rng = random.Random(f"blocks {seed}")
    order = sorted(names)
    rng.shuffle(order)
    bit = {name: 1 << i for i, name in enumerate(order)}
    allowed = {a: sum(bit[b] for b in order if b != a and together(a, b)) for a in order}
    left = dict(allowed)  # partners that have not met it yet
    out: list[tuple[str, ...]] = []
    while any(left.values()):
        first = max(order, key=lambda a: left[a].bit_count())
        block, mask = [first], bit[first]
        while len(block) < BLOCK:
            open_to = [a for a in order if not bit[a] & mask and mask & ~allowed[a] == 0]
            best = max(open_to, key=lambda a: ((left[a] & mask).bit_count(), left[a].bit_count()), default=None)
            if best is None:
                break
            block.append(best)
            mask |= bit[best]
        for a in block:
            left[a] &= ~mask
        out.append(tuple(block))
    rng.shuffle(out)
    return tuple(out)


def wanted(names: frozenset[str], seed: int, index: int) -> tuple[str, ...]:
    """The constructs that program `index` must hold."""
    made = blocks(names, seed)
    return made[index % len(made)] if made else tuple(names)
