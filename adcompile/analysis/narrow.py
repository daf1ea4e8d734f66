"""Exact classes of scalar cotangents and tangents.

Differentiation gives a carried cotangent of a Python float the class it may have at worst,
float or numpy.float64. This pass finds the class it has: starting from nothing known, classes
flow from the values that enter through arithmetic and around loops until nothing changes, so
that code on Python floats needs no conversion at its end.

    x_bar: float | float64 = for … with s_bar: float | float64 = 1.0   →   x_bar: float = …
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.builder import const_type
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, Statement, Var, While, Yield
from adcompile.ir.program import Program
from adcompile.ir.types import Array, Known, Scalar, Type, differentiable, is_complex
from adcompile.rules.registry import Rule, lookup
from adcompile.rules.typing import result_type

WIDE = Scalar(frozenset({float, np.float64}))
Kinds = frozenset[type]

TWINS: dict[Any, Any] = {
    np.sin: math.sin, np.cos: math.cos, np.tan: math.tan, np.arcsin: math.asin, np.arccos: math.acos,
    np.arctan: math.atan, np.arctan2: math.atan2, np.sinh: math.sinh, np.cosh: math.cosh, np.tanh: math.tanh,
    np.exp: math.exp, np.hypot: math.hypot, np.copysign: math.copysign, np.abs: abs, np.absolute: abs,
    np.log: math.log, np.sqrt: math.sqrt, np.sum: ops.identity, np.real: ops.identity, np.conj: ops.identity,
}  # fmt: skip
"""What adjoint and tangent code calls on Python floats instead of a ufunc, twenty times slower."""

RAISING = {np.sinh, np.cosh, np.exp, np.log, np.sqrt}
"""Their twins raise for finite numbers; NumPy gives inf or nan."""


def complex_form(fn: Any, rule: Rule, types: list[Type], kwtypes: dict[str, Type]) -> tuple[Any, Rule]:
    """What stands for a function whose derivative by complex numbers is another than by real ones, where they may be
    complex: np.sign is piecewise constant on real ones alone, np.nan_to_num looks at real and imaginary parts."""
    if not types or not is_complex(types[0]):
        return fn, rule
    if fn is np.sign:
        return rt.direction, lookup(rt.direction) or rule
    if fn is np.nan_to_num and kwtypes.get("copy", Known(True)) == Known(True) and types[1:2] in ([], [Known(True)]):
        return rt.parts_to_num, lookup(rt.parts_to_num) or rule
    return fn, rule


def twin(fn: Any, types: list[Type], lenient: bool) -> Any:
    """What stands for a function of TWINS on arguments of these types."""
    if not all(map(is_python_float, types)) or lenient and fn in RAISING:
        return fn
    return TWINS[fn]


def is_python_float(t: Type) -> bool:
    return isinstance(t, Scalar) and t.kinds == frozenset({float}) or isinstance(t, Known) and type(t.value) is float


def narrow(program: Program) -> Program:
    """The program with the scalars that were typed `float | float64` typed exactly."""
    types = dict(program.types)
    for function in program.functions.values():
        flow = Flow(types)
        flow.settle(function.body)
        types.update((v, Scalar(kinds)) for v, kinds in flow.kinds.items() if kinds)
    return replace(program, types=types)


class Flow:
    def __init__(self, types: dict[Var, Type]) -> None:
        self.types = types
        self.kinds: dict[Var, Kinds] = {}
        self.changed = False

    def settle(self, block: Block) -> None:
        """Run to the fixpoint: classes only ever get added."""
        while True:
            self.changed = False
            self.block(block)
            if not self.changed:
                return

    def wide(self, var: Var) -> bool:
        return self.types[var] == WIDE

    def type(self, atom: Atom) -> Type | None:
        """The type as far as it is known; None where nothing has arrived yet."""
        if isinstance(atom, Const):
            return const_type(atom.value)
        if not self.wide(atom):
            return self.types[atom]
        kinds = self.kinds.get(atom)
        return Scalar(kinds) if kinds else None

    def add(self, var: Var, kinds: Kinds) -> None:
        old = self.kinds.get(var, frozenset())
        if self.wide(var) and not kinds <= old:
            self.kinds[var] = old | kinds
            self.changed = True

    def move(self, source: Atom, target: Var) -> None:
        if self.wide(target):
            t = self.type(source)
            if t is not None:
                self.add(target, classes(t))

    def block(self, block: Block) -> None:
        for s in block.statements:
            self.statement(s)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            if self.wide(s.result):
                self.call(s)
        elif isinstance(s, If):
            for branch in (s.then, s.orelse):
                self.block(branch)
                if isinstance(branch.end, Yield):
                    for r, v in zip(s.results, branch.end.values):
                        self.move(v, r)
        elif isinstance(s, (For, While)):
            params = s.body.params[1:] if isinstance(s, For) else s.body.params
            for p, r, a in zip(params, s.results, s.init):
                self.move(a, p)
                self.move(a, r)
            self.block(s.body)
            for values in leaf_ends(s.body):
                for p, r, v in zip(params, s.results, values):
                    self.move(v, p)
                    self.move(v, r)

    def call(self, s: Call) -> None:
        """The classes a call gives on the classes that have arrived at its arguments."""
        args = [self.type(a) for a in s.args]
        rule = lookup(s.fn.value) if isinstance(s.fn, Const) else None
        known = [a for a in args if a is not None]
        if rule is None or rule.kind != "elementwise" or s.kwargs:
            self.add(s.result, WIDE.kinds)
        elif len(known) == len(args):
            assert isinstance(s.fn, Const)
            self.add(s.result, classes(result_type(s.fn.value, rule, known, {})))


def classes(t: Type) -> Kinds:
    """The classes of a scalar type, within those that are told apart here."""
    if isinstance(t, Scalar) and t.kinds <= WIDE.kinds:
        return t.kinds
    value = getattr(t, "value", None)
    return frozenset({type(value)}) if type(value) in WIDE.kinds else WIDE.kinds


def is_own_conjugate(t: Type) -> bool:
    """Whether a rule that conjugates a value may as well read it: a copy would be made for nothing."""
    of_numpy = isinstance(t, Array) or isinstance(t, Scalar) and all(issubclass(k, np.generic) for k in t.kinds)
    return of_numpy and differentiable(t) and not is_complex(t)
