"""Derivatives of functions called by reference (recursive ones): each gets, once per set of
active arguments, a tangent function, or a forward function that also returns what its pullback
reads, and that pullback.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcompile import runtime as rt
from adcompile.analysis.alias import effect_of, values_in
from adcompile.analysis.builder import Builder, Context, is_structured, parts
from adcompile.analysis.views import ABOUT_MEMORY, fn_of
from adcompile.autodiff.cotangents import Cotangents, into_shadow, shadow_type, tangent_structure, tangent_type, zero
from adcompile.autodiff.evaluated import with_evaluated
from adcompile.autodiff.facts import facts
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.outline import read_for_shape
from adcompile.autodiff.reference import buffers_in, note_shadow, own_tangent
from adcompile.autodiff.state import Results, State, detached, enter, enter_called
from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, Raise, Return, Signature, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    BOOL,
    UNKNOWN,
    Array,
    DictT,
    Known,
    ListT,
    ObjectT,
    Scalar,
    Seq,
    TupleT,
    Type,
    differentiable,
)
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


@frozen
class Form:
    """How a call is differentiated: for each argument None (inert), "value" or "reference" (its
    shadow is handed over), and the values in the result, by number, whose shadows are handed back."""

    arguments: tuple[str | None, ...]
    result: tuple[int, ...] = ()

    def of(self, function: Function, *kinds: str) -> list[Var]:
        """The parameters of these kinds."""
        return [p for p, kind in zip(function.params, self.arguments) if kind in kinds]

    def given(self, values: Sequence[Atom], *kinds: str) -> list[Atom]:
        return [a for a, kind in zip(values, self.arguments) if kind in kinds]


def form_of(b: Builder, s: Call, active: Callable[[Atom], bool], mirrored: frozenset[Var]) -> Form:
    """The form in which a call by reference is to be differentiated."""
    called = effect_of(b.context, s)
    assert called is not None
    returned = any(v in mirrored for v in called.shared(b, s.result))
    linked = called.writes or returned
    kinds = ["reference" if linked and a in mirrored else "value" if active(a) else None for a in s.args]
    values = enumerate(values_in(b, s.result) if returned else ())
    return Form(tuple(kinds), tuple(k for k, v in values if v in mirrored))


class Derived:
    """Finds or makes derived functions; kept in the context so that recursion meets them."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def is_linked(self, s: Call, mirrored: frozenset[Var]) -> bool:
        """Whether a call is one by reference that works on shadows it is given."""
        if not isinstance(s.fn, Const) or not isinstance(s.fn.value, FunctionRef):
            return False
        form = form_of(Builder(self.context), s, lambda a: False, mirrored)
        return bool(form.result) or "reference" in form.arguments

    def follows(self, f: Forward, s: Call) -> bool:
        """Whether a call is one by reference that has a tangent, or leaves one in what it is given."""
        called = isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef)
        return called and (f.active(s.result) or self.is_linked(s, f.mirrored))

    def writes(self, s: Call) -> bool:
        """Whether a call is one by reference that writes into arrays it is given."""
        called = effect_of(self.context, s)
        return called is not None and bool(called.writes)

    # -- reverse ----------------------------------------------------------------------------

    def reverse_call(self, sweep: Sweep, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement]:
        assert isinstance(s.fn, Const)
        ref: FunctionRef = s.fn.value
        form = self.form(sweep, s)
        split = self.split(ref, form)
        forward = Builder(self.context, s.role, place=s.place)
        shadows = [cot.shadow[a] for a in form.given(s.args, "reference")]  # type: ignore[index]
        t = self.context.types[s.result]
        values = values_in(forward, s.result)
        returned = [cot.shadow[values[k]] for k in form.result]  # type: ignore[index]
        types = (t, *map(forward.type, returned), KEPT)
        made = forward.emit(Const(split.forward), (*s.args, *shadows), TupleT(types), (), "pair", s.place)
        self.define(forward, s.result, operator.getitem, made, Const(0))
        forward.role = "adjoint"
        for k, shadow in enumerate(returned):
            assert isinstance(shadow, Var)
            self.define(forward, shadow, operator.getitem, made, Const(k + 1))
        kept = forward.emit(operator.getitem, (made, Const(len(types) - 1)), KEPT, (), f"{ref.name}_kept")
        b = cot.builder
        wrt = form.given(s.args, "value")
        bar_types = TupleT(tuple(tangent_type(b.type(a)) for a in wrt))
        given = (kept, y_bar, *shadows, *returned)
        bars = b.emit(Const(split.pullback), given, bar_types, (), f"{ref.name}_bars", s.place)
        for k, a in enumerate(wrt):
            cot.add(a, b.item(bars, k))
        return forward.statements

    def define(self, b: Builder, var: Var, fn: Any, *args: Atom) -> None:
        """Emit a call whose result is a value that others know already."""
        call = Call(var, Const(fn), args, (), b.place, b.role)
        self.context.definition[var] = call
        b.append(call)

    def form(self, sweep: Sweep | Forward, s: Call) -> Form:
        return form_of(Builder(self.context), s, sweep.active, sweep.mirrored)

    def split(self, ref: FunctionRef, form: Form) -> Split:
        key = ("split", ref, form)
        found = self.context.specialised.get(key)
        if found is None:
            forward = FunctionRef(f"{ref.name}_fwd")
            found = Split(forward, FunctionRef(f"{ref.name}_pullback", forward))
            self.context.specialised[key] = found
            self.make_split(found, self.context.functions[ref], form)
        return found

    def make_split(self, split: Split, function: Function, form: Form) -> None:
        forward = Builder(self.context, "primal")
        end = function.body.end
        if isinstance(end, Raise):
            raise Unsupported("this function never returns", function.place, "")
        assert isinstance(end, Return)
        called = shadows_given(forward, function, form)
        wrt = form.of(function, "value")
        halves = split_body(self.context, self, function.body.statements, end.value, wrt, called=called)
        forward.statements.extend(halves.forward)
        store = forward.build(TupleT(()), list(halves.kept), name="kept")
        out = forward.build(TupleT(()), [*halves.results, store])
        self.context.functions[split.forward] = Function(
            split.forward.name,
            (*function.params, *called.shadow.values()),
            (),
            forward.block((), Return(out)),
            Signature(),
            function.place,
        )
        params = (halves.store, halves.seed, *halves.given)
        self.context.functions[split.pullback] = Function(
            split.pullback.name, params, (), halves.pullback, Signature(), function.place
        )

    # -- forward ----------------------------------------------------------------------------

    def forward_call(self, f: Forward, s: Call) -> None:
        assert isinstance(s.fn, Const)
        ref: FunctionRef = s.fn.value
        b = f.b
        form = self.form(f, s)
        all_dots = [None if kind is None else f.whole_dot(a) for a, kind in zip(s.args, form.arguments)]
        kinds = tuple(kind if d is not None else None for kind, d in zip(form.arguments, all_dots))
        target = self.tangent(ref, Form(kinds, form.result))
        dots = [d for d in all_dots if d is not None]
        t = b.type(s.result)
        made = b.emit(Const(target), (*s.args, *dots), TupleT((t, tangent_structure(t))), (), "pair", s.place)
        outer, b.role = b.role, "primal"
        self.define(b, s.result, operator.getitem, made, Const(0))
        b.role = "tangent"
        dot = b.emit(operator.getitem, (made, Const(1)), tangent_structure(t), (), f"{s.result.name}_dot")
        f.dots[s.result] = dot
        if is_structured(t):
            self.take_dots(f, s.result, dot, form)
        elif s.result in f.mirrored and not form.result:
            f.dots[s.result] = own_tangent(b, dot, s.result)
        note_shadow(f, s.result)
        b.role = outer

    def take_dots(self, f: Forward, value: Var, dot: Atom, form: Form) -> None:
        """The tangents of those parts of a result that are by reference."""
        for k, item in enumerate(f.b.context_items(value)):
            if not isinstance(item, Var) or not any(leaf in f.mirrored for leaf in values_in(f.b, item)):
                continue
            part = f.b.item(dot, k)
            if is_structured(f.b.type(item)):
                self.take_dots(f, item, part, form)
            else:
                f.dots[item] = part if form.result else own_tangent(f.b, part, f.b.real(item))
                note_shadow(f, item)

    def tangent(self, ref: FunctionRef, form: Form) -> FunctionRef:
        key = ("tangent", ref, form)
        found = self.context.specialised.get(key)
        if found is None:
            found = FunctionRef(f"{ref.name}_jvp")
            self.context.specialised[key] = found
            self.make_tangent(found, self.context.functions[ref], form)
        return found

    def make_tangent(self, made: FunctionRef, function: Function, form: Form) -> None:
        end = function.body.end
        if isinstance(end, Raise):
            raise Unsupported("this function never returns", function.place, "")
        assert isinstance(end, Return)
        b = Builder(self.context, "primal")
        called = shadows_given(b, function, form, "dot")
        dots = dict(called.shadow)
        for p in form.of(function, "value"):
            dots[p] = b.new(f"{p.name}_dot", tangent_type(b.type(p)))
        statements = function.body.statements
        ends, inputs = called.ends(end.value), list(dots)
        activity, memory = facts(b, statements, inputs, ends, False, called.shown(end.value))
        state = enter_called(b, statements, activity, memory, called.shadow, "tangent")
        f = self.context.make_forward(b, activity, self, state.mirror)
        f.dots.update(dots)
        f.buffers = buffers_in(statements)
        f.statements(statements)
        d = f.whole_dot(end.value)
        value_dot = d if d is not None else f.zero(end.value)
        out = b.build(TupleT(()), [end.value, value_dot])
        params = (*function.params, *(dots[p] for p in function.params if p in dots))
        self.context.functions[made] = Function(
            made.name, params, (), b.block((), Return(out)), Signature(), function.place
        )


