"""Tuples that nest in themselves without end, as what a recursive function keeps for its pullback: records.

A tuple in the result of a recursive function may hold that of the function's own call, which holds another one. No
structure says how deep: the type of such a tuple is a `Record`, a reference to what the items of all of them are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from adcompile.analysis.builder import Builder
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import (
    UNKNOWN,
    DictT,
    Known,
    ListT,
    Maybe,
    Node,
    ObjectT,
    RangeT,
    Record,
    Seq,
    SliceT,
    TupleT,
    Type,
)

Path = tuple[int, ...]
"""The way to a part of a type: by number through tuples."""
Nodes = dict[Path, "Node | None"]
"""The tuples in a type that are records; None for those that are none."""


def growing(before: Type, after: Type, path: Path = ()) -> Iterator[Path]:
    """Where there are tuples in both types, of which those in `after` hold deeper ones: the innermost."""
    if not isinstance(before, TupleT) or not isinstance(after, TupleT) or depth(after) <= depth(before):
        return
    pairs = zip(before.items, after.items)
    inner = [found for k, (b, a) in enumerate(pairs) for found in growing(b, a, (*path, k))]
    if inner:
        yield from inner
    elif after.cls is tuple:
        yield path


def depth(t: Type) -> int:
    """How deep tuples nest in a type."""
    match t:
        case TupleT(items):
            return 1 + max(map(depth, items), default=0)
        case ListT(items) | DictT(_, items) | ObjectT(_, _, items):
            return max(map(depth, items), default=0)
        case Maybe(item) | Seq(item):
            return depth(item)
        case _:
            return 0


def as_records(t: Type, nodes: Nodes, path: Path = ()) -> Type:
    """A type with records in the place of some tuples, of which these hold as much as is known by now."""
    if not isinstance(t, TupleT) or not nodes:
        return t
    node = nodes.get(path)
    if node is not None:
        node.items = t.items
        return Record(UNKNOWN, tuple, node)
    return TupleT(tuple(as_records(item, nodes, (*path, k)) for k, item in enumerate(t.items)), t.cls)


def not_nested(t: Type, nodes: Nodes) -> list[Path]:
    """Where there are tuples that hold none of their own after all: they only held less at first."""
    return [path for path, node in nodes.items() if node is not None and not holds_node(part_at(t, path), node, set())]


def part_at(t: Type, path: Path) -> Type:
    for k in path:
        t = t.items[k] if isinstance(t, TupleT) and k < len(t.items) else UNKNOWN
    return t


def holds_node(t: Type, node: Node, met: set[Node]) -> bool:
    """Whether a value of this type may hold a tuple of which `node` tells."""
    match t:
        case Record():
            inner = () if t.node in met else t.node.items
            met.add(t.node)
            return t.node is node or any(holds_node(item, node, met) for item in inner)
        case TupleT(items) | ListT(items) | DictT(_, items) | ObjectT(_, _, items):
            return any(holds_node(item, node, met) for item in items)
        case Maybe(item) | Seq(item):
            return holds_node(item, node, met)
        case _:
            return False


def present(b: Builder, atom: Atom) -> Atom:
    """A sequence that is asked for its items: None has none, and raises."""
    t = b.type(atom)
    if isinstance(t, Maybe) and isinstance(t.type, (Seq, RangeT)):
        return b.emit(ops.identity, (atom,), t.type, (), getattr(atom, "name", ""))
    return atom


def record_items(b: Builder, atom: Atom) -> list[Atom] | None:
    """The items of a record; None of anything else."""
    atom = present(b, atom)
    t = b.type(atom)
    if not isinstance(t, Record) or not t.node.items:
        return None
    return [item_of(b, atom, t, k) for k in range(len(t.node.items))]


def record_item(b: Builder, atom: Atom, t: Seq, index: Atom) -> Atom | None:
    """One item of a record by a known number, or those of a slice."""
    if not isinstance(t, Record):
        return None
    count, at = range(len(t.node.items)), b.type(index)
    if isinstance(at, SliceT) and all(isinstance(p, Known) for p in at.parts):
        s = slice(*(p.value for p in at.parts))  # type: ignore[union-attr]
        return b.build_tuple(*(item_of(b, atom, t, k) for k in count[s]))
    if isinstance(at, Known) and type(at.value) is int and -len(count) <= at.value < len(count):
        return item_of(b, atom, t, count[at.value])
    return None


def item_of(b: Builder, atom: Atom, t: Record, index: int) -> Atom:
    item = t.node.items[index]
    if isinstance(item, Known):
        return Const(item.value)
    return b.emit(operator.getitem, (atom, Const(index)), item, (), f"{getattr(atom, 'name', '')}_{index}")


__all__ = ["Nodes", "as_records", "growing", "not_nested", "present", "record_item", "record_items"]
