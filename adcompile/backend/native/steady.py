"""Arrays in memory that a function leaves as it is: whoever has a copy of one of them need not know."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Function, Return, Unreachable, Var
from adcompile.ir.types import Array
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms, free_vars, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.sharing import OBSERVING, STORING, classes
from adcompile.optimise.typing import INPLACE, hashable, is_immutable, type_of
from adcompile.runtime import arrays, memory, overlap
from adcompile.runtime.shadows import mirroring, shadows

HOLDING = (ops.push, ops.pop, ops.put_item)
"""These write into lists, not into the arrays that these hold."""
NEW = (np.empty, np.zeros, np.ones, np.full, np.empty_like, np.zeros_like, np.ones_like, np.copy, np.ndarray.copy)
MIRRORING: tuple[Any, ...] = (
    *(shadows, mirroring, memory.shares, memory.mirrored, memory.followed, memory.hold, memory.released, memory.within),
    *(memory.apart, memory.same_layout, memory.is_writable, memory.hand_over, memory.check_tangent),
    *(overlap.check_parts, overlap.check_elements),
)
"""These ask where arrays lie, and which share memory, of which copies say nothing."""


def steady(function: Function, effects: Effects) -> frozenset[Var]:
    """The arrays, and lists of arrays, of whose memory nothing is written once they are filled, handed out or looked at
    for its own sake."""
    roots = classes(function.body, effects, (arrays.zero_list,))
    touched = {roots.get(v, v) for v in _touched(function, effects)}
    return frozenset(v for v, root in roots.items() if root not in touched)


def _touched(function: Function, effects: Effects) -> Iterator[Var]:
    for block in all_blocks(function.body):
        if isinstance(block.end, Return):
            yield from _mutable(end_atoms(block.end), effects)
    filling = {s for block in all_blocks(function.body) for s in _filling(block)}
    for call in statements_of(function.body):
        if not isinstance(call, Call) or call in filling:
            continue
        fn = called(call)
        plain = hashable(fn)
        if any(fn is f for f in (*OBSERVING, *MIRRORING)) or not effects.pure(call) and not (plain and fn in INPLACE):
            own = plain and fn in STORING and isinstance(type_of(call.args[0], effects.types), Array)
            yield from _mutable(call.args[:1] if own else atoms_of(call), effects)
        elif plain and (fn in INPLACE or fn in LINEAR and fn not in HOLDING):
            yield from _mutable(call.args[:1], effects)


def _filling(block: Block) -> Iterator[Call]:
    """The writes into arrays that nobody has seen yet: what names such an array in between makes others like it."""
    new: set[object] = set()
    for s in block.statements:
        if isinstance(s, Call) and s.args and s.args[0] in new and called(s) is operator.setitem:
            if s.args[0] not in s.args[1:]:
                yield s
                continue
        if isinstance(s, Call) and hashable(called(s)) and called(s) in NEW:
            new.add(s.result)
        elif new:
            new.difference_update(free_vars(Block((), (s,), Unreachable())))


def _mutable(atoms: tuple[object, ...], effects: Effects) -> Iterator[Var]:
    for a in atoms:
        if isinstance(a, Var) and not is_immutable(type_of(a, effects.types)):
            yield a
