"""Writes in place, seen as what they store: `a[i] = v`, or a new value for all of `a`.

A write is understood as a call without effects whose result is stored: `a += v` stores `a + v`,
`np.add(x, y, out=o)` stores `np.add(x, y)`, `np.copyto(a, v)` stores `v`. Its adjoint takes the
cotangent out of the shadow of what was overwritten, leaves zeros there, and hands it on to that call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.activity import passes_derivative
from adcompile.analysis.builder import Builder, is_structured, rank
from adcompile.analysis.lengths import same_shape
from adcompile.analysis.views import fn_of, index_kind, is_tuple_part, item_kind
from adcompile.analysis.writing import AUGMENTED
from adcompile.autodiff import inplace
from adcompile.autodiff.cotangents import Cotangents
from adcompile.autodiff.maskable import selection
from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, OpaqueCode, Statement, Var
from adcompile.ir.types import Array, Known, Scalar, Seq, SliceT, TupleT, Type, is_complex
from adcompile.rules.registry import lookup
from adcompile.rules.typing import result_type

if TYPE_CHECKING:
    from adcompile.autodiff.reverse import Sweep

WHOLE = Const(Ellipsis)
FUNCTIONAL: dict[Any, Any] = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.itruediv: operator.truediv, operator.ifloordiv: operator.floordiv, operator.imod: operator.mod,
    operator.ipow: operator.pow, operator.imatmul: operator.matmul,
}  # fmt: skip


@frozen
class Write:
    """`target[index]` gets `value`, or the result of `compute`, a call without effects."""

    target: Atom
    index: Atom = WHOLE
    value: Atom | None = None
    compute: Call | None = None
    body: Callable[..., Any] | None = None  # what `compute` does, as a function to be followed
    adds: bool = False  # the value is added to what is there,
    sign: int = 1  # or (-1) subtracted


def as_write(b: Builder, s: Call) -> Write | None:
    """The write that a call is; None if it is none that we understand."""
    fn = fn_of(s)
    if fn is None:
        return None
    kwargs = dict(s.kwargs)
    if fn in (operator.setitem, np.ndarray.__setitem__) and len(s.args) == 3:
        return Write(s.args[0], s.args[1], value=s.args[2])
    if fn is rt.add_at:
        return Write(s.args[0], s.args[1], value=s.args[2], adds=True)
    if fn in FUNCTIONAL and isinstance(b.type(s.args[0]), Array):
        return Write(s.args[0], compute=virtual(b, s, FUNCTIONAL[fn], s.args, ()))
    if fn is rt.add_each:
        return Write(s.args[0], value=s.args[1], adds=True)
    if fn is np.ufunc.at and isinstance(s.args[0], Const) and s.args[0].value in (np.add, np.subtract):
        return Write(s.args[1], s.args[2], value=s.args[3], adds=True, sign=1 if s.args[0].value is np.add else -1)
    if fn is np.ufunc.at and len(s.args) in (3, 4):
        body = inplace.at if len(s.args) == 4 else inplace.at_each
        return Write(s.args[1], compute=virtual(b, s, body, s.args, (), s.args[1]), body=body)
    if isinstance(kwargs.get("out"), Var):
        return through_out(b, s, fn, kwargs)
    body = inplace.BODIES.get(fn)
    if body is not None:
        return Write(s.args[0], compute=virtual(b, s, Const(body).value, s.args, s.kwargs), body=body)
    return None


def through_out(b: Builder, s: Call, fn: Any, kwargs: dict[str, Atom]) -> Write | None:
    """`f(…, out=o)`, with `where=` too."""
    target = kwargs["out"]
    if is_structured(b.type(target)):
        items = b.context_items(target)  # type: ignore[arg-type]
        if len(items) != 1:
            return None
        target = items[0]
    rest = tuple((k, a) for k, a in s.kwargs if k not in ("out", "where", "casting"))
    if "where" in kwargs:
        if rest:
            return None
        args = (target, kwargs["where"], Const(fn), *s.args)
        return Write(target, compute=virtual(b, s, inplace.masked, args, ()), body=inplace.masked)
    if may_spread(b, s, fn, target):
        args = (target, Const(fn), *s.args)
        return Write(target, compute=virtual(b, s, inplace.spread, args, rest), body=inplace.spread)
    return Write(target, compute=virtual(b, s, fn, s.args, rest))


def may_spread(b: Builder, s: Call, fn: Any, target: Atom) -> bool:
    """Whether a function may store a result of fewer elements than `out` has, which NumPy repeats."""
    whole = b.type(target)
    if is_outer(fn) or isinstance(fn, np.ufunc) and fn.signature is not None:
        rule = lookup(fn)
        made = None if rule is None else result_type(fn, rule, [b.type(a) for a in s.args], {})
        return made is not None and not fills(made, whole)
    if not isinstance(fn, np.ufunc) and fn not in (np.clip, np.round, np.around, np.fix):
        return False
    return not any(same_shapes(b, a, target) or fills(b.type(a), whole) for a in s.args)


def is_outer(fn: Any) -> bool:
    of_ufunc = getattr(fn, "__name__", "") == "outer" and isinstance(getattr(fn, "__self__", None), np.ufunc)
    return fn is np.outer or of_ufunc


def same_shapes(b: Builder, arg: Atom, target: Atom) -> bool:
    return isinstance(arg, Var) and isinstance(target, Var) and same_shape(b.context, arg, target)


def fills(t: Type, whole: Type) -> bool:
    """Whether what has this shape at least has all elements of what it fits into."""
    if not isinstance(t, Array) or not isinstance(whole, Array) or t.dims is None or whole.dims is None:
        return rank(t) == rank(whole) == 0
    return len(t.dims) == len(whole.dims) and all(d == "many" or d == w == "one" for d, w in zip(t.dims, whole.dims))


def virtual(
    b: Builder,
    s: Call,
    fn: Any,
    args: tuple[Atom, ...],
    kwargs: tuple[tuple[str, Atom], ...],
    written: Atom | None = None,
) -> Call:
    """A call that is not emitted: the result is what the write stores (in `written`)."""
    first = s.args[0] if s.args and isinstance(b.type(s.args[0]), Array) else s.result
    target = first if written is None else written
    out = next((a for k, a in s.kwargs if k == "out"), None)
    like = out if isinstance(out, Var) and not is_structured(b.type(out)) else target
    result = b.new("t", b.type(like), s.place)
    if isinstance(like, Var):
        b.context.shape[result] = b.context.shape.get(like, like)
    return Call(result, Const(fn), args, kwargs, s.place, "adjoint")


def refuse_write(s: Call) -> Unsupported:
    """The error for a write into memory that carries derivatives, by what we know too little of."""
    fn = s.fn.value if isinstance(s.fn, Const) else None
    if isinstance(fn, OpaqueCode):
        return Unsupported(f"{fn.feature} around values that carry derivatives", fn.place, fn.remedy)
    name = getattr(fn, "__name__", None)
    what = f"{name}()" if name and fn is not None else "this call"
    return Unsupported(
        f"{what} may write into memory that carries derivatives, and what it writes is not known",
        s.place,
        "write a[…] = … with what it computes, or give it a copy",
    )


# -- reverse ------------------------------------------------------------------------------------


def reverse_write(sweep: Sweep, s: Call, w: Write, cot: Cotangents) -> list[Statement]:
    """The forward statements of a write into mirrored memory; its adjoint goes to `cot`."""
    b = cot.builder
    target = cot.shadow[w.target]  # type: ignore[index]
    if stores_itself(b, s):
        return [s]
    if w.compute is None:
        value = w.value
        assert value is not None
        # the adjoint writes at the same index, which the program may have changed meanwhile
        before, at = sweep.snapshots(s, Call(s.result, Const(operator.getitem), (w.index,)), cot)
        w = replace(w, index=at.args[0])
        if is_listed(b, value) and any_active(b, value, sweep.active):
            return [*before, *store_list(sweep, s, w, target, cot)]
        store(b, w, target, cot, sweep.active)
        return [*before, s]
    before, call = sweep.snapshots(s, w.compute, cot)
    if not passes_derivative(call):
        emptied(b, target, WHOLE)
        return [s]
    if changed_in_place(b, s, call, target, cot, sweep.active):
        return [*before, s]
    g = taken(b, target, WHOLE, None)
    # `y[i] /= v` makes a new number where `y[i]` is one, which is known only when the code runs
    changed = s.result if fn_of(s) in AUGMENTED else w.target
    after = Call(w.compute.result, Const(rt.snapshot), (changed,), (), s.place, "adjoint")
    b.context.definition[after.result] = after
    if w.body is not None:
        b.context.sweep_composite(b, w.body, call, g, cot, sweep.active)
    else:
        sweep.adjoint_of(call, g, cot)
    return [*before, s, after]


def is_listed(b: Builder, value: Atom) -> bool:
    return is_structured(b.type(value)) or isinstance(b.type(value), Seq)


def store_list(sweep: Sweep, s: Call, w: Write, target: Atom, cot: Cotangents) -> list[Statement]:
    """A list written into an array: NumPy makes an array of it, whose cotangent is the list's."""
    assert w.value is not None
    forward = Builder(sweep.context, "adjoint", place=s.place)
    made = forward.call(np.array, w.value)
    assert isinstance(made, Var)
    sweep.active_vars.add(made)
    whole = Cotangents(cot.builder, owned=cot.owned)
    store(cot.builder, replace(w, value=made), target, whole, sweep.active)
    g = whole.get(made)
    if g is not None:
        sweep.adjoint_of(sweep.context.definition[made], g, cot)
    return [*forward.statements, s]


