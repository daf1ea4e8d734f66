"""Memory that code reads from a module or an object: the way to it, by which it is known."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder
from adcompile.analysis.views import fn_of
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, Var
from adcompile.ir.types import Array, Instance


def root_of(s: Call, memory: Memory) -> tuple[Any, ...] | None:
    """What tells memory that code reads from a module or an object, by the way to it: reading it
    again gives it again. None for what is computed."""
    fn = fn_of(s)
    if fn is ops.load_global and isinstance(s.args[0], Const):
        ref = s.args[0].value
        return ("global", id(ref.namespace), ref.name)
    if fn not in (getattr, operator.getitem) or len(s.args) != 2 or s.kwargs or not isinstance(s.args[1], Const):
        return None
    owner, name = s.args[0], s.args[1].value
    if not isinstance(name, (str, int)):
        return None
    if isinstance(owner, Const):
        return None if isinstance(owner.value, np.ndarray) else ("item", fn, id(owner.value), name)
    made = memory.definition.get(owner)
    if isinstance(memory.types[owner], Array):
        return None
    if made is None:  # an object that comes in
        held = isinstance(memory.types[owner], Instance) and owner in memory.outside
        return ("item", fn, ("held", owner), name) if held else None
    above = root_of(made, memory)
    return None if above is None else ("item", fn, above, name)


def steps_of(key: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """The steps of a way that `root_of` gives: (getattr or getitem, name)."""
    return [(key[1], key[3]), *steps_of(key[2])] if key[0] == "item" and isinstance(key[2], tuple) else []


def read_again(b: Builder, call: Call, memory: Memory) -> Var:
    """What `root_of` names, read before the statements run."""
    owner = call.args[0]
    made = memory.definition.get(owner) if isinstance(owner, Var) else None
    args = call.args if made is None else (read_again(b, made, memory), *call.args[1:])
    made = b.emit(call.fn, args, b.type(call.result), call.kwargs, call.result.name)
    assert isinstance(made, Var)
    return made
