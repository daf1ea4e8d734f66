"""Derivatives of functions called by reference (recursive ones): each gets, once per set of
active arguments, a tangent function, or a forward function that also returns what its pullback
reads, and that pullback.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcompile import runtime as rt
from adcompile.analysis.alias import fn_of
from adcompile.analysis.builder import Builder, Context, is_structured, parts
from adcompile.autodiff.cotangents import Cotangents, tangent_structure, tangent_type, zero
from adcompile.autodiff.facts import facts
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.mirror import ABOUT_MEMORY
from adcompile.autodiff.reference import buffers_in
from adcompile.autodiff.state import detached, enter
from adcompile.errors import Unsupported
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, Raise, Return, Signature, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import UNKNOWN, Array, Known, Scalar, Seq, TupleT, differentiable
from adcompile.ir.walk import free_vars, statements_of

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward
    from adcompile.autodiff.reverse import Sweep


KEPT = Seq(UNKNOWN, tuple)
"""What a forward function keeps for its pullback, as others see it: its items have many types,
and among them is what the functions it calls keep."""


@dataclass
class Split:
    """The two halves of a function's reverse mode."""

    forward: FunctionRef
    pullback: FunctionRef


class Derived:
    """Finds or makes derived functions; kept in the context so that recursion meets them."""

    def __init__(self, context: Context) -> None:
        self.context = context

    # -- reverse ----------------------------------------------------------------------------

    def reverse_call(self, sweep: Sweep, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement]:
        assert isinstance(s.fn, Const)
        ref: FunctionRef = s.fn.value
        mask = tuple(sweep.active(a) for a in s.args)
        split = self.split(ref, mask)
        t = self.context.types[s.result]
        pair, kept = Var("pair", s.place), Var(f"{ref.name}_kept", s.place)
        self.context.types[pair] = TupleT((t, KEPT))
        self.context.types[kept] = KEPT
        forward: list[Statement] = [
            Call(pair, Const(split.forward), s.args, (), s.place, s.role),
            Call(s.result, Const(operator.getitem), (pair, Const(0)), (), s.place, s.role),
            Call(kept, Const(operator.getitem), (pair, Const(1)), (), s.place, "adjoint"),
        ]
        for call in forward:
            assert isinstance(call, Call)
            self.context.definition.setdefault(call.result, call)
        b = cot.builder
        wrt = [a for a, m in zip(s.args, mask) if m]
        types = TupleT(tuple(tangent_type(b.type(a)) for a in wrt))
        bars = b.emit(Const(split.pullback), (kept, y_bar), types, (), f"{ref.name}_bars", s.place)
        for k, a in enumerate(wrt):
            cot.add(a, b.item(bars, k))
        return forward

    def split(self, ref: FunctionRef, mask: tuple[bool, ...]) -> Split:
        key = ("split", ref, mask)
        found = self.context.specialised.get(key)
        if found is None:
            forward = FunctionRef(f"{ref.name}_fwd")
            found = Split(forward, FunctionRef(f"{ref.name}_pullback", forward))
            self.context.specialised[key] = found
            self.make_split(found, self.context.functions[ref], mask)
        return found

    def make_split(self, split: Split, function: Function, mask: tuple[bool, ...]) -> None:
        wrt = [p for p, m in zip(function.params, mask) if m]
        forward = Builder(self.context, "primal")
        end = function.body.end
        if isinstance(end, Raise):
            raise Unsupported("this function never returns", function.place, "")
        assert isinstance(end, Return)
        halves = split_body(self.context, self, function.body.statements, end.value, wrt)
        kept = halves.kept
        forward.statements.extend(halves.forward)
        store = forward.build(TupleT(()), list(kept), name="kept")
        out = forward.build(TupleT(()), [halves.results[0], store])
        self.context.functions[split.forward] = Function(
            split.forward.name, function.params, (), forward.block((), Return(out)), Signature(), function.place
        )
        self.context.functions[split.pullback] = Function(
            split.pullback.name, (halves.store, halves.seed), (), halves.pullback, Signature(), function.place
        )

    # -- forward ----------------------------------------------------------------------------

    def forward_call(self, f: Forward, s: Call) -> None:
        assert isinstance(s.fn, Const)
        ref: FunctionRef = s.fn.value
        b = f.b
        all_dots = [f.whole_dot(a) if f.active(a) else None for a in s.args]
        target = self.tangent(ref, tuple(d is not None for d in all_dots))
        dots = [d for d in all_dots if d is not None]
        t = b.type(s.result)
        pair = b.emit(Const(target), (*s.args, *dots), TupleT((t, tangent_structure(t))), (), "pair", s.place)
        for k, var in ((0, s.result), (1, None)):
            call_type = t if k == 0 else tangent_structure(t)
            if var is None:
                var = b.new(f"{s.result.name}_dot", call_type)
            call = Call(var, Const(operator.getitem), (pair, Const(k)), (), s.place, "primal" if k == 0 else "tangent")
            self.context.definition[var] = call
            b.append(call)
            if k == 1:
                f.dots[s.result] = var

    def tangent(self, ref: FunctionRef, mask: tuple[bool, ...]) -> FunctionRef:
        key = ("tangent", ref, mask)
        found = self.context.specialised.get(key)
        if found is None:
            found = FunctionRef(f"{ref.name}_jvp")
            self.context.specialised[key] = found
            self.make_tangent(found, self.context.functions[ref], mask)
        return found

    def make_tangent(self, made: FunctionRef, function: Function, mask: tuple[bool, ...]) -> None:
        end = function.body.end
        assert isinstance(end, Return)
        b = Builder(self.context, "primal")
        wrt = [p for p, m in zip(function.params, mask) if m]
        dots = [b.new(f"{p.name}_dot", tangent_type(b.type(p))) for p in wrt]
        activity, memory = facts(b, function.body.statements, wrt, [end.value], backwards=False)
        state = enter(b, function.body.statements, activity, memory, wrt, "tangent")
        f = self.context.make_forward(b, activity, self, state.mirror)
        f.dots.update(zip(wrt, dots))
        state.add_tangents(b, f.dots)
        f.buffers = buffers_in(function.body.statements)
        f.statements(function.body.statements)
        d = f.whole_dot(end.value)
        value_dot = d if d is not None else f.zero(end.value)
        out = b.build(TupleT(()), [end.value, value_dot])
        params = (*function.params, *dots)
        self.context.functions[made] = Function(
            made.name, params, (), b.block((), Return(out)), Signature(), function.place
        )


