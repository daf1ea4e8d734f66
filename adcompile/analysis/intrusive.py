"""Functions that have a rule and write into what they are given, as their source says.

Such a function is called as it is, so a rule that speaks of its result alone would lose what it
writes. Found is what is certain: a store into a parameter, a part or a view of it, by the function
or by a function that it hands it to.
"""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import inspect
import operator
import random
import sys
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import gast
import numpy as np

from adcompile.analysis.stores import MUTATING, is_empty
from adcompile.errors import SourceError
from adcompile.frontend.scopes import parameters
from adcompile.frontend.source import source_of
from adcompile.ir.nodes import Atom
from adcompile.rules.registry import lookup

OURS = frozenset({"numpy", "scipy", "adcompile", *sys.stdlib_module_names}) - {"__main__"}
VIEWING = frozenset("reshape ravel view transpose swapaxes squeeze diagonal setdefault get".split())
"""Methods that give their owner, or a part of it, back under another name."""
VIEWS = (np.asarray, np.ravel, np.reshape, np.transpose, np.squeeze, np.swapaxes, np.moveaxis, np.diagonal)
WRITING = (
    np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, np.random.shuffle, random.shuffle,
    operator.setitem, operator.delitem, operator.iadd, operator.iconcat, operator.imul, operator.isub,
    heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop,
    bisect.insort, bisect.insort_left, bisect.insort_right,
)  # fmt: skip
"""These write into their first argument."""
FILLING = frozenset("append appendleft extend insert popitem".split())
"""Methods that nothing but a container has: whoever takes one of a list calls it."""
DEPTH = 8


def written_unsaid(fn: Any) -> tuple[str, ...]:
    """The parameters of a function with a rule that it writes into, in order; none for a function
    without a rule, and for those whose rules are ours."""
    inner = fn
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not isinstance(inner, FunctionType) or str(inner.__module__).partition(".")[0] in OURS or lookup(fn) is None:
        return ()
    return _written(inner)


