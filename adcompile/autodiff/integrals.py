"""Integrals of functions with captured values: derivatives are integrals of the derivatives of the integrand.

A derivative of an integral is one more call of `rt.integral`, of a function that has captured the integrand and pulls
back, or pushes forward, what that has captured. As long as the program is differentiated this is a function like any
other, so that its own integral is differentiated by the same rule. In the end it is made a function of the program
(`made_real`), which SciPy calls with the place and with what was captured.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder, Context, is_structured
from adcompile.analysis.calls import call_python, handles
from adcompile.analysis.executed import is_ours
from adcompile.analysis.heap import settle
from adcompile.analysis.leaves import value_leaves
from adcompile.analysis.recursion import Specialised, specialise_separate
from adcompile.autodiff import forward
from adcompile.autodiff.adjoint import inline_rule
from adcompile.autodiff.composite import has_active
from adcompile.autodiff.cotangents import Cotangents, zero
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.implicit import check_captured, check_held, flat
from adcompile.autodiff.reverse import REMEMBERING, Sweep
from adcompile.autodiff.roots import root_of
from adcompile.autodiff.transform import cut, forward_of, independent, project, reverse_of
from adcompile.errors import NotDifferentiable, Place, Unsupported
from adcompile.ir.nodes import Atom, Call, Const, Function, Statement, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.refs import GlobalRef
from adcompile.ir.types import FLOAT, Array, Closure, Instance, Scalar, Seq, Type, Unknown, widen
from adcompile.ir.walk import Rewriter
from adcompile.rules.integrals import pulled_along, pushed_along
from adcompile.rules.registry import Rule

VECTOR = Array(np.dtype(np.float64), ("any",))
Kwargs = list[tuple[str, Atom]]


# -- what a function has captured ---------------------------------------------------------------


def replaced(b: Builder, value: Atom, leaves: Iterator[Atom]) -> Atom:
    """The value with other leaves."""
    t = b.type(value)
    return b.build(t, [replaced(b, item, leaves) for item in b.items(value)]) if is_structured(t) else next(leaves)


def parts_of(call: Call) -> tuple[Atom, Atom, Atom, Atom]:
    """The integrand, the limits and the settings."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    fun, lower, upper, settings = call.args[1:5] if fn is rt.integrated else call.args[:4]
    return fun, lower, upper, settings


def check_integrand(b: Builder, call: Call) -> None:
    check_captured(b, call)
    fun = parts_of(call)[0]
    if not isinstance(b.type(fun), Closure) or len(call.args) > 5:
        raise Unsupported(
            "the derivative of an integral of a function that is known only when the code runs",
            call.place,
            "choose between functions with if and else",
        )
    inner = b.child()
    value = settle(inner, inner.dispatch(fun, [inner.new("s", FLOAT)], []))
    check_reads(b, Memory(b, inner.statements), call)
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is rt.integrated and not isinstance(widen(b.type(value)), Scalar):
        raise Unsupported(
            "an integrand that does not give a real number, or one of no known type",
            call.place,
            "return a float: float(y), or y[0] of an array",
        )


def check_settings(b: Builder, call: Call, active: Callable[[Atom], bool]) -> None:
    """Refuse places where the integrand breaks that carry derivatives: what the integral owes to their moves, its
    jumps there, is in no derivative of the integrand."""
    if has_active(b, parts_of(call)[3], active):
        raise NotDifferentiable(
            "no derivative of an integral with respect to the points where its integrand breaks",
            call.place,
            "add the integrals of the parts between these points, which are their limits",
        )


def check_reads(b: Builder, memory: Memory, call: Call) -> None:
    """Refuse what an integrand reads of modules and objects by itself: who knows what is there on the way back."""
    ours: set[Atom] = set()  # the functions of rules, and their defaults
    for read in memory.definition.values():
        if root_of(read, memory) is None:
            continue
        ref = read.args[0].value if isinstance(read.args[0], Const) else None
        found = ref.namespace.get(ref.name) if isinstance(ref, GlobalRef) else None
        if read.args[0] in ours or str(getattr(found, "__module__", "")).startswith("adcompile.rules."):
            ours.add(read.result)
        elif isinstance(b.type(read.result), (Array, Seq, Instance, Unknown)):
            raise Unsupported(
                "a function that reads an array or an object of a module by itself, in an integral or the like",
                call.place,
                "pass it in args=, or give it a name in the function that is differentiated",
            )


# -- both modes ---------------------------------------------------------------------------------


def sweep_integral(sweep: Sweep, call: Call, rule: Rule, y_bar: Atom, cot: Cotangents) -> list[Statement]:
    """Cotangents of the limits by the integrand there, of what it has captured by the integral of its pullback."""
    b = cot.builder
    check_integrand(b, call)
    check_held(b, call, sweep.active)
    fun, lower, upper, settings = parts_of(call)
    check_settings(b, call, sweep.active)
    for limit, sign in ((lower, -1.0), (upper, 1.0)):
        if sweep.active(limit):
            there = settle(b, b.dispatch(fun, [limit], []))
            cot.add(limit, inline_rule(b, at_limit, (y_bar, there, Const(sign)), ()))
    leaves = flat(b, fun)
    which = tuple(map(sweep.active, leaves))
    if not any(which):
        return [call]
    scalar = isinstance(b.type(call.result), Scalar)
    again = replaced(b, fun, iter(leaves))
    seed = Const(1.0) if scalar else y_bar
    pulled = call_python(b, pulled_along, [again, seed, Const(which)], [])
    bars = b.emit(rt.integral, (pulled, lower, upper, settings), VECTOR, (), "bars")
    bars = b.call(operator.mul, bars, y_bar) if scalar else bars
    at: Atom = Const(0)
    for leaf in (leaf for leaf, active in zip(leaves, which) if active):
        bar, at = b.items(inline_rule(b, taken if is_number(b, leaf) else cut_out, (bars, at, leaf), ()))
        cot.add(leaf, bar)
    return [call]


