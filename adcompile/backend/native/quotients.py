"""Several quotients by one number: one division, and products. One by what stays the same in a loop, too.

    q = a / d;  …;  p = b / d      →      r = 1 / d;  q = a · r;  …;  p = b · r

The adjoint of a quotient divides by what the quotient itself is divided by, and a division takes as long as ten
products. The products are right to two roundings, where the quotients were to one, so this is done where it shows in
derivatives alone: in kernels that are whole gradients and give no value, where what a quotient leads to, through
branches, loops and memory (`reached`), is added, multiplied and given to functions that are smooth everywhere until the
kernel returns it. None of it is compared, not with zero either, nor given to a function that has an edge (an arc cosine
of what ought to be one), and none is divided by, unless it is away from zero. So is `d`: a constant and what is never
negative. The inverse of a number near the end of the range would be infinite, or less precise.
"""

from __future__ import annotations

import math
import operator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from adcompile.backend.native.elementary import vectorised
from adcompile.backend.native.reached import STORES, Reached
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Scalar
from adcompile.ir.walk import Rewriter, all_blocks
from adcompile.nests import Lowered
from adcompile.optimise.direct import called

SUMS: frozenset[Any] = frozenset({operator.add, operator.iadd, np.add})
PRODUCTS: frozenset[Any] = frozenset({operator.mul, operator.imul, np.multiply})
DIFFERENCES: frozenset[Any] = frozenset({operator.sub, operator.isub, np.subtract, operator.neg, np.negative})
QUOTIENTS: frozenset[Any] = frozenset({operator.truediv, operator.itruediv, np.divide})
POSITIVE: frozenset[Any] = frozenset({np.abs, np.absolute, operator.abs, np.exp, np.square, np.sqrt})
"""Of a real number never negative."""
SAME: frozenset[Any] = frozenset({ops.identity, float, np.float64})
ROOTS: frozenset[Any] = frozenset({np.sqrt, math.sqrt})
SMOOTH = frozenset("exp expm1 sin cos sinh cosh tanh atan erf erfc sigmoid log_sigmoid".split())
"""Our elementary functions that are smooth everywhere, by name."""
DOUBLE = Scalar(frozenset({np.float64}))
REALS = (DOUBLE, Scalar(frozenset({float})), Scalar(frozenset({float, np.float64})))
LEAST, MOST = 1e-290, 1e290
"""Of what is divided by: the inverse of less than 2e-308 may be infinite, that of more than 4e307 loses bits."""


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
        self.types, self.function = new.types, new.function
        self.made: dict[Var, Call] = {}
        self.home: dict[Var, Block] = {}
        self.smooth = {fn for fn, name in vectorised().items() if name in SMOOTH}
        for block in all_blocks(new.function.body):
            for s in block.statements:
                if isinstance(s, Call):
                    self.made[s.result], self.home[s.result] = s, block

    @cached_property
    def reached(self) -> Reached:
        return Reached(self.function, self.types)

    def groups(self) -> list[list[Call]]:
        """The quotients of each block by the same number, where there are several or the number is from outside."""
        out: list[list[Call]] = []
        for block in all_blocks(self.function.body):
            divided: dict[Atom, list[Call]] = {}
            for s in block.statements:
                if isinstance(s, Call) and self.is_quotient(s) and self.is_away(s.args[1]):
                    divided.setdefault(s.args[1], []).append(s)
            for d, quotients in divided.items():
                least = 1 if isinstance(d, Const) or self.home.get(d) is not block else 2
                group = [s for s in quotients if self.is_unseen(s)] if len(quotients) >= least else []
                if len(group) >= least:
                    out.append(group)
        return out

    def is_quotient(self, s: Call) -> bool:
        return called(s) in QUOTIENTS and len(s.args) == 2 and not s.kwargs and self.types.get(s.result) == DOUBLE

    def is_away(self, atom: Atom) -> bool:
        """Whether a number is LEAST or more."""
        if isinstance(atom, Const):
            return type(atom.value) in (int, float, np.float64) and LEAST <= atom.value <= MOST
        made = self._made(atom)
        if made is not None and called(made) in ROOTS:
            return self.is_away(made.args[0])
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
        alone = made is not None and not made.kwargs and len(made.args) < 3 and self.types.get(atom) in REALS
        return made if alone else None

    def is_unseen(self, quotient: Call) -> bool:
        """Whether nothing but what the function returns is computed of it, by sums, products and smooth functions."""
        work, met = [quotient.result], {quotient.result}
        while work:
            var = work.pop()
            more = self.reached.beyond(var)
            if more is None:
                return False
            if self.reached.is_number(var):
                for user in self.reached.readers.get(var, ()):
                    if not self.may_use(user, var):
                        return False
                    more += self.reached.stored(user.args[0]) if called(user) in STORES else [user.result]
            work += [v for v in more if v not in met]
            met.update(more)
        return True

    def may_use(self, user: Statement, var: Var) -> TypeGuard[Call]:
        if not isinstance(user, Call) or user.kwargs:
            return False
        fn = called(user)
        if fn in STORES:  # those of the function itself are seen by its caller
            return user.role != "primal" and var not in user.args[:2]
        if fn is ops.build_tuple:
            return True
        if self.types.get(user.result) not in REALS or len(user.args) > 2:
            return False
        if fn in QUOTIENTS:
            return var not in user.args[1:] or self.is_away(var)
        return fn in SUMS | PRODUCTS | DIFFERENCES | SAME or fn in self.smooth


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