@dataclass
class Halves:
    """A body split in two: forward statements, the result, the values kept, and the pullback's body
    whose parameters are `store` (the tuple of kept values) and `seed`."""

    forward: list[Statement]
    results: list[Atom]
    kept: list[Var]
    store: Var
    seed: Var
    pullback: Block


def split_body(
    context: Context,
    derived: Derived,
    statements: Sequence[Statement],
    result: Atom,
    wrt: Sequence[Var],
    finish: Any = None,
    returned: Sequence[Atom] | None = None,
    restore: bool = True,
) -> Halves:
    """Reverse a body into two functions. `finish(builder, table)` gives what the pullback
    returns; by default the tuple of the cotangents of `wrt`. `returned` are the results, by
    default the one that is differentiated; without `restore` the pullback puts nothing back."""
    entry = Builder(context)
    activity, memory = facts(entry, statements, wrt, [result])
    state = enter(entry, statements, activity, memory, wrt, "adjoint", restore)
    context.entered |= finish is not None and bool(memory.written and memory.entered)
    statements = [*state.statements]
    adjoint = Builder(context, "adjoint")
    seed = adjoint.new("y_bar", tangent_structure(context.types[result] if isinstance(result, Var) else UNKNOWN))
    table = Cotangents(adjoint)
    table.shadow.update(state.shadow)
    table.owned |= state.alone
    sweep = context.make_sweep(adjoint, activity, derived)
    sweep.depth = 1  # values that a branch did not reach are kept as None
    table.defined = set()
    if isinstance(result, Var):
        add_seed(adjoint, table, result, seed, sweep)
    forward = [*entry.statements, *sweep.statements(statements, table)]
    tail = Builder(context)
    results = detached(tail, (result,) if returned is None else returned, state)
    forward += tail.statements
    state.restore(adjoint)
    if finish is not None:
        out = finish(adjoint, table)
    else:
        bars = [sweep.result_cotangent(v, table) for v in wrt]
        out = adjoint.build(
            TupleT(()), [g if g is not None else zero(adjoint, v) for g, v in zip(bars, wrt)]
        )
    live = live_statements(adjoint.statements, [out])
    body = Block((), tuple(live), Yield((out,)))
    kept = [v for v in free_vars(body) if v is not seed]
    store = Var("kept", None)
    context.types[store] = KEPT
    reads: list[Statement] = []
    mapping: dict[Var, Atom] = {}
    places, layouts = asked_for_memory(context, live)
    places |= {a for a, _ in state.saved}
    forward, renamed = context.bound_everywhere(context, forward, kept)
    copies = Builder(context)
    for v in kept:
        if v in layouts and v not in places and v not in context.shadows:
            renamed[v] = copies.emit(rt.same_layout, (renamed.get(v, v),), context.types[v], (), v.name)
    forward += copies.statements
    holding, kept = held(context, kept, places, mapping, reads, renamed)
    forward += holding
    for k, v in reversed(list(enumerate(kept))):
        fresh = mapping.get(v)
        if not isinstance(fresh, Var):
            fresh = Var(v.name, v.place)
            context.types[fresh] = context.types[v]
            context.shape[fresh] = context.shape.get(v, v)
        call = Call(fresh, Const(operator.getitem), (store, Const(k)), (), v.place, "adjoint")
        context.definition[fresh] = call
        reads.insert(0, call)
        mapping[v] = fresh
    kept = [renamed.get(v, v) for v in kept]
    mapped = context.renamed(body, mapping)
    assert isinstance(mapped.end, Yield)
    pullback = Block((), (*reads, *mapped.statements), Return(mapped.end.values[0]))
    context.why.update(sweep.why)
    return Halves(forward, results, kept, store, seed, pullback)


