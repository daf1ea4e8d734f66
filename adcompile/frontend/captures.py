"""Whether a nested function may take the values of its free variables where it is defined.

Python's closures hold variables, ours hold values. The two agree if the variable is not rebound
while the closure can still be called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast

from adcompile.frontend.scopes import COMPREHENSIONS, FUNCTIONS, Scopes

LEAVING = (gast.Return, gast.Raise, gast.Continue, gast.Break)
CACHES: tuple[Any, ...] = (functools.cache, functools.lru_cache)


@dataclass(slots=True)
class _Moment:
    """When something happens, and in which loops."""

    time: int
    loops: tuple[int, ...]
    comprehension: int | None = None  # the one whose target is bound
    fresh: frozenset[int] = frozenset()  # loops in whose iteration the name that is read is bound, on all paths
    arms: frozenset[tuple[int, int]] = frozenset()  # of which statements it is in one of several, and in which

    def excludes(self, other: _Moment) -> bool:
        """Whether another one is in another arm of some statement: one call of the function takes one of them."""
        ours = dict(self.arms)
        return not self.loops and any(ours.get(s, k) != k for s, k in other.arms)


@dataclass(slots=True)
class Captures:
    """What a function's own code does with its variables and its nested functions."""

    body: Sequence[Any]
    scopes: Scopes
    meant: Callable[[str], Any]  # what a name that is global here is bound to; None for others
    _clock: int = 0
    _loops: tuple[int, ...] = ()
    _arm: frozenset[tuple[int, int]] = frozenset()
    _sure: tuple[frozenset[str], ...] = ()  # for each of the loops, what its iteration has bound for certain
    _bindings: dict[str, list[_Moment]] = field(default_factory=dict[str, list[_Moment]])
    _functions: dict[Any, _Moment] = field(default_factory=dict[Any, _Moment])
    _loads: dict[str, list[_Moment]] = field(default_factory=dict[str, list[_Moment]])
    _kept: dict[str, list[_Moment]] = field(default_factory=dict[str, list[_Moment]])  # loads that may keep the value
    _captured: set[str] = field(default_factory=set[str])
    _kept_functions: set[Any] = field(default_factory=set[Any])
    _names_of: dict[Any, str] = field(default_factory=dict[Any, str])
    _nonlocals: set[str] = field(default_factory=set[str])
    _done: bool = False

    def problem(self, node: Any, name: str) -> str | None:
        """Why the nested function `node` cannot capture the value of `name`; None if it can."""
        self._survey()
        if name in self._nonlocals:
            return f"{name!r} is assigned to by a nested function"
        me = self._functions[node]
        seen = self._seen(node, name)
        if any(b.time > me.time for b in seen):
            return f"{name!r} is assigned to after the function that captures it is defined"
        shared = {loop for b in seen for loop in b.loops if loop in me.loops}
        if shared and self._outlives(node, me):
            return f"{name!r} changes in the loop while a function that captures it is kept"
        return None

    def _seen(self, node: Any, name: str) -> list[_Moment]:
        """What binds the variable that a nested function means by a name: no comprehension but those it is in."""
        self._survey()
        me = self._functions[node]
        return [b for b in self._bindings.get(name, ()) if b.comprehension is None or b.comprehension in me.loops]

    def functions(self) -> list[Any]:
        """The functions nested directly in this one."""
        self._survey()
        return list(self._functions)

    def rebound(self, node: Any, name: str) -> bool:
        """Whether a nested function must see a variable as it is when it runs, and can: it is
        none of a comprehension's."""
        plain = all(b.comprehension is None for b in self._seen(node, name))
        return plain and not self.is_own(node, name) and self.problem(node, name) is not None

    def varies(self, node: Any, name: str, given: bool) -> bool:
        """Whether a nested function that runs later than it is called may see several values of a variable, which
        may be a parameter."""
        seen = self._seen(node, name)
        plain = all(b.comprehension is None for b in seen)
        later = _several(seen, given) or self.problem(node, name) is not None
        return plain and later and not self.is_own(node, name)

    def is_own(self, node: Any, name: str) -> bool:
        """Whether a nested function is what its own name means when it runs: nothing else is bound to that later, and
        no decorator makes something else of it."""
        self._survey()
        if self._names_of.get(node) != name or not all(map(self._remembers, getattr(node, "decorator_list", ()))):
            return False
        me = self._functions[node]
        seen = [b for b in self._seen(node, name) if not b.excludes(me)]
        before = [b for b in seen if b.time < me.time]
        return len(seen) == len(before) + 1 and not any(b.loops for b in before)

    def _remembers(self, decorator: Any) -> bool:
        """Whether a decorator is a cache of functools, which gives what the function itself gives."""
        made = decorator.func if isinstance(decorator, gast.Call) else decorator
        if isinstance(made, gast.Attribute) and isinstance(made.value, gast.Name):
            return self.meant(made.value.id) is functools and getattr(functools, made.attr, None) in CACHES
        return isinstance(made, gast.Name) and any(self.meant(made.id) is cache for cache in CACHES)

    def changes(self, name: str, given: bool) -> bool:
        """Whether a variable, which may be a parameter, has several values."""
        self._survey()
        return _several(self._bindings.get(name, ()), given)

    def _outlives(self, node: Any, me: _Moment) -> bool:
        """Whether the function may be called after the iteration that defines it: where it is handed on, or by its
        name in another iteration, or behind the loop."""
        name = self._names_of.get(node)
        if name is None:
            return node in self._kept_functions
        same = all(use.fresh.issuperset(me.loops) for use in self._loads.get(name, ()))
        return name in self._kept or name in self._captured or not same

    def _survey(self) -> None:
        if not self._done:
            self._done = True
            self._statements(self.body)

    def late_functions(self) -> dict[str, Any]:
        """The nested functions to be made anew wherever they are used, with the values that what
        they capture has there: for those that capture what is bound, or bound again, only after
        them (so functions that call each other are among them). By name; they are defined at the
        top of the body, once, without defaults or decorators.
        """
        definitions = {s.name: s for s in self.body if isinstance(s, gast.FunctionDef) and _is_bare(s)}
        if not definitions:
            return {}
        self._survey()
        late: dict[str, Any] = {}
        while True:
            new = {n for n in definitions.keys() - late.keys() if self._is_late(definitions[n], late)}
            if not new:
                break
            for name in definitions:
                if name in new:
                    late[name] = definitions[name]
                    captured = self.free_of(definitions[name], late)
                    late.update((n, definitions[n]) for n in captured if n in definitions and n not in late)
        return {name: node for name, node in late.items() if self._may_be_late(node, late)}

    def free_of(self, node: Any, late: dict[str, Any]) -> list[str]:
        """What a nested function captures when the `late` ones are made inside it."""
        own, seen = getattr(node, "name", None), dict[str, None]()
        stack = list(self.scopes.of(node).free)
        while stack:
            name = stack.pop()
            if name not in seen:
                seen[name] = None
                if name in late and name != own:
                    stack.extend(self.scopes.of(late[name]).free)
        return sorted(n for n in seen if n == own or n not in late)

    def _is_late(self, node: Any, late: dict[str, Any]) -> bool:
        return any(n != node.name and self.problem(node, n) is not None for n in self.free_of(node, late))

    def _may_be_late(self, node: Any, late: dict[str, Any]) -> bool:
        name, me = node.name, self._functions[node]
        if len(self._bindings[name]) != 1 or any(use.time < me.time for use in self._loads.get(name, ())):
            return False
        uses = self._loads if any(_hands_out(n, self.scopes, late) for n in self._behind(node, late)) else self._kept
        for captured in self.free_of(node, late):
            if captured in self._nonlocals:
                return False
            for binding in self._bindings.get(captured, ()):
                for use in uses.get(name, ()):
                    if binding.time > use.time or set(binding.loops) & set(use.loops):
                        return False
        return True

    def _behind(self, node: Any, late: dict[str, Any]) -> list[Any]:
        """A nested function, and the late ones that run when it is called."""
        found, todo = dict[str, Any](), [node.name]
        while todo:
            name = todo.pop()
            if name in late and name not in found:
                found[name] = late[name]
                todo += self.scopes.of(late[name]).free
        return list(found.values()) or [node]

    def _now(self) -> _Moment:
        self._clock += 1
        return _Moment(self._clock, self._loops, arms=self._arm)

    def _statements(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            self._visit(node, kept=True)

    def _visit(self, node: Any, kept: bool) -> None:
        """`kept`: whether what `node` evaluates to may be stored somewhere."""
        match node:
            case gast.Name():
                if isinstance(node.ctx, gast.Load):
                    moment = self._now()
                    moment.fresh = frozenset(k for k, sure in zip(self._loops, self._sure) if node.id in sure)
                    self._loads.setdefault(node.id, []).append(moment)
                    if kept:
                        self._kept.setdefault(node.id, []).append(moment)
                else:
                    self._bind(node.id)
            case gast.Assign(value=value) | gast.AnnAssign(value=value) if value is not None:
                targets = node.targets if isinstance(node, gast.Assign) else [node.target]
                if isinstance(value, gast.Lambda) and len(targets) == 1 and isinstance(targets[0], gast.Name):
                    self._names_of[value] = targets[0].id
                self._visit(value, True)
                self._statements(targets)
            case gast.AugAssign() | gast.NamedExpr():
                self._visit(node.value, True)
                self._visit(node.target, True)
            case gast.For():
                self._visit(node.iter, True)
                self._loop(node, [node.target, *node.body])
                self._statements(node.orelse)
            case gast.While():
                self._loop(node, [node.test, *node.body])
                self._statements(node.orelse)
            case gast.If():
                self._visit(node.test, True)
                self._arms(node.body, node.orelse)
            case gast.Match():
                self._visit(node.subject, True)
                self._arms(*([case] for case in node.cases), [])
            case gast.MatchAs() | gast.MatchStar() | gast.MatchMapping():
                name = node.rest if isinstance(node, gast.MatchMapping) else node.name
                for child in gast.iter_child_nodes(node):
                    self._visit(child, True)
                if name is not None:
                    self._bind(name)
            case gast.Try():
                self._arms([*node.body, *node.orelse], *([h] for h in node.handlers), [])
                self._statements(node.finalbody)
            case gast.Call():
                self._visit(node.func, False)
                for arg in [*node.args, *(k.value for k in node.keywords)]:
                    self._visit(arg, True)  # as functools.partial does, or a class
            case _ if isinstance(node, COMPREHENSIONS):
                self._comprehension(node)
            case _ if isinstance(node, FUNCTIONS):
                self._function(node, kept)
            case _:
                for child in gast.iter_child_nodes(node):
                    self._visit(child, True)

    def _bind(self, name: str, comprehension: int | None = None) -> None:
        moment = self._now()
        moment.comprehension = comprehension
        if comprehension is None:
            self._sure = tuple(sure | {name} for sure in self._sure)
        self._bindings.setdefault(name, []).append(moment)

    def _arms(self, *arms: Sequence[Any]) -> None:
        """Statements one of which runs."""
        before, ends, outer = self._sure, list[tuple[frozenset[str], ...]](), self._arm
        which = self._now().time
        for k, arm in enumerate(arms):
            self._sure, self._arm = before, outer | {(which, k)}
            self._statements(arm)
            if not (arm and isinstance(arm[-1], LEAVING)):
                ends.append(self._sure)
        self._arm = outer
        self._sure = tuple(frozenset.intersection(*sets) for sets in zip(*ends)) if ends else before

    def _loop(self, node: Any, inside: Sequence[Any]) -> None:
        loops, sure = self._loops, self._sure
        self._loops, self._sure = (*loops, id(node)), (*sure, frozenset())
        self._statements(inside)
        self._loops, self._sure = loops, sure

    def _comprehension(self, node: Any) -> None:
        loops, sure = self._loops, self._sure
        self._loops, self._sure = (*loops, id(node)), (*sure, frozenset())
        for generator in node.generators:
            self._visit(generator.iter, True)
            for name in self.scopes.names([generator.target]).binds:
                self._bind(name, id(node))
            self._statements(generator.ifs)
        self._statements([node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt])
        self._loops, self._sure = loops, sure

    def _function(self, node: Any, kept: bool) -> None:
        self._statements([*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)])
        if not isinstance(node, gast.Lambda):
            self._statements(node.decorator_list)
            self._names_of[node] = node.name
        self._nonlocals |= self.scopes.of(node).nonlocals
        self._captured.update(self.scopes.of(node).free)  # a function that captures another may keep it
        self._functions[node] = self._now()
        if kept:
            self._kept_functions.add(node)
        if not isinstance(node, gast.Lambda):
            self._bind(node.name)


def _hands_out(node: Any, scopes: Scopes, late: dict[str, Any]) -> bool:
    """Whether what a call of a nested function returns or keeps may be a function that captures variables
    of the function around: one of its own, or a late one that it does not just call."""
    called = {id(n.func) for n in gast.walk(node) if isinstance(n, gast.Call)}
    for n in gast.walk(node):
        if n is not node and isinstance(n, FUNCTIONS) and scopes.of(n).free:
            return True
        if isinstance(n, gast.Name) and n.id in late and isinstance(n.ctx, gast.Load) and id(n) not in called:
            return True
    return False


def _is_bare(node: Any) -> bool:
    """Whether a def has neither decorators nor defaults, which are evaluated once."""
    return not node.decorator_list and not node.args.defaults and not any(d is not None for d in node.args.kw_defaults)


def _several(bindings: Sequence[_Moment], given: bool) -> bool:
    """Whether a variable, which may be a parameter, is bound more than once."""
    return len(bindings) + given > 1 or any(b.loops for b in bindings)
