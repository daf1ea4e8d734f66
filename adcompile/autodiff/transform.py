"""The transforms as calls: run a function into the builder, then add its derivative's code.

A derivative is always taken of IR in place: the function is inlined where the derivative is
called, its arguments under fresh names (so that a value captured from outside is a constant of
the inner derivative), and what the transform adds is ordinary IR, which an outer transform
differentiates like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alone import renew
from adcompile.analysis.builder import Builder, is_structured, parts, rank
from adcompile.analysis.heap import Pairs, adopt, give, hand_back, is_mutable, reached, settle
from adcompile.analysis.leaving import closing, write_back
from adcompile.analysis.owned import note_own_methods
from adcompile.analysis.pools import open_pools
from adcompile.analysis.store import State
from adcompile.analysis.ways import WrittenWithin, live_objects, mutable_parts, paired
from adcompile.autodiff.after import After, after
from adcompile.autodiff.checkpointed import share
from adcompile.autodiff.cotangents import Cotangents, tangent_structure, zero
from adcompile.autodiff.facts import facts
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.held import Root, substituted
from adcompile.autodiff.memoised import check_memoised
from adcompile.autodiff.reference import buffers_in
from adcompile.autodiff.reverse import Sweep
from adcompile.autodiff.scalar import check_pair, check_scalar, seed_of, seed_one
from adcompile.autodiff.separate import Derived
from adcompile.autodiff.state import Results, detached, enter, handed_out
from adcompile.autodiff.unbound import readable_zeros
from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.abstract import crosses
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var, Yield
from adcompile.ir.types import (
    Array,
    Cell,
    Instance,
    Known,
    ObjectT,
    Ref,
    Scalar,
    Type,
    Unknown,
    differentiable,
    is_complex,
)
from adcompile.ir.walk import statements_of
from adcompile.runtime import state as run_time

NONE: Mapping[Root, Atom] = {}


def independent(b: Builder, value: Atom) -> Atom:
    """A fresh name for an argument (leaf by leaf), to differentiate by."""
    t = b.type(value)
    if is_structured(t):
        return b.build(t, [independent(b, item) for item in b.items(value)])
    if not crosses(t):
        return value
    if isinstance(t, Known):
        t = Scalar(frozenset({type(t.value)}))
    var = b.emit(ops.identity, (value,), t, (), getattr(value, "name", "x"))
    if isinstance(value, Var):
        b.context.shape[var] = b.context.shape.get(value, value)
    return var


def leaves(b: Builder, value: Atom) -> list[Var]:
    """The differentiable leaves of an argument made by `independent`."""
    if is_structured(b.type(value)):
        return [leaf for item in b.items(value) for leaf in leaves(b, item)]
    return [value] if isinstance(value, Var) and crosses(b.type(value)) else []


def cut(b: Builder, start: int) -> list[Statement]:
    """Take the statements emitted since `start` off the builder."""
    taken = b.statements[start:]
    del b.statements[start:]
    return taken


def reverse_of(
    b: Builder,
    start: int,
    inputs: Sequence[Var],
    seeds: Sequence[tuple[Atom, Atom]],
    cot: Cotangents | None = None,
    results: Results | None = None,
    restore: bool = True,
) -> Cotangents:
    """Differentiate what was emitted since `start`: its forward form replaces it, the adjoints
    follow, and the table of cotangents is returned. `table.results` are `results`, apart from
    memory that is put back at the end (where it is to be: `restore`)."""
    statements = cut(b, start)
    activity, memory = facts(b, statements, inputs, [out for out, _ in seeds])
    state = enter(b, statements, activity, memory, inputs, "adjoint", restore)
    statements = state.statements
    adjoint = b.child()
    adjoint.role = "adjoint"
    inner: set[Var] = {r for s in statements_of(Block((), tuple(statements), Yield())) for r in results_of(s)}
    table = Cotangents(adjoint, cot, owned=cot.owned if cot else set(), defined=inner | set(inputs))
    table.shadow.update(state.shadow)
    table.owned |= state.alone
    sweep = Sweep(adjoint, activity, Derived(b.context))
    for out, seed in seeds:
        if sweep.active(out) or is_structured(b.type(out)):
            table.add(out, seed)
    forward, backward = readable_zeros(b.context, sweep.statements(statements, table), adjoint.statements)
    b.statements.extend(forward)
    table.results = [] if results is None else detached(b, results(b, state), state)
    b.statements.extend(backward)
    b.local |= adjoint.local
    state.restore(b)
    table.builder = b
    return table


def results_of(s: Statement) -> tuple[Var, ...]:
    return (s.result,) if isinstance(s, Call) else s.results


def dispatched(
    b: Builder,
    fun: Atom,
    values: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    given: Sequence[Atom],
    entry: bool = False,
) -> Called:
    """Call `fun` with these values, of which the last are those of `kwargs`. `given` are the values
    as the caller has them, at the `entry` of the program. Lists, dicts and objects among the values
    are the function's own: what it writes into them, the caller gets at the end."""
    count = len(values) - len(kwargs)
    names = [getattr(v, "name", "") for v in given]
    cells = [adopt(b, v, g if entry else None, (i,), n) for i, (v, g, n) in enumerate(zip(values, given, names))]
    for cell in cells:
        note_own_methods(b, cell)
    pairs = [] if entry else [pair for g, c in zip(given, cells) for pair in paired(b, g, c)]
    before = b.context.store.mark()
    open_pools(b, entry)
    regions, b.context.regions = b.context.regions, entry and b.context.regions
    theirs = [] if entry else [(b.context.received.get(g, g), c) for g, c in zip(given, cells)]  # type: ignore[call-overload]
    b.context.adopted.append((before, [pair for g, c in theirs for pair in paired(b, g, c)]))
    role, b.role, start = b.role, "primal", len(b.statements)  # also where a pass of a Jacobian calls it once more
    result = b.dispatch(fun, cells[:count], [(k, v) for (k, _), v in zip(kwargs, cells[count:])])
    renew(b, start, [result, *(state.content for state in b.context.store.states.values())])
    b.role = role
    b.context.adopted.pop()
    b.context.regions = regions
    check_memoised(b)
    if entry:
        return Called(result, *closing(b, result, given), cells=cells)
    inner = set(reached(b, cells))
    classes = {c.cls for c, s in b.context.store.changed(before).items() if s is not None and c in inner}
    b.context.demoted.update(map(WrittenWithin, classes))
    changed, apart = bool(classes), [part for g in given for part in mutable_parts(b, g)]
    apart += live_objects(b, classes, set()) if apart else []  # a default may be one of these
    if changed and len(apart) > 1:
        b.emit(run_time.different, apart, Known(None))
    value = settle(b, result)
    if is_mutable(b.type(value)):
        for g in given:
            give(b, g)
    around = {c: s for c, s in b.context.store.changed(before).items() if s is not None and c not in inner}
    written = [p for p in pairs if p[0] in b.context.store.changed(before)]
    return Called(result, value, (), (), changed, around, (), written)


