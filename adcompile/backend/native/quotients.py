"""Several quotients by one number: one division, and products.

    q = a / d;  …;  p = b / d      →      r = 1 / d;  q = a · r;  …;  p = b · r

The adjoint of a quotient divides by what the quotient itself is divided by, and a division takes as long as ten
products. The products are right to two roundings, where the quotients were to one, so this is done where it shows in
derivatives alone: what a quotient leads to is added and multiplied until it is an adjoint that is stored or summed up.
It is no value that the function gives, none that is compared, or given to a function that could make more of the
difference, and none that is divided by, unless that is away from zero. So is `d`: a constant and what is never
negative. The inverse of a number near the end of the range would be infinite, or less precise.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Scalar
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, end_atoms
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.runtime import arrays, memory

SUMS: frozenset[Any] = frozenset({operator.add, operator.iadd, np.add})
PRODUCTS: frozenset[Any] = frozenset({operator.mul, operator.imul, np.multiply})
DIFFERENCES: frozenset[Any] = frozenset({operator.sub, operator.isub, np.subtract, operator.neg, np.negative})
QUOTIENTS: frozenset[Any] = frozenset({operator.truediv, operator.itruediv, np.divide})
POSITIVE: frozenset[Any] = frozenset({np.abs, np.absolute, operator.abs, np.exp, np.square, np.sqrt})
"""Of a real number never negative."""
STORES = (operator.setitem, memory.add_at, ops.index_add, arrays.accumulate)
"""Of a number, their third argument, into an array, their first."""
DOUBLE = Scalar(frozenset({np.float64}))
LEAST = 1e-290
"""Of what is divided by: the inverse of less than 2e-308 may be infinite."""


def in_products(new: Lowered) -> Lowered:
    """The function with products in place of such quotients."""
    quotients = Quotients(new)
    chosen = {s.result for group in quotients.groups() for s in group}
    if not chosen:
        return new
    rewriter = _Inverses(chosen)
    body = rewriter.block(new.function.body)
    types = {**new.types, **dict.fromkeys(rewriter.made, DOUBLE)}
    return replace(new, function=replace(new.function, body=body), types=types)


class Quotients:
    """What is divided in a function, and by what."""

    def __init__(self, new: Lowered) -> None:
        self.types, self.body = new.types, new.function.body
        self.made: dict[Var, Call] = {}
        self.users: dict[Var, list[Statement | None]] = {}
        """Those who read a value; None for the end of a block."""
        for block in all_blocks(self.body):
            for s in block.statements:
                self._read(atoms_of(s), s)
                if isinstance(s, Call):
                    self.made[s.result] = s
            self._read(end_atoms(block.end), None)

    def _read(self, atoms: Iterable[Atom], by: Statement | None) -> None:
        for a in atoms:
            if isinstance(a, Var):
                self.users.setdefault(a, []).append(by)

    def groups(self) -> list[list[Call]]:
        """The quotients of each block by the same number, where there are several."""
        out: list[list[Call]] = []
        for block in all_blocks(self.body):
            divided: dict[Atom, list[Call]] = {}
            for s in block.statements:
                if isinstance(s, Call) and self.is_quotient(s) and self.is_away(s.args[1]):
                    divided.setdefault(s.args[1], []).append(s)
            out += ([s for s in group if self.is_unseen(s)] for group in divided.values() if len(group) > 1)
        return [group for group in out if len(group) > 1]

    def is_quotient(self, s: Call) -> bool:
        return called(s) in QUOTIENTS and len(s.args) == 2 and not s.kwargs and self.types.get(s.result) == DOUBLE

    def is_away(self, atom: Atom) -> bool:
        """Whether a number is LEAST or more."""
        if isinstance(atom, Const):
            return type(atom.value) in (int, float, np.float64) and atom.value >= LEAST
        made = self._made(atom)
        if made is None or called(made) not in SUMS:
            return False
        a, b = made.args
        return self.is_away(a) and self.is_positive(b) or self.is_away(b) and self.is_positive(a)

    def is_positive(self, atom: Atom) -> bool:
        """Whether a number is not negative, or none."""
        if isinstance(atom, Const):
            return type(atom.value) in (int, float, np.float64) and atom.value >= 0.0
        made = self._made(atom)
        if made is None:
            return False
        if called(made) in PRODUCTS and made.args[0] is made.args[1]:
            return True
        if called(made) in SUMS | PRODUCTS:
            return all(map(self.is_positive, made.args))
        return called(made) in POSITIVE

    def _made(self, atom: Var) -> Call | None:
        """The call of numbers that gives a number."""
        made = self.made.get(atom)
        alone = made is not None and not made.kwargs and len(made.args) < 3 and self.types.get(atom) == DOUBLE
        return made if alone else None

    def is_unseen(self, quotient: Call) -> bool:
        """Whether nothing but adjoints is computed of it, by sums and products."""
        work = [quotient.result]
        met = set(work)
        while work:
            var = work.pop()
            for user in self.users.get(var, ()):
                if user is None and self.made[var].role == "primal" or not self.may_use(user, var):
                    return False
                if isinstance(user, Call) and called(user) not in STORES and user.result not in met:
                    met.add(user.result)
                    work.append(user.result)
        return True

    def may_use(self, user: Statement | None, var: Var) -> bool:
        if user is None:
            return True
        if not isinstance(user, Call) or user.kwargs:
            return False
        fn = called(user)
        if fn in STORES:
            return user.role != "primal" and var not in user.args[:2]
        if self.types.get(user.result) != DOUBLE or len(user.args) > 2:
            return False
        if fn in QUOTIENTS:
            return var not in user.args[1:] or self.is_away(var)
        return fn in SUMS | PRODUCTS | DIFFERENCES


class _Inverses(Rewriter):
    """Writes the inverse in front of the first quotient of each block, and products."""

    def __init__(self, chosen: set[Var]) -> None:
        self.chosen = chosen
        self.made: list[Var] = []
        self.inverse: dict[Atom, Var] = {}

    def block(self, block: Block) -> Block:
        before, self.inverse = self.inverse, {}
        out = super().block(block)
        self.inverse = before
        return out

    def call(self, call: Call) -> tuple[Statement, ...]:
        if call.result not in self.chosen:
            return (call,)
        a, d = call.args
        inverse, first = self.inverse.get(d), ()
        if inverse is None:
            inverse = self.inverse[d] = Var("inverse")
            self.made.append(inverse)
            first = (Call(inverse, Const(operator.truediv), (Const(1.0), d), (), call.place, "adjoint"),)
        return (*first, Call(call.result, Const(operator.mul), (a, inverse), (), call.place, call.role))
