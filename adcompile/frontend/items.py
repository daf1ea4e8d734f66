"""What statements become before SSA: items whose control flow is structured.

No source has these as nodes: flags, the function's value as a name, leaves of a loop's tree. Each
knows what it binds and reads, so that liveness needs no second look at the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import gast

from adcompile.frozen import frozen

NORMAL, BREAK, CONTINUE, RETURN = "normal", "break", "continue", "return"
RESULT = "%result"
"""The function's value; like the flags it is a name that no source can have."""


@frozen
class Facts:
    """What a piece binds, what it reads before binding it, and what it binds on every path that
    goes on (None: no path goes on)."""

    binds: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    kills: frozenset[str] | None = frozenset()


@frozen(eq=False)
class Plain:
    """A statement without control flow."""

    node: Any
    facts: Facts


@frozen(eq=False)
class Target:
    """Binds a for loop's element."""

    target: Any
    facts: Facts


@frozen(eq=False)
class SetFlag:
    name: str
    value: bool
    node: Any
    facts: Facts


@frozen(eq=False)
class SetResult:
    value: Any  # an expression, or None
    node: Any
    facts: Facts


@frozen(eq=False)
class Branch:
    """`test` is an expression or the name of a flag."""

    test: Any
    then: Seq
    orelse: Seq
    node: Any
    facts: Facts


@frozen(eq=False)
class Loop:
    """`iterable` is None for a while loop, whose test is part of the body."""

    iterable: Any
    body: Seq
    node: Any
    facts: Facts


@frozen(eq=False)
class Leave:
    """The end of a path through a loop body."""

    breaks: bool
    facts: Facts = Facts(kills=None)


@frozen(eq=False)
class Throw:
    node: Any  # Raise, or Assert whose test failed
    facts: Facts


@frozen(eq=False)
class Managed:
    """The block of a `with`: a loop over the one value that its `manager` gives."""

    manager: Any
    body: Seq
    node: Any
    facts: Facts


@frozen(eq=False)
class Asked:
    """Binds a name to the number of the way that a try goes."""

    node: Any
    name: str
    facts: Facts


@frozen(eq=False)
class Foreign:
    """Statements that run as written; `body`: what a try does if nothing is raised, or a with. `flags` (kind
    of exit → name) say which exit was taken; if it was a return RESULT is bound too. `ways`: a try as branches on
    the way that it goes, if none of `unsure` is read behind it: names that its body may bind before it raises; and
    if its body alone, which is `tried`, may run once more."""

    node: Any
    body: Seq | None
    flags: Mapping[str, str]
    feature: str
    remedy: str
    facts: Facts
    ways: Seq | None = None
    tried: Seq | None = None
    unsure: frozenset[str] = frozenset()


@frozen(eq=False)
class Refused:
    """What can neither be followed nor run as written."""

    node: Any
    message: str
    remedy: str
    facts: Facts


Item = Union[Plain, Target, SetFlag, SetResult, Branch, Loop, Leave, Throw, Managed, Asked, Foreign, Refused]


@frozen(eq=False)
class Seq:
    items: tuple[Item, ...]
    facts: Facts
    leaves: bool  # whether a Leave stands somewhere inside, inner loops left out


NEVER = gast.Raise(exc=None, cause=None)
"""Stands after a loop that never ends; it is never lowered to anything that can run."""


def is_flag(name: str) -> bool:
    return name.startswith("%")


def display_name(name: str) -> str:
    """The name of a variable as the IR shows it."""
    return name.split("%")[1] if is_flag(name) else name


def identifier(name: str) -> str:
    """The name of a variable where opaque code needs one."""
    return "_".join(["", *name.split("%")[1:]]) if is_flag(name) else name


def leaves(item: Item) -> bool:
    """Whether a path through the item ends the iteration of the loop around."""
    match item:
        case Leave():
            return True
        case Branch():
            return item.then.leaves or item.orelse.leaves
        case _:
            return False
