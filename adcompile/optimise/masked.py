"""Zeros where a cotangent is zero, whatever it is multiplied by: looked for only where there may be any.

    t = g == 0.0;  np.where(t, 0.0, p * g)   →   rt.masked(p * g, g)

The product of a zero and a finite number needs no test. Whether all of a product is finite takes one
pass over it and no memory, and it nearly always is. This comes last: the passes before see a choice.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.nodes import Atom, Call, Const, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import Rewriter, all_blocks, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.sharing import Sharing, is_fresh, sharing
from adcompile.optimise.typing import INPLACE, hashable, type_of


def mask_late(program: Program) -> Program:
    """The program with such choices as calls of `rt.masked`; the tests are left to who removes dead code."""
    effects = Effects(program.types, summarise(program.functions, program.types))
    functions = {ref: _function(f, program.types, effects) for ref, f in program.functions.items()}
    if all(functions[ref] is f for ref, f in program.functions.items()):
        return program
    return replace(program, functions=functions)


def _function(function: Function, types: Mapping[Var, Type], effects: Effects) -> Function:
    made = {s.result: s for s in statements_of(function.body) if isinstance(s, Call)}
    if not any(_choice(s) for s in made.values()):
        return function
    rewriter = _Masked(types, made, sharing(function.body, effects), _at_once(function, made, effects))
    body = rewriter.block(function.body)
    return replace(function, body=body) if rewriter.found else function


def _choice(call: Call) -> bool:
    """Whether a statement is `np.where(…, 0.0, …)` of a derivative."""
    if call.role == "primal" or call.kwargs or len(call.args) != 3:
        return False
    zero = call.args[1]
    return isinstance(call.fn, Const) and call.fn.value is np.where and isinstance(zero, Const) and _is_zero(zero)


def _is_zero(atom: Const) -> bool:
    return type(atom.value) is float and atom.value == 0.0


def _at_once(function: Function, made: Mapping[Var, Call], effects: Effects) -> set[Var]:
    """The choices between which and their tests nothing is written that the tests have read."""
    out: set[Var] = set()
    for block in all_blocks(function.body):
        read: dict[Var, Atom] = {}  # by test: whose memory it has read
        for s in block.statements:
            if not isinstance(s, Call):
                read.clear()
            elif _steps_on(s):
                read = {test: root for test, root in read.items() if root is not _root(s.args[0], made, effects)}
            elif not effects.pure(s):
                read.clear()
            elif _choice(s) and s.args[0] in read:
                out.add(s.result)
            elif s.args:
                read[s.result] = _root(s.args[0], made, effects)
    return out


def _steps_on(call: Call) -> bool:
    """Whether a call writes into its first argument and nothing else, and gives it back."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    return fn is not None and hashable(fn) and (fn in LINEAR or fn in INPLACE)


def _root(atom: Atom, made: Mapping[Var, Call], effects: Effects) -> Atom:
    """The value whose memory this is a part of, as far as definitions tell."""
    while isinstance(atom, Var):
        call = made.get(atom)
        if call is None or is_fresh(call, effects.types) or _steps_on(call) or not call.args:
            break
        atom = call.args[0]
    return atom


class _Masked(Rewriter):
    """`at_once`: the choices whose tests are of what their operands still hold."""

    def __init__(
        self, types: Mapping[Var, Type], made: Mapping[Var, Call], shared: Sharing, at_once: set[Var]
    ) -> None:
        self.types, self.made, self.shared, self.at_once = types, made, shared, at_once
        self.found = False

    def call(self, call: Call) -> tuple[Statement, ...]:
        new = self.masked(call) if _choice(call) else None
        self.found |= new is not None
        return (new or call,)

    def masked(self, call: Call) -> Call | None:
        test, _, product = call.args
        made = self.made.get(test) if isinstance(test, Var) else None
        if made is None or not isinstance(made.fn, Const) or made.fn.value is not operator.eq or made.kwargs:
            return None
        g, zero = made.args
        if not (isinstance(g, Var) and isinstance(zero, Const) and _is_zero(zero) and isinstance(product, Var)):
            return None
        t = type_of(product, self.types)
        of_arrays = isinstance(t, Array) and isinstance(type_of(g, self.types), Array)
        if not of_arrays or t != self.types[call.result] or not self.is_handed_over(product):
            return None
        if g in self.shared.changing and call.result not in self.at_once:
            return None
        return replace(call, fn=Const(rt.masked), args=(product, g))

    def is_handed_over(self, product: Var) -> bool:
        """Whether a value is an array of our own that nobody else reads: it may become the result."""
        made = self.made.get(product)
        return made is not None and is_fresh(made, self.types) and self.shared.uses.get(product) == 1
