"""Iterations that are linear in what they carry, as those of a way back are: coefficients, what is made of carried
numbers with them, and sums that nobody else reads."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adcompile.backend.native.iterations import carried, facts_of
from adcompile.backend.native.lanes import ARITHMETIC, TESTS, Unfit, sort_of
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Continue, For, Statement, Var
from adcompile.ir.types import Array, Maybe
from adcompile.ir.walk import defined, is_left, readers_of
from adcompile.nests import Lowered
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.typing import INPLACE, kinds, type_of
from adcompile.runtime.special import quotient

ADD, SUB, MUL, DIV, NEG = operator.add, operator.sub, operator.mul, operator.truediv, operator.neg
KINDS: Mapping[Any, Any] = {
    ADD: ADD, SUB: SUB, MUL: MUL, DIV: DIV, NEG: NEG,
    np.add: ADD, np.subtract: SUB, np.multiply: MUL, np.true_divide: DIV, np.negative: NEG, quotient: DIV,
}  # fmt: skip
"""What linear functions are made of."""
LATENCY: Mapping[Any, int] = {ADD: 4, SUB: 4, MUL: 4, DIV: 13, NEG: 1}
"""Cycles until the result is there."""
CHEAP = ARITHMETIC | TESTS | {operator.getitem, operator.setitem, float, np.where}


OTHERS = 20
"""Operations that an elementary function takes, or another call that is none of these."""


def kind_of(s: Call) -> Any:
    fn = called(s)
    return KINDS.get(INPLACE.get(fn, fn))


def work_of(s: Call) -> int:
    """How many operations of vector instructions a call takes."""
    kind = kind_of(s)
    return 8 if kind is DIV else 1 if kind is not None or called(s) in CHEAP else OTHERS


@frozen(eq=False)
class Sum:
    """A carried number to which an iteration adds `terms`, from left to right, each with the call that does."""

    index: int
    terms: tuple[tuple[Call, Atom], ...]

    @property
    def result(self) -> Var:
        return self.terms[-1][0].result


@frozen(eq=False)
class Scattered:
    """A carried array to whose elements an iteration adds: by each of these calls a number, in their order."""

    index: int
    calls: tuple[Call, ...]


class LinearIteration:
    """What an iteration does. `states` are the carried numbers that it makes of each other, by their places; `given`
    the calls that know nothing of them, `moved` those that do.

    Raises Unfit where an iteration does anything else.
    """

    def __init__(self, new: Lowered, loop: For, effects: Effects) -> None:
        self.loop, self.types, self.params = loop, new.types, carried(loop)
        self.effects = Effects(self.types, effects.summaries)
        body = loop.body
        calls = [s for s in body.statements if isinstance(s, Call)]
        if len(calls) < len(body.statements) or not isinstance(body.end, Continue) or is_left(loop):
            raise Unfit
        self.ends = body.end.values
        self.own = defined(body)
        self.readers, self.made = readers_of(body), {s.result: s for s in calls}
        arrays = [k for k, p in enumerate(self.params) if isinstance(type_of(p, self.types), Array)]
        numbers = [k for k in range(len(self.params)) if k not in arrays]
        if not all(self.is_float(a) for k in numbers for a in (self.params[k], self.ends[k])):
            raise Unfit
        self.sums = [found for k in numbers if (found := self.sum(k)) is not None]
        self.scattered = [self.scatter(k) for k in arrays]
        summed = {s.index for s in self.sums}
        self.states = [k for k in numbers if k not in summed and self.ends[k] is not self.params[k]]
        late = {c for s in self.sums for c, _ in s.terms} | {c for s in self.scattered for c in s.calls}
        self.given: list[Call] = []
        self.moved: list[Call] = []
        self.moving = {self.params[k] for k in self.states}
        for s in calls:
            if s not in late:
                self.look_at(s)
        self.check_reads(new)

    def look_at(self, s: Call) -> None:
        if s.kwargs or not self.effects.pure(s):
            raise Unfit
        moving = [a in self.moving for a in s.args]
        if not any(moving):
            t = type_of(s.result, self.types)
            if isinstance(t, Maybe):
                raise Unfit
            sort_of(t)
            self.given.append(s)
            return
        kind = kind_of(s)
        if kind is None or kind is MUL and all(moving) or kind is DIV and moving[1]:
            raise Unfit
        if not self.is_float(s.result):
            raise Unfit
        self.moving.add(s.result)
        self.moved.append(s)

    def is_float(self, atom: Atom) -> bool:
        found = kinds(type_of(atom, self.types))
        return bool(found) and found <= {float, np.float64}

    def only_reader(self, v: Var) -> Statement | None:
        """The one statement that reads a value, once; None where that is the end, or there are more."""
        readers = self.readers.get(v, [])
        return readers[0] if len(readers) == 1 else None

    def sum(self, k: int) -> Sum | None:
        """A carried number that is added to alone."""
        v, terms = self.params[k], list[tuple[Call, Atom]]()
        while v is not self.ends[k]:
            s = self.only_reader(v)
            if not isinstance(s, Call) or kind_of(s) not in (ADD, SUB) or kind_of(s) is SUB and s.args[0] is not v:
                return None
            terms.append((s, s.args[1] if s.args[0] is v else s.args[0]))
            v = s.result
        return Sum(k, tuple(terms)) if terms and self.readers[v] == [None] else None

    def scatter(self, k: int) -> Scattered:
        """A carried array to which is added alone."""
        v, calls = self.params[k], list[Call]()
        while v is not self.ends[k]:
            s = self.only_reader(v)
            if not isinstance(s, Call) or called(s) is not ops.index_add or s.args[0] is not v:
                raise Unfit
            if sort_of(type_of(s.args[1], self.types)) != "count" or not self.is_float(s.args[2]):
                raise Unfit
            calls.append(s)
            v = s.result
        if self.readers.get(v) != [None]:
            raise Unfit
        return Scattered(k, tuple(calls))

    def check_reads(self, new: Lowered) -> None:
        """What coefficients are read from must not be what is added to, nor where that is made of carried numbers."""
        adding = [c for s in self.scattered for c in s.calls]
        if any(c.args[1] in self.moving for c in adding):
            raise Unfit
        into = [self.loop.init[s.index] for s in self.scattered]
        facts = facts_of(new.function, self.types) if adding else None
        for s in self.given:
            for a in s.args:
                if facts is None or not isinstance(a, Var) or not isinstance(type_of(a, self.types), Array):
                    continue
                if not all(isinstance(w, Var) and facts.apart(w, a) for w in into):
                    raise Unfit

    # -- what it takes

    def depth(self) -> int:
        """Cycles from the states of one iteration to those of the next."""
        depth: dict[Atom, int] = {self.params[k]: 0 for k in self.states}
        for s in self.moved:
            before = [depth[a] for a in s.args if a in depth]
            if before:
                depth[s.result] = max(before) + LATENCY[kind_of(s)]
        return max((depth.get(self.ends[k], 0) for k in self.states), default=0)

    def needed(self, calls: Sequence[Call], values: Sequence[Atom]) -> list[Call]:
        """Those of some calls of which these values are made."""
        wanted, out = set(values), list[Call]()
        for s in reversed(calls):
            if s.result in wanted:
                wanted.update(s.args)
                out.append(s)
        return out[::-1]
