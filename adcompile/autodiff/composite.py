"""Rules given in one mode or as plain code: composites, and the transposes of one-sided rules.

A pullback is linear in its cotangent, so its own reverse is the forward rule; an frule is linear
in its tangents, so its reverse by them is the pullback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adcompile.analysis.builder import Builder, is_structured
from adcompile.autodiff.adjoint import bind_rule, inline_rule, kind_of
from adcompile.autodiff.cotangents import Cotangents, tangent_type
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.reverse import Sweep
from adcompile.autodiff.separate import Derived
from adcompile.autodiff.transform import cut, facts, independent, leaves, pair_leaves, reverse_of
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.rules.registry import Rule


def install(context: Any) -> None:
    """Give a context the operations that rule kinds need but that build on both modes."""
    context.sweep_composite = sweep_composite
    context.transpose_frule = transpose_frule
    context.forward_composite = forward_composite
    context.transpose_vjp = transpose_vjp
    context.make_sweep = Sweep
    context.make_forward = Forward


def separate_values(b: Builder, args: Sequence[Atom], active: Any) -> list[Atom]:
    """The arguments, the active ones under fresh names."""
    return [independent(b, a) if has_active(b, a, active) else a for a in args]


def has_active(b: Builder, a: Atom, active: Any) -> bool:
    if is_structured(b.type(a)):
        return any(has_active(b, item, active) for item in b.items(a))
    return active(a)


def sweep_composite(b: Builder, body: Any, call: Call, y_bar: Atom, cot: Cotangents, active: Any) -> None:
    """Run the body in the adjoint code, then reverse it there."""
    values = separate_values(b, call.args, active)
    start = len(b.statements)
    result = inline_rule(b, body, values, call.kwargs)
    inputs = [leaf for v, a in zip(values, call.args) if v is not a for leaf in leaves(b, v)]
    table = reverse_of(b, start, inputs, [(result, y_bar)], None)
    for v, a in zip(values, call.args):
        if v is not a:
            hand_over(b, table, v, a, cot)


def hand_over(b: Builder, table: Cotangents, inner: Atom, outer: Atom, cot: Cotangents) -> None:
    if is_structured(b.type(inner)):
        for i, o in zip(b.items(inner), b.items(outer)):
            hand_over(b, table, i, o, cot)
    elif isinstance(inner, Var):
        g = table.get(inner)
        if g is not None and inner is not outer:
            cot.add(outer, g)


def transpose_frule(b: Builder, body: Any, call: Call, y_bar: Atom, cot: Cotangents, active: Any) -> None:
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
    start = len(b.statements)
    pair = inline_rule(b, body, (*call.args, *dots), call.kwargs)
    y_dot = b.items(pair)[1]
    statements = cut(b, start)
    b.statements.extend(statements)
    table = reverse_of(b, start, [d for _, d in inputs], [(y_dot, y_bar)], None)
    for a, dot in inputs:
        g = table.get(dot)
        if g is not None:
            cot.add(a, g)


def forward_composite(f: Forward, s: Call, body: Any, args: Sequence[Atom], kwargs: Any) -> Atom | None:
    b = f.b
    values = separate_values(b, args, f.active)
    dots: dict[Var, Atom] = {}
    for v, a in zip(values, args):
        if v is not a:
            d = f.whole_dot(a)
            if d is not None:
                pair_leaves(b, v, d, dots)
    start = len(b.statements)
    result = inline_rule(b, body, values, kwargs)
    statements = cut(b, start)
    inner = Forward(b, facts(b, statements, list(dots), [result]), Derived(b.context))
    inner.dots.update(dots)
    inner.statements(statements)
    return inner.whole_dot(result)


def transpose_vjp(f: Forward, s: Call, rule: Rule) -> Atom | None:
    """y_dot as the cotangent that the pullback's own reverse gives its y_bar."""
    b = f.b
    y_bar = b.new("y_bar", tangent_type(b.type(s.result)))
    b.context.shape[y_bar] = b.context.shape.get(s.result, s.result)
    start = len(b.statements)
    if kind_of(rule, s) == "rrule":
        made = inline_rule(b, rule.rrule, s.args, s.kwargs)
        result = b.dispatch(b.items(made)[1], [y_bar], [])
        args = tuple(s.args)
    else:
        bound = bind_rule(rule.body, 2, s)
        result = inline_rule(b, rule.body, (y_bar, s.result, *bound.args), bound.settings)
        args = bound.args
    listed = b.items(result) if is_structured(b.type(result)) else [result]
    wrt = rule.wrt if rule.wrt is not None and len(listed) == len(rule.wrt) else tuple(range(len(listed)))
    seeds = []
    for k, g in zip(wrt, listed):
        d = f.whole_dot(args[k]) if k < len(args) else None
        if d is not None and isinstance(g, Var):
            seeds.append((g, d))
    statements = cut(b, start)
    b.statements.extend(statements)
    table = reverse_of(b, start, [y_bar], seeds, None)
    return table.get(y_bar)


_ = Any
