"""What names a piece of source reads and binds, scope by scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from adcompile.frozen import frozen

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@dataclass(slots=True)
class Names:
    """Names in the order in which they are first met."""

    reads: dict[str, None] = field(default_factory=dict[str, None])
    binds: dict[str, None] = field(default_factory=dict[str, None])
    globals: set[str] = field(default_factory=set[str])
    nonlocals: set[str] = field(default_factory=set[str])
    yields: bool = False
    walrus: bool = False
    returns: bool = False


@frozen
class Scope:
    """The names of one function."""

    params: tuple[str, ...]
    bound: frozenset[str]
    free: tuple[str, ...]  # read here or in nested functions, bound further out or global; sorted
    globals: frozenset[str]
    nonlocals: frozenset[str]
    yields: bool
    walrus: bool


def parameters(args: Any) -> list[Any]:
    """The parameter nodes in the order of `Function.params`."""
    out = [*args.posonlyargs, *args.args]
    if args.vararg is not None:
        out.append(args.vararg)
    out.extend(args.kwonlyargs)
    if args.kwarg is not None:
        out.append(args.kwarg)
    return out


class Scopes:
    """Scopes of the functions nested in one piece of source, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[Any, Scope] = {}

    def of(self, node: Any) -> Scope:
        """The scope of a FunctionDef or Lambda."""
        if node not in self._known:
            params = tuple(p.id for p in parameters(node.args))
            names = self.names([node.body] if isinstance(node, gast.Lambda) else node.body)
            bound = (names.binds.keys() | set(params)) - names.globals - names.nonlocals
            free = (names.reads.keys() | names.nonlocals) - bound - names.globals
            self._known[node] = Scope(
                params,
                frozenset(bound),
                tuple(sorted(free)),
                frozenset(names.globals),
                frozenset(names.nonlocals),
                names.yields,
                names.walrus,
            )
        return self._known[node]

    def names(self, nodes: Iterable[Any]) -> Names:
        """The names of these nodes, as seen from the scope they stand in."""
        out = Names()
        stack = list(nodes)[::-1]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is gast.Name:
                (out.reads if type(node.ctx) is gast.Load else out.binds)[node.id] = None
                if type(node.ctx) is gast.Del:  # which asks whether the name is bound
                    out.reads[node.id] = None
            elif kind is gast.BinOp:  # the commonest nodes, without the detour
                stack += (node.right, node.left)
            elif kind is not gast.Constant:
                stack.extend(reversed(self._visit(node, out)))
        return out

    def _visit(self, node: Any, out: Names) -> list[Any]:
        """Notes what `node` itself does; gives the children that belong to the same scope."""
        match node:
            case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.Lambda():
                return self._function(node, out)
            case gast.ClassDef():
                out.binds[node.name] = None
                inner = self.names(node.body)
                out.reads.update(inner.reads)
                return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                self._comprehension(node, out)
                return []
            case gast.AugAssign(target=gast.Name() as target):
                out.reads[target.id] = None
            case gast.NamedExpr():
                out.walrus = True
            case gast.alias():
                if node.name != "*":
                    out.binds[node.asname or node.name.split(".")[0]] = None
            case gast.MatchAs() | gast.MatchStar() if node.name is not None:
                out.binds[node.name] = None
            case gast.MatchMapping() if node.rest is not None:
                out.binds[node.rest] = None
            case gast.Global():
                out.globals.update(node.names)
            case gast.Nonlocal():
                out.nonlocals.update(node.names)
            case gast.Return():
                out.returns = True
            case gast.Yield() | gast.YieldFrom() | gast.Await():
                out.yields = True
            case gast.AnnAssign():
                # annotations of locals are not evaluated
                return [child for child in (node.value, node.target) if child is not None]
            case _:
                pass
        return list(gast.iter_child_nodes(node))

    def _function(self, node: Any, out: Names) -> list[Any]:
        out.reads.update(dict.fromkeys(self.of(node).free))
        children = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        if not isinstance(node, gast.Lambda):
            out.binds[node.name] = None
            children = [*node.decorator_list, *children]
        return children

    def _comprehension(self, node: Any, out: Names) -> None:
        first = node.generators[0]
        outer = self.names([first.iter])
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        inner = self.names(
            [*(g.iter for g in node.generators[1:]), *(c for g in node.generators for c in g.ifs), *elements]
        )
        targets = self.names(g.target for g in node.generators)
        inner.reads.update(targets.reads)
        out.reads.update(outer.reads)
        out.reads.update((n, None) for n in inner.reads if n not in targets.binds)
        out.binds.update(outer.binds)
        out.binds.update(inner.binds)  # walrus binds outside
        for names in (outer, inner):
            out.walrus |= names.walrus
            out.yields |= names.yields
        out.yields |= any(g.is_async for g in node.generators)


def assigned_inside(scopes: Scopes, node: Any) -> frozenset[str]:
    """The variables around the functions nested in this one, its own among them, that these
    functions assign to (nonlocal)."""
    return assigned_by_functions(scopes, [node.body] if isinstance(node, gast.Lambda) else node.body)


def assigned_by_functions(scopes: Scopes, nodes: Iterable[Any]) -> frozenset[str]:
    """The same of the functions that are defined in the scope of these nodes."""
    out: set[str] = set()
    for inner in nested_functions(nodes):
        scope = scopes.of(inner)
        out |= scope.nonlocals | (assigned_inside(scopes, inner) - scope.bound)
    return frozenset(out)


def nested_functions(nodes: Iterable[Any]) -> Iterator[Any]:
    """The functions defined directly in the scope of these nodes."""
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        if isinstance(node, FUNCTIONS):
            yield node
        else:
            stack.extend(reversed(list(gast.iter_child_nodes(node))))


CONSUMING = frozenset(
    "sum max min any all list tuple sorted set frozenset dict join array asarray fsum prod fromiter extend".split()
)
"""Names of what takes all items of an iterator at once."""


def generators_kept(node: Any) -> list[Any]:
    """The generator expressions in a statement that may give items behind it."""
    calls = [n for n in gast.walk(node) if isinstance(n, gast.Call)]
    taken = {id(a) for n in calls if getattr(n.func, "attr", getattr(n.func, "id", "")) in CONSUMING for a in n.args}
    return [n for n in gast.walk(node) if isinstance(n, gast.GeneratorExp) and id(n) not in taken]
