"""Whether a function is IR as the grammar in `ir/nodes` has it; holds between all stages."""

from __future__ import annotations

from collections.abc import Sequence
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
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.walk import end_atoms, large_stack


class InvalidIR(AssertionError):
    """A stage made IR that is not in the grammar: a fault of ours, not of the user's."""


def verify(function: Function) -> None:
    """Raises InvalidIR if the function is not well formed: every Var defined once and before it is
    read, ends where they belong, as many values as results."""
    large_stack(_Verifier(function.name).function, function)


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
                inner = (kind, arity) if leaves and kind == "loop" else ("branch", len(s.results))
                for branch in (s.then, s.orelse):
                    if leaves and isinstance(branch.end, Yield):
                        self.fail("a branch of an If that leaves goes on", s)
                    self.block(branch, *inner)
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
                self.define((s.opaque.result, *s.results), s)
