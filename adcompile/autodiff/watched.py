"""The boundary in debug mode: what rules give, and the memory that mirrors other memory, is checked
by statements among the derivative's own (runtime/debug).

What a rule does inside is not looked at: while one is applied the checks of others rest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import Activity
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.views import fn_of
from adcompile.autodiff.adjoint import kind_of
from adcompile.autodiff.boundary import Boundary
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.mirror import Mirror
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, Statement, Unreachable, Var, While, Yield
from adcompile.ir.types import UNKNOWN, Array, Known, Scalar, Type, differentiable
from adcompile.rules.registry import Rule, lookup

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward

EXACT = {"linear", "bilinear", "vjp", "rrule"}
"""Kinds of rules that give whole cotangents: one number does not stand for all elements."""


class Watched(Boundary):
    """Rules with checks of what they give."""

    def __init__(self) -> None:
        self.inside = 0  # rules that are being applied

    @contextmanager
    def applying(self) -> Generator[bool, None, None]:
        """Whether this rule is the outermost, and is checked."""
        self.inside += 1
        try:
            yield self.inside == 1
        finally:
            self.inside -= 1

    # -- reverse ----------------------------------------------------------------------------

    def adjoint(self, b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Callable[[Atom], bool]) -> None:
        with self.applying() as outermost:
            super().adjoint(b, call, y_bar, self.receiving(call, y_bar, cot) if outermost else cot, active)

    def partials(self, b: Builder, call: Call, args: Sequence[Atom], partials: Sequence[Atom]) -> None:
        if self.inside == 1:
            for a, p in zip(args, partials):
                if isinstance(a, Var) and isinstance(p, Var):
                    settings = (spot_of(rule_name(call), call.place), Const(argument_name(b, call, a)))
                    b.emit(rt.check_partial, (*settings, p, call.result), Known(None))

    def pulled(self, call: Call, y_bar: Atom, cot: Cotangents) -> Cotangents:
        return cot if self.inside else self.receiving(call, y_bar, cot)

    def receiving(self, call: Call, y_bar: Atom, cot: Cotangents) -> Cotangents:
        """The table `cot`, which checks what it is given by the rule of `call`."""
        rule = lookup(call.fn.value) if isinstance(call.fn, Const) else None
        if rule is None or rule.kind == "structure":
            return cot
        b = cot.builder
        given = [leaf for a in (*call.args, *(v for _, v in call.kwargs)) for leaf in leaves(b, a)]
        parts = {f.name: getattr(cot, f.name) for f in fields(Cotangents)}
        exact = kind_of(rule, call) in EXACT
        return Receiving(**parts, call=call, exact=exact, around=(call.result, y_bar, *dict.fromkeys(given)))

    # -- forward ----------------------------------------------------------------------------

    def tangent(self, f: Forward, call: Call, rule: Rule | None) -> Atom | None:
        with self.applying() as outermost:
            d = super().tangent(f, call, rule)
        if outermost and d is not None and rule is not None and rule.kind != "structure":
            check_tangent(f, call, d)
        return d

    def with_value(self, f: Forward, call: Call, rule: Rule) -> None:
        with self.applying() as outermost:
            super().with_value(f, call, rule)
        if outermost:
            check_tangent(f, call, f.dots[call.result], exact=True)

    # -- memory that mirrors memory -----------------------------------------------------------

    def entered(self, mirror: Mirror, made: Sequence[tuple[Atom, Atom]], values: Sequence[Var]) -> None:
        b = mirror.b
        read = tuple(shadow for key, shadow in mirror.roots.items() if not mirror.memory.is_written(key))
        mirror.aliases = b.emit(rt.alias_map, read, UNKNOWN, (), "aliases")
        for x, shadow in made:
            spot = spot_of("the argument " + getattr(x, "name", "that is written"), b.place)
            b.append(shadow_check(mirror, spot, x, shadow, fresh=True))
        for x in values:
            if is_memory(b, x):
                b.append(apart_check(mirror, spot_of(f"the argument {x.name}", b.place), b.real(x)))

    def mirrored(self, mirror: Mirror, statements: list[Statement], activity: Activity) -> list[Statement]:
        return list(checked(mirror, Block((), tuple(statements), Yield()), activity).statements)

    def shadowed(self, f: Forward, call: Call) -> None:
        d = f.dots.get(call.result)
        if f.mirror is not None and isinstance(d, Var) and is_memory(f.b, call.result):
            f.b.append(shadow_check(f.mirror, spot_of(rule_name(call), call.place), call.result, d, fresh=False))

    def handed(self, b: Builder, shadow: Var, t: Type) -> Atom:
        return b.emit(rt.snapshot, (shadow,), t)  # what the caller does with it is no writing into shadows

    # -- what loops keep ----------------------------------------------------------------------

    def replayed(self, b: Builder, numbers: Atom, lists: Sequence[Var], place: Place | None) -> None:
        if lists:
            b.emit(rt.check_kept, (spot_of("the loop", place), numbers, *lists), Known(None), (), "", place)


# -- rules ----------------------------------------------------------------------------------------


@dataclass
class Receiving(Cotangents):
    """A table of cotangents, one with what it was made of, while a rule adds to it."""

    call: Call = field(kw_only=True)
    exact: bool = field(kw_only=True)
    around: tuple[Atom, ...] = field(kw_only=True)

    def add(self, atom: Atom, g: Atom | None) -> None:
        b = self.builder
        if isinstance(atom, Var) and isinstance(g, Var) and differentiable(b.type(atom)):
            if isinstance(b.type(atom), (Array, Scalar)):
                self.check(atom, g)
        super().add(atom, g)

    def check(self, x: Var, g: Var) -> None:
        b, call = self.builder, self.call
        y, y_bar, *given = self.around
        others = [a for a in given if a is not x]
        args = (b.real(x), plain(b, y), plain(b, y_bar), *(b.real(a) if isinstance(a, Var) else a for a in others))
        settings = (spot_of(rule_name(call), call.place), Const(argument_name(b, call, x)), Const(self.exact))
        b.emit(rt.check_cotangent, (*settings, g, *args), Known(None))


def check_tangent(f: Forward, call: Call, d: Atom, exact: bool = False) -> None:
    b = f.b
    if f.mirror is not None and f.mirror.aliases is not None and call.result not in f.mirrored:
        if is_memory(b, call.result):
            b.append(apart_check(f.mirror, spot_of(rule_name(call), call.place), call.result))
    if not isinstance(d, Var) or is_structured(b.type(d)) or call.result in b.context.flat_of:
        return
    given = [leaf for a in (*call.args, *(v for _, v in call.kwargs)) for leaf in leaves(b, a)]
    dots = [f.dots[a] for a in given if a in f.dots]
    read = [b.real(a) if isinstance(a, Var) else a for a in given]
    args = (d, call.result, *read, *(x for x in dots if isinstance(x, Var)))
    b.emit(rt.check_tangent_of, (spot_of(rule_name(call), call.place), Const(exact), *args), Known(None))


def leaves(b: Builder, atom: Atom) -> list[Atom]:
    """The numbers and arrays in an argument that a rule reads, of constants those that are not finite; not lists of
    unknown length, which what comes later may use up."""
    if isinstance(atom, Const):
        return [atom] if isinstance(atom.value, (float, complex)) and not np.isfinite(atom.value) else []
    if is_structured(b.type(atom)):
        return [leaf for item in b.items(atom) for leaf in leaves(b, item)]
    return [atom] if isinstance(b.type(atom), (Array, Scalar)) else []


def plain(b: Builder, atom: Atom) -> Atom:
    """A value to look at: of a container, nothing."""
    if not isinstance(b.type(atom), (Array, Scalar, Known)):
        return Const(None)
    return b.real(atom) if isinstance(atom, Var) else atom


def argument_name(b: Builder, call: Call, x: Var) -> str:
    for name, a in (*((str(k + 1), a) for k, a in enumerate(call.args)), *((repr(k), a) for k, a in call.kwargs)):
        if a is x or x in leaves(b, a):
            return f"argument {name}"
    return "an argument"


def rule_name(call: Call) -> str:
    """The callable that a rule is of, as messages name it."""
    fn = fn_of(call)
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    return f"the rule of {name}"


def spot_of(name: str, place: Place | None) -> Const:
    """What a check says of where it stands, in a form that prints."""
    if place is None:
        return Const((name, None))
    return Const((name, (place.file, place.line, place.column, place.end_line, place.end_column)))


# -- memory ---------------------------------------------------------------------------------------


def is_memory(b: Builder, var: Var) -> bool:
    """Whether a value is an array."""
    return isinstance(b.type(var), Array)


def shadow_check(mirror: Mirror, spot: Const, x: Atom, shadow: Atom, fresh: bool) -> Call:
    x = mirror.b.real(x) if isinstance(x, Var) else x
    return effect(mirror, rt.check_shadow, aliases_of(mirror), spot, Const(fresh), x, shadow)


def apart_check(mirror: Mirror, spot: Const, x: Var) -> Call:
    return effect(mirror, rt.check_apart, aliases_of(mirror), spot, x)


def check_of(mirror: Mirror, var: Var) -> Call:
    """The check of a value and its shadow."""
    made = mirror.b.context.definition.get(var)
    spot = spot_of(f"the variable {var.name}", var.place) if made is None else spot_of(rule_name(made), made.place)
    return shadow_check(mirror, spot, var, mirror.shadow[var], is_fresh(mirror, var))


def aliases_of(mirror: Mirror) -> Atom:
    assert mirror.aliases is not None
    return mirror.aliases


def effect(mirror: Mirror, fn: object, *args: Atom) -> Call:
    result = mirror.b.new("t", Known(None))
    call = Call(result, Const(fn), args, (), None, mirror.role)
    mirror.b.context.definition[result] = call
    return call


def checked(mirror: Mirror, block: Block, activity: Activity) -> Block:
    """A block with a check behind each statement that makes memory with a shadow, or a value without
    one. What a loop carries is looked at where it comes from."""
    b, out = mirror.b, list[Statement]()
    here = {r for s in block.statements for r in results_of(s)}
    done: set[Var] = set()
    waiting: list[Var] = []
    for k, s in enumerate(block.statements, 1):
        out.append(within(mirror, s, activity))
        if k == len(block.statements) and isinstance(block.end, Unreachable):
            break  # both branches leave the block
        done.update(results_of(s))
        bound = [r for r in results_of(s) if r not in b.context.loose and r not in b.context.bound_if]  # on every path
        waiting += [r for r in bound if r in mirror.mirrored and r in mirror.shadow and is_memory(b, r)]
        ready = [r for r in waiting if mirror.shadow[r] in done or mirror.shadow[r] not in here]
        waiting = [r for r in waiting if r not in ready]
        out += [check_of(mirror, r) for r in ready]
        if isinstance(s, Call) and s.result in activity.active and s.result not in mirror.mirrored:
            if is_memory(b, s.result):
                out.append(apart_check(mirror, spot_of(rule_name(s), s.place), s.result))
    return replace(block, statements=tuple(out))


def within(mirror: Mirror, s: Statement, activity: Activity) -> Statement:
    """A statement with its blocks checked."""
    if isinstance(s, If):
        return replace(s, then=checked(mirror, s.then, activity), orelse=checked(mirror, s.orelse, activity))
    return replace(s, body=checked(mirror, s.body, activity)) if isinstance(s, (For, While)) else s


def is_fresh(mirror: Mirror, var: Var) -> bool:
    shadow = mirror.shadow[var]
    made = mirror.b.context.definition.get(shadow) if isinstance(shadow, Var) else None
    return made is not None and fn_of(made) is rt.shadow


def results_of(s: Statement) -> tuple[Var, ...]:
    return (s.result,) if isinstance(s, Call) else s.results
