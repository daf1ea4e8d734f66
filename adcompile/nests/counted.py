"""Integers that are never below 0: what ranges that count from 0 on give, lengths, and sums and products of these.

As indices they are places as they are, and need not be looked at for being counted from the end.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Var
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.typing import kinds, type_of

_ALL = (operator.add, operator.iadd, operator.mul, operator.imul, operator.floordiv, operator.mod, min, ops.identity)
"""Of numbers that count these give one that counts."""


def counted(body: Block, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The integers of a function body that are at least 0 whatever its arguments are."""
    found = _Counted(types)
    for s in statements_of(body):
        if isinstance(s, Call):
            found.call(s)
        elif isinstance(s, For) and s.iterable in found.ranges:
            found.numbers.add(s.body.params[0])
    return frozenset(found.numbers)


class _Counted:
    def __init__(self, types: Mapping[Var, Type]) -> None:
        self.types = types
        self.numbers: set[Var] = set()
        self.ranges: set[Atom] = set()  # their elements count
        self.shapes: set[Atom] = set()

    def counts(self, atom: Atom) -> bool:
        return atom in self.numbers or isinstance(atom, Const) and type(atom.value) is int and atom.value >= 0

    def call(self, call: Call) -> None:
        fn, args = called(call), call.args
        if call.kwargs:
            return
        if fn is range and self._counts_up(args) or fn is reversed and args[0] in self.ranges:
            self.ranges.add(call.result)
        elif fn in (getattr, np.ndarray.shape) and isinstance(type_of(args[0], self.types), Array):
            if fn is not getattr or isinstance(args[1], Const) and args[1].value == "shape":
                self.shapes.add(call.result)
        elif kinds(type_of(call.result, self.types)) == frozenset({int}) and self._is_counted(fn, args):
            self.numbers.add(call.result)

    def _is_counted(self, fn: object, args: tuple[Atom, ...]) -> bool:
        if fn is operator.getitem:
            return args[0] in self.ranges or args[0] in self.shapes
        if fn is max:
            return len(args) > 1 and any(map(self.counts, args))
        return fn in (len, abs) or fn in _ALL and all(map(self.counts, args))

    def _counts_up(self, args: tuple[Atom, ...]) -> bool:
        """Whether no element of such a range is below 0."""
        if len(args) == 1:
            return True
        step = args[2].value if len(args) == 3 and isinstance(args[2], Const) else 1 if len(args) == 2 else 0
        if type(step) is not int or step == 0:
            return False
        stop = args[1].value if isinstance(args[1], Const) else None
        if step > 0:
            return self.counts(args[0])
        return self.counts(args[1]) or type(stop) is int and stop == -1
