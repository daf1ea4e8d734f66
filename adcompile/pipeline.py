"""The way of the data, in order: the only module that knows it.

    function → typed IR with its derivative → optimised IR → source text → callable

Specialisation and differentiation are one walk: `specialise` runs the function into a builder
(frontend.lower gives the IR, analysis.infer interprets it), and the transform asked for adds its
code there (autodiff). What comes out is verified, optimised, printed and loaded.
"""

from __future__ import annotations

import inspect
import sys
import types as pytypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from adcompile.analysis import (
    attributes,
    builtins,
    callables,
    checkpoints,
    classes,
    containers,
    copying,
    elements,
    folds,
    generated,
    getters,
    having,
    iterators,
    managers,
    objects,
    reads,
    several,
    sorting,
    splats,
    stored,
    structure,
    traversal,
    tries,
    variables,
)
from adcompile.analysis.builder import Builder, Context, Restart
from adcompile.analysis.calls import new_context
from adcompile.analysis.escapes import check_escapes
from adcompile.analysis.guards import guard_kinds
from adcompile.analysis.heap import adopt
from adcompile.analysis.leaving import write_back
from adcompile.analysis.library import in_users_code
from adcompile.analysis.narrow import narrow
from adcompile.analysis.pools import Pools
from adcompile.analysis.real import without_functions
from adcompile.analysis.recursion import AsObject
from adcompile.analysis.slots import open_slots
from adcompile.analysis.terminated import Terminated
from adcompile.autodiff import implicit, integrals, nested, trajectories
from adcompile.autodiff.after import After, after
from adcompile.autodiff.batches import given_type, pushforward_batch
from adcompile.autodiff.composite import install
from adcompile.autodiff.scalar import check_pair
from adcompile.autodiff.separate import Derived as Separate
from adcompile.autodiff.separate import split_body
from adcompile.autodiff.state import handed_out
from adcompile.autodiff.transform import dispatched, finished, gradient, independent, leaves, pushed
from adcompile.autodiff.watched import Watched
from adcompile.backend.derived import Derived, Kind, Parts, Request, compiler_is_there, plain
from adcompile.backend.native.choice import chosen, loaded
from adcompile.errors import AdcompileError, NotDifferentiable, Place, Unsupported, place_of
from adcompile.frozen import frozen
from adcompile.ir.abstract import is_installed, type_of
from adcompile.ir.nodes import Atom, Block, Call, Const, End, Function, Return, Signature, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.stack import large_stack
from adcompile.ir.types import Known, Type
from adcompile.ir.verify import checking, verify_block, verify_program
from adcompile.ir.walk import atoms_of, free_vars, statements_of
from adcompile.optimise.gathered import gathered
from adcompile.optimise.invariant import invariant
from adcompile.optimise.kept import read_slots
from adcompile.optimise.late import late
from adcompile.optimise.lowering import lower_memory
from adcompile.optimise.naming import name_cotangents
from adcompile.optimise.outlines import outlines
from adcompile.optimise.passes import DEAD, PASSES, Pass, optimise
from adcompile.optimise.recorded import read_items
from adcompile.optimise.selected import spell_selected
from adcompile.optimise.settled import settled
from adcompile.runtime import settings
from adcompile.runtime.refusing import REFUSING

HANDLERS = (
    *(attributes, builtins, callables, checkpoints, classes, containers, copying, folds, generated, getters, having),
    *(elements, iterators, managers, objects, reads, several, sorting, splats, stored, structure, traversal),
    *(implicit, integrals, trajectories, nested, tries, variables),
)
"""The modules that give callables their meaning; they register it when they are imported."""

STAGES = ("source", "gast", "ir", "typed", "facts", "forward", "reverse", "optimised", "python")


def derive(
    fun: Any,
    request: Request,
    types: tuple[Type, ...],
    kwtypes: tuple[tuple[str, Type], ...] = (),
    passes: tuple[Pass, ...] = PASSES,
) -> Derived:
    """Specialise, differentiate, optimise, print and load. Raises AdcompileError with the place of what cannot be
    followed: that of the function itself, where it is done by code that has none."""
    try:
        derived = large_stack(_derive, fun, request, types, kwtypes, passes)
    except AdcompileError as error:
        if error.place is not None:
            raise
        raise error.at(place_of(plain(fun))) from error
    derived.native.tell(plain(fun))
    return derived


