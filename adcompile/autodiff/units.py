"""Code for one unit tangent or cotangent, run for every element of an array.

The code was made to stand among the statements of a function that has run already. What these
have used up meanwhile (lists, buffers, iterators) is made again in every pass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.builder import Builder, Context, rank
from adcompile.analysis.mutation import writes_into
from adcompile.autodiff.adjoint import entry
from adcompile.autodiff.cotangents import tangent_type
from adcompile.autodiff.forward_structure import SPENT
from adcompile.autodiff.scalar import seed_one
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    Continue,
    For,
    If,
    Role,
    Statement,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Array, Scalar, Seq, Unknown
from adcompile.ir.walk import Copier, results_of, statements_of


@frozen(eq=False)
class Pass:
    """Code for one unit tangent (or cotangent) `given`, and what it comes to."""

    statements: Sequence[Statement]
    given: Var
    out: Sequence[Atom]
    role: Role

    def over(self, b: Builder, leaf: Atom) -> list[Atom]:
        """Run it for every element of `leaf`."""

        def once(c: Builder, unit: Atom) -> list[Atom]:
            done = Splice(c.context, {self.given: unit}).statements(self.statements, self.out)
            c.statements.extend(done.statements)
            c.local |= done.local
            if isinstance(unit, Var):
                c.context.shape[unit] = c.context.shape.get(self.given, self.given)
            return done.out

        return each(b, leaf, self.role, self.given.name, once)


def each(b: Builder, leaf: Atom, role: Role, name: str, body: Callable[[Builder, Atom], list[Atom]]) -> list[Atom]:
    """What `body` gives for the unit of every element of `leaf`: a list of each of its values, or the
    value where there is one element."""
    outer, b.role = b.role, role
    if rank(b.type(leaf)) == 0:
        out = body(b, seed_one(b, leaf))
        b.role = outer
        return out
    numbers = b.call(range, b.call(np.size, leaf))
    c = b.child()
    k = c.new("k", Scalar(frozenset({int})))
    out = body(c, c.emit(rt.unit, (leaf, k), tangent_type(b.type(leaf)), (), name))
    types = [Seq(b.type(a) if isinstance(a, Var) else Scalar(frozenset({type(a.value)})), list) for a in out]
    name = f"{name}_{'columns' if role == 'tangent' else 'rows'}"
    init = [b.emit(ops.build_list, (), t, (), name) for t in types]
    lists, results = [c.new(name, t) for t in types], [b.new(name, t) for t in types]
    pushed = [c.emit(ops.push, (a, v), t) for a, v, t in zip(lists, out, types)]
    block = c.block((k, *lists), Continue(tuple(pushed)))
    b.append(For(tuple(results), numbers, tuple(init), block, b.place, role))
    b.role = outer
    return list(results)


@frozen(eq=False)
class Spliced:
    statements: list[Statement]
    out: list[Atom]
    local: set[Var]


class Splice:
    """Copies typed statements under fresh names, with what the context knows of the values."""

    def __init__(self, context: Any, mapping: Mapping[Var, Atom]) -> None:
        self.context, self.given = context, mapping

    def statements(self, statements: Sequence[Statement], out: Sequence[Atom]) -> Spliced:
        copier = Copier(self.given)
        block = copier.block(Block((), tuple(statements), Yield(tuple(out))))
        context = self.context
        fresh = {old: new for old, new in copier.mapping.items() if old not in self.given and isinstance(new, Var)}
        for old, new in fresh.items():
            context.types[new] = context.types[old]
            shape = context.shape.get(old, old)
            context.shape[new] = fresh.get(shape, shape)
            for group in (context.extras, context.contents_calls):
                if old in group:
                    group.add(new)
            for table in (context.selections, context.masks, context.hazards, context.names, context.why):
                if old in table:
                    table[new] = table[old]
            for table in (context.bound_if, context.expanded):
                if old in table:
                    table[new] = tuple(copier.mapping.get(part, part) for part in table[old])
        for s in statements_of(block):
            if isinstance(s, Call):
                context.definition[s.result] = s
        assert isinstance(block.end, Yield)
        return Spliced(list(block.statements), list(block.end.values), set(fresh.values()))


# -- what has to run again ----------------------------------------------------------------------


def spent(context: Context, statements: Sequence[Statement]) -> set[Statement]:
    """The statements that must run again before code that was made to stand among them: they make
    lists, arrays and iterators that later ones use up; all, where arrays are written into."""
    used, everything = set[Atom](), list(statements_of(Block((), tuple(statements), Yield())))
    for s in everything:
        if isinstance(s, For):
            used.add(s.iterable)  # an iterator, perhaps
        if not isinstance(s, Call):
            continue
        if s.args and isinstance(s.fn, Const) and entry(SPENT, s.fn.value):
            used.add(s.args[0])
        elif any(is_memory(context, a) for a in writes_into(s, context.types, context.definition)):
            return set(statements)
    size = -1
    while len(used) != size:
        size = len(used)
        for s in reversed(everything):
            used.update(_same_memory(s, used))
    return {s for s in statements if any(r in used for r in results_of(s))}


def is_memory(context: Context, atom: Atom) -> bool:
    """Whether tangent code may read what is written into: arrays, and what nothing is known of."""
    if isinstance(atom, Const):
        return isinstance(atom.value, np.ndarray)
    return isinstance(context.types[atom], (Array, Unknown))


def _same_memory(s: Statement, spent: set[Atom]) -> list[Atom]:
    """What a statement may hand on as one of the values in `spent`."""
    if isinstance(s, Call):
        if not isinstance(s.fn, Const) or s.result not in spent:
            return []
        left = s.fn.value is operator.getitem and isinstance(s.args[1], Const) and s.args[1].value == 0
        return list(s.args[:1]) if left or entry(ALIASES, s.fn.value) else []  # of what `pop` gives, the list
    found: list[Atom] = []
    if isinstance(s, If):
        for block in (s.then, s.orelse):
            if isinstance(block.end, Yield):
                found += [v for r, v in zip(s.results, block.end.values) if r in spent]
        return found
    assert isinstance(s, (For, While))
    params = s.body.params[1:] if isinstance(s, For) else s.body.params
    for k, (p, r, a) in enumerate(zip(params, s.results, s.init)):
        if p in spent or r in spent:
            found += [a, *(end[k] for end in leaf_ends(s.body) if k < len(end))]
    return found


ALIASES = dict.fromkeys((ops.identity, rt.own, rt.like, rt.unbroadcast, *SPENT), True)
"""Calls whose result may be the memory of their first argument."""


__all__ = ["Pass", "Splice", "each", "is_memory", "spent"]
