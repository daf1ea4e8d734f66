"""Parts of the arrays in which lists are kept, that a kernel reads and writes without holding on to them.

Numba counts for each array who holds its memory, and counts atomically: a loop that takes ten kept vectors of a dozen
numbers out of their lists spent half of its time on that. What is taken out and used in the same iteration, for its
elements alone, need not be counted: what it is a part of stays, as long as nothing is put into the list."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime as rt
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Function, Statement, Var
from adcompile.ir.types import Array, Scalar, TupleT, Type
from adcompile.ir.walk import all_blocks, readers_of, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import type_of
from adcompile.runtime import arrays, memory

if TYPE_CHECKING:
    from adcompile.backend.native.lists import Lists

COPIES = (np.copy, np.ndarray.copy, rt.snapshot, arrays.copy)


def borrowed(function: Function, lists: Lists, types: Mapping[Var, Type], placed: Mapping[Var, Call]) -> frozenset[Var]:
    """The arrays that nothing but statements of their iteration asks for, and for their elements alone."""
    uses = readers_of(function.body)
    found = [v for v, push in placed.items() if all(s is push or _is_brief(s, v, types) for s in uses.get(v, ()))]
    for block in all_blocks(function.body):
        for v, root in _taken(block, lists):
            if isinstance(types.get(v), Array) and root not in _filled(block, lists):
                found += [v] if all(_is_brief(s, v, types) for s in uses.get(v, ())) else []
    return frozenset(found)


def _taken(block: Block, lists: Lists) -> Iterator[tuple[Var, Var]]:
    """What the statements of a block take out of lists that loops fill, and out of which."""
    for s in block.statements:
        if isinstance(s, Call) and called(s) is operator.getitem and lists.is_list(s.args[0]):
            items = s.args[0]
            assert isinstance(items, Var)
            yield s.result, lists.find(items)


def _filled(block: Block, lists: Lists) -> set[Var]:
    """The lists into which something is put in a block."""
    pushes = (s.args[0] for s in statements_of(block) if isinstance(s, Call) and called(s) is ops.push)
    return {lists.find(items) for items in pushes if isinstance(items, Var)}


def _is_brief(s: Statement | None, var: Var, types: Mapping[Var, Type]) -> bool:
    """Whether nobody has an array, or a view of it, behind a statement that reads it."""
    if not isinstance(s, Call):
        return False
    if called(s) in (operator.setitem, memory.add_at):
        return isinstance(type_of(s.args[0], types), Array)
    t = types.get(s.result)
    numbers = t.items if isinstance(t, TupleT) else (t,)
    return called(s) in COPIES or all(isinstance(n, Scalar) for n in numbers)
