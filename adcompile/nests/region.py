"""Array statements that follow each other, gathered until something has to stand behind them.

Temporaries wait: one that nobody reads but other statements of the region never sees memory, and
one that is read through a slice is computed anew there if that is cheap.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Array
from adcompile.nests.elementwise import DType, Operation, dtype_of, is_computed, operation
from adcompile.nests.extents import reduced_axes, stacked_parts
from adcompile.nests.facts import Facts
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
    leaves_of,
    neutral,
    seen_through,
)
from adcompile.nests.items import cost as cost_of
from adcompile.nests.keys import Keys, vars_in
from adcompile.nests.views import Axis, View, basic_index, compose, is_view, linear, plus, whole
from adcompile.optimise.typing import INPLACE, hashable, type_of
from adcompile.runtime import arrays, memory

CHEAP = 4
"""Operations that are rather done again than their result stored and read."""

REDUCTIONS: dict[Any, Any] = {
    np.sum: operator.add, np.max: np.maximum, np.min: np.minimum, np.amax: np.maximum, np.amin: np.minimum,
}  # fmt: skip
TRIANGLES: dict[Any, Any] = {np.tril: operator.ge, np.triu: operator.le}
"""How the row of an element, moved by the diagonal, is to the column of what is not zero."""
ZEROS = (np.zeros, np.zeros_like)
UPDATES = {operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul}
UPDATES[operator.truediv] = operator.truediv


@dataclass(eq=False)
class Region:
    """`calls` are the statements as they were written; `items` what they are in loops, in order, and
    `views` those among the calls that only give memory a name. `demanded`: items whose memory is
    read, each with the number of items before that. `pending` are the values that still are what was
    computed, `owners` whose memory an array is, if it is a temporary's."""

    facts: Facts
    calls: list[Call] = field(default_factory=list[Call])
    items: list[Item] = field(default_factory=list[Item])
    views: list[Call] = field(default_factory=list[Call])
    pending: dict[Var, Compute | Reduce] = field(default_factory=dict[Var, "Compute | Reduce"])
    owners: dict[Var, Compute | Reduce] = field(default_factory=dict[Var, "Compute | Reduce"])
    read: Counter[Var] = field(default_factory=Counter[Var])
    stale: set[Item] = field(default_factory=set[Item])  # what they read has been written since
    demanded: dict[Item, int] = field(default_factory=dict[Item, int])
    renamed: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    deferred: list[Call] = field(default_factory=list[Call])  # calls that are made behind it

    def take(self, call: Call) -> bool:
        """Whether a call is one of an array statement that now belongs to the region."""
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if not hashable(fn) or not call.args or any(self.is_total(a) for a in call.args):
            return False
        if fn in INPLACE or fn in (operator.setitem, memory.add_at, ops.index_add):
            taken = self.store(call, fn)
        elif fn in ZEROS:
            taken = self.zeros(call)
        elif fn is arrays.unbroadcast:
            taken = self.alike(call)
        elif fn is arrays.broadcast_like:
            taken = self.spread(call)
        elif fn in REDUCTIONS:
            taken = self.reduce(call, REDUCTIONS[fn])
        elif fn is np.stack:
            taken = self.stack(call)
        elif fn in TRIANGLES:
            taken = self.triangle(call, TRIANGLES[fn])
        elif is_view(call) and isinstance(type_of(call.args[0], self.facts.types), Array):
            taken = self.view(call)
        else:
            found = operation(call, self.facts.types, self.facts.extents.functions)
            taken = found is not None and self.compute(call, found)
        if not taken:
            return False
        self.calls.append(call)
        if call not in self.views:
            self.read.update(a for a in call.args if isinstance(a, Var))
        return True

    def is_total(self, atom: Atom) -> bool:
        """Whether a number is one that the region will have found when its loops have run."""
        item = self.pending.get(atom) if isinstance(atom, Var) else None
        return isinstance(item, Reduce) and not item.last

    def drop(self) -> list[Call]:
        """The statements as they were written: nothing is made of them."""
        for var in self.owners:
            self.facts.origin.pop(var, None)
        views, newest = self.facts.views, dict[Var, Var]()
        for call in self.calls:
            if isinstance(call.fn, Const) and call.fn.value in (ops.index_add, np.stack):
                # a buffer that has been added to is read under its new name only, one for a call under its name
                newest[views.pop(call.result).base] = call.result
            elif call.result in views and views[call.result].base in newest:
                found = views[call.result]
                views[call.result] = replace(found, base=newest[found.base])
        return self.calls

    def touches(self, atoms: Iterable[Atom]) -> bool:
        """Whether a statement that reads these has to stand behind the region."""
        made = {c.result for c in (*self.calls, *self.deferred)}
        return any(a in made for a in atoms if isinstance(a, Var))

    # -- temporaries ----------------------------------------------------------------------------

    def compute(self, call: Call, found: Operation) -> bool:
        space = self.facts.joined(call, found.operands)
        if not space:  # arrays without axes are no loops
            return False
        args = [self.operand(a, t, space) for a, t in zip(found.operands, found.takes)]
        value = args[0] if found.fn is None else Op(found.fn, tuple(args), found.gives)
        if value.dtype != found.gives:
            value = Op(None, (value,), found.gives)
        self.add(Compute(call.result, value, space, found.gives, call.role, call))
        return True

    def zeros(self, call: Call) -> bool:
        """Zeros that others are added to: nobody asks how adjoints of several axes lie in memory."""
        t, keys = self.facts.types.get(call.result), self.facts.extents.of(call.result)
        if call.kwargs or not keys or not isinstance(t, Array) or t.dtype.kind != "f" or not is_computed(t.dtype):
            return False
        if len(keys) > 1 and call.role != "adjoint" or len(t.dims or ()) != len(keys):
            return False
        if call.result in vars_in(keys):  # nothing else is known to be so long
            return False
        space = self.facts.frames.canonical_all(keys)
        self.add(Compute(call.result, Number(Const(0.0), t.dtype), space, t.dtype, call.role, call))
        return True

    def alike(self, call: Call) -> bool:
        """`unbroadcast(g, x)`, which is `g` if they have one shape; a guard sees to that."""
        types, (g, x) = self.facts.types, call.args
        t, like = type_of(g, types), type_of(x, types)
        if not isinstance(t, Array) or not isinstance(like, Array) or not t.dims or not is_computed(t.dtype):
            return False
        if like.dims is None or len(t.dims) != len(like.dims) or not isinstance(g, Var):
            return False
        if any(b == "one" != a for a, b in zip(t.dims, like.dims)):  # which is a sum, if not of one number
            return False
        keys, wanted = self.facts.extents.of(g), self.facts.extents.of(x)
        if keys is None or wanted is None:
            return False
        for a, b in zip(keys, wanted):
            self.facts.frames.agree(a, b)
        self.renamed[call.result] = g
        if g in self.pending:
            self.pending[call.result] = self.pending[g]
        self.facts.views[call.result] = self.facts.seen(g)
        return True

    def spread(self, call: Call) -> bool:
        """`broadcast_like(g, x)`: the value of `g` wherever `x` has an element."""
        types, (g, x) = self.facts.types, call.args
        t, result = type_of(g, types), types.get(call.result)
        space = self.facts.extents.of(x)
        if not space or not isinstance(result, Array) or not is_computed(result.dtype):
            return False
        if isinstance(t, Array) and not t.dims or dtype_of(g, types) != result.dtype:
            return False
        if len(result.dims or ()) != len(space) or not self.facts.broadcasts(g, self.facts.frames.canonical_all(space)):
            return False
        space = self.facts.frames.canonical_all(space)
        value = self.operand(g, result.dtype, space)
        self.add(Compute(call.result, value, space, result.dtype, call.role, call))
        return True

    def triangle(self, call: Call, holds: Any) -> bool:
        """The elements of matrices on one side of a diagonal, and zero for the others."""
        (x, *more), t, keys = call.args, type_of(call.args[0], self.facts.types), self.facts.extents.of(call.args[0])
        diagonal = [*more, *(a for _, a in call.kwargs), Const(0)][0]
        if not isinstance(t, Array) or not keys or len(keys) < 2 or not is_computed(t.dtype) or t.dtype.kind == "b":
            return False
        if len(more) + len(call.kwargs) > 1 or not isinstance(diagonal, Const) or type(diagonal.value) is not int:
            return False
        space = self.facts.frames.canonical_all(keys)
        row, column = (At(Axis(k)) for k in (len(keys) - 2, len(keys) - 1))
        moved = Op(operator.add, (row, Number(diagonal, row.dtype)), row.dtype) if diagonal.value else row
        inside = Op(holds, (moved, column), np.dtype(bool))
        value = Op(np.where, (inside, self.operand(x, t.dtype, space), Number(Const(0), t.dtype)), t.dtype)
        self.add(Compute(call.result, value, space, t.dtype, call.role, call))
        return True

    def add(self, item: Compute | Reduce) -> None:
        self.items.append(item)
        self.pending[item.var] = self.owners[item.var] = item
        self.facts.fresh.add(item.var)
        self.facts.origin[item.var] = frozenset({item.var})  # memory of its own, if any

    def operand(self, atom: Atom, dtype: DType, space: Keys) -> Expr:
        """An operand on one element of the space, as a number of this dtype."""
        t = type_of(atom, self.facts.types)
        if not isinstance(t, Array) or not isinstance(atom, Var):
            return Number(atom, dtype)
        found = self.element(atom, t.dtype, space)
        return found if found.dtype == dtype else Op(None, (found,), dtype)

    def element(self, var: Var, dtype: DType, space: Keys, turned: View | None = None) -> Expr:
        """An element of an array in the loops of a space, or where `turned` says that these find it."""
        item = self.pending.get(var)
        if item is not None and turned is None:
            found = self.of_pending(item, space)
            if found is not None:
                return found
        view = self.facts.seen(var)
        shown = compose(view, self.window(view, space))
        shown = shown if turned is None else compose(shown, turned)
        below = self.pending.get(view.base)
        if below is not None:
            if isinstance(below, Reduce) and self.by_row(below, shown.index, space):
                return Value(below)
            if isinstance(below, Compute) and self.again(below, shown.index):
                return seen_through(below.value, shown, {})
            self.demanded.setdefault(below, len(self.items))
        return Load(view.base, self.facts.frames.canonical_index(shown.index), dtype)

    def of_pending(self, item: Compute | Reduce, space: Keys) -> Expr | None:
        """The value of a temporary without memory, where that can be."""
        return Value(item) if isinstance(item, Compute) and self.space_of(item) == space else None

    def space_of(self, item: Item) -> Keys:
        """The space of an item by what is known now: lengths may have been found to agree since."""
        return self.facts.frames.canonical_all(item.space)

    def by_row(self, item: Reduce, index: Index, space: Keys) -> bool:
        """Whether what is read of a reduction is what the outer loops have just found."""
        outer = tuple(Axis(k) for k in range(len(space) - 1))
        given = tuple(a for k, a in enumerate(index) if not (item.keep and k == len(outer)))
        return item.last and self.space_of(item)[:-1] == space[:-1] and given == outer

    def again(self, item: Compute, index: Index) -> bool:
        """Whether a temporary may be computed where it is read through this index, and that is cheap. A copy that is
        kept is read itself: what it is a copy of may be written by the loop that reads it."""
        if isinstance(item.value, Load) and item.var in self.facts.kept:
            return False
        made = self.behind(item)
        if any(isinstance(v, Reduce) for v in made):
            last = len(item.space) - 1
            if index[:last] != tuple(Axis(k) for k in range(last)) or item.space[last] != 1:
                return False
        computed = [v for v in made if isinstance(v, Compute)]
        return not any(v in self.stale for v in computed) and sum(cost_of(v.value) for v in computed) <= CHEAP

    def behind(self, item: Item) -> list[Item]:
        """An item and those that give its value, without what is behind reductions."""
        out: list[Item] = []
        work: list[Item] = [item]
        while work and len(out) <= 2 * CHEAP:
            v = work.pop()
            out.append(v)
            if not isinstance(v, Reduce):
                work += [e.item for e in leaves_of(v.value) if isinstance(e, Value)]
        return out

    def window(self, view: View, space: Keys) -> View:
        """The loops of a space in which an array is broadcast, as a view of the array."""
        extents = self.facts.frames.canonical_all(view.extents)
        lead = len(space) - len(extents)
        index = tuple(
            Axis(None, step=0) if n == 1 and space[k + lead] != 1 else Axis(k + lead) for k, n in enumerate(extents)
        )
        return View(view.base, index, space)

    # -- reductions -----------------------------------------------------------------------------

    def reduce(self, call: Call, fn: Any) -> bool:
        types = self.facts.types
        t, plan, keys = type_of(call.args[0], types), reduced_axes(call, types), self.facts.extents.of(call.args[0])
        if plan is None or not keys or not isinstance(t, Array) or t.dtype.kind != "f" or not is_computed(t.dtype):
            return False
        axes, keep = plan
        rank = len(keys)
        last = axes == (rank - 1,) and rank > 1
        leading = bool(axes) and rank - 1 not in axes and len(set(axes)) == len(axes)
        if not last and not leading and (len(axes) != rank or keep):
            return False
        space = self.facts.frames.canonical_all(keys)
        if fn is not operator.add:
            for k in axes:
                self.facts.frames.inside((0, ()), space[k])
        value = self.operand(call.args[0], t.dtype, space)
        if leading:
            self.reduce_rows(call, fn, value, space, axes, keep)
        else:
            self.add(Reduce(call.result, fn, value, space, last, keep, t.dtype, call.role, call))
        return True

    def reduce_rows(self, call: Call, fn: Any, value: Expr, space: Keys, axes: tuple[int, ...], keep: bool) -> None:
        """A reduction of whole rows: each is added to memory, in the order in which NumPy adds them."""
        dtype = value.dtype
        kept = [k for k in range(len(space)) if keep or k not in axes]
        index = tuple(Axis(None, step=0) if k in axes else Axis(k) for k in kept)
        start = Number(Const(neutral(fn, dtype)), dtype)
        self.add(Compute(call.result, start, tuple(1 if k in axes else space[k] for k in kept), dtype, call.role, call))
        self.write(call, View(call.result, index, space), fn, value, dtype)

    # -- arrays side by side --------------------------------------------------------------------

    def stack(self, call: Call) -> bool:
        """Memory in which each of several rows has its place; higher arrays lie in it as they lie in theirs."""
        facts, types = self.facts, self.facts.types
        found, keys = stacked_parts(call, types, facts.extents.defs), facts.extents.of(call.result)
        t = types[call.result]
        if found is None or not keys or len(keys) != 2 or not isinstance(t, Array) or not is_computed(t.dtype):
            return False
        parts, at = found
        lengths = [k for part in parts for k in facts.extents.of(part) or ()]
        if len(lengths) != len(parts) or any(dtype_of(part, types) != t.dtype for part in parts):
            return False
        for n in lengths[1:]:
            facts.frames.agree(lengths[0], n)
        space, made = facts.frames.canonical_all((lengths[0],)), self.memory_for(call, keys)
        for k, part in enumerate(parts):
            row = Axis(None, (k, ()), 0)
            view = View(made, (row, Axis(0)) if at == 0 else (Axis(0), row), space)
            self.write(call, view, None, self.operand(part, t.dtype, space), t.dtype)
        self.hand_in(call)
        return True

    def memory_for(self, call: Call, keys: Keys) -> Var:
        """Memory that is there before the region: should the region be dropped, nobody reads it."""
        made, facts = Var(call.result.name), self.facts
        facts.make_for(made, call.result)
        facts.extents.known[made] = keys
        facts.frames.array(made, keys, True)
        facts.views[call.result], self.renamed[call.result] = whole(made, keys), made
        return made

    def hand_in(self, call: Call) -> None:
        """The tuple of what a call joins, if nobody else reads it, is a statement of the region like the call."""
        waiting = next((c for c in self.deferred if c.result is call.args[0]), None)
        if waiting is not None and self.facts.uses[waiting.result] == 1:
            self.deferred.remove(waiting)
            self.calls.append(waiting)
            self.read.update(a for a in waiting.args if isinstance(a, Var))

    # -- views and writes -----------------------------------------------------------------------

    def view(self, call: Call) -> bool:
        result = self.facts.types.get(call.result)
        if not isinstance(result, Array) or not result.dims:
            return False
        made = self.facts.extents.view(call)
        base = call.args[0]
        if made is None or not isinstance(base, Var) or len(made.extents) != len(result.dims):
            return False
        self.facts.within(made)
        self.facts.views[call.result] = compose(self.facts.seen(base), made)
        self.views.append(call)
        return True

    def store(self, call: Call, fn: Any) -> bool:
        types, target = self.facts.types, call.args[0]
        t = type_of(target, types)
        if not isinstance(t, Array) or not isinstance(target, Var) or not t.dims or not is_computed(t.dtype):
            return False
        index, value = (Const(Ellipsis), call.args[1]) if fn in INPLACE else (call.args[1], call.args[2])
        update = INPLACE.get(fn) if fn in INPLACE else None if fn is operator.setitem else operator.add
        keys = self.facts.extents.of(target)
        if keys is None or not self.facts.fits(value, t.dtype, update is not None):
            return False
        if update is not None and (update not in UPDATES or t.dtype.kind != "f"):
            return False
        if fn in INPLACE and update is not None and self.is_own(target):
            if not self.facts.broadcasts(value, self.facts.frames.canonical_all(keys)):
                return False
            return self.compute(call, Operation(UPDATES[update], (target, value), (t.dtype, t.dtype), t.dtype))
        place = basic_index(target, keys, index, types, self.facts.scopes)
        if place is None or not place.extents or not self.facts.broadcasts(value, place.extents):
            return False
        self.facts.within(place)
        view = compose(self.facts.seen(target), place)
        space = self.facts.frames.canonical_all(view.extents)
        view = View(view.base, self.facts.frames.canonical_index(view.index), space)
        turned = self.turned(view, value, t.dtype)
        if turned is None:
            self.write(call, view, update, self.operand(value, t.dtype, space), t.dtype)
        else:
            view = compose(view, turned)
            view = replace(view, index=self.facts.frames.canonical_index(view.index))
            self.write(call, view, update, self.element(value, t.dtype, space, turned), t.dtype)  # type: ignore[arg-type]
        if fn is not operator.setitem and fn is not memory.add_at:
            self.renamed[call.result] = target
            self.facts.views[call.result] = self.facts.seen(target)
        return True

    def know(self, call: Call) -> None:
        """Know that what a call would write is there, where nothing has been gathered yet: a line, as rows of the same
        nest that touch other rows of a plane would be kept apart by it, and find nothing."""
        target, index, value = call.args
        t, keys = type_of(target, self.facts.types), self.facts.extents.of(target)
        assert isinstance(t, Array) and isinstance(target, Var) and isinstance(value, Const)
        place = None if keys is None else basic_index(target, keys, index, self.facts.types, self.facts.scopes)
        if place is None or len(place.extents) != 1:
            return
        self.facts.within(place)
        view = compose(self.facts.seen(target), place)
        space = self.facts.frames.canonical_all(view.extents)
        view = View(view.base, self.facts.frames.canonical_index(view.index), space)
        zero = Number(Const(t.dtype.type(value.value).item()), t.dtype)
        self.items.append(Store(view, None, zero, space, t.dtype, call.role, call, known=True))

    def turned(self, view: View, value: Atom, dtype: DType) -> View | None:
        """Loops that go forwards where these would write backwards: what others write there they may join."""
        back = {a.loop for a in view.index if a.step == -1}
        t = type_of(value, self.facts.types)
        if not back or not isinstance(value, Var) or not isinstance(t, Array) or t.dtype != dtype:
            return None
        axes = enumerate(view.extents)
        index = tuple(Axis(k, plus(linear(n), (-1, ())), -1) if k in back else Axis(k) for k, n in axes)
        return View(value, index, view.extents)

    def is_own(self, target: Var) -> bool:
        """Whether nobody else reads a temporary: then adding to it makes another."""
        item = self.pending.get(target)
        if not isinstance(item, Compute) or any(v.base is target for v in self.facts.views.values()):
            return False
        return self.facts.uses[target] - self.read[target] == 1

    def write(self, call: Call, view: View, update: Any, value: Expr, dtype: DType) -> None:
        below = self.owners.get(view.base)
        if below is not None:
            self.demanded.setdefault(below, len(self.items))
        store = Store(view, update, value, view.extents, dtype, call.role, call)
        if not isinstance(value, (Value, Number)) or isinstance(value, Value) and value.item.var is view.base:
            # what is stored may be read where it is stored: then it is computed first
            var = Var("t")
            self.facts.types[var] = Array(dtype, ("any",) * len(view.extents))
            self.facts.fresh.add(var)
            first = Compute(var, value, view.extents, dtype, call.role, call)
            self.items.append(first)
            store = Store(view, update, Value(first), view.extents, dtype, call.role, call)
        for item in self.items:
            if item not in self.stale and not isinstance(item, Store) and self.reads(item, view.base):
                self.stale.add(item)
        self.items.append(store)
        self.pending = {v: item for v, item in self.pending.items() if item.var is not view.base}

    def reads(self, item: Item, base: Var) -> bool:
        """Whether a temporary is computed from memory that may be that of `base`."""
        work, seen = [item], {item}
        while work:
            for e in leaves_of(work.pop().value):
                if isinstance(e, Load) and (e.base is base or not self.facts.apart(e.base, base)):
                    return True
                if isinstance(e, Value) and e.item.var is base:
                    return True
                if isinstance(e, Value) and e.item not in seen:
                    seen.add(e.item)
                    work.append(e.item)
        return False
