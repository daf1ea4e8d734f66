"""Items of lists of arrays, as Numba has them, that a kernel reads and writes without holding on to them (`borrowed`).

The list holds its items itself. It does so throughout a loop that comes to its next iteration in any case, if it was
there before the loop and nothing in the loop takes an item out of it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

import numpy as np

from adcompile.backend.native.borrowed import is_brief
from adcompile.backend.native.lists import SAME, Lists
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, Statement, Var, While
from adcompile.ir.types import Array, ListT, Maybe, Seq, Type
from adcompile.ir.walk import blocks_of, defined, ends, is_left, readers_of, statements_of
from adcompile.optimise.direct import called
from adcompile.runtime import adjoints, arrays, plain

LEAVING: tuple[Any, ...] = (
    operator.getitem, len, ops.push, ops.index_add, ops.identity, ops.collected, ops.build_list, ops.build_tuple,
    ops.list_concat, ops.list_set, list, arrays.copy, arrays.zero_list, arrays.scatter_list, arrays.add,
    plain.check_filled, np.array, np.stack,
)  # fmt: skip
"""Calls that leave the items of their lists where they are."""
TAKING: tuple[Any, ...] = (ops.pop, ops.put_item, operator.setitem, arrays.add_item)
"""Calls that take an item out of their first argument."""
MAKING: tuple[Any, ...] = (
    *SAME, ops.build_list, ops.push, ops.list_concat, operator.add, operator.mul, ops.list_set, list, arrays.copy,
    arrays.zero_list, arrays.scatter_list, arrays.add, adjoints.unjoin,
)  # fmt: skip
"""Calls that give a list of their own, or one that `Lists` knows to be the same as one they are given."""


def uncounted(function: Function, lists: Lists, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The items that are asked for their elements alone, while their list lasts."""
    uses, search = readers_of(function.body), _Search(function, lists, types)
    found: set[Var] = set()
    for s in statements_of(function.body):
        if isinstance(s, For | While) and not is_left(s):
            reads = [r for r in _directly(s.body) if search.reads_item(r)]
            steady = {items for items in {r.args[0] for r in reads} if search.lasts(items, s)}
            items = (r.result for r in reads if r.args[0] in steady)
            found.update(v for v in items if all(is_brief(use, v, types, uses) for use in uses.get(v, ())))
    return frozenset(found)


def _held(s: Call) -> tuple[Atom, ...]:
    """What a call may make an item of something."""
    fn = called(s)
    return s.args if fn in (ops.build_list, ops.build_tuple) or fn not in (*LEAVING, *TAKING) else s.args[1:]


def _is_rest(s: Call, popped: set[Var]) -> bool:
    """Whether a call gives a list from which an item has been popped."""
    first = called(s) is operator.getitem and isinstance(s.args[1], Const) and s.args[1].value == 0
    return first and s.args[0] in popped


def _directly(block: Block) -> Iterator[Statement]:
    """The statements of a loop, without those of loops in it."""
    for s in block.statements:
        yield s
        if not isinstance(s, For | While):
            for inner in blocks_of(s):
                yield from _directly(inner)


class _Search:
    def __init__(self, function: Function, lists: Lists, types: Mapping[Var, Type]) -> None:
        self.lists, self.types = lists, types
        self.calls = [s for s in statements_of(function.body) if isinstance(s, Call)]
        popped = {s.result for s in self.calls if called(s) is ops.pop}
        made = [s for s in self.calls if self.is_list(s.result) and called(s) not in MAKING]
        elements = (s.body.params[0] for s in statements_of(function.body) if isinstance(s, For))
        self.unknown = {lists.find(s.result) for s in made if not _is_rest(s, popped)}
        """The classes of lists of which some come from where others may, too."""
        self.unknown |= {lists.find(v) for v in elements if self.is_list(v)}
        self.outer = {lists.find(p) for p in (*function.params, *function.captured)}
        self.inside = {lists.find(a) for s in self.calls for a in _held(s) if isinstance(a, Var) and self.is_list(a)}
        """The classes of lists of which some are, or may be, items of others."""

    def is_list(self, atom: Atom) -> bool:
        t = self.types.get(atom) if isinstance(atom, Var) else None
        return isinstance(t.type if isinstance(t, Maybe) else t, Seq | ListT)

    def reads_item(self, s: Statement) -> TypeGuard[Call]:
        """Whether a statement takes an array out of a list as Numba has them."""
        if not isinstance(s, Call) or called(s) is not operator.getitem or self.lists.is_list(s.args[0]):
            return False
        return self.is_list(s.args[0]) and isinstance(self.types.get(s.result), Array)

    def lasts(self, items: Atom, loop: For | While) -> bool:
        """Whether a list holds its items throughout a loop."""
        assert isinstance(items, Var)
        carried = loop.body.params[isinstance(loop, For) :]
        if items in carried:
            k = carried.index(items)
            if not all(values[k] is items for values in ends(loop.body)):
                return False
        elif items in defined(loop.body):
            return False
        inside = (s for s in statements_of(loop.body) if isinstance(s, Call))
        return all(self.leaves(s, items) for s in inside if any(map(self.is_list, s.args)))

    def leaves(self, s: Call, items: Var) -> bool:
        fn = called(s)
        if fn not in TAKING or not self.is_list(s.args[0]):
            return fn in LEAVING or fn in TAKING
        assert isinstance(s.args[0], Var)
        return self.are_apart(self.lists.find(s.args[0]), self.lists.find(items))

    def are_apart(self, taken: Var, other: Var) -> bool:
        """Whether lists of two classes are never the same: one that is made here, and is nowhere an item, is no other
        one."""
        if taken is other or taken in self.unknown or taken in self.outer and other in self.outer | self.unknown:
            return False
        return other not in self.unknown or taken not in self.inside
