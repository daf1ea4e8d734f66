"""Functions that are chosen on the way, as numbers: a kernel holds no functions, and need only tell them apart.

    f = np.sin if k == 0 else np.cos            f = 0 if k == 0 else 1
    for i in range(n):                      →   for i in range(n):
        if f is np.sin: …                           if f == 0: …

The analysis has put a chain of such tests in the place of each call (`analysis/choices`). What else reads a choice
wants the function itself; such a choice stays.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adcompile.analysis.choices import MADE_AT_EACH_ACCESS
from adcompile.ir.nodes import (
    Atom,
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
    Var,
    While,
    Yield,
)
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import INT, Choice, Type
from adcompile.ir.walk import Rewriter, all_blocks, end_atoms, ends, readers_of, statements_of
from adcompile.optimise.direct import called

TELLING = {
    operator.is_: operator.eq,
    operator.is_not: operator.ne,
    operator.eq: operator.eq,
    operator.ne: operator.ne,
}


def numbered(program: Program) -> Program:
    """The program with numbers for the functions that are only told apart; the same object if there are none."""
    return large_stack(_numbered, program)


def _numbered(program: Program) -> Program:
    types, functions = dict(program.types), dict[FunctionRef, Function]()
    for ref, function in program.functions.items():
        chosen = _chosen(function, types)
        functions[ref] = replace(function, body=_Numbers(chosen).block(function.body)) if chosen else function
        types.update(dict.fromkeys(chosen, INT))
    changed = any(functions[ref] is not function for ref, function in program.functions.items())
    return replace(program, functions=functions, types=types) if changed else program


def _chosen(function: Function, types: Mapping[Var, Type]) -> frozenset[Var]:
    """The choices that are known from where they are made, and that nobody reads but to tell them apart."""
    found = {v for b in all_blocks(function.body) for v in _joined(b) if isinstance(types.get(v), Choice)}
    if not found:
        return frozenset()
    ways = list(_ways(function.body))
    readers = readers_of(function.body)
    while True:  # what comes from another choice, or goes into one, stays where that stays
        left = {v for v, source in ways if v in found and not _is_choice(source, found)}
        left |= {source for v, source in ways if isinstance(source, Var) and source in found and v not in found}
        left |= {v for v in found if not all(s is None or _tells(s, v) or _carries(s, v) for s in readers.get(v, ()))}
        if not left & found:
            return frozenset(found)
        found -= left


def _joined(block: Block) -> Iterator[Var]:
    """What comes by several ways in a block."""
    for s in block.statements:
        if isinstance(s, If | For | While):
            yield from s.results
        if isinstance(s, For | While):
            yield from s.body.params


def _ways(body: Block) -> Iterator[tuple[Var | None, Atom]]:
    """What each value that comes by several ways may be; None: what a function returns or raises."""
    for block in all_blocks(body):
        if isinstance(block.end, Return | Raise):
            yield from ((None, a) for a in end_atoms(block.end))
    for s in statements_of(body):
        if isinstance(s, If):
            for end in (s.then.end, s.orelse.end):
                if isinstance(end, Yield):
                    yield from zip(s.results, end.values, strict=True)
        elif isinstance(s, For | While):
            carried = s.body.params[1:] if isinstance(s, For) else s.body.params
            yield from zip(s.results, carried, strict=True)
            for values in (s.init, *ends(s.body)):
                yield from zip(carried, values, strict=True)
                yield from zip(s.results, values, strict=True)


def _is_choice(source: Atom, found: set[Var]) -> bool:
    return source in found if isinstance(source, Var) else callable(source.value)


def _tells(s: Statement, choice: Var) -> bool:
    """Whether a statement asks whether a choice is a function that is known."""
    if not isinstance(s, Call) or called(s) not in TELLING:
        return False
    others = [a for a in s.args if a is not choice]
    return len(others) == 1 and isinstance(others[0], Const)


def _carries(s: Statement, choice: Var) -> bool:
    """Whether a statement is a loop that begins with a choice."""
    return isinstance(s, For | While) and (isinstance(s, While) or s.iterable is not choice) and choice in s.init


class _Numbers(Rewriter):
    """Writes the numbers of functions where these are handed to a choice, or compared with one."""

    def __init__(self, chosen: frozenset[Var]) -> None:
        self.chosen = chosen
        self.functions: list[Any] = []

    def number(self, atom: Atom) -> Atom:
        """What stands for a function. Bound methods are made at each access: equal ones are the same."""
        if not isinstance(atom, Const):
            return atom
        for k, other in enumerate(self.functions):
            if other is atom.value or isinstance(other, MADE_AT_EACH_ACCESS) and other == atom.value:
                return Const(k)
        self.functions.append(atom.value)
        return Const(len(self.functions) - 1)

    def call(self, call: Call) -> tuple[Statement, ...]:
        if called(call) not in TELLING or not any(a in self.chosen for a in call.args):
            return (call,)
        fn, args = Const(TELLING[called(call)]), tuple(map(self.number, call.args))
        return (replace(call, fn=fn, args=args),)

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        (new,) = super().statement(s)
        match new:
            case If():
                then, orelse = (self.yielded(b, new.results) for b in (new.then, new.orelse))
                return (replace(new, then=then, orelse=orelse),)
            case For() | While():
                body = self.carried(new.body, new.results)
                return (replace(new, init=self.numbers(new.init, new.results), body=body),)
            case _:
                return (new,)

    def numbers(self, values: tuple[Atom, ...], to: tuple[Var, ...]) -> tuple[Atom, ...]:
        """What is handed on, with numbers for what goes to a choice."""
        return tuple(self.number(a) if v in self.chosen else a for a, v in zip(values, to, strict=True))

    def yielded(self, branch: Block, results: tuple[Var, ...]) -> Block:
        if not isinstance(branch.end, Yield):
            return branch
        return replace(branch, end=Yield(self.numbers(branch.end.values, results)))

    def carried(self, body: Block, to: tuple[Var, ...]) -> Block:
        """The body of a loop, with numbers wherever an iteration ends."""
        end = body.end
        if isinstance(end, Continue | Break):
            end = replace(end, values=self.numbers(end.values, to))
        statements = tuple(
            replace(s, then=self.carried(s.then, to), orelse=self.carried(s.orelse, to)) if isinstance(s, If) else s
            for s in body.statements
        )
        return replace(body, statements=statements, end=end)
