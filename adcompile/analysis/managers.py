"""`with` around code that is followed: a loop over the one value that a manager gives.

What is done at the end is done on each way out of the block. Where the code inside raises, generated code leaves that
out: nobody may see what it does then, and it has to let the exception through (`check_silent`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import FunctionType

import numpy as np

from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.calls import handles
from adcompile.analysis.heap import look, reached
from adcompile.analysis.laziness import View, given
from adcompile.analysis.made import may_run_twice
from adcompile.analysis.operators import class_named, method_call
from adcompile.analysis.optional import narrowed
from adcompile.analysis.store import behind
from adcompile.analysis.structure import Args, Kwargs
from adcompile.analysis.terminated import Terminated
from adcompile.analysis.yielding import GENERATOR, Run, run_of
from adcompile.errors import Place, Unsupported, spot
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Raise, Statement
from adcompile.ir.types import UNKNOWN, Cell, DictT, Instance, IterT, Known, ObjectT, TupleT
from adcompile.ir.walk import all_blocks, blocks_of
from adcompile.runtime.objects import stated

QUIET = ("ignore", "warn", "print")
"""What NumPy may do about a division by zero, and go on."""
MANAGER = "manager"
REMEDY = "move it out of the differentiated code"
Leave = Callable[[Builder, Sequence[Atom]], Atom]
"""What `__exit__` does, given what it is told of an exception."""


@handles(ops.managed, look=())
def managed(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """What a `with` goes once through; what is not followed runs as written, if no derivatives pass through it."""
    fn, *rest = args
    if isinstance(fn, Const) and fn.value is np.errstate:
        run = quietly(b, kwargs, place)
    else:
        direct = isinstance(fn, Const) and fn.value is ops.identity
        run = run_of_manager(b, rest[0] if direct else b.dispatch(fn, rest, kwargs, "manager", place), place)
    about = (Const("with"), Const(spot(place)))
    return given(b, b.emit(ops.generator, about, IterT("with", ()), (), name, place), View(run=run), (), lasting=False)


def refused(place: Place | None, why: str = "its manager is not written in Python, or not known") -> Unsupported:
    return Unsupported(why, place, REMEDY)


# -- np.errstate --------------------------------------------------------------------------------


def quietly(b: Builder, kwargs: Kwargs, place: Place | None) -> Run:
    """`with np.errstate(...)`, which stands around the derivative too."""
    kinds = [(k, b.type(a)) for k, a in kwargs]
    settings = [(k, Const(t.value)) for k, t in kinds if isinstance(t, Known) and t.value in QUIET]
    if len(settings) < len(kinds):
        raise refused(place)

    def run(c: Builder, each: Atom) -> None:
        entered = enter(c, [Const(np.errstate)], settings, place, "managed")
        c.dispatch(each, [Const(None)], [], "", place)
        leave(c, [entered], (), place, "")

    return run


@handles(ops.enter)
def enter(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.emit(ops.enter, args, Instance(np.errstate), kwargs, name, place)


@handles(ops.leave)
def leave(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.emit(ops.leave, args, Known(None), (), "", place)


# -- managers written in Python -----------------------------------------------------------------


@handles(contextlib._GeneratorContextManager, look=(0, 1, 2))  # pyright: ignore[reportPrivateUsage]
def made_of_generator(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """What a function gives under `@contextlib.contextmanager`: its generator, which no loop goes through."""
    types = [b.type(a) for a in args]
    if len(args) != 3 or not isinstance(types[1], TupleT) or not isinstance(types[2], DictT):
        return None
    named = list(zip(map(str, types[2].keys), b.items(args[2])))
    generator = b.dispatch(args[0], list(b.items(args[1])), named, name, place)
    run = run_of(b, generator)
    if run is None or b.type(generator).kind != GENERATOR:  # type: ignore[union-attr]
        return None
    made = b.context.definition[generator]  # type: ignore[index]
    return given(b, b.emit(ops.generator, made.args, IterT(MANAGER, ()), (), name, place), View(run=run), (), False)


def run_of_manager(b: Builder, manager: Atom, place: Place | None) -> Run:
    t, cls = b.type(manager), class_named(b, manager)
    if isinstance(t, IterT) and t.kind == MANAGER:
        generator = run_of(b, manager)
        assert generator is not None
        return once(generator, place)
    methods = [None if cls is None else stated(cls, name) for name in ("__enter__", "__exit__")]
    if not all(isinstance(m, FunctionType) for m in methods):
        raise refused(place)

    def at_end(c: Builder, raised: Sequence[Atom]) -> Atom:
        return method_call(c, manager, "__exit__", raised, place)

    def run(c: Builder, each: Atom) -> None:
        value = method_call(c, manager, "__enter__", [], place)
        store = c.context.store
        read, puts = check_silent(c, at_end, place)
        store.unwound += puts
        try:
            with store.noted() as put:
                c.dispatch(each, [value], [], "", place)
        finally:
            store.unwound -= puts
        looked = put & (read | check_silent(c, at_end, place)[0])
        if looked:
            check_silent(c, at_end, place, looked)
        at_end(c, [Const(None)] * 3)

    return run


def once(run: Run, place: Place | None) -> Run:
    """The same for a generator that gives one item whatever happens, and goes on behind it."""

    def run_once(b: Builder, each: Atom) -> None:
        given: list[Builder] = []

        def body(c: Builder, item: Atom) -> Atom:
            given.append(c)
            if len(given) > 1 or c is not b:
                raise refused(place, "its generator may yield more than once, or not at all")
            return c.dispatch(each, [item], [], "", place)

        run(b, Const(Lifted(body)))
        if not given:
            raise refused(place, "its generator does not yield")

    return run_once


# -- where the code inside raises ---------------------------------------------------------------


@handles(ops.silent, look=())
def silent(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """`finally` around `yield`, of a generator."""
    found = check_silent(b, lambda c, _: c.dispatch(args[0], [], [], "", place), place, reached(b, args))
    b.context.store.unwound += found[1]  # until the generator ends
    return Const(None)


@handles(ops.cut_short)
def cut_short(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    raise Unsupported(
        "a generator that is left inside of its with or try, and closed nobody knows when", place,
        "go on to its last item",
    )  # fmt: skip


def check_silent(
    b: Builder, at_end: Leave, place: Place | None, unknown: Collection[Cell] = ()
) -> tuple[set[Cell], bool]:
    """Refuse what may be seen of what is done where the code inside raises, and what may swallow the exception,
    whatever is held by those `unknown`. Gives the lists, dicts and objects that it looks at, and whether it writes
    into any that the caller has: they are then as they were before the call (analysis/leaving)."""
    c, gone, depth, count = b.child(), set(b.context.gone), len(b.context.calls), b.context.store.count
    theirs = {*b.context.outside, *b.context.assigned}
    raised = [c.new(name, UNKNOWN, place) for name in ("kind", "error", "traceback")]
    try:
        with b.context.store.on_trial() as put, narrowed(c, {}):
            for cell in unknown:
                forget(c, cell)
            result = look(c, at_end(c, raised))
            through = c.known(result) and not c.value(result)
            silent = may_run_twice(c, c.statements) and not any(map(may_raise, c.statements))
            writes = any(not theirs.isdisjoint((cell, *behind(cell))) for cell in put)
    except Terminated:
        silent, through, writes = False, True, False
    finally:
        b.context.gone = gone
        del b.context.calls[depth:]
    if not through:
        raise refused(place, "it may swallow exceptions, since what __exit__ gives is not always false")
    if not silent:
        raise refused(place, "what it does at the end may be seen where the code inside raises")
    return b.context.store.read_since(count), writes


def may_raise(statement: Statement) -> bool:
    return any(isinstance(inner.end, Raise) for block in blocks_of(statement) for inner in all_blocks(block))


def forget(b: Builder, cell: Cell) -> None:
    """Nothing is known of what a cell holds, but which attributes an object has."""
    state = b.context.store.states[cell]
    t, name = b.type(state.content), cell.name or "held"
    content = b.new(name, UNKNOWN) if not isinstance(t, ObjectT) else b.build(t, [b.new(n, UNKNOWN) for n in t.names])
    b.context.store.put(cell, replace(state, content=content))
