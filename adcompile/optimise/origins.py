"""What loops keep although all of it is computed of fewer arrays: these are kept instead.

    for …:                                              for …:
        v = u[1:-1]                                         before = u.copy()
        right = v > 0.0                                     v = u[1:-1]
        slope = np.where(right, v - u[:-2], u[2:] - v)      right = v > 0.0
        moved = c * v                                       …
        u[1:-1] = v - moved * slope                         u[1:-1] = v - moved * slope
        kept.append(right), append(slope), append(moved) →  kept.append(before)
    for … reversed:                                     for … reversed:
        … right, slope, moved                               … before[1:-1] > 0.0, …

What one array holds in front of a write costs a copy, and what was computed of it costs little arithmetic in the loop
that reads it (`optimise/recomputed`): where that is several arrays, fewer bytes are written and read again.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Continue, For, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Known, Scalar, SliceT, TupleT, Type
from adcompile.ir.walk import statements_of
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects
from adcompile.optimise.passes import optimise
from adcompile.optimise.recomputed import ARITHMETIC, MOST, Search
from adcompile.optimise.trails import Reread, Trail, each_function, writes_into
from adcompile.optimise.typing import type_of, widened

ELEMENTWISE = (
    *(*ARITHMETIC, np.where, np.maximum, np.minimum, np.absolute, np.sign),
    *(operator.gt, operator.ge, operator.lt, operator.le, operator.eq, operator.ne),
)
COST = {np.ndarray.copy: 0, operator.truediv: 3}
"""In operations, where it is not one."""
NEAR = 4
"""Elements that a slice leaves out at either end, where it shows about all of an axis."""


@frozen
class Tree:
    """How a value is computed in one turn: by these calls, in their order, of what these arrays hold."""

    calls: dict[Var, Call]
    origins: tuple[Var, ...]


def from_origins(program: Program) -> Program:
    """The program in which loops keep what several kept arrays are computed of; the same object if there are none."""
    made = large_stack(each_function, program, _function)
    return made if made is program else optimise(made)


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    if not any(isinstance(s, Call) and called(s) is ops.push for s in statements_of(function.body)):
        return function
    search = _Origins(function, types, effects)
    for loop in dict.fromkeys(trail.loops[0] for trail in search.trails.values() if len(trail.turns) == 1):
        for group in search.groups(loop):
            search.keep(loop, group)
    return replace(function, body=_Kept(search).block(function.body)) if search.reread else function


class _Origins(Search):
    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        super().__init__(function, types, effects)
        self.at_hand: set[Var] = set()
        """Kept values of which nothing is known but that nobody writes into them."""
        self.reread: dict[Var, list[Call]] = {}
        """What computes the values that were read from lists."""
        self.copies: dict[Var, list[Call]] = {}
        """What is copied, by the result of the call in front of which that is done."""
        self.args: dict[Var, tuple[Atom, ...]] = {}
        """What calls get instead, by their results: pushes what is kept, others what is read from a copy."""

    def groups(self, loop: For) -> Iterator[dict[Var, Tree]]:
        """Kept values that are computed between two writes, and share what they are computed of."""
        stretch = self.stretches(loop)
        found: list[tuple[int, dict[Var, Tree]]] = []
        for value, tree in list(self.trees(loop)):
            stretches = {stretch[self.places.path[v][-1][1]] for v in tree.calls}
            if len(stretches) != 1:
                continue
            (here,) = stretches
            others = [(s, g) for s, g in found if s == here and _origins(g).keys() & {*tree.origins}]
            found = [each for each in found if each not in others]
            found.append((here, {v: t for _, g in others for v, t in g.items()} | {value: tree}))
        yield from (group for _, group in found if self.pays(group))

    def pays(self, group: Mapping[Var, Tree]) -> bool:
        """Whether what values are computed of is smaller than they are, and the arithmetic is little."""
        computed = {v: call for tree in group.values() for v, call in tree.calls.items()}
        work = sum(COST.get(called(call), 1) for call in computed.values())
        new = [v for v in _origins(group) if v not in self.at_hand]
        return sum(map(self.bytes_of, new)) < sum(map(self.bytes_of, group)) and work <= MOST * len(group)

    def bytes_of(self, array: Var) -> int:
        t = self.types[array]
        assert isinstance(t, Array)
        return t.dtype.itemsize

    def stretches(self, loop: For) -> list[int]:
        """For each statement of the body, the number of writes in front of it."""
        out, count = list[int](), 0
        for s in loop.body.statements:
            quiet = isinstance(s, Call) and (called(s) is ops.push or writes_into(s, self.types, self.effects) == [])
            count += not quiet
            out.append(count)
            count += not quiet
        return out

    def trees(self, loop: For) -> Iterator[tuple[Var, Tree]]:
        """What a loop keeps and nothing but reads of its numbers asks for, and how it is computed."""
        for k, result in enumerate(loop.results):
            value = self.pushed(loop, k)
            reads = [s.result if isinstance(s, Call) else None for s in self.readers.get(result, ())]
            if value is None or not reads or not all(self.is_read(r, loop) for r in reads):
                continue
            calls: dict[Var, Call] = {}
            origins = self.tree(value, loop, calls) if self.is_own(value) else None
            if not calls and self.is_own(value):
                self.at_hand.add(value)
            elif origins and len(calls) <= 3 * MOST:
                yield value, Tree(calls, tuple(dict.fromkeys(origins)))

    def is_read(self, r: Var | None, loop: For) -> bool:
        trail = self.trails.get(r) if r is not None else None
        return trail is not None and trail.loops == (loop,) and r is not None and self.is_own(r)

    def is_own(self, var: Var) -> bool:
        """Whether a value is an array of numbers or truth values into which nobody writes."""
        t = self.types.get(var)
        return (
            isinstance(t, Array)
            and t.dtype.kind in "fb"
            and t.dims is not None
            and self.memory.get(var, var) not in self.changed
        )

    def tree(self, atom: Atom, loop: For, calls: dict[Var, Call]) -> list[Var] | None:
        """What a value is computed of, and `calls` with the calls that do it; None where that is not known."""
        inside = loop in self.places.loops.get(atom, ()) if isinstance(atom, Var) else False
        if isinstance(atom, Const) or not inside and isinstance(self.types[atom], Scalar):
            return [] if isinstance(widened(type_of(atom, self.types)), Scalar) else None
        if not isinstance(self.types[atom], Array):
            return None
        call = self.places.definition.get(atom)
        if call is not None and inside and self.places.path[atom][-1][0] is loop.body and not call.kwargs:
            if called(call) in (*ELEMENTWISE, np.ndarray.copy):
                calls[atom] = call
                parts = [self.tree(a, loop, calls) for a in call.args]
                return None if None in parts else [v for part in parts for v in part or ()]
            if self.shows_all(call) and all(self.is_index(a, loop) for a in call.args[1:]):
                return self.tree(call.args[0], loop, calls)
        if not inside and self.is_own(atom):
            return []
        return [atom] if self.is_origin(atom, loop) else None

    def shows_all(self, call: Call) -> bool:
        """Whether a call makes a view that leaves out little of an array."""
        if self.of_a_view(call.result) is None:
            return False
        base = type_of(call.args[0], self.types)
        if called(call) is np.flip:
            return True
        t = type_of(call.args[1], self.types)
        parts = t.items if isinstance(t, TupleT) else (t,)
        whole = isinstance(base, Array) and base.dims is not None and len(parts) <= len(base.dims)
        return whole and all(isinstance(p, SliceT) and _is_near_all(p) for p in parts)

    def is_index(self, atom: Atom, loop: For) -> bool:
        """Whether slices can be made once more."""
        if isinstance(atom, Const) or loop not in self.places.loops.get(atom, ()):
            return True
        call = self.places.definition.get(atom)
        made = call is not None and called(call) in (slice, ops.build_tuple) and not call.kwargs
        return made and all(self.is_index(a, loop) for a in (call.args if call is not None else ()))

    def is_origin(self, array: Var, loop: For) -> bool:
        """Whether a copy of an array can be kept in each turn."""
        t = self.types[array]
        around = self.places.loops.get(array, ())
        known = loop not in around or around[-1] is loop and self.places.path[array][-1][0] is loop.body
        return known and isinstance(t, Array) and t.dtype.kind == "f" and bool(t.dims)

    # -- what is changed

    def keep(self, loop: For, group: Mapping[Var, Tree]) -> None:
        """Have the loop keep what the values are computed of, in the lists of some of them; not where somebody asks for
        more than their items."""
        readers = {v: self.readers[loop.results[self.number_of(v, loop)]] for v in group}
        if not all(isinstance(s, Call) and s.result in self.trails for reads in readers.values() for s in reads):
            return
        holders = {origin: origin for origin in _origins(group) if origin in self.at_hand}
        new = {v: self.first_of(v, loop, group) for v in _origins(group) if v not in holders}
        for origin, first in new.items():
            free = [v for v in group if v not in holders.values() and self.is_alike(v, origin)]
            free = [v for v in free if self.place(self.push_of(v, loop)) > self.place(first)]
            if not free:
                return
            holders[origin] = free[0]
        for origin, first in new.items():
            copy = self.emit(self.copies.setdefault(first.result, []), origin, np.ndarray.copy, [origin])
            self.read_from(copy, origin, first, loop)
            push = self.push_of(holders[origin], loop)
            self.args[push.result] = (push.args[0], copy)
        for value in group:
            for s in readers[value]:
                assert isinstance(s, Call)
                trail, out = self.trails[s.result], list[Call]()
                self.computed(value, trail, holders, {}, out)
                out[-1] = replace(out[-1], result=s.result)
                self.reread[s.result] = [replace(call, role="again") for call in out]

    def first_of(self, origin: Var, loop: For, group: Mapping[Var, Tree]) -> Call:
        """The first call that may read an array for one of the values."""
        calls = [c for tree in group.values() if origin in tree.origins for c in tree.calls.values()]
        inside = loop in self.places.loops.get(origin, ())
        made = self.places.path[origin][-1][1] if inside else -1
        return min((c for c in calls if self.place(c) > made), key=self.place)

    def push_of(self, value: Var, loop: For) -> Call:
        end = loop.body.end
        assert isinstance(end, Continue)
        return self.places.definition[end.values[self.number_of(value, loop)]]  # type: ignore[index]

    def place(self, call: Call) -> int:
        return self.places.path[call.result][-1][1]

    def read_from(self, copy: Var, origin: Var, first: Call, loop: For) -> None:
        """Have arithmetic up to the next write read the copy: what it reads is not what is written then."""
        stretch = self.stretches(loop)
        for s in loop.body.statements[self.place(first) :]:
            if not isinstance(s, Call) or stretch[self.place(s)] != stretch[self.place(first)]:
                return
            if called(s) in ELEMENTWISE:
                args = self.args.get(s.result, s.args)
                before = self.copies.setdefault(s.result, [])
                self.args[s.result] = tuple(self.moved(a, origin, copy, before) for a in args)

    def moved(self, atom: Atom, origin: Var, copy: Var, out: list[Call]) -> Atom:
        """A view of an array, or itself, as the same of its copy; what is something else stays."""
        if atom is origin:
            return copy
        call = self.places.definition.get(atom) if isinstance(atom, Var) else None
        base = call.args[0] if call is not None and self.of_a_view(call.result) is not None else None
        other = None if base is None else self.moved(base, origin, copy, out)
        if call is None or other is base:
            return atom
        return self.emit(out, call.result, called(call), [other, *call.args[1:]])  # type: ignore[list-item]

    def is_alike(self, value: Var, origin: Var) -> bool:
        """Whether a list of what is like `value` may hold what is like `origin`."""
        a, b = self.types[value], self.types[origin]
        if not isinstance(a, Array) or not isinstance(b, Array) or a.dims is None or b.dims is None:
            return False
        alike = all(m in ("any", n) for m, n in zip(a.dims, b.dims))
        return a.dtype == b.dtype and len(a.dims) == len(b.dims) and alike

    def number_of(self, value: Var, loop: For) -> int:
        return next(k for k in range(len(loop.results)) if self.pushed(loop, k) is value)

    def computed(
        self, atom: Atom, trail: Trail, holders: Mapping[Var, Var], made: dict[Var, Var], out: list[Call]
    ) -> Atom:
        """A value of a turn, where it is read: `made` has what has been computed of it."""
        loop, number = trail.turns[0]
        if isinstance(atom, Const) or atom not in holders and loop not in self.places.loops.get(atom, ()):
            return atom
        if atom in made:
            return made[atom]
        if atom in holders:
            items = loop.results[self.number_of(holders[atom], loop)]
            made[atom] = self.emit(out, atom, operator.getitem, (items, number))
            return made[atom]
        call = self.places.definition[atom]
        args = [self.computed(call.args[0], trail, holders, made, out)]
        if called(call) in ELEMENTWISE:
            args += [self.computed(a, trail, holders, made, out) for a in call.args[1:]]
        elif called(call) is np.ndarray.copy:
            (source,) = args
            assert isinstance(source, Var)
            return source
        else:
            rebuilt = [self.rebuilt(a, trail, out) for a in call.args[1:]]
            args += [a for a in rebuilt if a is not None]
            assert len(args) == len(call.args)
        made[atom] = self.emit(out, atom, called(call), args)
        return made[atom]


def _origins(group: Mapping[Var, Tree]) -> dict[Var, None]:
    return {v: None for tree in group.values() for v in tree.origins}


def _is_near_all(part: SliceT) -> bool:
    known = [p.value for p in part.parts if isinstance(p, Known)]
    if len(known) < 3 or known[2] not in (None, 1):
        return False
    start, stop, _ = known
    return (start is None or 0 <= start <= NEAR) and (stop is None or -NEAR <= stop < 0)


class _Kept(Reread):
    """Keeps other values, and computes what is read of them."""

    def __init__(self, search: _Origins) -> None:
        super().__init__(search.reread)
        self.search = search

    def call(self, call: Call) -> tuple[Statement, ...]:
        copies = self.search.copies.get(call.result, ())
        args = self.search.args.get(call.result, call.args)
        return (*copies, *super().call(replace(call, args=args)))