def changed_in_place(
    b: Builder, s: Call, call: Call, target: Atom, cot: Cotangents, active: Callable[[Atom], bool]
) -> bool:
    """The adjoint of `a += v`, `a -= v`, and of `a *= v`, `a /= v` with an inert `v`, where the
    shadow need not be emptied and filled again."""
    fn = fn_of(s)
    if fn is operator.iadd or fn is operator.isub:
        v = call.args[1]
        if any_active(b, v, active) and not isinstance(b.type(v), (Scalar, Array)):
            return False
        if any_active(b, v, active):
            g = b.emit(rt.snapshot, (target,), b.type(target))
            b.context.shape[g] = b.context.shape.get(target, target)  # type: ignore[arg-type]
            hand_on(b, g if fn is operator.iadd else b.call(operator.neg, g), v, cot)
        return True
    if fn not in (operator.imul, operator.itruediv) or any_active(b, call.args[1], active):
        return False
    if is_complex(b.type(call.args[1])):
        return False
    b.emit(fn, (target, call.args[1]), b.type(target))
    return True


def stores_itself(b: Builder, s: Call) -> bool:
    """Whether a store puts back, where it was, a view changed in place: `a[i] *= v`."""
    value, definition = s.args[2] if len(s.args) == 3 else None, b.context.definition
    view = definition.get(value) if isinstance(value, Var) else None
    while view is not None and fn_of(view) in FUNCTIONAL and isinstance(b.type(view.result), Array):
        view = definition.get(view.args[0]) if isinstance(view.args[0], Var) else None
    if view is None or fn_of(view) is not operator.getitem or item_kind(view, b.context.types) != "view":
        return False
    if not isinstance(b.type(view.result), Array):  # a number is none
        return False
    same_index = view.args[1] is s.args[1] or same_constant(view.args[1], s.args[1])
    return view.args[0] is s.args[0] and same_index


