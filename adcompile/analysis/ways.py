"""Ways from a module, class or cache to objects that are there when the code runs: the same ways again."""

from __future__ import annotations

import operator
from typing import Any

from adcompile.analysis.builder import Builder
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, GlobalRef
from adcompile.ir.types import UNKNOWN


def live_objects(b: Builder, classes: set[type], known: set[int]) -> list[Atom]:
    """The objects of these classes of which the program reads something, by the way from a module or the
    like, each once: `known` are others."""
    met = b.context.ways.items()
    return [read_way(b, *way) for key, (live, way) in met if type(live) in classes and key not in known]


def read_way(b: Builder, ref: GlobalRef, path: tuple[Any, ...]) -> Atom:
    """What a way from a module leads to, read now."""
    atom: Atom = b.emit(ops.load_global, (Const(ref),), UNKNOWN)
    for step in path:
        fn, key = (operator.getitem, step[1]) if isinstance(step, tuple) else (getattr, step)
        atom = b.emit(fn, (atom, Const(key)), UNKNOWN)
    return atom


__all__ = ["live_objects", "read_way"]
