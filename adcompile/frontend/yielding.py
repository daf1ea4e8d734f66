"""Generator functions made plain: each `yield` asks whoever runs over the items whether to go on.

    def pairs(x):                 def pairs(x, %yield):
        for a in x:                   for a in x:
            yield a, a * a                if %yield((a, a * a)):
                                              return

`%yield` runs the body of the loop over the items, and says whether that has left it. `yield` has no value
(nobody sends one). What stands in other expressions, or in a `try` that catches, is left as it is, to be refused.

    with opened(x) as y:          with opened(x) as y:      # a generator that is left stays where it is, and is
        yield y                       if %yield(y):         # closed later: `%cut` refuses
                                          %cut()
                                          return

    try:                          def at_end():             # what is done where something raises: `%silent` asks
        yield x                       x.done = True         # that nobody sees it
    finally:                      %silent(at_end)
        x.done = True             if %yield(x): …
                                  x.done = True
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import gast

YIELD, CUT, SILENT = "%yield", "%cut", "%silent"
"""The name of the parameter, which no source can have, and of two functions (frontend/lower)."""


def made_plain(statements: Sequence[Any], taken: Iterable[str]) -> list[Any]:
    """The body of a generator function as that of a function; `taken`: the names that are used in it."""
    return _Plain(set(taken)).all(statements)


class _Plain:
    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.item = self.fresh("item")
        self.inside = 0  # of so many `with` and `try`

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def all(self, statements: Sequence[Any]) -> list[Any]:
        return [out for s in statements for out in self.statement(s)]

    def statement(self, s: Any) -> list[Any]:
        match s:
            case gast.Expr(value=gast.Yield(value=value)):
                return [self.asked(value, s)]
            case gast.Expr(value=gast.YieldFrom(value=items)):
                loop = gast.For(named(self.item, gast.Store()), items, [self.asked(named(self.item), s)], [], None)
                return [gast.copy_location(loop, s)]
            case gast.Assign(value=gast.Yield(value=value)):
                nothing = gast.copy_location(gast.Constant(None, None), s)
                return [self.asked(value, s), gast.copy_location(gast.Assign(s.targets, nothing, None), s)]
            case gast.If() | gast.While():
                return [gast.copy_location(type(s)(s.test, self.all(s.body), self.all(s.orelse)), s)]
            case gast.Match():
                cases = [gast.match_case(c.pattern, c.guard, self.all(c.body)) for c in s.cases]
                return [gast.copy_location(gast.Match(s.subject, cases), s)]
            case gast.For():
                made = gast.For(s.target, s.iter, self.all(s.body), self.all(s.orelse), s.type_comment)
                return [gast.copy_location(made, s)]
            case gast.With():
                return [gast.copy_location(gast.With(s.items, self.within(s.body), s.type_comment), s)]
            case gast.Try() if not s.handlers and _goes_through([*s.body, *s.finalbody]):
                name = self.fresh("at_end")
                made = gast.FunctionDef(name, _no_arguments(), copy.deepcopy(s.finalbody), [], None, None, [])
                ask = gast.Expr(gast.Call(named(SILENT), [named(name)], []))
                return [located(made, s), located(ask, s), *self.within(s.body), *s.finalbody]
            case _:
                return [s]

    def within(self, body: Sequence[Any]) -> list[Any]:
        self.inside += 1
        made = self.all(body)
        self.inside -= 1
        return made

    def asked(self, value: Any, at: Any) -> Any:
        """`if %yield(value): return`"""
        given = gast.Constant(None, None) if value is None else value
        left = [gast.Expr(gast.Call(named(CUT), [], []))] if self.inside else []
        return located(gast.If(gast.Call(named(YIELD), [given], []), [*left, gast.Return(None)], []), at)


def _goes_through(statements: Sequence[Any]) -> bool:
    """Whether statements that yield are left at their end alone, or by what they raise."""
    nodes = [n for s in statements for n in gast.walk(s)]
    yields = any(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in nodes)
    return yields and not any(isinstance(n, (gast.Return, gast.Break, gast.Continue)) for n in nodes)


def _no_arguments() -> Any:
    return gast.arguments([], [], None, [], [], None, [])


def located(made: Any, at: Any) -> Any:
    """What was made, standing where `at` does as far as it stands nowhere."""
    for node in gast.walk(made):
        if getattr(node, "lineno", None) is None and "lineno" in getattr(node, "_attributes", ()):
            gast.copy_location(node, at)
    return made


def named(name: str, ctx: Any = None) -> Any:
    return gast.Name(name, ctx or gast.Load(), None, None)
