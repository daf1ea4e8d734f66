"""Whether a function is IR as the grammar in `ir/nodes` has it; holds between all stages.

With `ADCOMPILE_CHECK=1` in the environment the compiler asks after every stage and every pass.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from adcompile.ir.nodes import (
    Atom,
    Attempt,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Raise,
    Return,
    Signature,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Type
from adcompile.ir.walk import all_blocks, atoms_of, defined, end_atoms


class InvalidIR(AssertionError):
    """A stage made IR that is not in the grammar: a fault of ours, not of the user's."""


def verify(function: Function) -> None:
    """Raises InvalidIR if the function is not well formed: every Var defined once and before it is
    read, ends where they belong, as many values as results."""
    large_stack(_Verifier(function.name).function, function)


def checking() -> bool:
    """Whether stages are asked to verify what they make."""
    return os.environ.get("ADCOMPILE_CHECK") == "1"


def verify_program(program: Program, stage: str) -> None:
    """Raises InvalidIR, which names the stage, unless all functions are well formed, what they call
    is there, and every Var has a type."""
    for function in program.functions.values():
        verify_block(function.body, (*function.params, *function.captured), f"{function.name} {stage}")
        _verify_names(function, program.functions, program.types, stage)


def verify_block(block: Block, params: Sequence[Var], name: str) -> None:
    """The same of a function's body, which may read `params`."""
    verify(Function(name, tuple(params), (), block, Signature()))


def _verify_names(
    function: Function, functions: Mapping[FunctionRef, Function], types: Mapping[Var, Type], stage: str
) -> None:
    where = f"{function.name} {stage}"
    for var in (*function.params, *defined(function.body)):
        if var not in types:
            raise InvalidIR(f"{where}: {var.name} has no type ({var.place})")
    for block in all_blocks(function.body):
        for statement in block.statements:
            for atom in atoms_of(statement):
                if isinstance(atom, Const) and isinstance(atom.value, FunctionRef) and atom.value not in functions:
                    raise InvalidIR(f"{where}: {atom.value.name} is called and is not there")


class _Verifier:
    def __init__(self, name: str) -> None:
        self.where = name
        self.visible: set[Var] = set()
        self.scope: list[Var] = []  # what the current block has defined
        self.defined: set[Var] = set()

    def fail(self, message: str, at: Any = None) -> None:
        place = getattr(at, "place", None)
        raise InvalidIR(f"{self.where}: {message}" + (f" ({place})" if place else ""))

    def function(self, function: Function) -> None:
        self.define((*function.params, *function.captured), function)
        if function.body.params:
            self.fail("a function's body has parameters", function)
        if not isinstance(function.body.end, (Return, Raise, Unreachable)):
            self.fail(f"a function's body ends in {type(function.body.end).__name__}", function)
        self.block(function.body, "function", 0)

    def define(self, results: Sequence[Var], at: Any) -> None:
        for var in results:
            if var in self.defined:
                self.fail(f"{var.name} is defined twice", at)
            self.defined.add(var)
            self.visible.add(var)
            self.scope.append(var)

    def read(self, atoms: Sequence[Atom], at: Any) -> None:
        for atom in atoms:
            if isinstance(atom, Var):
                if atom not in self.visible:
                    what = "out of its scope" if atom in self.defined else "before it is defined"
                    self.fail(f"{atom.name} is read {what}", at)
            elif not isinstance(atom, Const):  # pyright: ignore[reportUnnecessaryIsInstance]
                self.fail(f"{atom!r} is no atom", at)

    def block(self, block: Block, kind: str, arity: int) -> None:
        """`kind`: function, branch (of an If that joins) or loop (a leaf of a loop's tree)."""
        outside, self.scope = self.scope, []
        self.define(block.params, None)
        for i, statement in enumerate(block.statements):
            self.statement(statement, kind, arity, i == len(block.statements) - 1, block)
        self.end(block, kind, arity)
        self.visible.difference_update(self.scope)
        self.scope = outside

    def end(self, block: Block, kind: str, arity: int) -> None:
        end = block.end
        last = block.statements[-1] if block.statements else None
        self.read(end_atoms(end), last)
        allowed: dict[str, tuple[type, ...]] = {
            "function": (Return,),
            "branch": (Yield,),
            "loop": (Break, Continue),
        }
        if isinstance(end, Unreachable):
            if not isinstance(last, (If, While)) or (isinstance(last, If) and last.results):
                self.fail("what cannot be reached does not follow an If that leaves", last)
        elif isinstance(end, (Yield, Break, Continue, Return)):
            if not isinstance(end, allowed[kind]):
                self.fail(f"a {kind} block ends in {type(end).__name__}", last)
            if not isinstance(end, Return) and len(end.values) != arity:
                self.fail(f"{type(end).__name__} has {len(end.values)} values for {arity}", last)

    def statement(self, s: Statement, kind: str, arity: int, last: bool, block: Block) -> None:
        match s:
            case Call():
                self.read((s.fn, *s.args, *(value for _, value in s.kwargs)), s)
                self.define((s.result,), s)
            case If():
                self.read((s.test,), s)
                if s.then.params or s.orelse.params:
                    self.fail("a branch has parameters", s)
                leaves = last and isinstance(block.end, Unreachable)
                inner = kind if leaves and kind == "loop" else "branch"
                count = arity if inner == "loop" else len(s.results)
                for branch in (s.then, s.orelse):
                    if leaves and isinstance(branch.end, Yield):
                        self.fail("a branch of an If that leaves goes on", s)
                    self.block(branch, inner, count)  # no *arguments: CPython 3.12 calls these on its own stack
                self.define(s.results, s)
            case For() | While():
                iterable = (s.iterable,) if isinstance(s, For) else ()
                self.read((*iterable, *s.init), s)
                if len(s.body.params) != len(s.init) + len(iterable) or len(s.init) != len(s.results):
                    self.fail("a loop's results, parameters and first values differ in number", s)
                self.block(s.body, "loop", len(s.results))
                self.define(s.results, s)
            case Attempt():
                self.read((s.opaque.fn, *s.opaque.args), s)
                self.block(s.body, "branch", len(s.results))
                if s.ways is not None:
                    self.block(s.ways.branches, "branch", len(s.results))
                    self.block(s.ways.tried, "branch", 0)
                self.define((s.opaque.result, *s.results), s)
