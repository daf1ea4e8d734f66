"""Functions that depend on the path: which one is meant is tested where it is called."""

from __future__ import annotations

import operator
import types as python_types
from collections.abc import Callable
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.analysis.infer import branch_on
from adcompile.analysis.terminated import Terminated
from adcompile.errors import Unsupported
from adcompile.ir.nodes import Atom, Const, Raise
from adcompile.ir.types import BOOL, Choice

MADE_AT_EACH_ACCESS = (python_types.MethodType, python_types.BuiltinMethodType, python_types.MethodWrapperType)
"""Bound methods: of one method of one object there are many, which are equal."""


def of_choice(b: Builder, fn: Atom, t: Choice, name: str, call: Callable[[Builder, Any], Atom]) -> Atom:
    """What `call` makes of the function meant: a chain of tests which it is."""

    def option(k: int) -> Callable[[Builder], Atom]:
        def run(c: Builder) -> Atom:
            begin, mark = len(c.statements), c.context.store.mark()
            try:
                return call(c, t.options[k].value)
            except Unsupported as error:  # of what is given it may be another that is meant, always
                del c.statements[begin:]
                c.context.store.undo(mark)
                raise Terminated(Raise(Const(error), None, error.place)) from None

        def rest(c: Builder) -> Atom:
            value = t.options[k].value
            same = operator.eq if isinstance(value, MADE_AT_EACH_ACCESS) else operator.is_
            return branch_on(c, c.emit(same, (fn, Const(value)), BOOL), run, option(k + 1), name)

        return run if k == len(t.options) - 1 else rest

    return option(0)(b)


def choose(b: Builder, test: Atom, x: Atom, y: Atom, name: str = "t") -> Atom:
    """`x if test else y`."""
    return branch_on(b, test, lambda _: x, lambda _: y, name)
