"""Which names a piece of source binds whatever happens, and which it unbinds.

A name that is bound for certain is read without a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from adcompile.frontend.scopes import FUNCTIONS, Scopes

LEAVING = (gast.Return, gast.Raise, gast.Break, gast.Continue)
COMPOUND = (gast.With, gast.AsyncWith, gast.For, gast.AsyncFor, gast.While, gast.Match)


def deleted_inside(node: Any) -> set[str]:
    """The names that a `del` anywhere in there unbinds, or the end of an `except ... as name`."""
    out: set[str] = set()
    for inner in gast.walk(node):
        if isinstance(inner, gast.Delete):
            out |= {n.id for target in inner.targets for n in gast.walk(target) if isinstance(n, gast.Name)}
        elif isinstance(inner, gast.ExceptHandler) and inner.name is not None:
            out.add(getattr(inner.name, "id", inner.name))
    return out


def bound_surely(statements: Sequence[Any], scopes: Scopes) -> set[str]:
    """The names that are bound where control falls out of these statements, on all ways."""
    return _behind(statements, scopes) or set()


def _behind(statements: Sequence[Any], scopes: Scopes) -> set[str] | None:
    """The same; None if control never falls out."""
    bound: set[str] = set()
    for s in statements:
        found = _bound_by(s, scopes)
        if found is None:
            return None
        bound = (bound and bound - deleted_inside(s)) | found
    return bound


def _bound_by(s: Any, scopes: Scopes) -> set[str] | None:
    if isinstance(s, LEAVING):
        return None
    if isinstance(s, gast.If):
        return _common([_behind(s.body, scopes), _behind(s.orelse, scopes)])
    if isinstance(s, gast.Try):
        whole = _behind([*s.body, *s.orelse], scopes)
        ways = _common([whole, *(_behind(h.body, scopes) for h in s.handlers)])
        last = _behind(s.finalbody, scopes)
        gone = {n for h in s.handlers for n in deleted_inside(h)} | {n for f in s.finalbody for n in deleted_inside(f)}
        return None if ways is None or last is None else ways - gone | last
    if isinstance(s, COMPOUND):
        return set()
    return set() if isinstance(s, gast.Delete) else set(scopes.names([s]).binds)


def _common(ways: Iterable[set[str] | None]) -> set[str] | None:
    falling = [w for w in ways if w is not None]
    return set.intersection(*falling) if falling else None


def bound_first(names: Iterable[str], node: Any, scopes: Scopes) -> set[str]:
    """Which of a function's own names are bound before anything can read them: parameters, and those that a statement
    of its body binds for certain that stands before all others which speak of them."""
    todo = set(names) - set(scopes.of(node).params)
    sure = set(names) - todo
    for s in [] if isinstance(node, gast.Lambda) else node.body:
        if not todo:
            break
        spoken = todo & _spoken(s, scopes)
        read = {n for n in spoken if n in scopes.names([s]).reads or any(n in scopes.of(f).free for f in _functions(s))}
        sure |= (spoken - read) & bound_surely([s], scopes)
        todo -= spoken
    return sure


def _functions(node: Any) -> list[Any]:
    return [n for n in gast.walk(node) if isinstance(n, FUNCTIONS)]


def _spoken(node: Any, scopes: Scopes) -> set[str]:
    own = scopes.names([node])
    return {*own.reads, *own.binds, *(n for f in _functions(node) for n in scopes.of(f).free)}