@frozen
class Called:
    """What a function that is to be differentiated gave, as it gave it and as a value, in which the
    caller's lists, dicts and objects are themselves; what these hold by then and held before, and
    whether it has written into any."""

    result: Atom
    value: Atom
    pending: Sequence[tuple[Cell, Atom]]
    before: Sequence[tuple[Cell, Atom]] = ()
    changed: bool = False
    around: Mapping[Cell, State] = field(default_factory=dict[Cell, State])
    cells: Sequence[Atom] = ()  # the arguments as the function saw them
    written: Pairs = field(default_factory=Pairs)  # its own lists, dicts and objects that it has written into

    def differentiated(self, b: Builder, has_aux: bool) -> Atom:
        """The result without what is beside it, made of the values that the function computed with,
        whoever has the lists, dicts and objects that hold them."""
        return settle(b, b.items(self.result)[0] if has_aux else self.result)

    def put_back(self, b: Builder) -> None:
        """After a pullback, what the function has captured holds again what it held before."""
        for cell, state in self.around.items():
            b.context.store.put(cell, replace(b.context.store.states[cell], content=state.content))


def taken(b: Builder, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]) -> tuple[list[Atom], list[Atom]]:
    """The arguments of a call as they are, and as values."""
    given = [*args, *(v for _, v in kwargs)]
    return given, [settle(b, v) for v in given]


