"""What functions write of their modules, as their source says: names that they bind, and what these hold.

Found is what is certain, in the function and in those of the user's that it calls by name. A cached function that is
asked while a derivative is made does so then, which is too early where the code has read the same before the call.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import gast

from adcompile.analysis.stores import MUTATING
from adcompile.errors import SourceError
from adcompile.frontend.scopes import parameters
from adcompile.frontend.source import source_of

DEPTH = 8
STORED = (gast.Store, gast.Del)


Name = tuple[int, str]
"""A name of a module, by the identity of its namespace."""


def names_written(fn: Any, depth: int = 0) -> frozenset[Name]:
    """The names of modules that a function binds, or into what is under which it writes."""
    return _written(fn, depth) if isinstance(fn, FunctionType) and depth < DEPTH else frozenset()


@functools.lru_cache(1024)
def _written(fn: FunctionType, depth: int) -> frozenset[Name]:
    try:
        node = source_of(fn).node
    except SourceError:
        return frozenset()
    body = [node.body] if isinstance(node, gast.Lambda) else node.body
    nodes = [n for statement in body for n in gast.walk(statement)]
    declared = {name for n in nodes if isinstance(n, gast.Global) for name in n.names}
    stored = {n.id for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, STORED)}
    own = ({p.id for p in parameters(node.args)} | stored) - declared
    into = {_root(n.value) for n in nodes if _writes(n, fn.__globals__)} - {None}
    found = {(id(fn.__globals__), str(name)) for name in declared & stored | into - own}
    called = (names_written(f, depth + 1) for f in _called(nodes, own, fn.__globals__) if f is not fn)
    return frozenset(found).union(*called)


def _writes(node: Any, names: Mapping[str, Any]) -> bool:
    """Whether a subscript or an attribute is stored into, or is a method that changes its owner."""
    if not isinstance(node, (gast.Subscript, gast.Attribute)) or isinstance(node.ctx, STORED):
        return isinstance(node, (gast.Subscript, gast.Attribute))
    in_module = isinstance(node.value, gast.Name) and isinstance(names.get(node.value.id), ModuleType)
    return isinstance(node, gast.Attribute) and node.attr in MUTATING and not in_module


def _root(node: Any) -> str | None:
    """The name of what an expression is a part of."""
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def _called(nodes: Sequence[Any], own: set[str], names: Mapping[str, Any]) -> Iterator[Any]:
    for n in nodes:
        if isinstance(n, gast.Call) and isinstance(n.func, gast.Name) and n.func.id not in own:
            yield names.get(n.func.id)


def is_in_cache(cached: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether the cache of a function of `functools.lru_cache` has the result for these arguments."""
    probe = functools.lru_cache(maxsize=None, typed=cached.cache_parameters()["typed"])(_nothing)
    probe(*args, **kwargs)
    (key,) = _cache(probe)
    return key in _cache(cached)


def _nothing(*_: Any, **__: Any) -> None:
    """Its cache shows how others name their results."""


def _cache(cached: Any) -> Mapping[Any, Any]:
    found = [d for d in gc.get_referents(cached) if type(d) is dict and d is not vars(cached)]
    return found[0]
