"""Jacobians as code: a loop over the unit tangents of the arguments, or the unit cotangents of the result.

The function runs once, in front of the loop; its tangent or adjoint code is the loop's body. The
body collects a list of columns (or rows) for each leaf of the result and of the arguments, which
becomes one array behind the loop. All of it is ordinary IR, which an outer transform differentiates.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured, parts, rank
from adcompile.analysis.infer import branch_on
from adcompile.analysis.mutation import reference_of
from adcompile.analysis.store import State as Held
from adcompile.autodiff.batches import in_batches
from adcompile.autodiff.cotangents import Cotangents, tangent_type, zero
from adcompile.autodiff.facts import facts
from adcompile.autodiff.repeatable import check_same, varying
from adcompile.autodiff.reverse import Sweep
from adcompile.autodiff.scalar import check_pair, seed_one
from adcompile.autodiff.separate import Derived, add_seed
from adcompile.autodiff.state import MODULES, State, detached, save, take_down
from adcompile.autodiff.transform import (
    conjugated,
    cut,
    dispatched,
    finished,
    forward_of,
    independent,
    leaves,
    pull_back,
    pushforward,
    taken,
    tangent_of,
)
from adcompile.autodiff.unbound import bound_everywhere
from adcompile.autodiff.units import Pass, Splice, each, spent
from adcompile.errors import NotDifferentiable, Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import (
    Atom,
    Block,
    Call,
    Const,
    Statement,
    Var,
    Yield,
)
from adcompile.ir.types import (
    Array,
    Cell,
    DictT,
    ListT,
    ObjectT,
    Seq,
    TupleT,
    Type,
    Unknown,
    differentiable,
    is_complex,
)
from adcompile.ir.walk import free_vars, is_border, results_of, statements_of

CONTAINERS = (TupleT, ListT, DictT, ObjectT)

Entries = dict[tuple[int, int], Atom]
"""The blocks of a Jacobian by the numbers of the leaf of the result and the leaf of the arguments."""


@frozen(eq=False)
class Invocation:
    """What is called: `values` are the arguments by position and then those of `kwargs`."""

    fun: Atom
    values: Sequence[Atom]
    kwargs: Sequence[tuple[str, Atom]]
    argnums: Sequence[int]
    has_aux: bool
    around: Mapping[Cell, Held] = field(default_factory=dict[Cell, Held])  # what it has captured, writes into, and held

    def begin_again(self, b: Builder) -> None:
        """Before it is called again: let what it has captured hold what it held, in lists and dicts of its own."""
        for cell, held in self.around.items():
            content, t = held.content, b.type(held.content)
            if isinstance(t, Seq):
                what = f"the Jacobian of a function that changes {cell.name or 'a list'!r}, which it has captured"
                raise Unsupported(what, b.place, "pass the list as an argument")
            if is_structured(t):
                content = b.build(t, b.items(content))
            b.context.store.put(cell, replace(b.context.store.states[cell], content=content))

    @property
    def args(self) -> Sequence[Atom]:
        return self.values[: len(self.values) - len(self.kwargs)]

    @property
    def named(self) -> list[tuple[str, Atom]]:
        return [(k, v) for (k, _), v in zip(self.kwargs, self.values[len(self.args) :])]


@frozen(eq=False)
class Run:
    """A call as statements that stand in no block yet: the types and leaves of its arguments and result."""

    call: Invocation
    statements: Sequence[Statement]
    argument: Type
    inputs: Sequence[Var]
    result: Type
    results: Sequence[Atom]
    place: Place | None
    outermost: bool


def jacobian(
    b: Builder,
    mode: str,
    fun: Atom,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    argnums: Sequence[int],
    single: bool,
    has_aux: bool,
    place: Place | None,
    outermost: bool = False,
) -> tuple[Atom, Atom | None]:
    """(Jacobian, aux) of a call; `mode` is jacfwd, jacrev or jacobian. The code of an `outermost` one is not
    differentiated again, so that it may carry several tangents at once."""
    given, values = taken(b, args, kwargs)
    for i in dict.fromkeys(argnums):
        values[i] = independent(b, values[i])
    inputs = values[argnums[0]] if single else b.build_tuple(*(values[i] for i in argnums))
    start = len(b.statements)
    called = dispatched(b, fun, values, kwargs, given)
    called.put_back(b)
    result = called.value
    check_pair(b.type(result), fun, place, has_aux)
    value, aux = b.items(result)[:2] if has_aux else (result, None)
    results = _leaves(b, value)
    pools = () if b.context.pools is None else [a.value for a in b.context.pools.cells.values()]
    around = {cell: held for cell, held in called.around.items() if cell not in pools}
    call = Invocation(fun, values, kwargs, argnums, has_aux, around)
    statements = cut(b, start)
    run = Run(call, statements, b.type(inputs), leaves(b, inputs), b.type(value), results, place, outermost)
    _refuse_lists(b, run)
    forward = _is_forward(b, mode, run)
    columns, rows, done = _by_columns, _by_rows, False
    state = _written(b, run)
    if state is not None:
        what = "the Jacobian of a function that writes in place runs it for each row or column"
        check_same(b, run.statements, run.results, what, state.known_as)
        columns, rows, done = partial(_by_columns_again, state), partial(_by_rows_again, state), True
        b.statements.extend(run.statements)
        aux = None if aux is None else detached(b, [aux], state)[0]
        _put_back(b, state)
    if forward is not None:
        return (columns if forward else rows)(b, run, done), aux
    if not done:
        b.statements.extend(run.statements)
    more_rows = b.call(operator.gt, _size(b, run.results), _size(b, run.inputs))
    return branch_on(b, more_rows, lambda c: columns(c, run, True), lambda c: rows(c, run, True), "jacobian"), aux


def _written(b: Builder, run: Run) -> State | None:
    """Copies of the arrays that the function is given, or that outlive it, and that it writes into; None
    where it writes into no memory at all."""
    _, memory = facts(b, run.statements, run.inputs, run.results, backwards=False)
    if not memory.written and not memory.making:
        return None
    if any(isinstance(n, Var) and isinstance(b.type(n), Unknown) for n in memory.entered):
        raise Unsupported(
            "the Jacobian of a function that writes into something it is given, of which only the run time knows what",
            run.place,
            "pass arrays, or write into copies",
        )
    state = State([], memory=memory)
    role, b.role = b.role, "adjoint"
    save(b, memory, state)
    state.outlive += take_down(b, memory, state, MODULES)
    b.role = role
    return state


def _put_back(b: Builder, state: State) -> None:
    role, b.role = b.role, "adjoint"
    state.restore(b)
    b.role = role


def _leaves(b: Builder, value: Atom) -> list[Atom]:
    """The leaves of a result that have tangents; literals among them."""
    t = b.type(value)
    if isinstance(t, CONTAINERS):
        return [leaf for item in b.items(value) for leaf in _leaves(b, item)]
    return [value] if differentiable(t) else []


def _refuse_lists(b: Builder, run: Run) -> None:
    for leaf in (*run.inputs, *run.results):
        if isinstance(b.type(leaf), Seq):
            raise Unsupported(
                f"the Jacobian of a list whose length is not known when compiling ({getattr(leaf, 'name', 'list')!r})",
                run.place,
                "pass or return an array: np.array(items)",
            )


def _refuse_complex(b: Builder, atoms: Sequence[Atom], what: str, place: Place | None) -> None:
    if any(is_complex(t) and not isinstance(t, Unknown) for t in map(b.type, atoms)):
        raise NotDifferentiable(
            f"the Jacobian of a function with a complex {what} is not one complex matrix",
            place,
            "differentiate the real and imaginary parts, or use jvp and vjp",
        )


# -- which mode ---------------------------------------------------------------------------------


def _is_forward(b: Builder, mode: str, run: Run) -> bool | None:
    """Whether forward mode is asked for, or needs fewer passes; None: that depends on lengths."""
    if mode != "jacobian":
        return mode == "jacfwd"
    inputs, results = run.inputs, run.results
    if any(is_complex(b.type(x)) for x in inputs):
        return False
    if any(is_complex(b.type(y)) for y in results) or all(rank(b.type(x)) == 0 for x in inputs):
        return len(inputs) < len(results) or any(rank(b.type(y)) != 0 for y in results)
    if all(rank(b.type(y)) == 0 for y in results):
        return False
    shapes = [b.context.shape.get(v, v) if isinstance(v, Var) else v for v in (*inputs, *results)]
    if len(shapes) == 2 and shapes[0] is shapes[1]:
        return False
    return None


def _size(b: Builder, leaves: Sequence[Atom]) -> Atom:
    """The number of elements of all leaves."""
    total: Atom = Const(sum(rank(b.type(leaf)) == 0 for leaf in leaves))
    for leaf in leaves:
        if rank(b.type(leaf)) != 0:
            total = b.call(operator.add, total, b.call(np.size, leaf))
    return total


# -- forward ------------------------------------------------------------------------------------


def _by_columns(b: Builder, run: Run, done: bool = False) -> Atom:
    """Forward mode: a pass for every element of the arguments. `done`: the function has run."""
    _refuse_complex(b, run.inputs, "argument", run.place)
    entries: Entries = {}
    if not done and len(run.inputs) == 1 and rank(b.type(run.inputs[0])) == 0:
        role, b.role = b.role, "tangent"
        dot = seed_one(b, run.inputs[0])
        b.role = role
        for i, column in enumerate(_tangents(b, run, run.inputs[0], dot)):
            entries[i, 0] = column
        return _assembled(b, run, entries)
    if not done:
        b.statements.extend(run.statements)
    ran = _ran(b, run)
    for j, x in enumerate(run.inputs):
        c = b.child()
        dot = c.new(f"{x.name}_dot", tangent_type(b.type(x)))
        b.context.shape[dot] = b.context.shape.get(x, x)
        out = _tangents(c, run, x, dot)
        pass_ = Pass([s for s in c.statements if s not in ran], dot, out, "tangent")
        for i, (y, columns) in enumerate(zip(run.results, _columns(b, run, pass_, x))):
            entries[i, j] = columns if rank(b.type(x)) == 0 else _matrix(b, columns, y, x, -1)
    return _assembled(b, run, entries)


def _ran(b: Builder, run: Run) -> set[Statement]:
    """The statements that have run when a pass begins, and need not in it. A pass runs loops, branches and
    functions that are called by reference again: where these draw (random numbers, items of an iterator) from
    what is made before them, that is made again as well."""
    again = [s for s in run.statements if not isinstance(s, Call) or reference_of(s) is not None]
    if varying(b.context, Block((), tuple(again), Yield()), set()) is None:
        around = set(filter(is_border, run.statements))
        return set(run.statements) - spent(b.context, run.statements) - around
    what = "the Jacobian of a function runs its loops and branches for each row or column"
    check_same(b, run.statements, run.results, what, ())
    return set()


def _columns(b: Builder, run: Run, pass_: Pass, x: Var) -> list[Atom]:
    """The columns for an argument: of a number one, of an array a list, or an array of them where several
    are computed at once. Which of the two is decided here, by what the code does."""
    if rank(b.type(x)) == 0 or not run.outermost:
        return pass_.over(b, x)
    try:
        return in_batches(b, pass_, x, run.results)
    except Unsupported:  # there is no code for several tangents at once: one pass for each
        return pass_.over(b, x)


def _tangents(b: Builder, run: Run, x: Var, dot: Atom) -> list[Atom]:
    """The code for one tangent of one leaf, and the tangents of the results."""
    forward = forward_of(b, run.statements, {x: dot}, run.results)
    return [tangent_of(b, forward, y) for y in run.results]


# -- reverse ------------------------------------------------------------------------------------


def _by_rows(b: Builder, run: Run, done: bool = False) -> Atom:
    """Reverse mode: a pass back for every element of the result. `done`: the function has run."""
    inputs, results = run.inputs, run.results
    _refuse_complex(b, results, "result", run.place)
    activity, _ = facts(b, run.statements, inputs, results)
    entries: Entries = {}
    for i, y in enumerate(results):
        forward, pass_ = _reversed(b, run, activity, y, inputs)
        if done:
            ran = _ran(b, run)
            rest = [s for s in forward if s not in ran]
            count = len(rest)
            spliced = Splice(b.context, {}).statements([*rest, *pass_.statements], pass_.out)
            b.statements.extend(spliced.statements[:count])
            pass_ = Pass(spliced.statements[count:], pass_.given, spliced.out, "adjoint")
        else:
            b.statements.extend(forward)
        done = True
        for j, (x, rows) in enumerate(zip(inputs, pass_.over(b, y))):
            entries[i, j] = rows if rank(b.type(y)) == 0 else _matrix(b, rows, y, x, 0)
    if not done:
        b.statements.extend(run.statements)
    return _assembled(b, run, entries)


def _reversed(b: Builder, run: Run, activity: Any, y: Atom, inputs: Sequence[Var]) -> tuple[list[Statement], Pass]:
    """The forward sweep that keeps what the pass back for one leaf of the result reads; that pass."""
    adjoint = b.child()
    adjoint.role = "adjoint"
    table = Cotangents(adjoint, defined={*inputs, *_defined(run.statements)})
    sweep = Sweep(adjoint, activity, Derived(b.context))
    sweep.depth = 1  # values that a branch did not reach are kept as None
    seed = adjoint.new(_bar(y), tangent_type(b.type(y)))
    if isinstance(y, Var):
        b.context.shape[seed] = b.context.shape.get(y, y)
        add_seed(adjoint, table, y, seed, sweep)
    forward = sweep.statements(run.statements, table)
    made: set[Atom] = set()
    out = [conjugated(adjoint, finished(adjoint, table, x, made)) for x in inputs]
    body = Block((), tuple(adjoint.statements), Yield(tuple(out)))
    forward, renamed = bound_everywhere(b.context, forward, [v for v in free_vars(body) if v is not seed])
    if renamed:
        body = b.context.renamed(body, renamed)
    assert isinstance(body.end, Yield)
    return forward, Pass(body.statements, seed, list(body.end.values), "adjoint")


def _defined(statements: Sequence[Statement]) -> set[Var]:
    return {r for s in statements_of(Block((), tuple(statements), Yield())) for r in results_of(s)}


# -- functions that write in place --------------------------------------------------------------


def _by_columns_again(state: State, b: Builder, run: Run, _done: bool = True) -> Atom:
    """Forward mode, every pass of which runs the function from the start, on arguments as they were."""
    _refuse_complex(b, run.inputs, "argument", run.place)
    call, entries = run.call, Entries()
    for j, x in enumerate(run.inputs):

        def column(c: Builder, unit: Atom, x: Var = x) -> list[Atom]:
            state.begin_again(c)
            call.begin_again(c)
            pairs = [(i, _only(c, call.values[i], x, unit)) for i in dict.fromkeys(call.argnums)]
            dots = _leaves(c, pushforward(c, call.fun, call.args, call.named, pairs, call.has_aux, True)[1])
            _put_back(c, state)
            return dots

        for i, (y, columns) in enumerate(zip(run.results, _columns_again(b, run, x, column))):
            entries[i, j] = columns if rank(b.type(x)) == 0 else _matrix(b, columns, y, x, -1)
    call.begin_again(b)
    return _assembled(b, run, entries)


def _columns_again(b: Builder, run: Run, x: Var, column: Callable[[Builder, Atom], list[Atom]]) -> list[Atom]:
    """Like `_columns`, by `column`, the code for one unit tangent."""
    if rank(b.type(x)) != 0 and run.outermost:
        c = b.child()
        dot = c.new(f"{x.name}_dot", tangent_type(b.type(x)))
        b.context.shape[dot] = b.context.shape.get(x, x)
        out = column(c, dot)
        try:
            return in_batches(b, Pass(c.statements, dot, out, "tangent"), x, run.results)
        except Unsupported:  # there is no code for several tangents at once
            pass
    return each(b, x, "tangent", f"{x.name}_dot", column)


def _by_rows_again(state: State, b: Builder, run: Run, _done: bool = True) -> Atom:
    """Reverse mode, every pass of which runs the function from the start and puts arguments back."""
    _refuse_complex(b, run.results, "result", run.place)
    call, entries = run.call, Entries()
    for i, y in enumerate(run.results):

        def row(c: Builder, unit: Atom, i: int = i) -> list[Atom]:
            state.begin_again(c)
            call.begin_again(c)
            parts_of = iter([unit if k == i else _zero(c, z) for k, z in enumerate(run.results)])
            seed = over(c, run.result, lambda: next(parts_of))
            bars = pull_back(c, call.fun, call.args, seed, call.named, call.has_aux, tuple(call.argnums))
            return [conjugated(c, g) for k in call.argnums for g in _leaves(c, bars[k])]

        for j, (x, rows) in enumerate(zip(run.inputs, each(b, y, "adjoint", _bar(y), row))):
            entries[i, j] = rows if rank(b.type(y)) == 0 else _matrix(b, rows, y, x, 0)
    call.begin_again(b)
    return _assembled(b, run, entries)


def _only(b: Builder, value: Atom, leaf: Var, unit: Atom) -> Atom:
    """The tangent of an argument that is `unit` at one leaf."""
    t = b.type(value)
    if isinstance(t, CONTAINERS):
        return b.build(t, [_only(b, item, leaf, unit) for item in b.items(value)])
    return unit if value is leaf else Const(None)


def _zero(b: Builder, y: Atom) -> Atom:
    return zero(b, y) if isinstance(y, Var) else Const(rt.zeros_like(y.value))


def _bar(y: Atom) -> str:
    return f"{getattr(y, 'name', 'y')}_bar"


# -- arrays of columns and rows -----------------------------------------------------------------


def _matrix(b: Builder, items: Atom, y: Atom, x: Var, axis: int) -> Atom:
    """The list, or array, as an array of shape y + x; its items stand along its first axis (axis 0), or are
    moved behind those of the result (axis -1)."""
    role, b.role = b.role, "adjoint" if axis == 0 else "tangent"
    looped, other = (x, y) if axis else (y, x)
    array = b.call(np.array, items, **_dtype(b, other)) if isinstance(b.type(items), Seq) else items
    if rank(b.type(other)) != 0 and axis:
        array = b.call(np.moveaxis, array, 0, -1)
    if rank(b.type(other)) != 0 or rank(b.type(looped)) != 1:
        array = b.call(np.reshape, array, _shapes(b, y, x))
    b.role = role
    return array


def _dtype(b: Builder, leaf: Atom) -> dict[str, Any]:
    """The dtype, where an empty list would give another."""
    t = b.type(leaf)
    return {"dtype": Const(t.dtype)} if isinstance(t, Array) and t.dtype not in (None, np.dtype(float)) else {}


def _shapes(b: Builder, *values: Atom) -> Atom:
    whole: Atom | None = None
    for value in values:
        if rank(b.type(value)) == 0:
            continue
        shape = b.call(np.shape, value)
        whole = shape if whole is None else b.call(operator.add, whole, shape)
    return Const(()) if whole is None else whole


def _assembled(b: Builder, run: Run, entries: Entries) -> Atom:
    """The entries in the structure of the result, each in that of the arguments."""
    rows = iter(range(len(run.results)))

    def row() -> Atom:
        i = next(rows)
        columns = iter(range(len(run.inputs)))
        return over(b, run.argument, lambda: entries[i, next(columns)])

    return over(b, run.result, row)


def over(b: Builder, t: Type, leaf: Callable[[], Atom]) -> Atom:
    """A value of the structure of `t` with `leaf()` for leaves that have tangents, None for others."""
    if isinstance(t, CONTAINERS):
        return b.build(t, [over(b, item, leaf) for item in parts(t)])
    return leaf() if differentiable(t) else Const(None)


__all__ = ["jacobian", "over"]