def conjugated(b: Builder, g: Atom) -> Atom:
    """A cotangent as users see it: the conjugate, where it is complex."""
    t = b.type(g)
    if is_structured(t):
        return b.build(t, [conjugated(b, item) for item in b.items(g)])
    if not is_complex(t) or isinstance(t, Unknown):
        return g
    return b.call(complex.conjugate if t == Scalar(frozenset({complex})) else np.conjugate, g)


# -- gradients ----------------------------------------------------------------------------------


def gradient(
    b: Builder,
    fun: Atom,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    argnums: Sequence[int],
    has_aux: bool,
    entry: bool = False,
    captured: Sequence[Atom] = (),
    restore: bool = True,
) -> tuple[Atom, Atom | None, list[Atom]]:
    """(value, aux, gradients) of a call: the joint emission, forward and reverse in one body.

    `argnums` count the positional arguments, then those by keyword. Behind their gradients come
    those of `captured`. Without `restore` what is written stays as the function leaves it.
    """
    given, values = taken(b, args, kwargs)
    for i in argnums:
        values[i] = independent(b, values[i])
    start = len(b.statements)
    called = dispatched(b, fun, values, kwargs, given, entry)
    check_pair(b.type(called.value), fun, b.place, has_aux)
    results = handed_out(b, called.result, called.value, has_aux, restore and entry)
    called.put_back(b)
    value = b.items(called.value)[0] if has_aux else called.value
    check_scalar(b.type(value), getattr(fun, "value", fun), b.place)
    by = [*(values[i] for i in argnums), *captured]
    inputs = [leaf for v in dict.fromkeys(by) for leaf in leaves(b, v)]
    role, b.role = b.role, "adjoint"
    if entry:  # nothing differentiates this sweep
        b.context.rerun, b.context.budget = "once", share(b.context.budget, b.statements[start:])
    seed = seed_of(b, fun, value)
    table = reverse_of(b, start, inputs, [(value, seed)], None, results, restore)
    value, aux = table.results if has_aux else (table.results[0], None)
    made: set[Atom] = set()
    grads = [finished(b, table, v, made) for v in by]
    b.role = role
    if not restore:
        write_back(b, called.pending)
    return value, aux, grads


def ones_like(b: Builder, value: Atom) -> Atom:
    """A tangent of a result with ones in all its leaves."""
    t = b.type(value)
    if is_structured(t):
        return b.build(t, [ones_like(b, item) for item in b.items(value)])
    return seed_one(b, value) if differentiable(t) else Const(None)


def finished(b: Builder, table: Cotangents, value: Atom, made: set[Atom]) -> Atom:
    """The cotangent of an argument in its own structure, type and memory."""
    t = b.type(value)
    if is_structured(t):
        return b.build(t, [finished(b, table, item, made) for item in b.items(value)])
    if not isinstance(value, Var) or not crosses(t):
        return Const(None)
    g = table.get(value)
    if g is None:
        g = zero(b, value)
        if isinstance(t, Scalar):
            return project(b, g, value, t)
        return g
    return project(b, g, value, t, made, table)


def project(
    b: Builder, g: Atom, value: Var, t: Type, made: set[Atom] | None = None, table: Cotangents | None = None
) -> Atom:
    """`g` in the class, dtype and shape of `value`; arrays writable and shared with nothing."""
    gt = b.type(g)
    if isinstance(t, Scalar):
        if t.kinds == frozenset({float}):
            if isinstance(gt, Scalar) and gt.kinds == frozenset({float}):
                return g
            if isinstance(g, Const):
                return Const(float(g.value))
            return b.emit(float, (g,), t)
        return b.emit(rt.like, (g, value), t)
    if isinstance(t, Array):
        once = made is not None and g not in made  # else of an argument that is asked for twice
        fresh = once and isinstance(g, Var) and is_fresh(b, g, table)
        made = {g} if made is None else made
        made.add(g)
        if fresh and isinstance(gt, Array) and gt.dtype == t.dtype and rank(gt) == rank(t) is not None:
            return g
        shadow = once and table is not None and g in table.shadow.values()
        if shadow and isinstance(gt, Array) and gt.dtype == t.dtype:
            return b.context.boundary.handed(b, g, t)
        return b.emit(rt.own, (g, value), t)
    return b.emit(rt.own, (g, value), t)


