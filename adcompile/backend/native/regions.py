"""Which parts of a program are native: whole functions, else the longest runs of statements that hold a loop.

A run becomes a function of its own, which the rest calls; so every part has a printed form on NumPy too, which
runs where its kernel leaves early.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from adcompile.backend.native.kernel import Kernel, kernel, supported
from adcompile.backend.native.values import NotNative
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
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
from adcompile.ir.types import Array, TupleT, Type
from adcompile.ir.walk import (
    atoms_of,
    end_atoms,
    free_vars,
    large_stack,
    results_of,
    statements_of,
)
from adcompile.runtime.settings import Backend

REPEATED = frozenset({builtins.range, builtins.reversed, builtins.slice, ops.build_tuple, np.ndarray.shape})
"""Calls that a region makes again for itself: what they give has no machine type of its own."""


@dataclass(frozen=True, slots=True)
class Note:
    """A function or loop that stays on NumPy, and why."""

    what: str
    place: Place | None
    why: str
    at: Place | None

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        at = f" ({self.at})" if self.at else ""
        return f"{self.what}{where} runs on NumPy: {self.why}{at}"


@dataclass(frozen=True)
class Parts:
    """A program with its native regions as functions, their kernels, and what is not native."""

    program: Program
    kernels: Mapping[FunctionRef, Kernel]
    notes: tuple[Note, ...]


def native_parts(program: Program, backend: Backend, exact: bool = True) -> Parts:
    """Decide what is native for a backend: nothing for "numpy", for "auto" functions with loops, for "numba"
    others too. `exact`: what the entry returns must have the classes that it has on NumPy."""
    if backend == "numpy":
        return Parts(program, {}, ())
    return large_stack(_parts, program, backend == "numba", not exact)


def _parts(program: Program, eager: bool, entry_is_gradient: bool) -> Parts:
    search = _Search(dict(program.types))
    functions: dict[FunctionRef, Function] = {}
    for ref, function in program.functions.items():
        loops = any(isinstance(s, (For, While)) for s in statements_of(function.body))
        if not loops and not eager and not _of_numbers(function, program.types):
            functions[ref] = function
            continue
        inexact = entry_is_gradient and ref is program.entry
        try:
            search.kernels[ref] = kernel(function, function.name or ref.name, search.types, inexact)
            functions[ref] = function
        except NotNative as error:
            name = f"{function.name}()"
            if not loops:
                search.notes.append(Note(name, function.place, error.what, error.place))
                functions[ref] = function
                continue
            functions[ref] = search.outlined(function)
    return Parts(
        replace(program, functions={**search.made, **functions}, types=search.types),
        search.kernels,
        tuple(search.notes),
    )


def _of_numbers(function: Function, types: Mapping[Var, Type]) -> bool:
    return not any(isinstance(types.get(v), Array) for v in (*function.params, *_defined_in(function.body.statements)))


def _defined_in(statements: Sequence[Statement]) -> Iterator[Var]:
    for s in statements:
        yield from results_of(s)


@dataclass
class _Search:
    types: dict[Var, Type]
    kernels: dict[FunctionRef, Kernel] = field(default_factory=dict["FunctionRef", "Kernel"])
    made: dict[FunctionRef, Function] = field(default_factory=dict["FunctionRef", "Function"])
    notes: list[Note] = field(default_factory=list["Note"])
    definitions: dict[Var, Call] = field(default_factory=dict["Var", "Call"])
    name: str = ""

    def outlined(self, function: Function) -> Function:
        """The function with its native regions as calls."""
        self.name = function.name
        self.definitions = {
            s.result: s for s in statements_of(function.body) if isinstance(s, Call) and _is_repeated(s)
        }
        return replace(function, body=self.block(function.body, frozenset()))

    def block(self, block: Block, after: frozenset[Var]) -> Block:
        """`after`: what is read behind the block."""
        read = {a for a in end_atoms(block.end) if isinstance(a, Var)} | after
        blocking = supported(block.statements, self.types)
        out: list[Statement] = []
        k = 0
        while k < len(block.statements):
            stop = k
            while stop < len(block.statements) and stop not in blocking:
                stop += 1
            run, rest = block.statements[k:stop], block.statements[stop:]
            if any(isinstance(s, (For, While)) for inner in run for s in _with_inner(inner)):
                later = read | _read_by(rest)
                out += self.run(run, frozenset(later))
            else:
                out += run
            if stop < len(block.statements):
                later = frozenset(read | _read_by(block.statements[stop + 1 :]))
                out += self.blocked(block.statements[stop], blocking[stop], later)
            k = stop + 1
        if isinstance(block.end, Unreachable) and tuple(out) != block.statements:
            return block if not isinstance(out[-1], If) else Block(block.params, tuple(out), block.end)
        return Block(block.params, tuple(out), block.end)

    def run(self, run: Sequence[Statement], later: frozenset[Var]) -> list[Statement]:
        """A run as a call of a function of its own; else its loops one by one."""
        try:
            return self.region(self._trimmed(run), later)
        except NotNative as error:
            if len(run) == 1:
                return self.blocked(run[0], error, later)
        out: list[Statement] = []
        for k, s in enumerate(run):
            behind = frozenset(later | _read_by(run[k + 1 :]))
            if any(isinstance(inner, (For, While)) for inner in _with_inner(s)):
                out += self.run([s], behind)
            else:
                out.append(s)
        return out

    def _trimmed(self, run: Sequence[Statement]) -> Sequence[Statement]:
        return run

    def blocked(self, s: Statement, error: NotNative, later: frozenset[Var]) -> list[Statement]:
        """A statement that is not native as a whole; loops inside may be."""
        match s:
            case For() | While():
                self.notes.append(Note(f"a loop of {self.name}()", s.place, error.what, error.place))
                inner = frozenset(later | set(free_vars(s.body)))
                return [replace(s, body=self.block(s.body, inner))]
            case If():
                return [replace(s, then=self.block(s.then, later), orelse=self.block(s.orelse, later))]
            case _:
                return [s]

    def region(self, run: Sequence[Statement], later: frozenset[Var]) -> list[Statement]:
        """A run as a function and its call. Raises NotNative."""
        kept = [s for s in run if isinstance(s, Call) and _is_repeated(s)]
        repeated = {s.result for s in kept}
        later = self._needed(kept, later)
        out = [v for v in _defined_in(run) if v in later and v not in repeated]
        body = list(run)
        free = _free(body)
        for v in list(free):
            body[:0] = self._again(v, set())
        free = _free(body)
        result: Atom = Const(None)
        if len(out) == 1:
            result = out[0]
        elif out:
            whole = Var("t")
            self.types[whole] = TupleT(tuple(self.types[v] for v in out))
            body.append(Call(whole, Const(ops.build_tuple), tuple(out)))
            result = whole
        name = f"{self.name}_loop"
        place = next((s.place for s in run if isinstance(s, (For, While))), None)
        function = Function(name, tuple(free), (), Block((), tuple(body), Return(result)), Signature(), place)
        ref = FunctionRef(name)
        self.kernels[ref] = kernel(function, name, self.types, False)
        self.made[ref] = function
        again = [s for s in kept if s.result in later]
        if len(out) <= 1:
            target = out[0] if out else self._new(Var("t"), None)
            return [Call(target, Const(ref), tuple(free)), *again]
        packed = self._new(Var("t"), TupleT(tuple(self.types[v] for v in out)))
        items: list[Statement] = [Call(v, Const(operator.getitem), (packed, Const(k))) for k, v in enumerate(out)]
        return [Call(packed, Const(ref), tuple(free)), *items, *again]

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
