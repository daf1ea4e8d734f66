"""Generator functions made plain: each `yield` asks whoever runs over the items whether to go on.

    def pairs(x):                 def pairs(x, %yield):
        for a in x:                   for a in x:
            yield a, a * a                if %yield((a, a * a)):
                                              return

`%yield` runs the body of the loop over the items, and says whether that has left it. `yield` has no value
(nobody sends one). What stands in other expressions, or in a `with` or `try`, is left as it is, to be refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

YIELD = "%yield"
"""The name of the parameter, which no source can have."""


def made_plain(statements: Sequence[Any], taken: Iterable[str]) -> list[Any]:
    """The body of a generator function as that of a function; `taken`: the names that are used in it."""
    name = "item"
    while name in set(taken):
        name += "_"
    return _Plain(name).all(statements)


class _Plain:
    def __init__(self, item: str) -> None:
        self.item = item

    def all(self, statements: Sequence[Any]) -> list[Any]:
        return [out for s in statements for out in self.statement(s)]

    def statement(self, s: Any) -> list[Any]:
        match s:
            case gast.Expr(value=gast.Yield(value=value)):
                return [_asked(value, s)]
            case gast.Expr(value=gast.YieldFrom(value=items)):
                loop = gast.For(named(self.item, gast.Store()), items, [_asked(named(self.item), s)], [], None)
                return [gast.copy_location(loop, s)]
            case gast.Assign(value=gast.Yield(value=value)):
                nothing = gast.copy_location(gast.Constant(None, None), s)
                return [_asked(value, s), gast.copy_location(gast.Assign(s.targets, nothing, None), s)]
            case gast.If() | gast.While():
                return [gast.copy_location(type(s)(s.test, self.all(s.body), self.all(s.orelse)), s)]
            case gast.Match():
                cases = [gast.match_case(c.pattern, c.guard, self.all(c.body)) for c in s.cases]
                return [gast.copy_location(gast.Match(s.subject, cases), s)]
            case gast.For():
                made = gast.For(s.target, s.iter, self.all(s.body), self.all(s.orelse), s.type_comment)
                return [gast.copy_location(made, s)]
            case _:
                return [s]


def _asked(value: Any, at: Any) -> Any:
    """`if %yield(value): return`"""
    given = gast.Constant(None, None) if value is None else value
    return located(gast.If(gast.Call(named(YIELD), [given], []), [gast.Return(None)], []), at)


def located(made: Any, at: Any) -> Any:
    """What was made, standing where `at` does as far as it stands nowhere."""
    for node in gast.walk(made):
        if getattr(node, "lineno", None) is None and "lineno" in getattr(node, "_attributes", ()):
            gast.copy_location(node, at)
    return made


def named(name: str, ctx: Any = None) -> Any:
    return gast.Name(name, ctx or gast.Load(), None, None)
