"""Joins: what values and cells are behind a branch.

A structured value is joined leaf by leaf. A reference that is the same one on all paths stays
itself; where the paths give different cells, a new cell stands for whichever it is, and the cells
it stands for may not be written into under their own names any more (analysis/store).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

from adcompile.analysis.bound import UNBOUND
from adcompile.analysis.builder import Builder, is_structured, same_form
from adcompile.analysis.heap import bound_again, cell_of, lend, note_renamed, owner_of, reached, read
from adcompile.analysis.leaves import is_index, is_undefined, part_name
from adcompile.analysis.pools import check_seen
from adcompile.analysis.real import choice, chosen, given, one_method
from adcompile.analysis.store import State, whence
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Const, Var
from adcompile.ir.types import (
    BOOL,
    NEVER,
    Array,
    Cell,
    Instance,
    IterT,
    Known,
    Method,
    Ref,
    Scalar,
    Type,
    Unknown,
    holds,
    holds_ref,
    join,
    widen,
)


@dataclass
class Tree:
    """A joined value: one atom, or parts to be rebuilt after the statement that joins them."""

    atom: Atom | None = None
    form: Type | None = None
    parts: list[Tree] = field(default_factory=list["Tree"])
    method: Var | None = None  # one like it, if it is a method; its one part is what it is bound to

    def rebuild(self, b: Builder, name: str) -> Atom:
        if self.atom is not None:
            return self.atom
        assert self.form is not None
        if self.method is not None and isinstance(self.form, Method):
            return bound_again(b, self.method, self.form, self.parts[0].rebuild(b, ""))
        return b.build(self.form, [p.rebuild(b, "") for p in self.parts], name=name)

    def tells(self, b: Builder) -> bool:
        """Whether the value itself raises when the code runs, where it is read and no path has bound it."""
        return self.atom in b.context.loose and self.atom not in b.context.untold


def tells(b: Builder, atom: Atom) -> bool:
    """Whether a name that comes of this value raises where it is unbound. In a loop it has its value of the iteration
    before, if the loop does not carry it (a name of a function that is called there)."""
    return atom not in b.context.untold and not (is_undefined(atom) and b.loops)


def tells_alone(b: Builder, atom: Atom) -> bool:
    """The same where some path may have left the name unbound: what is a constant there, or what another name has too,
    has a value on all paths."""
    return tells(b, atom) and (is_undefined(atom) or atom in b.context.loose)


def same_atom(a: Atom, b: Atom) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return a.value is b.value or Known(a.value) == Known(b.value)
    return a is b


def local(b: Builder, atom: Atom) -> bool:
    return isinstance(atom, Var) and atom in b.local


# -- branches -----------------------------------------------------------------------------------


@dataclass(eq=False)
class Side:
    """A branch that goes on: its builder, and the cells it has put."""

    b: Builder
    states: dict[Cell, State]


Alternatives = list[tuple[Side, Atom]]


@dataclass
class Join:
    """The values behind an If, from those of the branches that go on."""

    b: Builder
    sides: list[Side]
    place: Place | None
    results: list[Var] = field(default_factory=list[Var])
    columns: list[list[Atom]] = field(default_factory=list[list[Atom]])
    contents: dict[Cell, Tree] = field(default_factory=dict[Cell, Tree])
    todo: list[tuple[Cell, Alternatives, Var]] = field(default_factory=list[tuple[Cell, Alternatives, Var]])
    merged: dict[tuple[Cell | None, ...], Cell] = field(default_factory=dict[tuple[Cell | None, ...], Cell])
    whole: list[Atom] = field(default_factory=list[Atom])
    shared: set[Cell] = field(default_factory=set[Cell])  # merged ones whose parts have another name yet, or are held
    handed: set[tuple[int, Cell]] = field(default_factory=set[tuple[int, Cell]])  # given away, on which side

    def __post_init__(self) -> None:
        self.columns = [[] for _ in self.sides]

    def cells(self) -> None:
        """Join what the cells hold that a branch has put, and those that the results refer to."""
        states = self.b.context.store.states
        for cell in dict.fromkeys(c for side in self.sides for c in side.states):
            if cell in states:
                self.content(cell, [(side, cell) for side in self.sides])
        while self.todo:
            cell, alternatives, origin = self.todo.pop()
            self.whole = [a for _, a in alternatives]  # what a cell holds goes by the cell's names alone
            self.contents[cell] = self.value(cell.name, origin, alternatives)
        self.whole = []

    def content(self, cell: Cell, alternatives: list[tuple[Side, Cell]]) -> None:
        if cell in self.contents:
            return
        self.contents[cell] = Tree()
        values: Alternatives = []
        for side in self.sides:
            found = next((c for s, c in alternatives if s is side), None)
            values.append((side, UNBOUND if found is None else self.state(side, found).content))
        self.todo.append((cell, values, Var(cell.name or "t", cell.place)))

    def state(self, side: Side, cell: Cell) -> State:
        found = side.states.get(cell)
        return self.b.context.store.states[cell] if found is None else found

    def commit(self) -> None:
        """Behind the If: the store holds what was joined."""
        store = self.b.context.store
        self.check_parts()
        for cell in dict.fromkeys(c for side in self.sides for c in side.states if c not in self.contents):
            self.keep_flags(cell)
        for cell, tree in self.contents.items():
            states = [self.state(side, cell) for side in self.sides if cell in side.states or cell in store.states]
            borrowers = tuple(dict.fromkeys(c for s in states for c in s.borrowers))
            lent, stale = cell in self.shared or any(s.lent for s in states), any(s.stale for s in states)
            store.put(cell, State(tree.rebuild(self.b, cell.name), lent, stale, borrowers))

    def check_parts(self) -> None:
        """A merged cell is not written into where one of those it may be has another name behind the If, or is held
        by something that does not follow writes."""
        for key, made in self.merged.items():
            parts = [(side, c) for side, c in zip(self.sides, key) if c is not None]
            twins = [m for k, m in self.merged.items() if m is not made and any(x is y for x, y in zip(k, key) if x)]
            named = [c for _, c in parts if c in self.contents and c not in self.b.context.store.states]
            held = any((id(side), c) in self.handed or self.is_held(side, c) for side, c in parts)
            self.shared.update([made, *twins, *named] if twins or named else [made] if held else [])

    def is_held(self, side: Side, cell: Cell) -> bool:
        state = self.state(side, cell)
        return state.lent and not state.borrowers

    def keep_flags(self, cell: Cell) -> None:
        """What the sides have given away of a cell that none of them has written into."""
        store = self.b.context.store
        found = [side.states[cell] for side in self.sides if cell in side.states]
        if cell in store.states and any(s.lent or s.stale for s in found):
            borrowers = tuple(dict.fromkeys(c for s in (store.states[cell], *found) for c in s.borrowers))
            lent, stale = any(s.lent for s in found), any(s.stale for s in found)
            store.put(cell, replace(store.states[cell], lent=lent, stale=stale, borrowers=borrowers))

    def value(self, name: str, origin: Var, alternatives: Alternatives) -> Tree:
        """Join one value over the branches that go on; leaves are added to `results`/`columns`."""
        defined = [(s, a) for s, a in alternatives if not is_undefined(a)]
        if not defined:
            return Tree(UNBOUND)
        types, loose = [s.b.type(a) for s, a in defined], self.b.context.loose
        if all(isinstance(t, Ref) for t in types):
            return Tree(Const(self.reference(name, defined)))
        first = defined[0][1]
        if len(defined) == len(alternatives) and all(same_atom(first, a) and not local(s.b, a) for s, a in defined):
            return Tree(first)
        if len(defined) == len(alternatives) and one_method(types):
            owners = [(s, owner_of(s.b, a)) for s, a in defined]
            return Tree(None, types[0], [self.value(name, origin, owners)], first)  # type: ignore[arg-type]
        formed = is_structured(types[0]) and all(same_form(types[0], t) for t in types)
        if formed and is_index(types[0]) and (len(defined) < len(alternatives) or any(a in loose for _, a in defined)):
            formed = False  # where it is unbound its parts are not there to build it of
        if not formed and any(map(holds_ref, types)):
            values = [(s, a if is_undefined(a) else self.given(s, a, name)) for s, a in alternatives]
            self.whole += [v for (_, v), (_, a) in zip(values, alternatives) if any(a is w for w in self.whole)]
            return self.value(name, origin, values)
        if formed:
            rows = [s.b.items(a) for s, a in defined]
            form = types[0]
            children: list[Tree] = []
            for k in range(len(rows[0])):
                cells = iter(rows)
                part = [(s, UNBOUND if is_undefined(a) else next(cells)[k]) for s, a in alternatives]
                children.append(self.value(part_name(name, form, k), origin, part))
            return Tree(None, form, children)
        return self.leaf(name, origin, alternatives, types, len(defined) == len(alternatives))

    def leaf(self, name: str, origin: Var, alternatives: Alternatives, types: list[Type], whole: bool) -> Tree:
        if any(a in self.b.context.flat_of for _, a in alternatives):
            raise Unsupported("an a.flat that depends on the path", origin.place, "choose between the arrays")
        joined: Type = functools.reduce(join, types, NEVER)
        if any(holds(t, Method) and t != joined for t in types):
            alternatives = [(s, a if is_undefined(a) else chosen(s.b, a, name, origin.place)) for s, a in alternatives]
            joined = functools.reduce(join, [s.b.type(a) for s, a in alternatives if not is_undefined(a)], NEVER)
        for t in types:
            check_seen(self.b, t, joined, origin.place)
        if all(isinstance(t, IterT) for t in types):
            joined = types[0]  # which of them is not known: any use of it is refused
        if not whole and isinstance(widen(joined), (Scalar, Instance)):
            joined = widen(joined)  # a number or text that may be unbound is no constant
        if isinstance(joined, Known):
            return Tree(Const(joined.value))
        result = self.b.new(name, (choice(types) if whole else None) or joined, origin.place)
        if any(is_undefined(a) or a in self.b.context.loose for _, a in alternatives):
            self.b.context.loose.add(result)
            self.b.context.untold |= set() if all(tells(self.b, a) for _, a in alternatives) else {result}
        self.results.append(result)
        for column, (s, a) in zip(self.columns, alternatives):
            column.append(a)
            if not any(a is w for w in self.whole):
                note_renamed(s.b, a)
        return Tree(result)

    def given(self, side: Side, atom: Atom, name: str) -> Atom:
        with self.b.context.store.seen_from(side.states):
            self.handed.update((id(side), cell) for cell in reached(side.b, [atom]))
            return given(side.b, atom, name, self.place)

    def reference(self, name: str, defined: Alternatives) -> Cell:
        """The cell that is referred to behind the If."""
        store = self.b.context.store
        cells = [(s, c) for s, a in defined if (c := cell_of(a)) is not None]
        key = tuple(next((c for s, c in cells if s is side), None) for side in self.sides)
        distinct = dict.fromkeys(c for _, c in cells)
        if len(distinct) == 1:
            cell = cells[0][1]
            if cell not in store.states:  # made in a branch
                self.content(cell, cells)
            return cell
        if key not in self.merged:
            first = cells[0][1]
            if any(c.cls is not first.cls for c in distinct):
                what = f"{name!r} is a {first.cls.__name__} on one path and something else on another"
                remedy = "use values of one class, or finish what is done with it inside the branches"
                raise Unsupported(what, self.place, remedy)
            outer = tuple(whence(distinct, store.states.__contains__))
            made = self.merged[key] = Cell(first.cls, name or first.name, first.place, sources=outer)
            for side, cell in cells:
                if cell in outer:
                    with store.seen_from(side.states):
                        read(self.b, cell)
            for cell in outer:
                self.handed.update((id(s), cell) for s, c in cells if c is cell and self.is_held(s, cell))
                for side in self.sides:
                    with store.seen_from(side.states):
                        lend(self.b, cell, made, key)
                        known = (made, *key)  # what is part of the new one is no other name
                        if any(not any(c is k for k in known) for c in store.states[cell].borrowers):
                            self.shared.add(made)
            self.content(made, cells)
            for cell in outer:
                self.content(cell, [(side, cell) for side in self.sides])
        return self.merged[key]


def asked_once(b: Builder, test: Atom) -> Atom:
    """A test as a bool, where it asks an array, a container or an object, which may be written into before the
    way back."""
    t = b.type(test)
    steady = not isinstance(t, (Array, Instance, Unknown))
    steady = steady or isinstance(t, Instance) and t.cls in (str, bytes, frozenset)
    return test if steady else b.emit(bool, (test,), BOOL)
