"""What is written or read at once needs no memory in between.

    v = a[i]; v += x; a[i] = v      →  v = a[i]; v += x         where a[i] is a view
    b += -x                         →  b -= x
    c = x.copy(); y = 2 * c         →  y = 2 * x                nothing is written in between

Python itself stores the view back after `a[i] += x`: the array onto itself, element by element.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.views import item_kind
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import atoms_of, results_of
from adcompile.optimise.sharing import is_fresh
from adcompile.optimise.typing import INPLACE, hashable, same_atom, type_of

COPIES = (rt.snapshot, rt.replica, np.ndarray.copy, np.copy)
_TURNED = {operator.iadd: operator.isub, operator.isub: operator.iadd}
_STORES = (operator.setitem, operator.iadd, operator.isub, operator.imul, operator.itruediv)
"""What computes as if its last operand had been copied before, where they overlap: NumPy sees to it."""


@dataclass
class Direct:
    """A list of statements, and how often each value is read. `may_move(call, k, j)`: whether what
    the call at k computes is the same at j."""

    statements: Sequence[Statement]
    types: Mapping[Var, Type]
    uses: Mapping[Var, int]
    may_move: Callable[[Call, int, int], bool]
    made: dict[Var, int] = field(default_factory=dict[Var, int])
    reader: dict[Var, int] = field(default_factory=dict[Var, int])

    def run(self) -> list[Statement]:
        self.out: list[Statement | None] = list(self.statements)
        for k, s in enumerate(self.statements):
            self.reader.update((a, k) for a in atoms_of(s) if isinstance(a, Var))
            if isinstance(s, Call):
                self.made[s.result] = k
        for k, s in enumerate(self.statements):
            if isinstance(s, Call) and called(s) is operator.setitem:
                self.store(k, s)
            elif isinstance(s, Call) and s.role != "primal" and called(s) in _TURNED:
                self.turn(k, s)
        for k, s in enumerate(self.out):
            if isinstance(s, Call) and s.role != "primal" and called(s) in COPIES and len(s.args) == 1:
                self.copy(k, s)
        return [s for s in self.out if s is not None]

    def call(self, atom: Atom) -> Call | None:
        """What makes a value, in these statements."""
        s = self.out[self.made[atom]] if isinstance(atom, Var) and atom in self.made else None
        return s if isinstance(s, Call) else None

    def is_array(self, atom: Atom) -> bool:
        return isinstance(type_of(atom, self.types), Array)

    def store(self, k: int, s: Call) -> None:
        """Drop a store that puts a view, changed in place, back where it is."""
        target, index, value = s.args
        made = self.call(value)
        while made is not None and called(made) in INPLACE and self.is_array(made.args[0]):
            made = self.call(made.args[0])
        if made is None or called(made) is not operator.getitem or made.args[0] is not target:
            return
        if not self.is_array(made.result):
            return
        if same_atom(made.args[1], index) and self.is_array(target) and item_kind(made, self.types) == "view":
            between = self.statements[self.made[made.result] : k]
            if any(isinstance(c, Call) and called(c) in INPLACE and c.args[0] is made.result for c in between):
                self.out[k] = None  # what cannot be written into has raised

    def turn(self, k: int, s: Call) -> None:
        """`b += -x` is `b -= x`."""
        made = self.call(s.args[1])
        if made is None or called(made) is not operator.neg or made.role == "primal" or not self.is_array(made.result):
            return
        if self.uses.get(made.result) == 1 and self.may_move(made, self.made[made.result], k):
            self.out[self.made[made.result]] = None
            self.out[k] = replace(s, fn=Const(_TURNED[called(s)]), args=(s.args[0], made.args[0]))

    def copy(self, k: int, s: Call) -> None:
        """Read memory itself where its copy is read once, at once, by what makes new memory."""
        first = last = self.only_reader(s.result)
        while last is not None and self.hands_on(last):
            last = self.only_reader(results_of(self.statements[last])[0])
        if first is None or last is None or not self.is_array(s.result) or not self.may_move(s, k, last):
            return
        final, now = self.out[last], self.out[first]
        assert isinstance(final, Call) and isinstance(now, Call)
        read = s.result if first == last else final.args[-1]
        stored = called(final) in _STORES and final.args[-1] is read and read not in final.args[:-1]
        if stored or is_fresh(final, self.types) and not any(name == "out" for name, _ in final.kwargs):
            self.out[k] = None
            self.out[first] = replace(now, args=tuple(s.args[0] if a is s.result else a for a in now.args))

    def only_reader(self, v: Var) -> int | None:
        """The one statement that reads a value, if it is a call among these that reads it as an argument."""
        k = self.reader.get(v) if self.uses.get(v) == 1 else None
        s = self.out[k] if k is not None else None
        return k if isinstance(s, Call) and v in s.args else None

    def hands_on(self, k: int) -> bool:
        """Whether a call may give its first argument itself."""
        s = self.out[k]
        return isinstance(s, Call) and called(s) is rt.unbroadcast


def called(s: Call) -> Any:
    """What a call calls, if that is known and can be looked up."""
    return s.fn.value if isinstance(s.fn, Const) and hashable(s.fn.value) else None
