"""Walks over IR blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from adcompile.ir import ops
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
    Function,
    If,
    Raise,
    Return,
    Statement,
    Unreachable,
    Var,
    Ways,
    While,
    Yield,
)


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks a statement owns."""
    match statement:
        case Call():
            return ()
        case If():
            return (statement.then, statement.orelse)
        case For() | While():
            return (statement.body,)
        case Attempt():
            ways = statement.ways
            return (statement.body,) if ways is None else (statement.body, ways.branches, ways.tried)


def atoms_of(statement: Statement) -> tuple[Atom, ...]:
    """What a statement itself reads, its blocks left out."""
    match statement:
        case Call():
            named = [value for _, value in statement.kwargs] if statement.kwargs else ()
            return (statement.fn, *statement.args, *named)
        case If():
            return (statement.test,)
        case For():
            return (statement.iterable, *statement.init)
        case While():
            return statement.init
        case Attempt():
            return atoms_of(statement.opaque)


def end_atoms(end: End) -> tuple[Atom, ...]:
    """What the end of a block reads."""
    match end:
        case Yield() | Continue() | Break():
            return end.values
        case Return():
            return (end.value,)
        case Raise():
            return tuple(atom for atom in (end.exception, end.cause) if atom is not None)
        case Unreachable():
            return ()


def results_of(statement: Statement) -> tuple[Var, ...]:
    """The Vars a statement defines in its own block."""
    if isinstance(statement, Call):
        return (statement.result,)
    return statement.results


