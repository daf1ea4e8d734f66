"""Activity: which values carry derivatives from the independents to the result.

*Varied* values depend differentiably on an independent one; *useful* values influence the result
differentiably; *active* is both. A statement that is not active gets no derivative code. Both
sets are the least fixpoints over loops; membership is by Var, since in SSA a value is one point.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from adcompile.analysis.detached import (
    carries,
    hands_on,
    is_number,
    is_structural,
    loads,
    makes_detached,
    put_into,
    reads,
    saved_into,
)
from adcompile.errors import NotDifferentiable
from adcompile.frozen import frozen
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
    Return,
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import Array, Closure, DictT, Known, ListT, ObjectT, Scalar, TupleT, Type, differentiable
from adcompile.rules.registry import lookup


@frozen
class Activity:
    varied: frozenset[Var]
    active: frozenset[Var]
    mirrored: frozenset[Var] = frozenset()  # by reference: written in place, and active


def activity(function: Function, types: Mapping[Var, Type], independents: Iterable[Var]) -> Activity:
    """Facts of one function body for derivatives of its result by `independents`."""
    varied = Varied(types)
    varied.vars.update(independents)
    varied.run(function.body)
    useful = Useful(types)
    useful.run(function.body)
    return Activity(frozenset(varied.vars), frozenset(varied.vars & useful.vars))


OF_SHAPES = ("shape", "ndim", "size", "dtype")


def passes_derivative(call: Call) -> bool:
    """Whether the result of a call depends differentiably on some argument."""
    if not isinstance(call.fn, Const):
        return True
    if call.role != "primal" and call.fn.value is getattr and isinstance(call.args[1], Const):
        return call.args[1].value not in OF_SHAPES  # what rules ask of a value of unknown type
    rule = lookup(call.fn.value)
    return not (rule is not None and rule.kind == "constant")


def unites(call: Call, types: Mapping[Var, Type]) -> bool:
    """`s | t`, `s & t`, `s ^ t` of sets, dicts and whatever is no number, which holds what they hold; of numbers these
    operators are constant."""
    if not isinstance(call.fn, Const) or not any(call.fn.value is fn for fn in UNITING):
        return False
    given = [types[a] for a in call.args if isinstance(a, Var)]
    return any(not isinstance(t, (Scalar, Array, Known)) for t in given)


UNITING = (operator.or_, operator.and_, operator.xor)


def leaf_ends(body: Block) -> list[tuple[Atom, ...]]:
    """The values of every Continue and Break of a loop body."""
    out: list[tuple[Atom, ...]] = []
    todo = [body]
    while todo:
        block = todo.pop()
        if isinstance(block.end, (Continue, Break)):
            out.append(block.end.values)
        elif isinstance(block.end, Unreachable) and block.statements and isinstance(block.statements[-1], If):
            todo += [block.statements[-1].orelse, block.statements[-1].then]
    return out


def members(var: Var, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> tuple[Atom, ...]:
    """The parts of a container, and what a function has captured, built before the statements looked at."""
    call, structured = definition.get(var), (TupleT, ListT, DictT, ObjectT, Closure)
    if call is None or not isinstance(types[var], structured) or not isinstance(call.fn, Const):
        return ()
    displays = (ops.build_tuple, ops.build_list, ops.build_dict, ops.build_object, ops.make_function)
    built = call.fn.value in displays or isinstance(call.fn.value, type)
    return call.args if built else ()


class Varied:
    """`definition` tells what was built before: a container of varied parts is varied. `detached`
    hold varied data without a tangent (analysis/detached), `reattached` are numbers made of such.
    `still` are values that depend on others, and by which the derivative is zero all the same."""

    def __init__(
        self,
        types: Mapping[Var, Type],
        definition: Mapping[Var, Call] | None = None,
        still: frozenset[Var] = frozenset(),
    ) -> None:
        self.types, self.still = types, still
        self.definition: Mapping[Var, Call] = {} if definition is None else definition
        self.vars: set[Var] = set()
        self.detached: set[Var] = set()
        self.reattached: dict[Var, Call] = {}
        self.files: set[Atom] = set()  # names of files that hold varied data

    def copy(self) -> Varied:
        """The same facts, to be added to."""
        made = Varied(self.types, self.definition, self.still)
        made.vars, made.detached, made.files = set(self.vars), set(self.detached), set(self.files)
        return made

    def has(self, atom: Atom) -> bool:
        if not isinstance(atom, Var):
            return False
        if atom in self.vars:
            return True
        if any([self.has(part) for part in members(atom, self.types, self.definition)]):  # noqa: C419  all are marked
            self.vars.add(atom)
            return True
        return False

    def carries(self, atom: Atom) -> bool:
        """Whether a value holds varied data, with or without a tangent."""
        return self.has(atom) or atom in self.detached

    def add(self, var: Var) -> None:
        if differentiable(self.types[var]):
            self.vars.add(var)

    def flow(self, into: Var, value: Atom) -> None:
        """`value` is what `into` may be after a join."""
        if self.has(value):
            self.add(into)
        if value in self.detached:
            self.detached.add(into)

    def size(self) -> int:
        return len(self.vars) + len(self.detached) + len(self.files)

    def run(self, block: Block) -> None:
        for s in block.statements:
            self.statement(s)

    def call(self, s: Call) -> None:
        t = self.types[s.result]
        if any([self.has(a) for a in (s.fn, *s.args, *(a for _, a in s.kwargs))]):  # noqa: C419  all are marked
            if (passes_derivative(s) or unites(s, self.types)) and s.result not in self.still:
                self.add(s.result)
            if makes_detached(s, t) and not hands_on(s, self.types):
                self.detached.add(s.result)
        for owner in put_into(s) if self.detached else ():
            if isinstance(owner, Var) and not is_number(self.types[owner]) and any(map(self.carries, s.args[1:])):
                self.detached.add(owner)
        for file in saved_into(s, self.definition):
            if any(self.carries(a) for a in (*s.args, *(a for _, a in s.kwargs)) if a is not file):
                self.detached.add(file) if isinstance(file, Var) else self.files.add(file)
        if self.detached and any(a in self.detached for a in reads(s)) and carries(s, t) or self.files and loads(s):
            if is_structural(s):
                if not is_number(t):
                    self.detached.add(s.result)
            elif differentiable(t):
                self.vars.add(s.result)
                self.reattached[s.result] = s
                if not is_number(t):
                    self.detached.add(s.result)
            else:
                self.detached.add(s.result)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            self.call(s)
        elif isinstance(s, If):
            for branch in (s.then, s.orelse):
                self.run(branch)
                if isinstance(branch.end, Yield):
                    for r, v in zip(s.results, branch.end.values):
                        self.flow(r, v)
        else:
            assert not isinstance(s, Attempt)
            self.loop(s)

    def loop(self, s: For | While) -> None:
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        if isinstance(s, For):
            self.flow(s.body.params[0], s.iterable)
        for p, a in zip(params, s.init):
            self.flow(p, a)
        while True:
            before = self.size()
            self.run(s.body)
            for values in leaf_ends(s.body):
                for p, r, v in zip(params, s.results, values):
                    self.flow(p, v)
                    self.flow(r, v)
            for p, r in zip(params, s.results):
                self.flow(r, p)
            if self.size() == before:
                return


class Useful:
    def __init__(self, types: Mapping[Var, Type], definition: Mapping[Var, Call] | None = None) -> None:
        self.types = types
        self.definition: Mapping[Var, Call] = {} if definition is None else definition
        self.vars: set[Var] = set()

    def add(self, atom: Atom) -> None:
        if isinstance(atom, Var) and atom not in self.vars and differentiable(self.types[atom]):
            self.vars.add(atom)
            for part in members(atom, self.types, self.definition):
                self.add(part)

    def run(self, block: Block) -> None:
        if isinstance(block.end, Return):
            self.add(block.end.value)
        for s in reversed(block.statements):
            self.statement(s)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Call):
            if s.result in self.vars and (passes_derivative(s) or unites(s, self.types)):
                for a in (s.fn, *s.args, *(a for _, a in s.kwargs)):
                    self.add(a)
        elif isinstance(s, If):
            for branch in (s.then, s.orelse):
                if isinstance(branch.end, Yield):
                    for r, v in zip(s.results, branch.end.values):
                        if r in self.vars:
                            self.add(v)
                self.run(branch)
        else:
            assert not isinstance(s, Attempt)
            self.loop(s)

    def loop(self, s: For | While) -> None:
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        while True:
            before = len(self.vars)
            for values in leaf_ends(s.body):
                for p, r, v in zip(params, s.results, values):
                    if r in self.vars or p in self.vars:
                        self.add(v)
            self.run(s.body)
            for p, r, a in zip(params, s.results, s.init):
                if p in self.vars or r in self.vars:
                    self.add(a)
                    self.add(p)
            if len(self.vars) == before:
                break
        if isinstance(s, For) and s.body.params[0] in self.vars:
            self.add(s.iterable)


def check_detached(varied: Varied, useful: Useful) -> None:
    """Refuse numbers that the result needs and that were made of text, bytes or hashes of varied ones."""
    for var, call in varied.reattached.items():
        if var in useful.vars:
            raise NotDifferentiable(
                "this makes a number of text, bytes, a hash or the like, made in turn of values that carry derivatives",
                call.place,
                "use the values themselves, or adcompile.stop_gradient(…) around what is meant to be constant",
            )
