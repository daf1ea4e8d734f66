"""What a loop keeps of memory that it does not write again is read again, not copied.

    for i in range(n):                          for i in range(n):
        kept.append(x[:i].copy())                   x[i] = b[i] - a[i, :i] @ x[:i]
        x[i] = b[i] - a[i, :i] @ x[:i]      →
    for i in reversed(range(n)):                for i in reversed(range(n)):
        a_bar[i, :i] -= b_bar * kept[i]             a_bar[i, :i] -= b_bar * x[:i]

A copy of part of an array is *settled* if nothing writes into that part from there on until the copy is read: each
write that comes later, in the same iteration or a later one of the loops around, is elsewhere (`order`), and between
the loops and where the copy is read nobody writes into the array at all. What reads it makes new memory of it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Continue, For, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import Array, RangeT, Type
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, blocks_of, end_atoms, large_stack, statements_of
from adcompile.optimise.callables import LINEAR
from adcompile.optimise.direct import COPIES, called
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.indexed import Indexed, Part, Places
from adcompile.optimise.sharing import STORING, classes, is_fresh
from adcompile.optimise.typing import INPLACE, is_immutable, type_of

REBUILT = (ops.build_tuple, slice, operator.add, operator.sub, operator.mul, operator.neg, operator.getitem, range)
"""What an index is made of, which may be made once more."""


def settled(program: Program) -> Program:
    """The program with settled copies read again; the same object if there are none."""
    return large_stack(_settled, program)


def _settled(program: Program) -> Program:
    types = dict(program.types)
    effects = Effects(types, summarise(program.functions, types))
    functions = {ref: _function(function, types, effects) for ref, function in program.functions.items()}
    changed = any(functions[ref] is not function for ref, function in program.functions.items())
    return replace(program, functions=functions, types=types) if changed else program


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    kept = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.push]
    copied = {s.result for s in statements_of(function.body) if isinstance(s, Call) and called(s) in COPIES}
    if not copied or not any(s.args[1] in copied for s in kept):
        return function
    search = _Search(function, types, effects)
    reread = {r: again for r in search.reads() if (again := search.again(r))}
    return replace(function, body=_Reread(reread).block(function.body)) if reread else function


class _Reread(Rewriter):
    def __init__(self, reread: Mapping[Var, Sequence[Call]]) -> None:
        self.reread = reread

    def call(self, call: Call) -> tuple[Statement, ...]:
        return tuple(self.reread.get(call.result, (call,)))


@dataclass(frozen=True)
class Trail:
    """What a loop has kept in a list, and where it is read: the loops around, and the number of the turn of each."""

    value: Var
    turns: tuple[tuple[For, Var], ...]


class _Search:
    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        self.types, self.effects = types, effects
        self.places = Places().walk(function.body)
        self.indexed = Indexed(self.places, types)
        self.classes = classes(function.body, effects)
        self.readers: dict[Var, list[Statement | None]] = {}
        """None stands for the end of a block."""
        self.result_of: dict[Var, tuple[For, int]] = {}
        for block in all_blocks(function.body):
            for s in (*block.statements, None):
                for a in end_atoms(block.end) if s is None else atoms_of(s):
                    if isinstance(a, Var):
                        self.readers.setdefault(a, []).append(s)
                if isinstance(s, For):
                    self.result_of.update((r, (s, k)) for k, r in enumerate(s.results))

    def reads(self) -> Iterator[Var]:
        """What may be read from a list that a loop has filled."""
        for r, call in self.places.definition.items():
            if called(call) is operator.getitem and isinstance(self.types.get(r), Array):
                if isinstance(call.args[0], Var) and not isinstance(type_of(call.args[0], self.types), Array):
                    yield r

    # -- what was kept -------------------------------------------------------------------------

    def again(self, r: Var) -> list[Call] | None:
        """The statements that read the part of an array anew whose copy `r` is; None if it is not settled."""
        call = self.places.definition[r]
        trail = self.trail(call.args[0], call.args[1])
        copy = None if trail is None else self.places.definition.get(trail.value)
        if trail is None or copy is None or called(copy) not in COPIES or len(copy.args) != 1 or copy.kwargs:
            return None
        part = self.indexed.part(copy.args[0], copy.result)
        whole = None if part is None else self.types.get(part.array)
        if part is None or not isinstance(whole, Array) or whole.dims is None or not self.harmless(r):
            return None
        if not self.is_settled(part, trail, r):
            return None
        out: list[Call] = []
        made = self.rebuilt(copy.args[0], trail, out)
        return [*out[:-1], replace(out[-1], result=r, place=call.place)] if made is not None and out else None

    def trail(self, source: Atom, number: Atom) -> Trail | None:
        """What a list holds at a number that counts turns."""
        if not isinstance(source, Var) or not self.counts(number):
            return None
        outer, turns = source, ()
        inner = self.places.made(source, operator.getitem)
        if source not in self.result_of and inner is not None:
            around = self.trail(inner.args[0], inner.args[1])
            if around is None or around.value not in self.result_of:
                return None
            outer, turns = around.value, around.turns
        if outer not in self.result_of:
            return None
        loop, k = self.result_of[outer]
        if turns and self.places.loops[outer][-1:] != (turns[-1][0],):
            return None
        value = self.pushed(loop, k)
        return None if value is None else Trail(value, (*turns, (loop, number)))  # type: ignore[arg-type]

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
        inside = isinstance(value, Var) and self.places.loops.get(value, ())[-1:] == (loop,)
        return value if alone and beside and each and inside else None  # type: ignore[return-value]

    # -- what is written -----------------------------------------------------------------------

    def is_settled(self, part: Part, trail: Trail, r: Var) -> bool:
        """Whether nobody writes into a part of an array until `r` is read."""
        loop = trail.turns[0][0]
        path, later = self.places.path[loop.results[0]], self.places.path[r]
        block, first = path[-1]
        if len(later) < len(path) or later[len(path) - 1][0] is not block:
            return False
        if loop in self.places.loops.get(part.array, ()):
            return False
        last = later[len(path) - 1][1]
        mine = self.classes.get(part.array)
        for k in range(first, last + 1):
            for call in calls_in(block.statements[k]):
                targets = self.targets(call)
                if targets is None:
                    return False
                if any(self.classes.get(t, t) is mine for t in targets):
                    write = self.written(call) if k == first else None
                    if write is None or write.array is not part.array:
                        return False
                    if not self.indexed.stays_apart(part, write):
                        return False
        return first < last

    def targets(self, call: Call) -> list[Var] | None:
        """The arrays that a call writes into; None if that is not known."""
        fn = called(call)
        owner = call.args[0] if call.args else None
        if fn in STORING or fn in INPLACE or fn in LINEAR:
            t = None if owner is None else type_of(owner, self.types)
            if fn in STORING and not isinstance(t, Array):
                return None
            if fn in INPLACE and not isinstance(t, Array) and not (t is not None and is_immutable(t)):
                return None
            return [owner] if isinstance(owner, Var) else []
        return [] if self.effects.pure(call) else None

    def written(self, call: Call) -> Part | None:
        """The part of an array that a call writes into."""
        fn = called(call)
        if fn in STORING:
            return self.indexed.item(call.args[0], call.args[1], call.result)
        if fn in INPLACE:
            return self.indexed.part(call.args[0], call.result)
        return None

    # -- what is read --------------------------------------------------------------------------

    def harmless(self, r: Var) -> bool:
        """Whether nobody keeps a value, or writes into it: memory of others may stand in its place."""
        return all(self.only_reads(s, r) for s in self.readers.get(r, ()))

    def only_reads(self, s: Statement | None, r: Var) -> bool:
        if not isinstance(s, Call) or s.fn is r:
            return False
        fn = called(s)
        if fn in STORING or fn in INPLACE:
            return s.args[0] is not r and isinstance(type_of(s.args[0], self.types), Array)
        if not self.effects.pure(s) or fn in LINEAR:
            return False
        if is_fresh(s, self.types) or is_immutable(type_of(s.result, self.types)):
            return True
        return isinstance(self.types.get(s.result), Array) and self.harmless(s.result)

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
        if call is None or called(call) not in REBUILT or call.kwargs:
            return None
        args = [self.rebuilt(a, trail, out) for a in call.args]
        return None if None in args else self.emit(out, atom, call.fn.value, args)  # type: ignore

    def emit(self, out: list[Call], like: Var, fn: object, args: Sequence[Atom]) -> Var:
        result = Var(like.name, like.place)
        self.types[result] = self.types[like]
        out.append(Call(result, Const(fn), tuple(args), (), like.place, "adjoint"))
        return result


def calls_in(s: Statement) -> Iterator[Call]:
    """The calls of a statement, at any depth."""
    if isinstance(s, Call):
        yield s
    for block in blocks_of(s):
        yield from (inner for inner in statements_of(block) if isinstance(inner, Call))
