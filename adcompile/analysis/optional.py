"""What tests tell of values that may be None: behind `x is not None` x is what it is otherwise.

A value that is None on some paths is of type Maybe. What a test tells of such values is noted with
its result; a branch on the test then reads them under another name, which has the exact type.

    if y is None: continue        t = is_(y, None); if t: continue
    s += y                        y_1: float = identity(y); s_1 = iadd(s, y_1)
"""

from __future__ import annotations

import operator
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, parts
from adcompile.analysis.detached import is_in
from adcompile.analysis.heap import look
from adcompile.analysis.joins import Join
from adcompile.analysis.writing import AUGMENTED, FUNCTIONS
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import (
    NONE,
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Known,
    ListT,
    Maybe,
    Scalar,
    TupleT,
    Type,
    Unknown,
    widen,
)

Environment = dict[Var, Atom]
Told = dict[Var, Type]
"""What values are: None, or what they are otherwise."""


def resolve(b: Builder, env: Environment, atom: Atom) -> Atom:
    """What a name of the code that is followed stands for here."""
    if isinstance(atom, Const):
        return atom
    found = env[atom]
    return b.context.narrowed.get(found, found) if isinstance(found, Var) else found


def known_truth(b: Builder, test: Atom) -> bool | None:
    """The truth value of a test, where the type tells it."""
    t = b.type(look(b, test))
    if isinstance(t, Known):
        try:
            return bool(t.value)
        except (TypeError, ValueError):
            return None
    if isinstance(t, (TupleT, ListT, DictT)):
        return bool(parts(t))
    return True if isinstance(t, Closure) else None


# -- what tests tell ----------------------------------------------------------------------------


def note_identity(b: Builder, result: Var, left: Atom, right: Atom, same: bool) -> None:
    """Of `left is right` (`same`) or `left is not right`."""
    for none, var in ((left, right), (right, left)):
        t = b.type(var)
        if b.type(none) == NONE and isinstance(var, Var) and isinstance(t, Maybe):
            told: tuple[Told, Told] = {var: t.type}, {var: NONE}
            b.context.tells[result] = told if same else told[::-1]


def note_negation(b: Builder, result: Var, test: Atom) -> None:
    b.context.tells[result] = tell(b, test, True), tell(b, test, False)


def tell(b: Builder, test: Atom, truth: bool) -> Told:
    """What is known of values where a test has this truth value."""
    if isinstance(test, Const):
        return {}
    t = b.type(test)
    own: Told = {test: t.type} if truth and isinstance(t, Maybe) else {}
    return own | b.context.tells.get(test, ({}, {}))[truth]


def note_results(b: Builder, asked: Atom, test: Atom, then: Builder, join: Join) -> None:
    """What the results of a branch tell if they are asked in turn: `a and b` is true only where both are."""
    t = b.type(asked)
    steady = isinstance(t.type if isinstance(t, Maybe) else t, (Scalar, TupleT))
    tests = (asked, test) if steady else (test,) if test is not asked else ()  # a list may be filled before it is asked
    for k, result in enumerate(join.results):
        ways = [(side.b is then, column[k]) for side, column in zip(join.sides, join.columns)]
        told: list[Told] = [{}, {}]
        for truth in (False, True):
            possible = [(way, v) for way, v in ways if truth_of(v, tests, way) is not (not truth)]
            if len(possible) == 1:
                way, value = possible[0]
                told[truth] = tell(b, asked, way) | tell(b, value, truth)
        if told[0] or told[1]:
            b.context.tells[result] = told[0], told[1]


def truth_of(value: Atom, tests: tuple[Atom, ...], way: bool) -> bool | None:
    """The truth value of what a side of a branch gives, if it is known."""
    if isinstance(value, Const):
        return bool(value.value) if isinstance(value.value, (bool, int, float, type(None))) else None
    return way if any(value is t for t in tests) else None


# -- what follows from it -----------------------------------------------------------------------


@contextmanager
def narrowed(b: Builder, told: Told) -> Generator[None, None, None]:
    """Within a block: what is known where it begins, and what is learnt in it."""
    before = b.context.narrowed
    learn(b, told)
    try:
        yield
    finally:
        b.context.narrowed = before


def learn(b: Builder, told: Told) -> None:
    """From here to the end of the block being built."""
    found: dict[Var, Atom] = {}
    for var, t in told.items():
        found[var] = Const(None) if t == NONE else b.emit(ops.identity, (var,), t, (), var.name, var.place)
    if found:
        b.context.narrowed = {**b.context.narrowed, **found}


def learn_used(b: Builder, fn: Atom, args: list[Atom]) -> list[Atom]:
    """The operands of a call that raises where an array among them is None: from there on they are arrays."""
    if not isinstance(fn, Const) or not any(type(b.type(a)) is Maybe for a in args):
        return args
    for k in raising(b, fn.value, args):
        var, t = args[k], b.type(args[k])
        if isinstance(var, Var) and isinstance(t, Maybe) and isinstance(t.type, Array):
            if fn.value is getattr:  # which is not always one when the code runs
                b.emit(getattr, (var, args[1]), UNKNOWN)
            learn(b, {var: t.type})
    return [b.context.narrowed.get(a, a) if isinstance(a, Var) else a for a in args]


def raising(b: Builder, fn: Any, args: list[Atom]) -> Iterable[int]:
    """The positions of the arguments of a call at which an array, but not None, will do."""
    if fn is getattr:
        name = args[1].value if isinstance(args[1], Const) else None
        return (0,) if len(args) == 2 and isinstance(name, str) and name in ONLY_OF_ARRAYS else ()
    if is_in(fn, ARITHMETIC):
        inner = [t.type if isinstance(t, Maybe) else widen(t) for t in map(b.type, args)]
        if all(isinstance(t, (Scalar, Array)) for t in inner):
            return range(len(args))
        return (0,) if fn in AUGMENTED and all(isinstance(t, (Scalar, Array, Unknown)) for t in inner) else ()
    if is_in(fn, FUNCTIONS):
        return (FUNCTIONS[fn],)
    return (0,) if fn is operator.getitem or fn is operator.setitem else ()


ONLY_OF_ARRAYS = frozenset(dir(np.ndarray)) - frozenset(dir(None))
SIGNS = "add sub mul truediv floordiv mod pow matmul"
ARITHMETIC: set[Any] = {
    *(getattr(operator, kind + name) for name in SIGNS.split() for kind in ("", "i")),
    *(operator.neg, operator.pos, operator.abs, operator.lt, operator.le, operator.gt, operator.ge),
}
"""Operators of numbers that None has not."""
