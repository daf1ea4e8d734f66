"""Augmented assignments to what may be a number or an array, where nobody else holds it.

    s = 0
    for k in range(n):
        if x[k] > 0.0: s += x[k] * w        # a number at first, an array from then on

Of `s` no type is known, so that a write into it cannot be followed. But each value of `s` is one that arithmetic has
made, is handed on to one place, and is read by nobody behind that: a new value in its place shows the same. So these
assignments become calls that make one (runtime/alone).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.builder import Builder
from adcompile.analysis.mutation import defined_by
from adcompile.analysis.views import fn_of, may_share
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, Statement, Var, While, Yield
from adcompile.ir.types import Scalar, Type, Unknown
from adcompile.ir.walk import Rewriter, atoms_of, end_atoms, free_vars, statements_of

RENEWED: dict[Any, Any] = {
    operator.iadd: rt.added, operator.isub: rt.subtracted, operator.imul: rt.multiplied,
    operator.itruediv: rt.divided,
}  # fmt: skip
MAKING = frozenset(RENEWED.values())


def renew(b: Builder, start: int, outputs: Sequence[Atom]) -> None:
    """New values in place of those that nobody else holds and that are written into, in the statements since `start`.
    `outputs`: what is read behind them."""
    types = b.context.types
    block = Block((), tuple(b.statements[start:]), Yield(tuple(outputs)))
    wanted = [s for s in statements_of(block) if isinstance(s, Call) and is_meant(s, types)]
    if not wanted:
        return
    flow = Flow(block, types)
    found = frozenset(s.result for s in wanted if flow.is_alone(s))
    if found:
        rewriter = _Renewing(found)
        b.statements[start:] = [new for s in block.statements for new in rewriter.statement(s)]
        b.context.definition.update((c.result, c) for c in rewriter.made)


def is_meant(s: Call, types: Mapping[Var, Type]) -> bool:
    """Whether a call is an augmented assignment to something of no known type."""
    return fn_of(s) in RENEWED and isinstance(s.args[0], Var) and isinstance(types[s.args[0]], Unknown)


class _Renewing(Rewriter):
    """`found`: the results of the calls to be replaced."""

    def __init__(self, found: frozenset[Var]) -> None:
        self.found = found
        self.made: list[Call] = []

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        if isinstance(s, Call):
            return self.call(s) if s.result in self.found else (s,)
        return super().statement(s)

    def call(self, call: Call) -> tuple[Statement, ...]:
        new = Call(call.result, Const(RENEWED[fn_of(call)]), call.args, call.kwargs, call.place, call.role)
        self.made.append(new)
        return (new,)


@frozen
class Handed:
    """A value that is what another one was: the same object under another name."""

    given: Atom
    taken: Var


class Flow:
    """Where values of a block go on under other names."""

    def __init__(self, block: Block, types: Mapping[Var, Type]) -> None:
        self.block, self.types = block, types
        everything = list(statements_of(block))
        self.definition = {s.result: s for s in everything if isinstance(s, Call)}
        self.joined = {v for s in everything if not isinstance(s, Call) for v in defined_by(s)}
        self.elements = {s.body.params[0] for s in everything if isinstance(s, For)}
        self.before: dict[Var, list[Atom]] = {}
        self.after: dict[Atom, list[Var]] = {}
        for h in (h for s in everything for h in handed(s)):
            self.before.setdefault(h.taken, []).append(h.given)
            self.after.setdefault(h.given, []).append(h.taken)

    def is_alone(self, call: Call) -> bool:
        """Whether all that the target may be is made here, has one name at a time, and is not read under an old one."""
        group = self.group(call.args[0])
        return group is not None and Linear(self, group).holds()

    def group(self, start: Atom) -> frozenset[Var] | None:
        """The names under which what `start` stands for goes about; None where it comes from elsewhere."""
        group, todo = set[Var](), [start]
        while todo:
            atom = todo.pop()
            if not isinstance(atom, Var):
                if not isinstance(atom.value, (bool, int, float, complex)) and atom.value is not ops.UNDEFINED:
                    return None
                continue
            if atom in group or isinstance(self.types[atom], Scalar):
                continue
            group.add(atom)
            if atom not in self.joined and not self.is_made(atom) or atom in self.elements:
                return None
            todo += [*self.before.get(atom, ()), *self.after.get(atom, ())]
        return frozenset(group)

    def is_made(self, var: Var) -> bool:
        """Whether a value is new, or another one's."""
        made = self.definition.get(var)
        if made is None or var in self.before:
            return made is not None
        return not gives_itself(made) and not may_share(made, self.types)


