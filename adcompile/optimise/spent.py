"""Lists of which an older state is still read when they grow, shrink or are written into: a copy is used up instead.

`push(h, v)` and its like are functions in the IR, and one list that changes in what is printed. Adjoint code reads
states of a list that the program has left behind, for the shape of its cotangent if for nothing else.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from adcompile import runtime as rt
from adcompile.analysis.activity import leaf_ends
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Statement, Var, While, Yield
from adcompile.ir.types import Seq, Type
from adcompile.ir.walk import atoms_of, blocks_of, end_atoms

SPENDING = (ops.push, ops.pop, ops.put_item)
Loop = For | While


@dataclass
class Lists:
    """Where the lists of a function are made, read and used up; statements are numbered in order."""

    types: dict[Var, Type]
    count: int = 0
    made: dict[Var, int] = field(default_factory=dict[Var, int])
    read: dict[Var, list[int]] = field(default_factory=dict[Var, list[int]])
    stored: list[tuple[int, Call, Var]] = field(default_factory=list[tuple[int, Call, Var]])
    spent: list[tuple[int, Call, Var, tuple[Loop, ...]]] = field(
        default_factory=list[tuple[int, Call, Var, tuple[Loop, ...]]]
    )
    span: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])  # of loops, by identity
    sides: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict[int, tuple[tuple[int, int], ...]])
    side: tuple[tuple[int, int], ...] = ()  # the branches around what is looked at: which, and which side of each
    before: dict[Var, list[Var]] = field(default_factory=dict[Var, list[Var]])  # other names for the same list
    pairs: set[Var] = field(default_factory=set[Var])  # what `pop` gives: the list, and the item
    first: dict[Var, Var] = field(default_factory=dict[Var, Var])  # the pair a list was read of, which stands for it
    unbound: set[Var] = field(default_factory=set[Var])  # what some paths leave unbound, or None

    def list_of(self, atom: Atom) -> Var | None:
        """The name under which a list is known, if it is one."""
        if not isinstance(atom, Var):
            return None
        return self.first.get(atom, atom) if isinstance(self.types.get(atom), Seq) or atom in self.pairs else None

    def note(self, atoms: Iterable[Atom]) -> None:
        for a in map(self.list_of, atoms):
            if a is not None:
                self.read.setdefault(a, []).append(self.count)

    def flow(self, source: Atom, target: Var) -> None:
        name = self.list_of(source)
        if isinstance(source, Const) and (source.value is None or source.value is ops.UNDEFINED):
            self.unbound.add(target)
        if name is not None:
            self.before.setdefault(target, []).append(name)

    def block(self, block: Block, loops: tuple[Loop, ...]) -> None:
        for s in block.statements:
            self.number()
            if isinstance(s, Call):
                self.call(s, loops)
            else:
                self.nested(s, loops)
        self.number()
        self.note(end_atoms(block.end))  # a Yield too: behind the If it is read under another name

    def number(self) -> None:
        self.count += 1
        self.sides[self.count] = self.side

    def call(self, s: Call, loops: tuple[Loop, ...]) -> None:
        self.made[s.result] = self.count
        fn = s.fn.value if isinstance(s.fn, Const) else None
        others: tuple[Atom, ...] = atoms_of(s)
        if any(fn is f for f in SPENDING):
            target = self.list_of(s.args[0])
            if target is not None:
                self.spent.append((self.count, s, target, loops))
                others = s.args[1:]
            if fn is ops.pop:
                self.pairs.add(s.result)
        elif fn is operator.getitem and s.args[0] in self.pairs:
            if isinstance(s.args[1], Const) and s.args[1].value == 1:
                return  # the item
            self.first[s.result] = s.args[0]
        self.note(others)
        stored = self.list_of(s.args[1]) if s.role != "primal" and fn is ops.push else None
        if stored is not None:
            self.stored.append((self.count, s, stored))

    def nested(self, s: Statement, loops: tuple[Loop, ...]) -> None:
        start = self.count
        self.note(a for a in atoms_of(s) if not isinstance(s, (For, While)) or a not in s.init)
        if isinstance(s, (For, While)):
            params = s.body.params[1:] if isinstance(s, For) else s.body.params
            self.made.update(dict.fromkeys(s.body.params, start))
            for values in (s.init, *leaf_ends(s.body)):
                for value, param, result in zip(values, params, s.results):
                    self.flow(value, param)
                    self.flow(value, result)
            loops = (*loops, s)
        outer = self.side
        for k, inner in enumerate(blocks_of(s)):
            self.side = (*outer, (start, k)) if isinstance(s, If) else outer
            self.block(inner, loops)
            self.side = outer
            if isinstance(s, If) and isinstance(inner.end, Yield):
                for value, result in zip(inner.end.values, s.results):
                    self.flow(value, result)
        if isinstance(s, (For, While)):
            self.span[id(s)] = start, self.count
        if isinstance(s, (If, For, While)):
            self.made.update(dict.fromkeys(s.results, self.count))

    def names_of(self, var: Var) -> list[Var]:
        """The values that may be the same list as `var`."""
        found, todo = {var: None}, [var]
        while todo:
            for v in self.before.get(todo.pop(), ()):
                if v not in found:
                    found[v] = None
                    todo.append(v)
        return list(found)

    def is_read_later(self, v: Var, at: int, loops: tuple[Loop, ...]) -> bool:
        """Whether `v`, made before, is read after a statement, or in another iteration of a loop around it."""
        made = self.made.get(v, 0)
        for use in self.read.get(v, ()):
            if made < at < use and not self.exclude(at, use):
                return True
            for low, high in (self.span[id(s)] for s in loops):
                if low <= use <= high and made < low:
                    return True
        return False

    def exclude(self, at: int, use: int) -> bool:
        """Whether two statements are on different sides of one branch."""
        taken = dict(self.sides[at])
        return any(taken.get(branch, k) != k for branch, k in self.sides[use])


def keep_states(function: Function, types: dict[Var, Type]) -> Function:
    """The function with copies of the lists that are used up while somebody reads them later."""
    lists = Lists(types)
    lists.block(function.body, ())
    if not lists.spent:
        return function
    calls: dict[int, int] = {}  # which argument of a call is copied, by identity
    inits: dict[int, set[int]] = {}
    for at, call, target, loops in lists.spent:
        names = lists.names_of(target)
        late = [v for v in names if lists.is_read_later(v, at, loops)]
        inner = loops[-1] if loops else None
        outside = inner is not None and all(lists.made.get(v, 0) < lists.span[id(inner)][0] for v in late)
        carried = carried_as(inner, names) if inner is not None and outside else ()
        if late and carried:
            inits.setdefault(id(inner), set()).update(carried)
        elif late:  # a loop that makes one iteration carries nothing
            calls[id(call)] = 0
        for when, store, value in lists.stored:
            again = any(low <= when <= high for low, high in (lists.span[id(s)] for s in loops))
            if value in names and (when < at or again):
                calls[id(store)] = 1
    if not calls and not any(inits.values()):
        return function
    return replace(function, body=Copies(lists, calls, inits).block(function.body))


def carried_as(loop: Loop, names: list[Var]) -> list[int]:
    """The places at which a loop carries one of these."""
    params = loop.body.params[1:] if isinstance(loop, For) else loop.body.params
    return [k for k, p in enumerate(params) if p in names]


@dataclass
class Copies:
    """Puts copies where they were found to be needed: `calls` and `inits`, by identity."""

    lists: Lists
    calls: dict[int, int]
    inits: dict[int, set[int]]

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for s in block.statements:
            if isinstance(s, Call):
                if id(s) in self.calls:
                    k = self.calls[id(s)]
                    s = replace(s, args=(*s.args[:k], self.copy(s.args[k], out), *s.args[k + 1 :]))
            elif isinstance(s, If):
                s = replace(s, then=self.block(s.then), orelse=self.block(s.orelse))
            elif isinstance(s, (For, While)):
                chosen = self.inits.get(id(s), set())
                init = tuple(self.copy(a, out) if k in chosen else a for k, a in enumerate(s.init))
                s = replace(s, init=init, body=self.block(s.body))
            out.append(s)
        return replace(block, statements=tuple(out))

    def copy(self, atom: Atom, out: list[Statement]) -> Atom:
        if not isinstance(atom, Var):
            return atom
        made, types = Var(atom.name, atom.place), self.lists.types
        types[made] = types[atom]
        fn = list if self.lists.unbound.isdisjoint(self.lists.names_of(atom)) else rt.list_or_none
        out.append(Call(made, Const(fn), (atom,), (), atom.place, "adjoint"))  # of the same arrays
        return made
