"""Which items go into which loops.

    nest     loops over all axes of a space but the last; in their body, one after the other,
    rows     innermost loops, whose bodies are items

Two items may stand in one nest if no element that both touch is touched by the later item in an
earlier turn of the outer loops. They may stand in one row if they meet only in the same iteration:
then a compiler can do many iterations at once. What one row hands to another lies in a buffer of
one row's length; so adjoints of slices, which add one value at several places, go through memory
once and not once for each place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from adcompile.ir.nodes import Var
from adcompile.nests.dependence import Distance, Relation, commute, distance, relation, worse
from adcompile.nests.items import Access, Index, Item, Reduce, Store, accesses, touched, values_of
from adcompile.nests.keys import Keys
from adcompile.nests.views import Axis

PAIRS = 120
"""Pairs of places, one of them written, that one row may have: before compilers vectorise they test each for
overlap, and give up above 128."""


@dataclass(eq=False)
class Row:
    """The items of one innermost loop; `shifts`: by how many turns some come later than others (`nests/align`)."""

    items: list[Item] = field(default_factory=list[Item])
    shifts: dict[Item, int] = field(default_factory=dict[Item, int])

    def shift(self, item: Item) -> int:
        return self.shifts.get(item, 0)

    @property
    def spread(self) -> int:
        return max(self.shifts.values(), default=0)


@dataclass(eq=False)
class Nest:
    space: Keys
    rows: list[Row] = field(default_factory=list[Row])

    @property
    def items(self) -> list[Item]:
        return [item for row in self.rows for item in row.items]


Pair = tuple[Var, Var]


class Memory:
    """What an item touches: `accesses`, without their places `modes`, and by array `touched`, where values that it
    takes from others count as if they lay in memory."""

    def __init__(self, item: Item) -> None:
        self.accesses = accesses(item)
        self.modes = list(dict.fromkeys((base, mode) for base, _, mode in self.accesses))
        self.touched: dict[Var, list[Access]] = {}
        for access in touched(item):
            self.touched.setdefault(access[0], []).append(access)


@dataclass(eq=False)
class Plan:
    """`apart` says whether two arrays are known to share no memory, `near` whether they may well share some, so that
    nests are made for that; else `part` sees to it that they do not, by a guard. `space_of` gives items that are known
    to have one space the same, `settled` places that are known to be the same."""

    apart: Callable[[Var, Var], bool]
    near: Callable[[Var, Var], bool]
    part: Callable[[Var, Var], None]
    space_of: Callable[[Item], Keys]
    settled: Callable[[Index, Keys], Index] = lambda index, space: index
    nests: list[Nest] = field(default_factory=list[Nest])
    place: dict[Item, tuple[Nest, Row]] = field(default_factory=dict[Item, tuple[Nest, Row]])
    rowed: set[Item] = field(default_factory=set[Item])  # read in another row of the nest
    stored: set[Item] = field(default_factory=set[Item])  # read in another nest, or later
    memory: dict[Item, Memory] = field(default_factory=dict[Item, "Memory"])  # what items touch, found once

    def of(self, item: Item) -> Memory:
        found = self.memory.get(item)
        if found is None:
            found = self.memory[item] = Memory(item)
        return found

    def add(self, root: Item) -> None:
        """Place an item, and what it takes values from."""
        if root in self.place:
            return
        items = self.cone(root)
        if len(items) > 1 and self.stands_apart(root, items):
            self.put(items[:-1])
            items = items[-1:]
        self.put(items)

    def stands_apart(self, root: Item, items: Sequence[Item]) -> bool:
        """Whether what gives a value has loops of its own: it reads what is written here."""
        if not isinstance(root, Store):
            return False
        pairs = (pair for item in items[:-1] for pair in self.unsure(item, root))
        return any(self.near(*pair) for pair in pairs) or self.within(items[:-1], root) not in ("apart", "same")

    def cone(self, root: Item) -> list[Item]:
        """The item, and before it those not yet placed from which it takes values."""
        out: dict[Item, None] = {}

        def visit(item: Item) -> None:
            if item in self.place or item in out:
                return
            for other in values_of(item):
                visit(other)
            out[item] = None

        visit(root)
        return list(out)

    def within(self, items: Iterable[Item], root: Store) -> Relation:
        """How what the items touch stands to what the store writes: values that they take from others lie in memory
        too, if others write into it."""
        own = self.of(root).accesses
        write = own[-1] if root.fn is None or root.adds else own[-2]
        found: Relation = "apart"
        for item in items:
            for access in self.of(item).touched.get(write[0], ()):
                found = worse(found, self.relation(access, write, self.space_of(root)))
        return found

    def relation(self, first: Access, second: Access, space: Keys) -> Relation:
        return relation(self.placed(first, space), self.placed(second, space), space)

    def turns(self, first: Access, second: Access, space: Keys) -> Distance | None:
        """By how many turns of each loop the first of two accesses to an element comes later (`dependence`)."""
        return distance(self.placed(first, space)[1], self.placed(second, space)[1], space)

    def placed(self, access: Access, space: Keys) -> Access:
        return access[0], self.settled(access[1], space), access[2]

    # -- placing --------------------------------------------------------------------------------

    def put(self, items: Sequence[Item]) -> None:
        space = self.space_of(items[-1])
        self.separate(pair for new in items for other in items for pair in self.unsure(other, new))
        for nest in reversed(self.nests):
            pairs = self.fits(nest, items) if nest.space == space else None
            if pairs is not None:
                self.separate(pairs)
                self.into(nest, items)
                return
            if self.meets(nest, items):
                break
        nest = Nest(space)
        self.nests.append(nest)
        self.into(nest, items)

    def separate(self, pairs: Iterable[Pair]) -> None:
        for a, b in pairs:
            self.part(a, b)

    def into(self, nest: Nest, items: Sequence[Item]) -> None:
        row = next((row for row in self.rows_for(nest, items) if self.joins(row, items)), None)
        if row is None:
            row = Row()
            nest.rows.append(row)
        for item in items:
            self.place[item] = (nest, row)
            row.items.append(item)
        for item in items:
            for other in values_of(item):
                home, its = self.place[other]
                if home is not nest:
                    self.stored.add(other)
                elif its is not row:
                    self.rowed.add(other)

    def rows_for(self, nest: Nest, items: Sequence[Item]) -> list[Row]:
        """The rows behind which nothing has to do with the items, the last first."""
        out: list[Row] = []
        for row in reversed(nest.rows):
            out.append(row)
            if self.uses(items, row) or self.row_relation(row, items) != "apart":
                break
        return out

    def joins(self, row: Row, items: Sequence[Item]) -> bool:
        """Whether the items may stand in the bodies of one innermost loop with those there."""
        if self.row_relation(row, items, adding=True) not in ("apart", "same"):
            return False
        given = [v for i in items for v in values_of(i) if isinstance(v, Reduce)]
        if any(self.place.get(v, (None, None))[1] is row for v in given):
            return False
        return self.few((*row.items, *items))

    def independent(self, items: Iterable[Item]) -> bool:
        """Whether arrays that these touch are known to share no memory, where one of them is written: in a row, where
        what touches one array meets in one iteration, iterations then have nothing to do with each other."""
        touched: dict[Var, bool] = {}
        for item in items:
            for base, mode in self.of(item).modes:
                if not self.is_scalar(item, base):
                    touched[base] = touched.get(base, False) or mode != "read"
        return all(a is b or self.apart(a, b) for a, written in touched.items() if written for b in touched)

    def few(self, items: Sequence[Item]) -> bool:
        """Whether these touch no more places than one row may, of whose iterations nobody knows that they are
        independent."""
        if self.independent(items):
            return True
        places: dict[tuple[Var, Index], bool] = {}
        for item in items:
            last = len(item.space) - 1
            for base, index, mode in self.of(item).accesses:
                if not self.is_scalar(item, base):
                    place = base, tuple(_anywhere(a) if a.loop == last else a for a in index)
                    places[place] = places.get(place, False) or mode != "read"
        written = sum(places.values())
        return written * (written - 1) // 2 + written * (len(places) - written) <= PAIRS

    def is_scalar(self, item: Item, base: Var) -> bool:
        """Whether an access is to what stays a scalar, as far as is known now."""
        return not isinstance(item, Store) and item.var is base and item not in self.stored and item not in self.rowed

    def row_relation(self, row: Row, items: Sequence[Item], adding: bool = True) -> Relation:
        found: Relation = "apart"
        for old in row.items:
            for new in items:
                found = worse(found, self.between(old, new, adding))
        return found

    def uses(self, items: Sequence[Item], row: Row) -> bool:
        return any(self.place.get(v, (None, None))[1] is row for i in items for v in values_of(i))

    def between(self, old: Item, new: Item, adding: bool) -> Relation:
        """How two items stand to each other; `adding`: additions to one place count too."""
        found: Relation = "apart"
        mine, its = self.of(old).touched, self.of(new).touched
        for base in (base for base in mine if base in its):
            for a, b in itertools.product(mine[base], its[base]):
                if not adding and commute(a, b):
                    continue
                if self.space_of(old) == self.space_of(new):
                    found = worse(found, self.relation(a, b, self.space_of(new)))
                elif a[2] != "read" or b[2] != "read":
                    found = "against"
        return found

    def fits(self, nest: Nest, items: Sequence[Item]) -> list[Pair] | None:
        """The pairs of arrays that must not overlap if the items shall stand in the nest, behind
        what is there; None if they cannot."""
        pairs: dict[Pair, None] = {}
        for new in items:
            for old in nest.items:
                if self.between(old, new, False) == "against":
                    return None
                pairs.update((p, None) for p in self.unsure(old, new))
            if any(isinstance(v, Reduce) and not v.last and self.home(v) is nest for v in values_of(new)):
                return None
        return None if any(self.near(*pair) for pair in pairs) else list(pairs)

    def home(self, item: Item) -> Nest | None:
        found = self.place.get(item)
        return None if found is None else found[0]

    def unsure(self, old: Item, new: Item) -> list[Pair]:
        out: list[Pair] = []
        for a, does in self.of(old).modes:
            for b, its in self.of(new).modes:
                if a is b or does == its != "write":
                    continue  # additions may meet: each finds what the one before has left
                if not self.apart(a, b):
                    out.append((a, b))
        return out

    def meets(self, nest: Nest, items: Sequence[Item]) -> bool:
        """Whether the items have to come after the nest."""
        return any(
            self.between(old, new, True) != "apart"
            or self.unsure(old, new)
            or any(self.home(v) is nest for v in values_of(new))
            for old in nest.items
            for new in items
        )


def _anywhere(axis: Axis) -> Axis:
    """The places that a loop goes along, some steps further on: compilers see how far these are apart."""
    return replace(axis, start=(0, axis.start[1]))
