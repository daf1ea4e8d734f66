"""A specialised program as a Python module, written as a careful person would have written it.

For each function: `fold` decides which values are printed inside the expression that uses them,
`names` gives the others Python names, and `printer` writes the statements: real `break`,
`continue` and early `return`, `elif` chains, `while` with its test, and comments that name the
source line a group of adjoint statements comes from.
"""

from __future__ import annotations

from typing import Any

import gast

from adcompile.backend.callables import Globals
from adcompile.backend.define import define
from adcompile.backend.load import Emitted
from adcompile.backend.text import to_source
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack


def emit(program: Program) -> Emitted:
    """The text of a program; callees come before the entry."""
    return large_stack(_emit, program)


def _emit(program: Program) -> Emitted:
    scope = Globals()
    refs = [program.entry, *(ref for ref in program.functions if ref is not program.entry)]
    names = {ref: scope.unique(program.functions[ref].name or ref.name) for ref in refs}
    body: list[Any] = []
    for ref in [*refs[1:], program.entry]:
        body += define(program.functions[ref], names[ref], program.types, scope, names)
    return Emitted(to_source(gast.Module(body, []), scope.header()), scope.namespace, names[program.entry], names)
