"""Which local lists and dicts nothing else names, so that mutating them is rebinding them.

Such a name is only ever bound to a container made on the spot, and is used in ways that keep no
reference to it, until after its last mutation. The mutations then lower to `ops.push`,
`ops.pop`, `ops.list_concat` and `ops.list_set`, which rebind the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gast

from adcompile.frontend.scopes import FUNCTIONS, MUTATORS, Scope, Scopes

READ_METHODS = frozenset({"index", "count", "copy", "get", "items", "keys", "values"})
PURE_READERS = frozenset({"len", "sum", "min", "max", "sorted", "tuple", "list", "set", "dict", "any", "all", "print"})
_ITERATORS = frozenset({"enumerate", "zip", "reversed", "range"})


_CONDITIONAL = object()
"""Stands among the loops around a use for an if, a try or a short circuit."""


@dataclass(slots=True)
class _Uses:
    """The occurrences of one name: places in program order, and the loops around each."""

    fresh: list[tuple[int, tuple[int, ...]]] = field(default_factory=list[Any])
    mutated: list[tuple[int, tuple[int, ...]]] = field(default_factory=list[Any])
    escapes: list[tuple[int, tuple[int, ...]]] = field(default_factory=list[Any])
    iterated: list[int] = field(default_factory=list[int])
    hopeless: bool = False


class _Survey:
    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.uses: dict[str, _Uses] = {}
        self.clock = 0
        self.loops: tuple[int, ...] = ()

    def of(self, name: str) -> _Uses:
        return self.uses.setdefault(name, _Uses())

    def now(self) -> tuple[int, tuple[int, ...]]:
        self.clock += 1
        return self.clock, self.loops

    def statements(self, nodes: Sequence[Any]) -> None:
        for node in nodes:
            self.visit(node)

    def visit(self, node: Any) -> None:
        """Notes how names are used; a Name met here is used in a way that may keep it."""
        match node:
            case gast.Name(id=name):
                if isinstance(node.ctx, gast.Load):
                    self.of(name).escapes.append(self.now())
                else:
                    self.of(name).hopeless = True
            case gast.Assign(value=value):
                self._assign(node.targets, value)
            case gast.AnnAssign(target=target, value=value) if value is not None:
                self._assign([target], value)
            case gast.AugAssign(target=gast.Name(id=name)):
                self.visit(node.value)
                self.of(name).mutated.append(self.now())
            case gast.For():
                self._for(node)
            case gast.While():
                self._in_loop(node, lambda: (self.read(node.test), self.statements(node.body)))
                self.statements(node.orelse)
            case gast.Subscript(value=gast.Name(id=name)):
                self.visit(node.slice)
                if isinstance(node.ctx, gast.Load):
                    self.now()
                elif isinstance(node.ctx, gast.Store):
                    self.of(name).mutated.append(self.now())
                else:
                    self.of(name).hopeless = True
            case gast.Call():
                self._call(node)
            case gast.If() | gast.IfExp():
                self.read(node.test)
                self._in_loop(_CONDITIONAL, lambda: self._children(node, skip=node.test))
            case gast.Try() | gast.Match() | gast.BoolOp():
                self._in_loop(_CONDITIONAL, lambda: self._children(node))
            case gast.UnaryOp(op=gast.Not()):
                self.read(node.operand)
            case gast.Compare():
                self._compare(node)
            case gast.Starred(value=value, ctx=gast.Load()):
                self.read(value)
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                self._comprehension(node)
            case gast.Delete():
                for target in node.targets:
                    if isinstance(target, gast.Name):
                        self.of(target.id).hopeless = True
                    else:
                        self.visit(target)
            case _ if isinstance(node, FUNCTIONS):
                self._function(node)
            case _:
                self._children(node)

    def read(self, node: Any) -> None:
        """A use that keeps no reference, if `node` is a bare name."""
        if isinstance(node, gast.Name):
            self.now()
        elif isinstance(node, gast.BoolOp):  # of a test: its operands are only looked at
            for operand in node.values:
                self._in_loop(_CONDITIONAL, partial(self.read, operand))
        else:
            self.visit(node)

    def _children(self, node: Any, skip: Any = None) -> None:
        for child in gast.iter_child_nodes(node):
            if child is not skip:
                self.visit(child)

    def _assign(self, targets: Sequence[Any], value: Any) -> None:
        self.visit(value)
        for target in targets:
            if len(targets) == 1 and isinstance(target, gast.Name) and _is_fresh(value):
                self.of(target.id).fresh.append(self.now())
            else:
                self.visit(target)

    def _iterate(self, node: Any) -> list[str]:
        """The names that a loop over `node` iterates."""
        match node:
            case gast.Name(id=name):
                self.now()
                return [name]
            case gast.Call(func=gast.Name(id=fn), args=args) if fn in _ITERATORS:
                self.visit(node.func)
                return [name for arg in args for name in self._iterate(arg)]
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="items" | "keys" | "values"), args=[]):
                self.now()
                return [name]
            case _:
                self.visit(node)
                return []

    def _in_loop(self, node: Any, body: Any) -> None:
        # A binding under a condition must not count as one that every iteration begins with.
        outside, self.loops = self.loops, (*self.loops, id(node))
        body()
        self.loops = outside

    def _for(self, node: Any) -> None:
        for name in self._iterate(node.iter):
            self.of(name).iterated.append(id(node))
        self._in_loop(node, lambda: (self.visit(node.target), self.statements(node.body)))
        self.statements(node.orelse)

    def _comprehension(self, node: Any) -> None:
        for generator in node.generators:
            for name in self._iterate(generator.iter):
                self.of(name).iterated.append(id(node))
            self.visit(generator.target)
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        conditions = [c for g in node.generators for c in g.ifs]
        self._in_loop(node, lambda: self.statements([*conditions, *elements]))

    def _call(self, node: gast.Call) -> None:
        match node:
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr=attr)):
                if attr in READ_METHODS:
                    self.now()
                elif attr in MUTATORS and not node.keywords and len(node.args) == (attr != "pop"):
                    self.statements(node.args)
                    self.of(name).mutated.append(self.now())
                    return
                else:
                    self.of(name).escapes.append(self.now())
                    if attr in MUTATORS:
                        self.of(name).hopeless = True
            case gast.Call(func=gast.Name(id=fn), keywords=[]) if fn in PURE_READERS:
                self.visit(node.func)
                for arg in node.args:
                    self.read(arg)
                return
            case _:
                self.visit(node.func)
        self.statements(node.args)
        self.statements(node.keywords)

    def _compare(self, node: gast.Compare) -> None:
        self.visit(node.left)
        for op, operand in zip(node.ops, node.comparators):
            if isinstance(op, (gast.In, gast.NotIn)):
                self.read(operand)
            else:
                self.visit(operand)

    def _function(self, node: Any) -> None:
        for name in self.scopes.of(node).free:
            self.of(name).escapes.append(self.now())
        for name in self.scopes.of(node).nonlocals:
            self.of(name).hopeless = True
        if not isinstance(node, gast.Lambda):
            self.of(node.name).hopeless = True
            self.statements(node.decorator_list)
        self.statements([*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)])


def _is_fresh(value: Any) -> bool:
    match value:
        case gast.List() | gast.Dict() | gast.ListComp() | gast.DictComp():
            return True
        case gast.Call(func=gast.Name(id="list" | "dict")):
            return True
        case gast.BinOp(op=gast.Mult(), left=gast.List()) | gast.BinOp(op=gast.Mult(), right=gast.List()):
            return True
        case _:
            return False


def _local_only(uses: _Uses) -> bool:
    if uses.hopeless or not uses.fresh or not uses.mutated:
        return False
    if any(loop in loops for loop in uses.iterated for _, loops in uses.mutated):
        return False
    last = max(time for time, _ in uses.mutated)
    for time, loops in uses.escapes:
        if time < last:
            return False
        # In a loop that also mutates it, the next iteration must begin with a new container.
        for around in _shared(loops, uses.mutated):
            if not any(fresh == around and when < time for when, fresh in uses.fresh):
                return False
    return True


def _shared(loops: tuple[int, ...], mutated: Sequence[tuple[int, tuple[int, ...]]]) -> set[tuple[int, ...]]:
    """The loops (each with those around it) that hold both a use in `loops` and a mutation."""
    out: set[tuple[int, ...]] = set()
    for depth in range(1, len(loops) + 1):
        if loops[depth - 1] != id(_CONDITIONAL) and any(other[:depth] == loops[:depth] for _, other in mutated):
            out.add(loops[:depth])
    return out


def local_containers(node: Any, scope: Scope, scopes: Scopes) -> frozenset[str]:
    """The names of the function `node` whose list or dict is mutated, and is nobody else's."""
    if isinstance(node, gast.Lambda) or not any(_mutates(scopes, node)):
        return frozenset()
    survey = _Survey(scopes)
    survey.statements(node.body)
    return frozenset(
        name
        for name, uses in survey.uses.items()
        if name in scope.bound and name not in scope.params and _local_only(uses)
    )


def _mutates(scopes: Scopes, node: Any) -> list[str]:
    return list(scopes.names(node.body).mutates)
