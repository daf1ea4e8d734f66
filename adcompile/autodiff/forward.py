"""Forward mode: every statement followed by its tangent, control flow as it is."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import complexes
from adcompile.analysis.activity import Activity
from adcompile.analysis.builder import CONSTRUCTORS, Builder, is_structured, rank
from adcompile.analysis.lengths import same_shape
from adcompile.analysis.views import fn_of
from adcompile.autodiff.adjoint import (
    bind_rule,
    entry,
    expand_like,
    inline_partials,
    inline_rule,
    is_display,
    is_in_place,
    kind_of,
    moves,
    operands,
    refuse,
    refuse_argument,
    refuse_subclass,
    selected_product,
)
from adcompile.autodiff.called import fitted, is_readable, signature_of
from adcompile.autodiff.cotangents import in_dtype, in_single, refuse_stand_in, shadow_type, tangent_type, zero
from adcompile.autodiff.dynamic import forward_dynamic
from adcompile.autodiff.forward_structure import SPENT, STRUCTURAL, display, zeros_type
from adcompile.autodiff.given import is_zero, value_and_tangent
from adcompile.autodiff.maskable import selecting
from adcompile.autodiff.mirror import TOGETHER, Mirror
from adcompile.autodiff.plain import checked
from adcompile.autodiff.reference import apart, by_reference, forward_write, note_shadow, parts_by_reference
from adcompile.autodiff.unbound import bound_as
from adcompile.autodiff.writes import as_write
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, End, For, If, Statement, Var, While, Yield
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Known,
    ListT,
    Maybe,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    Unknown,
    differentiable,
    is_complex,
)
from adcompile.rules.registry import Rule, lookup


class Forward:
    """The tangent code of one body, emitted behind each statement."""

    def __init__(self, builder: Builder, activity: Activity, derived: Any, mirror: Mirror | None = None) -> None:
        self.b = builder
        self.context = builder.context
        self.active_vars = set(activity.active)
        self.varied = activity.varied
        self.mirrored = activity.mirrored
        self.mirror = mirror
        self.derived = derived
        self.dots: dict[Var, Atom] = {}
        self.buffers: set[Var] = set()

    def active(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom in self.active_vars

    def varies(self, atom: Atom) -> bool:
        return atom in self.varied

    def dot(self, atom: Atom) -> Atom | None:
        """The tangent of a leaf, or None where it is zero."""
        return self.dots.get(atom) if isinstance(atom, Var) else None

    def array_dot(self, atom: Atom) -> Atom | None:
        """The tangent of an operand that NumPy makes an array of, if it is a tuple or list."""
        d = self.whole_dot(atom)
        return d if d is None or not is_structured(self.b.type(d)) else self.b.call(np.array, d)

    def whole_dot(self, atom: Atom) -> Atom | None:
        """The tangent of a value of any structure, as one value of the same structure."""
        b, t = self.b, self.b.type(atom)
        if isinstance(atom, Var) and atom in self.dots:
            return self.filled(atom, self.dots[atom])
        if not is_structured(t) or not isinstance(atom, Var) or isinstance(t, SliceT):
            return None
        items = b.context_items(atom)
        dots = [self.whole_dot(item) for item in items]
        if all(d is None for d in dots):
            return None
        return b.build(t, [d if d is not None else self.zero(item) for d, item in zip(dots, items)])

    def filled(self, value: Var, dot: Atom) -> Atom:
        """The tangent of a tuple or list that a call has given, with zeros for integers among its items."""
        b, t = self.b, self.b.type(value)
        given = b.context.definition.get(dot) if isinstance(dot, Var) else None
        if given is None or fn_of(given) not in CONSTRUCTORS or not isinstance(t, (TupleT, ListT)):
            return dot
        dots = b.items(dot)
        nothing = [isinstance(d, Const) and d.value is None for d in dots]
        if len(dots) != len(t.items) or not any(nothing):
            return dot
        return b.build(t, [self.zero(b.item(value, k)) if nothing[k] else d for k, d in enumerate(dots)])

    def zero(self, atom: Atom) -> Atom:
        b, t = self.b, self.b.type(atom)
        if isinstance(t, Known) or isinstance(t, Scalar) and not differentiable(t):
            return Const(0.0)
        if isinstance(t, Seq) and not differentiable(t):
            return b.emit(rt.zero_list, (atom,), zeros_type(t))  # the list may get derivatives yet
        whole = isinstance(t, (Array, Maybe))  # these stand beside others: in np.concatenate, on another path
        if isinstance(t, SliceT) or not is_structured(t) and not differentiable(t) and not whole:
            return Const(None)
        if is_structured(t):
            return b.build(t, [self.zero(item) for item in b.items(atom)])
        return zero(b, atom) if isinstance(atom, Var) else Const(0.0)

    # -- blocks -----------------------------------------------------------------------------

    def statements(self, statements: Sequence[Statement]) -> None:
        for s in statements:
            self.b.place = s.place
            if isinstance(s, Call):
                before, after = checked(self.context, s, self.varies)
                self.b.statements += before
                self.call(s)
                self.b.statements += after
            elif isinstance(s, If):
                self.branch(s)
            else:
                assert isinstance(s, (For, While))
                self.loop(s)

    def call(self, s: Call) -> None:
        b = self.b
        write = as_write(b, s) if self.mirrored else None
        if write is not None and isinstance(write.target, Var) and write.target in self.mirrored:
            forward_write(self, s, write)
            if s.result in self.mirrored:
                self.dots[s.result] = self.dots[write.target]
            return
        if self.mirror is not None and (fn_of(s) in TOGETHER or self.mirror.gives_views(s, self.dots)):
            by_reference(self, s)
            return
        if self.mirror is not None and self.mirror.makes_parts(s) and self.mirror.without_shadow(s):
            parts_by_reference(self, s)
            return
        if self.derived.follows(self, s):
            self.derived.forward_call(self, s)
            return
        if not self.active(s.result):
            b.append(s)
            return
        if s.result in self.mirrored:
            by_reference(self, s)
            note_shadow(self, s.result)
            self.context.boundary.shadowed(self, s)
            return
        if forward_dynamic(self, s):
            return
        rule = lookup(s.fn.value) if isinstance(s.fn, Const) else None
        role, b.role, before = b.role, "tangent", len(b.statements)
        if rule is not None and rule.frule is not None:
            self.context.boundary.with_value(self, s, rule)
        else:
            spent = isinstance(s.fn, Const) and entry(SPENT, s.fn.value)
            if not spent:
                b.append(s)
            d = self.tangent(s, rule) if spent else self.context.boundary.tangent(self, s, rule)
            if spent:
                b.append(s)
            if d is not None:
                d = in_single(b, apart(self, d, s.result, before), b.type(s.result))
                self.dots[s.result] = self.named(d, s.result)
        b.role = role

    def named(self, d: Atom, var: Var) -> Atom:
        if isinstance(d, Var) and isinstance(self.b.type(var), Array):
            self.context.shape.setdefault(d, self.context.shape.get(var, var))
        return d

    def tangent(self, s: Call, rule: Rule | None) -> Atom | None:
        if not isinstance(s.fn, Const):
            raise refuse(s)
        if is_display(self.b, s):
            return display(self, s)
        structural = entry(STRUCTURAL, s.fn.value)
        if structural is not None:
            made = structural(self, s)
            if made is not NotImplemented:
                return made
        refuse_subclass(self.b, s)
        if (
            rule is None
            or rule.kind in ("primitive", "constant")
            or is_in_place(s.fn.value)
            and isinstance(self.b.type(s.args[0]), Array)
        ):
            raise refuse(s)
        return KINDS[kind_of(rule, s)](self, s, rule)

    # -- kinds ------------------------------------------------------------------------------

    def elementwise(self, s: Call, rule: Rule) -> Atom | None:
        b = self.b
        bound = bind_rule(rule.body, 1, s)
        if moves(rule, s, bound, self.active):
            return self.context.forward_composite(self, s, rule.general, s.args, s.kwargs)
        total: Atom | None = None
        for arg, p in zip(bound.args, inline_partials(b, rule, s, bound)):
            d = self.array_dot(arg)
            if d is None or isinstance(p, Const) and p.value is None:
                continue
            term = self.times(p, d)
            total = term if total is None else b.call(operator.add, total, term)
        return None if total is None else self.shaped(self.real_part(total, s.result), s.result)

    def real_part(self, d: Atom, y: Var) -> Atom:
        """A real function of complex numbers: the real part of its partial times the tangent."""
        t = self.b.type(y)
        if not is_complex(self.b.type(d)):
            return d
        if complexes.is_unknown(t) and complexes.may_arise(self.b):
            return self.b.emit(rt.as_found, (d, y), UNKNOWN)
        return d if is_complex(t) else self.b.call(np.real, d)

    def times(self, p: Atom, d: Atom) -> Atom:
        refuse_stand_in(self.b, p)
        if isinstance(p, Const) and p.value == 1:
            return d
        if isinstance(p, Const) and p.value == -1:
            return self.b.call(operator.neg, d)
        factor = selecting(self.b, p, d)
        return self.b.call(operator.mul, p, d) if factor is None else selected_product(self.b, p, d, factor is d)

    def shaped(self, d: Atom, y: Var) -> Atom:
        """The tangent in the shape of the result (an operand may have been broadcast)."""
        b = self.b
        yt, dt = b.type(y), b.type(d)
        if rank(yt) == 0:
            return d
        dims = yt.dims if isinstance(yt, Array) else None
        same = isinstance(dt, Array) and dims is not None and dt.dims == dims and "any" not in dims
        shape = self.context.shape
        if same and dims is not None and all(k == "one" for k in dims):
            return d
        if isinstance(d, Var) and (shape.get(d, d) is shape.get(y, y) or same_shape(self.context, d, y)):
            return d
        return expand_like(b, d, y) if not same else d

    def reduction(self, s: Call, rule: Rule) -> Atom | None:
        """sum(p · a_dot) over the reduced axes, by the sum rule's own arguments."""
        b = self.b
        bound = bind_rule(rule.body, 1, s)
        a = bound.args[0]
        if moves(rule, s, bound, self.active):
            return self.context.forward_composite(self, s, rule.general, s.args, s.kwargs)
        settings = dict(bound.settings)
        if (d := self.array_dot(a)) is None:
            return None
        axis, keepdims = settings.get("axis", Const(None)), settings.get("keepdims", Const(False))
        if rank(b.type(a)) == 0:
            return self.times(inline_rule(b, rule.body, (s.result, a), bound.settings), d)
        y = b.call(rt.expand, s.result, a, axis, keepdims)
        p = inline_rule(b, rule.body, (y, *operands(b, s, rule, (a,))), bound.settings)
        return b.call(rt.sum_over, self.real_part(self.times(p, d), s.result), axis, keepdims)

    def linear(self, s: Call, rule: Rule) -> Atom | None:
        """f(a_dot): the call itself on the tangents of what it is linear in."""
        b = self.b
        wrt = rule.wrt or (0,)
        if rule.tangent is not None and reads_memory(b, rule, s):
            return self.by_memory(s, rule)
        args = list(s.args)
        found = False
        for k in wrt:
            if k < len(args):
                d = self.whole_dot(args[k])
                found = found or d is not None
                args[k] = d if d is not None else self.zero(args[k])
        kwargs = list(s.kwargs)
        if not found and kwargs and wrt == (0,) and not s.args:
            return self.keyword_linear(s)
        self.refuse_others(s, wrt)
        return b.dispatch(s.fn, args, kwargs) if found else None

    def by_memory(self, s: Call, rule: Rule) -> Atom | None:
        """The tangent of a call that reads how its argument lies in memory, which is what the value says of it."""
        bound = bind_rule(rule.body, 2, s)
        d = self.whole_dot(bound.args[0])
        return None if d is None else inline_rule(self.b, rule.tangent, (d, *bound.args), bound.settings)

    def refuse_others(self, s: Call, wrt: Sequence[int]) -> None:
        """Raise for an argument that carries derivatives and that the call is not linear in."""
        others = [(k, a) for k, a in enumerate(s.args) if k not in wrt]
        for which, a in (*others, *s.kwargs):
            if self.active(a) and not isinstance(self.b.type(a), Unknown):
                refuse_argument(s, which)

    def keyword_linear(self, s: Call) -> Atom | None:
        (name, first), *rest = s.kwargs
        d = self.whole_dot(first)
        return None if d is None else self.b.dispatch(s.fn, [], [(name, d), *rest])

    def bilinear(self, s: Call, rule: Rule) -> Atom | None:
        b = self.b
        wrt = rule.wrt or (0, 1)
        self.refuse_others(s, wrt)
        total: Atom | None = None
        for k in wrt:
            d = self.whole_dot(s.args[k]) if k < len(s.args) else None
            if d is None:
                continue
            term = b.dispatch(s.fn, [d if j == k else a for j, a in enumerate(s.args)], list(s.kwargs))
            total = term if total is None else b.call(operator.add, total, term)
        return total

    def vjp(self, s: Call, rule: Rule) -> Atom | None:
        return self.context.transpose_vjp(self, s, rule)

    def composite(self, s: Call, rule: Rule) -> Atom | None:
        return self.context.forward_composite(self, s, rule.body, s.args, s.kwargs)

    def rrule(self, s: Call, rule: Rule) -> Atom | None:
        return self.context.transpose_vjp(self, s, rule)

    def frule(self, s: Call, rule: Rule) -> None:
        """A forward rule gives value and tangent together."""
        b = self.b
        for name in [name for name, a in s.kwargs if self.whole_dot(a) is not None]:
            refuse_argument(s, name)
        dots = [self.whole_dot(a) or Const(0.0) for a in s.args]
        pair = inline_rule(b, rule.frule, (*s.args, *dots), s.kwargs, 2)
        y, d = value_and_tangent(b, s, pair)
        b.statements.append(Call(s.result, Const(ops.identity), (y,), (), s.place, "primal"))
        b.local.add(s.result)
        d = d if is_readable(rule.frule) else fitted(b, d, s.result)
        d = self.zero(s.result) if is_zero(b.type(d)) else d
        self.dots[s.result] = apart(self, d, s.result, len(b.statements))

    # -- control flow -----------------------------------------------------------------------

    def inner(self, builder: Builder) -> Forward:
        child = Forward.__new__(Forward)
        child.b, child.context, child.active_vars = builder, self.context, self.active_vars
        child.derived, child.dots, child.buffers = self.derived, dict(self.dots), self.buffers
        child.varied, child.mirrored, child.mirror = self.varied, self.mirrored, self.mirror
        return child

    def branch(self, s: If) -> None:
        b = self.b
        sides = []
        for block in (s.then, s.orelse):
            side = self.inner(b.child())
            side.statements(block.statements)
            sides.append((block, side))
        moving = [k for k, r in enumerate(s.results) if self.active(r)]
        dots = [b.new(f"{s.results[k].name}_dot", self.dot_type(s.results[k])) for k in moving]
        for k, d in zip(moving, dots):
            bound_as(self.context, d, s.results[k])
        blocks = []
        for block, side in sides:
            end: End = block.end
            if isinstance(end, Yield):
                end = Yield((*end.values, *(side.value_dot(end.values[k], s.results[k]) for k in moving)))
            blocks.append(Block((), tuple(side.b.statements), end))
        b.append(If((*s.results, *dots), s.test, blocks[0], blocks[1], s.place, s.role))
        for k, d in zip(moving, dots):
            self.context.shape[d] = self.context.shape.get(s.results[k], s.results[k])
            self.dots[s.results[k]] = d
            note_shadow(self, s.results[k])

    def dot_type(self, var: Var) -> Type:
        """The type of the tangent of what branches or loops give."""
        t = self.b.type(var)
        return shadow_type(t) if var in self.mirrored else tangent_type(t)

    def value_dot(self, atom: Atom, into: Atom) -> Atom:
        """The tangent of what goes into a container, or of what a branch or loop hands on as another value."""
        if isinstance(atom, Const) and (atom.value is ops.UNDEFINED or atom.value is None and into in self.mirrored):
            return atom
        d = self.whole_dot(atom)
        return in_dtype(self.b, d, atom) if d is not None else self.zero(atom)

    def loop(self, s: For | While) -> None:
        b = self.b
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        if isinstance(s, For) and self.active(s.body.params[0]):
            raise Unsupported(
                "a loop over an iterable of unknown kind whose items carry derivatives",
                s.place,
                "loop over an array, a list, a tuple or a range",
            )
        moving = [k for k, (p, r) in enumerate(zip(params, s.results)) if self.active(p) or self.active(r)]
        side = self.inner(b.child())
        dots = []
        for k in moving:
            d = side.b.new(f"{params[k].name}_dot", self.dot_type(params[k]))
            self.context.shape[d] = self.context.shape.get(params[k], params[k])
            side.dots[params[k]] = d
            note_shadow(side, params[k])
            dots.append(d)
        body = self.body(s.body, side, {k: params[k] for k in moving})
        init = [self.value_dot(s.init[k], params[k]) for k in moving]
        results = [b.new(f"{s.results[k].name}_dot", self.dot_type(s.results[k])) for k in moving]
        for k, param, result in zip(moving, dots, results):
            bound_as(self.context, param, params[k])
            bound_as(self.context, result, s.results[k])
        body = Block((*s.body.params, *dots), body.statements, body.end)
        b.append(replace(s, results=(*s.results, *results), init=(*s.init, *init), body=body))
        for k, d in zip(moving, results):
            self.context.shape[d] = self.context.shape.get(s.results[k], s.results[k])
            self.dots[s.results[k]] = d
            note_shadow(self, s.results[k])

    def body(self, block: Block, side: Forward, moving: dict[int, Var]) -> Block:
        """A block of a loop body's tree of exits, which hands on tangents of what the loop carries."""
        if isinstance(block.end, (Continue, Break)):
            side.statements(block.statements)
            dots = [side.value_dot(block.end.values[k], into) for k, into in moving.items()]
            end: End = type(block.end)((*block.end.values, *dots))
            return Block((), tuple(side.b.statements), end)
        tail = block.statements[-1] if block.statements else None
        if not isinstance(tail, If) or isinstance(tail.then.end, Yield) or isinstance(tail.orelse.end, Yield):
            side.statements(block.statements)
            return Block((), tuple(side.b.statements), block.end)
        side.statements(block.statements[:-1])
        then = self.body(tail.then, side.inner(side.b.child()), moving)
        orelse = self.body(tail.orelse, side.inner(side.b.child()), moving)
        return Block((), (*side.b.statements, replace(tail, then=then, orelse=orelse)), block.end)


def reads_memory(b: Builder, rule: Rule, call: Call) -> bool:
    """Whether a call may go through its argument as it lies in memory: unless `order` is "C" or "F"."""
    bound, signature = bind_rule(rule.body, 2, call), signature_of(rule.body)[0]
    order = {**dict(zip(signature.positional[2:], bound.args)), **dict(bound.settings)}.get("order")
    if order is None:  # left out, if there is one
        return "order" not in (*signature.positional, *signature.keyword_only)
    return not b.known(order) or b.value(order) not in ("C", "F", None)


KINDS: dict[str, Any] = {
    "elementwise": Forward.elementwise,
    "reduction": Forward.reduction,
    "linear": Forward.linear,
    "bilinear": Forward.bilinear,
    "vjp": Forward.vjp,
    "composite": Forward.composite,
    "rrule": Forward.rrule,
}
