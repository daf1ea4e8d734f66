"""Forward mode of arrays by reference: tangents in memory that mirrors the primal's."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import passes_derivative
from adcompile.analysis.builder import Builder, is_structured, rank
from adcompile.analysis.spectra import as_like, perhaps_real
from adcompile.analysis.views import fn_of, joins_lists, may_share
from adcompile.autodiff.mirror import CONTAINERS, TOGETHER, sharing_of
from adcompile.autodiff.optional import where_there
from adcompile.autodiff.roots import root_of
from adcompile.autodiff.writes import WHOLE, Write, stores_itself
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, If, Statement, Var, While, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, Known, Maybe
from adcompile.ir.walk import statements_of
from adcompile.rules.registry import lookup

if TYPE_CHECKING:
    from adcompile.autodiff.forward import Forward


def forward_write(f: Forward, s: Call, w: Write) -> None:
    """A write and the same write of tangents, which is computed from what was there before."""
    b = f.b
    target = f.dots[w.target]  # type: ignore[index]
    if stores_itself(b, s):
        b.append(s)
        return
    role, b.role = b.role, "tangent"
    if w.compute is None:
        assert w.value is not None
        d = f.whole_dot(w.value)
        b.append(s)
        if w.adds:
            if d is not None:
                args = (target, w.index, d)
                if fn_of(s) is np.ufunc.at:
                    b.emit(np.ufunc.at, (s.args[0], *args), Known(None))
                elif fn_of(s) is rt.add_each:
                    b.emit(rt.add_each, (target, d), Known(None))
                else:
                    b.emit(rt.add_at, args, Known(None))
        else:
            b.call(operator.setitem, target, w.index, Const(0.0) if d is None else d)
    else:
        d = virtual_dot(f, w)
        b.append(s)
        b.call(operator.setitem, target, WHOLE, Const(0.0) if d is None else d)
    b.role = role


def by_reference(f: Forward, s: Call) -> None:
    """An array whose memory is written in place: its tangent has memory of its own, or shows
    the memory of another one's tangent as the array does that of another array."""
    b, mirror = f.b, f.mirror
    assert mirror is not None
    mirror.shadow = f.dots
    if fn_of(s) in TOGETHER or mirror.gives_views(s, f.dots):
        for statement in mirror.statement(s):
            b.append(statement)
        return
    kind = sharing_of(s, f.context.types)
    root = mirror.base(s)
    part = mirror.memory.part(s)
    lists = fn_of(s) in CONTAINERS or joins_lists(s, f.context.types)
    found = lists or root is not None or part in f.dots or root_of(s, mirror.memory) in mirror.roots
    if kind in ("view", "out") and found:
        b.append(s)
        for statement in mirror.beside(s):
            b.append(statement)
        return
    if isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef):
        f.derived.forward_call(f, s)
        return
    if kind == "view":
        mirror.check_apart(s)
    role, b.role = b.role, "tangent"
    d, by_frule = called(f, s)
    if fn_of(s) is rt.replica:
        b.statements += mirror.beside(s)
        b.emit(rt.add_at, (f.dots[s.result], WHOLE, Const(0.0) if d is None else d), Known(None))
    elif kind == "maybe" and root is not None and not by_frule:
        given = d if d is not None else b.emit(rt.shadow, (s.result,), b.type(s.result))
        args = (s.result, root, mirror.of(root), given)
        f.dots[s.result] = b.emit(rt.followed, args, b.type(s.result), (), f"{s.result.name}_dot")
    elif d is None:
        f.dots[s.result] = b.emit(rt.shadow, (s.result,), b.type(s.result), (), f"{s.result.name}_dot")
    else:
        f.dots[s.result] = own_tangent(b, d, s.result)
    b.role = role


def parts_by_reference(f: Forward, s: Call) -> None:
    """Several arrays in memory of their own, some of which are written in place."""
    b, mirror = f.b, f.mirror
    assert mirror is not None
    mirror.shadow = f.dots
    role, b.role = b.role, "tangent"
    d, _ = called(f, s)
    if d is None:
        b.statements += mirror.beside_parts(s)
    else:
        f.dots[s.result] = owned_parts(f, d, s.result)
    b.role = role


def called(f: Forward, s: Call) -> tuple[Atom | None, bool]:
    """Emit a call: its tangent, if it has one, and whether an frule gave it together with the value."""
    inputs = (*s.args, *(v for _, v in s.kwargs))
    rule = lookup(s.fn.value) if isinstance(s.fn, Const) else None
    moving = passes_derivative(s) and any(f.whole_dot(a) is not None for a in inputs)
    if moving and rule is not None and rule.frule is not None:
        f.context.boundary.with_value(f, s, rule)
        return f.dots[s.result], True
    f.b.append(s)
    return f.context.boundary.tangent(f, s, rule) if moving else None, False


