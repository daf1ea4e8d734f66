"""Which parts of a program are native: whole functions, else the longest runs of statements that hold a loop.

A run becomes a function of its own, which the rest calls; so every part has a printed form on NumPy too, which
runs where its kernel leaves early.
"""

from __future__ import annotations

import builtins
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.backend.callables import identifier
from adcompile.backend.native.base import Hints
from adcompile.backend.native.elementary import vectorised
from adcompile.backend.native.flow import HANDING_ON
from adcompile.backend.native.gaussians import with_gaussians
from adcompile.backend.native.handed import handed, handed_lengths, handed_over, held_together
from adcompile.backend.native.kernel import ALONE, Between, Kernel, kernel, supported
from adcompile.backend.native.lists import Lists, lists_of
from adcompile.backend.native.lockstep import in_lockstep
from adcompile.backend.native.mirrors import without_shadows
from adcompile.backend.native.named import rest_of, without_reads
from adcompile.backend.native.notes import Note
from adcompile.backend.native.numbered import numbered
from adcompile.backend.native.products import between_loops, is_loop
from adcompile.backend.native.quotients import in_products
from adcompile.backend.native.ranges import counts_from_zero
from adcompile.backend.native.spelled import spelled
from adcompile.backend.native.steady import steady
from adcompile.backend.native.strips import in_strips
from adcompile.backend.native.unbound import reads, unbound
from adcompile.backend.native.values import NotNative
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    Return,
    Signature,
    Statement,
    Unreachable,
    Var,
    While,
)
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Array, Scalar, Seq, TupleT, Type
from adcompile.ir.walk import all_blocks, atoms_of, end_atoms, free_vars, results_of, statements_of
from adcompile.nests import Lowered, lowered
from adcompile.nests.counted import counted
from adcompile.nests.lower import SEVERAL, Lengths
from adcompile.optimise.direct import called
from adcompile.optimise.effects import Effects, summarise
from adcompile.optimise.origins import from_origins
from adcompile.optimise.recomputed import recomputed
from adcompile.optimise.typing import type_of
from adcompile.runtime.settings import Backend, Elementary

REPEATED = frozenset({builtins.range, builtins.reversed, builtins.slice, ops.build_tuple, np.ndarray.shape})
"""Calls that a region makes again for itself: what they give has no machine type of its own."""


INTEGER = Scalar(frozenset({int}))


@frozen
class Parts:
    """A program with its native regions as functions, their kernels, and what is not native."""

    program: Program
    kernels: Mapping[FunctionRef, Kernel]
    notes: tuple[Note, ...]
    elementary: Elementary = "vectorised"
    """Whose elementary functions the kernels call."""


def native_parts(
    program: Program, backend: Backend, exact: bool = True, elementary: Elementary = "vectorised"
) -> Parts:
    """Decide what is native for a backend: nothing for "numpy", for "auto" functions with loops, for "numba"
    others too. `exact`: what the entry returns must have the classes that it has on NumPy."""
    if backend == "numpy":
        return Parts(program, {}, ())
    return large_stack(_parts, program, backend == "numba", not exact, elementary)


def _parts(program: Program, eager: bool, entry_is_gradient: bool, elementary: Elementary) -> Parts:
    program = from_origins(recomputed(numbered(spelled(program))))
    # of the C library's functions a call for each element is all there is: there NumPy's own loops are better
    types = {**program.types, **dict(handed_over(program))}
    ufuncs = frozenset(vectorised()) if elementary == "vectorised" else frozenset[Any]()
    search = _Search(types, ufuncs, Effects(types, summarise(program.functions, types)))
    functions: dict[FunctionRef, Function] = {}
    for forward, pullback in handed(program, search.types):
        search.pair(program, forward, pullback, entry_is_gradient and forward is program.entry)
    for ref, function in program.functions.items():
        if ref in search.kernels:
            functions[ref] = function
            continue
        loops = any(map(is_loop, statements_of(function.body)))
        if not loops and not eager and not _of_numbers(function, program.types):
            functions[ref] = function
            continue
        inexact = entry_is_gradient and ref is program.entry
        if ref.forward is not None and ref.forward in program.functions:
            search.lengths.update(handed_lengths(program.functions[ref.forward], function, search.lengths))
        try:
            search.kernels[ref] = search.kernel(function, function.name or ref.name, inexact)
            functions[ref] = function
        except NotNative as error:
            split = search.behind_reads(function, inexact)
            if split is not None:
                functions[ref] = split
                continue
            name = f"{function.name}()"
            if not loops and not search.nests(search.alone(function.body.statements)):
                search.notes.append(Note(name, function.place, error.what, error.place))
                functions[ref] = function
                continue
            functions[ref] = search.outlined(function)
    return Parts(
        replace(program, functions={**search.made, **functions}, types=search.types),
        search.kernels,
        tuple(search.notes),
        elementary,
    )


