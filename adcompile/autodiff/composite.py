"""Rules given in one mode or as plain code: composites, and the transposes of one-sided rules.

A pullback is linear in its cotangent, so its own reverse is the forward rule; an frule is linear
in its tangents, so its reverse by them is the pullback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.views import fn_of
from adcompile.autodiff.adjoint import (
    bind_rule,
    cotangents_of,
    inline_rule,
    kind_of,
    operands,
    positions_of,
    pulled_back,
)
from adcompile.autodiff.boundary import Boundary
from adcompile.autodiff.called import is_called
from adcompile.autodiff.cotangents import Cotangents, refuse_stand_in, tangent_structure, tangent_type, zero
from adcompile.autodiff.facts import facts
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.given import check_cotangent, value_and_tangent
from adcompile.autodiff.live import live_statements
from adcompile.autodiff.reference import buffers_in
from adcompile.autodiff.refusal import refuse_argument
from adcompile.autodiff.reverse import Sweep
from adcompile.autodiff.separate import Derived
from adcompile.autodiff.state import enter
from adcompile.autodiff.transform import cut, independent, leaves, pair_leaves, reverse_of
from adcompile.autodiff.unbound import bound_everywhere
from adcompile.errors import Unsupported
from adcompile.ir.nodes import Atom, Block, Call, Const, Var, Yield
from adcompile.ir.types import Instance, IterT, TupleT, differentiable
from adcompile.rules.registry import Rule


def install(context: Any, boundary: Boundary | None = None) -> None:
    """Give a context the operations that rule kinds need but that build on both modes, and how
    rules are applied: by default as they are."""
    context.boundary = Boundary() if boundary is None else boundary
    context.sweep_composite = sweep_composite
    context.transpose_frule = transpose_frule
    context.forward_composite = forward_composite
    context.transpose_vjp = transpose_vjp
    context.make_sweep = Sweep
    context.make_forward = Forward
    context.bound_everywhere = bound_everywhere


def separate_values(b: Builder, args: Sequence[Atom], active: Any) -> list[Atom]:
    """The arguments, the active ones under fresh names."""
    return [independent(b, a) if has_active(b, a, active) else a for a in args]


def has_active(b: Builder, a: Atom, active: Any) -> bool:
    if is_structured(b.type(a)):
        return any(has_active(b, item, active) for item in b.items(a))
    return active(a)


def sweep_composite(b: Builder, body: Any, call: Call, y_bar: Atom, cot: Cotangents, active: Any) -> None:
    """Run the body in the adjoint code, then reverse it there."""
    given = [*call.args, *(a for _, a in call.kwargs)]
    values = separate_values(b, given, active)
    read = read_of(b, call, body, given, values)
    start = len(b.statements)
    result = inline_rule(b, body, *regrouped(call, read))
    inputs = [leaf for v, a in zip(values, given) if v is not a for leaf in leaves(b, v)]
    check_crossing(b, call, [(v, a) for v, a in zip(values, given) if has_active(b, a, active)])
    table = reverse_of(b, start, inputs, [(result, y_bar)], None)
    for v, a in zip(values, given):
        if v is not a:
            hand_over(b, table, v, a, cot)


def check_crossing(b: Builder, call: Call, pairs: Sequence[tuple[Atom, Atom]]) -> None:
    """Refuse an active operand of which the body gets nothing that a cotangent can come back by: an iterator, whose
    items it reads where they are, or a container that is not followed."""
    for inner, outer in pairs:
        t = b.type(outer)
        if isinstance(t, IterT) or not is_structured(t) and not leaves(b, inner):
            name = getattr(fn_of(call), "__name__", "a function")
            kind = t.cls.__name__ if isinstance(t, Instance) else "an iterator" if isinstance(t, IterT) else "a value"
            message = f"{kind} of values that carry derivatives, given to {name}()"
            raise Unsupported(message, call.place, "make a list of it: list(...)")


def read_of(b: Builder, call: Call, body: Any, given: Sequence[Atom], values: Sequence[Atom]) -> list[Atom]:
    """What a composite's body reads: what is not active, and may be a list, as NumPy reads it."""
    keys = [*range(len(call.args)), *(name for name, _ in call.kwargs)]
    made = operands(b, call, Rule("composite", body=body), given, keys)
    return [m if v is a else v for m, v, a in zip(made, values, given)]


