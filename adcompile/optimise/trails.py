"""What loops keep in lists, and how to have it where the way back reads them: what was kept at a number is known by
the turn of each loop around, and what a turn computed from its number can be computed there once more."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from adcompile.analysis.mutation import calls_in
from adcompile.analysis.views import item_kind
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Continue, For, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, RangeT, TupleT, Type
from adcompile.ir.walk import Rewriter, atoms_of, readers_of, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.indexed import Indexed, Part, Places
from adcompile.optimise.sharing import INTO_FIRST, OBSERVING, STORING, classes, is_fresh
from adcompile.optimise.typing import INPLACE, is_immutable, type_of

REBUILT = (ops.build_tuple, slice, operator.add, operator.sub, operator.mul, operator.neg, operator.getitem, range)
"""What an index is made of, which may be made once more."""


Pass = Callable[[Function, MutableMapping[Var, Type], Effects], Function]


def each_function(program: Program, run: Pass) -> Program:
    """The program with what `run` makes of its functions; the same object if that changes none."""
    types = dict(program.types)
    effects = Effects(types, summarise(program.functions, types))
    functions = {ref: run(function, types, effects) for ref, function in program.functions.items()}
    changed = any(functions[ref] is not function for ref, function in program.functions.items())
    return replace(program, functions=functions, types=types) if changed else program


def writes_into(call: Call, types: Mapping[Var, Type], effects: Effects) -> list[Var] | None:
    """The arrays that a call writes into; None if that is not known."""
    fn = called(call)
    if fn in INTO_FIRST or fn in INPLACE or fn in LINEAR:
        owner = call.args[0] if call.args else None
        t = None if owner is None else type_of(owner, types)
        if not isinstance(t, Array) and (fn in INTO_FIRST or fn in INPLACE and not (t and is_immutable(t))):
            return None
        return [owner] if isinstance(owner, Var) else []
    return [] if effects.pure(call) else None


@frozen
class Trail:
    """What a loop has kept in a list, and where it is read: the loops around, the number of the turn of each, and what
    has been read there."""

    value: Var
    turns: tuple[tuple[For, Var], ...]
    at: Var

    @property
    def loops(self) -> tuple[For, ...]:
        return tuple(loop for loop, _ in self.turns)


class Trails:
    """The lists of a function that loops fill."""

    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        self.types, self.effects = types, effects
        self.places = Places().walk(function.body)
        self.indexed = Indexed(self.places, types)
        self.readers = readers_of(function.body)
        self.memory = classes(function.body, effects, (np.ndarray.copy,))
        loops = (s for s in statements_of(function.body) if isinstance(s, For))
        self.result_of = {r: (s, k) for s in loops for k, r in enumerate(s.results)}

    def reads(self) -> Iterator[Var]:
        """What may be read from a list that a loop has filled."""
        for r, call in self.places.definition.items():
            if called(call) is operator.getitem and isinstance(self.types.get(r), Array):
                if isinstance(call.args[0], Var) and not isinstance(type_of(call.args[0], self.types), Array):
                    yield r

    def trail(self, source: Atom, number: Atom, at: Var) -> Trail | None:
        """What a list holds at a number that counts turns, where `at` is read."""
        if not isinstance(source, Var) or not self.counts(number):
            return None
        outer, turns = source, ()
        inner = self.places.made(source, operator.getitem)
        if source not in self.result_of and inner is not None:
            around = self.trail(inner.args[0], inner.args[1], at)
            if around is None or around.value not in self.result_of:
                return None
            outer, turns = around.value, around.turns
        if outer not in self.result_of:
            return None
        loop, k = self.result_of[outer]
        if turns and self.places.loops[outer][-1:] != (turns[-1][0],):
            return None
        value = self.pushed(loop, k)
        return None if value is None else Trail(value, (*turns, (loop, number)), at)  # type: ignore[arg-type]

    def is_read_only(self, var: Var) -> bool:
        """Whether nobody keeps a value, or writes into it: memory of others may stand in its place."""
        return all(self.only_reads(s, var) for s in self.readers.get(var, ()))

    def only_reads(self, s: Statement | None, var: Var) -> bool:
        if not isinstance(s, Call) or s.fn is var:
            return False
        fn = called(s)
        if fn is ops.push:
            return s.args[1] is var and s.args[0] is not var and self.is_record(s)
        if fn in STORING or fn in INPLACE:
            return s.args[0] is not var and isinstance(type_of(s.args[0], self.types), Array)
        if not self.effects.pure(s) or fn in LINEAR or fn in OBSERVING:
            return False
        if is_fresh(s, self.types) or is_immutable(type_of(s.result, self.types)):
            return True
        return isinstance(self.types.get(s.result), Array) and self.is_read_only(s.result)

    def is_record(self, push: Call) -> bool:
        """Whether of a list that grows all readers are known, and keep nothing of it."""
        return False

    def counts(self, number: Atom) -> bool:
        """Whether a value is the element of a loop over `range(n)`, in whichever order."""
        loop = self.places.loop_of.get(number) if isinstance(number, Var) else None
        return loop is not None and self.is_unit(loop.iterable)

    def is_unit(self, iterable: Atom) -> bool:
        if isinstance(iterable, Const):
            r = iterable.value
            return isinstance(r, range) and (r.start, r.step) == (0, 1)
        turned = self.places.made(iterable, reversed)
        if turned is not None:
            return self.is_unit(turned.args[0])
        t = self.types.get(iterable)
        return isinstance(t, RangeT) and t.unit

    def pushed(self, loop: For, k: int) -> Var | None:
        """What each turn of a loop computes and appends to an empty list, once, as the k-th value that it carries."""
        value = self.appended(loop, k)
        return value if value is not None and self.places.loops.get(value, ())[-1:] == (loop,) else None

    def appended(self, loop: For, k: int) -> Var | None:
        """What each turn of a loop appends to an empty list, once, as the k-th value that it carries."""
        param, end = loop.body.params[k + 1], loop.body.end
        made = self.places.made(loop.init[k], ops.build_list)
        last = end.values[k] if isinstance(end, Continue) else None
        push = None if last is None else self.places.made(last, ops.push)
        if made is None or made.args or push is None or push.args[0] is not param:
            return None
        if self.indexed.steps(loop.iterable) is None:
            return None
        alone = all(len(self.readers.get(v, ())) == 1 for v in (made.result, param, push.result))
        beside = self.places.path[made.result][-1][0] is self.places.path[loop.results[k]][-1][0]
        each = self.places.path[push.result][-1][0] is loop.body
        value = push.args[1]
        return value if alone and beside and each and isinstance(value, Var) else None

    def rebuilt(self, atom: Atom, trail: Trail, out: list[Call]) -> Atom | None:
        """A value of the loop once more where its copy was read, by the numbers of the turns."""
        loop = trail.turns[0][0]
        if isinstance(atom, Const) or loop not in self.places.loops.get(atom, ()):
            return atom
        for around, number in trail.turns:
            if atom is around.body.params[0]:
                if self.is_unit(around.iterable) and self.places.made(around.iterable, reversed) is None:
                    return number
                if self.places.made(around.iterable, reversed) is not None:
                    return None
                steps = self.rebuilt(around.iterable, trail, out)
                return None if steps is None else self.emit(out, atom, operator.getitem, (steps, number))
        call = self.places.definition.get(atom)
        if call is None or called(call) not in REBUILT or call.kwargs or not self.is_as_it_was(call, trail):
            return self.kept_too(atom, trail, out)
        args = [self.rebuilt(a, trail, out) for a in call.args]
        return None if None in args else self.emit(out, atom, call.fn.value, args)  # type: ignore

    def kept_too(self, atom: Var, trail: Trail, out: list[Call]) -> Atom | None:
        """A value that the loop keeps in another list."""
        loop, number = trail.turns[0]
        items = next((r for k, r in enumerate(loop.results) if self.pushed(loop, k) is atom), None)
        return None if items is None else self.emit(out, atom, operator.getitem, (items, number))

    # -- what is written -----------------------------------------------------------------------

    def is_as_it_was(self, call: Call, trail: Trail) -> bool:
        """Whether a call gives what it gave in its turn: nobody has written since into what it looks at."""
        looked_at = call.args
        if called(call) is operator.getitem:
            looked_at, t = call.args[1:], type_of(call.args[0], self.types)
            whole = isinstance(t, Array) and isinstance(self.types[call.result], Array)
            shown = isinstance(t, TupleT) or whole and item_kind(call, self.types) == "view"
            settled = shown or self.is_unwritten(call.args[0])
            if not settled and not self.is_settled_item(call.args[0], call.args[1], call.result, trail):
                return False
        return all(map(self.is_unwritten, looked_at))

    def is_settled_item(self, owner: Atom, index: Atom, since: Var, trail: Trail) -> bool:
        """Whether nobody writes into an item of an array from a statement on, until what a loop has kept is read."""
        t = type_of(owner, self.types)
        if not isinstance(t, Array) or t.dims is None or not self.names_a_number(t, index):
            return False
        part = self.indexed.item(owner, index, since)
        return part is not None and self.is_settled(part, trail)

    def names_a_number(self, array: Array, index: Atom) -> bool:
        """Whether an index names one item of an array, by integers."""
        axes = self.indexed.axes(index)
        return len(axes) == len(array.dims or ()) and all(axis is not None and axis.point for axis in axes)

    def is_unwritten(self, atom: Atom) -> bool:
        """Whether nobody in the function writes into a value, nor into what it holds."""
        if isinstance(atom, Const) or is_immutable(self.types[atom]):
            return is_immutable(type_of(atom, self.types))
        return self.memory.get(atom, atom) not in self.ever_written

    @cached_property
    def ever_written(self) -> set[Var]:
        """What calls of the function write into, or may, but for the lists that loops keep their values in."""
        ends = ((loop, k, loop.body.end) for loop, k in self.result_of.values())
        kept = {e.values[k] for loop, k, e in ends if isinstance(e, Continue) and self.appended(loop, k) is not None}
        out = set[Var]()
        for call in self.places.definition.values():
            if call.result not in kept:
                into = writes_into(call, self.types, self.effects)
                reached = atoms_of(call) if into is None else into
                out |= {self.memory.get(a, a) for a in reached if isinstance(a, Var)}
        return out

    def is_settled(self, part: Part, trail: Trail) -> bool:
        """Whether nobody writes into a part of an array until what a loop has kept is read."""
        loop = trail.turns[0][0]
        path, later = self.places.path[loop.results[0]], self.places.path[trail.at]
        block, first = path[-1]
        if len(later) < len(path) or later[len(path) - 1][0] is not block:
            return False
        if loop in self.places.loops.get(part.array, ()):
            return False
        last = later[len(path) - 1][1]
        mine = self.memory.get(part.array, part.array)
        for k in range(first, last + 1):
            for call in calls_in(block.statements[k]):
                targets = writes_into(call, self.types, self.effects)
                if targets is None:
                    return False
                if any(self.memory.get(t, t) is mine for t in targets):
                    write = self.part_written(call) if k == first else None
                    if write is None or write.array is not part.array:
                        return False
                    if not self.indexed.stays_apart(part, write):
                        return False
        return first < last

    def part_written(self, call: Call) -> Part | None:
        """The part of an array that a call writes into."""
        fn = called(call)
        if fn in STORING:
            return self.indexed.item(call.args[0], call.args[1], call.result)
        if fn in INPLACE:
            return self.indexed.part(call.args[0], call.result)
        return None

    def emit(self, out: list[Call], like: Var, fn: object, args: Sequence[Atom]) -> Var:
        result = Var(like.name, like.place)
        self.types[result] = self.types[like]
        out.append(Call(result, Const(fn), tuple(args), (), like.place, "adjoint"))
        return result


class Reread(Rewriter):
    """Puts other statements in the place of those that read what was kept."""

    def __init__(self, reread: Mapping[Var, Sequence[Call]]) -> None:
        self.reread = reread

    def call(self, call: Call) -> tuple[Statement, ...]:
        return tuple(self.reread.get(call.result, (call,)))