def _of_numbers(function: Function, types: Mapping[Var, Type]) -> bool:
    return not any(isinstance(types.get(v), Array) for v in (*function.params, *_defined_in(function.body.statements)))


def _defined_in(statements: Sequence[Statement]) -> Iterator[Var]:
    for s in statements:
        yield from results_of(s)


@dataclass
class _Search:
    types: dict[Var, Type]
    ufuncs: frozenset[Any]  # functions that may stand in loops over elements
    effects: Effects
    kernels: dict[FunctionRef, Kernel] = field(default_factory=dict["FunctionRef", "Kernel"])
    made: dict[FunctionRef, Function] = field(default_factory=dict["FunctionRef", "Function"])
    notes: list[Note] = field(default_factory=list["Note"])
    definitions: dict[Var, Call] = field(default_factory=dict["Var", "Call"])
    unbound: frozenset[Var] = frozenset()  # what some paths leave so
    empties: dict[Var, Call] = field(default_factory=dict["Var", "Call"])  # lists that begin empty, and are used once
    begun: set[Var] = field(default_factory=set["Var"])  # those of them that a region begins itself
    lists: Lists = field(default_factory=Lists)
    around: frozenset[Var] = frozenset()  # the classes of lists that are there before the loops around begin
    steady: frozenset[Var] = frozenset()  # arrays, and lists of some, that stay as they are
    name: str = ""
    lengths: dict[Var, Lengths] = field(default_factory=dict["Var", "Lengths"])  # presumed, of short axes

    def kernel(self, function: Function, name: str, inexact: bool = False, between: Between = ALONE) -> Kernel:
        """A function as a kernel, its array statements as loops. Where such a kernel is left, the function as it
        is runs on NumPy."""
        new = self.lowered(function, least=1)
        if not between.returns:
            self.lengths.update(new.lengths)
        new = with_gaussians(in_products(new) if inexact else new)
        elements = [s.body.params[0] for s in statements_of(new.function.body) if isinstance(s, For)]
        new = in_lockstep(new, self.ufuncs, self.effects, inexact)
        new = in_strips(new, elements, self.ufuncs, self.effects, inexact)
        counts = counted(new.function.body, new.types)
        hints = Hints(new.sure, new.sums, between_loops(function.body.statements), new.independent, counts)
        return kernel(new.function, identifier(name), new.types, inexact, hints, between)

    def behind_reads(self, function: Function, inexact: bool) -> Function | None:
        """The function as what it reads of modules and a call of all the rest, if that is a kernel."""
        found = rest_of(function, self.effects)
        if found is None:
            return None
        rest, value, calling = found
        ref = FunctionRef(rest.name)
        try:
            self.kernels[ref] = self.kernel(rest, rest.name, inexact)
        except NotNative:
            return None
        self.made[ref] = rest
        return calling(self._new(Var("t"), type_of(value, self.types)), ref)

    def pair(self, program: Program, first: FunctionRef, second: FunctionRef, inexact: bool) -> None:
        """A forward function and its pullback as kernels that hand over what loops keep, if both can be."""
        functions, types = (program.functions[first], program.functions[second]), dict(self.types)
        forward, pullback, together, sharing = held_together(*functions, self.types)
        try:
            giving = self.kernel(forward, forward.name or first.name, inexact, Between(hands=True, sharing=sharing))
            slots = {**giving.hands, **together}
            self.lengths.update(handed_lengths(*functions, self.lengths))
            taking = self.kernel(pullback, pullback.name or second.name, between=Between(slots=slots))
        except NotNative:  # each is looked at alone, and what is in the way said
            self.types = types
            return
        self.kernels[first], self.kernels[second] = replace(giving, hands=slots), taking

    def nests(self, function: Function) -> bool:
        """Whether a function has loops, or array statements that are worth some."""
        new = self.lowered(function, SEVERAL)
        return any(map(is_loop, statements_of(new.function.body)))

    def blocking(self, statements: Sequence[Statement]) -> dict[int, NotNative]:
        """By number: the statements that no kernel can hold."""
        out: dict[int, NotNative] = {}
        number = {s.result: k for k, s in enumerate(statements) if isinstance(s, Call)}
        for s, error in self._unsupported(statements, statements):
            if isinstance(s, Call) and s.result in number:
                out[number[s.result]] = error
        for k, s in enumerate(statements):
            if isinstance(s, If) and goes_on_elsewhere(s):
                out[k] = NotNative("a way out of a loop around", s.place)
            elif not isinstance(s, Call):
                found = [e for t, e in self._unsupported([*self._begun(s), s], statements) if not isinstance(t, Call)]
                if found:
                    out[k] = found[0]
        return out

    def _unsupported(
        self, statements: Sequence[Statement], beside: Sequence[Statement]
    ) -> list[tuple[Statement, NotNative]]:
        """What no kernel can hold of these, as loops; they stand `beside` others."""
        new = self.lowered(self.alone(statements), least=1)
        body, hints = new.function.body.statements, Hints(between=between_loops(beside))
        return [(body[k], error) for k, error in supported(body, new.types, self.steady, hints).items()]

    def lowered(self, function: Function, least: int) -> Lowered:
        types = dict(self.types)
        return lowered(without_shadows(function, types), types, self.ufuncs, least, self.lengths)

    def alone(self, statements: Sequence[Statement]) -> Function:
        """Statements as a function that gives all that they define, with the calls that they make again."""
        run, _ = without_reads(statements, self.effects)
        body = [*self._before(run), *run]
        all_ = tuple(_defined_in(run))
        whole = self._new(Var("t"), TupleT(tuple(self.types[v] for v in all_)))
        body.append(Call(whole, Const(ops.build_tuple), all_))
        return Function("", tuple(_free(body)), (), Block((), tuple(body), Return(whole)), Signature())

    def _before(self, statements: Sequence[Statement]) -> list[Statement]:
        """The calls that a run makes again."""
        met: set[Var] = set()
        return [s for v in _free(statements) for s in self._again(v, met)]

    def outlined(self, function: Function) -> Function:
        """The function with its native regions as calls."""
        self.name, self.unbound = function.name, unbound(function)
        self.definitions = {
            s.result: s for s in statements_of(function.body) if isinstance(s, Call) and _is_repeated(s)
        }
        self.steady = steady(function, self.effects)
        self.empties, self.lists, self.around = empty_lists(function), lists_of(function, self.types), frozenset()
        return replace(function, body=self.block(function.body, frozenset()))

    def block(self, block: Block, after: frozenset[Var]) -> Block:
        """`after`: what is read behind the block."""
        read = {a for a in end_atoms(block.end) if isinstance(a, Var)} | after
        blocking = self.blocking(block.statements)
        out: list[Statement] = []
        k = 0
        while k < len(block.statements):
            stop = k
            while stop < len(block.statements) and stop not in blocking:
                stop += 1
            run, rest = block.statements[k:stop], block.statements[stop:]
            if run and self.nests(self.alone(run)):
                later = read | _read_by(rest)
                out += self.run(run, frozenset(later))
            else:
                out += run
            if stop < len(block.statements):
                later = frozenset(read | _read_by(block.statements[stop + 1 :]))
                out += self.blocked(block.statements[stop], blocking[stop], later)
            k = stop + 1
        out = [s for s in out if not isinstance(s, Call) or s.result not in self.begun]
        if isinstance(block.end, Unreachable) and tuple(out) != block.statements and not isinstance(out[-1], If):
            self.begun.difference_update(free_vars(block), _defined_in(block.statements))
            return block
        return Block(block.params, tuple(out), block.end)

    def run(self, run: Sequence[Statement], later: frozenset[Var]) -> list[Statement]:
        """A run as a call of a function of its own; else its loops one by one."""
        try:
            return self.region(run, later)
        except NotNative as error:
            if len(run) == 1:
                return self.blocked(run[0], error, later)
        out: list[Statement] = []
        for k, s in enumerate(run):
            behind = frozenset(later | _read_by(run[k + 1 :]))
            if self.nests(self.alone([s])):
                out += self.run([s], behind)
            else:
                out.append(s)
        return out

    def blocked(self, s: Statement, error: NotNative, later: frozenset[Var]) -> list[Statement]:
        """A statement that is not native as a whole; loops inside may be."""
        match s:
            case For() | While():
                self.notes.append(Note(f"a loop of {self.name}()", s.place, error.what, error.place))
                inner = frozenset(later | set(free_vars(s.body)))
                before = self.around
                self.around |= {self.lists.find(v) for v in (*free_vars(s.body), *s.body.params) if self._is_long(v)}
                body = self.block(s.body, inner)
                self.around = before
                return [replace(s, body=body)]
            case If():
                return [replace(s, then=self.block(s.then, later), orelse=self.block(s.orelse, later))]
            case _:
                return [s]

    def region(self, run: Sequence[Statement], later: frozenset[Var]) -> list[Statement]:
        """A run as a function and its call. Raises NotNative."""
        run, loads = without_reads(run, self.effects)
        run, pushes = without_pushes(run)
        later = later | _read_by(pushes)
        place = next((s.place for s in (*filter(is_loop, run), *run) if s.place), None)
        kept = [s for s in run if isinstance(s, Call) and _is_repeated(s)]
        repeated = {s.result for s in kept}
        later = self._needed(kept, later)
        out = [v for v in _defined_in(run) if v in later and v not in repeated]
        begun = self._begun(*run)
        body = [*self._before(run), *begun, *run]
        free = _free(body)
        if any(self.lists.find(v) in self.around for v in free if self._is_long(v)):
            raise NotNative("a list that a region would take from a loop around it, in every iteration", place)
        read = {v for s in run if isinstance(s, Call) for v in reads(s, HANDING_ON)}
        read |= self._gone_through(body)
        ends, ranges = self._ranges(free)
        for v in (*(v for v in free if v not in read), *out):
            if v in self.unbound:  # to hand it over is to read it
                raise NotNative(f"{v.name}, which some paths leave unbound", v.place)
        result: Atom = Const(None)
        if len(out) == 1:
            result = out[0]
        elif out:
            whole = Var("t")
            self.types[whole] = TupleT(tuple(self.types[v] for v in out))
            body.append(Call(whole, Const(ops.build_tuple), tuple(out), role="adjoint"))  # which reads nothing
            result = whole
        name = f"{self.name}_loop"
        free = [v for v in free if v not in ends] + list(ends.values())
        body = [*ranges, *body]
        function = Function(name, tuple(free), (), Block((), tuple(body), Return(result)), Signature(), place)
        ref = FunctionRef(name)
        self.kernels[ref] = self.kernel(function, name, between=Between(returns=True, steady=self.steady))
        self.made[ref] = function
        again = [s for s in kept if s.result in later]
        self.begun.update({s.result for s in begun} - {a for s in again for a in s.args})
        # where a branch was not taken, there may be None in place of a range
        loads += [Call(n, Const(getattr), (v, Const("stop"), Const(0)), role="adjoint") for v, n in ends.items()]
        if len(out) <= 1:
            target = out[0] if out else self._new(Var("t"), None)
            return [*loads, Call(target, Const(ref), tuple(free)), *again, *pushes]
        packed = self._new(Var("t"), TupleT(tuple(self.types[v] for v in out)))
        items: list[Statement] = [Call(v, Const(operator.getitem), (packed, Const(k))) for k, v in enumerate(out)]
        return [*loads, Call(packed, Const(ref), tuple(free)), *items, *again, *pushes]

    def _begun(self, *run: Statement) -> list[Call]:
        """The lists that a run begins itself."""
        return [self.empties[v] for v in _free(run) if v in self.empties]

    def _gone_through(self, body: Sequence[Statement]) -> set[Atom]:
        """What the loops of a run go through, and what that is made of."""
        out: set[Atom] = {s.iterable for s in body if isinstance(s, For)}
        for s in reversed(body):
            if isinstance(s, Call) and s.result in out and _is_repeated(s):
                out.update(s.args)
        return out

    def _ranges(self, free: Sequence[Var]) -> tuple[dict[Var, Var], list[Call]]:
        """Of ranges from elsewhere: the numbers that say where they stop, and the calls that make ranges of these."""
        ends = {v: self._new(Var("stop", v.place), INTEGER) for v in free if counts_from_zero(self.types.get(v))}
        return ends, [Call(v, Const(builtins.range), (n,), place=v.place) for v, n in ends.items()]

    def _is_long(self, var: Var) -> bool:
        return isinstance(self.types.get(var), Seq)

    def _needed(self, kept: Sequence[Call], later: frozenset[Var]) -> frozenset[Var]:
        """What is read behind a run, and what the calls read that are made again there."""
        found = set(later)
        for s in reversed(kept):
            if s.result in found:
                found.update(a for a in s.args if isinstance(a, Var))
        return frozenset(found)

    def _new(self, var: Var, t: Type | None) -> Var:
        from_none = TupleT(()) if t is None else t
        self.types[var] = from_none
        return var

    def _again(self, var: Var, met: set[Var]) -> list[Statement]:
        """What a region computes again to have a range, slice or tuple from outside."""
        call = self.definitions.get(var)
        if call is None or var in met:
            return []
        met.add(var)
        out: list[Statement] = []
        for a in call.args:
            if isinstance(a, Var):
                out += self._again(a, met)
        return [*out, call]


