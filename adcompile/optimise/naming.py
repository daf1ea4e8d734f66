"""Names for what the adjoint computed without one: the cotangent of `r` is called `r_bar`.

    t = 2.0 * r            r_bar = 2.0 * r
    return x.T @ t    →    return x.T @ r_bar
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adcompile.ir.nodes import Atom, Function, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Type
from adcompile.ir.walk import Rewriter


def name_cotangents(program: Program, names: Mapping[Var, str]) -> Program:
    """The program with the Vars of `names` replaced by Vars so called."""
    if not names:
        return program
    rewriter = _Renamed(names, dict(program.types))
    functions = {ref: rewriter.function(f) for ref, f in program.functions.items()}
    return replace(program, functions=functions, types=rewriter.types)


class _Renamed(Rewriter):
    def __init__(self, names: Mapping[Var, str], types: dict[Var, Type]) -> None:
        self.names, self.types = names, types
        self.new: dict[Var, Var] = {}

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body))

    def define(self, var: Var) -> Var:
        if var not in self.names:
            return var
        if var not in self.new:
            self.new[var] = Var(self.names[var], var.place)
            self.types[self.new[var]] = self.types[var]
        return self.new[var]

    def atom(self, atom: Atom) -> Atom:
        return self.new.get(atom, atom) if isinstance(atom, Var) else atom