def statements_of(block: Block) -> Iterator[Statement]:
    """Every statement in the block and the blocks inside it, in program order."""
    stack: list[Iterator[Statement]] = [iter(block.statements)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
            continue
        yield statement
        stack.extend(iter(inner.statements) for inner in reversed(blocks_of(statement)))


def all_blocks(block: Block) -> Iterator[Block]:
    """The block and every block inside it, outer before inner."""
    stack = [block]
    while stack:
        block = stack.pop()
        yield block
        for statement in reversed(block.statements):
            stack.extend(reversed(blocks_of(statement)))


def defined(block: Block) -> set[Var]:
    """Every Var defined in the block or inside it, parameters too."""
    out: set[Var] = set()
    for inner in all_blocks(block):
        out.update(inner.params)
        for statement in inner.statements:
            out.update(results_of(statement))
            if isinstance(statement, Attempt):
                out.add(statement.opaque.result)
    return out


FreeVars = dict[Block, dict[Var, None]]


def is_left(loop: For | While) -> bool:
    """Whether a loop, or one in it, is left before it has come to its end."""
    return any(isinstance(b.end, Break | Return) for b in all_blocks(loop.body))


def ends(body: Block) -> Iterator[tuple[Atom, ...]]:
    """What each way out of an iteration of a loop carries."""
    work = [body]
    while work:
        block = work.pop()
        if isinstance(block.end, Continue | Break):
            yield block.end.values
        for s in block.statements:
            if isinstance(s, If):
                work += [s.then, s.orelse]


def readers_of(body: Block) -> dict[Var, list[Statement | None]]:
    """For each value the statements that read it, once for each time; None for the end of a block."""
    out: dict[Var, list[Statement | None]] = {}
    for block in all_blocks(body):
        for s in (*block.statements, None):
            for a in end_atoms(block.end) if s is None else atoms_of(s):
                if isinstance(a, Var):
                    out.setdefault(a, []).append(s)
    return out


def free_vars(block: Block, known: FreeVars | None = None) -> dict[Var, None]:
    """The Vars that are read in the block and defined outside it, in order of first use; not to be
    written into.

    `known` remembers the answers: who asks at every level of a deep nest hands over one dictionary.
    """
    known = {} if known is None else known
    out = known.get(block)
    if out is None:
        out = known[block] = _free_vars(block, known)
    return out


def _free_vars(block: Block, known: FreeVars) -> dict[Var, None]:
    out: dict[Var, None] = {}
    own, inner = set(block.params), list[Block]()
    for statement in block.statements:
        out.update((atom, None) for atom in atoms_of(statement) if isinstance(atom, Var))
        own.update(results_of(statement))
        if isinstance(statement, Attempt):
            own.add(statement.opaque.result)
        inner.extend(blocks_of(statement))
    out.update((atom, None) for atom in end_atoms(block.end) if isinstance(atom, Var))
    for other in inner:
        out.update(free_vars(other, known))
    for var in own:
        out.pop(var, None)
    return out


class Rewriter:
    """Copies blocks; subclasses say what a Var read stands for and what a Call becomes.

    Definitions stay the same Vars unless `define` gives others (it must when the copy will stand
    beside the original).
    """

    def atom(self, atom: Atom) -> Atom:
        """What to read in place of `atom`."""
        return atom

    def define(self, var: Var) -> Var:
        """What to define in place of `var`."""
        return var

    def call(self, call: Call) -> tuple[Statement, ...]:
        """The statements in place of a call whose parts are rewritten already."""
        return (call,)

    def block(self, block: Block) -> Block:
        params = tuple(map(self.define, block.params))
        out: list[Statement] = []
        for statement in block.statements:
            out.extend(self.statement(statement))
        return Block(params, tuple(out), self.end(block.end))

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        match s:
            case Call():
                return self.call(self._call(s))
            case If():
                test, then, orelse = self.atom(s.test), self.block(s.then), self.block(s.orelse)
                return (If(self._defs(s.results), test, then, orelse, s.place, s.role),)
            case For():
                iterable, init, body = self.atom(s.iterable), self._atoms(s.init), self.block(s.body)
                return (For(self._defs(s.results), iterable, init, body, s.place, s.role),)
            case While():
                init, body = self._atoms(s.init), self.block(s.body)
                return (While(self._defs(s.results), init, body, s.place, s.role),)
            case Attempt():
                opaque, body = self._call(s.opaque), self.block(s.body)
                ways = None if s.ways is None else Ways(self.block(s.ways.branches), self.block(s.ways.tried))
                return (Attempt(self._defs(s.results), body, opaque, s.place, ways),)

    def end(self, end: End) -> End:
        match end:
            case Yield():
                return Yield(self._atoms(end.values))
            case Continue():
                return Continue(self._atoms(end.values))
            case Break():
                return Break(self._atoms(end.values))
            case Return():
                return Return(self.atom(end.value))
            case Raise(exception, cause):
                return Raise(exception and self.atom(exception), cause and self.atom(cause), end.place)
            case Unreachable():
                return end

    def _call(self, call: Call) -> Call:
        fn, args = self.atom(call.fn), self._atoms(call.args)
        kwargs = tuple((name, self.atom(value)) for name, value in call.kwargs)
        return Call(self.define(call.result), fn, args, kwargs, call.place, call.role)

    def _atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(map(self.atom, atoms))

    def _defs(self, results: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple(map(self.define, results))


class _Substitution(Rewriter):
    def __init__(self, mapping: Mapping[Var, Atom]) -> None:
        self.mapping = dict(mapping)

    def atom(self, atom: Atom) -> Atom:
        return atom if isinstance(atom, Const) else self.mapping.get(atom, atom)


class _Replacement(_Substitution):
    """Leaves blocks that read none of the Vars as they are."""

    def __init__(self, mapping: Mapping[Var, Atom], known: FreeVars) -> None:
        super().__init__(mapping)
        self.known = known
        self.changed: list[Call] = []

    def block(self, block: Block) -> Block:
        free = free_vars(block, self.known)
        return super().block(block) if any(v in free for v in self.mapping) else block

    def call(self, call: Call) -> tuple[Statement, ...]:
        self.changed.append(call)
        return (call,)


class Copier(_Substitution):
    """Copies with fresh Vars for everything that is defined; `mapping` says which."""

    def define(self, var: Var) -> Var:
        fresh = Var(var.name, var.place)
        self.mapping[var] = fresh
        return fresh


def substitute(
    block: Block, mapping: Mapping[Var, Atom], known: FreeVars | None = None, changed: list[Call] | None = None
) -> Block:
    """The block with other atoms in place of the Vars in `mapping`; definitions stay as they are.

    `known` as for `free_vars`; the calls that may have changed are added to `changed`.
    """
    replacement = _Replacement(mapping, {} if known is None else known)
    if changed is not None:
        replacement.changed = changed
    return replacement.block(block)


def copy_block(block: Block, mapping: Mapping[Var, Atom]) -> Block:
    """`substitute`, with fresh Vars for everything that the block defines."""
    return Copier(mapping).block(block)


def copy_function(function: Function) -> Function:
    """The function with fresh Vars throughout."""
    copy = Copier({})
    params, captured = tuple(map(copy.define, function.params)), tuple(map(copy.define, function.captured))
    body = copy.block(function.body)
    return Function(function.name, params, captured, body, function.signature, function.place)


_MANAGING = frozenset(map(id, ops.MANAGING))  # not all that is called can be hashed


def is_border(s: Statement) -> bool:
    """Whether a statement begins or ends a `with`."""
    return isinstance(s, Call) and isinstance(s.fn, Const) and id(s.fn.value) in _MANAGING


def occupied(statements: Iterable[Statement]) -> list[Statement]:
    """The statements without each `with` that has nothing in it."""
    out: list[Statement] = []
    for s in statements:
        begun = out[-1] if out and is_border(out[-1]) else None
        if isinstance(s, Call) and isinstance(begun, Call) and is_border(s) and s.args[0] is begun.result:
            out.pop()
        else:
            out.append(s)
    return out
