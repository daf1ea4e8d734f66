"""Arrays in memory that a function leaves as it is: whoever has a copy of one of them need not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adcompile.ir import ops
from adcompile.ir.nodes import Call, Function, Return, Var
from adcompile.ir.types import Array
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.sharing import OBSERVING, STORING, classes
from adcompile.optimise.typing import INPLACE, hashable, is_immutable, type_of
from adcompile.runtime import arrays, memory, overlap
from adcompile.runtime.shadows import mirroring, shadows

HOLDING = (ops.push, ops.pop, ops.put_item)
"""These write into lists, not into the arrays that these hold."""
MIRRORING: tuple[Any, ...] = (
    *(shadows, mirroring, memory.shares, memory.mirrored, memory.followed, memory.hold, memory.released, memory.within),
    *(memory.apart, memory.same_layout, memory.is_writable, memory.hand_over, memory.check_tangent),
    *(overlap.check_parts, overlap.check_elements),
)
"""These ask where arrays lie, and which share memory, of which copies say nothing."""


def steady(function: Function, effects: Effects) -> frozenset[Var]:
    """The arrays, and lists of arrays, of whose memory nothing is written, handed out or looked at for its own sake."""
    roots = classes(function.body, effects, (arrays.zero_list,))
    touched = {roots.get(v, v) for v in _touched(function, effects)}
    return frozenset(v for v, root in roots.items() if root not in touched)


def _touched(function: Function, effects: Effects) -> Iterator[Var]:
    for block in all_blocks(function.body):
        if isinstance(block.end, Return):
            yield from _mutable(end_atoms(block.end), effects)
    for call in statements_of(function.body):
        if not isinstance(call, Call):
            continue
        fn = called(call)
        plain = hashable(fn)
        if any(fn is f for f in (*OBSERVING, *MIRRORING)) or not effects.pure(call) and not (plain and fn in INPLACE):
            own = plain and fn in STORING and isinstance(type_of(call.args[0], effects.types), Array)
            yield from _mutable(call.args[:1] if own else atoms_of(call), effects)
        elif plain and (fn in INPLACE or fn in LINEAR and fn not in HOLDING):
            yield from _mutable(call.args[:1], effects)


def _mutable(atoms: tuple[object, ...], effects: Effects) -> Iterator[Var]:
    for a in atoms:
        if isinstance(a, Var) and not is_immutable(type_of(a, effects.types)):
            yield a