@frozen
class Given:
    """The shadows that a function called by reference is given, by its parameters, and the values
    in its result whose shadows it hands back."""

    b: Builder
    shadow: dict[Var, Var]
    result: tuple[int, ...]

    def ends(self, result: Atom) -> list[Atom]:
        """What the function gives: its result, and what it leaves in its arguments."""
        return [result, *self.shadow]

    def shown(self, result: Atom) -> list[Atom]:
        """The memory that is by reference because it is so for the caller."""
        return [*self.shadow, *self.returned(result)]

    def returned(self, result: Atom) -> list[Atom]:
        values = values_in(self.b, result)
        return [values[k] for k in self.result]


def shadows_given(b: Builder, function: Function, form: Form, suffix: str = "bar") -> Given:
    """New parameters for the shadows of a function's parameters by reference."""
    found: dict[Var, Var] = {}
    for p in form.of(function, "reference"):
        found[p] = b.new(f"{p.name}_{suffix}", shadow_type(b.type(p)), p.place)
        b.context.shape[found[p]] = b.context.shape.get(p, p)
    return Given(b, found, form.result)


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
    given: list[Var]  # further parameters: shadows


def split_body(
    context: Context,
    derived: Derived,
    statements: Sequence[Statement],
    result: Atom,
    wrt: Sequence[Var],
    finish: Any = None,
    returned: Results | None = None,
    restore: bool = True,
    called: Given | None = None,
) -> Halves:
    """Reverse a body into two functions. `finish(builder, table)` gives what the pullback
    returns; by default the tuple of the cotangents of `wrt`. `returned` are the results, by
    default the one that is differentiated; without `restore` the pullback puts nothing back.
    `called`: of a function called by reference, what its caller gives."""
    entry = Builder(context)
    if called is None:
        activity, memory = facts(entry, statements, wrt, [result])
        state = enter(entry, statements, activity, memory, wrt, "adjoint", restore)
        context.entered |= finish is not None and bool(memory.written and memory.entered)
    else:
        inputs, ends = [*wrt, *called.shadow], called.ends(result)
        activity, memory = facts(entry, statements, inputs, ends, True, called.shown(result))
        state = enter_called(entry, statements, activity, memory, called.shadow, "adjoint")
    given = called.shadow if called is not None else {}
    statements = [*state.statements]
    adjoint = Builder(context, "adjoint")
    form = tangent_structure(context.types[result] if isinstance(result, Var) else UNKNOWN)
    seed = adjoint.new("y_bar", form if called is None else without(form, called.result))
    table = Cotangents(adjoint)
    table.shadow.update(state.shadow)
    table.owned |= state.alone
    sweep = context.make_sweep(adjoint, activity, derived)
    sweep.depth = 1  # values that a branch did not reach are kept as None
    table.defined = set()
    back = Builder(context, "adjoint")
    linked = called.returned(result) if called is not None else []
    handed = [shadow_of_result(back, state, v) for v in linked]
    seeds = [adjoint.new("y_bar", adjoint.type(v)) for v in handed]
    for v, g in zip(linked, seeds):
        add_to_shadow(adjoint, table, v, g)
    if isinstance(result, Var):
        add_seed(adjoint, table, result, seed, sweep, linked)
    forward = [*entry.statements, *sweep.statements(statements, table)]
    tail = Builder(context)
    results = [*detached(tail, (result,) if returned is None else returned(tail, state), state)]
    forward += [*back.statements, *tail.statements]
    results[1:1] = handed
    state.restore(adjoint)
    if finish is not None:
        out = finish(adjoint, table)
    else:
        bars = [(sweep.result_cotangent(v, table), v) for v in wrt]
        out = adjoint.build(TupleT(()), [g if g is not None else zero(adjoint, v) for g, v in bars])
    body = Block((), tuple(live_statements(adjoint.statements, [out])), Yield((out,)))
    places, layouts = asked_for_memory(context, body.statements)
    body = with_evaluated(context, forward, body, layouts | read_for_shape(body, context.types))
    fresh_given = {v: adjoint.new(v.name, context.types[v]) for v in given.values()}
    for v, fresh in fresh_given.items():
        context.shape[fresh] = context.shape.get(v, v)
    kept = [v for v in free_vars(body) if v is not seed and v not in fresh_given and v not in seeds]
    store = Var("kept", None)
    context.types[store] = KEPT
    reads: list[Statement] = []
    mapping: dict[Var, Atom] = dict(fresh_given)
    places |= {a for a, _ in state.saved}
    forward, renamed = context.bound_everywhere(context, forward, kept)
    copies = Builder(context)
    for v in kept:
        if v in layouts and v not in places and v not in context.shadows:
            renamed[v] = copies.emit(rt.same_layout, (renamed.get(v, v),), context.types[v], (), v.name)
    forward += copies.statements
    holding, kept = held(context, kept, places, mapping, reads, renamed, fresh_given)
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
    return Halves(forward, results, kept, store, seed, pullback, [*fresh_given.values(), *seeds])


