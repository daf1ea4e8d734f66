"""What carries derivatives by way of memory that is not followed: a list is given an active value, and what is read
from it is put into another list, of which the result is made. Neither list alone holds what a derivative would
notice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from adcompile.analysis.activity import Varied
from adcompile.ir.nodes import Atom, Block, Call, Statement, Var, Yield
from adcompile.ir.types import differentiable
from adcompile.ir.walk import all_blocks, atoms_of, defined


def relayed(
    varied: Varied,
    statements: Sequence[Statement],
    writes: Sequence[tuple[Call, Hashable]],
    root: Callable[[Atom], Hashable | None],
) -> Varied:
    """`varied`, and what is read from memory into which varied values are written. `writes`: the calls that write,
    and into which memory; `root`: the memory of a value."""
    block = Block((), tuple(statements), Yield())
    found = varied
    known: set[Var] | None = None
    while True:
        filled = {into for call, into in writes if any(map(found.has, atoms_of(call)))}
        if not filled:
            return found
        if known is None:
            known = defined(block) | {
                a for b in all_blocks(block) for s in b.statements for a in atoms_of(s) if isinstance(a, Var)
            }
            found = varied.copy()
        new = {v for v in known - found.vars if differentiable(varied.types[v]) and root(v) in filled}
        if not new:
            return found
        found.vars |= new
        found.run(block)