def asked_for_memory(context: Context, statements: Sequence[Statement]) -> tuple[set[Atom], set[Atom]]:
    """What is asked where it lies in memory, or the list that it is kept in; and arrays of which
    only the layout matters. Numbers have none."""
    places: set[Atom] = set()
    layouts: set[Atom] = set()
    for s in statements_of(Block((), tuple(statements), Yield())):
        if isinstance(s, Call) and (fn_of(s) in ABOUT_MEMORY or fn_of(s) is rt.refill):
            for a in s.args:
                made = context.definition.get(a) if isinstance(a, Var) else None
                asked = [a] if made is None or fn_of(made) is not operator.getitem else [a, made.args[0]]
                types = [context.types[v] for v in asked if isinstance(v, Var)]
                if fn_of(s) is rt.last_writes and all(isinstance(t, (Array, Scalar, Known)) for t in types):
                    layouts.update(asked if not types or isinstance(types[0], Array) else ())
                else:
                    places.update(asked)
    return places, layouts


def held(
    context: Context,
    kept: list[Var],
    saved: set[Atom],
    mapping: dict[Var, Atom],
    reads: list[Statement],
    renamed: dict[Var, Var],
) -> tuple[list[Statement], list[Var]]:
    """Put what is kept by reference, shadows and arrays that are put back, into one object that
    nobody copies: the statement that makes it, and what is kept then. Each run of a pullback
    has shadows of its own."""
    shadows = [v for v in kept if v in context.shadows]
    others = [v for v in kept if v in saved and v not in context.shadows]
    if not shadows and not others:
        return [], kept
    b, reader = Builder(context), Builder(context, "adjoint")
    values = [renamed.get(v, v) for v in (*shadows, *others)]
    whole = b.emit(rt.hold, (Const(len(shadows)), *values), UNKNOWN, (), "memory")
    inner = reader.new("memory", UNKNOWN)
    mapping[whole] = inner
    made = reader.emit(rt.released, (inner,), TupleT(tuple(b.type(v) for v in (*shadows, *others))))
    for k, v in enumerate((*shadows, *others)):
        item = reader.emit(operator.getitem, (made, Const(k)), b.type(v), (), v.name)
        context.shape[item] = context.shape.get(v, v)
        mapping[v] = item
    reads += reader.statements
    return b.statements, [*(v for v in kept if v not in mapping), whole]


def add_seed(b: Builder, table: Cotangents, result: Var, seed: Atom, sweep: Any) -> None:
    t = b.type(result)
    if is_structured(t):
        items = b.context_items(result)
        for k, (item, part) in enumerate(zip(items, parts(t))):
            if differentiable(part) and isinstance(item, Var):
                piece = b.item(seed, k)
                add_seed(b, table, item, piece, sweep)
        return
    if sweep.active(result) or result in b.context.stand_in_of:
        table.add(result, seed)