def arguments_written(fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> tuple[Atom, ...]:
    """Which arguments of a call these are."""
    written = written_unsaid(fn)
    if not written:
        return ()
    return tuple([a for name, a in (*zip(_names(fn, len(args)), args), *kwargs) if name in written])


def _names(fn: Any, count: int) -> list[str]:
    """The parameters that so many arguments by position go to; those for `*args` all to that one."""
    names: list[str] = []
    for p in inspect.signature(fn, follow_wrapped=False).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            names += [p.name] * (count - len(names))
        elif p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD:
            names.append(p.name)
    return names


def written_parameters(fn: FunctionType, depth: int = 0) -> tuple[str, ...]:
    """The parameters that a function writes into, whether or not it has a rule."""
    return _written(fn, depth)


@functools.lru_cache(1024)
def _written(fn: FunctionType, depth: int = 0) -> tuple[str, ...]:
    try:
        node = source_of(fn).node
    except SourceError:
        return ()
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
    names = [p.id for p in parameters(node.args)]
    scan = _Scan(fn, names, depth)
    scan.follow(body)
    return tuple(n for n in names if n in scan.written)


def _nodes(body: list[Any]) -> list[Any]:
    """The nodes of a body, those of inner functions left out, and those for arguments that are None."""
    out, stack = list[Any](), list(body)
    while stack:
        node = stack.pop()
        out.append(node)
        if isinstance(node, gast.If) and _is_none(node.test):
            stack.extend(node.orelse)
        elif not isinstance(node, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
            stack.extend(gast.iter_child_nodes(node))
    return out


def _is_none(test: Any) -> bool:
    match test:
        case gast.Compare(left=gast.Name(), ops=[gast.Is()], comparators=[gast.Constant(value=None)]):
            return True
        case _:
            return False


class _Scan:
    """What one function stores into. `shows`: the parameter that a name stands for, or a part of it;
    None where it may stand for something else."""

    def __init__(self, fn: FunctionType, names: list[str], depth: int) -> None:
        self.fn, self.depth = fn, depth
        self.names = names
        self.shows: dict[str, str | None] = {name: name for name in names}
        self.written: set[str] = set()

    def follow(self, body: list[Any]) -> None:
        nodes = sorted(_nodes(body), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
        for node in nodes:
            self.bind(node)
        for node in nodes:
            self.store(node)

    def bind(self, node: Any) -> None:
        match node:
            case gast.Assign(targets=targets, value=value):
                for target in targets:
                    self.name(target, self.root(value))
            case gast.AnnAssign(target=target, value=value) | gast.NamedExpr(target=target, value=value):
                self.name(target, None if value is None else self.root(value))
            case gast.For(target=target, iter=gast.Tuple(elts=items) | gast.List(elts=items)):
                shown = {self.root(item) for item in items} - {None}
                self.name(target, shown.pop() if len(shown) == 1 else None)
            case gast.For(target=target, iter=value):
                self.name(target, self.root(value))
            case gast.withitem(optional_vars=target) if target is not None:
                self.name(target, None)
            case _:
                pass

    def name(self, target: Any, shown: str | None) -> None:
        if isinstance(target, gast.Name):
            known = self.shows.get(target.id, shown)
            self.shows[target.id] = shown if known == shown else None
        elif isinstance(target, (gast.Tuple, gast.List, gast.Starred)):
            for item in gast.iter_child_nodes(target):
                self.name(item, shown)

    def root(self, node: Any) -> str | None:
        """The parameter that an expression gives, a part of it, or a view."""
        match node:
            case gast.Name(id=name):
                return self.shows.get(name)
            case gast.Subscript(value=value) | gast.Attribute(value=value):
                return self.root(value)
            case gast.IfExp(test=test, orelse=value) if _is_none(test):
                return self.root(value)
            case gast.Call(func=gast.Attribute(value=value, attr=attr)) if attr in VIEWING and self.root(value):
                return self.root(value)
            case gast.Call(func=func, args=[first, *_]) if any(self.value(func) is f for f in VIEWS):
                return self.root(first)
            case _:
                return None

    def value(self, node: Any) -> Any:
        """What an expression of names of the module means; None where that is not known."""
        match node:
            case gast.Name(id=name):
                cells = dict(zip(self.fn.__code__.co_freevars, self.fn.__closure__ or ()))
                if name in self.shows:
                    return None
                if name in cells:
                    return None if is_empty(cells[name]) else cells[name].cell_contents
                return self.fn.__globals__.get(name, getattr(builtins, name, None))
            case gast.Attribute(value=value, attr=attr):
                owner = self.value(value)
                return inspect.getattr_static(owner, attr, None) if inspect.ismodule(owner) else None
            case _:
                return None

    # -- stores -------------------------------------------------------------------------------

    def write(self, node: Any) -> None:
        found = self.root(node)
        if found is not None:
            self.written.add(found)

    def store(self, node: Any) -> None:
        match node:
            case gast.Subscript(ctx=gast.Store() | gast.Del()) | gast.Attribute(ctx=gast.Store() | gast.Del()):
                self.write(node.value)
            case gast.AugAssign(target=gast.Name(id=name)) if name in self.names:
                self.write(node.target)  # of a number it is none, but numbers are nobody's memory
            case gast.Attribute(value=value, attr=attr) if attr in FILLING:
                self.write(value)
            case gast.Call():
                self.call(node)
            case gast.FunctionDef() | gast.Lambda():
                self.inner(node)
            case _:
                pass

    def inner(self, node: Any) -> None:
        """What a function inside this one writes into by names of this one."""
        own = {p.id for p in parameters(node.args)}
        scan = _Scan(self.fn, [name for name in self.names if name not in own], self.depth)
        scan.shows = {name: None if name in own else shown for name, shown in self.shows.items()}
        scan.follow([node.body] if isinstance(node, gast.Lambda) else node.body)
        self.written |= scan.written

    def call(self, node: gast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "out":
                self.write(keyword.value)
        if isinstance(node.func, gast.Attribute) and node.func.attr in MUTATING:
            unbound = isinstance(self.value(node.func.value), type) and node.args
            self.write(node.args[0] if unbound else node.func.value)
            return
        match node:
            case gast.Call(func=gast.Name(id="getattr"), args=[first, gast.Constant(value=name)]) if name in FILLING:
                self.write(first)
            case _:
                pass
        fn = self.value(node.func)
        if not isinstance(fn, FunctionType) or self.depth >= DEPTH or fn is self.fn:
            if node.args and any(fn is f for f in WRITING):
                self.write(node.args[0])
            return
        inner = _written(fn, self.depth + 1)
        for name, arg in zip(_names(fn, len(node.args)), node.args):
            if name in inner or inner and isinstance(arg, gast.Starred):
                self.write(arg.value if isinstance(arg, gast.Starred) else arg)
        for keyword in node.keywords:
            if keyword.arg in inner:
                self.write(keyword.value)


__all__ = ["arguments_written", "written_parameters", "written_unsaid"]
