"""Ways from a module, class or cache to objects that are there when the code runs: the same ways again."""

from __future__ import annotations

import operator
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, GlobalRef
from adcompile.ir.types import UNKNOWN, Instance


def live_objects(b: Builder, classes: set[type], known: set[int]) -> list[Atom]:
    """The objects of these classes that the program reads of modules and the like, each once: `known` are others."""
    found: dict[int, tuple[GlobalRef, tuple[Any, ...]]] = {}
    for var, origin in b.context.origin.items():
        live, t = b.context.example.get(var), b.context.types[var]
        if isinstance(t, Instance) and t.cls in classes and id(live) not in known:
            found.setdefault(id(live), origin)
    return [read_way(b, ref, path) for ref, path in found.values()]


def read_way(b: Builder, ref: GlobalRef, path: tuple[Any, ...]) -> Atom:
    """What a way from a module leads to, read now."""
    atom: Atom = b.emit(ops.load_global, (Const(ref),), UNKNOWN)
    for step in path:
        fn, key = (operator.getitem, step[1]) if isinstance(step, tuple) else (getattr, step)
        atom = b.emit(fn, (atom, Const(key)), UNKNOWN)
    return atom


__all__ = ["live_objects", "read_way"]