FRESH = {"add", "sub", "mul", "truediv", "pow", "neg", "matmul", "zeros_like", "index_add", "copy", "accumulate"}


def is_fresh(b: Builder, g: Var, table: Cotangents | None) -> bool:
    """Whether the array was allocated by the adjoint code itself (not a view, not an argument)."""
    if table is not None and g in table.owned:
        return True
    call = b.context.definition.get(g)
    if call is None or call.role != "adjoint" or not isinstance(call.fn, Const):
        return False
    fn = call.fn.value
    return isinstance(fn, np.ufunc) or getattr(fn, "__name__", "") in FRESH


def pull_back(
    b: Builder,
    fun: Atom,
    args: Sequence[Atom],
    seed: Atom | None,
    kwargs: Sequence[tuple[str, Atom]] = (),
    has_aux: bool = False,
    wrt: Sequence[int] | None = None,
    instead: Mapping[Root, Atom] = NONE,
) -> list[Atom]:
    """The cotangents of all arguments of a call (of those in `wrt`) for a cotangent of its result, by
    default ones. `instead` of arrays that it reaches by itself it reads these."""
    given, values = taken(b, args, kwargs)
    for i in range(len(values)) if wrt is None else wrt:
        values[i] = independent(b, values[i])
    start = len(b.statements)
    called = dispatched(b, fun, values, kwargs, given)
    substituted(b, start, instead)
    result = called.value
    called.put_back(b)
    check_pair(b.type(result), fun, b.place, has_aux)
    result = b.items(result)[0] if has_aux else result
    seed = ones_like(b, result) if seed is None else seed
    chosen = values if wrt is None else [values[i] for i in dict.fromkeys(wrt)]
    inputs = [leaf for v in chosen for leaf in leaves(b, v)]
    role, b.role = b.role, "adjoint"
    table = reverse_of(b, start, inputs, [(result, seed)])
    made: set[Atom] = set()
    grads = [finished(b, table, v, made) if wrt is None or i in wrt else Const(None) for i, v in enumerate(values)]
    b.role = role
    return grads


# -- forward ------------------------------------------------------------------------------------


def pushforward(
    b: Builder,
    fun: Atom,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    tangents: Sequence[tuple[int, Atom]],
    has_aux: bool = False,
    restore: bool = False,
    instead: Mapping[Root, Atom] = NONE,
) -> tuple[Atom, Atom]:
    """(value, tangent) of a call along the given tangents of some arguments, counted as in `gradient`.
    With `restore` the function's lists, dicts and objects hold afterwards what they held before. `instead`
    of arrays that it reaches by itself it reads these."""
    return pushed(b, fun, args, kwargs, tangents, has_aux, restore=restore, instead=instead)[:2]


def pushed(
    b: Builder,
    fun: Atom,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    tangents: Sequence[tuple[int, Atom]],
    has_aux: bool = False,
    entry: bool = False,
    mutated: bool = False,
    restore: bool = False,
    instead: Mapping[Root, Atom] = NONE,
) -> tuple[Atom, Atom, After, list[Atom]]:
    """(value, tangent) of a call, and if they are asked for (`mutated`) its arguments as it leaves
    them, with their tangents."""
    given, values = taken(b, args, kwargs)
    for i, _ in tangents:
        values[i] = independent(b, values[i])
    dots: dict[Var, Atom] = {}
    for i, dot in tangents:
        pair_leaves(b, values[i], dot, dots)
    start = len(b.statements)
    called = dispatched(b, fun, values, kwargs, given, entry)
    check_pair(b.type(called.value), fun, b.place, has_aux)
    substituted(b, start, instead)
    if restore:
        called.put_back(b)
    else:
        hand_back(b, called.written, b.place)
    result = called.value
    left = after(b, b.statements[start:], values, called.cells) if mutated else After()
    target = called.differentiated(b, has_aux)
    statements = cut(b, start)
    forward = forward_of(b, statements, dots, [target, *left.values], entry)
    dot = tangent_of(b, forward, target)
    after_dots = [tangent_of(b, forward, v) for v in left.values]
    write_back(b, called.pending)
    return result, dot, left, after_dots


