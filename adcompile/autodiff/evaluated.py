"""Functions that the forward sweep has evaluated, where the reverse needs them: of `sin(v)` and `cos(v)` each has the
other in its derivative. What is kept anyway is read, and neither evaluated again nor is `v` kept for that."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analysis.narrow import TWINS
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var
from adcompile.ir.types import Array, Scalar, Type, widen
from adcompile.ir.walk import Rewriter, free_vars
from adcompile.rules.registry import lookup

if TYPE_CHECKING:
    from adcompile.analysis.builder import Context

Evaluation = tuple[Any, Atom]
"""A function and its argument."""
SAME = {fn: other for fn, other in TWINS.items() if getattr(math, getattr(other, "__name__", ""), None) is other}
"""NumPy's functions that `math` has, too."""
NUMBERS = (float, np.float64)


def with_evaluated(context: Context, forward: Iterable[Statement], reverse: Block, left: Container[Var]) -> Block:
    """The reverse of statements that have all run, with what it reads of these anyway in place of evaluating it.
    `left`: what is read for another reason than its value."""
    found = {evaluation(context, s): s for s in forward if isinstance(s, Call)}
    found.pop(None, None)
    read = free_vars(reverse) if found else {}
    made = _Read(context, {k: s for k, s in found.items() if s.result in read and is_steady(context, s.result, left)})
    return context.renamed(made.block(reverse), made.mapping) if made.known else reverse


def is_steady(context: Context, var: Var, left: Container[Var]) -> bool:
    return var not in left and var not in context.volatile


def evaluation(context: Context, call: Call) -> Evaluation | None:
    """What tells calls of an elementwise function of one value apart that give the same; None of others."""
    if call.kwargs or len(call.args) != 1 or not isinstance(call.fn, Const) or isinstance(call.args[0], Const):
        return None
    if not isinstance(widen(context.types[call.result]), (Scalar, Array)):
        return None
    rule = lookup(call.fn.value)
    fn = call.fn.value
    return (SAME.get(fn, fn), call.args[0]) if rule is not None and rule.kind == "elementwise" else None


class _Read(Rewriter):
    """Leaves out the calls that others stand for; where these give a number of the other class, it is converted."""

    def __init__(self, context: Context, known: dict[Evaluation | None, Call]) -> None:
        self.context, self.known = context, known
        self.mapping: dict[Var, Atom] = {}

    def call(self, call: Call) -> tuple[Statement, ...]:
        other = self.known.get(evaluation(self.context, call)) if call.role != "primal" else None
        if other is None:
            return (call,)
        given, wanted = self.context.types[other.result], self.context.types[call.result]
        if given == wanted:
            self.mapping[call.result] = other.result
            return ()
        cls = number_class(wanted)
        if cls is None or number_class(given) is None:
            return (call,)
        made = replace(call, fn=Const(cls), args=(other.result,))
        self.context.definition[made.result] = made
        return (made,)


def number_class(t: Type) -> type | None:
    """The one class that a real number of this type has."""
    return next((c for c in NUMBERS if t == Scalar(frozenset({c}))), None)
