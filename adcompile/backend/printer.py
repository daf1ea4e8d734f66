"""The statements of one function: blocks, branches, loops, and comments between them."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from adcompile.backend import literals
from adcompile.backend.copies import Copy, sequence
from adcompile.backend.fold import RESULT, TEMPORARY, carried, operands
from adcompile.backend.purity import callee
from adcompile.backend.reuse import Reused
from adcompile.backend.statements import Out, Statements, assign, store
from adcompile.backend.text import comment
from adcompile.backend.undefined import StandIns, is_undefined
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
    If,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)

SHORT = 3
"""A branch of at most so many statements may come first, with the test turned round."""
COMMENT_COLUMN = 44


@dataclass(slots=True)
class _Results:
    """Where a branch that ends in Yield puts its values: into names, or out of the function."""

    results: tuple[Var, ...]
    returned: int | None = None


class Printer(Statements):
    """Prints the statements of one function."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.loops: list[For | While] = []
        self.last_comment: tuple[str, int] | None = None
        self.reused: Reused = {}
        self.stand_ins = StandIns()
        self.foreign = False  # whether code that runs as written must see which names are unbound

    # Blocks

    def block(self, block: Block, out: Out, results: _Results | None) -> None:
        """Print a block to its end; `results` says what a Yield does."""
        items = self.folding.items[block]
        last = items[-1] if items else None
        if not isinstance(last, If) or last in self.folding.expressions:
            last = None
        self.statements(items if last is None else items[:-1], out)
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

    def statements(self, items: Sequence[Statement], out: Out) -> None:
        """Print statements, those between `ops.enter` and its `ops.leave` under a `with`."""
        around: list[Out] = [out]
        for statement in items:
            fn = callee(statement) if isinstance(statement, Call) else None
            if isinstance(statement, Call) and fn is ops.enter:
                around.append([])
                manager = literals.call(self.atom(statement.args[0]))
                manager.keywords = [gast.keyword(k, self.atom(a)) for k, a in statement.kwargs]
                around[-2].append(gast.With([gast.withitem(manager, None)], around[-1], None))
            elif fn is ops.leave:
                if not around.pop():
                    around[-1].pop()  # nothing is left in it
            else:
                self.statement(statement, around[-1])

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
        if isinstance(statement, Call) and _is_storage(statement):
            return
        text = linecache.getline(place.file, place.line).strip()
        if text.endswith(":"):  # the head of a loop or branch says nothing about a derivative
            return
        self.last_comment = place.file, place.line
        where = f"{os.path.basename(place.file)}:{place.line}"
        out.append(comment(f"# {text:{COMMENT_COLUMN - 2}}  {where}" if text else f"# {where}"))

    def end(self, end: End, out: Out, results: _Results | None) -> None:
        match end:
            case Return(value) if is_undefined(value):
                out.append(gast.Raise(self.const(UnboundLocalError("cannot access local variable")), None))
            case Return(value):
                self._return(value, out)
            case Yield(values) if results is not None and results.returned is not None:
                self._return(values[results.returned], out)
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

    def _return(self, value: Atom, out: Out) -> None:
        self._comment_of(value, out)
        nothing = isinstance(value, Const) and value.value is None
        out.append(gast.Return(None if nothing else self.atom(value)))

    def _comment_of(self, value: Atom, out: Out) -> None:
        """The comment for an expression that stands in a return or a join."""
        inside = self.folding.inlined.get(value) if isinstance(value, Var) else None
        while isinstance(inside, Call) and (inside.place is None or _is_storage(inside)):
            parts = [a for a in operands(inside) if isinstance(a, Var) and a in self.folding.inlined]
            inside = self.folding.inlined[parts[0]] if parts else None
        if isinstance(inside, Call):
            self.comment(inside, out)

    # Joins

    def copies(self, into: Sequence[Var], values: Sequence[Atom], out: Out, loop: For | While | None = None) -> None:
        """Assign `values` to the names of `into`, all at once."""
        pending: list[Copy] = []
        for var, value in zip(into, values):
            name = self.names.get(var)
            if name is None or is_undefined(value) and var not in self.stand_ins.made:
                continue
            if isinstance(value, Var) and self.names.get(value) == name:
                continue
            reads = frozenset(self.names[v] for v in self.folding.reads(value))
            computed = isinstance(value, Var) and value in self.folding.ordered
            node = literals.constant(None) if is_undefined(value) and not self.foreign else self.atom(value)
            pending.append(Copy(name, node, reads, computed, value))
        for group in sequence(pending):
            self._comment_of(group[0].atom, out)
            inside = self.folding.inlined.get(group[0].atom)
            if len(group) == 1 and isinstance(inside, Call):
                out.append(self.assigned(group[0].name, inside))
            elif len(group) == 1:
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
        turned = weights[second] <= SHORT < weights[first] and not (
            weights[second] == 0 and isinstance(second.end, Continue)
        )
        if turned:
            first, second = second, first
        inner: Out = []
        self.block(first, inner, results)
        out.append(gast.If(self.negated(statement.test) if turned else self.atom(statement.test), inner, []))
        self.block(second, out, results)

    def _returns_early(self, statement: If, index: int) -> bool:
        """Whether the value is nobody's variable, and some branch returns what it has not just assigned."""
        if statement.results[index].name not in (*TEMPORARY, RESULT) and statement.role == "primal":
            return False
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
        test: Any = literals.constant(True)
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
        _strip(out)
        return out or [gast.Pass()]


def _is_storage(call: Call) -> bool:
    """Whether a call keeps, groups or converts values: it stands for no source line."""
    fn = callee(call)
    return any(fn is f for f in (ops.push, ops.build_tuple, ops.build_list, float, complex, np.zeros, np.zeros_like))


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


def _strip(out: Out) -> None:
    """Drop the `continue` with which a loop body would end anyway."""
    while out and isinstance(out[-1], gast.Continue):
        out.pop()
    if out and isinstance(out[-1], gast.If):
        last = out[-1]
        _strip(last.body)
        _strip(last.orelse)
        if not last.body:
            out.pop()
            if last.orelse:
                out.append(gast.If(gast.UnaryOp(gast.Not(), last.test), last.orelse, []))
            else:
                out.append(gast.Expr(last.test))