def empty_lists(function: Function) -> dict[Var, Call]:
    """The lists that a function begins without items, and names once more: whoever does that may begin them."""
    named: Counter[Atom] = Counter()
    for block in all_blocks(function.body):
        named.update(a for s in block.statements for a in atoms_of(s))
        named.update(end_atoms(block.end))
    calls = [s for s in statements_of(function.body) if isinstance(s, Call) and called(s) is ops.build_list]
    return {s.result: s for s in calls if not s.args and named[s.result] == 1}


def goes_on_elsewhere(s: If) -> bool:
    """Whether a branch leaves the block in which the statement stands."""
    for block in (s.then, s.orelse):
        if isinstance(block.end, (Break, Continue, Return)):
            return True
        if any(isinstance(inner, If) and goes_on_elsewhere(inner) for inner in block.statements):
            return True
    return False


def without_pushes(statements: Sequence[Statement]) -> tuple[list[Statement], list[Call]]:
    """Statements without those among them that keep values in lists from elsewhere, and these: they may as well
    come behind the others."""
    defined = set(_defined_in(statements))
    out: list[Statement] = []
    pushes: list[Call] = []
    behind: set[Atom] = set()
    for s in statements:
        if isinstance(s, Call) and isinstance(s.fn, Const) and s.fn.value is ops.push:
            if s.args[0] not in defined or s.args[0] in behind:
                behind.add(s.result)
                pushes.append(s)
                continue
        out.append(s)
    if any(a in behind for s in out for a in _read_by([s])):
        return list(statements), []
    return out, pushes


def _free(statements: Sequence[Statement]) -> list[Var]:
    return list(free_vars(Block((), tuple(statements), Unreachable())))


def _is_repeated(call: Call) -> bool:
    try:
        return isinstance(call.fn, Const) and call.fn.value in REPEATED and not call.kwargs
    except TypeError:
        return False


def _with_inner(s: Statement) -> Iterator[Statement]:
    yield from statements_of(Block((), (s,), Unreachable()))


def _read_by(statements: Sequence[Statement]) -> set[Var]:
    out: set[Var] = set()
    for s in statements:
        for inner in _with_inner(s):
            out.update(a for a in atoms_of(inner) if isinstance(a, Var))
    out.update(v for s in statements for b in _blocks(s) for v in free_vars(b))
    return out


def _blocks(s: Statement) -> Iterator[Block]:
    match s:
        case If():
            yield from (s.then, s.orelse)
        case For() | While():
            yield s.body
        case _:
            pass
