"""Solutions of differential equations: their derivatives solve the variational equations, by the same solver.

Forward mode solves for the unknowns with one tangent of each; reverse mode for the unknowns with their derivatives by
all that carries a cotangent, which then meet the cotangent of the solution. An adjoint equation would have fewer
unknowns, but would run back along a solution that is only known at the times asked for. What is solved has captured the
equation and is a solution again, so that it is differentiated by the same rule (as in autodiff/integrals).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder, Lifted
from adcompile.analysis.calls import call_python, handles
from adcompile.analysis.heap import settle
from adcompile.autodiff import forward
from adcompile.autodiff.adjoint import inline_rule
from adcompile.autodiff.composite import has_active
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.implicit import check_captured, check_held, flat
from adcompile.autodiff.integrals import (
    PARAMETERS,
    VECTOR,
    check_reads,
    cut_out,
    is_number,
    replaced,
    separated,
    taken,
)
from adcompile.autodiff.jacobians import jacobian
from adcompile.autodiff.reverse import REMEMBERING, Sweep
from adcompile.autodiff.transform import cut, forward_of, independent
from adcompile.errors import NotDifferentiable, Place, Unsupported
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import FLOAT, Closure, Seq
from adcompile.rules.registry import Rule
from adcompile.rules.trajectories import PATH, pushed_system, sensitivities

Kwargs = list[tuple[str, Atom]]


def parts_of(b: Builder, call: Call, active: Any) -> tuple[Atom, ...]:
    """The equation, the start, the span of time, the times and the settings; times carry no derivatives."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    parts = call.args[1:6] if fn is rt.followed_path else call.args[:5]
    if any(has_active(b, part, active) for part in parts[2:4]):
        raise NotDifferentiable(
            "no derivative of the solution of a differential equation with respect to its times",
            call.place,
            "scale the time: solve dy/ds = T·f(y, s·T) for s between fixed numbers",
        )
    return parts


def check_equation(b: Builder, call: Call) -> None:
    check_captured(b, call)
    fn = call.fn.value if isinstance(call.fn, Const) else None
    fun = call.args[1] if fn is rt.followed_path else call.args[0]
    if not isinstance(b.type(fun), Closure):
        raise Unsupported(
            "the derivative of a differential equation that is known only when the code runs",
            call.place,
            "choose between functions with if and else",
        )
    inner = b.child()
    settle(inner, inner.dispatch(fun, [inner.new("y", VECTOR), inner.new("t", FLOAT)], []))
    check_reads(b, Memory(b, inner.statements), call)


# -- both modes ---------------------------------------------------------------------------------


def sweep_path(sweep: Sweep, call: Call, rule: Rule, y_bar: Atom, cot: Cotangents) -> list[Statement]:
    b = cot.builder
    check_equation(b, call)
    check_held(b, call, sweep.active)
    fun, start, *rest = parts_of(b, call, sweep.active)
    leaves = flat(b, fun)
    which = tuple(map(sweep.active, leaves))
    by = ([start] if sweep.active(start) else []) + [leaf for leaf, active in zip(leaves, which) if active]
    if any(isinstance(b.type(leaf), Seq) for leaf in by):
        raise Unsupported(
            "a list or tuple of unknown length that a differential equation is given or has captured",
            call.place,
            "give it the array: args=(w,) in place of args=tuple(w)",
        )
    again = replaced(b, fun, iter(leaves))
    n = b.call(np.size, start)
    system = call_python(b, sensitivities, [again, n, Const(sweep.active(start)), Const(which)], [])
    begin = inline_rule(b, begun, (start, Const(sweep.active(start)), b.build_tuple(*by)), ())
    whole = b.emit(rt.path, (system, begin, *rest), PATH, (), "sensitivities")
    bars = inline_rule(b, met, (y_bar, whole, n), ())
    at: Atom = Const(0)
    for leaf in by:
        bar, at = b.items(inline_rule(b, taken if is_number(b, leaf) else cut_out, (bars, at, leaf), ()))
        cot.add(leaf, bar)
    return [call]


def begun(start: Any, by_start: Any, by: Any) -> Any:
    """The unknowns at the start, and their derivatives there: by the start itself the unit matrix."""
    n, count = np.size(start), sum([np.size(x) for x in by])
    derivatives = np.eye(n, count) if by_start else np.zeros((n, count))
    return np.concatenate((start, np.ravel(derivatives)))


def met(y_bar: Any, whole: Any, n: Any) -> Any:
    """The cotangents, one after the other: the derivatives at all times meet the cotangents there."""
    derivatives = np.reshape(whole[:, n:], (len(whole), n, -1))
    return np.einsum("tn,tnk->k", y_bar, derivatives)


def forward_path(f: Forward, s: Call, rule: Rule) -> Atom | None:
    b = f.b
    check_equation(b, s)
    fun, start, *rest = parts_of(b, s, f.active)
    leaves = flat(b, fun)
    dots = [f.whole_dot(leaf) for leaf in leaves]
    which = tuple(d is not None for d in dots)
    start_dot = f.whole_dot(start)
    if start_dot is None and not any(which):
        return None
    given = b.build_tuple(*(d for d in dots if d is not None))
    system = call_python(b, pushed_system, [replaced(b, fun, iter(leaves)), given, Const(which)], [])
    begin = inline_rule(b, both, (start, b.call(np.zeros_like, start) if start_dot is None else start_dot), ())
    whole = b.emit(rt.path, (system, begin, *rest), PATH, (), "pushed")
    return inline_rule(b, behind, (whole,), ())


def both(start: Any, start_dot: Any) -> Any:
    return np.concatenate((start, start_dot))


def behind(whole: Any) -> Any:
    return whole[:, np.shape(whole)[1] // 2 :]


# -- the equations of derivatives ---------------------------------------------------------------


@handles(rt.push_along, look=())
def push_along(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    fun, y, t, y_dot, given, which = args
    again, fresh = separated(b, fun, b.value(which))
    y = independent(b, y)
    dots = {v: d for v, d in zip([y, *fresh], [y_dot, *b.items(given)]) if isinstance(v, Var)}
    start = len(b.statements)
    value = settle(b, b.dispatch(again, [y, t], []))
    made = forward_of(b, cut(b, start), dots, [value])
    dot = made.whole_dot(value)
    return b.call(np.zeros_like, value) if dot is None else dot


@handles(rt.jacobian_along, look=())
def jacobian_along(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    fun, y, t, which = args
    chosen = b.value(which)
    leaves = flat(b, fun)
    by = [leaf for leaf, active in zip(leaves, chosen) if active]

    def run(c: Builder, y: Atom, *fresh: Atom) -> Atom:
        rest: Iterator[Atom] = iter(fresh)
        again = replaced(c, fun, iter([next(rest) if active else leaf for leaf, active in zip(leaves, chosen)]))
        return settle(c, c.dispatch(again, [y, t], []))

    at = tuple(range(1 + len(by)))
    blocks = jacobian(b, "jacrev", Const(Lifted(run)), [y, *by], [], at, False, False, place)[0]
    return inline_rule(b, side_by_side, (blocks, y), ())


def side_by_side(blocks: Any, y: Any) -> Any:
    n = np.size(y)
    return np.concatenate([np.reshape(block, (n, -1)) for block in blocks], axis=1)


PARAMETERS[rt.path] = (VECTOR, FLOAT)
REMEMBERING["trajectory"] = sweep_path
forward.KINDS["trajectory"] = forward_path

__all__: list[str] = []
