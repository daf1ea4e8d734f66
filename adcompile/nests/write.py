"""Nests as statements of the IR: loops over ranges, elements read and written, scalars in between."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, If, Role, Statement, Var, Yield
from adcompile.ir.types import BOOL, INT, UNKNOWN, Array, RangeT, Scalar, TupleT, Type
from adcompile.nests.elementwise import DType
from adcompile.nests.frames import Frames
from adcompile.nests.items import (
    At,
    Compute,
    Expr,
    Index,
    Item,
    Load,
    Number,
    Op,
    Reduce,
    Store,
    Value,
    accesses,
    leaves_of,
    neutral,
    own_index,
)
from adcompile.nests.keys import Keys
from adcompile.nests.plan import Nest, Plan, Row
from adcompile.nests.views import Axis, plus
from adcompile.optimise.typing import kinds, type_of

LOOPS = "ijklpqrs"
Place = tuple[Var, Index]


def scalar(dtype: DType) -> Type:
    return Scalar(frozenset({dtype.type}))


@dataclass(eq=False)
class Scope:
    """A loop body that is being written, and what it has computed; `unread`: what it has put where nothing has
    been read since; `there`: what memory holds but for that."""

    out: list[Statement] = field(default_factory=list[Statement])
    found: dict[Any, Atom] = field(default_factory=dict[Any, Atom])
    unread: dict[Place, Statement] = field(default_factory=dict[Place, Statement])
    there: dict[Place, Atom] = field(default_factory=dict[Place, Atom])


@frozen
class Bounds:
    """Of a row whose items lag: the turns of each, how far the last ones lie behind the first, the range of the
    turns of all, and the range over those at the ends."""

    count: Atom
    between: Atom
    all: Atom
    ends: Atom


@dataclass(eq=False)
class Writer:
    frames: Frames
    plan: Plan
    buffers: Mapping[Item, Var]  # for what one row hands to another
    scopes: list[Scope] = field(default_factory=list[Scope])
    loops: list[Var] = field(default_factory=list[Var])
    row: Row = field(default_factory=Row)
    nest: Nest = field(default_factory=lambda: Nest(()))

    def __post_init__(self) -> None:
        self.types = self.frames.types
        self.numbers: dict[tuple[Atom, DType], Atom] = {}

    def var(self, name: str, t: Type) -> Var:
        var = Var(name)
        self.types[var] = t
        return var

    def call(self, scope: Scope, name: str, t: Type, item: Item | None, fn: Any, *args: Atom) -> Var:
        var = self.var(name, t)
        place, role = (None, "primal") if item is None else (item.call.place, item.role)
        scope.out.append(Call(var, Const(fn), args, (), place, role))
        return var

    # -- loops ----------------------------------------------------------------------------------

    def write(self, nest: Nest) -> None:
        """The nest, behind what the current frame has."""
        self.nest = nest
        self.bounds: dict[int, Bounds] = {}
        self.ranges = [
            self.frames.call(self.frames.here, "steps", RangeT(True), range, self.frames.value(n)) for n in nest.space
        ]
        totals = [i for i in nest.items if isinstance(i, Reduce) and not i.last]
        start: dict[Item, Atom] = {i: Const(neutral(i.fn, i.dtype)) for i in totals}
        body = Scope(self.frames.here.out)
        for item in nest.items:
            self.prepare(item)
        ends = self.outer(0, body, start)
        for item, value in ends.items():
            assert isinstance(item, Reduce) and isinstance(value, Var)
            body.out.append(Call(item.var, Const(ops.identity), (value,), (), item.call.place, item.role))

    def prepare(self, item: Item) -> None:
        """What the loops need, computed in front of them."""
        for e in leaves_of(item.value):
            if isinstance(e, Number):
                self.number(e, item)
            elif isinstance(e, At):
                self.frames.form(e.axis.start)
        for _, index, _ in accesses(item):
            for axis in index:
                self.frames.form(axis.start)

    def outer(self, k: int, scope: Scope, totals: dict[Item, Atom]) -> dict[Item, Atom]:
        """The loops from axis `k` on; `totals` is what has been added up so far, and then in the end."""
        self.scopes.append(scope)
        if k == len(self.nest.space) - 1:
            for row in self.nest.rows:
                totals = self.inner(row, scope, totals)
        else:
            body, (element, *params) = Scope(), self.params(k, list(totals))
            self.loops.append(element)
            ends = self.outer(k + 1, body, dict(zip(totals, params)))
            self.loops.pop()
            totals = self.loop(k, scope, element, params, totals, body, ends, self.role(self.nest.items))
        self.scopes.pop()
        return totals

    def params(self, k: int, items: Sequence[Item]) -> list[Var]:
        return [self.var(LOOPS[k], INT), *(self.var("total", scalar(i.dtype)) for i in items)]

    def loop(
        self, k: int, scope: Scope, element: Var, params: list[Var], init: dict[Item, Atom], body: Scope,
        ends: dict[Item, Atom], role: Role, steps: Atom | None = None,
    ) -> dict[Item, Atom]:  # fmt: skip
        block = Block((element, *params), tuple(body.out), Continue(tuple(ends[i] for i in init)))
        results = tuple(self.var("total", scalar(i.dtype)) for i in init)
        place = self.nest.items[0].call.place
        scope.out.append(For(results, steps or self.ranges[k], tuple(init.values()), block, place, role))
        return dict(zip(init, results))

    def inner(self, row: Row, scope: Scope, totals: dict[Item, Atom]) -> dict[Item, Atom]:
        """An innermost loop."""
        self.row = row
        if row.spread:
            self.shifted(row, scope)
            return totals
        mine: dict[Item, Atom] = {i: totals[i] for i in row.items if i in totals}
        mine.update((i, Const(neutral(i.fn, i.dtype))) for i in row.items if isinstance(i, Reduce) and i.last)
        k = len(self.nest.space) - 1
        body, (element, *params) = Scope(), self.params(k, list(mine))
        self.hoist(row, scope, k)
        self.scopes.append(body)
        self.loops.append(element)
        sums: dict[Item, Atom] = dict(zip(mine, params))
        for item in row.items:
            self.item(item, sums)
        self.loops.pop()
        self.scopes.pop()
        if self.plan.independent(row.items):
            self.frames.independent.add(element)
        ends = self.loop(k, scope, element, params, mine, body, sums, self.role(row.items))
        for item, value in ends.items():
            if isinstance(item, Reduce) and item.last:
                scope.found[item] = value
                if item in self.plan.stored:
                    self.put(scope, item, item.var, own_index(item), value)
        return {**totals, **{i: v for i, v in ends.items() if i in totals}}

    def shifted(self, row: Row, scope: Scope) -> None:
        """An innermost loop some of whose items come some turns later than others: the turns in which all have
        something to do, then those at both ends, in which each is asked."""
        k = len(self.nest.space) - 1
        self.hoist(row, scope, k)
        bounds, role = self.bounds_of(row.spread), self.role(row.items)
        body, (element,) = Scope(), self.params(k, ())
        self.scopes.append(body)
        self.loops.append(element)
        for item in row.items:
            self.item(item, {})
        self.scopes.pop()
        self.loops.pop()
        self.loop(k, scope, element, [], {}, body, {}, role, bounds.all)
        body, (element,) = Scope(), self.params(k, ())
        self.scopes.append(body)
        self.loops.append(self.at_ends(body, element, row.spread, bounds, role))
        for shift, items in groupby(row.items, row.shift):
            self.when_inside(shift, list(items), row.spread, bounds.count)
        self.scopes.pop()
        self.loops.pop()
        self.loop(k, scope, element, [], {}, body, {}, role, bounds.ends)

    def bounds_of(self, spread: int) -> Bounds:
        """Computed in front of the nest."""
        if spread not in self.bounds:

            def number(fn: Any, a: Atom, b: Atom) -> Atom:
                return self.frames.call(self.frames.here, "turns", INT, fn, a, b)

            def steps(*args: Atom) -> Atom:
                return self.frames.call(self.frames.here, "steps", RangeT(True), range, *args)

            count, width = self.frames.value(self.nest.space[-1]), Const(spread)
            reach, ends = number(max, count, width), number(operator.add, number(min, count, width), width)
            between = number(operator.sub, reach, width)
            self.bounds[spread] = Bounds(count, between, steps(width, reach), steps(ends))
        return self.bounds[spread]

    def at_ends(self, body: Scope, element: Var, spread: int, bounds: Bounds, role: Role) -> Var:
        """The turn that a turn at the ends is: behind the first ones come the last ones."""
        late = self.call(body, "late", BOOL, None, operator.ge, element, Const(spread))
        far = self.call(body, "far", INT, None, operator.add, element, bounds.between)
        turn = self.var("turn", INT)
        then, orelse = Block((), (), Yield((far,))), Block((), (), Yield((element,)))
        body.out.append(If((turn,), late, then, orelse, self.nest.items[0].call.place, role))
        return turn

    def when_inside(self, shift: int, items: Sequence[Item], spread: int, count: Atom) -> None:
        """Items at the ends of a row, where they have this turn."""
        outer, turn = self.scopes[-1], self.loops[-1]
        inside = Scope()
        self.scopes.append(inside)
        for item in items:
            self.item(item, {})
        self.scopes.pop()
        if not inside.out:
            return
        tests: list[Atom] = []
        if shift:
            tests.append(self.call(outer, "begun", BOOL, None, operator.ge, turn, Const(shift)))
        if shift < spread:
            own = self.call(outer, "own", INT, None, operator.sub, turn, Const(shift)) if shift else turn
            tests.append(self.call(outer, "open", BOOL, None, operator.lt, own, count))
        statements, place = tuple(inside.out), items[0].call.place
        for test in reversed(tests):
            block = Block((), statements, Yield())
            statements = (If((), test, block, Block((), (), Yield()), place, self.role(items)),)
        outer.out.extend(statements)

    def role(self, items: Sequence[Item]) -> Role:
        return items[0].role if len({i.role for i in items}) == 1 else "primal"

    def hoist(self, row: Row, scope: Scope, k: int) -> None:
        """Read in front of an innermost loop what does not change in it."""
        written = {i.view.base for i in row.items if isinstance(i, Store)} | {
            i.var for i in row.items if not isinstance(i, Store)
        }
        for item in row.items:
            for e in leaves_of(item.value):
                if isinstance(e, Load) and e.base not in written and all(a.loop != k for a in e.index):
                    if (e.base, e.index) not in scope.found:
                        scope.found[e.base, e.index] = self.get(scope, item, e.base, e.index, e.dtype)

    # -- items ----------------------------------------------------------------------------------

    def item(self, item: Item, sums: dict[Item, Atom]) -> None:
        scope = self.scopes[-1]
        value = self.value(item.value, item)
        match item:
            case Compute():
                scope.found[self.key(item, item)] = value
                if item in self.plan.stored:
                    self.keep(scope, item, item.var, self.moved(own_index(item), item), value)
                elif item in self.plan.rowed:
                    at = self.moved((Axis(len(item.space) - 1),), item)
                    self.put(scope, item, self.buffers[item], at, value)
            case Reduce():
                total = self.call(scope, "total", scalar(item.dtype), item, item.fn, sums[item], value)
                self.frames.sums.add(total)
                sums[item] = total
            case Store():
                base, index = item.view.base, self.moved(item.view.index, item)
                if item.fn is not None:
                    old = self.load(Load(base, item.view.index, item.dtype), item)
                    value = self.call(scope, "t", scalar(item.dtype), item, item.fn, old, value)
                if item.known:
                    scope.found[base, index] = scope.there[base, index] = value
                    return
                self.forget(base, index)
                self.keep(scope, item, base, index, value)

    def keep(self, scope: Scope, item: Item, base: Var, index: Index, value: Atom) -> None:
        """Write an element, which then is known."""
        self.put(scope, item, base, index, value)
        if isinstance(value, Var) or item.dtype == np.float64:
            scope.found[base, index] = value

    def forget(self, base: Var, index: Index) -> None:
        """What has been read, also in front of the loop, where a store may have changed it."""
        for scope in self.scopes:
            for key in [key for key in scope.found if isinstance(key, tuple) and self.meets(key[0], base)]:
                if key[0] is not base or not self.elsewhere(base, key[1], index):
                    del scope.found[key]

    def elsewhere(self, base: Var, a: Index, b: Index) -> bool:
        """Whether no iteration finds at one place of an array what another one finds at the other."""
        return self.plan.relation((base, a, "write"), (base, b, "write"), self.nest.space) == "apart"

    def meets(self, known: Any, base: Var) -> bool:
        """Whether a store may change an element that has been read: additions to two arrays may be to one."""
        if known is base or not isinstance(known, Var):
            return known is base
        return known not in self.buffers.values() and not self.plan.apart(known, base)

    def value(self, expr: Expr, item: Item) -> Atom:
        """An expression in the current iteration."""
        scope = self.scopes[-1]
        match expr:
            case Number():
                return self.number(expr, item)
            case Load():
                return self.load(expr, item)
            case At():
                return self.along(*self.moved((expr.axis,), item))
            case Value():
                return self.of_item(expr.item, item)
            case Op():
                key = (id(expr), self.row.shift(item))
                if key not in scope.found:
                    scope.found[key] = self.operation(expr, item)
                return scope.found[key]

    def of_item(self, made: Compute | Reduce, item: Item) -> Atom:
        key = self.key(made, item)
        for scope in self.scopes[::-1]:
            if key in scope.found:
                return scope.found[key]
        if self.plan.place[made][0] is self.nest and made in self.plan.rowed and made not in self.plan.stored:
            found = self.load(Load(self.buffers[made], (Axis(len(made.space) - 1),), made.dtype), item)
        else:
            found = self.load(Load(made.var, own_index(made), made.dtype), item)
        self.scopes[-1].found[key] = found
        return found

    def key(self, made: Compute | Reduce, item: Item) -> Any:
        """A value in the turn in which an item reads it."""
        return made if isinstance(made, Reduce) else (id(made), "value", self.row.shift(item))

    def moved(self, index: Index, item: Item) -> Index:
        """Where an item finds something in the current turn of its row."""
        by, last = self.row.shift(item), len(self.nest.space) - 1
        if not by:
            return index
        return tuple(replace(a, start=plus(a.start, (-by * a.step, ()))) if a.loop == last else a for a in index)

    def load(self, e: Load, item: Item) -> Atom:
        index = self.moved(e.index, item)
        key = (e.base, index)
        for scope in self.scopes[::-1]:
            if key in scope.found:
                return scope.found[key]
        scope = self.scopes[-1]
        scope.found[key] = self.get(scope, item, e.base, index, e.dtype)
        return scope.found[key]

    def operation(self, e: Op, item: Item) -> Atom:
        args = [self.value(a, item) for a in e.args]
        scope = self.scopes[-1]
        if e.fn is None:
            return self.call(scope, "t", scalar(e.dtype), item, e.dtype.type, *args)
        if e.fn is np.where:
            result = self.var("t", scalar(e.dtype))
            then, orelse = (Block((), (), Yield((a,))) for a in args[1:])
            scope.out.append(If((result,), args[0], then, orelse, item.call.place, item.role))
            return result
        return self.call(scope, "t", scalar(e.dtype), item, e.fn, *args)

    def number(self, e: Number, item: Item) -> Atom:
        """A scalar as one of the dtype in which it is used."""
        key = (e.atom, e.dtype)
        if key not in self.numbers:
            self.numbers[key] = self._number(e, item)
        return self.numbers[key]

    def _number(self, e: Number, item: Item) -> Atom:
        if isinstance(e.atom, Const):
            value = e.dtype.type(e.atom.value)
            return Const(value if e.dtype == np.float32 else value.item())
        mine = {np.float64: {float, np.float64}, np.int64: {int, np.int64}, np.bool_: {bool, np.bool_}}
        if kinds(type_of(e.atom, self.types)) <= mine.get(e.dtype.type, {e.dtype.type}):
            return e.atom
        return self.call(Scope(self.frames.here.out), "t", scalar(e.dtype), item, e.dtype.type, e.atom)

    # -- elements -------------------------------------------------------------------------------

    def place(self, index: Index) -> Atom:
        """An index as an atom, computed in the body of the innermost loop that it takes."""
        parts = [self.along(axis) for axis in index]
        if len(parts) == 1:
            return parts[0]
        scope = self.scopes[-1]
        key = ("index", *parts)
        if key not in scope.found:
            t = TupleT((INT,) * len(parts))
            scope.found[key] = self.call(scope, "at", t, None, ops.build_tuple, *parts)
        return scope.found[key]

    def along(self, axis: Axis) -> Atom:
        start = self.frames.form(axis.start)
        if axis.loop is None:
            return start
        scope = self.scopes[axis.loop + 1]
        if ("along", axis) not in scope.found:
            at: Atom = self.loops[axis.loop]
            if axis.step != 1:
                at = self.call(scope, "at", INT, None, operator.mul, Const(axis.step), at)
            if not (isinstance(start, Const) and start.value == 0):
                at = self.call(scope, "at", INT, None, operator.add, at, start)
            scope.found["along", axis] = at
        return scope.found["along", axis]

    def get(self, scope: Scope, item: Item, base: Var, index: Index, dtype: DType) -> Var:
        at = self.place(index) if scope is self.scopes[-1] else self._outside(scope, index)
        for other in self.scopes:
            for key in self.meeting(other.unread, base, index):
                del other.unread[key]
                other.there.pop(key, None)
        found = self.call(scope, base.name, scalar(dtype), item, operator.getitem, base, at)
        self.frames.sure.add(found)
        return found

    def meeting(self, places: Iterable[Place], base: Var, index: Index) -> list[Place]:
        """Those of some places at which something may be that is put at another one, or found there."""
        found = [place for place in places if self.meets(base, place[0])]
        return [place for place in found if place[0] is not base or not self.elsewhere(base, place[1], index)]

    def _outside(self, scope: Scope, index: Index) -> Atom:
        kept, self.scopes = self.scopes, self.scopes[: self.scopes.index(scope) + 1]
        at = self.place(index)
        self.scopes = kept
        return at

    def put(self, scope: Scope, item: Item, base: Var, index: Index, value: Atom) -> None:
        dead = scope.unread.pop((base, index), None)
        if dead is not None:  # what is put there now is all that anybody will see
            scope.out[:] = [s for s in scope.out if s is not dead]
        for other in self.scopes:
            for key in self.meeting(other.there, base, index):
                if other is not scope or key != (base, index):
                    del other.there[key]
        there = scope.there.get((base, index))
        if isinstance(there, Const) and isinstance(value, Const) and repr(there.value) == repr(value.value):
            return
        put = self.call(scope, "t", UNKNOWN, item, operator.setitem, base, self.place(index), value)
        scope.unread[base, index] = scope.out[-1]
        self.frames.sure.add(put)


def buffer_type(dtype: DType, space: Keys) -> Array:
    return Array(dtype, tuple("one" if n == 1 else "any" for n in space))