def regrouped(call: Call, values: Sequence[Atom]) -> tuple[list[Atom], list[tuple[str, Atom]]]:
    """Values for a call's positional and named arguments, one after the other, as such."""
    n = len(call.args)
    return list(values[:n]), [(name, value) for (name, _), value in zip(call.kwargs, values[n:])]


def hand_over(b: Builder, table: Cotangents, inner: Atom, outer: Atom, cot: Cotangents) -> None:
    if is_structured(b.type(inner)):
        for i, o in zip(b.items(inner), b.items(outer)):
            hand_over(b, table, i, o, cot)
    elif isinstance(inner, Var):
        g = table.get(inner)
        if g is not None and inner is not outer:
            cot.add(outer, g)


def transpose_frule(b: Builder, body: Any, call: Call, y_bar: Atom, cot: Cotangents, active: Any) -> None:
    for name, a in call.kwargs:
        if has_active(b, a, active):
            refuse_argument(call, name)
    if is_called(body):
        transpose_called(b, body, call, y_bar, cot, active)
        return
    dots: list[Atom] = []
    inputs: list[tuple[Atom, Var]] = []
    for a in call.args:
        if isinstance(a, Var) and active(a):
            dot = b.new(f"{a.name}_dot", tangent_type(b.type(a)))
            b.context.shape[dot] = b.context.shape.get(a, a)
            dots.append(dot)
            inputs.append((a, dot))
        else:
            dots.append(Const(0.0))
    scratch = b.child()
    pair = inline_rule(scratch, body, (*call.args, *dots), call.kwargs, 2)
    y_dot = value_and_tangent(scratch, call, pair)[1]
    table = reverse_of(scratch, 0, [d for _, d in inputs], [(y_dot, y_bar)], None)
    splice(b, scratch, [table.get(dot) for _, dot in inputs], {dot: a for a, dot in inputs})
    for a, dot in inputs:
        g = table.get(dot)
        if g is not None:
            cot.add(a, g)


def transpose_called(b: Builder, body: Any, call: Call, y_bar: Atom, cot: Cotangents, active: Any) -> None:
    """An frule that cannot be read: its tangents along the units of the active arguments."""
    wrt = [k for k, a in enumerate(call.args) if active(a)]
    types = TupleT(tuple(tangent_type(b.type(call.args[k])) for k in wrt))
    bars = b.emit(rt.pulled, (Const(body), y_bar, Const(tuple(wrt)), *call.args), types, call.kwargs)
    for k, g in zip(wrt, b.items(bars)):
        cot.add(call.args[k], g)


def splice(b: Builder, scratch: Builder, results: Sequence[Atom | None], stand_in: Mapping[Var, Atom]) -> None:
    """Take over what the results need of a transposed rule. Of what the rule is linear in only
    the shape can be wanted still, and the primal value it belongs to has that."""
    live = live_statements(scratch.statements, [r for r in results if r is not None])
    b.statements.extend(b.context.renamed(Block((), tuple(live), Yield()), stand_in).statements)
    b.local |= scratch.local


def forward_composite(f: Forward, s: Call, body: Any, args: Sequence[Atom], kwargs: Any) -> Atom | None:
    b = f.b
    given = [*args, *(a for _, a in kwargs)]
    values = separate_values(b, given, f.active)
    dots: dict[Var, Atom] = {}
    for v, a in zip(values, given):
        if v is not a:
            d = f.whole_dot(a)
            if d is not None:
                pair_leaves(b, v, d, dots)
    read = read_of(b, s, body, given, values)
    start = len(b.statements)
    result = inline_rule(b, body, *regrouped(s, read))
    statements = cut(b, start)
    activity, memory = facts(b, statements, list(dots), [result], backwards=False)
    state = enter(b, statements, activity, memory, list(dots), "tangent")
    inner = Forward(b, activity, Derived(b.context), state.mirror)
    inner.dots.update(dots)
    state.add_tangents(b, inner.dots)
    inner.buffers = buffers_in(statements)
    inner.statements(statements)
    return inner.whole_dot(result)


