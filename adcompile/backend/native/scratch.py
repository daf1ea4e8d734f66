"""Vectors that an iteration makes and uses, in kernels: memory that the next iteration uses again.

To allocate a vector of a dozen numbers, to count who holds it and to free it takes longer than to fill it. One of which
nothing is left behind its iteration (`borrowed`) lies where the one of the iteration before has been, one that is made
for the next iteration where the one before the last was. What lists hold until the kernel ends lies one behind the
other in memory of the caller (`arena`), which the next call uses again: no result shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adcompile.backend.native.arena import LINE, Kept
from adcompile.backend.native.arrays import Arrays
from adcompile.backend.native.borrowed import is_brief
from adcompile.backend.native.values import DTYPES, ArrayOf, Code
from adcompile.ir import ops
from adcompile.ir.nodes import Block, Call, For, Function, Statement, Var, While
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import blocks_of, defined, ends, is_left, readers_of, statements_of
from adcompile.optimise.direct import called

if TYPE_CHECKING:
    from adcompile.backend.native.lists import Lists, Store


def brief(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The arrays that are made in loops, and which nothing but statements of their iteration asks for, and for their
    elements alone."""
    uses = readers_of(function.body)
    made = (s.result for s in repeated(function.body) if isinstance(types.get(s.result), Array))
    return frozenset(v for v in made if all(is_brief(s, v, types, uses) for s in uses.get(v, ())))


def handed_on(function: Function, types: Mapping[Var, Type]) -> tuple[frozenset[Var], frozenset[Var]]:
    """The arrays that each iteration of a loop makes for the next one, and those with which such loops begin: nobody
    else asks for more than their elements."""
    uses = readers_of(function.body)

    def is_brief_beside(var: Var, *others: Statement | None) -> bool:
        found = [s for s in uses.get(var, ()) if s not in others]
        return len(uses.get(var, ())) - len(found) <= 1 and all(is_brief(s, var, types, uses) for s in found)

    made, begun = set[Var](), set[Var]()
    for loop in (s for s in statements_of(function.body) if isinstance(s, For | While) and not is_left(s)):
        own = {s.result for s in loop.body.statements if isinstance(s, Call)}
        found = list(ends(loop.body))
        carried = loop.body.params[isinstance(loop, For) :]
        for k, (p, r, init) in enumerate(zip(carried, loop.results, loop.init) if found else ()):
            v = found[0][k]
            if v not in own or any(values[k] is not v for values in found):
                continue
            if is_brief_beside(v, None) and is_brief_beside(p) and is_brief_beside(r):
                made.add(v)
                begun.update(a for a in (init,) if isinstance(a, Var) and is_brief_beside(a, loop))
    return frozenset(made), frozenset(begun)


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
    """Prints vectors that lie where those of the iterations before have been, and those that lists hold to the end."""

    lists: Lists
    loops: list[For | While]
    """Those around what is being printed."""
    brief: frozenset[Var]
    handed_on: frozenset[Var]
    """Arrays that an iteration makes for the next one."""
    begun: frozenset[Var]
    """Those with which such loops begin."""
    rooms: dict[str, Kept]
    pools: dict[Code, Kept]
    kept_codes: dict[Var, Store]
    """What a printing before has found of lists."""
    given_back: frozenset[Var] | None = None
    """The memory that results show, once the kernel has been printed."""

    def make_empty(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        if native.rank == 1 and var in self.begun | self.brief:
            self.make_room(var, native, sizes[0], 1)
        elif native.rank == 1 and self.is_pooled(var):
            self.make_pooled(var, native, sizes[0])
        elif native.rank == 1 and var in self.handed_on:
            self.make_room(var, native, sizes[0], 2)
        else:
            super().make_empty(var, native, sizes)

    def make_room(self, var: Var, native: ArrayOf, size: str, turns: int) -> None:
        """Memory that the next iteration uses again, or the one after that. Numba lets go of it when nobody reads its
        name any more: what is read behind its loop is held."""
        room, *other = (self.fresh(f"{var.name}_room") for _ in range(turns))
        self.rooms.update((name, Kept(name, f"{name}.shape[0]", native.code)) for name in (room, *other))
        self.held += [room, *other] if other or var in self.begun else []
        self.not_negative(size)
        if other:
            self.line(f"{room}, {other[0]} = {other[0]}, {room}")
        self.line(f"if {size} > {room}.shape[0]:")
        self.line(f"    {room} = nt.grown({room}, 0, {size})")
        self.make(var, native, f"nt.part({room}, 0, {size})")

    def make_pooled(self, var: Var, native: ArrayOf, size: str) -> None:
        """One behind the other, in whole lines of the machine's cache; what the arena has no room for on its own."""
        if native.code not in self.pools:
            name = self.fresh("pool")
            self.pools[native.code] = Kept(name, self.fresh(f"{name}_top"), native.code)
        pool, begin = self.pools[native.code], self.fresh("begin")
        self.not_negative(size)
        self.line(f"{begin} = {pool.top}")
        self.line(f"{pool.top} += ({size} + {LINE - 1}) // {LINE} * {LINE}")
        there, made = f"nt.part({pool.name}, {begin}, {begin} + {size})", f"np.empty({size}, {DTYPES[native.code]})"
        self.make(var, native, f"{there} if {pool.top} <= {pool.name}.shape[0] else {made}")

    def is_pooled(self, var: Var) -> bool:
        """Whether a vector that a loop makes is in a list until the kernel ends, and in no result."""
        if not self.loops or self.given_back is None or self.root(var) in map(self.root, self.given_back):
            return False
        around = self.loops[0]
        if is_left(around):
            return False
        pushed, popped = (self._lists_in(around, fn, self.root(var)) for fn in (ops.push, ops.pop))
        lasting = [items for items in pushed if self.lasts(items, around)]
        return bool(lasting) and not any(self.lists.find(a) is self.lists.find(b) for a in lasting for b in popped)

    def _lists_in(self, loop: For | While, fn: Any, memory: Var) -> list[Var]:
        """The lists with this memory that are given to a function in a loop."""
        calls = (s for s in statements_of(loop.body) if isinstance(s, Call) and called(s) is fn)
        return [a for a in (s.args[0] for s in calls) if isinstance(a, Var) and self._memory_of(a) is memory]

    def _memory_of(self, items: Var) -> Var:
        """What the items of a list share memory with."""
        store = self.kept_codes.get(self.lists.find(items))
        return self.root(items if store is None or store.sample is None else store.sample)

    def lasts(self, items: Var, loop: For | While) -> bool:
        """Whether a list is there before a loop, and behind it."""
        root = self.lists.find(items)
        sites = [v for v in self.lists.sites if self.lists.find(v) is root]
        return bool(sites) and defined(loop.body).isdisjoint(sites)
