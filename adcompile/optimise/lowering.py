"""The last rewrite: what stands for memory while statements move becomes what one would write.

    rt.shadow(x)         →  np.zeros_like(x)
    rt.snapshot(x)       →  x.copy()

Before, they are opaque on purpose: nothing may be concluded from zeros into which others write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.nodes import Call, Const, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, Type
from adcompile.ir.walk import Rewriter
from adcompile.optimise.spent import keep_states
from adcompile.optimise.typing import type_of


def lower_memory(program: Program) -> Program:
    """The program with shadows and snapshots of arrays as NumPy's own calls."""
    types = dict(program.types)
    rewriter = _Lowered(types)
    functions = {ref: keep_states(_function(rewriter, f), types) for ref, f in program.functions.items()}
    return replace(program, functions=functions, types=types)


def _function(rewriter: Rewriter, function: Function) -> Function:
    return replace(function, body=rewriter.block(function.body))


class _Lowered(Rewriter):
    def __init__(self, types: Mapping[Var, Type]) -> None:
        self.types = types

    def call(self, call: Call) -> tuple[Statement, ...]:
        if isinstance(call.fn, Const) and len(call.args) == 1 and isinstance(type_of(call.args[0], self.types), Array):
            if call.fn.value is rt.shadow:
                return (replace(call, fn=Const(np.zeros_like)),)
            if call.fn.value is rt.snapshot:
                return (replace(call, fn=Const(np.ndarray.copy)),)
        return (call,)
