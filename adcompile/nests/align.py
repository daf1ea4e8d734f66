"""Rows of a nest that touch one array at different places, set side by side.

An adjoint of slices adds to `x_bar[i]`, `x_bar[i + 1]` and `x_bar[i + 2]`, each in an innermost loop of its own, for
one loop would go from element to element through memory. Items that lag behind each other by as many turns as
their places lie apart meet in one turn, and what is added to an element is added in one go:

    shift 0    x_bar[k] += …        for k from 0
    shift 1    x_bar[k] += …        for k from 1, with what its own turn k - 1 gives
    shift 2    x_bar[k] += …        for k from 2, …

Two items stand in one row if they touch a common element in the same turn of it or in none (`plan.turns`).

What is set to a number, and added to in a later row, is set there: between the ends it then never sees memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from adcompile.ir.nodes import Var
from adcompile.nests.dependence import Distance, commute
from adcompile.nests.items import Item, Number, Reduce, Store, is_known, values_of
from adcompile.nests.plan import Nest, Plan, Row


def align(plan: Plan, nest: Nest) -> None:
    """Set the rows of a nest side by side, as far as that can be."""
    rows: list[Row] = []
    for row in nest.rows:
        _take(plan, rows, row)
    _sink(plan, rows)
    nest.rows[:] = [row for row in rows if not all(map(is_known, row.items))]
    rows = nest.rows
    for row in rows:
        first = min(row.shifts.values(), default=0)
        row.shifts = {i: row.shift(i) - first for i in row.items}
        plan.place.update((i, (nest, row)) for i in row.items)
    plan.rowed.difference_update(nest.items)
    for item in nest.items:
        mine = plan.place[item][1]
        given = [v for v in values_of(item) if plan.home(v) is nest]
        plan.rowed.update(v for v in given if plan.place[v][1] is not mine)


def _take(plan: Plan, rows: list[Row], row: Row) -> None:
    """Put a row into the last one that it can stand in, or behind them all."""
    for at in range(len(rows) - 1, -1, -1):
        by = lag(plan, rows[at], row)
        if by is not None and _stored_by(rows[at]) & _stored_by(row):
            rows[at] = _joined(rows[at], row, by)
            return
        parted = _parted(plan, rows[at], row)
        if parted is not None:
            rows[at : at + 1] = parted
            _put_back(plan, rows, at)
            return
        if not all(_free(plan, a, b) for a in rows[at].items for b in row.items):
            break
    rows.append(row)


def _stored_by(row: Row) -> set[Var]:
    return {i.view.base for i in row.items if isinstance(i, Store)}


def _joined(row: Row, more: Row, by: int) -> Row:
    shifts = {**{i: row.shift(i) for i in row.items}, **{i: more.shift(i) + by for i in more.items}}
    return Row([*row.items, *more.items], shifts)


def lag(plan: Plan, row: Row, more: Row) -> int | None:
    """By how many turns the items of the second row have to come later to meet those of the first in the same turn
    wherever they meet; None where they do not meet, or no number will do."""
    if not plan.few((*row.items, *more.items)) or any(isinstance(i, Reduce) for i in (*row.items, *more.items)):
        return None
    found: int | None = None
    for old in row.items:
        for new in more.items:
            for turns in _meetings(plan, old, new):
                if any(turns[:-1]) or None in turns or turns[-1] is None:
                    return None  # also what other turns of the outer loops touch: compilers cannot tell these apart
                by = row.shift(old) + turns[-1] - more.shift(new)
                if found not in (None, by):
                    return None
                found = by
    return found if _at_hand(row, more) else None


def _at_hand(row: Row, more: Row) -> bool:
    """Whether what the second row takes from the first is of the last of its items that go together: at the ends of
    a row these are under one condition."""
    last = {row.shift(i) for i in row.items[-1:]}
    there: set[Item] = set()
    for item in reversed(row.items):
        if row.shift(item) not in last:
            break
        there.add(item)
    return all(v in there for i in more.items for v in values_of(i) if v in row.shifts or v in row.items)


def _meetings(plan: Plan, old: Item, new: Item, adding: bool = True) -> Iterator[Distance]:
    """How many turns apart two items may touch the same element, one of them writing."""
    mine, its = plan.of(old).touched, plan.of(new).touched
    for base in (base for base in mine if base in its):
        for a, b in itertools.product(mine[base], its[base]):
            if not a[2] == b[2] == "read" and (adding or not commute(a, b)):
                turns = plan.turns(a, b, plan.space_of(new))
                if turns is not None:
                    yield turns


def _free(plan: Plan, old: Item, new: Item) -> bool:
    """Whether the later one may as well come first in each turn of the outer loops."""
    if any(v is old for v in values_of(new)):
        return False
    return all(any(turns[:-1]) for turns in _meetings(plan, old, new, adding=False))


def _parted(plan: Plan, row: Row, more: Row) -> list[Row] | None:
    """The first row without its additions to what the second adds to, and these with the second: where what is added
    is computed in the first, and lies in memory anyway."""
    bases = {i.view.base for i in more.items if isinstance(i, Store) and i.adds}
    moving = {i for i in row.items if isinstance(i, Store) and i.adds and i.view.base in bases}
    for k, item in enumerate(row.items):
        if item in moving and not all(v in plan.rowed | plan.stored for v in values_of(item)):
            moving.discard(item)
        if item in moving and not all(j in moving or _free(plan, item, j) for j in row.items[k + 1 :]):
            moving.discard(item)
    if not moving:
        return None
    rest, moved = Row(), Row()
    for item in row.items:
        part = moved if item in moving else rest
        part.items.append(item)
        part.shifts[item] = row.shift(item)
    by = lag(plan, moved, more)
    return None if by is None else [rest, _joined(moved, more, by)]


def _sink(plan: Plan, rows: list[Row]) -> None:
    """Set elements to numbers in the next row that touches the array, where it touches each in one turn."""
    for at, row in enumerate(rows):
        for k, item in reversed(list(enumerate(row.items))):
            if not isinstance(item, Store) or item.fn is not None or not isinstance(item.value, Number):
                continue
            met = [j for j in row.items[k + 1 :] if not _free(plan, item, j)]
            later = next((r for r in rows[at + 1 :] if not all(_free(plan, item, j) for j in r.items)), None)
            by = lag(plan, Row([item]), later) if later is not None and not met else None
            if later is not None and by is not None and -by in _range_of(later):
                row.items.pop(k)
                row.shifts.pop(item, None)
                later.items.insert(0, item)
                later.shifts[item] = -by


def _range_of(row: Row) -> range:
    """The shifts between which those of a row lie: what comes later would lengthen its ends."""
    shifts = [row.shift(i) for i in row.items]
    return range(min(shifts), max(shifts) + 1)


def _put_back(plan: Plan, rows: list[Row], at: int) -> None:
    """Let what is left of a row stand in the one before it."""
    if not rows[at].items:
        del rows[at]
    elif at and all(not isinstance(i, Store) for i in rows[at].items):
        by = lag(plan, rows[at - 1], rows[at])
        if by is not None:
            rows[at - 1 : at + 1] = [_joined(rows[at - 1], rows[at], by)]
