"""Which elementary functions of a loop may be computed for many iterations at once: of what is known in front of the
loop's own work, or of the results of such functions, in stages."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile.backend.native.iterations import carried, facts_of
from adcompile.backend.native.lanes import ARITHMETIC, OF_NUMPY, TESTS, Unfit, may_raise, sort_of
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
    Statement,
    Var,
)
from adcompile.ir.types import Array, Seq, TupleT
from adcompile.ir.walk import all_blocks, blocks_of, defined, is_left, statements_of
from adcompile.nests import Lowered
from adcompile.nests.facts import Facts
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.trails import writes_into
from adcompile.optimise.typing import INPLACE, kinds, type_of

PAIRS = 128
"""Arrays that a loop writes, each with another one that it reads or writes: with more of them LLVM does not look
whether they share memory, and makes no vector instructions."""
FEW = 8
"""Iterations: with no more of them the loop is written out."""
CHEAP = ARITHMETIC | TESTS | {operator.truediv, operator.getitem, math.sqrt, math.fabs, np.where}
"""What is computed twice, in front of a function and behind it."""


def function_of(s: Call) -> Any:
    """NumPy's function in place of Python's."""
    fn = INPLACE.get(called(s), called(s))
    return np.power if fn is operator.pow else OF_NUMPY.get(fn, fn)


@frozen
class Numbers:
    """What a loop goes through: a range, or an array; `backwards`: from its end."""

    items: Atom
    start: Atom
    step: int
    backwards: bool


@frozen(eq=False)
class Staged:
    """A call of an elementary function that is computed for a strip, once those of the stages before have been."""

    call: Call
    function: Any
    stage: int


class Stages:
    """The functions that are computed for a strip of a loop: `staged`, by their results, and in `slices` the calls that
    give what they are computed of. `ufuncs` are the functions that have vector instructions, `classes` the numbers
    whose class must be known. Raises Unfit where there are none, or the compiler needs no help."""

    def __init__(
        self, new: Lowered, loop: For, ufuncs: frozenset[Any], effects: Effects, classes: frozenset[Var]
    ) -> None:
        self.new, self.loop, self.types, self.ufuncs, self.classes = new, loop, new.types, ufuncs, classes
        self.effects = Effects(self.types, effects.summaries)
        self.element, self.array = loop.body.params[0], isinstance(type_of(loop.iterable, self.types), Array)
        if is_left(loop):
            raise Unfit
        self.own = defined(loop.body)
        self.order = {s: k for k, s in enumerate(statements_of(loop.body))}
        self.made = {s.result: s for s in self.order if isinstance(s, Call)}
        self.always = set(before_continue(loop.body))
        self.slices: dict[Var, dict[Call, None]] = {}
        self.staged: dict[Var, Staged] = {}
        self.range = self.gone_through()
        self.writes = self.written()
        for s in self.order:
            self.look_at(s)
        self.both = self.is_vectorised()
        """Whether the loop stays as it is where it has few iterations or many."""
        outermost = loop in new.function.body.statements
        arrays = any(isinstance(type_of(p, self.types), Array) for p in carried(loop))
        if not self.staged or self.both and (outermost or arrays or self.array):
            raise Unfit

    def gone_through(self) -> Numbers:
        """What the loop goes through."""
        made = {s.result: s for s in statements_of(self.new.function.body) if isinstance(s, Call)}
        found, backwards = made.get(self.loop.iterable), False  # type: ignore[arg-type]
        if self.array:
            sort_of(type_of(self.element, self.types))
            return Numbers(self.loop.iterable, Const(0), 1, False)
        if found is not None and called(found) is reversed:
            found, backwards = made.get(found.args[0]), True  # type: ignore[arg-type]
        if found is None or called(found) is not range:
            raise Unfit
        start, stop, step = found.args if len(found.args) == 3 else (*[Const(0), *found.args][-2:], Const(1))
        if not isinstance(step, Const) or type(step.value) is not int or step.value == 0:
            raise Unfit
        if isinstance(start, Const) and isinstance(stop, Const):
            if len(range(start.value, stop.value, step.value)) <= FEW:
                raise Unfit
        return Numbers(found.result, start, step.value, backwards)

    def written(self) -> list[tuple[Call, Var]]:
        """What the loop writes into, and where."""
        out: list[tuple[Call, Var]] = []
        for s in statements_of(self.loop.body):
            if isinstance(s, If):
                continue
            into = None if not isinstance(s, Call) else [] if called(s) is ops.push else self.into(s)
            if into is None:
                raise Unfit
            assert isinstance(s, Call)
            out += [(s, w) for w in into]
        return out

    def into(self, s: Call) -> list[Var] | None:
        return writes_into(s, self.types, self.effects)

    def look_at(self, s: Statement) -> None:
        """Stage a statement that computes such a function of what is known in front of the loop's own work."""
        if not isinstance(s, Call) or s.kwargs or s.result in self.classes:
            return
        fn = function_of(s)
        if fn not in self.ufuncs or fn in ARITHMETIC or len(s.args) != fn.nin or not self.is_float(s.result):
            return
        if fn is np.power and (s not in self.always or is_half(s.args[1])):
            return  # not worth it in vain; by multiplications and roots
        if not all(self.is_number(a) for a in s.args):
            return
        needed: dict[Call, None] = {}
        if all(self.is_known(a, needed) for a in s.args):
            before = [self.staged[a].stage for c in (s, *needed) for a in c.args if a in self.staged]  # type: ignore[index]
            self.slices[s.result] = needed
            self.staged[s.result] = Staged(s, fn, max(before, default=0) + 1)

    def is_float(self, atom: Atom) -> bool:
        found = kinds(type_of(atom, self.types))
        return bool(found) and found <= {float, np.float64}

    def is_number(self, atom: Atom) -> bool:
        try:
            return sort_of(type_of(atom, self.types)) in ("float", "count")
        except Unfit:
            return False

    def is_known(self, atom: Atom, needed: dict[Call, None]) -> bool:
        """Whether a value is known in front of the loop's own work; `needed` is what computes it."""
        if not isinstance(atom, Var) or atom not in self.own or atom in self.staged:
            return True
        if atom is self.element:
            return not self.array or self.is_read(None, self.loop.iterable)
        s = self.made.get(atom)
        if s is None or s.kwargs or not self.effects.pure(s) or not self.is_cheap(s):
            return False
        if not all(self.is_known(a, needed) for a in s.args):
            return False
        needed[s] = None
        return True

    def is_cheap(self, s: Call) -> bool:
        """Whether a statement may be done twice; one that the loop perhaps does not do must not raise, either."""
        fn, t = INPLACE.get(called(s), called(s)), self.types.get(s.result)
        if s not in self.always:
            return (fn in ARITHMETIC or fn is operator.truediv) and all(map(self.is_float, (s.result, *s.args)))
        if fn is operator.getitem:
            source = type_of(s.args[0], self.types)
            if isinstance(source, (Array, Seq)):
                return s.args[0] not in self.own and self.is_number(s.result) and self.is_read(s, s.args[0])
            return isinstance(source, TupleT)
        if fn is ops.build_tuple:
            return all(self.is_number(a) for a in s.args)
        if fn is operator.pow:
            return isinstance(s.args[1], Const) and s.args[1].value in (2, 3)
        return fn in CHEAP and bool(kinds(t)) if t is not None else False

    def is_read(self, s: Call | None, source: Atom) -> bool:
        """Whether what is read here is the same in front of the loop's own work."""
        if not isinstance(source, Var):
            return False
        if isinstance(type_of(source, self.types), Seq):  # what is pushed to is carried
            return True
        start = self.range.start
        # no number stands for an element that another one has
        each = self.range.step > 0 and isinstance(start, Const) and start.value >= 0
        for writing, w in self.writes:
            own = each and w is source and self.at_element(writing) and (s is None or self.at_element(s))
            earlier = s is None or self.order[s] < self.order[writing]
            if not (own and earlier) and not self.facts.apart(w, source):
                return False
        return True

    def at_element(self, s: Call) -> bool:
        return called(s) in (operator.getitem, operator.setitem) and s.args[1] is self.element

    @functools.cached_property
    def facts(self) -> Facts:
        return facts_of(self.new.function, self.types)

    def is_vectorised(self) -> bool:
        """Whether the compiler makes vector instructions of the loop as it stands."""
        calls = [s for s in self.order if isinstance(s, Call)]
        if len(calls) < len(self.order) or any(called(s) is ops.push for s in calls):
            return False
        if any(may_raise(s, self.types) for s in calls):
            return False
        if not isinstance(self.loop.body.end, Continue):
            return False
        for p, value in zip(carried(self.loop), self.loop.body.end.values):
            if value is not p and value not in self.new.sums and not isinstance(type_of(p, self.types), Array):
                return False
        if self.element in self.new.independent:
            return True
        written = {w for _, w in self.writes}
        read = {s.args[0] for s in calls if isinstance(type_of(s.args[0], self.types) if s.args else None, Array)}
        many = len(written) * (len(written) - 1) // 2 + len(written) * len(read - written)
        return many <= PAIRS


def before_continue(body: Block) -> Sequence[Statement]:
    """The statements that each iteration comes to."""
    for k, s in enumerate(body.statements):
        if any(isinstance(b.end, Continue) for part in blocks_of(s) for b in all_blocks(part)):
            return body.statements[: k + 1]
    return body.statements


def is_half(atom: Atom) -> bool:
    """Whether an exponent is written as a number of halves."""
    return isinstance(atom, Const) and float(atom.value * 2).is_integer()
