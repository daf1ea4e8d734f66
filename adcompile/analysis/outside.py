"""Functions that have a rule and write into what they reach by themselves, as their source says.

Names of modules, captured variables, attributes of modules and objects, arrays and lists that these hold. A rule speaks
of the result alone. Found is what is certain, and only where what is written depends on parameters.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any

import gast

from adcompile.analysis.intrusive import DEPTH, OURS, VIEWING, VIEWS, WRITING, written_parameters
from adcompile.analysis.stores import MUTATING, is_empty
from adcompile.errors import SourceError
from adcompile.frontend.scopes import parameters
from adcompile.frontend.source import source_of
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom
from adcompile.rules.registry import lookup
from adcompile.runtime.objects import attributes

Names = frozenset[str]


@frozen(eq=False)
class Place:
    """Memory that is there before the call: `owner` itself, or its attribute or name `name`, which is bound anew;
    with `parts` a container of which it may be a part."""

    owner: Any
    name: str | None
    text: str
    parts: bool = False


UNKNOWN = object()


def writes_outside(fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> list[tuple[Place, list[Atom]]]:
    """What a call of a function with a rule writes into, and the arguments that go in there."""
    if not isinstance(fn, FunctionType) or str(fn.__module__).partition(".")[0] in OURS or lookup(fn) is None:
        return []
    given = dict(bound(fn, args, kwargs))
    return [(place, [given[n] for n in names if n in given]) for place, names in _writes(fn)]


def bound(fn: FunctionType, args: Sequence[Any], kwargs: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The arguments of a call by the names of parameters; those for `*args` all under that name's."""
    names: list[Any] = []
    for p in inspect.signature(fn).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            names += [p.name] * (len(args) - len(names))
        elif p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD:
            names.append(p.name)
    return [*zip(names, args), *kwargs]


def _writes(fn: FunctionType, depth: int = 0) -> list[tuple[Place, Names]]:
    node = _node(fn)
    if node is None:
        return []
    scan = _Scan(fn, node, depth)
    scan.run([node.body] if isinstance(node, gast.Lambda) else node.body)
    return scan.found


@functools.lru_cache(1024)
def _node(fn: FunctionType) -> Any:
    try:
        return source_of(fn).node
    except SourceError:
        return None


def _nodes(body: Sequence[Any]) -> list[Any]:
    """The nodes of a body, those of inner functions left out, in the order of the text."""
    out, stack = list[Any](), list(body)
    while stack:
        node = stack.pop()
        out.append(node)
        if not isinstance(node, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
            stack.extend(gast.iter_child_nodes(node))
    return sorted(out, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))


