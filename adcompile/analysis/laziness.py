"""What iterators give, and when: Python makes an item as it is asked for, and so do we.

A View reads its items where they are wanted. Some have to be made all at once: those of filter,
accumulate and chain, and those of a map that something other than a loop takes. That is right
unless what they are made of is written into before the last of them would have been asked for;
`check_steady` refuses that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import FunctionType
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder
from adcompile.analysis.callbacks import code_may_write
from adcompile.analysis.detached import is_in
from adcompile.analysis.heap import cell_of, reached
from adcompile.analysis.mutation import calls_in, is_unknown_call, writes_into
from adcompile.errors import Place, Unsupported, spot
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, GlobalRef, Statement, Var
from adcompile.ir.types import INT, Array, Cell, Closure, IterT, Known, Maybe, Unknown, holds_ref
from adcompile.ir.walk import atoms_of
from adcompile.rules.registry import lookup
from adcompile.runtime.state import AS_LONG, ASKED_ONCE_MORE, SHORTEST_FIRST

Read = Callable[[Builder, Atom], Atom]
ONE_PASS = ("keys", "values", "items", "range")
ELEMENTS = "elements"
"""What goes through the elements of an array, and tells of where it is."""
REMEDY = "make a list of the items before the loop: list(…)"


@frozen
class Made:
    """The items of an iterator, made all at once by statements of `builder`."""

    items: Atom
    builder: Builder
    first: int
    last: int
    writes: bool  # making them writes into something that others see
    mark: int = 0  # in the store, once they were made
    count: int = 0  # of reads, by then
    wrote: frozenset[Cell] = frozenset()  # what was there before, and making them has written
    read: frozenset[Cell] = frozenset()

    def is_there(self, b: Builder) -> bool:
        """Whether these items are defined where `b` emits."""
        at: Builder | None = b
        while at is not None and at is not self.builder:
            at = at.parent
        if at is None or len(at.statements) < self.last:
            return False
        return self.first == self.last or at.statements[self.last - 1] is self.end

    end: Statement | None = None


@frozen
class View:
    """What an iterator gives: its items where they are known, else their number (None: no end) and
    how to read the one at a position. `make` makes a list of all of them."""

    items: list[Atom] | None = None
    length: Atom | None = None
    read: Read | None = None
    make: Callable[[Builder], Atom | None] | None = None
    made: Made | None = None
    over: Atom | None = None  # what it goes through, if it calls a function of each item
    guard: Callable[[Builder, Atom], Atom] | None = None  # of these items it gives those that pass
    sources: tuple[Atom, ...] = ()  # what it goes through, and the functions it calls
    copies: bool = False  # arrays are read early, or twice
    turns: bool = True  # what makes an item runs between those that make the items it goes through
    since: tuple[Builder, int] | None = None  # where it was made
    held: dict[Cell, Atom] = field(default_factory=dict[Cell, Atom])  # what lists it goes through held then
    again: Callable[[Builder], View | None] | None = None  # the same of what these hold by now
    run: Callable[[Builder, Atom], None] | None = None  # of a generator: see analysis/yielding
    endless: bool = False  # which does not end by itself


def given(b: Builder, var: Var, view: View, sources: Sequence[Atom], lasting: bool) -> Var:
    """Note what an iterator gives. `lasting`: it reads what it goes through by what that held when it was made."""
    held = states_of(b, reached(b, sources)) if lasting or view.again is not None else {}
    b.context.views[var] = replace(view, held=held, sources=tuple(sources), since=(b, len(b.statements)))
    return var


def states_of(b: Builder, cells: Iterable[Cell]) -> dict[Cell, Atom]:
    """What lists hold now."""
    return {cell: b.context.store.states[cell].content for cell in cells}


def is_stale(b: Builder, held: Mapping[Cell, Atom]) -> bool:
    """Whether lists hold something else by now."""
    states = b.context.store.states
    return any(c not in states or states[c].content is not a for c, a in held.items())


def view_of(b: Builder, atom: Atom) -> View | None:
    found: View | None = b.context.views.get(atom) if isinstance(atom, Var) else None
    if found is None:
        return None
    if found.again is not None and is_stale(b, found.held):
        now = found.again(b)
        if now is None:
            raise written_since_made(b)
        found = replace(now, made=found.made, sources=found.sources, since=found.since)
    check_since_made(b, found)
    return found


def check_turned(b: Builder, var: Var) -> None:
    """Refuse `reversed(items)` of a list that was written into since: it begins where the list ended then."""
    if is_stale(b, b.context.turned.get(var, {})):
        raise written_since_made(b)


def written_since_made(b: Builder) -> Unsupported:
    return Unsupported(
        "this iterator goes through a list, a dict or an array that was written into after the iterator was made",
        b.place,
        "make the iterator where it is gone through",
    )


def all_of(b: Builder, atom: Atom, view: View) -> Atom | None:
    """A list of all that an iterator gives, made here if it has not been made; None if it cannot be."""
    assert view.make is not None and isinstance(atom, Var)
    if view.made is not None and view.made.is_there(b):
        return view.made.items
    store = b.context.store
    begin, first = Begin(b, {}), len(b.statements)
    done = taken(b, atom)
    if done and view.read is not None and view.length is not None and b.known(view.length):
        rest = [view.read(b, Const(i)) for i in range(done, b.value(view.length))]
        items: Atom | None = b.call(ops.build_list, *[None] * done, *rest)
    else:
        items = view.make(b)
    if items is None:
        return None
    wrote, read = written_since(b, begin.mark), frozenset(store.read_since(begin.count))
    last = len(b.statements)
    writes = bool(wrote) or stores(b, b.statements[first:])
    check_turns(b, view.sources, begin, view.turns)
    end = b.statements[-1] if last > first else None
    made = Made(items, b, first, last, writes, store.mark(), store.count, wrote, read, end)
    b.context.views[atom] = replace(view, made=made)
    return items


def written_since(b: Builder, mark: int) -> frozenset[Cell]:
    """The cells that were there at a mark, and have been written into since."""
    return frozenset(cell for cell, before in b.context.store.changed(mark).items() if before is not None)


def check_turns(b: Builder, sources: Sequence[Atom], begin: Begin, turns: bool = True) -> None:
    """Once something has gone through all items of iterators, from `begin` on: where these were made all at once
    before, refuse it if the two write into, or read, what the other one writes. In Python they take turns, or one
    comes after the other (`turns` is false, and what one reads may be written by the other)."""
    check_own(b, sources, begin)
    for view in [v for a in sources for v in views_behind(b, a)]:
        made = view.made
        if made is None or not made.is_there(b):
            continue
        early = made.builder.statements[made.first : made.last]
        later = b.statements[max(begin.statements, made.last) if made.builder is b else begin.statements :]
        both = bool(written_since(b, made.mark)) or stores(b, later)
        crossed = overwritten(b, [a for s in early for a in arrays_in(b, s)], later)
        crossed = crossed or overwritten(b, [a for s in later for a in arrays_in(b, s)], early)
        mark, count = max(begin.mark, made.mark), max(begin.count, made.count)
        if made.writes and both or crossed or turns and affects(b, made, mark, count):
            raise Unsupported(
                "an iterator over another one, where making the items of one writes into what the other one reads or "
                "writes",
                b.place,
                "write the loop: for item in …",
            )


def check_own(b: Builder, sources: Sequence[Atom], begin: Begin, arrays: bool = False) -> None:
    """Refuse what has been written since `begin` into lists, or arrays, whose items were read before."""
    changed = begin.written(b)
    lists = any(not changed.isdisjoint(gone_over(b, a)) for a in sources)
    if lists or arrays and overwritten(b, arrays_of(b, sources), begin.emitted(b)):
        raise Unsupported(
            "a function that is called for each item writes into what the items are of",
            b.place,
            "write the loop: for item in …",
        )


def affects(b: Builder, made: Made, mark: int, count: int) -> bool:
    """Whether cells have been read since that making these items has written into, or the other way round."""
    reads = b.context.store.read_since(count)
    return not made.wrote.isdisjoint(reads) or not made.read.isdisjoint(written_since(b, mark))


def check_rest(b: Builder, atom: Atom, place: Place | None) -> None:
    """Where some items of an iterator may be left: refuse it if all had to be made, and making them has written
    into something, or said something, that Python leaves."""
    for view in views_behind(b, atom):
        made = view.made
        said = made is not None and any(acts(b, s) for s in made.builder.statements[made.first : made.last])
        if made is not None and (made.writes or said):
            raise Unsupported(
                "an iterator of which some items may be left, and making them writes or is seen elsewhere",
                place,
                "write the loop: for item in …: if test(item): break",
            )


def check_columns(
    b: Builder, columns: Sequence[Atom], lengths: Sequence[Atom | None], place: Place | None
) -> None:
    """The longer of the iterators that `zip` goes through are not asked for all of their items, and for one more than
    is used where they stand before the shortest. Where making that may write, refuse it, or ask when the code runs."""
    for column in columns if len(columns) > 1 else ():
        check_rest(b, column, place)
    writing = next((k for k, column in enumerate(columns) if writes_on(b, column)), len(columns))
    before, rest = ([n for n in part if n is not None] for part in (lengths[: writing + 1], lengths[writing + 1 :]))
    counts = [b.value(n) for n in (*before, *rest) if b.known(n)]
    if not rest or set(rest) <= set(before):
        return
    if len(counts) < len(before) + len(rest):
        given = (Const(spot(place)), Const(len(before)), *before, *rest)
        b.emit(rt.ends_among_first, given, Known(None), (), "", place)
    elif min(counts, default=0) not in counts[: len(before)]:
        raise Unsupported(ASKED_ONCE_MORE, place, SHORTEST_FIRST)


def one_length(b: Builder, lengths: Sequence[Atom | None], place: Place | None) -> Atom:
    """The length of all that a strict zip goes through, which raises at its end unless they have the same."""
    asked = [n for n in lengths if n is not None]
    known = {b.value(n) for n in asked if b.known(n)}
    if len(asked) < len(lengths) or len(known) > 1:
        raise Unsupported("zip(strict=True) of iterables of different lengths", place, AS_LONG)
    if all(map(b.known, asked)):
        return asked[0]
    return b.emit(rt.one_length, [Const(spot(place)), *asked], INT, (), "n", place)


def writes_on(b: Builder, atom: Atom) -> bool:
    """Whether making one more item of an iterator may write into something."""
    return any(code_may_write(b.type(a)) for view in views_behind(b, atom) for a in view.sources)


def lazy_rows(b: Builder, atom: Atom) -> list[Callable[[Builder], Atom]] | None:
    """How to make each item of a map of known items, where it is wanted."""
    view = view_of(b, atom)
    if view is None or view.make is None or view.read is None or view.length is None or taken(b, atom):
        return None
    if not b.known(view.length) or view.made is not None and view.made.is_there(b):
        return None
    read = view.read
    return [lambda c, i=i: read(c, Const(i)) for i in range(b.value(view.length))]


# -- how often an iterator is gone through ------------------------------------------------------


def taken(b: Builder, atom: Atom) -> int:
    """How many items `next` has taken from an iterator."""
    return b.context.taken.get(atom, 0) if isinstance(atom, Var) else 0


NO_PASS: set[Any] = {
    ops.build_tuple, ops.build_list, ops.build_dict, ops.make_function, ops.identity, ops.read, getattr, hasattr,
    isinstance, type, callable, id, next, iter, operator.is_, operator.is_not,
}  # fmt: skip
"""Calls that do not go through an iterator they are given."""


def note_call(b: Builder, fn: Atom, args: Sequence[Atom], place: Place | None) -> None:
    """Note which iterators a call goes through."""
    if not b.context.also_called and not any([isinstance(b.type(a), IterT) for a in args]):  # noqa: C419  short lists
        return
    if not isinstance(fn, Const) or isinstance(fn.value, FunctionType) and fn.value.__module__ != ops.__name__:
        return  # it is followed, or refused
    if not is_in(fn.value, NO_PASS):
        for a in args:
            go_through(b, a, place)


def go_through(b: Builder, atom: Atom, place: Place | None) -> None:
    """Note that all items of an iterator are taken, which can be done once."""
    t = b.type(atom)
    if isinstance(t, (Unknown, Maybe)) and any(isinstance(b.type(a), IterT) for a in b.context.also_called):
        raise Unsupported("what may be an iterator, on one path", place, "choose between what it goes through")
    if not isinstance(t, IterT) or t.kind in ONE_PASS or not isinstance(atom, Var):
        return
    if atom not in b.context.depth_of:
        raise Unsupported("an iterator that depends on the path", place, "choose between what it goes through")
    if atom in b.context.gone or b.loops > b.context.depth_of[atom]:
        raise Unsupported(
            "an iterator that may be gone through more than once", place, "keep its items in a list, or make it anew"
        )
    b.context.gone.add(atom)


def check_unmoved(b: Builder, atom: Atom, place: Place | None) -> None:
    """Before a look at what an iterator says of itself: how far it is, is not known once items are taken."""
    t = b.type(atom)
    if isinstance(t, IterT) and t.kind == ELEMENTS and (atom in b.context.gone or taken(b, atom)):
        raise Unsupported(
            "what an iterator over the elements of an array says of itself, between its items",
            place,
            "loop over the indices: for i in np.ndindex(a.shape)",
        )


# -- what is written into meanwhile -------------------------------------------------------------


def check_since_made(b: Builder, view: View) -> None:
    """Refuse to read what was written into after the iterator was made, where Python had read it by then, or
    where we read what it was then; or what the items that were made with it write into, or are made of."""
    if view.made is None or not view.made.is_there(b):
        early = [v.made for a in view.sources for v in views_behind(b, a)]
        if any(made is not None and made.is_there(b) and affects(b, made, made.mark, made.count) for made in early):
            raise Unsupported(
                "this iterator goes through another one, of which the items were made before, and what they are made "
                "of or write into has been written into or read since",
                b.place,
                "make the iterator where it is gone through",
            )
    overtaken = view.copies and overwritten(b, arrays_of(b, view.sources), statements_since(b, view))
    if overtaken or is_stale(b, view.held):
        raise written_since_made(b)


def statements_since(b: Builder, view: View) -> Iterator[Statement]:
    """What has been emitted since an iterator was made: in its block, and in those inside it that lead here."""
    assert view.since is not None
    builder, count = view.since
    at: Builder | None = b
    while at is not None and at is not builder:
        yield from at.statements
        at = at.parent
    if at is not None:
        yield from at.statements[count:]


def check_steady(b: Builder, iterable: Atom, begin: Begin, place: Place | None) -> None:
    """After a loop: refuse it if it has written into what the items were made of, and they were made
    before it, or if making them has written into something itself."""
    loop, written = begin.emitted(b), begin.written(b)
    for view in views_behind(b, iterable):
        made = view.made
        early = [] if made is None or not made.is_there(b) else made.builder.statements[made.first : made.last]
        if made is None and not view.copies and not view.held:
            continue  # its items are read in the loop
        behind = reached(b, view.sources)
        if made is None and view.again is not None:  # what makes the items runs in the loop
            behind = [c for a in view.sources for c in gone_over(b, a)]
        touched = not written.isdisjoint(behind)
        arrays = arrays_of(b, view.sources) if view.copies else []
        arrays += [a for s in early for a in arrays_in(b, s)]
        disorder = any(acts(b, s) for s in early) and any(acts(b, s) for s in loop)
        if touched or overwritten(b, arrays, loop) or made is not None and made.writes or disorder:
            raise Unsupported(
                "this loop writes into what its iterator makes its items of, or that writes into something",
                place,
                REMEDY,
            )


def run_over(b: Builder, iterable: Atom) -> list[Cell]:
    """The lists and dicts that a loop runs over: what functions see that make its items is not among them."""
    view = b.context.views.get(iterable) if isinstance(iterable, Var) else None
    return reached(b, [iterable]) if view is None or view.over is None else run_over(b, view.over)


def gone_over(b: Builder, atom: Atom) -> set[Cell]:
    """The lists and dicts whose items are gone through, those behind iterators; not what these items hold."""
    cell = cell_of(atom)
    if cell is not None:
        return {cell}
    if not isinstance(atom, Var) or not isinstance(b.type(atom), IterT):
        return set()
    view: View | None = b.context.views.get(atom)
    made = b.context.definition.get(atom)
    behind = view.sources if view is not None else made.args if made is not None else ()
    return {c for a in behind for c in gone_over(b, a)}


def guarded(b: Builder, iterable: Atom) -> View | None:
    """What a loop over `filter` runs over, with the test, if none of its items has been made yet."""
    view = view_of(b, iterable)
    return None if view is None or view.guard is None or view.made is not None or taken(b, iterable) else view


def views_behind(b: Builder, atom: Atom) -> Iterator[View]:
    """What an iterator gives, and what the iterators give that it goes through."""
    if not isinstance(atom, Var) or not isinstance(b.type(atom), IterT):
        return
    view: View | None = b.context.views.get(atom)
    if view is not None:
        yield view
    made = b.context.definition.get(atom)
    for a in (*(view.sources if view is not None else ()), *(made.args if made is not None else ())):
        yield from views_behind(b, a)


def acts(b: Builder, s: Statement) -> bool:
    """Whether a statement may do something that is seen elsewhere, as a draw of a random number."""
    return any(not isinstance(c.fn, Const) or is_unknown_call(c.fn.value) for c in calls_in(s))


def arrays_of(b: Builder, atoms: Sequence[Atom]) -> list[Atom]:
    """The arrays that can be reached from these values: an iterator's, what a function has captured."""
    out: list[Atom] = []
    todo, seen = list(atoms), set[Cell]()
    while todo:
        atom = todo.pop()
        t = b.type(atom)
        if isinstance(t, (Array, Unknown)):
            out.append(atom)
        elif isinstance(t, (IterT, Closure)) or holds_ref(t) and isinstance(atom, Var):
            made = b.context.definition.get(atom) if isinstance(atom, Var) else None
            view: View | None = b.context.views.get(atom) if isinstance(atom, Var) else None
            todo += [*(() if made is None else made.args), *(() if view is None else view.sources)]
        elif isinstance(atom, Const) and isinstance(atom.value, Cell) and atom.value not in seen:
            seen.add(atom.value)
            content = b.context.store.states[atom.value].content
            made = b.context.definition.get(content) if isinstance(content, Var) else None
            todo += [content] if made is None else made.args
    return out


