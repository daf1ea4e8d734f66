"""Results that are known by the equation they solve: the implicit function theorem, in both modes.

A rule of this kind gives the residual r(y, x1, …), which is zero at the result y. So ∂r/∂y · y_dot = −∂r/∂x · x_dot.
The residual is differentiated in place, with y as the value that it is: the derivative of the derivative goes through
the same rule, whatever the order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.callables import Partial, unfold
from adcompile.analysis.calls import handles
from adcompile.analysis.heap import owner_of
from adcompile.analysis.unfollowed import FOLLOWED
from adcompile.autodiff import forward
from adcompile.autodiff.adjoint import inline_rule
from adcompile.autodiff.composite import hand_over, separate_values
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.forward import Forward
from adcompile.autodiff.held import Root, substituted
from adcompile.autodiff.jacobians import jacobian
from adcompile.autodiff.reverse import REMEMBERING, Sweep
from adcompile.autodiff.roots import read_again, root_of
from adcompile.autodiff.transform import cut, forward_of, gradient, leaves, pair_leaves, reverse_of
from adcompile.errors import NotDifferentiable, Place, Unsupported
from adcompile.ir.abstract import crosses
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import Array, DictT, Instance, IterT, Method, Ref, Seq, Unknown, holds, is_complex
from adcompile.rules.registry import Rule
from adcompile.runtime.implicit import completed, unbound


def system(y_dot: Any, matrix: Any) -> Any:
    """What solves matrix · x = y_dot, of numbers and of arrays of any shape."""
    if np.ndim(matrix) == 0:
        return y_dot / matrix
    n = np.size(y_dot)
    return np.reshape(np.linalg.solve(np.reshape(matrix, (n, n)), np.ravel(y_dot)), np.shape(y_dot))


def transposed_system(y_bar: Any, matrix: Any) -> Any:
    if np.ndim(matrix) == 0:
        return y_bar / matrix
    n = np.size(y_bar)
    return np.reshape(np.linalg.solve(np.reshape(matrix, (n, n)).T, np.ravel(y_bar)), np.shape(y_bar))


def sweep_implicit(sweep: Sweep, call: Call, rule: Rule, y_bar: Atom, cot: Cotangents) -> list[Statement]:
    """The cotangents of what the residual is made of, for the cotangent −(∂r/∂y)⁻ᵀ · y_bar of the residual. It is
    evaluated on the way back, on what the function that is solved for read of modules and objects on the way there."""
    b = cot.builder
    check_captured(b, call)
    check_held(b, call, sweep.active)
    first = len(b.statements)
    matrix = matrix_of(b, rule, call)
    weight = b.call(operator.neg, inline_rule(b, transposed_system, (y_bar, matrix), ()))
    values = separate_values(b, call.args, sweep.active)
    start = len(b.statements)
    residual = inline_rule(b, rule.body, (call.result, *values), call.kwargs)
    check_real(b, residual, call)
    inputs = [leaf for v, a in zip(values, call.args) if v is not a for leaf in leaves(b, v)]
    table = reverse_of(b, start, inputs, [(residual, weight)], None)
    for v, a in zip(values, call.args):
        if v is not a:
            hand_over(b, table, v, a, cot)
    return [call, *remembered(b, first, call)]


def remembered(b: Builder, first: int, call: Call) -> list[Statement]:
    """Statements for the way there that read what those since `first` read of modules and objects, which have copies of
    it from then on."""
    memory = Memory(b, b.statements[first:])
    there = Builder(b.context, "adjoint", place=call.place)
    instead: dict[Root, Atom] = {}
    for read in memory.definition.values():
        key = root_of(read, memory)
        if key is not None and key not in instead:
            value = read_again(there, read, memory)
            has_memory = isinstance(b.type(value), (Array, Seq, Unknown))
            instead[key] = there.emit(rt.replica, (value,), b.type(value)) if has_memory else value
    substituted(b, first, instead)
    return there.statements


def forward_implicit(f: Forward, s: Call, rule: Rule) -> Atom | None:
    """y_dot = −(∂r/∂y)⁻¹ · r_dot, with r_dot at y held fast."""
    b = f.b
    check_captured(b, s)
    values = separate_values(b, s.args, f.active)
    dots: dict[Var, Atom] = {}
    for v, a in zip(values, s.args):
        d = f.whole_dot(a) if v is not a else None
        if d is not None:
            pair_leaves(b, v, d, dots)
    matrix = matrix_of(b, rule, s)
    start = len(b.statements)
    residual = inline_rule(b, rule.body, (s.result, *values), s.kwargs)
    check_real(b, residual, s)
    inner = forward_of(b, cut(b, start), dots, [residual])
    dot = inner.whole_dot(residual)
    return None if dot is None else b.call(operator.neg, inline_rule(b, system, (dot, matrix), ()))


def check_captured(b: Builder, call: Call) -> None:
    """Refuse what a function may hold and derivatives do not go through."""
    if any(holds(b.type(a), Method, IterT, Ref) for a in call.args):
        raise Unsupported(
            "a method or an iterator among what a function has captured that a solver is given",
            call.place,
            "capture the object, and call its method by name; or pass the object in args=",
        )


def check_held(b: Builder, call: Call, active: Callable[[Atom], bool]) -> None:
    """Refuse an object that holds values with derivatives and is not taken apart, among what a function has captured:
    nothing would come back from it."""
    for leaf in (leaf for a in call.args for leaf in flat(b, a)):
        if active(leaf) and not crosses(b.type(leaf)):
            t = b.type(leaf)
            named = f"a {t.cls.__name__}" if isinstance(t, Instance) else "an object"
            raise Unsupported(
                f"{named} of values {FOLLOWED}, captured by a function that a solver is given",
                call.place,
                "capture the values themselves, or a function that has captured them; or pass them in args=",
            )


def flat(b: Builder, value: Atom) -> list[Atom]:
    """The values that a function has captured, those in tuples, dicts, objects and functions one by one."""
    return [leaf for item in b.items(value) for leaf in flat(b, item)] if is_structured(b.type(value)) else [value]


def check_real(b: Builder, residual: Atom, call: Call) -> None:
    if is_complex(b.type(residual)) and not isinstance(b.type(residual), Unknown):
        raise complex_equation(call)


def complex_equation(call: Call) -> NotDifferentiable:
    return NotDifferentiable(
        "the solution of an equation that is complex, or of no known type, has no derivative here",
        call.place,
        "solve for its real and imaginary parts, from a start of real numbers",
    )


def matrix_of(b: Builder, rule: Rule, call: Call) -> Atom:
    """∂r/∂y at the result."""
    if is_complex(b.type(call.result)):
        raise complex_equation(call)
    fun, args = Const(rule.body), [call.result, *call.args]
    return jacobian(b, "jacfwd", fun, args, call.kwargs, (0,), True, False, call.place)[0]


@handles(rt.capturing, look=())
def capturing(
    b: Builder, args: list[Atom], kwargs: list[tuple[str, Atom]], place: Place | None, name: str
) -> Atom:
    """A method or partial application as a function that has captured what it holds, through which derivatives go."""
    (fun,) = args
    t = b.type(fun)
    if not isinstance(t, Method):
        return fun
    if isinstance(t.function, Partial):
        function, first, named = unfold(b, t.function, owner_of(b, fun))
        held = b.build(DictT(tuple(named), ()), list(named.values()))
        return b.dispatch(Const(completed), [function, b.build_tuple(*first), held], [])
    return b.dispatch(Const(unbound), [Const(t.function), owner_of(b, fun)], [])


@handles(rt.slope, look=())
def slope(
    b: Builder, args: list[Atom], kwargs: list[tuple[str, Atom]], place: Place | None, name: str
) -> Atom:
    """The gradient in the equation that a minimum solves."""
    fun, x = args
    return gradient(b, fun, [x], [], (0,), False)[2][0]


REMEMBERING["implicit"] = sweep_implicit
forward.KINDS["implicit"] = forward_implicit
