"""Loops whose iterations share no memory that one of them writes: LLVM is told so.

Before it makes vectors of a loop LLVM has to know that no iteration reads what another one writes. Where it cannot see
that it tests, in front of the loop, each array that is written against each other one, and gives up where that would
take many tests. The nests know (`nests/plan`): places are proved, and arrays are tested once, in front of all loops.
"""

# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

MARKS = "adcompile_independent"
"""Where a function, while it is lowered, has the blocks in which its independent loops begin."""
MEMORY = frozenset({"load", "store", "call"})


@intrinsic
def independent(typing_context):
    """Nothing, in the body of a loop: its iterations share no memory that is written."""

    def codegen(context, builder, signature, args):
        marks = vars(builder.function).setdefault(MARKS, set())
        marks.add(builder.block)
        return context.get_dummy_value()

    return types.none(), codegen


def is_independent(function, loop: Iterable) -> bool:
    """Whether one of the blocks of a loop says so."""
    return not vars(function).get(MARKS, set()).isdisjoint(loop)


def with_accesses(module, loop: Iterable):
    """What is said at the branch that closes a loop, and at each of its reads and writes: what belongs together."""
    group = Distinct(module, (), name=str(len(module.metadata)))
    for block in loop:
        for instruction in block.instructions:
            if instruction.opname in MEMORY:
                instruction.set_metadata("llvm.access.group", group)
    return module.add_metadata(["llvm.loop.parallel_accesses", group])


class Distinct(ir.values.MDValue):
    """A node that is no other one with the same content, for which llvmlite has no word."""

    __eq__, __hash__ = object.__eq__, object.__hash__

    def descr(self, buf):
        buf += ("distinct !{ }", "\n")
