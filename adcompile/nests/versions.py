"""Arrays changed in place, by a name for each value that they have had.

    y = x * 2; y += x; z = y * y    →    y = x * 2; y_1 = (y += x); z = y_1 * y_1

The result of `y += x` is `y` itself, so that it may as well be read where `y` is from there on. Then a temporary whose
values nobody reads by two names needs no memory to be changed in.
"""

from __future__ import annotations

from collections.abc import Mapping

from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import Rewriter
from adcompile.optimise.typing import INPLACE, hashable


def versions(block: Block, types: Mapping[Var, Type]) -> Block:
    """The block with the result of an augmented assignment to an array read where the array is, after it."""
    return _Versions(types).block(block)


class _Versions(Rewriter):
    def __init__(self, types: Mapping[Var, Type]) -> None:
        self.types = types
        self.newest: dict[Var, Var] = {}

    def atom(self, atom: Atom) -> Atom:
        return self.newest.get(atom, atom) if isinstance(atom, Var) else atom

    def block(self, block: Block) -> Block:
        outer = self.newest
        self.newest = dict(outer)  # what a branch or a loop computes is not there behind it
        new = super().block(block)
        self.newest = outer
        return new

    def call(self, call: Call) -> tuple[Statement, ...]:
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if fn is not None and hashable(fn) and fn in INPLACE and isinstance(call.args[0], Var):
            t = self.types.get(call.args[0])
            if isinstance(t, Array) and t.dims:
                known = [v for v, new in self.newest.items() if new is call.args[0]]
                self.newest.update(dict.fromkeys((*known, call.args[0]), call.result))
        return (call,)