def _derive(
    fun: Any,
    request: Request,
    types: tuple[Type, ...],
    kwtypes: tuple[tuple[str, Type], ...],
    passes: tuple[Pass, ...],
) -> Derived:
    made = specialise(fun, request, types, kwtypes)
    program, saved = finish(made, passes)
    backend = chosen(request.backend or settings.current.backend)
    exact = request.kind != "joint" or request.value
    made_of = loaded(program, backend, exact, settings.current.elementary)
    emitted, native = made_of.emitted, made_of.native
    pullback = made_of.namespace.get(f"{emitted.name}_pullback") if request.kind == "split" else None
    after, followed = made.after, _live(made.followed, plain(fun))
    about = (after.written, after.at, made.by_cells, made.writes, followed, after.elsewhere, native, made.inplace)
    found = (program.guards, program, made.result, made.cells, saved, *about, after.types, _refuses(program))
    parts = Parts(emitted.source, emitted.namespace, emitted.name, made_of.kernels)
    return Derived(made_of.call, pullback, emitted.source, *found, parts)


def _refuses(program: Program) -> bool:
    """Whether the entry compares arguments, or asks what memory they share."""
    calls = [s for s in statements_of(program.functions[program.entry].body) if isinstance(s, Call)]
    return any(call.fn.value is fn for call in calls if isinstance(call.fn, Const) for fn in REFUSING)


def _live(followed: Iterable[Any], entry: Any) -> tuple[pytypes.FunctionType, ...]:
    """The functions that were followed and may get other code while they live: the user's. The code of `entry` is
    part of what specialisations are found by; its defaults matter where it calls itself."""
    theirs: list[pytypes.FunctionType] = []
    for fn in followed:
        if isinstance(fn, pytypes.FunctionType) and (fn is not entry or fn.__defaults__):
            module = sys.modules.get(fn.__module__ or "")
            if module is None or not is_installed(module):
                theirs.append(fn)
    return tuple(theirs)


def finish(made: Made, passes: tuple[Pass, ...] = PASSES) -> tuple[Program, tuple[tuple[Var, Type], ...]]:
    """The program as it is printed: optimised, its names and memory decided; and what it keeps."""
    saved = made.saved
    passes = tuple(map(verified, passes)) if checking() else passes
    program = checked(made.program, "as specialised")
    program = checked(narrow(program), "narrowed")
    program = checked(optimise(spell_selected(program), passes), "optimised")
    if passes:
        moved = invariant(program)
        program = program if moved is program else checked(moved, "what all turns compute in front of loops")
        again = settled(program)
        program = program if again is program else checked(optimise(again, passes), "settled")
        again = gathered(program)
        program = program if again is program else checked(optimise(again, passes), "gathered")
        whole, program = program, read_items(program)
        fewer = program is not whole
        program, slots = read_slots(program)
        program = checked(optimise(program, DEAD) if slots or fewer else program, "without what nobody reads")
        saved = tuple(saved[k] for k in slots[program.entry]) if program.entry in slots else saved
    program = checked(lower_memory(name_cotangents(program, made.names)), "lowered")
    return (checked(late(outlines(program)), "late") if passes else program), saved


def checked(program: Program, stage: str) -> Program:
    """The program, verified where that is asked for."""
    if checking():
        verify_program(program, stage)
    return program


def verified(p: Pass) -> Pass:
    """The pass, with what it gives verified."""

    def run(block: Block, unit: Any) -> Block:
        new = p.run(block, unit)
        if new is not block:
            verify_block(new, tuple(free_vars(block)), f"after {p.name}")
        return new

    return replace(p, run=run)


@frozen(eq=False)
class Made:
    program: Program
    result: Type
    cells: tuple[int, ...]
    saved: tuple[tuple[Var, Type], ...] = ()
    followed: Mapping[Any, Sequence[Place | None]] = field(default_factory=dict[Any, Any])
    """The functions whose source went in (nested ones as IR), and where they are called."""
    names: Mapping[Var, str] = field(default_factory=dict[Var, str])
    """Names for cotangents that the rules made without one."""
    after: After = field(default_factory=After)
    by_cells: tuple[int, ...] = ()
    writes: bool = False
    inplace: tuple[int, ...] = ()


def specialise(fun: Any, request: Request, types: tuple[Type, ...], kwtypes: tuple[tuple[str, Type], ...] = ()) -> Made:
    """The typed program of a request, not yet optimised."""
    alternatives: set[Any] = set()
    try:
        return specialised(fun, request, types, kwtypes, alternatives, frozenset())
    except AdcompileError as error:
        if not alternatives and not isinstance(error, (NotDifferentiable, Unsupported)):
            raise
        first = error
    keyed: set[Any] = set()
    while alternatives > keyed:  # what comes after the place of the error has others, perhaps
        keyed |= alternatives
        try:
            return specialised(fun, request, types, kwtypes, alternatives, frozenset(keyed))
        except AdcompileError:
            continue
    for contents, pools in (({}, None), ({}, Pools())):
        try:
            return specialised(fun, request, types, kwtypes, set(), frozenset(keyed), contents, pools)
        except AdcompileError:
            continue
    raise first  # it speaks of what is written


