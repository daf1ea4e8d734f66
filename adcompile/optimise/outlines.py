"""Products of matrices that nobody looks at but for their shape: the outline is made without them.

    t = rt.broadcast_like(1.0, a @ b)   →   t = rt.broadcast_like(1.0, rt.product_outline(a, b))

A function that ends in the sum of a product leaves such a one to its gradient. Lengths that do not fit raise what
they raise in the product.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adcompile import runtime as rt
from adcompile.autodiff.outline import read_for_shape
from adcompile.ir.nodes import Call, Const, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import Rewriter
from adcompile.optimise.direct import called
from adcompile.optimise.typing import inexact, type_of

PRODUCTS = (operator.matmul, np.matmul, np.dot, np.ndarray.dot)


def outlines(program: Program) -> Program:
    """The program without products of which the shape alone is read."""
    return replace(program, functions={ref: _function(f, program.types) for ref, f in program.functions.items()})


def _function(function: Function, types: Mapping[Var, Type]) -> Function:
    unread = read_for_shape(function.body, types)
    if not unread:
        return function
    return replace(function, body=_Outlined(unread, types).block(function.body))


class _Outlined(Rewriter):
    def __init__(self, unread: set[Var], types: Mapping[Var, Type]) -> None:
        self.unread, self.types = unread, types

    def call(self, call: Call) -> tuple[Statement, ...]:
        fn = called(call)
        if call.result not in self.unread or not any(fn is p for p in PRODUCTS) or call.kwargs or len(call.args) != 2:
            return (call,)
        if not all(self.is_matrix(type_of(a, self.types)) for a in call.args):
            return (call,)
        own = () if fn is operator.matmul else (Const(fn),)
        return (replace(call, fn=Const(rt.product_outline), args=(*call.args, *own)),)

    def is_matrix(self, t: Type | None) -> bool:
        return isinstance(t, Array) and t.dims is not None and len(t.dims) == 2 and inexact(t)
