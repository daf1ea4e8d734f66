"""Whether what two items of one nest do to memory may happen in the order of the loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from adcompile.nests.items import Access, Index
from adcompile.nests.keys import Key, Keys
from adcompile.nests.views import Linear, plus

Distance = tuple["int | None", ...]  # None: any number
Relation = Literal["apart", "same", "before", "row", "against"]
"""How an access stands to a later one that meets the same elements:

    apart     they never meet
    same      always in the same iteration
    before    the earlier one comes in an earlier turn of an outer loop
    row       in the same turn of the outer loops, at different places of the innermost one
    against   perhaps in a later one: one loop cannot do both
"""


def distance(first: Index, second: Index, space: Keys) -> Distance | None:
    """By how many turns of each loop over this space the first access to an element comes after the
    second; None if they have no element in common."""
    found: list[int | None] = [None] * len(space)
    fixed: set[int] = set()
    for a, b in zip(first, second):
        apart = plus(b.start, a.start, -1)
        if a.loop is None and b.loop is None:
            if not apart[1] and apart[0] != 0:
                return None
            continue
        if a.loop != b.loop or a.step != b.step or a.loop is None:
            continue  # may meet anywhere
        if apart[1]:
            if is_behind(apart, space[a.loop], a.step):
                return None
            continue
        turns, rest = divmod(apart[0], a.step)
        if rest or a.loop in fixed and found[a.loop] != turns:
            return None
        found[a.loop] = turns
        fixed.add(a.loop)
    return tuple(found)


def is_behind(apart: Linear, extent: Key, step: int) -> bool:
    """Whether what begins so far apart lies one behind the other, as long as the loop is."""
    (key, times), *more = apart[1]
    return not more and apart[0] == 0 and key == extent and abs(times) >= abs(step)


def relation(first: Access, second: Access, space: Keys) -> Relation:
    """Of two accesses to one array, the first by what comes earlier in the program."""
    if first[2] == second[2] == "read":
        return "apart"
    turns = distance(first[1], second[1], space)
    if turns is None:
        return "apart"
    for n in turns[:-1]:
        if n is None or n > 0:
            return "against"
        if n < 0:
            return "before"
    return "same" if turns[-1:] == (0,) else "row"


def commute(first: Access, second: Access) -> bool:
    """Whether both only add to what is there."""
    return first[2] == second[2] == "add"


ORDER: Sequence[Relation] = ("apart", "same", "before", "row", "against")


def worse(a: Relation, b: Relation) -> Relation:
    return a if ORDER.index(a) > ORDER.index(b) else b
