"""Axes of two, three or four, written out.

    w = r / np.sqrt(np.sum(r * r, axis=0))      →      s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
                                                       w[0], w[1], w[2] = r[0] / np.sqrt(s), …

Points in space, two errors, three angles: `r` has few long rows, and what is computed of it has one. In loops over all
rows every row would go through memory to the next loop. Written out, all stand in loops over one row, and what they
hand to each other is a number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from adcompile.frozen import frozen
from adcompile.ir.nodes import Var
from adcompile.ir.types import Array
from adcompile.nests.items import At, Compute, Expr, Item, Load, Op, Reduce, Store, Value, cost
from adcompile.nests.keys import Keys
from adcompile.nests.region import Region
from adcompile.nests.views import Axis, View, along, compose

SHORT = 4
"""So many rows are written out."""
LIMIT = 800
"""Operations that they may be then, in one region: compilers take longer than in proportion."""

Row = tuple[int, ...]


@frozen
class Unrolled:
    """A region in which no item goes along a short axis; `live` are the items whose memory others read. `arrays`: the
    lengths of what is written row by row now, and whether others read it."""

    region: Region
    live: set[Item]
    arrays: dict[Var, tuple[Keys, bool]]


def unrolled(region: Region, needed: set[Item], live: set[Item]) -> Unrolled | None:
    """The region with its short axes written out, if rows are worth that."""
    items = [i for i in region.items if i in needed]
    spaces = {i: region.space_of(i) for i in items}
    lead = {i: _short(space) for i, space in spaces.items()}
    if not any(n and spaces[i][n:] in spaces.values() for i, n in lead.items()):
        return None  # whole arrays are as well gone through row by row
    if any(n and isinstance(i, Reduce) and i.last for i, n in lead.items()):
        return None
    rows = {i: list(itertools.product(*map(range, spaces[i][: lead[i]]))) for i in items}
    if sum(len(rows[i]) * (1 + cost(i.value)) for i in items) > LIMIT:
        return None
    found = _Unroll(region, live)
    for item in items:
        before = len(found.items)
        if lead[item]:
            found.write_out(item, rows[item], spaces[item])
        else:
            found.items.append(item)
        found.count[item] = len(found.items) - before
    owners = {v: found.totals.get(i, i) for v, i in region.owners.items() if i not in found.copies}
    demanded = {i: _behind(region.items[:at], found) for i, at in region.demanded.items() if i not in found.copies}
    new = replace(region, items=found.items, owners=owners, demanded=demanded)
    return Unrolled(new, {found.totals.get(i, i) for i in live if i not in found.copies}, found.arrays)


def _short(space: Keys) -> int:
    """How many of the first axes are short, if the others are longer."""
    lead, times = 0, 1
    while lead < len(space) - 1 and isinstance(space[lead], int) and 1 < space[lead] * times <= SHORT:
        times *= space[lead]
        lead += 1
    rest = space[lead:]
    return lead if any(not isinstance(n, int) or n > SHORT for n in rest) else 0


def _behind(before: Iterable[Item], found: _Unroll) -> int:
    """How many items stand for these now."""
    return sum(found.count.get(i, 0) for i in before)


@dataclass
class _Unroll:
    region: Region
    live: set[Item]
    items: list[Item] = field(default_factory=list[Item])
    arrays: dict[Var, tuple[Keys, bool]] = field(default_factory=dict[Var, "tuple[Keys, bool]"])
    copies: dict[Item, dict[Row, Compute]] = field(default_factory=dict[Item, "dict[Row, Compute]"])
    totals: dict[Item, Reduce] = field(default_factory=dict[Item, Reduce])
    known: dict[tuple[int, Row], Expr] = field(default_factory=dict["tuple[int, Row]", Expr])
    count: dict[Item, int] = field(default_factory=dict[Item, int])

    def write_out(self, item: Item, rows: list[Row], space: Keys) -> None:
        rest = space[len(rows[0]) :]
        values = {row: self.through(item.value, row, _window(row, rest)) for row in rows}
        match item:
            case Compute():
                self.compute(item, values, space, rest)
            case Store():
                for row, value in values.items():
                    view = compose(item.view, _window(row, rest))
                    self.items.append(replace(item, view=view, value=value, space=rest))
            case Reduce():
                first, *more = values.values()
                for value in more:
                    first = Op(item.fn, (first, value), item.dtype)
                self.totals[item] = replace(item, value=first, space=rest)
                self.items.append(self.totals[item])

    def compute(self, item: Compute, values: dict[Row, Expr], space: Keys, rest: Keys) -> None:
        facts = self.region.facts
        self.copies[item] = {}
        for row, value in values.items():
            var = Var(item.var.name)
            facts.types[var] = Array(item.dtype, ("any",) * len(rest))
            facts.fresh.add(var)
            facts.origin[var] = frozenset({var})
            self.copies[item][row] = replace(item, var=var, value=value, space=rest)
        self.items += self.copies[item].values()
        if item in self.live or item in self.region.demanded:
            self.arrays[item.var] = space, item in self.live
            for row, made in self.copies[item].items():
                view = View(item.var, _window(row, rest).index, rest)
                self.items.append(Store(view, None, Value(made), rest, item.dtype, item.role, item.call))

    def through(self, expr: Expr, row: Row, window: View) -> Expr:
        """The expression on the elements of a row."""
        key = id(expr), row
        if key not in self.known:
            self.known[key] = self._through(expr, row, window)
        return self.known[key]

    def _through(self, expr: Expr, row: Row, window: View) -> Expr:
        match expr:
            case Load():
                return Load(expr.base, compose(View(expr.base, expr.index, ()), window).index, expr.dtype)
            case At():
                return At(along(expr.axis, window))
            case Op():
                return Op(expr.fn, tuple(self.through(a, row, window) for a in expr.args), expr.dtype)
            case Value() if expr.item in self.copies:
                return Value(self.copies[expr.item][row])
            case _:
                return expr


def _window(row: Row, rest: Keys) -> View:
    """The loops over a row, as those over all rows count."""
    index = (*(Axis(None, (k, ()), 0) for k in row), *(Axis(k) for k in range(len(rest))))
    return View(Var("row"), index, rest)
