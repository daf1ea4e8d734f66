"""What a loop carries from one iteration to the next, values and cells, and what is behind it.

The types that are carried grow from one attempt to build the loop to the next, until they hold. A reference that is
the same one on every way into an iteration is a cell that each iteration makes anew; it may not be written into where
something holds it that does not follow writes (analysis/store).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adcompile.analysis.bound import TRUE, UNBOUND
from adcompile.analysis.builder import Builder, is_structured, parts, same_form
from adcompile.analysis.detached import is_in
from adcompile.analysis.heap import cell_of, give, lend, note_renamed, read
from adcompile.analysis.leaves import deep_widen, is_undefined, leaf_types, with_parts
from adcompile.analysis.pools import check_seen
from adcompile.analysis.real import choice, chosen
from adcompile.analysis.store import State, whence
from adcompile.analysis.writing import AUGMENTED
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, For, If, Unreachable, Var, While
from adcompile.ir.types import (
    NEVER,
    Array,
    Boxed,
    Cell,
    DictT,
    Instance,
    Known,
    ListT,
    Never,
    ObjectT,
    Ref,
    Scalar,
    Seq,
    Type,
    Unknown,
    holds_ref,
    join,
)
from adcompile.ir.walk import all_blocks

Position = tuple[Any, ...]  # a carried value or cell, then the way to a part of it
Inside = tuple["Cell | tuple[Cell, Cell]", ...]  # what is looked at: the cells, and pairs that are merged, around it


class Misfit(Exception):
    """What the first iteration finds has another structure than what the others find. `turned`: it finds a number that
    an augmented assignment turns into an array, in which the others write."""

    def __init__(self, turned: bool = False) -> None:
        self.turned = turned


def varying(body: Block, params: Sequence[Var]) -> list[int]:
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


def augmented_in(body: Block, params: Sequence[Var]) -> frozenset[int]:
    """The carried values with names that the body makes augmented assignments to, at any depth."""
    calls = [s for block in all_blocks(body) for s in block.statements if isinstance(s, Call)]
    names = {s.result.name for s in calls if isinstance(s.fn, Const) and is_in(s.fn.value, AUGMENTED)}
    return frozenset(k for k, p in enumerate(params) if p.name and p.name in names)


def never_turned(place: Place | None) -> None:
    """Raises Unsupported, when the code runs, for a number that stays one where it is an array else."""
    what = "a loop of no iterations, in which += or the like makes an array of a number"
    raise Unsupported(what, place, "begin with an array of zeros, or ask before the loop whether it is empty")


@dataclass
class Carried:
    """What a loop is assumed to carry; grows from one attempt to build it to the next."""

    assumed: dict[Any, Type]  # by the position of a carried value, or by the cell
    kept: list[int]  # the values that vary
    outer: int  # the store's mark where the loop begins
    frozen: set[Position] = field(default_factory=set[Position])  # references that are followed as values
    lent: set[Position] = field(default_factory=set[Position])  # references to what something holds
    edges: list[dict[Position, Cell]] = field(default_factory=list[dict[Position, Cell]])
    same: dict[Position, Position] = field(default_factory=dict[Position, Position])
    sources: dict[Position, tuple[Cell, ...]] = field(default_factory=dict[Position, "tuple[Cell, ...]"])
    flags: dict[Cell, tuple[bool, bool]] = field(default_factory=dict[Cell, "tuple[bool, bool]"])
    stable: bool = True
    misfit: bool = False  # something has another structure from the second iteration on
    peelable: bool = False  # the first iteration may be run by itself
    flags_of: dict[int, int] = field(default_factory=dict[int, int])  # what tells whether others are bound
    augmented: Callable[[], Container[Any]] = frozenset  # those that augmented assignments in the loop are made to

    def slots(self) -> list[Any]:
        return [*self.kept, *(k for k in self.assumed if isinstance(k, Cell))]

    def released(self, loop: For | While, leaves: Mapping[Any, int]) -> list[int]:
        """The arrays that each iteration gives back as it got them, changed in place: from now on they are not
        carried."""
        params = loop.body.params[len(loop.body.params) - len(loop.results) :]
        changed, at, out = varying(loop.body, params), 0, list[int]()
        for slot in self.slots():
            if isinstance(slot, int) and isinstance(self.assumed[slot], Array) and at not in changed:
                out.append(slot)
            at += leaves[slot]
        self.kept = [k for k in self.kept if k not in out]
        for k in out:
            del self.assumed[k]
        return out


@dataclass
class Frame:
    """The loop whose body is being run."""

    carried: Carried
    start: int = 0  # the store's mark where the body begins

    def leaves(self, b: Builder, values: Sequence[Atom]) -> list[Atom]:
        """At the end of an iteration (or before the first): the leaves of all that is carried."""
        c, store = self.carried, b.context.store
        for cell, before in store.changed(self.start).items():
            if before is not None and cell not in c.assumed and store.states[cell].content is not before.content:
                c.assumed[cell] = NEVER if is_undefined(before.content) else deep_widen(b.type(before.content))
                c.stable = False
        edge: dict[Position, Cell] = {}
        out: list[Atom] = []
        for slot in c.slots():
            value = store.states[slot].content if isinstance(slot, Cell) else values[slot]
            out.extend(self.fitted(b, slot, value, edge))
        for cell, before in store.changed(self.start).items():
            if before is not None:
                self.flag(cell, store.states[cell])
        c.edges.append(edge)
        return out

    def apply_flags(self, b: Builder) -> None:
        """What earlier iterations have done to cells that were there before the loop."""
        store = b.context.store
        for cell, (lent, stale) in self.carried.flags.items():
            state = store.states[cell]
            store.put(cell, replace(state, lent=state.lent or lent, stale=state.stale or stale))

    def flag(self, cell: Cell, now: State) -> None:
        if (now.lent, now.stale) != self.carried.flags.get(cell, (False, False)):
            lent, stale = self.carried.flags.get(cell, (False, False))
            new = (lent or now.lent, stale or now.stale)
            if new != (lent, stale):
                self.carried.flags[cell] = new
                self.carried.stable = False

    def fitted(self, b: Builder, slot: Any, value: Atom, edge: dict[Position, Cell]) -> list[Atom]:
        c = self.carried
        assumed, named = c.assumed[slot], c.assumed.get(c.flags_of.get(slot))
        if named is not None and leaf_types(named) == [named]:  # the name itself raises
            value = TRUE
        if is_undefined(value):
            return [UNBOUND] * len(leaf_types(assumed))
        joined = self.merge(b, assumed, deep_widen(b.type(value)), (slot,), ())
        if joined != assumed:
            c.assumed[slot], c.stable = joined, False
            return [UNBOUND] * len(leaf_types(joined))  # this attempt is thrown away
        return self.parts(b, value, assumed, (slot,), edge)

    def parts(self, b: Builder, value: Atom, form: Type, at: Position, edge: dict[Position, Cell]) -> list[Atom]:
        """The leaves of a value in the form assumed."""
        if isinstance(form, (Known, Never, Ref)):
            return []
        if is_undefined(value):
            return [UNBOUND] * len(leaf_types(form))
        if isinstance(form, Boxed):
            cell = cell_of(value)
            assert cell is not None
            edge[at] = cell
            state = b.context.store.states[cell]
            if state.lent and not state.borrowers and at not in self.carried.lent:
                self.carried.lent.add(at)
                self.carried.stable = False
            return self.parts(b, read(b, cell), form.content, (*at, "content"), edge)
        called = not assumes_refs(form) and holds_ref(b.type(value))  # by the user, in sight
        if called:
            value = give(b, value)
        if is_structured(form):
            pairs = zip(b.items(value), parts(form))
            return [leaf for k, (item, p) in enumerate(pairs) for leaf in self.parts(b, item, p, (*at, k), edge)]
        if b.type(value) == form:
            return [value]
        check_seen(b, b.type(value), form, b.place)
        if called and at[-1] != "content" and not (len(at) == 1 and isinstance(at[0], Cell)):
            note_renamed(b, value)
        return [chosen(b, value, "", b.place)]

    def merge(self, b: Builder, a: Type, t: Type, at: Position, inside: Inside) -> Type:
        """The least form that holds both: `a`, which is assumed, and a value's type."""
        if isinstance(t, Never):
            return a
        if a == t or isinstance(a, Never):
            return self.settled(b, t, inside)
        if isinstance(a, (Ref, Boxed)) and isinstance(t, (Ref, Boxed)):
            cls = a.cell.cls if isinstance(a, Ref) else a.cls
            other = t.cell.cls if isinstance(t, Ref) else t.cls
            if at not in self.carried.frozen and cls is other:
                if isinstance(a, Ref) and isinstance(t, Ref):
                    cyclic(b, a.cell, inside, t.cell)
                    inside = (*inside, (a.cell, t.cell))
                x, y = self.boxed(b, a, inside), self.boxed(b, t, inside)
                return Boxed(cls, self.merge(b, x.content, y.content, (*at, "content"), inside))
        elif same_form(a, t):
            items = [self.merge(b, x, y, (*at, k), inside) for k, (x, y) in enumerate(zip(parts(a), parts(t)))]
            return with_parts(a, items)
        x, y = self.valued(b, a, inside), self.valued(b, t, inside)
        if at[0] not in self.carried.flags_of and (functions := choice((x, y))) is not None:
            return functions
        if isinstance(x, (ListT, DictT, ObjectT, Seq)) and not isinstance(join(x, y), (ListT, DictT, ObjectT, Seq)):
            cls = list if isinstance(x, (ListT, Seq)) else dict if isinstance(x, DictT) else x.cls
            self.misfits()
            same = isinstance(y, Instance) and y.cls is cls or isinstance(y, DictT) and cls is dict
            return Instance(cls) if same and not isinstance(x, ObjectT) else join(x, y)
        joined = join(x, y)
        if isinstance(joined, Unknown) and Known(None) in (x, y):
            self.misfits()
        turns = isinstance(joined, Unknown) and isinstance(x, Scalar) and isinstance(y, Array)
        if turns and at[0] in self.carried.augmented():
            self.misfits(turned=True)
        return joined

    def misfits(self, turned: bool = False) -> None:
        self.carried.misfit = True
        if self.carried.peelable:
            raise Misfit(turned)

    def settled(self, b: Builder, t: Type, inside: Inside) -> Type:
        """A type to be assumed of the next attempt, which makes the cells of the body anew."""
        if isinstance(t, Ref):
            made_here = b.context.store.changed(self.carried.outer).get(t.cell, t) is None
            if not made_here:
                return t
            box = self.boxed(b, t, inside)
            return Boxed(box.cls, self.settled(b, box.content, (*inside, t.cell)))
        if is_structured(t) and assumes_refs(t):
            return with_parts(t, [self.settled(b, p, inside) for p in parts(t)])
        return t

    def boxed(self, b: Builder, t: Ref | Boxed, inside: Inside) -> Boxed:
        if isinstance(t, Boxed):
            return t
        cyclic(b, t.cell, inside)
        content = deep_widen(b.type(b.context.store.states[t.cell].content))
        return Boxed(t.cell.cls, content)

    def valued(self, b: Builder, t: Type, inside: Inside) -> Type:
        """The type of the value that `give` makes of a reference."""
        if isinstance(t, Ref):
            cyclic(b, t.cell, inside)
            return self.valued(b, deep_widen(b.type(b.context.store.states[t.cell].content)), (*inside, t.cell))
        if isinstance(t, Boxed):
            return self.valued(b, t.content, inside)
        if is_structured(t) and assumes_refs(t):
            return with_parts(t, [self.valued(b, p, inside) for p in parts(t)])
        return t

    # -- cells of each iteration ------------------------------------------------------------

    def rebuild(self, b: Builder, name: str, slot: Any, leaves: list[Var]) -> Atom:
        rest = iter(leaves)
        c = self.carried

        def build(t: Type, name: str, at: Position) -> Atom:
            if isinstance(t, Never):
                return UNBOUND
            if isinstance(t, Known):
                return Const(t.value)
            if isinstance(t, Ref):
                return Const(t.cell)
            if isinstance(t, Boxed):
                content = build(t.content, name, (*at, "content"))
                if c.same.get(at, at) not in self.shared:
                    cell = Cell(t.cls, name, None, sources=c.sources.get(at, ()))
                    b.context.store.put(cell, State(content, lent=at in c.lent))
                    others = [other.value for other in self.shared.values()]
                    for source in cell.sources:
                        lend(b, source, cell, others)  # of which this is none (check_apart)
                    self.shared[c.same.get(at, at)] = Const(cell)
                return self.shared[c.same.get(at, at)]
            if is_structured(t):
                return b.build(t, [build(p, "", (*at, k)) for k, p in enumerate(parts(t))], name=name)
            return next(rest)

        return build(c.assumed[slot], name, (slot,))

    shared: dict[Position, Const] = field(default_factory=dict[Position, Const])

    def check_edges(self, b: Builder) -> None:
        """Which references are one on every way into an iteration, and which cells made before
        the loop they may be. Those that are one only at times are followed as values."""
        c = self.carried
        positions = list(dict.fromkeys(p for edge in c.edges for p in edge))
        whole = [edge for edge in c.edges if edge]
        for k, p in enumerate(positions):
            for q in positions[:k]:
                equal = [edge.get(p) is edge.get(q) for edge in whole if p in edge and q in edge]
                if all(equal) and equal and len(equal) == len(whole):
                    if c.same.get(q, q) != c.same.get(p, p):
                        c.same[p], c.stable = c.same.get(q, q), False
                elif any(equal) or p in c.same and c.same[p] == c.same.get(q, q):
                    c.frozen |= {p, q}
                    c.same.pop(p, None)
                    c.stable = False
        self.check_apart(b, positions)
        if c.frozen:
            c.assumed = {s: self.thawed(b, t, (s,)) for s, t in c.assumed.items()}
        del c.edges[:]

    def check_apart(self, b: Builder, positions: Sequence[Position]) -> None:
        """Which cells made before the loop each reference may be, and whether two that are taken for different ones
        may be one. Two that are different at the beginning of an iteration, and change places, are different still."""
        c = self.carried
        begin = {cell.value: at for at, cell in self.shared.items()}
        roots = [{p: self.roots(b, cell, begin) for p, cell in e.items()} for e in c.edges]
        of = {c.same.get(p, p): dict[Cell, None]() for p in positions}
        todo = True
        while todo:
            todo = False
            for p, cell in ((c.same.get(p, p), cell) for e in roots for p, cells in e.items() for cell in cells):
                found = of.get(begin[cell], ()) if cell in begin else [cell] if made_before(b, cell, c.outer) else ()
                new = [x for x in found if x not in of[p]]
                of[p].update(dict.fromkeys(new))
                todo = todo or bool(new)
        for k, p in enumerate(positions):
            sources = tuple(of[c.same.get(p, p)])
            if sources != c.sources.get(p, ()):
                c.sources[p], c.stable = sources, False
            for q in positions[:k]:
                if c.same.get(q, q) != c.same.get(p, p) and not {p, q} <= c.frozen:
                    pairs = [(e[p], e[q]) for e in roots if p in e and q in e]
                    if any(meet(x, y, begin, of) or meet(y, x, begin, of) for x, y in pairs):
                        c.frozen |= {p, q}
                        c.stable = False

    def roots(self, b: Builder, cell: Cell, begin: Mapping[Cell, Position]) -> list[Cell]:
        """What a cell may be: a path has made it of those."""
        known = whence([cell], lambda x: x in begin or made_before(b, x, self.carried.outer))
        return known or [cell]

    def thawed(self, b: Builder, t: Type, at: Position) -> Type:
        if isinstance(t, Boxed):
            if at in self.carried.frozen:
                return self.valued(b, t, ())
            return Boxed(t.cls, self.thawed(b, t.content, (*at, "content")))
        if is_structured(t):
            return with_parts(t, [self.thawed(b, p, (*at, k)) for k, p in enumerate(parts(t))])
        return t


def meet(x: Sequence[Cell], y: Sequence[Cell], begin: Mapping[Cell, Position], of: Mapping[Position, Any]) -> bool:
    """Whether one of these cells may be one of those, which an iteration may have begun with."""
    return any(one is other or other in begin and one in of.get(begin[other], ()) for one in x for other in y)


def made_before(b: Builder, cell: Cell, mark: int) -> bool:
    """Whether a cell was there at that mark of the store."""
    store = b.context.store
    return cell in store.states and cell not in {c for c, s in store.changed(mark).items() if s is None}


def cyclic(b: Builder, cell: Cell, inside: Inside, other: Cell | None = None) -> None:
    if (cell if other is None else (cell, other)) in inside:
        raise Unsupported(
            f"a {cell.cls.__name__} that holds itself is carried by a loop",
            b.place,
            "keep the reference back to it out of what changes in the loop",
        )


def assumes_refs(t: Type) -> bool:
    return isinstance(t, (Ref, Boxed)) or is_structured(t) and any(map(assumes_refs, parts(t)))