class _Scan:
    """What one function writes into. `holds`: the parameters that go into what a local name means; `shows`: what
    such a name stands for."""

    def __init__(self, fn: FunctionType, node: Any, depth: int) -> None:
        self.fn, self.depth = fn, depth
        names = [p.id for p in parameters(node.args)]
        self.holds: dict[str, Names] = {name: frozenset((name,)) for name in names}
        self.shows: dict[str, Any] = {}
        self.local: set[str] = set(names)
        self.cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        self.found: list[tuple[Place, Names]] = []
        for p, default in zip(reversed(node.args.args), reversed(fn.__defaults__ or ())):
            self.shows[p.id] = default

    def run(self, body: Sequence[Any]) -> None:
        nodes = _nodes(body)
        declared = {n for node in nodes if isinstance(node, (gast.Global, gast.Nonlocal)) for n in node.names}
        stored = {node.id for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)}
        self.local |= stored - declared
        for _ in range(2):  # a loop binds what is read further up
            for node in nodes:
                self.bind(node)
        for node in nodes:
            self.store(node, declared)

    def bind(self, node: Any) -> None:
        match node:
            case gast.Assign(targets=targets, value=value):
                pairs = [(target, value) for target in targets]
            case gast.AnnAssign(target=target, value=value) | gast.NamedExpr(target=target, value=value):
                pairs = [] if value is None else [(target, value)]
            case gast.For(target=target, iter=value) | gast.AugAssign(target=target, value=value):
                pairs = [(target, value)]
            case _:
                return
        for target, value in pairs:
            names = [n.id for n in gast.walk(target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]
            for name in self.local.intersection(names):
                self.holds[name] = self.holds.get(name, frozenset()) | self.going_in(value)
                if isinstance(target, gast.Name) and isinstance(node, gast.Assign) and name not in self.shows:
                    self.shows[name] = self.value(value)

    def going_in(self, *values: Any) -> Names:
        """The parameters that values depend on."""
        names = [n.id for value in values for n in gast.walk(value) if isinstance(n, gast.Name)]
        return frozenset().union(*(self.holds.get(name, frozenset()) for name in names))

    def value(self, node: Any) -> Any:
        """The object that is there before the call, of which an expression gives it, a part or a view."""
        match node:
            case gast.Name(id=name):
                if name in self.local:
                    return self.shows.get(name, UNKNOWN)
                if name in self.cells:
                    cell = self.cells[name]
                    return UNKNOWN if is_empty(cell) else cell.cell_contents
                return self.fn.__globals__.get(name, UNKNOWN)
            case gast.Attribute(value=value, attr=attr):
                return self.attribute(self.value(value), attr)
            case gast.Subscript(value=value, slice=gast.Constant(value=key)):
                owner = self.value(value)
                if isinstance(owner, dict) and key in owner:
                    return owner[key]
                inside = isinstance(owner, (list, tuple)) and isinstance(key, int) and -len(owner) <= key < len(owner)
                return owner[key] if inside else owner
            case gast.Subscript(value=value):
                return self.value(value)
            case gast.Call(func=gast.Attribute(value=value, attr=attr)) if attr in VIEWING:
                return self.value(value)
            case gast.Call(func=func, args=[first, *_]) if any(self.value(func) is f for f in VIEWS):
                return self.value(first)
            case _:
                return UNKNOWN

    def names(self, node: Any) -> bool:
        """Whether an expression is a name of something, and no part of it."""
        match node:
            case gast.Name(id=name):
                return name not in self.local
            case gast.Attribute(value=value):
                return self.names(value)
            case gast.Subscript(value=value, slice=gast.Constant()):
                return self.names(value)
            case _:
                return False

    def attribute(self, owner: Any, name: str) -> Any:
        if owner is UNKNOWN:
            return UNKNOWN
        if isinstance(owner, ModuleType):
            return vars(owner).get(name, UNKNOWN)
        held = {} if isinstance(owner, type) else attributes(owner)
        found = held[name] if name in held else inspect.getattr_static(owner, name, UNKNOWN)
        return UNKNOWN if hasattr(type(found), "__get__") and not isinstance(found, FunctionType) else found

    # -- stores -------------------------------------------------------------------------------

    def write(self, node: Any, *values: Any) -> None:
        owner = self.value(node)
        if owner is not UNKNOWN:
            parts = isinstance(owner, (list, tuple, dict)) and not self.names(node)
            self.note(Place(owner, None, gast_text(node), parts), self.going_in(*values))

    def note(self, place: Place, names: Names) -> None:
        if names:
            self.found.append((place, names))

    def store(self, node: Any, declared: set[str]) -> None:
        match node:
            case gast.Assign(targets=targets, value=value):
                for target in targets:
                    self.into(target, value, declared)
            case gast.AugAssign(target=target, value=value):
                self.into(target, value, declared)
                if isinstance(target, gast.Name):
                    self.write(target, value)
            case gast.For(target=target, iter=value):
                self.into(target, value, declared)
            case gast.Call():
                self.call(node)
            case _:
                pass

    def into(self, target: Any, value: Any, declared: set[str]) -> None:
        match target:
            case gast.Tuple(elts=parts) | gast.List(elts=parts):
                for part in parts:
                    self.into(part, value, declared)
            case gast.Starred(value=part):
                self.into(part, value, declared)
            case gast.Subscript(value=owner):
                self.write(owner, value)
            case gast.Attribute(value=node, attr=attr):
                owner = self.value(node)
                if owner is not UNKNOWN:
                    self.note(Place(owner, attr, gast_text(target)), self.going_in(value))
            case gast.Name(id=name) if name in declared:
                owner = self.cells.get(name, self.fn.__globals__)
                self.note(Place(owner, name, name), self.going_in(value))
            case _:
                pass

    def call(self, node: gast.Call) -> None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for keyword in node.keywords:
            if keyword.arg == "out":
                self.write(keyword.value, *given)
        fn = self.value(node.func)
        method = node.func if isinstance(node.func, gast.Attribute) and node.func.attr in MUTATING else None
        if method is not None and not isinstance(self.value(method.value), ModuleType):
            self.write(method.value, *given)
        elif isinstance(fn, FunctionType) and self.depth < DEPTH and fn is not self.fn:
            self.helper(fn, node, given)
        elif node.args and any(fn is f for f in WRITING):
            self.write(node.args[0], *node.args[1:])

    def helper(self, fn: FunctionType, node: gast.Call, given: list[Any]) -> None:
        pairs = bound(fn, node.args, [(keyword.arg, keyword.value) for keyword in node.keywords])
        written = written_parameters(fn, self.depth + 1)
        for name, value in pairs:
            if name in written:
                self.write(value, *given)
        for place, names in _writes(fn, self.depth + 1):
            self.note(place, self.going_in(*[value for name, value in pairs if name in names]))


def gast_text(node: Any) -> str:
    """How an expression of names and attributes is written."""
    match node:
        case gast.Name(id=name):
            return name
        case gast.Attribute(value=value, attr=attr):
            return f"{gast_text(value)}.{attr}"
        case gast.Subscript(value=value) | gast.Call(func=gast.Attribute(value=value)) | gast.Call(args=[value, *_]):
            return gast_text(value)
        case _:
            return "…"


__all__ = ["Place", "writes_outside"]
