"""Products that are zero where a factor is, in the words of NumPy.

Derivatives are taken of `rt.selected_product(x, z)` as of a product; only what is printed says how it is computed.
"""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from dataclasses import replace

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.nodes import Block, Call, Const, If, Statement, Var, Yield
from adcompile.ir.program import Program
from adcompile.ir.types import BOOL, UNKNOWN, Array, Scalar, Type
from adcompile.ir.walk import Rewriter
from adcompile.optimise.algebra import zero_of
from adcompile.optimise.typing import type_of, widened


def spell_selected(program: Program) -> Program:
    """The program with `np.where(z == 0.0, 0.0, x * z)` for these products."""
    types = dict(program.types)
    rewriter = _Spelled(types)
    functions = {ref: replace(f, body=rewriter.block(f.body)) for ref, f in program.functions.items()}
    return replace(program, functions=functions, types=types) if rewriter.found else program


class _Spelled(Rewriter):
    def __init__(self, types: MutableMapping[Var, Type]) -> None:
        self.types = types
        self.found = False

    def call(self, call: Call) -> tuple[Statement, ...]:
        if not isinstance(call.fn, Const) or call.fn.value is not rt.selected_product:
            return (call,)
        self.found = True
        return self.number(call) if isinstance(self.types[call.result], Scalar) else self.array(call)

    def array(self, call: Call) -> tuple[Statement, ...]:
        x, z = call.args
        t = widened(type_of(z, self.types))
        test, product = Var("t", call.place), Var("t", call.place)
        asked = Array(np.dtype(bool), t.dims) if isinstance(t, Array) else BOOL if isinstance(t, Scalar) else UNKNOWN
        self.types.update({test: asked, product: self.types[call.result]})
        return (
            Call(test, Const(operator.eq), (z, Const(0.0)), (), call.place, call.role),
            Call(product, Const(operator.mul), (x, z), (), call.place, call.role),
            Call(call.result, Const(np.where), (test, Const(0.0), product), (), call.place, call.role),
        )

    def number(self, call: Call) -> tuple[Statement, ...]:
        """`x * z if z != 0.0 else 0.0`."""
        x, z = call.args
        wanted = self.types[call.result]
        assert isinstance(wanted, Scalar)
        nothing = Const(0.0) if float in wanted.kinds else zero_of(wanted)
        if nothing is None:
            return (call,)
        test, product = Var("t", call.place), Var(call.result.name, call.place)
        self.types.update({test: BOOL, product: wanted})
        made = Call(product, Const(operator.mul), (x, z), (), call.place, call.role)
        sides = Block((), (made,), Yield((product,))), Block((), (), Yield((nothing,)))
        asked = Call(test, Const(operator.ne), (z, Const(0.0)), (), call.place, call.role)
        return asked, If((call.result,), test, *sides, call.place, call.role)