def forward_of(
    b: Builder, statements: Sequence[Statement], dots: dict[Var, Atom], targets: Sequence[Atom], entry: bool = False
) -> Forward:
    """Emit statements, each followed by its tangent, for these tangents of what they read."""
    activity, memory = facts(b, statements, list(dots), targets, backwards=False)
    state = enter(b, statements, activity, memory, list(dots), "tangent")
    b.context.entered |= entry and bool(memory.written and memory.entered)
    outer = b.role
    forward = Forward(b, activity, Derived(b.context), state.mirror)
    forward.dots.update(dots)
    state.add_tangents(b, forward.dots)
    forward.buffers = buffers_in(statements)
    forward.statements(statements)
    b.role = outer
    return forward


def pair_leaves(b: Builder, value: Atom, dot: Atom, out: dict[Var, Atom]) -> None:
    """Match the leaves of an argument with those of its tangent."""
    if isinstance(dot, Const) and dot.value is None or not crosses(b.type(value)):  # None, whatever it is
        return
    if is_structured(b.type(value)):
        if not is_structured(b.type(dot)) and not b.known(dot) and not isinstance(b.type(dot), (Ref, Instance)):
            raise unknown_tangent(b)
        for item, d in zip(b.items(value), parts_of_tangent(b, b.type(value), dot)):
            pair_leaves(b, item, d, out)
    elif isinstance(value, Var):
        out[value] = dot


def unknown_tangent(b: Builder) -> Unsupported:
    return Unsupported(
        "a tangent whose structure is not known when the derivative is made",
        b.place,
        "make the tangent in the function itself, or pass it as an argument",
    )


def parts_of_tangent(b: Builder, t: Type, dot: Atom) -> list[Atom]:
    """The tangents of the parts of a value of type `t`: of an object that is not followed, its attributes."""
    if not isinstance(b.type(dot), Instance):
        items = b.items(dot)
        if len(items) != len(parts(t)) or isinstance(b.type(dot), ObjectT) and not isinstance(t, ObjectT):
            raise Unsupported("a tangent of another structure than its argument", b.place, "give it the same structure")
        return items
    if not isinstance(t, ObjectT):
        raise unknown_tangent(b)
    out: list[Atom] = []
    for name, part in zip(t.names, t.types):
        known = differentiable(part)
        out.append(b.emit(getattr, (dot, Const(name)), tangent_structure(part)) if known else Const(None))
    return out


def tangent_of(b: Builder, forward: Forward, value: Atom) -> Atom:
    """The tangent of a result in its structure; zeros where nothing active reaches it."""
    t = b.type(value)
    if is_structured(t):
        items = b.items(value)
        whole = forward.dot(value)
        if whole is not None:  # of a call that gave the whole structure
            for item, dot in zip(items, b.items(whole)):
                if isinstance(item, Var) and not (isinstance(dot, Const) and dot.value is None):
                    forward.dots.setdefault(item, dot)
        return b.build(t, [tangent_of(b, forward, item) for item in items])
    if not differentiable(t):
        return Const(None)
    dot = forward.dot(value)
    role, b.role = b.role, "tangent"
    if dot is None:
        dot = zero(b, value) if isinstance(value, Var) else Const(rt.zeros_like(value.value))
        if not isinstance(value, Var):
            b.role = role
            return dot
    assert isinstance(value, Var)
    made = project(b, dot, value, t)
    b.role = role
    return made
