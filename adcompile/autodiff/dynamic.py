"""Calls whose derivative is looked up when the code runs.

A call of a function that is known only then, and calls that read parts of values whose types are.
The forward sweep gets the value and a pullback from `runtime.dynamic`, the reverse sweep calls the
pullback; forward mode gets value and tangent. These helpers are differentiated again here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder, parts
from adcompile.analysis.views import fn_of
from adcompile.autodiff.cotangents import Cotangents, tangent_structure
from adcompile.errors import NotDifferentiable, Place, Unsupported, spot
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, Statement, Var
from adcompile.ir.types import UNKNOWN, Closure, Instance, TupleT, Unknown

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward
    from adcompile.autodiff.reverse import Sweep

READERS = (getattr, list, tuple)
UNTYPED = (Unknown, Instance)


@frozen
class Sought:
    """A call to be looked up: `args` with the values of the keywords `names` at the end."""

    fn: Atom
    args: tuple[Atom, ...]
    names: tuple[str, ...] = ()

    def wrt(self, carries: Any) -> tuple[int, ...]:
        return tuple(k for k, a in enumerate(self.args) if carries(a))


def sought(b: Builder, s: Call, carries: Any) -> Sought | None:
    """What to look up for an active call, or None where its derivative is known or refused.

    Raises NotDifferentiable for functions that themselves hold what is differentiated.
    """
    args, names = (*s.args, *(v for _, v in s.kwargs)), tuple(k for k, _ in s.kwargs)
    if isinstance(s.fn, Const):
        reads = fn_of(s) in READERS and len(s.args) > 0 and isinstance(b.type(s.args[0]), UNTYPED)
        return Sought(s.fn, args, names) if reads else None
    if not carries(s.fn):
        return Sought(s.fn, args, names)
    made = b.context.definition.get(s.fn)
    if made is not None and fn_of(made) is getattr and isinstance(made.args[1], Const):
        return Sought(made.args[1], (made.args[0], *args), names)
    raise NotDifferentiable(
        "the function called here is known only when the code runs, and holds values that carry derivatives",
        s.place,
        "pass what it holds as arguments, or choose between functions with if and else",
    )


def at(place: Place | None) -> Const:
    return Const(spot(place))


def settings_of(call: Sought, wrt: Sequence[int], place: Place | None) -> tuple[Atom, ...]:
    return call.fn, Const(tuple(wrt)), Const(call.names), at(place)


def reverse_dynamic(sweep: Sweep, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement] | None:
    """The forward statements of a call to be looked up, or None for other calls."""
    made = reverse_again(sweep, s, y_bar, cot)
    if made is not None:
        return made
    call = sought(cot.builder, s, sweep.carries)
    return None if call is None else reverse_sought(sweep, s, call, y_bar, cot)


def forward_dynamic(f: Forward, s: Call) -> bool:
    """Emit a call to be looked up, with its tangent; whether the call is one."""
    if forward_again(f, s):
        return True
    call = sought(f.b, s, f.active)
    if call is not None:
        forward_sought(f, s, call)
    return call is not None


# -- reverse ------------------------------------------------------------------------------------


def reverse_sought(sweep: Sweep, s: Call, call: Sought, y_bar: Atom, cot: Cotangents) -> list[Statement]:
    """The call with its pullback, in place of the call; its cotangents go into `cot`."""
    wrt = call.wrt(sweep.carries)
    if any(isinstance(sweep.context.types[a], Closure) for k in wrt if isinstance(a := call.args[k], Var)):
        raise Unsupported(
            "a function that has captured values with derivatives, handed to one that is known only when the code runs",
            s.place,
            "choose with if and else, and call each function there by its name",
        )
    forward = Builder(sweep.context, s.role, place=s.place)
    t = sweep.context.types[s.result]
    name = f"{s.result.name}_pull" if s.result.name not in ("", "t") else "pull"
    pair = forward.emit(rt.vjp_of, (*settings_of(call, wrt, s.place), *call.args), TupleT((t, UNKNOWN)), (), "pair")
    forward.append(part(sweep, s.result, pair, 0, s.role))
    pulled = forward.emit(operator.getitem, (pair, Const(1)), UNKNOWN, (), name)
    add_pulled(cot, pulled, y_bar, {k: call.args[k] for k in wrt})
    return forward.statements


def part(sweep: Sweep | Forward, result: Var, pair: Atom, k: int, role: Any) -> Call:
    call = Call(result, Const(operator.getitem), (pair, Const(k)), (), result.place, role)
    sweep.context.definition.setdefault(result, call)
    return call


def add_pulled(cot: Cotangents, pulled: Atom, y_bar: Atom, args: Mapping[int, Atom]) -> None:
    """Call a pullback, and add what it gives to the cotangents of the arguments."""
    b = cot.builder
    types = TupleT(tuple(tangent_structure(b.type(a)) for a in args.values()))
    bars = b.emit(rt.pull, (pulled, y_bar), types, (), "bars")
    for k, a in enumerate(args.values()):
        cot.add(a, b.item(bars, k))


# -- forward ------------------------------------------------------------------------------------


def forward_sought(f: Forward, s: Call, call: Sought) -> None:
    """The call with its tangent, in place of the call."""
    b = f.b
    dots = {k: d for k, a in enumerate(call.args) if (d := f.whole_dot(a)) is not None}
    t = b.type(s.result)
    given = (*settings_of(call, tuple(dots), s.place), *call.args, *dots.values())
    role, b.role = b.role, s.role
    pair = b.emit(rt.jvp_of, given, TupleT((t, tangent_structure(t))), (), "pair", s.place)
    b.append(part(f, s.result, pair, 0, s.role))
    b.role = "tangent"
    f.dots[s.result] = b.emit(operator.getitem, (pair, Const(1)), tangent_structure(t), (), f"{s.result.name}_dot")
    b.role = role


# -- once more ----------------------------------------------------------------------------------


def pushed(b: Builder, s: Call) -> Sought:
    """A tangent that was looked up, as a call to be looked up: a function of arguments and tangents."""
    fn, wrt, names, _, *args = s.args
    return Sought(b.emit(rt.pushed_by, (fn, wrt, names), Instance(type(pushed)), (), "pushed"), tuple(args))


def forward_again(f: Forward, s: Call) -> bool:
    """The tangent of what was looked up; whether the call was of that kind."""
    b, fn = f.b, fn_of(s)
    if fn is rt.jvp_of:
        forward_sought(f, s, pushed(b, s))
        return True
    if fn in (rt.vjp_of, rt.vjp_of_held):
        target, _, names, place, *args = s.args
        b.append(s)
        dots = [f.whole_dot(a) for a in args]
        at = tuple(k for k, d in enumerate(dots) if d is not None)
        given = (target, Const(at), names, place, *args, *(d for d in dots if d is not None))
        t = parts(b.type(s.result))[0]
        y_dot = b.item(b.emit(rt.jvp_of, given, TupleT((t, tangent_structure(t))), (), "pair", s.place), 1)
        found = [d for d in dots if d is not None]
        f.dots[s.result] = b.build_tuple(y_dot, b.emit(rt.dots_of, (Const(at), *args, *found), UNKNOWN))
        return True
    if fn is rt.pull:
        pulled, y_bar = s.args
        dots = [f.whole_dot(pulled) or Const(None), f.whole_dot(y_bar) or f.zero(y_bar)]
        t = b.type(s.result)
        pair = b.emit(rt.pull_jvp, (pulled, y_bar, *dots), TupleT((t, tangent_structure(t))), (), "pair", s.place)
        b.append(part(f, s.result, pair, 0, s.role))
        f.dots[s.result] = b.item(pair, 1)
        return True
    return False


def replaced(b: Builder, s: Call, fn: Any) -> Call:
    made = Call(s.result, Const(fn), s.args, s.kwargs, s.place, s.role)
    b.context.definition[s.result] = made
    return made


def reverse_again(sweep: Sweep, s: Call, y_bar: Atom, cot: Cotangents) -> list[Statement] | None:
    """The adjoint of what was looked up; None for other calls."""
    fn, b = fn_of(s), cot.builder
    if fn is rt.jvp_of:
        before = Builder(sweep.context, s.role, place=s.place)
        call = pushed(before, s)
        return [*before.statements, *reverse_sought(sweep, s, call, y_bar, cot)]
    if fn in (rt.vjp_of, rt.vjp_of_held):
        return reverse_vjp(sweep, s, y_bar, cot)
    if fn is rt.pull:
        pulled, seed = s.args
        forward = Builder(sweep.context, s.role, place=s.place)
        t = sweep.context.types[s.result]
        pair = forward.emit(rt.pull_vjp, (pulled, seed), TupleT((t, UNKNOWN)), (), "pair")
        forward.append(part(sweep, s.result, pair, 0, s.role))
        second = forward.emit(operator.getitem, (pair, Const(1)), UNKNOWN, (), "pull")
        types = TupleT((tangent_structure(b.type(seed)), UNKNOWN))
        bars = b.emit(rt.pull_split, (second, y_bar), types, (), "bars")
        cot.add(seed, b.item(bars, 0))
        cot.add(pulled, b.item(bars, 1))
        return forward.statements
    return None


def reverse_vjp(sweep: Sweep, s: Call, pair_bar: Atom, cot: Cotangents) -> list[Statement]:
    """The value's cotangent goes through the pullback; that of the pullback is one for each argument."""
    b = cot.builder
    target, _, names, place, *args = s.args
    wrt = [k for k, a in enumerate(args) if sweep.carries(a)]
    y_bar, pulled_bar = b.items(pair_bar)[:2]
    forward = Builder(sweep.context, s.role, place=s.place)
    forward.append(replaced(forward, s, rt.vjp_of_held))
    chosen = {k: args[k] for k in wrt}
    for k, a in chosen.items():
        cot.add(a, b.emit(rt.held_bar, (pulled_bar, Const(k), a), tangent_structure(b.type(a))))
    own = (target, Const(tuple(wrt)), names, place, *args)
    mine = forward.emit(rt.vjp_of, own, TupleT((UNKNOWN, UNKNOWN)), (), "pair")
    add_pulled(cot, forward.item(mine, 1), y_bar, chosen)
    return forward.statements
