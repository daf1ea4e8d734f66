"""Which elements are zero whenever a turn of a loop begins, as the turn before has left them so.

    x_bar = np.zeros(n)
    for … :
        x_bar[:-2] += …         x_bar[1:-1] is zero here
        …
        x_bar[1:-1] = 0.0       and what a turn adds need not go through memory

The way back through statements that write into an array ends like this, where others have read it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Statement, Unreachable, Var
from adcompile.ir.types import Array, RangeT, Scalar, SliceT
from adcompile.ir.walk import all_blocks, atoms_of, defined, end_atoms, ends, is_left, statements_of
from adcompile.nests.facts import Facts
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import writes_into
from adcompile.optimise.typing import type_of

ZEROS = (np.zeros, np.zeros_like)


def zeroed(loop: For, before: Sequence[Statement], facts: Facts, effects: Effects) -> list[Call]:
    """The statements of a loop by which it leaves a part of an array zero that was so in front of it; `before` are the
    statements of the block up to the loop."""
    if is_left(loop) or len(list(ends(loop.body))) > 1:
        return []
    own, out = defined(loop.body), list[Call]()
    for k, s in enumerate(loop.body.statements):
        if isinstance(s, Call) and _sets_to_zero(s, own, facts) and s.args[0] not in own:
            made = _made_zero(s.args[0], before, facts, effects)
            after = [a for t in loop.body.statements[k + 1 :] for a in _atoms(t)] + list(end_atoms(loop.body.end))
            if made is not None and not any(_may_hold(a, made, facts) for a in after):
                out.append(s)
    return out


def _sets_to_zero(call: Call, own: set[Var], facts: Facts) -> bool:
    """Whether a call writes zeros at a place that is the same in each turn, and there whatever the length."""
    if called(call) is not operator.setitem or call.kwargs or len(call.args) != 3:
        return False
    array, index, value = call.args
    t = type_of(array, facts.types)
    if not isinstance(t, Array) or t.dtype != np.float64 or not t.dims:
        return False
    if not isinstance(value, Const) or type(value.value) not in (int, float):
        return False
    return value.value == 0 and math.copysign(1.0, value.value) > 0 and _is_slice(index, own, facts)


def _is_slice(index: Atom, own: set[Var], facts: Facts) -> bool:
    """Whether an index is of slices alone, whose bounds are known in front of the loop."""
    if isinstance(index, Const):
        return all(type(p) is slice for p in (index.value if type(index.value) is tuple else (index.value,)))
    made = facts.scopes.defs.get(index)
    if made is not None and called(made) is ops.build_tuple:
        return all(_is_slice(a, own, facts) for a in made.args)
    return made is not None and called(made) is slice and not any(a in own for a in made.args)


def _atoms(s: Statement) -> Iterator[Atom]:
    """What a statement and those in it read."""
    whole = Block((), (s,), Unreachable())
    for t in statements_of(whole):
        yield from atoms_of(t)
    for block in all_blocks(whole):
        yield from end_atoms(block.end)


def _may_hold(atom: Atom, array: Var, facts: Facts) -> bool:
    """Whether a value may show or hold some of an array's memory."""
    t = type_of(atom, facts.types)
    if isinstance(atom, Const) or isinstance(t, (Scalar, RangeT, SliceT)):
        return False
    return not (isinstance(t, Array) and facts.apart(atom, array))


def _made_zero(array: Atom, before: Sequence[Statement], facts: Facts, effects: Effects) -> Var | None:
    """What made an array zero, or the one that it is a view of, which is so behind these statements."""
    roots = facts.roots(array) if isinstance(array, Var) else frozenset[Var]()
    made = next(iter(roots)) if len(roots) == 1 else None
    if made is None:
        return None
    behind = [k for k, s in enumerate(before) if isinstance(s, Call) and s.result is made and called(s) in ZEROS]
    for s in statements_of(Block((), tuple(before[behind[0] + 1 :]), Unreachable())) if behind else ():
        written = writes_into(s, facts.types, effects) if isinstance(s, Call) else []
        if written is None or not all(facts.apart(w, made) for w in written):
            return None
    return made if behind else None