def specialised(
    fun: Any,
    request: Request,
    types: tuple[Type, ...],
    kwtypes: tuple[tuple[str, Type], ...],
    alternatives: set[Any],
    keyed: frozenset[Any],
    contents: dict[Any, Any] | None = None,
    pools: Pools | None = None,
) -> Made:
    """`keyed`: where dicts of unknown keys are made that are to be followed, and what is to be a real object;
    `alternatives` collects where that might help. `contents`: containers that are filled as the code runs are
    typed by what they hold (analysis/contents), in `pools` what of it carries derivatives (analysis/pools)."""
    separate: set[Any] = set()
    demoted: set[Any] = {again.place for again in keyed if isinstance(again, AsObject)}
    while True:
        context = new_context()
        install(context, Watched() if settings.current.debug else None)
        context.separate, context.demoted, context.alternatives, context.keyed = separate, demoted, alternatives, keyed
        context.contents, context.pools = contents, pools
        try:
            return Entry(context, fun, request).build(types, kwtypes)
        except Restart:
            continue  # with what the context has learned
        except AdcompileError as error:
            raise in_users_code(error, context.followed) from None


SUFFIX = {"primal": "", "forward": "_jvp", "batch": "_jvp", "joint": "_grad", "split": "_vjp"}


class Entry:
    """The entry function of a program."""

    def __init__(self, context: Context, fun: Any, request: Request) -> None:
        self.context, self.fun, self.request = context, fun, request
        self.b = Builder(context)
        self.function = plain(fun)
        name = getattr(self.function, "__name__", "f")
        self.name = ("f" if name == "<lambda>" else name) + SUFFIX[request.kind]
        self.params: list[Var] = []
        self.result: Type = Known(None)
        self.after = After()
        self.by_cells: dict[int, Atom] = {}

    def build(self, types: tuple[Type, ...], kwtypes: tuple[tuple[str, Type], ...]) -> Made:
        args = [self.param(n, t) for n, t in zip(self.names(len(types)), types)]
        kwargs = [(n, self.param(n, t)) for n, t in kwtypes]
        cells = self.cells()
        open_slots(self.b)
        saved: tuple[tuple[Var, Type], ...] = ()
        ref = FunctionRef(self.name)
        self.context.regions = self.request.kind in ("joint", "split") and not settings.current.debug
        try:
            if self.request.kind == "split":
                value, saved = self.split(ref, args, kwargs)
            else:
                value = self.whole(args, kwargs)
            end: End = Return(value)
        except Terminated as stop:
            end = stop.end
        body = self.b.block((), end)
        self.context.functions[ref] = Function(self.name, tuple(self.params), (), body, Signature())
        integrals.made_real(self.context)
        guard_kinds(self.context)
        check_escapes(self.context, self.context.functions.values())
        program = Program(
            ref, reachable(ref, self.context.functions), self.context.types, tuple(self.context.guards.values())
        )
        context, by_cells = self.context, tuple(self.by_cells)
        writes = context.entered or bool(context.written)
        inplace = tuple(i for i, p in enumerate(self.params) if p in context.inplace)
        about = (saved, context.followed, context.names, self.after, by_cells, writes, inplace)
        return Made(program, self.result, cells, *about)

    def names(self, count: int) -> list[str]:
        try:
            names = [p.name for p in inspect.signature(self.function).parameters.values() if p.kind in (0, 1)]
        except (TypeError, ValueError):
            names = []
        return [names[i] if i < len(names) else f"x{i}" for i in range(count)]

    def param(self, name: str, t: Type) -> Atom:
        var = self.b.new(name, t)
        self.params.append(var)
        return Const(t.value) if isinstance(t, Known) else var

    def cells(self) -> tuple[int, ...]:
        """Data captured by the function comes in as parameters behind the arguments."""
        out: list[int] = []
        for i, cell in enumerate(getattr(self.function, "__closure__", None) or ()):
            try:
                contents = cell.cell_contents
            except ValueError:
                continue
            t = type_of(contents, objects=True)
            if not isinstance(t, Known):
                var = self.param(self.function.__code__.co_freevars[i], t)
                assert isinstance(var, Var)
                self.context.example[var] = contents
                value = independent(self.b, var) if self.request.closure else var
                if leaves(self.b, value) and self.request.closure:
                    self.by_cells[i] = value
                self.context.cells[id(cell)] = adopt(self.b, value, var, ("cell", i), var.name)
                out.append(i)
        return tuple(out)

    # -- the kinds --------------------------------------------------------------------------

    def whole(self, args: list[Atom], kwargs: list[tuple[str, Atom]]) -> Atom:
        b, request = self.b, self.request
        fun = Const(self.fun)
        if request.kind == "primal":
            self.context.outermost = True
            given = [*args, *(v for _, v in kwargs)]
            called = dispatched(b, fun, given, kwargs, given, entry=True)
            write_back(b, called.pending)
            self.result = b.type(called.value)
            return called.value
        if request.kind in ("forward", "batch"):
            many = request.kind == "batch"
            dots: list[tuple[int, Atom]] = []
            for i in request.argnums:
                x = [*args, *(v for _, v in kwargs)][i]
                t = given_type(b.type(x)) if many else b.type(x)
                dots.append((i, self.param(f"{getattr(x, 'name', 'x')}_dot", t)))
            if many:
                value, dot = pushforward_batch(b, fun, args, kwargs, dots, request.has_aux)
                self.result = b.type(value)
                return b.build_tuple(value, dot)
            pair = pushed(b, fun, args, kwargs, dots, request.has_aux, True, request.mutated)
            value, dot, self.after, after_dots = pair
            self.result = b.type(value)
            return b.build_tuple(value, dot, *([b.build_tuple(*after_dots)] if request.mutated else []))
        by_cells, self.context.budget = list(self.by_cells.values()), request.budget
        value, aux, grads = gradient(
            b, fun, args, kwargs, request.argnums, request.has_aux, True, by_cells, request.restore
        )
        self.result = b.type(value)
        out = grads[0] if request.bare else b.build_tuple(*grads)
        if aux is not None:
            return b.build_tuple(b.build_tuple(value, aux), out) if request.value else b.build_tuple(out, aux)
        return b.build_tuple(value, out) if request.value else out

    def split(
        self, ref: FunctionRef, args: list[Atom], kwargs: list[tuple[str, Atom]]
    ) -> tuple[Atom, tuple[tuple[Var, Type], ...]]:
        b, request = self.b, self.request
        given = [*args, *(v for _, v in kwargs)]
        values = list(given)
        for i in request.argnums:
            values[i] = independent(b, values[i])
        start = len(b.statements)
        called = dispatched(b, Const(self.fun), values, kwargs, given, entry=True)
        check_pair(b.type(called.value), self.fun, None, request.has_aux)
        returned = handed_out(b, called.result, called.value, request.has_aux, request.restore)
        if request.mutated:
            self.after = after(b, b.statements[start:], values, called.cells)
        target = without_functions(b, called.differentiated(b, request.has_aux))
        left = [without_functions(b, v) for v in self.after.values]
        whole = b.build_tuple(target, *left) if self.after.at else target
        statements = b.statements[start:]
        del b.statements[start:]
        wrt = [leaf for i in request.argnums for leaf in leaves(b, values[i])]

        def finish(adjoint: Builder, table: Any) -> Atom:
            made: set[Atom] = set()
            if request.restore:
                write_back(adjoint, called.before)
            return adjoint.build_tuple(*(finished(adjoint, table, values[i], made) for i in request.argnums))

        self.context.rerun = "again"  # nothing differentiates this sweep, and its pullback may be called again
        derived = Separate(self.context)
        halves = split_body(self.context, derived, statements, whole, wrt, finish, returned, request.restore)
        b.statements.extend(halves.forward)
        self.result = b.type(halves.results[0])
        write_back(b, called.pending)
        pullback = FunctionRef(f"{self.name}_pullback", ref)
        self.context.functions[pullback] = Function(
            pullback.name, (halves.store, halves.seed), (), halves.pullback, Signature()
        )
        kept = b.build_tuple(*halves.kept)
        return b.build_tuple(*halves.results, kept), tuple((v, self.context.types[v]) for v in halves.kept)


def reachable(entry: FunctionRef, functions: dict[FunctionRef, Function]) -> dict[FunctionRef, Function]:
    """The entry and what it calls, callees first; a pullback belongs to its forward function."""
    out: dict[FunctionRef, Function] = {}
    seen: set[FunctionRef] = set()

    def visit(ref: FunctionRef) -> None:
        if ref in seen:
            return
        seen.add(ref)
        for s in statements_of(functions[ref].body):
            for a in atoms_of(s):
                if isinstance(a, Const) and isinstance(a.value, FunctionRef):
                    visit(a.value)
        out[ref] = functions[ref]

    visit(entry)
    for ref in functions:
        if ref.name == f"{entry.name}_pullback":
            visit(ref)
    return out


compiler_is_there(nested)

__all__ = ["STAGES", "AdcompileError", "Derived", "Kind", "Request", "derive", "specialise"]