def same_constant(a: Atom, b: Atom) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and Known(a.value) == Known(b.value)


def store(b: Builder, w: Write, target: Atom, cot: Cotangents, active: Callable[[Atom], bool]) -> None:
    value = w.value
    assert value is not None
    wanted = any_active(b, value, active)
    if w.adds:
        if wanted:
            each = isinstance(b.type(target), Seq)
            g = target if each else b.call(operator.getitem, target, w.index)
            g = copied(b, g)
            hand_on(b, g if w.sign > 0 else b.call(operator.neg, g), value, cot)
        return
    g = taken(b, target, w.index, value) if wanted else None
    if g is None:
        emptied(b, target, w.index)
    else:
        hand_on(b, g, value, cot)


def taken(b: Builder, target: Atom, index: Atom, value: Atom | None) -> Atom:
    """What the shadow holds at an index where `value` was written, copied; zeros are left there."""
    if value is None:
        g = b.emit(rt.snapshot, (target,), b.type(target))
        b.context.shape[g] = b.context.shape.get(target, target)  # type: ignore[arg-type]
    else:
        g = copied(b, b.call(operator.getitem, target, index))
        if may_repeat(b, index):
            t = b.type(g)
            kind = Array(np.dtype(bool), t.dims if isinstance(t, Array) else None)
            g = b.call(np.where, b.emit(rt.last_writes, (target, index, value), kind), g, 0.0)
    selection(b.context, g)  # by what was written later, not by this
    emptied(b, target, index)
    return g


