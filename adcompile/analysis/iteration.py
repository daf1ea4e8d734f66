"""What a for loop runs over: known items to unroll, a range, or an inert iterable.

Loops over arrays, sequences, zip, enumerate, reversed and dict views become loops over a range
whose element indexes them, so that later stages know two kinds of loop only.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import contents
from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder, Context, parts
from adcompile.analysis.executed import runs_unseen
from adcompile.analysis.heap import cell_of, give, look, settle
from adcompile.analysis.laziness import (
    Read,
    View,
    all_of,
    check_columns,
    check_rest,
    check_turned,
    check_turns,
    lazy_rows,
    one_length,
    taken,
    view_of,
)
from adcompile.analysis.nesting import present, record_items
from adcompile.analysis.pools import taken_out
from adcompile.analysis.unrolled import as_branch
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Var
from adcompile.ir.types import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Filled,
    Instance,
    IterT,
    Known,
    ListT,
    Method,
    RangeT,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
    widen,
)

UNROLL = 16
UNROLL_NAMES = 64
"""So many iterations are run one by one where the items are names or functions: a loop that stays one
could not tell which is meant."""


@frozen
class Plan:
    """Loop over `iterable` with elements of `type`; `bind` gives what the source's loop variable
    stands for, given the element."""

    iterable: Atom
    type: Type
    bind: Callable[[Builder, Any], Atom]
    name: str = ""


def known_range(b: Builder, atom: Atom) -> range | None:
    """The numbers of a range whose bounds are known, or of one that is gone through backwards."""
    t = b.type(atom)
    if isinstance(t, IterT) and t.kind == "reversed" and atom in b.context.definition:
        numbers = known_range(b, definition(b, atom).args[0])
        return None if numbers is None else numbers[::-1][taken(b, atom) :]
    if isinstance(t, Known) and isinstance(t.value, range):
        return t.value
    if not isinstance(t, RangeT) or not isinstance(atom, Var) or atom not in b.context.definition:
        return None
    made = b.context.definition[atom]
    if not isinstance(made.fn, Const) or made.fn.value is not range or not all(b.known(a) for a in made.args):
        return None
    return range(*map(b.value, made.args))


def definition(b: Builder, atom: Atom) -> Call:
    made = b.context.definition.get(atom) if isinstance(atom, Var) else None
    if made is None:
        raise Unsupported("an iterator that depends on the path", b.place, "choose between what it goes through")
    return made


def is_short(b: Builder, items: Sequence[Atom]) -> bool:
    """Whether a loop over these items is run iteration by iteration."""
    return len(items) <= (UNROLL_NAMES if any(names(b.type(i)) for i in items) else UNROLL)


def names(t: Type) -> bool:
    """Whether a value is, or is put together with, a name or a function."""
    if isinstance(t, Known):
        return isinstance(t.value, (str, enum.Enum)) or callable(t.value)
    return isinstance(t, (Closure, Method)) or isinstance(t, TupleT) and any(map(names, t.items))


def known_items(b: Builder, atom: Atom) -> list[Atom] | None:
    """The elements of an iterable whose number is known and that is not a range."""
    atom = look(b, atom)
    t = b.type(atom)
    match t:
        case TupleT() | ListT():
            return b.items(atom)
        case DictT(keys, _):
            return [Const(k) for k in keys]
        case Known(value) if isinstance(value, (tuple, list, str, dict, enum.EnumMeta)):
            return [Const(v) for v in value]
        case IterT(kind, _):
            items = known_iterator_items(b, atom, kind)
            return None if items is None else items[taken(b, atom) :]
        case _:
            return record_items(b, atom)


def known_iterator_items(b: Builder, atom: Atom, kind: str) -> list[Atom] | None:
    view = view_of(b, atom)
    if view is not None:
        return known_of_view(b, atom, view)
    args = definition(b, atom).args
    columns: list[list[Atom] | None] = []
    for k, a in enumerate(args if kind == "zip" else args[:1]):
        first = Begin(b, {})
        columns.append(known_items(b, a))
        check_turns(b, args[:k], first)
    held = b.type(look(b, args[0])) if args else None
    if kind == "items" and isinstance(held, DictT):
        keys = [Const(k) for k in held.keys]
        return [b.call(ops.build_tuple, k, v) for k, v in zip(keys, b.items(args[0]))]
    if kind == "values" and isinstance(held, DictT):
        return b.items(args[0])
    known = [c for c in columns if c is not None]
    rows = named_rows(b, atom) if len(known) < len(columns) else None  # others have been made: an item is made once
    if rows is not None:
        return [row(b) for row in rows]
    if kind == "zip" and known:
        shortest = min(map(len, known))
        endless = [first_of_endless(b, a, shortest) if c is None else None for c, a in zip(columns, args)]
        if definition(b, atom).kwargs and (len(known) == len(columns) or any(endless)):
            one_length(b, [None if c is None else Const(len(c)) for c in columns], definition(b, atom).place)
        columns = [c if e is None else e for c, e in zip(columns, endless)]
        known = [c for c in columns if c is not None]
    if len(known) != len(columns) or not columns:
        # zip(range(n), known): as many as the known one only if the other is long enough
        return None
    if kind == "reversed":
        check_turned(b, definition(b, atom).result)
        return known[0][::-1]
    if kind == "enumerate":
        start = b.value(args[1]) if len(args) > 1 and b.known(args[1]) else 0
        if len(args) > 1 and not b.known(args[1]):
            return None
        return [b.call(ops.build_tuple, start + i, item) for i, item in enumerate(known[0])]
    if kind == "zip":
        check_columns(b, args, [Const(len(c)) for c in known], definition(b, atom).place)
        return [b.call(ops.build_tuple, *row) for row in zip(*known)]
    return known[0]


def known_of_view(b: Builder, atom: Atom, view: View) -> list[Atom] | None:
    if view.make is None or view.read is not None and not (view.length is not None and b.known(view.length)):
        return view.items
    items = all_of(b, atom, view)
    return None if items is None else known_items(b, items)


def named_rows(b: Builder, atom: Atom) -> list[Callable[[Builder], Atom]] | None:
    """How to read each of the items of `zip(names, x)`, or of `enumerate` of that, where `x` is as
    long as is known when the code runs only: which name goes with which element is wanted now."""
    t = b.type(atom)
    if not isinstance(t, IterT) or taken(b, atom):
        return None
    if view_of(b, atom) is not None:
        return lazy_rows(b, atom)
    args = definition(b, atom).args
    if t.kind == "enumerate" and len(args) == 1:
        rows = named_rows(b, args[0])
        return None if rows is None else [numbered(i, row) for i, row in enumerate(rows)]
    columns = [known_items(b, a) for a in args] if t.kind == "zip" else []
    named = [c for c in columns if c is not None]
    if len(named) in (0, len(columns)) or not any(c and all(names(b.type(i)) for i in c) for c in named):
        return None
    count = min(map(len, named))
    read: list[Read] = []
    for a, column in zip(args, columns):
        if column is not None:
            read.append(element_of(column))
            continue
        source = readable(b, a)
        if source is None:
            return None
        check_rest(b, a, definition(b, atom).place)
        source = checked(b, source, count, more=TOO_FEW)
        if definition(b, atom).kwargs:
            one_length(b, (Const(count), b.call(len, source)), definition(b, atom).place)
        read.append(element_of(source))
    return [lambda c, i=i: c.call(ops.build_tuple, *(r(c, Const(i)) for r in read)) for i in range(count)]


TOO_FEW = "zip of names with less items than names"


def readable(b: Builder, atom: Atom) -> Atom | None:
    """The array or sequence that an iterable is or goes through."""
    view = view_of(b, atom)
    if view is not None and view.make is not None and not taken(b, atom):
        atom = all_of(b, atom, view) or atom
    t = b.type(look(b, atom))
    return atom if isinstance(t, Seq) or isinstance(t, Array) and t.dims else None


def element_of(source: Sequence[Atom] | Atom) -> Read:
    if isinstance(source, (Var, Const)):
        return lambda c, i: c.call(operator.getitem, source, i)
    return lambda c, i: source[c.value(i)]


def numbered(i: int, row: Callable[[Builder], Atom]) -> Callable[[Builder], Atom]:
    return lambda c: c.call(ops.build_tuple, i, row(c))


def checked(
    b: Builder, items: Atom, count: int, place: Place | None = None, call: str = "", more: str = ""
) -> Atom:
    """The items of an array or sequence, if there are as many as that when the code runs: for a
    call, of which `call` is the name, exactly; `more` refuses less."""
    if more and count == 0:
        return items
    now = look(b, items)
    args = [now, Const(count), Const(call), *([Const(more)] if more else [])]
    out = b.emit(ops.expect_length, args, b.type(now), (), getattr(items, "name", ""), place)
    b.context.shape[out] = b.context.shape.get(now, now)  # type: ignore[arg-type]
    return out


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
    item = element_type(b, atom, t)
    mixed = rows_of(b, atom) if isinstance(t, IterT) and contents.sites_in(t) and item == UNKNOWN else None
    if mixed is not None:
        return Plan(*mixed)
    if contents.is_pooled(item):
        return Plan(settle(b, atom), contents.physical(item), lambda c, element: taken_out(c, element, item))
    over = settle(b, atom)
    if runs_unseen(b, over):  # what that writes, it writes from here on
        over = b.emit(iter, (over,), b.type(over), (), "items", place)
    return Plan(over, item, lambda _, element: element)


def rows_of(b: Builder, atom: Atom) -> tuple[Atom, Type, Read] | None:
    """How to run over `zip` or `enumerate` of containers that are filled as the code runs, beside arrays and
    sequences, of which the positions are gone through: what really runs, what that gives, and what it stands for."""
    t = b.type(look(b, atom))
    if isinstance(t, IterT) and t.kind in ("zip", "enumerate") and view_of(b, atom) is None and not taken(b, atom):
        made = definition(b, atom)
        found = [rows_of(b, a) for a in (made.args if t.kind == "zip" else made.args[:1])]
        rows = [row for row in found if row is not None]
        if len(rows) != len(found) or not rows:
            return None
        columns = tuple(row[1] for row in rows) if t.kind == "zip" else (INT, rows[0][1])
        args = [*(row[0] for row in rows), *(made.args[1:] if t.kind == "enumerate" else ())]
        over = b.emit(made.fn, args, IterT(t.kind, tuple(map(b.type, args))), made.kwargs, "", made.place)
        reads: list[Read] = [*([] if t.kind == "zip" else [lambda _, n: n]), *(row[2] for row in rows)]

        def read(c: Builder, element: Atom) -> Atom:
            return c.call(ops.build_tuple, *(r(c, c.item(element, k)) for k, r in enumerate(reads)))

        return over, TupleT(columns), read
    if isinstance(t, Filled):
        item = contents.element_type(b, t)
        return settle(b, atom), contents.physical(item), lambda c, element: taken_out(c, element, item)
    if isinstance(t, RangeT):
        return atom, INT, lambda _, i: i
    found_at = indexable(b, atom)
    return None if found_at is None else (b.call(range, found_at[0]), INT, found_at[1])


def bounds(b: Builder, body: Block, plan: Plan) -> tuple[Atom, Atom, Atom] | None:
    """The bounds of the range that a loop runs over, if its first iteration can be run by itself."""
    made = made_of(b, plan.iterable)
    checkpoints = checkpoints_of(b.context, plan.iterable)
    if checkpoints is not None:
        made = made_of(b, checkpoints.args[0])
    if as_branch(body) is None or made is None or not isinstance(made.fn, Const) or made.fn.value is not range:
        return None
    args = list(made.args) if len(made.args) > 1 else [Const(0), *made.args]
    start, stop, step = (*args, Const(1))[:3]
    return None if not b.known(step) or b.value(step) == 0 else (start, stop, step)


def made_of(b: Builder, atom: Atom) -> Call | None:
    return b.context.definition.get(atom) if isinstance(atom, Var) else None


def checkpoints_of(context: Context, iterable: Atom) -> Call | None:
    """`rt.checkpointed(steps, snaps)`, if that is what a loop runs over."""
    made = context.definition.get(iterable) if isinstance(iterable, Var) else None
    return made if made is not None and isinstance(made.fn, Const) and made.fn.value is rt.checkpointed else None


def first_and_rest(b: Builder, body: Block, plan: Plan) -> tuple[Atom, Atom, Atom] | None:
    """The first number of the range that a loop runs over, the others, and whether there is any."""
    found = bounds(b, body, plan)
    if found is None:
        return None
    start, stop, step = found
    rest = b.call(range, b.call(operator.add, start, step), stop, step)
    checkpoints = checkpoints_of(b.context, plan.iterable)
    if checkpoints is not None:
        rest = b.emit(rt.checkpointed, (rest, checkpoints.args[1]), b.type(rest))
    return start, rest, b.call(operator.lt if b.value(step) > 0 else operator.gt, start, stop)


def element_type(b: Builder, atom: Atom, t: Type) -> Type:
    """The type of the elements of an iterable that is run over as it is."""
    if isinstance(t, Instance) and t.cls is np.ndindex and atom in b.context.definition:
        return index_type(b, definition(b, atom).args)
    if isinstance(t, Instance) and t.cls is str:
        return t
    return contents.element_type(b, t) if isinstance(t, (Filled, IterT, RangeT)) else UNKNOWN


def index_type(b: Builder, args: tuple[Atom, ...]) -> Type:
    """The indices of np.ndindex(2, 3) or np.ndindex((2, 3)): tuples of as many ints."""
    shape = known_items(b, args[0]) if len(args) == 1 else None
    return TupleT((INT,) * (len(args) if shape is None else len(shape)))


def first_of_endless(b: Builder, atom: Atom, count: int) -> list[Atom] | None:
    view = view_of(b, atom)
    if view is None or view.length is not None or view.read is None:
        return None
    read = view.read
    return [read(b, Const(i)) for i in range(count)]


def indexable(b: Builder, atom: Atom, live: bool = False) -> tuple[Atom, Read] | None:
    """The length of an iterable and how to read its element at a position; `live`: as it is by then."""
    found = indexed(b, atom, live)
    return None if found is None or found[0] is None else (found[0], found[1])


def indexed(b: Builder, atom: Atom, live: bool = False) -> tuple[Atom | None, Read] | None:
    """`indexable`, with None for the length of what has no end."""
    if not live:
        atom = look(b, atom)
    atom = present(b, atom)
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
            view, first = view_of(b, atom), taken(b, atom)
            if view is None:
                found = indexable_iterator(b, definition(b, atom), kind, live)
            elif view.make is not None and view.read is None:
                items = all_of(b, atom, view)
                found = None if items is None else indexed(b, items)
            elif view.items is not None:
                sequence = as_sequence(b, view.items)
                found = Const(len(view.items)), lambda c, i: c.call(operator.getitem, sequence, i)
            else:
                found = None if view.read is None else (view.length, view.read)
            if found is None or first == 0:
                return found
            length, read = found
            rest = None if length is None else b.call(operator.sub, length, first)
            return rest, lambda c, i: read(c, after(c, i, first))
        case _:
            return None


def after(b: Builder, i: Atom, first: int) -> Atom:
    return b.call(operator.add, i, first) if first else i


def indexable_iterator(b: Builder, made: Call, kind: str, live: bool) -> tuple[Atom | None, Read] | None:
    if kind not in ("zip", "enumerate", "reversed", "values", "items", "keys", "iter"):
        return None
    held = look(b, made.args[0]) if kind == "values" and made.args and not live else None
    if held is not None and isinstance(b.type(held), DictT):
        sequence = as_sequence(b, b.items(held))
        return Const(len(b.items(held))), lambda c, i: c.call(operator.getitem, sequence, i)
    inner = [indexed(b, a, live) for a in (made.args if kind == "zip" else made.args[:1])]
    usable = [i for i in inner if i is not None]
    if len(usable) != len(inner) or not inner:
        return None
    length, read = usable[0]
    if kind == "zip":
        check_columns(b, made.args, [n for n, _ in usable], made.place)
        lengths = [n for n, _ in usable if n is not None]
        total = b.call(min, *lengths) if len(lengths) > 1 else lengths[0] if lengths else None
        total = one_length(b, [n for n, _ in usable], made.place) if made.kwargs else total
        return total, lambda c, i: c.call(ops.build_tuple, *(r(c, i) for _, r in usable))
    if kind == "enumerate":
        start = made.args[1] if len(made.args) > 1 else None

        def counted(c: Builder, i: Atom) -> Atom:
            number = i if start is None else c.call(operator.add, i, start)
            return c.call(ops.build_tuple, number, read(c, i))

        return length, counted
    if kind == "reversed" and length is None:
        return None
    if kind == "reversed":
        check_turned(b, made.result)
        last = b.call(operator.sub, length, 1)

        def backwards(c: Builder, i: Atom) -> Atom:
            return read(c, c.call(operator.sub, last, i))

        return length, backwards
    return length, read


def as_sequence(b: Builder, items: list[Atom]) -> Atom:
    """A list of known items as a leaf of one item type, to be indexed at run time."""
    items = [give(b, a) for a in items]
    return b.emit(ops.build_list, items, Seq(common_type(b, items), list), name="items")


def common_type(b: Builder, items: Sequence[Atom]) -> Type:
    return functools.reduce(join, (widen(b.type(a)) for a in items), NEVER)


def item_now(place: Place | None, iterable: Atom, count: int, k: int, b: Builder) -> Atom:
    """An item of an iterable of so many, where the iteration begins that it is for."""
    now = known_items(b, iterable)
    if now is None or len(now) != count:
        raise changes(place)
    b.context.calls.append(k)
    return now[k]


def changes(place: Place | None) -> Unsupported:
    what = "the list or dict that a loop runs over changes its length or its structure on some path in the loop"
    return Unsupported(what, place, "run over a copy of it, or collect into another one")


def is_mixed(b: Builder, iterable: Atom, items: Sequence[Atom]) -> bool:
    """Whether a loop that stays one could not tell what an item is, though each is known."""
    alike = indexable(b, iterable) is not None and not has_unknown(common_type(b, items))
    return not alike and not any(has_unknown(b.type(a)) for a in items)


def has_unknown(t: Type) -> bool:
    return isinstance(t, Unknown) or any(map(has_unknown, (t.item,) if isinstance(t, Seq) else parts(t)))
