"""Parts of the arrays in which lists are kept, that a kernel reads and writes without holding on to them.

Numba counts for each array who holds its memory, and counts atomically: a loop that takes ten kept vectors of a dozen
numbers out of their lists spent half of its time on that. What is taken out and used in the same iteration, for its
elements alone, need not be counted: what it is a part of stays, as long as nothing is put into the list.

The same goes for views of an array that is there until the kernel ends, because its caller has it or because it is
made at the top and held to the end: `np.dot(A[i, :j], A[j, :j])` took four times as long with the counting."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.views import item_kind, may_share
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, Function, Statement, Var
from adcompile.ir.types import Array, Scalar, TupleT, Type
from adcompile.ir.walk import all_blocks, readers_of, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import type_of
from adcompile.runtime import arrays, memory

if TYPE_CHECKING:
    from adcompile.backend.native.lists import Lists

Uses = Mapping[Var, Sequence[Statement | None]]  # by what they read
COPIES = (np.copy, np.ndarray.copy, rt.snapshot, arrays.copy)
PRODUCTS = (np.dot, np.ndarray.dot, np.matmul, operator.matmul, np.outer)
"""Calls that give an array of its own."""


def borrowed(function: Function, lists: Lists, types: Mapping[Var, Type], placed: Mapping[Var, Call]) -> frozenset[Var]:
    """The arrays that nothing but statements of their iteration asks for, and for their elements alone."""
    uses = readers_of(function.body)
    found = [v for v, push in placed.items() if all(s is push or is_brief(s, v, types, uses) for s in uses.get(v, ()))]
    for block in all_blocks(function.body):
        for v, root in _taken(block, lists):
            if isinstance(types.get(v), Array) and root not in _filled(block, lists):
                found += [v] if all(is_brief(s, v, types, uses) for s in uses.get(v, ())) else []
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


def loose(
    function: Function, types: Mapping[Var, Type], placed: Mapping[Var, Call]
) -> tuple[frozenset[Var], Mapping[Var, Var]]:
    """The views of lasting arrays that are asked for their elements alone, or for such views in turn; and by every
    view of lasting arrays, and these themselves, which array has the memory."""
    tops = (s for s in function.body.statements if isinstance(s, Call) and s.result not in placed)
    made = (s.result for s in tops if isinstance(types.get(s.result), Array) and not may_share(s, types))
    root = {v: v for v in (*function.params, *function.captured, *made)}
    views: dict[Var, Call] = {}
    for s in statements_of(function.body):
        if isinstance(s, Call) and called(s) is operator.getitem and s.args[0] in root and _is_view(s, types):
            views[s.result], root[s.result] = s, root[s.args[0]]  # type: ignore[index]
    uses, before = readers_of(function.body), -1
    while len(views) != before:
        before, known = len(views), {id(s) for s in views.values()}
        brief = {v for v in views if all(id(s) in known or is_brief(s, v, types, uses) for s in uses.get(v, ()))}
        views = {v: s for v, s in views.items() if v in brief}
    return frozenset(views), root


def _is_view(s: Call, types: Mapping[Var, Type]) -> bool:
    given = isinstance(s.args[0], Var) and isinstance(types.get(s.args[0]), Array)
    return given and isinstance(types.get(s.result), Array) and item_kind(s, types) != "copy"


def is_brief(s: Statement | None, var: Var, types: Mapping[Var, Type], uses: Uses) -> bool:
    """Whether nobody has an array, or a view of it, behind a statement that reads it."""
    if not isinstance(s, Call):
        return False
    if called(s) is ops.build_tuple:
        return all(isinstance(use, Call) and called(use) is np.concatenate for use in uses.get(s.result, ()))
    if called(s) in (operator.setitem, memory.add_at):
        return isinstance(type_of(s.args[0], types), Array)
    if called(s) is ops.index_add and var not in s.args[:2]:
        return True
    t = types.get(s.result)
    numbers = t.items if isinstance(t, TupleT) else (t,)
    return called(s) in (*COPIES, *PRODUCTS) or all(isinstance(n, Scalar) for n in numbers)