def emptied(b: Builder, target: Atom, index: Atom) -> None:
    """Zeros in a shadow, where the value was overwritten: nobody has read what stood there before."""
    b.call(operator.setitem, target, index, 0.0)
    while isinstance(target, Var):
        b.context.selections[target] = max(1, selection(b.context, target))
        made = b.context.definition.get(target)
        target = made.args[0] if made is not None and fn_of(made) is operator.getitem else Const(None)


def may_repeat(b: Builder, index: Atom) -> bool:
    """Whether an index may select an element twice: all but numbers, slices and masks may."""
    t = b.type(index)
    if isinstance(t, TupleT):
        return any(is_tuple_part(b.type(i)) or may_repeat(b, i) for i in b.items(index))
    if isinstance(t, Array):
        return t.dtype.kind != "b"
    if isinstance(t, Known):
        return isinstance(t.value, (list, tuple, np.ndarray))
    return not isinstance(t, (Scalar, SliceT))


def copied(b: Builder, g: Atom) -> Atom:
    """`g` in memory of its own, if it is a view."""
    t = b.type(g)
    if isinstance(t, (Scalar, Known)):
        return g
    made = b.context.definition.get(g) if isinstance(g, Var) else None
    if made is not None and fn_of(made) is operator.getitem and index_kind(made.args[1], b.context.types) == "copy":
        return g
    return b.emit(rt.snapshot, (g,), t)


def hand_on(b: Builder, g: Atom, value: Atom, cot: Cotangents) -> None:
    """A cotangent of the shape of what was written to, to the value written there by broadcasting."""
    t = b.type(value)
    if not isinstance(value, Var):
        return
    if isinstance(b.type(g), Seq):
        cot.add(value, b.call(np.array, g) if isinstance(t, Array) else g)
    elif isinstance(t, Scalar):
        cot.add(value, g if rank(b.type(g)) == 0 else b.call(np.sum, g))
    else:
        ours, theirs = rank(b.type(g)), rank(t)
        if ours is not None and theirs is not None and ours < theirs:  # a[0] = v drops leading axes of length one
            g = b.call(np.expand_dims, g, tuple(range(theirs - ours)))
        alike = ours == theirs == 0 or isinstance(g, Var) and same_shape(b.context, g, value)
        cot.add(value, g if alike else b.call(rt.unbroadcast, g, cot.shaped_as(value)))


def any_active(b: Builder, value: Atom, active: Callable[[Atom], bool]) -> bool:
    if is_structured(b.type(value)):
        return any(any_active(b, item, active) for item in b.items(value))
    return active(value)