def owned_parts(f: Forward, d: Atom, of: Var) -> Atom:
    """The tangent of a container, with those of the arrays that are written in memory of their own."""
    b, items = f.b, list[Atom]()
    for k, part in enumerate(b.context_items(of)):
        item = b.item(d, k)
        if isinstance(part, Var) and part in f.mirrored:
            item = f.dots[part] = own_tangent(b, item, b.real(part))
        elif isinstance(part, Var) and is_structured(b.type(part)):
            item = owned_parts(f, item, part)
        items.append(item)
    return b.build(b.type(of), items)


def own_tangent(b: Builder, d: Atom, like: Var) -> Atom:
    """A tangent in memory of its own, which has the dtype and the layout of the array's."""
    t, given, name = b.type(like), b.type(d), f"{like.name}_dot"
    if isinstance(t, Maybe):
        whole = b.emit(ops.identity, (d,), t.type)
        return where_there(b, like, lambda c, there: own_tangent(c, whole, there))  # type: ignore[arg-type]
    alike = isinstance(t, Array) and isinstance(given, Array) and given.dtype == t.dtype and not perhaps_real(b, t)
    if alike and rank(t) == rank(given) == 1:
        return b.emit(rt.snapshot, (d,), t, (), name)
    made = b.emit(rt.shadow, (like,), t, (), name)
    b.emit(rt.add_at, (made, WHOLE, as_like(b, d, made)), Known(None))
    return made


HANDED_ON = (rt.broadcast_like, rt.unbroadcast, rt.own, rt.like, rt.fit, rt.expand, rt.as_complex, rt.as_found)
"""Helpers that may hand on the memory of their first argument."""


def apart(f: Forward, d: Atom, result: Var, before: int) -> Atom:
    """The tangent of new memory: the shadow of memory written in place, or a view of it, as it is
    now. A buffer has a tangent of its own, one that the statements from `before` on have made."""
    if is_structured(f.b.type(d)):
        parts = [apart(f, item, result, before) for item in f.b.items(d)]
        return d if all(a is c for a, c in zip(parts, f.b.items(d))) else f.b.build(f.b.type(d), parts)
    if shows_shadow(f, d):
        return f.b.emit(rt.snapshot, (d,), f.b.type(d))
    if result not in f.buffers or not isinstance(f.b.type(d), Array):
        return d
    made = next((s for s in f.b.statements[before:] if isinstance(s, Call) and s.result is d), None)
    own = made is not None and fn_of(made) in OWN
    return d if own else f.b.call(rt.copy, d)


BUFFERED: set[Any] = {ops.index_add, rt.accumulate, rt.add_item}
"""Calls that add to the memory of their first argument, a buffer of the reverse sweep."""

OWN: set[Any] = {*BUFFERED, rt.copy, rt.snapshot, np.zeros_like, operator.mul, operator.add, operator.sub}
"""Calls whose result is an array of its own."""


def buffers_in(statements: Sequence[Statement]) -> set[Var]:
    """Values that are added to in place, and what they are made of where paths meet."""
    block = Block((), tuple(statements), Yield())
    found = {s.args[0] for s in statements_of(block) if isinstance(s, Call) and fn_of(s) in BUFFERED}
    size = -1
    while found and size != len(found):
        size = len(found)
        for s in statements_of(block):
            for names in slots(s):
                if not found.isdisjoint(names):
                    found.update(names)
    return {v for v in found if isinstance(v, Var)}


def slots(s: Statement) -> list[tuple[Atom, ...]]:
    """The names of one value where the paths of a branch or loop meet."""
    if isinstance(s, If):
        ends = [side.end.values for side in (s.then, s.orelse) if isinstance(side.end, Yield)]
        return list(zip(s.results, *ends))
    if isinstance(s, (For, While)):
        params = s.body.params[1:] if isinstance(s, For) else s.body.params
        return list(zip(s.results, s.init, params))
    return []


def shows_shadow(f: Forward, d: Atom) -> bool:
    """Whether a tangent may have its memory in that of an array by reference."""
    while f.mirror is not None and isinstance(d, Var):
        if d in f.mirror.made:
            return True
        made = f.context.definition.get(d)
        if made is None or not made.args or not (fn_of(made) in HANDED_ON or may_share(made, f.context.types)):
            return False
        d = made.args[0]
    return False


def note_shadow(f: Forward, var: Var) -> None:
    """What was made the tangent of `var` is a shadow, if `var` is by reference."""
    d = f.dots.get(var)
    if f.mirror is not None and var in f.mirrored and isinstance(d, Var):
        f.mirror.made.add(d)


def virtual_dot(f: Forward, w: Write) -> Atom | None:
    """The tangent of what a write stores, computed before it is stored."""
    call = w.compute
    assert call is not None
    if not passes_derivative(call) or all(f.whole_dot(a) is None for a in (*call.args, *(v for _, v in call.kwargs))):
        return None
    if w.body is not None:
        return f.context.forward_composite(f, call, w.body, call.args, call.kwargs)
    assert isinstance(call.fn, Const)
    f.b.append(replace(call, role="tangent"))
    return f.context.boundary.tangent(f, call, lookup(call.fn.value))
