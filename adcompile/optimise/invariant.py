"""What every turn of a loop computes alike is computed once, in front of it, and not kept turn by turn.

    for k in range(n):                      T = X.T
        e = X @ w - t                       c = np.exp(p)
        T = X.T                             for k in range(n):
        c = np.exp(p)                           e = X @ w - t
        w = w - c * (T @ e)           →         w = w - c * (T @ e)
        kept.append(T), kept_1.append(c)    for k in reversed(range(n)):
    for k in reversed(range(n)):                … T, c
        … kept[k], kept_1[k]

A call moves if it can neither raise nor warn, as the loop may have no turns; if what it reads is there in front of the
loop, in memory that nobody writes into inside; and if those who read its result keep no part of it and do not write
into it: all turns have one array then. A view stays a view: what it shows is the same wherever it is made. What names
of modules mean, and what objects hold that have such names, is there as well, by the guards of the derivative: such
reads move where nothing inside may bind names or attributes.
"""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from dataclasses import replace

from adcompile.analysis.mutation import calls_in
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, Statement, Var, While
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Known, Scalar, Type
from adcompile.ir.walk import Rewriter, atoms_of, blocks_of, defined, statements_of
from adcompile.optimise.callables import DIVIDING, LINEAR, LOUD
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects, strays
from adcompile.optimise.indexed import Path
from adcompile.optimise.passes import optimise
from adcompile.optimise.shapes import Shapes
from adcompile.optimise.sharing import OBSERVING, STORING
from adcompile.optimise.trails import Trails, each_function, writes_into
from adcompile.optimise.typing import is_immutable, type_of

DEPTH = 4
"""Out of so many loops a call moves, one after another; what is kept of it is known to be one value then."""
Loop = For | While


def invariant(program: Program) -> Program:
    """The program with such calls in front of their loops; the same object if there are none."""
    for _ in range(DEPTH):
        made = large_stack(each_function, program, _function)
        if made is program:
            break
        program = optimise(made)
    return program


def _function(function: Function, types: MutableMapping[Var, Type], effects: Effects) -> Function:
    if not any(isinstance(s, (For, While)) for s in statements_of(function.body)):
        return function
    search = _Search(function, types, effects)
    search.block(function.body, ())
    search.read_directly()
    found = search.moving or search.instead
    return replace(function, body=_Moved(search).block(function.body)) if found else function


