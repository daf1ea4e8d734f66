"""exp(-(x * x)) as one function, which erf has computed already.

    y = x * x;  m = -y;  e = exp(m)      →      e = gauss(x)

The derivative of erf is that, and our erf is made of it: of the two, inlined into one loop, the compiler keeps one. It
would not see that they are the same with a negation between, which it moves into what x comes from. The result is that
of the three statements, bit for bit.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.backend.native.elementary import gauss
from adcompile.backend.native.quotients import DOUBLE
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.walk import Rewriter, readers_of, statements_of
from adcompile.nests import Lowered
from adcompile.optimise.direct import called

NEGATIONS: frozenset[Any] = frozenset({operator.neg, np.negative})
PRODUCTS: frozenset[Any] = frozenset({operator.mul, np.multiply})


def with_gaussians(new: Lowered) -> Lowered:
    """The function with one call in place of such three; what nobody else uses of them is left out."""
    search = _Squares(new)
    squares = {s.result: x for s in search.made.values() if (x := search.squared(s)) is not None}
    if not squares:
        return new
    return replace(new, function=replace(new.function, body=_Gaussians(search, squares).block(new.function.body)))


class _Squares:
    def __init__(self, new: Lowered) -> None:
        self.types, self.readers = new.types, readers_of(new.function.body)
        self.made = {s.result: s for s in statements_of(new.function.body) if isinstance(s, Call)}

    def squared(self, s: Call) -> Var | None:
        """x, for a call of exp(-(x * x)) of numbers in float64."""
        negated = self._argument(s.args[0], NEGATIONS) if called(s) is np.exp and self._is_plain(s) else None
        product = self._argument(negated.args[0], PRODUCTS) if negated is not None else None
        if product is None or product.args[0] is not product.args[-1] or self.types.get(s.result) != DOUBLE:
            return None
        return product.args[0] if isinstance(product.args[0], Var) else None

    def alone(self, s: Call) -> list[Call]:
        """The negation and the product of such a call that nobody else uses."""
        negated = self.made[s.args[0]]  # type: ignore[index]
        if len(self.readers[negated.result]) > 1:
            return []
        product = self.made[negated.args[0]]  # type: ignore[index]
        return [negated] if len(self.readers[product.result]) > 1 else [negated, product]

    def _argument(self, atom: Atom, functions: frozenset[Any]) -> Call | None:
        made = self.made.get(atom) if isinstance(atom, Var) else None
        if made is None or called(made) not in functions or not self._is_plain(made):
            return None
        return made if self.types.get(made.result) == DOUBLE else None

    def _is_plain(self, s: Call) -> bool:
        return not s.kwargs and 0 < len(s.args) < 3


class _Gaussians(Rewriter):
    def __init__(self, search: _Squares, squares: dict[Var, Var]) -> None:
        self.squares = squares
        self.gone = {a.result for result in squares for a in search.alone(search.made[result])}

    def call(self, call: Call) -> tuple[Statement, ...]:
        if call.result in self.gone:
            return ()
        if call.result not in self.squares:
            return (call,)
        return (replace(call, fn=Const(gauss), args=(self.squares[call.result],)),)
