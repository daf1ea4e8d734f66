"""Control flow made structured: no path leaves the middle of a block.

Function bodies become trees in which a return is an assignment to RESULT and nothing follows it;
loop bodies become trees whose leaves are `Leave`. What follows a conditional exit moves into the
other branch; where both branches fall through only partly, a flag says what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import gast

from adcompile.frontend.items import (
    BREAK,
    CONTINUE,
    NEVER,
    NORMAL,
    RESULT,
    RETURN,
    Asked,
    Branch,
    Facts,
    Foreign,
    Item,
    Leave,
    Loop,
    Managed,
    Plain,
    Refused,
    Seq,
    SetFlag,
    SetResult,
    Target,
    Throw,
    leaves,
)
from adcompile.frontend.matching import as_branches
from adcompile.frontend.scopes import Names, Scopes
from adcompile.frontend.ways import Question, bound_late, by_its_way, caught, handled, leaves_plainly, speaks_plainly
from adcompile.frontend.yielding import YIELD
from adcompile.frozen import frozen


@frozen(eq=False)
class _FlagTest:
    """Stands among source statements: `if flag: then else: orelse`."""

    flag: str
    then: tuple[Any, ...]
    orelse: tuple[Any, ...]
    node: Any


@frozen(eq=False)
class _Exit:
    """Leaves as a Break, Continue or (its value being in RESULT already) Return would."""

    kind: str
    node: Any


@frozen(eq=False)
class _Chain:
    """A linked list, so that the rest of a block can move into a branch without a copy."""

    head: Any
    tail: _Chain | None


def _chain(statements: Sequence[Any], tail: _Chain | None = None) -> _Chain | None:
    for statement in reversed(statements):
        tail = _Chain(statement, tail)
    return tail


_HAPPENED = {BREAK: "broke", CONTINUE: "continued", RETURN: "returned"}


@frozen
class _Context:
    """How exits are carried out. `flags`: kind → flag to set, the path then falling through.
    Without one: in a loop a Leave (a return sets `returned` first, a break `broke`), else a
    return ends the path.
    """

    flags: dict[str, str] | None = None
    in_loop: bool = False
    returned: str | None = None
    broke: str | None = None


_DIRECT = _Context()

REMEDIES = {
    "with": "Move the differentiated statements out of the with block, or into a function with a rule of its own.",
    "try": "Move the differentiated statements out of the try, or make sure that nothing in it can raise.",
}


class Normaliser:
    """Normalises the body of one function; `late`: what those names read that stand for nested
    functions made where they are used."""

    def __init__(self, scopes: Scopes, late: Mapping[str, Sequence[str]]) -> None:
        self.scopes = scopes
        self.late = late
        self.counter = 0
        self._exits: dict[Any, frozenset[str]] = {}

    def function(self, body: Sequence[Any], node: Any) -> Seq:
        """The body of a function; on every path that goes to its end RESULT is bound."""
        statements = list(body)
        if NORMAL in self.exits_of(statements):
            statements.append(gast.copy_location(gast.Return(value=None), statements[-1]))
        return self.block(_chain(statements), _DIRECT)

    # Which ways out a statement has

    def exits_of(self, statements: Iterable[Any]) -> frozenset[str]:
        """The ways in which control can leave these statements; raising is not counted."""
        out: set[str] = set()
        for statement in statements:
            kinds = self.exits(statement)
            out |= kinds - {NORMAL}
            if NORMAL not in kinds:
                return frozenset(out)
        return frozenset(out | {NORMAL})

    def exits(self, s: Any) -> frozenset[str]:
        if s not in self._exits:
            self._exits[s] = self._compute_exits(s)
        return self._exits[s]

    def _compute_exits(self, s: Any) -> frozenset[str]:
        match s:
            case gast.Return():
                return frozenset({RETURN})
            case gast.Break():
                return frozenset({BREAK})
            case gast.Continue():
                return frozenset({CONTINUE})
            case _Exit():
                return frozenset({s.kind})
            case gast.Raise():
                return frozenset()
            case gast.If():
                return self.exits_of(s.body) | self.exits_of(s.orelse)
            case _FlagTest():
                return self.exits_of(s.then) | self.exits_of(s.orelse)
            case gast.For() | gast.While():
                inside = self.exits_of(s.body)
                out = inside & {RETURN}
                if BREAK in inside:
                    out |= {NORMAL}
                if not _endless(s):
                    out |= self.exits_of(s.orelse)
                return out
            case gast.Try():
                body = self.exits_of([*s.body, *s.orelse])
                for handler in s.handlers:
                    body |= self.exits_of(handler.body)
                final = self.exits_of(s.finalbody)
                return body | final if NORMAL in final else final
            case gast.With():
                return self.exits_of(s.body) | {NORMAL}
            case gast.Match():
                out = frozenset({NORMAL})
                for case in s.cases:
                    out |= self.exits_of(case.body)
                return out
            case _:
                return frozenset({NORMAL})

    # Statements to items

    def block(self, chain: _Chain | None, context: _Context) -> Seq:
        """The items for the statements of `chain`, exits carried out as `context` says."""
        out: list[Item] = []
        while chain is not None:
            statement, rest = chain.head, chain.tail
            kinds = self.exits(statement)
            match statement:
                case gast.Return() | gast.Break() | gast.Continue() | _Exit():
                    out.extend(self._leave(statement, context))
                    return self.seq(out)
                case gast.If() | _FlagTest() if not kinds <= {NORMAL} or not kinds:
                    chain = self._conditional_exit(statement, rest, context, out)
                case gast.If() | _FlagTest():
                    out.append(self._branch(statement, _chain(_then(statement)), _chain(_orelse(statement)), context))
                    chain = rest
                case gast.For() | gast.While():
                    chain = self._loop(statement, rest, context, out)
                case gast.Match():
                    chain = _chain(as_branches(statement, self._flag), rest)
                case Question():
                    names = self._names([*statement.node.body, *(h.type for h in statement.node.handlers if h.type)])
                    facts = Facts((statement.name,), frozenset(names.reads) | names.binds.keys(), frozenset())
                    out.append(Asked(statement.node, statement.name, facts))
                    chain = rest
                case gast.Try() | gast.With():
                    chain = self._foreign(statement, rest, out)
                case gast.Raise():
                    out.append(Throw(statement, Facts((), self._reads([statement]), None)))
                    return self.seq(out)
                case gast.Assert() if not __debug__:  # python -O takes it out of the code
                    chain = rest
                case gast.Assert():
                    out.append(self._assert(statement))
                    chain = rest
                case gast.Pass() | gast.Global() | gast.Nonlocal():
                    chain = rest
                case _:
                    out.append(self._plain(statement))
                    chain = rest
        return self.seq(out)

    def _leave(self, statement: Any, context: _Context) -> list[Item]:
        kind = next(iter(self.exits(statement)))
        node = statement.node if isinstance(statement, _Exit) else statement
        out: list[Item] = []
        if isinstance(statement, gast.Return):
            value: Any = node.value
            reads = self._reads([value]) if value is not None else frozenset[str]()
            out.append(SetResult(value, node, Facts((RESULT,), reads, frozenset({RESULT}))))
        if context.flags is not None:
            out.append(self._set(context.flags[kind], True, node))
        elif context.in_loop:
            flag = {RETURN: context.returned, BREAK: context.broke, CONTINUE: None}[kind]
            if flag is not None:
                out.append(self._set(flag, True, node))
            out.append(Leave(kind != CONTINUE))
        return out

    def _conditional_exit(self, s: Any, rest: _Chain | None, context: _Context, out: list[Item]) -> _Chain | None:
        then, orelse = _then(s), _orelse(s)
        partial = NORMAL in self.exits_of(then) and NORMAL in self.exits_of(orelse)
        if not partial or rest is None or self._trivial(rest.head):
            # A path that does not go on has an exit before `rest`, which stops it there.
            out.append(self._branch(s, _chain(then, rest), _chain(orelse, rest), context))
            return None
        node = s if isinstance(s, gast.If) else s.node
        flags = {kind: self._flag(_HAPPENED[kind]) for kind in sorted(self.exits(s) - {NORMAL})}
        out.extend(self._set(flag, False, node) for flag in flags.values())
        out.append(self._branch(s, _chain(then), _chain(orelse), _Context(flags)))
        for kind, flag in flags.items():
            rest = _Chain(_FlagTest(flag, (_Exit(kind, node),), (), node), rest)
        return rest

    def _trivial(self, s: Any) -> bool:
        """Whether a statement is an exit so small that it may stand twice."""
        if isinstance(s, gast.Return):
            return s.value is None or isinstance(s.value, (gast.Name, gast.Constant))
        return isinstance(s, (gast.Break, gast.Continue, _Exit))

    def _branch(self, s: Any, then: _Chain | None, orelse: _Chain | None, context: _Context) -> Branch:
        if isinstance(s, _FlagTest):
            test: Any = s.flag
            binds, reads = {}, frozenset({s.flag})
        else:
            test = s.test
            names = self._names([s.test])
            binds, reads = self._binds(names), frozenset(names.reads)
        return self._make_branch(test, binds, reads, self.block(then, context), self.block(orelse, context), s)

    def _make_branch(
        self, test: Any, binds: dict[str, None], reads: frozenset[str], then: Seq, orelse: Seq, s: Any
    ) -> Branch:
        a, b = then.facts, orelse.facts
        kills = b.kills if a.kills is None else a.kills if b.kills is None else a.kills & b.kills
        facts = Facts(tuple(binds | dict.fromkeys(a.binds + b.binds)), reads | a.reads | b.reads, kills)
        return Branch(test, then, orelse, s.node if isinstance(s, _FlagTest) else s, facts)

    def _loop(self, s: Any, rest: _Chain | None, context: _Context, out: list[Item]) -> _Chain | None:
        inside = self.exits_of(s.body)
        goes_on = BREAK in inside or not _endless(s)
        returned = self._flag("returned") if RETURN in inside and goes_on else None
        broke = self._flag("broke") if s.orelse and BREAK in inside else None
        out.extend(self._set(flag, False, s) for flag in (returned, broke) if flag is not None)
        body = self.block(_chain(s.body), _Context(None, True, returned, broke))
        if isinstance(s, gast.For):
            body = self.seq([self._target(s.target), *body.items])
            reads = self._reads([s.iter])
        else:
            reads = frozenset[str]()
            if not _endless(s):
                names = self._names([s.test])
                binds, tested = self._binds(names), frozenset(names.reads)
                body = self.seq([self._make_branch(s.test, binds, tested, body, self.seq([Leave(True)]), s)])
        iterated = self._names([s.iter]) if isinstance(s, gast.For) else Names()
        binds = tuple(self._binds(iterated) | dict.fromkeys(body.facts.binds))
        out.append(Loop(getattr(s, "iter", None), body, s, Facts(binds, reads | body.facts.reads)))
        if not goes_on:
            return _Chain(_Exit(RETURN, s), rest) if RETURN in inside else _Chain(NEVER, None)
        if broke is not None:
            rest = _Chain(_FlagTest(broke, (), tuple(s.orelse), s), rest)
        elif s.orelse and not _endless(s):
            rest = _chain(s.orelse, rest)
        if returned is not None:
            rest = _Chain(_FlagTest(returned, (_Exit(RETURN, s),), (), s), rest)
        return rest

    def _foreign(self, s: Any, rest: _Chain | None, out: list[Item]) -> _Chain | None:
        feature = "try" if isinstance(s, gast.Try) else "with"
        names = self._names([s])
        binds = self._binds(names)
        kinds = self.exits(s)
        if names.yields:
            facts = Facts(tuple(binds), frozenset(names.reads))
            out.append(Refused(s, "yield is not followed", "Return a list in place of yielding its items.", facts))
            return rest
        made_plain = YIELD in names.reads  # which has no text that could run as written
        exits = [kind for kind in (RETURN, BREAK, CONTINUE) if kind in kinds or (kind == RETURN and names.returns)]
        flags = {kind: self._flag(_HAPPENED[kind]) for kind in exits}
        body = None
        if isinstance(s, gast.Try):
            body = self.block(_chain([*s.body, *s.orelse, *s.finalbody]), _Context(flags) if flags else _DIRECT)
            body = self.seq([*(self._set(flag, False, s) for flag in flags.values()), *body.items])
        else:
            body = self._managed(s, flags)
        extra = (*flags.values(), RESULT) if RETURN in flags else tuple(flags.values())
        # a name may keep the value it had, if the code stops before binding it
        facts = Facts((*extra, *binds), frozenset(names.reads) | binds.keys(), frozenset(extra))
        if made_plain:
            out.extend(body.items)
            return self._behind(kinds, flags, s, rest)
        foreign = Foreign(s, body, flags, feature, REMEDIES[feature], facts)
        out.append(self._by_its_way(foreign) if isinstance(s, gast.Try) else foreign)
        return self._behind(kinds, flags, s, rest)

    def _behind(self, kinds: frozenset[str], flags: dict[str, str], s: Any, rest: _Chain | None) -> _Chain | None:
        """What follows code that has noted in flags how it was left."""
        if NORMAL not in kinds:
            last = next(iter(flags), None)
            rest = _Chain(NEVER if last is None else _Exit(last, s), None)
            flags = {kind: flag for kind, flag in flags.items() if kind != last}
        for kind, flag in reversed(flags.items()):
            rest = _Chain(_FlagTest(flag, (_Exit(kind, s),), (), s), rest)
        return rest

    def _by_its_way(self, item: Foreign) -> Foreign:
        """A try as branches on the way that it goes as well, where that is the same; and the names that its body may
        have bound before it raises, and that its handlers leave as they are."""
        s, flags = item.node, item.flags
        if s.finalbody and s.handlers:  # it is done whatever the handlers do
            inner = gast.copy_location(gast.Try(s.body, s.handlers, s.orelse, []), s)
            s = gast.copy_location(gast.Try([inner], [], [], s.finalbody), s)
            item = replace(item, node=s)
        late = bound_late(s.body, self._names(s.body).binds)
        kinds = self.exits_of([*s.body, *s.orelse]).union(*(self.exits_of(h.body) for h in s.handlers))
        if late is None or not leaves_plainly(s.body) or s.finalbody and kinds - {NORMAL}:
            return item
        context, unsure = _Context(dict(flags)) if flags else _DIRECT, set[str]()
        for handler in s.handlers:
            facts = self.block(_chain(handled(handler, s.finalbody)), context).facts
            if not speaks_plainly(handler) or not late.isdisjoint(facts.reads):
                return item
            goes_on = not {BREAK, CONTINUE}.isdisjoint(self.exits_of(handler.body))  # with what a loop carries
            killed = frozenset[str]() if goes_on else late if facts.kills is None else facts.kills
            unsure |= late - killed | {caught(handler) or ""}
        unset = [self._set(flag, False, s) for flag in flags.values()]
        asked = self.block(_chain(by_its_way(s, self._flag("way"))), context)
        tried = self.seq([*unset, *self.block(_chain(s.body), context).items])
        return replace(item, ways=self.seq([*unset, *asked.items]), tried=tried, unsure=frozenset(unsure))

    def _managed(self, s: Any, flags: dict[str, str]) -> Seq:
        """A `with` as loops over the values that its managers give, one each; all ways out lead to their ends."""
        body = self.block(_chain(s.body), _Context(flags) if flags else _DIRECT)
        for item in reversed(s.items):
            if item.optional_vars is not None:
                body = self.seq([self._target(item.optional_vars), *body.items])
            names = self._names([item.context_expr])
            binds = tuple(self._binds(names) | dict.fromkeys(body.facts.binds))
            facts = Facts(binds, frozenset(names.reads) | body.facts.reads, body.facts.kills)
            body = self.seq([Managed(item.context_expr, body, s, facts)])
        return self.seq([*(self._set(flag, False, s) for flag in flags.values()), *body.items])

    def _target(self, target: Any) -> Target:
        names = self._names([target])
        return Target(target, Facts(tuple(names.binds), frozenset(names.reads), frozenset(names.binds)))

    def _assert(self, s: Any) -> Branch:
        names = self._names([s.test])
        reads = self._reads([s.msg]) if s.msg is not None else frozenset[str]()
        throw = self.seq([Throw(s, Facts((), reads, None))])
        return self._make_branch(s.test, self._binds(names), frozenset(names.reads), self.seq([]), throw, s)

    def _plain(self, s: Any) -> Item:
        names = self._names([s])
        binds = self._binds(names)
        reads = frozenset(names.reads)
        if isinstance(s, (gast.ClassDef, gast.AsyncFunctionDef, gast.AsyncFor, gast.AsyncWith)):
            what = "a class defined inside a function" if isinstance(s, gast.ClassDef) else "async"
            return Refused(s, f"{what} is not followed", "Move it out of the function.", Facts(tuple(binds), reads))
        # A statement reads before it binds, but for names that only its walruses bind.
        return Plain(s, Facts(tuple(binds), reads, frozenset(names.binds) if not names.walrus else frozenset()))

    def seq(self, items: Sequence[Item]) -> Seq:
        """The items with what is known of them as a whole."""
        binds: dict[str, None] = {}
        reads: set[str] = set()
        kills: set[str] | None = set()
        for item in reversed(items):
            facts = item.facts
            if facts.kills is None:
                reads, kills = set(), None
            else:
                reads -= facts.kills
                if kills is not None:
                    kills |= facts.kills
            reads |= facts.reads
        for item in items:
            binds.update(dict.fromkeys(item.facts.binds))
        known = Facts(tuple(binds), frozenset(reads), None if kills is None else frozenset(kills))
        return Seq(tuple(items), known, any(map(leaves, items)))

    def _names(self, nodes: Iterable[Any]) -> Names:
        names = self.scopes.names(nodes)
        for name in [n for n in self.late if n in names.reads]:
            names.reads.update(dict.fromkeys(self.late[name]))
        return names

    def _binds(self, names: Names) -> dict[str, None]:
        return names.binds

    def _reads(self, nodes: Iterable[Any]) -> frozenset[str]:
        return frozenset(self._names(nodes).reads)

    def _flag(self, what: str) -> str:
        self.counter += 1
        return f"%{what}%{self.counter}"

    def _set(self, flag: str, value: bool, node: Any) -> SetFlag:
        return SetFlag(flag, value, node, Facts((flag,), frozenset(), frozenset({flag})))


def _then(s: Any) -> Sequence[Any]:
    return s.then if isinstance(s, _FlagTest) else s.body


def _orelse(s: Any) -> Sequence[Any]:
    return s.orelse


def _endless(s: Any) -> bool:
    """Whether a loop is `while True`."""
    return isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and bool(s.test.value)