class _Search(Trails):
    """`moving`: by loop, what is to stand in front of it, and is `gone` from where it stood. `instead`: what is read
    from lists that loops fill with one value, and that value."""

    def __init__(self, function: Function, types: MutableMapping[Var, Type], effects: Effects) -> None:
        super().__init__(function, types, effects)
        self.shapes = Shapes(types, self.places.definition, assume=False)
        self.moving: dict[Loop, list[Call]] = {}
        self.gone: set[Statement] = set()
        self.instead: dict[Var, Var] = {}
        self.place = dict(self.places.path)  # of each value when all have moved
        self.recorded: dict[Var, Var] = {}
        """What is read from lists by the numbers of turns, and what it is."""
        for r, call in self.places.definition.items():
            trail = self.trail(call.args[0], call.args[1], r) if called(call) is operator.getitem else None
            if trail is not None and isinstance(types.get(r), (Array, Scalar)):
                self.recorded[r] = trail.value

    def pushed(self, loop: For, k: int) -> Var | None:
        return self.appended(loop, k)  # what has moved out of one of several loops is recorded still

    def block(self, block: Block, path: Path) -> None:
        mark = self.shapes.mark()
        for k, s in enumerate(block.statements):
            here = (*path, (block, k))
            if isinstance(s, Call):
                self.shapes.note(s)
            elif isinstance(s, (For, While)):
                self.loop(s, here)
            for inner in blocks_of(s):
                self.block(inner, here)
        self.shapes.undo(mark)

    def loop(self, loop: Loop, here: Path) -> None:
        inside, written = defined(loop.body), self.written(loop)
        for s in loop.body.statements:
            if not isinstance(s, Call):
                continue
            if not isinstance(self.types.get(s.result), (Array, Scalar)) and not self.is_there(s):
                continue
            out: list[Call] = []
            call = replace(s, args=tuple(self.index(a, inside, out) for a in s.args))
            if self.is_same(call, inside, written) and self.may_be_one(s.result):
                inside.discard(s.result)
                self.shapes.note(call)
                self.place[s.result] = here
                self.gone.add(s)
                self.moving.setdefault(loop, []).extend((*out, call))

    def read_directly(self) -> None:
        """Lists that hold one value at all numbers need not be read where the value itself is at hand."""
        for r, v in self.recorded.items():
            place, later = self.place.get(v, ()), self.place[r]  # a parameter is at hand everywhere
            last = len(place) - 1
            if not place or len(later) > last and later[last][0] is place[last][0] and later[last][1] > place[last][1]:
                self.instead[r] = v

    # -- what each turn computes ----------------------------------------------------------------

    def index(self, atom: Atom, inside: set[Var], out: list[Call]) -> Atom:
        """An index made of what is there in front of a loop, once more: the statements that make it go to `out`."""
        call = self.places.definition.get(atom) if isinstance(atom, Var) and atom in inside else None
        if call is None or called(call) not in (slice, ops.build_tuple) or call.kwargs:
            return atom
        args = tuple(self.index(a, inside, out) for a in call.args)
        if any(a in inside for a in args if isinstance(a, Var)):
            return atom
        made = Var(call.result.name, call.result.place)
        self.types[made] = self.types[call.result]
        self.places.definition[made] = again = replace(call, result=made, args=args)
        out.append(again)
        return made

    def written(self, loop: Loop) -> set[Var] | None:
        """The classes of memory that the turns of a loop write into; None if that is not known."""
        if strays(loop, self.effects):
            return None
        out: set[Var] = set()
        for call in calls_in(loop):
            if called(call) in (ops.push, ops.pop):
                continue  # a list that grows keeps what it holds
            into = writes_into(call, self.types, self.effects)
            if into is None:
                return None
            out |= {self.memory.get(v, v) for v in into}
        return out

    def is_same(self, call: Call, inside: set[Var], written: set[Var] | None) -> bool:
        """Whether every turn computes the same, and nothing is lost if there is none."""
        fn = called(call)
        if self.is_there(call):
            return written is not None and not any(a in inside for a in call.args)
        if fn in LINEAR or fn in STORING or fn in OBSERVING or fn is getattr:
            return False
        if isinstance(fn, FunctionRef):  # which may read what is neither its argument nor a constant
            return False
        read = [a for a in atoms_of(call) if isinstance(a, Var)]
        if not read or not inside.isdisjoint(read) or not all(self.stays(v, written) for v in read):
            return False
        return self.effects.total(call, self.shapes) and not self.may_warn(call)

    def is_there(self, call: Call) -> bool:
        """Whether a call reads a name of a module, or data of what is reached by one: that they are there, and of
        their types, is what the guards have found before the function began."""
        while self.effects.reads_data(call):
            owner = call.args[0]
            if isinstance(owner, Const):
                return True
            made = self.places.definition.get(owner)
            if made is None:
                return False
            call = made
        return called(call) is ops.load_global

    def may_warn(self, call: Call) -> bool:
        """Whether NumPy warns of a call with ordinary numbers: of a division by zero, or the logarithm of one."""
        fn, by = called(call), type_of(call.args[-1], self.types) if call.args else None
        if fn in DIVIDING:
            return not (isinstance(by, Known) and by.value)
        if fn is operator.pow:
            return not (isinstance(by, Known) and type(by.value) is int and by.value > 0)
        return fn in LOUD

    def stays(self, var: Var, written: set[Var] | None) -> bool:
        """Whether what a value holds is the same in all turns."""
        if is_immutable(type_of(var, self.types)):
            return True
        array = isinstance(type_of(var, self.types), Array)
        return array and written is not None and self.memory.get(var, var) not in written

    # -- who reads it ---------------------------------------------------------------------------

    def may_be_one(self, var: Var) -> bool:
        """Whether nobody can tell one value for all turns from as many that are equal: who reads it, from lists too,
        neither writes into it nor hands it on."""
        if is_immutable(type_of(var, self.types)):
            return True
        reads = [r for r, v in self.recorded.items() if v is var]
        return self.is_read_only(var) and all(map(self.is_read_only, reads))

    def is_record(self, push: Call) -> bool:
        """Whether a list that a loop fills is read by the numbers of turns alone."""
        loop = next((s for s in reversed(self.places.loops[push.result]) if isinstance(s, For)), None)
        if loop is None or push.args[0] not in loop.body.params[1:]:
            return False
        k = loop.body.params.index(push.args[0]) - 1
        return self.appended(loop, k) is push.args[1] and self.is_known(loop.results[k])

    def is_known(self, items: Var) -> bool:
        """Whether a list is read in no other way than by what `recorded` has."""
        return all(self.is_reading(s, items) for s in self.readers.get(items, ()))

    def is_reading(self, s: Statement | None, items: Var) -> bool:
        if not isinstance(s, Call):
            return False
        if called(s) is ops.push:
            return s.args[0] is not items and self.is_record(s)
        return called(s) is operator.getitem and (s.result in self.recorded or self.is_known(s.result))


class _Moved(Rewriter):
    def __init__(self, search: _Search) -> None:
        self.search = search

    def atom(self, atom: Atom) -> Atom:
        return self.search.instead.get(atom, atom) if isinstance(atom, Var) else atom

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        if s in self.search.gone:
            return ()
        moved = self.search.moving.get(s, ()) if isinstance(s, (For, While)) else ()
        return (*(self._call(call) for call in moved), *super().statement(s))
