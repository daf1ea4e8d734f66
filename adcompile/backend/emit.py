"""A specialised program as a Python module, written as a careful person would have written it.

For each function: `fold` decides which values are printed inside the expression that uses them,
`names` gives the others Python names, and the printer here writes the statements: real `break`,
`continue` and early `return`, `elif` chains, `while` with its test, comments that name the
source line a group of adjoint statements comes from.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from adcompile.backend.callables import BUILTINS, Globals, known_path
from adcompile.backend.copies import Copy, sequence
from adcompile.backend.fold import Folding, fold, operands
from adcompile.backend.names import carried, name_values
from adcompile.backend.statements import Out, Statements, assign, store
from adcompile.backend.text import comment, to_source
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    End,
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
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.types import Type
from adcompile.ir.walk import all_blocks, large_stack

SHORT = 3
"""A branch of at most so many statements may come first, with the test turned round."""
COMMENT_COLUMN = 44


@dataclass(frozen=True, eq=False, slots=True)
class Emitted:
    """A module: its text, the objects it refers to without importing them, and its entry."""

    source: str
    namespace: dict[str, Any]
    name: str


def emit(program: Program) -> Emitted:
    """The text of a program; callees come before the entry."""
    return large_stack(_emit, program)


def _emit(program: Program) -> Emitted:
    scope = Globals()
    refs = [ref for ref in program.functions if ref is not program.entry] + [program.entry]
    functions = {ref: scope.unique(program.functions[ref].name or ref.name) for ref in reversed(refs)}
    body: list[Any] = []
    for ref in refs:
        function = program.functions[ref]
        body += define(function, functions[ref], program.types, scope, functions)
    source = to_source(gast.Module(body, []), scope.header())
    return Emitted(source, scope.namespace, functions[program.entry])


def define(
    function: Function, name: str, types: Mapping[Var, Type], scope: Globals, functions: Mapping[FunctionRef, str]
) -> list[Any]:
    """The `def` of a function, after the helpers it needs."""
    folding = fold(function.body, types)
    reserved = _globals_of(function.body, scope, functions)
    names = name_values(function, folding, reserved)
    printer = Printer(folding, names, types, scope, functions)
    body: Out = []
    printer.block(function.body, body, None)
    params = [gast.Name(names[p], gast.Param(), None, None) for p in (*function.params, *function.captured)]
    arguments = gast.arguments(params, [], None, [], [], None, [])
    definition = gast.FunctionDef(name, arguments, body or [gast.Pass()], [], None, None, [])
    return [*printer.helpers, definition]


def _globals_of(body: Block, scope: Globals, functions: Mapping[FunctionRef, str]) -> frozenset[str]:
    """The global names a function body refers to: its locals must be called something else."""
    out = set(functions.values()) | {"slice", "range", "complex", "set", "np", "math", "rt"}

    def see(atom: Atom) -> None:
        if isinstance(atom, Const) and not isinstance(atom.value, (int, float, str, tuple, FunctionRef)):
            path = known_path(atom.value)
            if path is not None:
                out.add(path.split(".")[0])
            elif callable(atom.value) or isinstance(atom.value, object):
                pass

    for block in all_blocks(body):
        for statement in block.statements:
            if isinstance(statement, Call):
                for atom in operands(statement):
                    see(atom)
                    if isinstance(atom, Const) and type(atom.value).__name__ == "GlobalRef":
                        out.add(atom.value.name) if atom.value.name in BUILTINS else None
    return frozenset(out)


@dataclass(slots=True)
class _Results:
    """Where a branch that ends in Yield puts its values: into names, or out of the function."""

    results: tuple[Var, ...]
    returned: int | None = None


class Printer(Statements):
    """Prints the statements of one function."""

    def __init__(
        self,
        folding: Folding,
        names: Mapping[Var, str],
        types: Mapping[Var, Type],
        scope: Globals,
        functions: Mapping[FunctionRef, str],
    ) -> None:
        super().__init__(folding, names, types, scope, functions)
        self.helpers: list[Any] = []
        self.loops: list[For | While] = []
        self.last_comment: tuple[str, int] | None = None

    # Blocks

    def block(self, block: Block, out: Out, results: _Results | None) -> None:
        """Print a block to its end; `results` says what a Yield does."""
        items = self.folding.items[block]
        last = items[-1] if items else None
        if not isinstance(last, If) or last in self.folding.expressions:
            last = None
        for statement in items if last is None else items[:-1]:
            self.statement(statement, out)
        if last is None:
            self.end(block.end, out, results)
            return
        if isinstance(block.end, Unreachable):
            self._leaving_if(last, out, results)
            return
        value = _returned(block.end, results)
        if isinstance(value, Var) and value in last.results and self._returns_early(last, last.results.index(value)):
            self._leaving_if(last, out, _Results(last.results, last.results.index(value)))
            return
        self._plain_if(last, out)
        self.end(block.end, out, results)

    def statement(self, statement: Statement, out: Out) -> None:
        match statement:
            case Call():
                self.comment(statement, out)
                self.call_statement(statement, out)
            case If() if statement in self.folding.expressions:
                self._expression(statement, out)
            case If():
                self._plain_if(statement, out)
            case For():
                self._for(statement, out)
            case While():
                self._while(statement, out)
            case _:
                raise TypeError(f"cannot print {type(statement).__name__}")

    def comment(self, statement: Call | For | While, out: Out) -> None:
        """Name the source line that adjoint statements come from, once for each group."""
        place = statement.place
        if statement.role == "primal" or place is None or (place.file, place.line) == self.last_comment:
            return
        self.last_comment = place.file, place.line
        text = linecache.getline(place.file, place.line).strip()
        where = f"{os.path.basename(place.file)}:{place.line}"
        out.append(comment(f"# {text:{COMMENT_COLUMN - 2}}  {where}" if text else f"# {where}"))

    def end(self, end: End, out: Out, results: _Results | None) -> None:
        match end:
            case Return(value):
                out.append(gast.Return(self._result(value)))
            case Yield(values) if results is not None and results.returned is not None:
                out.append(gast.Return(self._result(values[results.returned])))
            case Yield(values):
                self.copies(results.results if results is not None else (), values, out)
            case Continue(values):
                self.copies(carried(self.loops[-1]), values, out, self.loops[-1])
                out.append(gast.Continue())
            case Break(values):
                self.copies(self.loops[-1].results, values, out)
                out.append(gast.Break())
            case Raise(exception, cause, _):
                node = self.atom(exception) if exception is not None else None
                out.append(gast.Raise(node, self.atom(cause) if cause is not None else None))
            case Unreachable():
                pass

    def _result(self, value: Atom) -> Any:
        return None if isinstance(value, Const) and value.value is None else self.atom(value)

    # Joins

    def copies(self, into: Sequence[Var], values: Sequence[Atom], out: Out, loop: For | While | None = None) -> None:
        """Assign `values` to the names of `into`, all at once."""
        pending: list[Copy] = []
        for var, value in zip(into, values):
            name = self.names.get(var)
            if name is None or isinstance(value, Const) and value.value is ops.UNDEFINED:
                continue
            if isinstance(value, Var) and self.names.get(value) == name:
                continue
            reads = frozenset(self.names[v] for v in self.folding.reads(value))
            pending.append(Copy(name, self.atom(value), reads, isinstance(value, Var) and value in self.folding.inlined))
        for group in sequence(pending):
            if len(group) == 1:
                out.append(assign(group[0].name, group[0].value))
            else:
                targets = gast.Tuple([store(copy.name) for copy in group], gast.Store())
                out.append(gast.Assign([targets], gast.Tuple([copy.value for copy in group], gast.Load()), None))

    def silent(self, into: Sequence[Var], values: Sequence[Atom]) -> bool:
        """Whether `copies` would print nothing."""
        out: Out = []
        self.copies(into, values, out)
        return not out

    # Branches

    def _expression(self, statement: If, out: Out) -> None:
        node = self.conditional(statement)
        name = self.names.get(statement.results[0])
        out.append(gast.Expr(node) if name is None else assign(name, node))

    def _plain_if(self, statement: If, out: Out) -> None:
        """An If after which the block goes on."""
        results = _Results(statement.results)
        if _leaves(statement.then):
            then: Out = []
            self.block(statement.then, then, results)
            out.append(gast.If(self.atom(statement.test), then, []))
            self.block(statement.orelse, out, results)
            return
        if _leaves(statement.orelse):
            orelse: Out = []
            self.block(statement.orelse, orelse, results)
            out.append(gast.If(self.negated(statement.test), orelse, []))
            self.block(statement.then, out, results)
            return
        then, orelse = [], []
        self.block(statement.then, then, results)
        self.block(statement.orelse, orelse, results)
        if then:
            out.append(gast.If(self.atom(statement.test), then, self._elif(orelse)))
        elif orelse:
            out.append(gast.If(self.negated(statement.test), orelse, []))
        else:
            self.discard(statement.test, out)

    def _elif(self, orelse: Out) -> Out:
        """`p = x > 1` before an If in an else branch becomes `elif (p := x > 1)`: chains stay flat."""
        if len(orelse) != 2 or not isinstance(orelse[0], gast.Assign) or not isinstance(orelse[1], gast.If):
            return orelse
        target, test = orelse[0].targets[0], orelse[1].test
        if not isinstance(target, gast.Name) or not isinstance(test, gast.Name) or target.id != test.id:
            return orelse
        return [gast.If(gast.NamedExpr(target, orelse[0].value), orelse[1].body, orelse[1].orelse)]

    def _leaving_if(self, statement: If, out: Out, results: _Results | None) -> None:
        """An If both of whose branches leave: one is indented, the other follows."""
        first, second = statement.then, statement.orelse
        weights = self.folding.weights
        turned = weights[second] < weights[first] and weights[second] <= SHORT
        if turned:
            first, second = second, first
        inner: Out = []
        self.block(first, inner, results)
        out.append(gast.If(self.negated(statement.test) if turned else self.atom(statement.test), inner, []))
        self.block(second, out, results)

    def _returns_early(self, statement: If, index: int) -> bool:
        """Whether some branch returns something other than a variable it has assigned."""
        name = self.names.get(statement.results[index])
        for block in (statement.then, statement.orelse):
            end = block.end
            if not isinstance(end, Yield):
                return True
            value = end.values[index]
            if not isinstance(value, Var) or self.names.get(value) != name:
                return True
        return False

    # Loops

    def _for(self, loop: For, out: Out) -> None:
        self.copies(carried(loop), loop.init, out)
        iterable = self.atom(loop.iterable)
        body = self._body(loop, loop.body)
        out.append(gast.For(self.target(self.folding.loop_targets[loop]), iterable, body, [], None))

    def _while(self, loop: While, out: Out) -> None:
        self.copies(carried(loop), loop.init, out)
        items = self.folding.items[loop.body]
        test: Any = literals_true()
        body = loop.body
        if len(items) == 1 and isinstance(items[0], If) and isinstance(loop.body.end, Unreachable):
            branch = items[0]
            if self._only_breaks(loop, branch.orelse):
                test, body = self.atom(branch.test), branch.then
            elif self._only_breaks(loop, branch.then):
                test, body = self.negated(branch.test), branch.orelse
        out.append(gast.While(test, self._body(loop, body), []))

    def _only_breaks(self, loop: While, block: Block) -> bool:
        return (
            not self.folding.items[block]
            and isinstance(block.end, Break)
            and self.silent(loop.results, block.end.values)
        )

    def _body(self, loop: For | While, block: Block) -> Out:
        out: Out = []
        self.loops.append(loop)
        self.block(block, out, None)
        self.loops.pop()
        _strip(out, self)
        return out or [gast.Pass()]


def literals_true() -> Any:
    return gast.Constant(True, None)


def _returned(end: End, results: _Results | None) -> Atom | None:
    """What the function returns at this end, if it does."""
    if isinstance(end, Return):
        return end.value
    if isinstance(end, Yield) and results is not None and results.returned is not None:
        return end.values[results.returned]
    return None


def _leaves(block: Block) -> bool:
    """Whether control never comes to what follows the block."""
    return not isinstance(block.end, Yield)


def _strip(out: Out, printer: Any) -> None:
    """Drop the `continue` with which a loop body would end anyway."""
    while out and isinstance(out[-1], gast.Continue):
        out.pop()
    if out and isinstance(out[-1], gast.If):
        last = out[-1]
        _strip(last.body, printer)
        _strip(last.orelse, printer)
        if not last.body:
            out.pop()
            if last.orelse:
                out.append(gast.If(gast.UnaryOp(gast.Not(), last.test), last.orelse, []))
            else:
                out.append(gast.Expr(last.test))


Emit = Callable[[Program], Emitted]
