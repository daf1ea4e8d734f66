"""Long loops over elements take two vectors at a time.

A processor looks some hundred instructions ahead for something to do while one waits for another. The body of a loop
with a few elementary functions is as long as that, and each of its instructions waits for the one before: the next
iteration is out of sight. So two iterations are interleaved, instruction by instruction. LLVM does that by itself for
short loops alone, because it counts what instructions cost, not what they wait for; it takes the wish from metadata at
the branch that closes a loop.
"""

# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from adcompile.backend.native.independent import is_independent, with_accesses

LONG = 64.0
"""Instructions for numbers: shorter bodies are in sight several at a time, and LLVM sees to them."""
FUNCTION, DIVISION = 50.0, 8.0
"""What stands for an elementary function of ours, and for a division or root, which takes longer than a product."""
ARITHMETIC = frozenset({"fadd", "fsub", "fmul", "fneg"})


@intrinsic
def interleave(typing_context):
    """Nothing, at the end of a function: its long loops are interleaved, where LLVM makes vectors of them, and of its
    independent ones LLVM is told that they are."""

    def codegen(context, builder, signature, args):
        module = builder.module
        for latch, loop in _innermost(builder.function):
            wishes = [_twice(module)] if sum(map(_length, loop)) >= LONG else []
            if is_independent(builder.function, loop):
                wishes.append(with_accesses(module, loop))
            if wishes:
                latch.terminator.set_metadata("llvm.loop", _named(module, wishes))
        return context.get_dummy_value()

    return types.none(), codegen


def _twice(module):
    return module.add_metadata(["llvm.loop.interleave.count", ir.Constant(ir.IntType(32), 2)])


def _named(module, wishes):
    """The name of a loop, which is a node that begins with itself, with what is said of it."""
    node = ir.values.MDValue(module, tuple(wishes), name=str(len(module.metadata)))
    node.operands = (node, *wishes)
    return node


def _length(block) -> float:
    return sum(map(_weight, block.instructions))


def _weight(instruction) -> float:
    if instruction.opname == "fdiv":
        return DIVISION
    if instruction.opname == "call":
        name = getattr(instruction.callee, "name", "")  # which assembly has not
        return FUNCTION if "vecmath" in name else DIVISION if "sqrt" in name else 0.0
    return float(instruction.opname in ARITHMETIC)


def _innermost(function) -> Iterator[tuple]:
    """The blocks of loops that hold no other, each with the block that goes back to its beginning."""
    after = {block: _targets(block) for block in function.blocks}
    before: dict = {block: [] for block in after}
    for block, targets in after.items():
        for target in targets:
            before[target].append(block)
    closing = list(_closing(after))
    loops = [(latch, _between(header, latch, before)) for latch, header in closing]
    headers = {header for _, header in closing}
    return ((latch, loop) for latch, loop in loops if len(headers & loop) == 1)


def _targets(block) -> tuple:
    end = block.terminator
    return () if end is None else tuple(o for o in end.operands if isinstance(o, ir.Block))


def _closing(after) -> Iterator[tuple]:
    """Blocks that go back to one which is on the way to them, with that one. The first block of all goes nowhere as
    long as Numba is not done."""
    state: dict = {}
    way: list = []
    for start in after:
        if start in state:
            continue
        state[start] = "open"
        way.append((start, iter(after[start])))
        while way:
            block, rest = way[-1]
            target = next(rest, None)
            if target is None:
                state[block] = "closed"
                way.pop()
            elif target not in state:
                state[target] = "open"
                way.append((target, iter(after[target])))
            elif state[target] == "open":
                yield block, target


def _between(header, latch, before) -> set:
    """The blocks of the loop."""
    loop, work = {header}, [latch]
    while work:
        block = work.pop()
        if block not in loop:
            loop.add(block)
            work += before[block]
    return loop