def is_number(b: Builder, leaf: Atom) -> bool:
    return isinstance(b.type(leaf), Scalar)


def at_limit(y_bar: Any, value: Any, sign: Any) -> Any:
    return sign * np.sum(y_bar * value)


def taken(bars: Any, at: Any, leaf: Any) -> Any:
    return bars[at], at + 1


def cut_out(bars: Any, at: Any, leaf: Any) -> Any:
    return np.reshape(bars[at : at + np.size(leaf)], np.shape(leaf)), at + np.size(leaf)


def forward_integral(f: Forward, s: Call, rule: Rule) -> Atom | None:
    b = f.b
    check_integrand(b, s)
    check_settings(b, s, f.active)
    fun, lower, upper, settings = parts_of(s)
    total: Atom | None = None
    for limit, sign in ((lower, -1.0), (upper, 1.0)):
        dot = f.whole_dot(limit)
        if dot is not None:
            there = settle(b, b.dispatch(fun, [limit], []))
            term = inline_rule(b, by_limit, (dot, there, Const(sign)), ())
            total = term if total is None else b.call(operator.add, total, term)
    leaves = flat(b, fun)
    dots = [f.whole_dot(leaf) for leaf in leaves]
    which = tuple(d is not None for d in dots)
    if any(which):
        given = b.build_tuple(*(d for d in dots if d is not None))
        pushed = call_python(b, pushed_along, [replaced(b, fun, iter(leaves)), given, Const(which)], [])
        term = b.emit(rt.integral, (pushed, lower, upper, settings), b.type(s.result), (), "dot")
        total = term if total is None else b.call(operator.add, total, term)
    return total


def by_limit(dot: Any, value: Any, sign: Any) -> Any:
    return sign * dot * value


# -- the integrands of derivatives --------------------------------------------------------------


def separated(b: Builder, fun: Atom, which: Sequence[bool]) -> tuple[Atom, list[Atom]]:
    """The function with fresh names for some of what it has captured, and these."""
    leaves = [independent(b, leaf) if active else leaf for leaf, active in zip(flat(b, fun), which)]
    return replaced(b, fun, iter(leaves)), [leaf for leaf, active in zip(leaves, which) if active]


@handles(rt.pull_captured, look=())
def pull_captured(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    fun, s, y_bar, which = args
    again, fresh = separated(b, fun, b.value(which))
    start = len(b.statements)
    value = settle(b, b.dispatch(again, [s], []))
    role, b.role = b.role, "adjoint"
    table = reverse_of(b, start, [v for v in fresh if isinstance(v, Var)], [(value, y_bar)], None)
    bars: list[Atom] = []
    for v in fresh:
        assert isinstance(v, Var)
        g = table.get(v)
        bars.append(b.call(np.ravel, zero(b, v) if g is None else project(b, g, v, b.type(v))))
    joined = b.call(np.concatenate, b.build_tuple(*bars))
    b.role = role
    return joined


@handles(rt.push_captured, look=())
def push_captured(b: Builder, args: list[Atom], kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    fun, s, given, which = args
    again, fresh = separated(b, fun, b.value(which))
    dots = {v: d for v, d in zip(fresh, b.items(given)) if isinstance(v, Var)}
    start = len(b.statements)
    value = settle(b, b.dispatch(again, [s], []))
    made = forward_of(b, cut(b, start), dots, [value])
    dot = made.whole_dot(value)
    return b.call(operator.mul, Const(0.0), value) if dot is None else dot


PARAMETERS: dict[Any, tuple[Type, ...]] = {rt.integral: (FLOAT,)}
"""Calls of functions that SciPy calls, and what it gives these."""


# -- functions of the program -------------------------------------------------------------------


def made_real(context: Context) -> None:
    """Make what the integrals of derivatives are of functions of the program, in all its functions."""
    done: set[FunctionRef] = set()
    while todo := [ref for ref in context.functions if ref not in done]:
        for ref in todo:
            done.add(ref)
            function = context.functions[ref]
            body = _Real(context).block(function.body)
            context.functions[ref] = Function(
                function.name, function.params, function.captured, body, function.signature, function.place
            )


@dataclass
class _Real(Rewriter):
    context: Context

    def call(self, call: Call) -> tuple[Statement, ...]:
        parameters = PARAMETERS.get(call.fn.value) if isinstance(call.fn, Const) and is_ours(call.fn.value) else None
        if parameters is None:
            return (call,)
        b = Builder(self.context, "adjoint", place=call.place)
        fun = call.args[0]
        t = b.type(fun)
        if not isinstance(t, Closure):
            return (call,)
        types = (*parameters, *t.cells)
        spec = Specialised(FunctionRef("integrand"), {})
        specialise_separate(b, spec, t.function, types)
        captured = [leaf for v, form in zip(b.items(fun), t.cells) for leaf in value_leaves(b, v, form)]
        made = Call(call.result, call.fn, (Const(spec.ref), *call.args[1:], *captured), (), call.place, call.role)
        self.context.definition[call.result] = made
        return (made,)


REMEMBERING["integral"] = sweep_integral
forward.KINDS["integral"] = forward_integral

__all__ = ["made_real"]
