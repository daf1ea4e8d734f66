"""Whether a name is bound, for names whose value cannot tell when the code runs.

A name that some path leaves unbound must raise where it is read. A number or an array does so by itself:
the variable is unbound in the generated code. A list that is followed item by item, a function or None is no
variable there. So beside each such name a second one is carried, which is True wherever the first is bound:

    l = if n:                            l, l_bound = if n:
        l_1 = ops.build_list()               l_1 = ops.build_list()
        yield l_1                            yield l_1, True
    else:                                else:
        yield UNDEFINED                      yield UNDEFINED, False
    ops.read(l)                          ops.read(l, l_bound)

Where the value does tell, `run_if` and the loops drop the second again. It does not where the name was bound before,
as behind a `del` or in a loop's next iteration: then the generated code has the old value under its name.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from adcompile.analysis.builder import Builder
from adcompile.analysis.leaves import is_undefined
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Attempt,
    Block,
    Bound,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Statement,
    Var,
    Ways,
    While,
    Yield,
)
from adcompile.ir.types import BOOL

TRUE, FALSE, UNBOUND = Const(True), Const(False), Const(ops.UNDEFINED)


def present(b: Builder, value: Atom, name: str, place: Place | None) -> Atom:
    """Whether code that is not followed has left this value under a name."""
    if isinstance(value, Var):
        return b.emit(operator.is_not, (value, UNBOUND), BOOL, (), name, place)
    return FALSE if is_undefined(value) else TRUE


@functools.lru_cache(maxsize=1024)
def with_bound(function: Function) -> Function:
    """The function, with what tells whether the names are bound that some path leaves unbound and that are read."""
    found = _Found()
    found.given.update((p.of, p) for p in function.captured if isinstance(p, Bound) and p.of is not None)
    edges = list(found.edges(function.body))
    asked, forced = found.asked, found.forced
    if not asked and not forced:
        return function
    sources: dict[Var, list[Atom]] = {}
    uses: dict[Atom, list[Var]] = {}
    for into, value in edges:
        sources.setdefault(into, []).append(value)
        uses.setdefault(value, []).append(into)
    unbound = [into for into, value in edges if isinstance(value, Const) and value.value is ops.UNDEFINED]
    untold = _closure([*found.given, *found.attempted], lambda v: uses.get(v, []))  # nor does what comes of these
    loose = _closure([*unbound, *untold], lambda v: uses.get(v, []))

    def behind(atoms: list[Var]) -> dict[Var, None]:
        return _closure([v for v in atoms if v in loose], lambda v: [s for s in sources.get(v, []) if s in loose])

    alone = untold | behind([*untold, *forced, *found.chosen])
    flags = {v: found.given.get(v) or Bound(f"{v.name}_bound", v.place, v, v in alone) for v in behind(asked + forced)}
    return replace(function, body=_Rewriting(flags).block(function.body, ()))


def flags_of(params: tuple[Var, ...], results: tuple[Var, ...], told: Callable[[int, int], bool]) -> dict[int, int]:
    """What of the values that a loop carries tells whether another is bound, and which one; where that one tells by
    itself, if its first value does (`told`, of both)."""
    found = {k: params.index(p.of) for k, p in enumerate(params) if isinstance(p, Bound) and p.of in params}
    alone = {k for k in found for v in (params[k], results[k]) if isinstance(v, Bound) and v.alone}
    return {k: of for k, of in found.items() if k not in alone and told(k, of)}


def _closure(start: list[Var], onward: Callable[[Var], list[Var] | list[Atom]]) -> dict[Var, None]:
    found: dict[Var, None] = {}
    stack = list(start)
    while stack:
        var = stack.pop()
        if var not in found:
            found[var] = None
            stack.extend(v for v in onward(var) if isinstance(v, Var))
    return found


@dataclass
class _Found:
    """What a function asks of its names, and what tells whether they are bound."""

    asked: list[Var] = field(default_factory=list[Var])  # by reads
    forced: list[Var] = field(default_factory=list[Var])  # by who captures them, and by code that is not followed
    given: dict[Var, Atom] = field(default_factory=dict[Var, Atom])  # what tells of some of them
    attempted: list[Var] = field(default_factory=list[Var])  # what comes of a try
    chosen: list[Var] = field(default_factory=list[Var])  # what comes of one by the way that it goes

    def edges(
        self, block: Block, into: tuple[Var, ...] = (), loop: For | While | None = None
    ) -> Iterator[tuple[Var, Atom]]:
        """From which values the results of branches and loops come."""
        for s in block.statements:
            if isinstance(s, Call):
                self.call(s)
            elif isinstance(s, If):
                yield from self.edges(s.then, s.results, loop)
                yield from self.edges(s.orelse, s.results, loop)
            elif isinstance(s, (For, While)):
                yield from zip(s.results, s.init)
                yield from zip(_carried(s), s.init)
                yield from self.edges(s.body, (), s)
            else:
                self.attempted += s.results
                yield from self.edges(s.body, s.results, loop)
                if s.ways is not None:
                    self.chosen += s.results
                    yield from self.edges(s.ways.branches, s.results, loop)
                    yield from self.edges(s.ways.tried, (), loop)
        end = block.end
        if isinstance(end, Yield):
            yield from zip(into, end.values)
        elif loop is not None and isinstance(end, (Continue, Break)):
            yield from zip(loop.results, end.values)
            yield from zip(_carried(loop), end.values if isinstance(end, Continue) else ())

    def call(self, s: Call) -> None:
        fn = s.fn.value if isinstance(s.fn, Const) else None
        args = [a for a in s.args[:1] if isinstance(a, Var)]
        if fn is ops.read:
            self.asked += args
        elif fn is ops.bound_of:
            self.forced += args
        elif fn is ops.present:
            self.given[args[0]] = s.result
        elif fn is ops.deleted:
            self.given[s.result] = FALSE


def _carried(loop: For | While) -> tuple[Var, ...]:
    return loop.body.params[len(loop.body.params) - len(loop.init) :]


@frozen
class _Rewriting:
    flags: dict[Var, Atom]

    def of(self, atom: Atom) -> Atom:
        if isinstance(atom, Const):
            return FALSE if atom.value is ops.UNDEFINED else TRUE
        return self.flags.get(atom, TRUE)

    def block(self, block: Block, kept: tuple[int, ...], loop: tuple[int, ...] = ()) -> Block:
        """`kept`: which of the values that an If yields have a flag; `loop`: of those that the loop around carries."""
        statements = tuple(self.statement(s, loop) for s in block.statements)
        end = block.end
        if isinstance(end, Yield):
            end = replace(end, values=(*end.values, *(self.of(end.values[k]) for k in kept)))
        elif isinstance(end, (Continue, Break)):
            end = replace(end, values=(*end.values, *(self.of(end.values[k]) for k in loop)))
        return Block(block.params, statements, end)

    def statement(self, s: Statement, loop: tuple[int, ...]) -> Statement:
        if isinstance(s, Call):
            fn = s.fn.value if isinstance(s.fn, Const) else None
            flag = self.of(s.args[0]) if fn is ops.bound_of or fn is ops.read else TRUE
            if flag is not TRUE:
                alone = not isinstance(flag, Bound) or flag.alone
                return replace(s, args=(*s.args, flag, *((TRUE if alone else FALSE,) if fn is ops.read else ())))
            return s
        if isinstance(s, Attempt):
            kept = tuple(k for k, r in enumerate(s.results) if r in self.flags)
            ways = s.ways and Ways(self.block(s.ways.branches, kept, loop), self.block(s.ways.tried, (), loop))
            return replace(
                s, results=self.with_flags(s.results, kept), body=self.block(s.body, kept, loop), ways=ways
            )
        if isinstance(s, If):
            kept = tuple(k for k, r in enumerate(s.results) if r in self.flags)
            then, orelse = self.block(s.then, kept, loop), self.block(s.orelse, kept, loop)
            return replace(s, results=self.with_flags(s.results, kept), then=then, orelse=orelse)
        params = _carried(s)
        kept = tuple(k for k, r in enumerate(s.results) if r in self.flags or params[k] in self.flags)
        if not kept:
            return replace(s, body=self.block(s.body, ()))
        body = self.block(s.body, (), kept)
        return replace(
            s,
            results=self.with_flags(s.results, kept),
            init=(*s.init, *(self.of(s.init[k]) for k in kept)),
            body=replace(body, params=(*body.params, *self.with_flags(params, kept)[len(params) :])),
        )

    def with_flags(self, names: tuple[Var, ...], kept: tuple[int, ...]) -> tuple[Var, ...]:
        flags: list[Var] = []
        for name in (names[k] for k in kept):
            flag = self.flags.get(name)
            flags.append(flag if isinstance(flag, Var) else Bound(f"{name.name}_bound", name.place, name))
        return (*names, *flags)
