"""Arrays that are made to be kept, in kernels: they are made where they are kept, behind those of the iterations
before, and need neither memory of their own nor a copy."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime as rt
from adcompile.backend.native.scratch import Scratch
from adcompile.backend.native.values import ArrayOf, Native
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Function, Var
from adcompile.ir.walk import all_blocks, statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import INPLACE
from adcompile.runtime import arrays, memory

if TYPE_CHECKING:
    from adcompile.backend.native.lists import Lists, Store

MAKING = (np.empty, np.empty_like, np.copy, np.ndarray.copy, np.concatenate, rt.snapshot, arrays.copy)
WRITING = (operator.setitem, memory.add_at, ops.index_add)


def placed(function: Function, lists: Lists) -> dict[Var, Call]:
    """The arrays that may be made where they are kept, and the pushes that keep them: each is made and kept in one
    block, by the one push to lists like this one, and written into between the two alone."""
    pushes = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.push]
    found: dict[Var, Call] = {}
    for block in all_blocks(function.body):
        made: dict[Atom, int] = {}
        for k, s in enumerate(block.statements):
            if not isinstance(s, Call):
                continue
            if called(s) in MAKING:
                made[s.result] = k
            elif s in pushes and s.args[1] in made and _is_alone(s, pushes, lists):
                value = s.args[1]
                assert isinstance(value, Var)
                between = Block((), block.statements[made[value] : k], block.end)
                if writes(between, value) == writes(function.body, value):
                    found[value] = s
    return found


def _is_alone(push: Call, pushes: Sequence[Call], lists: Lists) -> bool:
    items, value = push.args
    if not isinstance(items, Var):
        return False
    root = lists.find(items)
    alike = (p for p in pushes if p.args[1] is value or isinstance(p.args[0], Var) and lists.find(p.args[0]) is root)
    return all(p is push for p in alike)


def writes(block: Block, var: Var) -> int:
    """How many statements write into an array under its name."""
    calls = (s for s in statements_of(block) if isinstance(s, Call) and s.args and s.args[0] is var)
    return sum(called(s) in WRITING or called(s) in INPLACE for s in calls)


class Placing(Scratch):
    """Prints arrays that are made where they are kept."""

    lists: Lists
    placed: dict[Var, Call]
    begins: dict[Var, str]
    """Where those that have been made begin."""
    borrowed: frozenset[Var]

    def store_for(self, push: Call, native: ArrayOf) -> Store:
        """The arrays that hold what a push keeps."""
        raise NotImplementedError

    def part_of(self, var: Var, data: str, start: str, stop: str) -> str:
        """A part of the array in which a list is kept."""
        return f"nt.part({data}, {start}, {stop})" if var in self.borrowed else f"{data}[{start}:{stop}]"

    def is_placed(self, atom: Atom) -> bool:
        """Whether an array is made where it is kept: nobody writes into its memory by another name."""
        if not isinstance(atom, Var) or atom not in self.placed or not self.lists.is_list(self.placed[atom].args[0]):
            return False
        root = self.root(atom)
        return all(v is atom for v in self.changing if self.root(v) is root)

    def make_empty(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        if not self.is_placed(var):
            super().make_empty(var, native, sizes)
            return
        store = self.store_for(self.placed[var], native)
        begin = self.begins[var] = self.fresh(f"{store.name}_begin")
        top = f"{store.data}_top"
        for size in sizes:
            self.not_negative(size)
        self.line(f"{begin} = {top}")
        self.line(f"{top} += {' * '.join(sizes)}")
        self.line(f"if {top} > {store.data}.shape[0]:")
        self.line(f"    {store.data} = nt.grown({store.data}, {begin}, {top})")
        text = self.part_of(var, store.data, begin, top)
        self.make(var, native, text if len(sizes) == 1 else f"{text}.reshape(({', '.join(sizes)}))")

    def make_copy(self, var: Var, native: Native | None, name: str) -> None:
        if not self.is_placed(var) or not isinstance(native, ArrayOf):
            super().make_copy(var, native, name)
            return
        self.make_empty(var, native, [f"{name}.shape[{k}]" for k in range(native.rank)])
        self.line(f"nt.put({self.names[var]}, {name})")
