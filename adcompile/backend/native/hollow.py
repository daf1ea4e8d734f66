"""Lists of arrays of which nobody reads more than the shapes, in kernels: what such a list holds is memory that is
large enough for the largest of them, and the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adcompile.backend.native.placed import Placing
from adcompile.backend.native.values import ArrayOf, Code, Native
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Function, Var
from adcompile.ir.walk import readers_of, statements_of
from adcompile.optimise.direct import called
from adcompile.runtime import loops, memory

if TYPE_CHECKING:
    from adcompile.backend.native.lists import Lists, Store

OUTLINES = (memory.outline, loops.outlined)


def hollow(function: Function, lists: Lists) -> frozenset[Var]:
    """The lists into which outlines alone are pushed."""
    calls = [s for s in statements_of(function.body) if isinstance(s, Call)]
    made = {s.result for s in calls if called(s) in OUTLINES}
    pushes = [(lists.find(s.args[0]), s.args[1]) for s in calls if called(s) is ops.push and isinstance(s.args[0], Var)]
    return frozenset({root for root, _ in pushes} - {root for root, value in pushes if value not in made})


def pushed_once(function: Function, lists: Lists, found: frozenset[Var]) -> frozenset[Atom]:
    """What is pushed into such lists and is read nowhere else."""
    readers = readers_of(function.body)
    pushes = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.push]
    into = (s.args[1] for s in pushes if isinstance(s.args[0], Var) and lists.find(s.args[0]) in found)
    return frozenset(value for value in into if isinstance(value, Var) and len(readers[value]) == 1)


class Hollow(Placing):
    """Prints outlines."""

    hollow: frozenset[Var]
    pushed_once: frozenset[Atom]
    sizes: dict[Atom, Sequence[str]]
    """The lengths of outlines that are not there."""

    def holds(self, store: Store, codes: tuple[Code, ...], native: Native | None) -> None:
        """Note what a store holds."""
        raise NotImplementedError

    def keep_order(self, name: str, native: ArrayOf, margin: str = "") -> None:
        """Called where an array is copied that may be a result."""

    def make_outline(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        if var not in self.pushed_once:
            super().make_outline(var, native, sizes)
            return
        for size in sizes:
            self.not_negative(size)
        self.native[var], self.sizes[var] = native, sizes

    def outline_texts(self, store: Store, value: Atom) -> list[str]:
        """Where an outline begins in what holds those of its list, and its shape."""
        native = self.native_type(value)
        assert isinstance(native, ArrayOf)
        self.holds(store, ("i8",) * (native.rank + 1), native)
        sizes = self.sizes.get(value) or [f"{self.atom(value)}.shape[{k}]" for k in range(native.rank)]
        data, top = store.data, f"{store.data}_top"
        self.line(f"if {' * '.join(sizes)} > {top}:")
        self.line(f"    {top} = {' * '.join(sizes)}")
        self.line(f"    if {top} > {data}.shape[0]:")
        self.line(f"        {data} = nt.grown({data}, 0, {top})")
        return ["0", *sizes]
