"""Whether a name is bound, for names whose value cannot tell when the code runs.

A name that some path leaves unbound must raise where it is read. A number or an array does so by itself:
the variable is unbound in the generated code. A list that is followed item by item, a function or None is no
variable there. So beside each such name a second one is carried, which is True wherever the first is bound:

    l = if n:                            l, l_bound = if n:
        l_1 = ops.build_list()               l_1 = ops.build_list()
        yield l_1                            yield l_1, True
    else:                                else:
        yield UNDEFINED                      yield UNDEFINED, UNDEFINED
    ops.read(l)                          ops.read(l, l_bound)

Where the value does tell, `run_if` and the loops drop the second again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from adcompile.ir import ops
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
    Statement,
    Var,
    While,
    Yield,
)

TRUE, UNBOUND = Const(True), Const(ops.UNDEFINED)


@dataclass(frozen=True, eq=False, slots=True)
class Bound(Var):
    """Whether `of` is bound."""

    of: Var | None = None


@functools.lru_cache(maxsize=1024)
def with_bound(function: Function) -> Function:
    """The function, with what tells whether the names are bound that some path leaves unbound and that are read."""
    asked: list[Var] = []
    edges = list(_edges(function.body, asked))
    if not asked:
        return function
    sources: dict[Var, list[Atom]] = {}
    uses: dict[Atom, list[Var]] = {}
    for into, value in edges:
        sources.setdefault(into, []).append(value)
        uses.setdefault(value, []).append(into)
    unbound = [into for into, value in edges if isinstance(value, Const) and value.value is ops.UNDEFINED]
    loose = _closure(unbound, lambda v: uses.get(v, []))
    names = _closure([v for v in asked if v in loose], lambda v: [s for s in sources.get(v, []) if s in loose])
    if not names:
        return function
    flags = {v: Bound(v.name, v.place, v) for v in names}
    return replace(function, body=_Rewriting(flags).block(function.body, ()))


def flags_of(params: tuple[Var, ...]) -> dict[int, int]:
    """What of the values that a loop carries tells whether another is bound, and which one."""
    return {k: params.index(p.of) for k, p in enumerate(params) if isinstance(p, Bound) and p.of in params}


def _closure(start: list[Var], onward: Callable[[Var], list[Var] | list[Atom]]) -> dict[Var, None]:
    found: dict[Var, None] = {}
    stack = list(start)
    while stack:
        var = stack.pop()
        if var not in found:
            found[var] = None
            stack.extend(v for v in onward(var) if isinstance(v, Var))
    return found


def _edges(
    block: Block, asked: list[Var], into: tuple[Var, ...] = (), loop: For | While | None = None
) -> Iterator[tuple[Var, Atom]]:
    """From which values the results of branches and loops come; the names that are read are added to `asked`."""
    for s in block.statements:
        if isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is ops.read:
            asked += [a for a in s.args if isinstance(a, Var)]
        elif isinstance(s, If):
            yield from _edges(s.then, asked, s.results, loop)
            yield from _edges(s.orelse, asked, s.results, loop)
        elif isinstance(s, (For, While)):
            yield from zip(s.results, s.init)
            yield from zip(_carried(s), s.init)
            yield from _edges(s.body, asked, (), s)
        elif isinstance(s, Attempt):
            yield from _edges(s.body, asked, s.results, loop)
    end = block.end
    if isinstance(end, Yield):
        yield from zip(into, end.values)
    elif loop is not None and isinstance(end, (Continue, Break)):
        yield from zip(loop.results, end.values)
        yield from zip(_carried(loop), end.values if isinstance(end, Continue) else ())


def _carried(loop: For | While) -> tuple[Var, ...]:
    return loop.body.params[len(loop.body.params) - len(loop.init) :]


@dataclass(frozen=True)
class _Rewriting:
    flags: dict[Var, Bound]

    def of(self, atom: Atom) -> Atom:
        if isinstance(atom, Const):
            return UNBOUND if atom.value is ops.UNDEFINED else TRUE
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
            if isinstance(s.fn, Const) and s.fn.value is ops.read and s.args[0] in self.flags:
                return replace(s, args=(*s.args, self.of(s.args[0])))
            return s
        if isinstance(s, Attempt):
            return replace(s, body=self.block(s.body, (), loop))
        if isinstance(s, If):
            kept = tuple(k for k, r in enumerate(s.results) if r in self.flags)
            results = (*s.results, *(self.flags[s.results[k]] for k in kept))
            return replace(
                s, results=results, then=self.block(s.then, kept, loop), orelse=self.block(s.orelse, kept, loop)
            )
        params = _carried(s)
        kept = tuple(k for k, r in enumerate(s.results) if r in self.flags or params[k] in self.flags)
        if not kept:
            return replace(s, body=self.block(s.body, ()))
        flags = [self.flags.get(s.results[k]) or Bound(s.results[k].name, s.place, s.results[k]) for k in kept]
        inner = [self.flags.get(params[k]) or Bound(params[k].name, s.place, params[k]) for k in kept]
        body = self.block(s.body, (), kept)
        return replace(
            s,
            results=(*s.results, *flags),
            init=(*s.init, *(self.of(s.init[k]) for k in kept)),
            body=replace(body, params=(*body.params, *inner)),
        )
