"""Values that an iteration hands to the next one are kept once.

What an iteration began with, `p`, and what it hands on, `n`, are one sequence: the `n` of an
iteration is the `p` of the next, and the last `n` is the loop's result. Where the reverse loop reads
both, it keeps the list of `p` and carries `n` from iteration to iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Block, Break, Continue, Raise, Unreachable, Var
from adcompile.ir.types import Scalar, Type


@frozen
class Back:
    """`var` holds what this iteration of the forward loop handed on, first `last`; it passes on
    `before`, what the iteration began with."""

    var: Var
    last: Var
    before: Atom


def handed_on(
    leaves: Sequence[tuple[Block, bool]],
    params: Sequence[Var],
    results: Sequence[Var],
    kept: Collection[Var],
    types: Mapping[Var, Type],
) -> dict[Var, int]:
    """Which of `kept` every counted iteration hands on as the carried value of which number, where
    what iterations begin with is kept too. `leaves`: how iterations end, and whether such an
    iteration is not counted."""
    ends = [(block.end, skipped) for block, skipped in leaves if not isinstance(block.end, (Raise, Unreachable))]
    out: dict[Var, int] = {}
    for k, (p, r) in enumerate(zip(params, results)):
        if p not in kept:
            continue
        counted = {_value(end, k) for end, skipped in ends if not skipped}
        left = {_value(end, k) for end, skipped in ends if skipped}
        n = next(iter(counted)) if len(counted) == 1 else None
        if not isinstance(n, Var) or n is p or n not in kept or n in out or not left <= {p}:
            continue
        if types[p] == types[r] and _within(types[n], types[p]):
            out[n] = k
    return out


def _within(narrow: Type, wide: Type) -> bool:
    """Whether a value of type `narrow` may be held where `wide` is expected."""
    if isinstance(narrow, Scalar) and isinstance(wide, Scalar):
        return narrow.kinds <= wide.kinds
    return narrow == wide


def _value(end: object, k: int) -> Atom:
    assert isinstance(end, (Continue, Break))
    return end.values[k]
