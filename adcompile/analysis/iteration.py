"""What a for loop runs over: known items to unroll, a range, or an inert iterable.

Loops over arrays, sequences, zip, enumerate, reversed and dict views become loops over a range
whose element indexes them, so that later stages know two kinds of loop only.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import cell_of, give, look, settle
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, If, Raise, Statement, Unreachable, Var, Yield
from adcompile.ir.types import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    RangeT,
    Seq,
    TupleT,
    Type,
    join,
    widen,
)

UNROLL = 16


@dataclass(frozen=True)
class Plan:
    """Loop over `iterable` with elements of `type`; `bind` gives what the source's loop variable
    stands for, given the element."""

    iterable: Atom
    type: Type
    bind: Callable[[Builder, Var], Atom]
    name: str = ""


def known_range(b: Builder, atom: Atom) -> range | None:
    """The numbers of a range whose bounds are known."""
    t = b.type(atom)
    if isinstance(t, Known) and isinstance(t.value, range):
        return t.value
    if not isinstance(t, RangeT) or not isinstance(atom, Var) or atom not in b.context.definition:
        return None
    made = b.context.definition[atom]
    if not all(b.known(a) for a in made.args):
        return None
    return range(*map(b.value, made.args))


def definition(b: Builder, atom: Atom) -> Call:
    assert isinstance(atom, Var)
    return b.context.definition[atom]


def known_items(b: Builder, atom: Atom) -> list[Atom] | None:
    """The elements of an iterable whose number is known and that is not a range."""
    atom = look(b, atom)
    t = b.type(atom)
    match t:
        case TupleT() | ListT():
            return b.items(atom)
        case DictT(keys, _):
            return [Const(k) for k in keys]
        case Known(value) if isinstance(value, (tuple, list, str, dict)):
            return [Const(v) for v in value]
        case IterT(kind, _) if kind in ("zip", "enumerate", "reversed", "values", "items", "keys", "iter"):
            return known_iterator_items(b, atom, kind)
        case _:
            return None


def known_iterator_items(b: Builder, atom: Atom, kind: str) -> list[Atom] | None:
    args = definition(b, atom).args
    columns = [known_items(b, a) for a in (args if kind == "zip" else args[:1])]
    held = b.type(look(b, args[0])) if args else None
    if kind == "items" and isinstance(held, DictT):
        keys = [Const(k) for k in held.keys]
        return [b.call(ops.build_tuple, k, v) for k, v in zip(keys, b.items(args[0]))]
    if kind == "values" and isinstance(held, DictT):
        return b.items(args[0])
    known = [c for c in columns if c is not None]
    if len(known) != len(columns) or not columns:
        # zip(range(n), known): as many as the known one only if the other is long enough
        return None
    if kind == "reversed":
        return known[0][::-1]
    if kind == "enumerate":
        start = b.value(args[1]) if len(args) > 1 and b.known(args[1]) else 0
        if len(args) > 1 and not b.known(args[1]):
            return None
        return [b.call(ops.build_tuple, start + i, item) for i, item in enumerate(known[0])]
    if kind == "zip":
        return [b.call(ops.build_tuple, *row) for row in zip(*known)]
    return known[0]


def plan(b: Builder, atom: Atom, place: Place | None, live: bool = False) -> Plan:
    """How to loop over a value that is not unrolled; `live`: the loop writes into it."""
    t = b.type(look(b, atom))
    if isinstance(t, RangeT) or isinstance(t, Known) and isinstance(t.value, range):
        return Plan(atom, INT, lambda _, element: element)
    indexed = indexable(b, atom, live)
    if indexed is not None:
        length, read = indexed
        steps = b.dispatch(Const(range), [length], [], "", place)
        return Plan(steps, INT, read, "i")
    return Plan(settle(b, atom), element_type(b, atom, t), lambda _, element: element)


def element_type(b: Builder, atom: Atom, t: Type) -> Type:
    """The type of the elements of an iterable that is run over as it is."""
    if isinstance(t, Instance) and t.cls is np.ndindex and atom in b.context.definition:
        return index_type(b, definition(b, atom).args)
    if isinstance(t, Instance) and t.cls is str:
        return t
    if isinstance(t, IterT) and t.kind == "keys" and isinstance(t.parts[0], DictT):
        return UNKNOWN
    return UNKNOWN


def index_type(b: Builder, args: tuple[Atom, ...]) -> Type:
    """The indices of np.ndindex(2, 3) or np.ndindex((2, 3)): tuples of as many ints."""
    shape = known_items(b, args[0]) if len(args) == 1 else None
    return TupleT((INT,) * (len(args) if shape is None else len(shape)))


def indexable(
    b: Builder, atom: Atom, live: bool = False
) -> tuple[Atom, Callable[[Builder, Var], Atom]] | None:
    """The length of an iterable and how to read its element at a position; `live`: as it is by then."""
    if not live:
        atom = look(b, atom)
    t = b.type(look(b, atom))
    match t:
        case Array(_, dims) if dims:
            return b.call(len, atom), lambda c, i: c.call(operator.getitem, atom, i)
        case Seq():
            return b.call(len, atom), lambda c, i: c.call(operator.getitem, atom, i)
        case TupleT() | ListT() | Known():
            items = known_items(b, atom)
            if items is None:
                return None
            if cell_of(atom) is not None:
                return Const(len(items)), lambda c, i: c.call(operator.getitem, atom, i)
            sequence = as_sequence(b, items)
            return Const(len(items)), lambda c, i: c.call(operator.getitem, sequence, i)
        case RangeT():
            return b.call(len, atom), lambda c, i: c.call(operator.getitem, atom, i)
        case IterT(kind, _):
            return indexable_iterator(b, definition(b, atom), kind, live)
        case _:
            return None


def indexable_iterator(
    b: Builder, made: Call, kind: str, live: bool
) -> tuple[Atom, Callable[[Builder, Var], Atom]] | None:
    if kind not in ("zip", "enumerate", "reversed", "values", "items", "keys", "iter"):
        return None
    inner = [indexable(b, a, live) for a in (made.args if kind == "zip" else made.args[:1])]
    usable = [i for i in inner if i is not None]
    if len(usable) != len(inner) or not inner:
        return None
    length, read = usable[0]
    if kind == "zip":
        lengths = [n for n, _ in usable]
        total = b.call(min, *lengths) if len(lengths) > 1 else lengths[0]
        return total, lambda c, i: c.call(ops.build_tuple, *(r(c, i) for _, r in usable))
    if kind == "enumerate":
        start = made.args[1] if len(made.args) > 1 else None

        def counted(c: Builder, i: Var) -> Atom:
            number = i if start is None else c.call(operator.add, i, start)
            return c.call(ops.build_tuple, number, read(c, i))

        return length, counted
    if kind == "reversed":
        last = b.call(operator.sub, length, 1)

        def backwards(c: Builder, i: Var) -> Atom:
            position = c.call(operator.sub, last, i)
            assert isinstance(position, Var)
            return read(c, position)

        return length, backwards
    return length, read


def as_sequence(b: Builder, items: list[Atom]) -> Atom:
    """A list of known items as a leaf of one item type, to be indexed at run time."""
    items = [give(b, a) for a in items]
    item: Type = NEVER
    for a in items:
        item = join(item, widen(b.type(a)))
    return b.emit(ops.build_list, items, Seq(item, list), name="items")


def as_branch(body: Block) -> Block | None:
    """A loop body as a block that yields the next carried values; None if it can Break."""
    end = body.end
    if isinstance(end, Continue):
        return Block((), body.statements, Yield(end.values))
    if isinstance(end, Raise):
        return Block((), body.statements, end)
    if isinstance(end, Break) or not isinstance(end, Unreachable) or not body.statements:
        return None
    last = body.statements[-1]
    if not isinstance(last, If):
        return None
    then, orelse = as_branch(last.then), as_branch(last.orelse)
    if then is None or orelse is None:
        return None
    arity = next((len(x.end.values) for x in (then, orelse) if isinstance(x.end, Yield)), 0)
    results = tuple(Var(p.name, p.place) for p in (body.params[-arity:] if arity else ()))
    if len(results) != arity:
        results = tuple(Var("t") for _ in range(arity))
    tail: Statement = If(results, last.test, then, orelse, last.place, last.role)
    return Block((), (*body.statements[:-1], tail), Yield(results))


def varying(body: Block, params: tuple[Var, ...]) -> list[int]:
    """The carried positions that some leaf of the body changes."""
    changed: set[int] = set()
    todo = [body]
    while todo:
        block = todo.pop()
        end = block.end
        if isinstance(end, (Continue, Break)):
            changed.update(k for k, v in enumerate(end.values) if v is not params[k])
        elif isinstance(end, Unreachable) and block.statements and isinstance(block.statements[-1], If):
            todo += [block.statements[-1].then, block.statements[-1].orelse]
    return sorted(changed)