def asked_for_memory(context: Context, statements: Sequence[Statement]) -> tuple[set[Atom], set[Atom]]:
    """What is asked where it lies in memory, or the list that it is kept in; arrays whose layout alone matters."""
    places: set[Atom] = set()
    layouts: set[Atom] = set()
    for s in statements_of(Block((), tuple(statements), Yield())):
        if isinstance(s, Call) and fn_of(s) in (setattr, rt.set_own):  # put back: that very object
            places.update(a for a in s.args if isinstance(a, Var) and not isinstance(context.types[a], Scalar))
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
    given: Mapping[Var, Var],
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
    whole = b.emit(rt.hold, (Const(len(given)), Const(len(shadows)), *given, *values), UNKNOWN, (), "memory")
    inner = reader.new("memory", UNKNOWN)
    mapping[whole] = inner
    made = reader.emit(rt.released, (inner, *given.values()), TupleT(tuple(b.type(v) for v in (*shadows, *others))))
    for k, v in enumerate((*shadows, *others)):
        item = reader.emit(operator.getitem, (made, Const(k)), b.type(v), (), v.name)
        context.shape[item] = context.shape.get(v, v)
        mapping[v] = item
    reads += reader.statements
    return b.statements, [*(v for v in kept if v not in mapping), whole]