def gives_itself(call: Call) -> bool:
    """Whether a function of ours may give what it is given, as `stop_gradient` does: its rule does not say so."""
    return str(getattr(fn_of(call), "__module__", None)).startswith("adcompile.") and fn_of(call) not in MAKING


def handed(s: Statement) -> Iterator[Handed]:
    match s:
        case Call():
            if fn_of(s) in RENEWED or fn_of(s) is ops.identity:
                yield Handed(s.args[0], s.result)
        case If():
            for branch in (s.then, s.orelse):
                if isinstance(branch.end, Yield):
                    yield from map(Handed, branch.end.values, s.results)
        case For() | While():
            params = s.body.params[1:] if isinstance(s, For) else s.body.params
            for values in (s.init, *leaf_ends(s.body)):
                yield from map(Handed, values, params)
            yield from map(Handed, params, s.results)
        case _:
            pass


@frozen
class Past:
    """What has happened to the names of a group: those handed on stand for nothing any more, those that something
    else holds may be read, and are not handed on."""

    gone: frozenset[Var] = frozenset()
    held: frozenset[Var] = frozenset()

    def joined(self, other: Past) -> Past:
        return Past(self.gone | other.gone, self.held | other.held)


class Read(Exception):
    """A value is read, or written into, under a name that it has no more, or not alone."""


class Linear:
    """Whether each value of a group is handed on to one place, and nobody reads it under its name from then on."""

    def __init__(self, flow: Flow, group: frozenset[Var]) -> None:
        self.flow, self.group = flow, group

    def holds(self) -> bool:
        try:
            past = self.statements(self.flow.block, Past())
            self.read(end_atoms(self.flow.block.end), past)
        except Read:
            return False
        return True

    def block(self, block: Block, past: Past) -> Past:
        """What has happened by the end of a block within."""
        return self.hand_on(end_atoms(block.end), self.statements(block, past))

    def statements(self, block: Block, past: Past) -> Past:
        for s in block.statements:
            past = self.statement(s, past)
        return past

    def statement(self, s: Statement, past: Past) -> Past:
        match s:
            case Call():
                return self.call(s, past)
            case If():
                return self.block(s.then, past).joined(self.block(s.orelse, past))
            case For() | While():
                init = self.hand_on(s.init, past)
                behind = self.block(s.body, init)
                again = (behind.gone - init.gone) | (behind.held - init.held)
                if again & free_vars(s.body).keys():
                    raise Read  # in the next turn
                return init
            case _:
                raise Read

    def call(self, s: Call, past: Past) -> Past:
        mine = self.read(atoms_of(s), past)
        if any(True for _ in handed(s)):
            past = self.hand_on(s.args[:1], past)
            self.read(s.args[1:], past)
        elif gives_itself(s) or may_share(s, self.flow.types):
            past = Past(past.gone, past.held | mine)
        return past

    def read(self, atoms: Iterable[Atom], past: Past) -> frozenset[Var]:
        mine = frozenset(a for a in atoms if isinstance(a, Var) and a in self.group)
        if mine & past.gone:
            raise Read
        return mine

    def hand_on(self, atoms: Sequence[Atom], past: Past) -> Past:
        """What has happened when each of these has got another name."""
        mine = self.read(atoms, past)
        if mine & past.held or len(mine) < sum(a in self.group for a in atoms if isinstance(a, Var)):
            raise Read
        return Past(past.gone | mine, past.held)