def transpose_vjp(f: Forward, s: Call, rule: Rule) -> Atom | None:
    """y_dot as the cotangent that the pullback's own reverse gives its y_bar."""
    b = f.b
    if is_called(rule.rrule if kind_of(rule, s) == "rrule" else rule.body):
        return push_called(f, s, rule)
    stand_in: dict[Var, Var] = {}
    scratch = b.child()
    y_bar = cotangent_of(b, scratch, s.result, stand_in)
    if kind_of(rule, s) == "rrule":
        made = inline_rule(scratch, rule.rrule, s.args, s.kwargs, 2)
        bound, listed = pulled_back(scratch, rule, scratch.items(made)[1], y_bar, s)
        cotangents = dict(enumerate(listed))
    else:
        bound = bind_rule(rule.body, 2, s)
        cotangents = cotangents_of(scratch, rule, bound, y_bar, s)
    for k, g in cotangents.items():
        if k < len(bound.args) and f.active(bound.args[k]):
            check_cotangent(scratch, s, k, g, bound.args[k])
    seeds: list[tuple[Atom, Atom]] = []
    for k, a in enumerate(bound.args):
        d = f.whole_dot(a)
        if d is not None and k not in cotangents:
            refuse_argument(s, k)
        elif d is not None and isinstance(cotangents[k], Var):
            refuse_stand_in(scratch, cotangents[k])
            seeds.append((cotangents[k], d))
    for name, a in bound.settings:
        if f.whole_dot(a) is not None:
            refuse_argument(s, name)
    table = reverse_of(scratch, 0, list(stand_in), seeds, None)
    found = [table.get(var) for var in stand_in]
    splice(b, scratch, found, stand_in)
    if all(g is None for g in found):
        return None
    tangents = {var: g if g is not None else zero(b, y) for (var, y), g in zip(stand_in.items(), found)}
    return tangent_of(b, y_bar, tangents)


def push_called(f: Forward, s: Call, rule: Rule) -> Atom:
    """y_dot by a pullback that cannot be read: its cotangents for the units of y."""
    b = f.b
    is_rrule = kind_of(rule, s) == "rrule"
    bound = bind_rule(rule.rrule, 0, s) if is_rrule else bind_rule(rule.body, 2, s)
    wrt = tuple(range(len(bound.args))) if is_rrule else positions_of(rule, len(bound.args))
    for which, a in (*enumerate(bound.args), *bound.settings):
        if which not in wrt and f.whole_dot(a) is not None:
            refuse_argument(s, which)
    found = [f.whole_dot(bound.args[k]) for k in wrt]
    dots = b.build_tuple(*(Const(None) if d is None else d for d in found))
    t = tangent_structure(b.type(s.result))
    if is_rrule:
        pull = b.items(inline_rule(b, rule.rrule, s.args, s.kwargs, 2))[1]
        return b.emit(rt.pushed_along, (pull, s.result, dots), t)
    return b.emit(rt.pushed, (Const(rule.body), s.result, dots, *bound.args), t, bound.settings)


def cotangent_of(b: Builder, scratch: Builder, y: Atom, stand_in: dict[Var, Var]) -> Atom:
    """A cotangent of the form of `y` in `scratch`: a fresh name for every leaf that can have one,
    paired in `stand_in` with the leaf of `y` that has its shape; None for the others."""
    t = b.type(y)
    if is_structured(t):
        items = [cotangent_of(b, scratch, item, stand_in) for item in b.items(y)]
        return scratch.build(TupleT(()) if isinstance(t, TupleT) else t, items)
    if not differentiable(t) or not isinstance(y, Var):
        return Const(None)
    var = b.new("y_bar", tangent_type(t))
    b.context.shape[var] = b.context.shape.get(y, y)
    stand_in[var] = y
    return var


def tangent_of(b: Builder, y_bar: Atom, tangents: Mapping[Var, Atom]) -> Atom:
    """The tangent of the form of a cotangent made by `cotangent_of`."""
    if is_structured(b.type(y_bar)):
        return b.build(b.type(y_bar), [tangent_of(b, item, tangents) for item in b.items(y_bar)])
    return tangents[y_bar] if isinstance(y_bar, Var) else Const(None)
