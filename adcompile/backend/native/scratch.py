"""Vectors that an iteration makes and uses, in kernels: memory that the next iteration uses again.

To allocate a vector of a dozen numbers, to count who holds it and to free it takes longer than to fill it. One of which
nothing is left behind its iteration (`borrowed`) lies where the one of the iteration before has been.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adcompile.backend.native.arena import Kept
from adcompile.backend.native.arrays import Arrays
from adcompile.backend.native.borrowed import is_brief
from adcompile.backend.native.values import ArrayOf
from adcompile.ir.nodes import Block, Call, For, Function, Var, While
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import blocks_of, is_left, readers_of


def brief(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The arrays that are made in loops, and which nothing but statements of their iteration asks for, and for their
    elements alone."""
    uses = readers_of(function.body)
    made = (s.result for s in repeated(function.body) if isinstance(types.get(s.result), Array))
    return frozenset(v for v in made if all(is_brief(s, v, types, uses) for s in uses.get(v, ())))


def repeated(block: Block, inside: bool = False) -> Iterator[Call]:
    """The calls in loops behind which another iteration may come. Nothing of a loop that is left from its middle: what
    nobody reads any more on that way, Numba lets go of at once."""
    for s in block.statements:
        if inside and isinstance(s, Call):
            yield s
        again = not is_left(s) if isinstance(s, For | While) else inside
        for inner in blocks_of(s):
            yield from repeated(inner, again)


class Scratch(Arrays):
    """Prints vectors that lie where those of the iterations before have been."""

    brief: frozenset[Var]
    rooms: dict[str, Kept]

    def make_empty(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        if var not in self.brief or native.rank != 1:
            super().make_empty(var, native, sizes)
            return
        (size,) = sizes
        room = self.fresh(f"{var.name}_room")
        self.rooms[room] = Kept(room, f"{room}.shape[0]", native.code)
        if not size.isdigit():
            self.fault_if(f"{size} < 0")
        self.line(f"if {size} > {room}.shape[0]:")
        self.line(f"    {room} = nt.grown({room}, 0, {size})")
        self.make(var, native, f"nt.part({room}, 0, {size})")
