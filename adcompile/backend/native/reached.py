"""What a value of a function reaches: the statements that read it, what the ends of blocks hand it on to, and what is
read of the memory into which it is stored."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from adcompile.analysis.views import may_share
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Continue,
    For,
    Function,
    If,
    Return,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import UNKNOWN, Scalar, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms
from adcompile.optimise.direct import called
from adcompile.runtime import arrays, loops, memory

STORES = (operator.setitem, memory.add_at, ops.index_add, arrays.accumulate)
"""Of a value, their third argument, into an array, their first."""
OF_THE_SHAPE: tuple[Any, ...] = (
    len, np.shape, np.ndim, np.size, np.ndarray.shape, np.ndarray.ndim, np.ndarray.size, np.ndarray.dtype,
    np.zeros_like, np.empty_like, loops.disjoint, loops.ordered,
)  # fmt: skip
"""What asks an array for nothing that is stored in it."""

Loop = tuple[tuple[Var, ...], tuple[Var, ...]]  # what a loop carries, and its results


class _Known(dict[Var, Type]):
    def __missing__(self, _: Var) -> Type:
        return UNKNOWN


class Reached:
    def __init__(self, function: Function, types: Mapping[Var, Type]) -> None:
        self.types = _Known(types)
        self.readers: dict[Var, list[Statement]] = {}
        self.next: dict[Var, list[Var]] = {}
        """To whom the ends of blocks, and the beginnings of loops, hand a value."""
        self.lost: set[Var] = set()
        """What goes on in a way that is not followed."""
        self.memory: dict[Var, Var] = {}  # of arrays that may share memory, one that stands for all: by union
        self._block(function.body, (), ((), ()))
        self.sharing: dict[Var, list[Var]] = {}
        for v in list(self.memory):
            self.sharing.setdefault(self._root(v), []).append(v)

    def beyond(self, var: Var) -> list[Var] | None:
        """What else holds a value, or is computed of it by statements that only hand it on; None if not all is known.
        The statements that read a number are left to the caller."""
        if var in self.lost:
            return None
        out = list(self.next.get(var, ()))
        if not self.is_number(var):
            for s in self.readers.get(var, ()):
                given = self._given(s, var)
                if given is None:
                    return None
                out += given
        return out

    def stored(self, array: Atom) -> list[Var]:
        """The arrays that may have the memory of one that is written into."""
        return self.sharing.get(self._root(array), [array]) if isinstance(array, Var) else []

    def is_number(self, var: Var) -> bool:
        return isinstance(self.types.get(var), Scalar)

    def _given(self, s: Statement, var: Var) -> list[Var] | None:
        """What a statement makes of what an array or a tuple holds."""
        if not isinstance(s, Call) or s.kwargs:
            return None
        fn = called(s)
        if fn in OF_THE_SHAPE:
            return []
        if fn in STORES:
            return [] if var not in s.args[1:] else None if var in s.args[1:2] else self.stored(s.args[0])
        if fn is operator.getitem:
            return [s.result] if var not in s.args[1:] else None
        return [s.result] if fn is ops.build_tuple else None

    # -- how it is found

    def _block(self, block: Block, results: tuple[Var, ...], loop: Loop) -> None:
        for s in block.statements:
            self._statement(s, loop)
        end = block.end
        match end:
            case Yield():
                self._hand(end.values, results)
            case Continue():
                self._hand(end.values, loop[0])
            case Break():
                self._hand(end.values, loop[1])
            case Return():
                pass
            case _:
                self.lost.update(a for a in end_atoms(end) if isinstance(a, Var))

    def _statement(self, s: Statement, loop: Loop) -> None:
        init = s.init if isinstance(s, For | While) else ()
        read = atoms_of(s)
        for a in read[: len(read) - len(init)]:
            if isinstance(a, Var):
                self.readers.setdefault(a, []).append(s)
        if isinstance(s, If):
            for block in (s.then, s.orelse):
                self._block(block, s.results, loop)
        elif isinstance(s, For | While):
            carried = s.body.params[1:] if isinstance(s, For) else s.body.params
            self._hand(init, carried)
            self._hand(carried if isinstance(s, For) else (), s.results)
            self._block(s.body, (), (carried, s.results))
        elif isinstance(s, Call):
            of_first = called(s) in (*STORES, operator.getitem)  # the others are places, and what is stored
            if called(s) in STORES or may_share(s, self.types):
                for a in s.args[:1] if of_first else s.args:
                    self._same(s.result, a)
        else:
            self._attempt(s.body)

    def _attempt(self, block: Block) -> None:
        """What a try statement reads is not followed."""
        for inner in all_blocks(block):
            read = (*(a for s in inner.statements for a in atoms_of(s)), *end_atoms(inner.end))
            self.lost.update(a for a in read if isinstance(a, Var))

    def _hand(self, values: Iterable[Atom], to: Iterable[Var]) -> None:
        for value, var in zip(values, to):
            if isinstance(value, Var):
                self.next.setdefault(value, []).append(var)
                self._same(var, value)

    def _same(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and not (self.is_number(a) or self.is_number(b)):
            self.memory[self._root(a)] = self._root(b)

    def _root(self, var: Var) -> Var:
        while (up := self.memory.setdefault(var, var)) is not var:
            var = up
        return var
