"""`match` as `if`: each case asks for what its pattern asks for, and then binds its names.

    match shape:                             subject = shape
        case Circle(r):                      if isinstance(subject, Circle):
            area = pi * r * r        →           r = attribute_at(subject, Circle, 0)
        case (w, h) if w < h:                    area = pi * r * r
            area = w * h                     else:
        case _:                                  if is_sequence(subject) and len(subject) == 2:
            area = 0.0                               w, h = subject[0], subject[1]
                                                     taken = w < h
                                                 else:
                                                     taken = False
                                                 if taken: …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from adcompile.errors import Unsupported

Bindings = list[tuple[str, Any]]
"""Names, and what they are bound to."""


def as_branches(match: Any, fresh: Callable[[str], str]) -> list[Any]:
    """Statements that do what a `match` does; `fresh` makes names of its own."""
    return _Cases(match, fresh).statements()


class _Cases:
    def __init__(self, match: Any, fresh: Callable[[str], str]) -> None:
        self.match, self.fresh, self.at = match, fresh, match
        self.subject = fresh("subject")

    def statements(self) -> list[Any]:
        return [self.assign(self.subject, self.match.subject), *self.cases(self.match.cases)]

    def cases(self, cases: Sequence[Any]) -> list[Any]:
        """The first case; and the others, where it is not taken."""
        if not cases:
            return []
        case, *rest = cases
        self.at = case.pattern
        tests, bindings = self.pattern(case.pattern, self.name(self.subject))
        bind = [self.assign(name, value) for name, value in bindings]
        if case.guard is None:
            return self.branch(tests, [*bind, *case.body], rest)
        taken = self.fresh("taken")
        bind.append(self.assign(taken, case.guard))
        if tests:
            bind = [self.here(gast.If(self.all(tests), bind, [self.assign(taken, self.constant(False))]))]
        return [*bind, *self.branch([self.name(taken)], case.body, rest)]

    def branch(self, tests: list[Any], body: list[Any], rest: Sequence[Any]) -> list[Any]:
        if not tests:
            return body
        choice = self.here(gast.If(self.all(tests), body, []))
        choice.orelse += self.cases(rest)
        return [choice]

    # -- patterns --------------------------------------------------------------------------------

    def pattern(self, p: Any, value: Any) -> tuple[list[Any], Bindings]:
        """What a pattern asks of a value, in order, and the names that it binds."""
        match p:
            case gast.MatchAs(pattern=None, name=name):
                return [], [] if name is None else [(name, value)]
            case gast.MatchAs(pattern=inner, name=name):
                tests, bindings = self.pattern(inner, value)
                return tests, [*bindings, (name, value)]
            case gast.MatchValue(value=wanted):
                return [self.compare(value, gast.Eq(), wanted)], []
            case gast.MatchSingleton(value=wanted):
                return [self.compare(value, gast.Is(), self.constant(wanted))], []
            case gast.MatchOr(patterns=patterns):
                return self.any([self.pattern(q, value) for q in patterns])
            case gast.MatchSequence(patterns=patterns):
                return self.sequence(patterns, value)
            case gast.MatchMapping():
                return self.mapping(p, value)
            case _:
                return self.instance(p, value)

    def any(self, found: Sequence[tuple[list[Any], Bindings]]) -> tuple[list[Any], Bindings]:
        """One of several patterns, which bind the same names."""
        tests, bindings = found[-1]
        for asked, bound in reversed(found[:-1]):
            test, others = self.all(asked), dict(bindings)
            bindings = [(name, self.here(gast.IfExp(test, value, others[name]))) for name, value in bound]
            tests = [self.here(gast.BoolOp(gast.Or(), [test, self.all(tests)]))] if tests else []
        return tests, bindings

    def sequence(self, patterns: Sequence[Any], value: Any) -> tuple[list[Any], Bindings]:
        stars = [k for k, p in enumerate(patterns) if isinstance(p, gast.MatchStar)]
        count = len(patterns) - len(stars)
        length = self.call(len, value)
        tests = [self.call(is_sequence, value)]
        tests.append(self.compare(length, gast.GtE() if stars else gast.Eq(), self.constant(count)))
        bindings: Bindings = []
        for k, p in enumerate(patterns):
            if isinstance(p, gast.MatchStar):
                if p.name is not None:
                    behind = self.constant(count - k)
                    bindings.append((p.name, self.call(starred, value, self.constant(k), behind)))
                continue
            place = k if not stars or k < stars[0] else k - len(patterns)
            self.add(tests, bindings, p, self.item(self.call(items_of, value), self.constant(place)))
        return tests, bindings

    def mapping(self, p: Any, value: Any) -> tuple[list[Any], Bindings]:
        tests = [self.call(isinstance, value, self.constant(Mapping))]
        tests += [self.compare(key, gast.In(), value) for key in p.keys]
        bindings: Bindings = []
        for key, inner in zip(p.keys, p.patterns):
            self.add(tests, bindings, inner, self.item(value, key))
        if p.rest is not None:
            keys = self.here(gast.Tuple(list(p.keys), gast.Load()))
            bindings.append((p.rest, self.call(without, value, keys)))
        return tests, bindings

    def instance(self, p: Any, value: Any) -> tuple[list[Any], Bindings]:
        tests = [self.call(isinstance, value, p.cls)]
        bindings: Bindings = []
        for k, inner in enumerate(p.patterns):
            place = (self.constant(k), self.constant(len(p.patterns)))
            self.add(tests, bindings, inner, self.call(attribute_at, value, p.cls, *place))
        for name, inner in zip(p.kwd_attrs, p.kwd_patterns):
            tests.append(self.call(has_attribute, value, self.constant(name)))
            self.add(tests, bindings, inner, self.here(gast.Attribute(value, name, gast.Load())))
        return tests, bindings

    def add(self, tests: list[Any], bindings: Bindings, pattern: Any, value: Any) -> None:
        asked, bound = self.pattern(pattern, value)
        tests += asked
        bindings += bound

    # -- nodes -----------------------------------------------------------------------------------

    def here(self, node: Any) -> Any:
        return gast.copy_location(node, self.at)

    def name(self, name: str, ctx: Any = None) -> Any:
        return self.here(gast.Name(name, ctx or gast.Load(), None, None))

    def constant(self, value: Any) -> Any:
        return self.here(gast.Constant(value, None))

    def assign(self, name: str, value: Any) -> Any:
        return self.here(gast.Assign([self.name(name, gast.Store())], value, None))

    def call(self, fn: Any, *args: Any) -> Any:
        return self.here(gast.Call(self.constant(fn), list(args), []))

    def item(self, value: Any, index: Any) -> Any:
        return self.here(gast.Subscript(value, index, gast.Load()))

    def compare(self, left: Any, op: Any, right: Any) -> Any:
        return self.here(gast.Compare(left, [op], [right]))

    def all(self, tests: Sequence[Any]) -> Any:
        """All of these: a test."""
        if not tests:
            return self.constant(True)
        return tests[0] if len(tests) == 1 else self.here(gast.BoolOp(gast.And(), list(tests)))


# -- what patterns ask, followed ------------------------------------------------------------------


SEQUENCES = (Sequence, np.ndarray) if np.ndarray.__flags__ & 1 << 5 else (Sequence,)
"""Classes that say of themselves that they are sequences to patterns: arrays do since NumPy 2.5."""


def is_sequence(value):
    return isinstance(value, SEQUENCES) and not isinstance(value, (str, bytes, bytearray))


def items_of(value):
    return value if type(value) is list or type(value) is tuple else [*value]


def starred(value, first, behind):
    items = items_of(value)
    return [items[k] for k in range(first, len(items) - behind)]


def without(value, keys):
    return {key: item for key, item in value.items() if key not in keys}


def attribute_at(value, cls, k, count):
    if cls in ITSELF and count == 1:
        return value
    names: Any = getattr(cls, "__match_args__", ())
    if count > len(names):
        raise TypeError(f"{cls.__name__}() accepts {len(names)} positional sub-patterns ({count} given)")
    check_plain(value, names[k])
    return getattr(value, names[k])


def has_attribute(value, name):
    check_plain(value, name)
    return hasattr(value, name)


def check_plain(value, name):
    """Refuse what is computed: Python reads each attribute of a pattern once, whatever is asked of it."""
    found = getattr(type(value), name, None)
    if hasattr(type(value), "__getattr__") and found is None or isinstance(found, property):
        raise Unsupported(
            f"a pattern for {name!r}, which is computed when it is read", None, "give it a name before the match"
        )


ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes of whose instances the one positional pattern is about the instance itself."""
