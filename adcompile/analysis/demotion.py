"""Containers that are written into lose their known structure: specialisation starts again, and the
display that made one, or the live data it is, stands for an object of which only the class is known.
"""

from __future__ import annotations

import operator
from typing import Any

from adcompile.analysis.binding import live_key
from adcompile.analysis.builder import Builder, Restart
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Var
from adcompile.ir.types import DictT, ListT, Seq, differentiable

CONTAINER_WRITES: set[Any] = {operator.setitem, operator.delitem, operator.iadd, operator.imul, operator.ior} | {
    getattr(cls, name)
    for cls in (list, dict, set)
    for name in (
        "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "add",
        "discard", "popitem",
    )
    if hasattr(cls, name)
}  # fmt: skip


def is_container_write(fn: Any) -> bool:
    try:
        return fn in CONTAINER_WRITES
    except TypeError:
        return False


def demote(b: Builder, fn: Any, owner: Atom, place: Place | None) -> None:
    """A container that is written into has no known structure: specialise again with the display
    that made it as an object of which only the class is known."""
    if not isinstance(b.type(owner), (ListT, DictT, Seq)):
        return
    t = b.type(owner)
    if isinstance(t, Seq) and t.cls is tuple:
        return
    if isinstance(t, Seq) and not differentiable(t.item) and fn in (list.sort, list.reverse, list.clear):
        return  # of a sequence only the type of the items is known, and that stays
    made = b.context.definition.get(owner) if isinstance(owner, Var) else None
    origin = b.context.origin.get(owner) if isinstance(owner, Var) else None
    if origin is not None and live_key(*origin) not in b.context.demoted:
        b.context.demoted.add(live_key(*origin))
        raise Restart
    if made is None or made.place is None or made.place in b.context.demoted:
        raise Unsupported(
            "a write into a list or dict that other code can reach is not supported yet",
            place,
            "build a new one: items = items + [item], or d = {**d, key: value}",
        )
    b.context.demoted.add(made.place)
    raise Restart