def arrays_in(b: Builder, s: Statement) -> list[Atom]:
    """The arrays that a statement, and those inside it, read."""
    types = b.context.types
    atoms = [a for call in calls_in(s) for a in atoms_of(call)]
    return [a for a in atoms if isinstance(a, Var) and isinstance(types[a], (Array, Unknown))]


def overwritten(b: Builder, arrays: Sequence[Atom], statements: Iterator[Statement] | Sequence[Statement]) -> bool:
    """Whether statements may write into the memory of arrays."""
    if not arrays:
        return False
    types, definition = b.context.types, b.context.definition
    roots = {root(b, a) for a in arrays}
    for s in statements:
        for call in calls_in(s):
            for target in writes_into(call, types, definition):
                if not isinstance(target, Var) or not isinstance(types[target], (Array, Unknown)):
                    continue
                into = root(b, target)
                if into in roots or not is_new(b, into) and not all(is_new(b, r) for r in roots):
                    return True
    return False


def stores(b: Builder, statements: Sequence[Statement]) -> bool:
    """Whether statements may write into memory that was there before them."""
    types, definition = b.context.types, b.context.definition
    targets = [t for s in statements for c in calls_in(s) for t in writes_into(c, types, definition)]
    arrays = [t for t in targets if isinstance(t, Var) and isinstance(b.type(t), (Array, Unknown))]
    inner = {c.result for s in statements for c in calls_in(s) if is_maker(c)}
    return any(root(b, a) not in inner for a in arrays)


def root(b: Builder, atom: Atom) -> Atom:
    """The array that an array is a view of, as far as can be seen."""
    while isinstance(atom, Var):
        made = b.context.definition.get(atom)
        if made is None or is_maker(made):
            return atom
        first = next((a for a in made.args if isinstance(a, Var) and isinstance(b.type(a), (Array, Unknown))), None)
        if first is None:
            return atom
        atom = first
    return atom


def is_new(b: Builder, atom: Atom) -> bool:
    """Whether an array has been made here, in memory of its own."""
    made = b.context.definition.get(atom) if isinstance(atom, Var) else None
    return made is not None and is_maker(made)


def is_maker(made: Call) -> bool:
    if not isinstance(made.fn, Const) or isinstance(made.fn.value, GlobalRef):
        return False
    try:
        rule = lookup(made.fn.value)
    except TypeError:
        return False
    return rule is not None and not rule.view and not any(name in ("copy", "out") for name, _ in made.kwargs)
