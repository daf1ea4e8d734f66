"""Products of matrices that nobody looks at but for their shape: the outline is made without them.

    t = rt.broadcast_like(1.0, a @ b)   →   t = rt.broadcast_like(1.0, rt.product_outline(a, b))

A function that ends in the sum of a product leaves such a one to its gradient, and one of which nobody reads anything
may still raise: lengths that do not fit raise what they raise in the product.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adcompile import runtime as rt
from adcompile.autodiff.outline import is_read_twice, shape_operand
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, end_atoms
from adcompile.optimise import shapes
from adcompile.optimise.direct import called
from adcompile.optimise.typing import inexact, type_of

PRODUCTS = (*shapes.PRODUCTS, np.ndarray.dot)


def outlines(program: Program) -> Program:
    """The program without products of which the shape alone is read."""
    return replace(program, functions={ref: _function(f, program.types) for ref, f in program.functions.items()})


def _function(function: Function, types: Mapping[Var, Type]) -> Function:
    while True:  # the outline of a product asks for the outlines of its operands
        read = _read(function.body)
        outlined = _Outlined(read, types)
        body = outlined.block(function.body)
        if not outlined.some:
            return function
        function = replace(function, body=body)


def _read(body: Block) -> set[Atom]:
    """The values of which more is read than their shapes."""
    out: set[Atom] = set()
    for block in all_blocks(body):
        out.update(end_atoms(block.end))
        for s in block.statements:
            found = shape_operand(s)
            of_product = s.args[:2] if isinstance(s, Call) and called(s) is rt.product_outline else ()
            out.update(a for a in atoms_of(s) if (a is not found or is_read_twice(s, found)) and a not in of_product)
    return out


class _Outlined(Rewriter):
    def __init__(self, read: set[Atom], types: Mapping[Var, Type]) -> None:
        self.read, self.types, self.some = read, types, False

    def call(self, call: Call) -> tuple[Statement, ...]:
        fn = called(call)
        if call.result in self.read or not any(fn is p for p in PRODUCTS) or call.kwargs or len(call.args) != 2:
            return (call,)
        if not all(self.is_matrix(type_of(a, self.types)) for a in call.args):
            return (call,)
        self.some = True
        own = () if fn is operator.matmul else (Const(fn),)
        return (replace(call, fn=Const(rt.product_outline), args=(*call.args, *own)),)

    def is_matrix(self, t: Type | None) -> bool:
        return isinstance(t, Array) and t.dims is not None and len(t.dims) == 2 and inexact(t)