def shadow_of_result(b: Builder, state: State, value: Atom) -> Atom:
    """The shadow of one of the values in a result, which is handed to the caller."""
    if value in state.shadow:
        return state.shadow[value]  # type: ignore[index]
    return b.emit(rt.shadow, (value if isinstance(value, Const) else b.real(value),), b.type(value))


def without(t: Type, places: Sequence[int], first: int = 0) -> Type:
    """A type with None for those of its values, counted in order, that are handed over apart."""
    if not is_structured(t):
        return Known(None) if first in places else t
    items: list[Type] = []
    for part in parts(t) if places else ():
        items.append(without(part, places, first))
        first += count(part)
    match t:
        case TupleT(_, cls) if places:
            return TupleT(tuple(items), cls)
        case ListT() if places:
            return ListT(tuple(items))
        case DictT(keys, _) if places:
            return DictT(keys, tuple(items))
        case ObjectT(cls, names, _) if places:
            return ObjectT(cls, names, tuple(items))
        case _:
            return t


def count(t: Type) -> int:
    return sum(map(count, parts(t))) if is_structured(t) else 1


def add_to_shadow(b: Builder, table: Cotangents, value: Atom, seed: Var) -> None:
    """Take in the shadow that the caller has for one of the values in a result: what the two have
    in common is there already."""
    shadow = table.shadow.get(value)  # type: ignore[arg-type]
    if shadow is not None:
        b.context.shape[seed] = b.context.shape.get(shadow, shadow)  # type: ignore[arg-type]
        shared = b.emit(rt.shares, (shadow, seed), BOOL)
        into_shadow(b, shadow, Const(...), b.emit(rt.unless_shared, (seed, shared), b.type(shadow)), True)


def add_seed(
    b: Builder, table: Cotangents, result: Var, seed: Atom, sweep: Any, taken: Sequence[Atom] = ()
) -> None:
    t = b.type(result)
    if result in taken:
        return
    if is_structured(t):
        items = b.context_items(result)
        for k, (item, part) in enumerate(zip(items, parts(t))):
            if differentiable(part) and isinstance(item, Var):
                piece = b.item(seed, k)
                add_seed(b, table, item, piece, sweep, taken)
        return
    if sweep.active(result) or result in b.context.stand_in_of:
        table.add(result, seed)
