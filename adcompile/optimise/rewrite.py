"""The one walk that all forward passes share: statements in order, uses replaced as they go.

A definition precedes its uses, so when a statement is met, everything it reads has been
rewritten already and chains of rewrites meet in one walk. A block in which nothing changed is
returned as the same object, by which the pass manager sees that a pass has come to rest.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from adcompile.ir.nodes import (
    Atom,
    Attempt,
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
from adcompile.ir.types import Type


class ForwardWalk:
    """Subclasses say what becomes of a call (`visit`), and may look at branches and loops."""

    def __init__(self, types: MutableMapping[Var, Type]) -> None:
        self.types = types
        self.replaced: dict[Var, Atom] = {}
        self.defs: dict[Var, Call] = {}
        self.level: dict[Var, int] = {}  # nesting depth of the definition
        self.depth = 0

    # -- for subclasses ---------------------------------------------------------------------

    def visit(self, call: Call, out: list[Statement]) -> None:
        """Emit a call whose operands have been rewritten, or replace its result."""
        self.emit(call, out)

    def enter(self) -> None:
        """A branch or loop body begins."""

    def leave(self) -> None:
        """It ends."""

    # -- the walk ---------------------------------------------------------------------------

    def emit(self, call: Call, out: list[Statement]) -> None:
        self.defs[call.result] = call
        self.level[call.result] = self.depth
        out.append(call)

    def replace(self, var: Var, atom: Atom) -> None:
        """From here on, read `atom` for `var`."""
        self.replaced[var] = atom

    def atom(self, atom: Atom) -> Atom:
        return self.replaced.get(atom, atom) if isinstance(atom, Var) else atom

    def atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        for a in atoms:
            if a in self.replaced:
                return tuple(map(self.atom, atoms))
        return atoms

    def outside(self, atom: Atom) -> bool:
        """Whether an atom is defined outside the block that was left last."""
        return isinstance(atom, Const) or self.level.get(atom, 0) <= self.depth

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        end = self.run(block, out)
        if end is block.end and len(out) == len(block.statements) and all(map(_same, out, block.statements)):
            return block
        return Block(block.params, tuple(out), end)

    def run(self, block: Block, out: list[Statement]) -> End:
        """Rewrite a block's statements into `out`; the end they come to."""
        for s in block.statements:
            end = self.statement(s, out)
            if end is not None:
                return end  # what follows cannot be reached
        return self.end(block.end)

    def scoped(self, block: Block) -> Block:
        self.depth += 1
        self.enter()
        self.define(block.params)
        new = self.block(block)
        self.leave()
        self.depth -= 1
        return new

    def statement(self, s: Statement, out: list[Statement]) -> End | None:
        match s:
            case Call():
                self.visit(self.operands(s), out)
                return None
            case If():
                return self.branch(s, out)
            case For():
                self.loop(s, out)
                return None
            case While():
                return self.repeat(s, out)
            case Attempt():
                raise AssertionError("an Attempt in a specialised program")

    def operands(self, call: Call) -> Call:
        if not self.replaced:
            return call
        fn, args = self.atom(call.fn), self.atoms(call.args)
        kwargs = call.kwargs
        if kwargs and any(a in self.replaced for _, a in kwargs):
            kwargs = tuple((k, self.atom(a)) for k, a in kwargs)
        if fn is call.fn and args is call.args and kwargs is call.kwargs:
            return call
        return Call(call.result, fn, args, kwargs, call.place, call.role)

    def branch(self, s: If, out: list[Statement]) -> End | None:
        test = self.atom(s.test)
        then, orelse = self.scoped(s.then), self.scoped(s.orelse)
        if test is not s.test or then is not s.then or orelse is not s.orelse:
            s = If(s.results, test, then, orelse, s.place, s.role)
        self.define(s.results)
        out.append(s)
        return None

    def loop(self, s: For, out: list[Statement]) -> None:
        iterable, init = self.atom(s.iterable), self.atoms(s.init)
        body = self.scoped(s.body)
        if iterable is not s.iterable or init is not s.init or body is not s.body:
            s = For(s.results, iterable, init, body, s.place, s.role)
        self.define(s.results)
        out.append(s)

    def repeat(self, s: While, out: list[Statement]) -> End | None:
        init = self.atoms(s.init)
        body = self.scoped(s.body)
        if init is not s.init or body is not s.body:
            s = While(s.results, init, body, s.place, s.role)
        self.define(s.results)
        out.append(s)
        return None

    def define(self, results: tuple[Var, ...]) -> None:
        for r in results:
            self.level[r] = self.depth

    def end(self, end: End) -> End:
        match end:
            case Yield(values) | Continue(values) | Break(values):
                new = self.atoms(values)
                return end if new is values else type(end)(new)
            case Return(value):
                atom = self.atom(value)
                return end if atom is value else Return(atom)
            case Raise(exception, cause, place):
                thrown = exception and self.atom(exception)
                because = cause and self.atom(cause)
                return end if thrown is exception and because is cause else Raise(thrown, because, place)
            case Unreachable():
                return end


def _same(a: object, b: object) -> bool:
    return a is b


def leaves(body: Block) -> Iterator[End]:
    """The ends of a loop body: the leaves of its tree of Ifs."""
    work = [body]
    while work:
        block = work.pop()
        if isinstance(block.end, Unreachable):
            last = block.statements[-1]
            assert isinstance(last, If)
            work += [last.orelse, last.then]
        else:
            yield block.end
