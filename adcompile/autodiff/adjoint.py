"""The adjoint of one call, from its rule: cotangent contributions to its arguments."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.arraylike import array_places_of
from adcompile.analysis.builder import CONSTRUCTORS, Builder, is_structured, rank
from adcompile.analysis.calls import call_python
from adcompile.analysis.lengths import same_shape
from adcompile.analysis.terminated import Terminated
from adcompile.autodiff.called import call_body, call_pullback, fitted, is_readable, partials_called, signature_of
from adcompile.autodiff.cotangents import Cotangents, adds_up, as_result, refuse_stand_in
from adcompile.autodiff.given import check_cotangent, check_number, check_partial
from adcompile.autodiff.maskable import mask, selecting, selection, singular
from adcompile.autodiff.plain import is_unseen
from adcompile.autodiff.refusal import given_up, is_in_place, refuse, refuse_argument, refuse_subclass
from adcompile.autodiff.structural import STRUCTURAL, Active
from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const, Signature, Var
from adcompile.ir.types import UNKNOWN, Array, Instance, Known, ListT, Maybe, Scalar, TupleT, Type, Unknown, is_complex
from adcompile.rules.registry import Rule, lookup


@frozen
class Binding:
    """A call's arguments by the parameters of its rule: differentiable ones, then settings."""

    args: tuple[Atom, ...]
    settings: tuple[tuple[str, Atom], ...]


def bind_rule(body: Any, leading: int, call: Call) -> Binding:
    """Bind a primal call to a rule body whose first `leading` parameters are y (and y_bar).

    Positional parameters of the body up to the last one given, by position or by name, are
    arguments (those left out in between have their defaults); the others are settings.
    """
    signature, defaults = signature_of(body)
    positional = signature.positional[leading:]
    kwargs = [(name, value) for key, value in call.kwargs if (name := parameter(signature, positional, call, key))]
    if signature.vararg is not None:
        return Binding(tuple(call.args), tuple(kwargs))
    given = dict(zip(positional, call.args))
    settings = dict(zip(signature.keyword_only, call.args[len(positional) :]))
    for name, value in kwargs:
        (given if name in positional else settings)[name] = value
    last = max((k for k, name in enumerate(positional) if name in given), default=-1)
    first_default = len(positional) - len(defaults)
    args = [
        given[name] if name in given else Const(defaults[k - first_default])
        for k, name in enumerate(positional[: last + 1])
    ]
    return Binding(tuple(args), tuple(settings.items()))


LOOP_SETTINGS = frozenset({"dtype", "casting", "order", "subok", "sig", "signature"})
"""What decides the loop and the memory of a ufunc; the mathematics, and so its rule, is the same."""


def parameter(signature: Signature, positional: Sequence[str], call: Call, key: str) -> str:
    """What a rule's body calls what its function calls `key`; "": the body does without."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if key in positional or key in signature.keyword_only or signature.kwarg is not None:
        return key
    if isinstance(fn, np.ufunc) and key in LOOP_SETTINGS:
        return ""
    at = own_position(fn, key)
    return key if at is None or at >= len(positional) else positional[at]


def own_position(fn: Any, name: str) -> int | None:
    """The position of a parameter in the function's own signature: `exp` of pow is its second."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return None
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return names.index(name) if name in names else None


def check_settings(b: Builder, body: Any, settings: Sequence[tuple[str, Atom]]) -> None:
    """Raises Unsupported for a setting that a rule's body does not know."""
    signature = signature_of(body)[0]
    for name, _ in settings if signature.kwarg is None else ():
        if name not in (*signature.positional, *signature.keyword_only):
            remedy = "leave it out, or register a rule that takes it with adcompile.rules.vjp"
            raise Unsupported(f"{name}= in this call, which its derivative rule does not take", b.place, remedy)


def inline_rule(
    b: Builder, body: Any, args: Sequence[Atom], settings: Sequence[tuple[str, Atom]], count: int = 1
) -> Atom:
    """What a rule's body returns; of one that cannot be read, which is called, a tuple of `count`."""
    pinned, b.pinned = b.pinned, True
    try:
        if not is_readable(body):
            return call_body(b, body, list(args), list(settings), count)
        check_settings(b, body, settings)
        return call_python(b, body, list(args), list(settings))
    except Terminated as stopped:
        raise given_up(stopped, b.context.definition, b.place) or stopped from None
    finally:
        b.pinned = pinned


def inline_partials(b: Builder, rule: Rule, call: Call, bound: Binding) -> list[Atom]:
    """The partials of an elementwise call by its arguments, which raise no error that the call does not."""
    assert isinstance(call.fn, Const)
    lenient, b.context.lenient = b.context.lenient, isinstance(call.fn.value, np.ufunc)
    try:
        args = operands(b, call, rule, bound.args)
        partials = inline_rule(b, rule.body, (call.result, *args), bound.settings, len(bound.args))
        partials = partials if is_readable(rule.body) else partials_called(b, partials, call.result)
    finally:
        b.context.lenient = lenient
    listed = b.items(partials) if isinstance(b.type(partials), (TupleT, ListT)) else [partials]
    check_number(call, rule.body, 1, len(listed), len(bound.args), "partial derivative")
    for k, p in enumerate(listed):
        if all(p is not a for a in bound.args):  # of wrong operands, the call itself raises
            check_partial(b, call, k, p)
    listed = [b.emit(rt.partial, (p,), UNKNOWN) if may_be_none(b, p) else p for p in listed]
    b.context.boundary.partials(b, call, bound.args, listed)
    return listed


def may_be_none(b: Builder, partial: Atom) -> bool:
    """Whether a rule's body gives None on one of its paths, as for an argument that is None there itself."""
    chosen = isinstance(partial, Var) and partial not in b.context.definition
    return isinstance(b.type(partial), Maybe) or chosen and isinstance(b.type(partial), Unknown)


def operands(
    b: Builder, call: Call, rule: Rule, args: Sequence[Atom], keys: Sequence[int | str] | None = None
) -> list[Atom]:
    """What a rule's body reads of a call's arguments (`keys`: their positions and names): rules are written for
    arrays, and where nobody knows the type of what NumPy makes an array of, it may be a list, which is made one
    when the code runs."""
    places = array_places_of(b, call, rule) if is_readable(rule.body) else None
    if places is None:
        return list(args)
    named = zip(range(len(args)) if keys is None else keys, args)
    return [b.call(rt.operand, a) if places.takes(k) and may_be_list(b, a) else a for k, a in named]


def may_be_list(b: Builder, atom: Atom) -> bool:
    """Whether a value, of unknown type, may be a list or tuple that NumPy makes an array of."""
    t = b.type(atom)
    return is_unseen(b.context, atom) or isinstance(t, Instance) and issubclass(t.cls, (list, tuple))


def is_display(b: Builder, call: Call) -> bool:
    """Whether the call only makes a container whose parts are known."""
    t = b.type(call.result)
    if not isinstance(call.fn, Const):
        return False
    if isinstance(t, TupleT) and call.fn.value is t.cls:
        return True
    return is_structured(t) and call.fn.value in CONSTRUCTORS


def entry(table: dict[Any, Any], fn: Any) -> Any:
    """A table's entry for a callable; unhashable objects have none."""
    try:
        return table.get(fn)
    except TypeError:
        return None


# -- the kinds ----------------------------------------------------------------------------------


def add_adjoint(b: Builder, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """Emit the contributions of one active call to the cotangents of its arguments."""
    assert isinstance(call.fn, Const)
    fn = call.fn.value
    if is_display(b, call):
        return  # split: its items have received their own cotangents
    structural = entry(STRUCTURAL, fn)
    if structural is not None and structural(b, call, y_bar, cot, active):
        return
    rule = lookup(fn)
    refuse_subclass(b, call)
    if rule is None or rule.kind in ("primitive", "constant"):
        raise refuse(call)
    if is_in_place(fn) and isinstance(b.type(call.args[0]), Array):
        raise refuse(call)
    KINDS[kind_of(rule, call)](b, rule, call, y_bar, cot, active)


def kind_of(rule: Rule, call: Call) -> str:
    if rule.kind != "explicit":
        return rule.kind
    if rule.rrule is not None:
        return "rrule"
    return "vjp" if rule.body is not None else "frule"


def elementwise(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    if moves(rule, call, bind_rule(rule.body, 1, call), active):
        b.context.sweep_composite(b, rule.general, call, y_bar, cot, active)
        return
    number = rank(b.type(call.result)) == 0 and singular(b.context, call) and selection(b.context, y_bar)
    for arg, g in contributions(b, rule, call, y_bar, active, cot, if_selected if number else scaled):
        cot.add(arg, g)


def moves(rule: Rule, call: Call, bound: Binding, active: Active) -> bool:
    """Whether a setting carries derivatives, so that the function in other primitives answers: `rule.general`. Raises
    NotDifferentiable where there is none."""
    moving = [name for name, setting in bound.settings if active(setting)]
    if moving and rule.general is None:
        refuse_argument(call, moving[0])
    return bool(moving)


def contributions(
    b: Builder, rule: Rule, call: Call, y_bar: Atom, active: Active, cot: Cotangents, product: Callable[..., Atom]
) -> list[tuple[Atom, Atom]]:
    """What an elementwise call gives to each active argument: the `product` of a partial and the cotangent."""
    bound = bind_rule(rule.body, 1, call)
    partials = inline_partials(b, rule, call, bound)
    given = [(arg, p, bar_name(arg)) for arg, p in zip(bound.args, partials) if active(arg)]
    return [
        (arg, unbroadcast(b, product(b, p, y_bar, name), arg, call, cot, name))
        for arg, p, name in given
        if not (isinstance(p, Const) and p.value is None)
    ]


def scaled(b: Builder, p: Atom, g: Atom, name: str = "") -> Atom:
    """conj(p) · g, but zero where one of them is zero because something was left out there."""
    refuse_stand_in(b, p)
    factor = selecting(b, p, g)
    if factor is None:
        return times(b, p, g, name)
    return selected_product(b, b.call(np.conj, p) if is_complex(b.type(p)) else p, g, factor is g, name)


def if_selected(b: Builder, p: Atom, g: Atom, name: str = "") -> Atom:
    """conj(p) · g of numbers, but zero where g is: the partial may be infinite where the result was not used."""
    refuse_stand_in(b, p)
    if isinstance(p, Const) or not isinstance(g, Var):
        return times(b, p, g, name)
    return selected_product(b, b.call(np.conj, p) if is_complex(b.type(p)) else p, g, True, name)


def selected_product(b: Builder, p: Atom, g: Atom, by_second: bool, name: str = "") -> Atom:
    """p · g, zero where the second factor is (or the first), because something was left out there."""
    out = b.call(rt.selected_product, *((p, g) if by_second else (g, p)), name=name)
    if isinstance(out, Var):
        b.context.selections[out] = max(selection(b.context, g), mask(b.context, p))
    return out


def bar_name(arg: Atom) -> str:
    """What the cotangent of a value with a user's name is called."""
    return f"{arg.name}_bar" if isinstance(arg, Var) and arg.name not in ("", "t") else ""


def times(b: Builder, p: Atom, g: Atom, name: str = "") -> Atom:
    """conj(p) · g, with the simplifications that keep a cotangent small: factors of ±1 vanish,
    and a scalar that was expanded to a shape which the partial has anyway stays a scalar."""
    return multiplied(b, b.call(np.conj, p) if is_complex(b.type(p)) else p, g, name)


def multiplied(b: Builder, p: Atom, g: Atom, name: str = "") -> Atom:
    """p · g with these simplifications."""
    if isinstance(p, Const) and p.value == 1 and not isinstance(p.value, np.ndarray):
        return g
    if isinstance(p, Const) and p.value == -1:
        return b.call(operator.neg, g, name=name)
    small = b.context.expanded.get(g) if isinstance(g, Var) else None
    if small is not None:
        origin, like = small
        if isinstance(p, Var) and b.context.shape.get(p, p) is b.context.shape.get(like, like):
            return multiplied(b, p, origin, name)
        if rank(b.type(p)) == 0:
            return expand_like(b, multiplied(b, p, origin), like)
    if isinstance(g, Const) and g.value == 1 and type(g.value) is float and adds_up(b.type(p)):
        return p
    return b.call(operator.mul, p, g, name=name)


def expand_like(b: Builder, g: Atom, like: Var) -> Atom:
    """`g` broadcast to the shape of `like`, remembered as small."""
    out = b.call(rt.broadcast_like, g, like)
    if isinstance(out, Var):
        b.context.expanded[out] = (g, like)
        b.context.shape[out] = b.context.shape.get(like, like)
    return out


def unbroadcast(b: Builder, g: Atom, arg: Atom, call: Call, cot: Cotangents, name: str = "") -> Atom:
    """`g`, of the shape of the call's result, summed to the shape of its argument."""
    t, yt = b.type(arg), b.type(call.result)
    if rank(yt) == 0 or not isinstance(arg, Var):
        return g
    if rank(t) == 0 and isinstance(t, (Scalar, Known)):
        return b.call(np.sum, g, name=name)
    shape = b.context.shape
    if shape.get(arg, arg) is shape.get(call.result, call.result) or same_shape(b.context, arg, call.result):
        return g
    if not isinstance(t, Array) or not isinstance(yt, Array) or t.dims is None or yt.dims is None:
        return b.call(rt.unbroadcast, g, cot.shaped_as(arg), name=name)
    axes, unknown = broadcast_axes(b, t, yt, arg, call)
    if unknown:
        return b.call(rt.unbroadcast, g, cot.shaped_as(arg), name=name)
    lead = len(yt.dims) - len(t.dims)
    kept = tuple(a for a in axes if a >= lead)
    if kept:
        g = b.call(np.sum, g, axis=kept[0] if len(kept) == 1 else kept, keepdims=True)
    if lead:
        g = b.call(np.sum, g, axis=tuple(range(lead)) if lead > 1 else 0)
    return g


def broadcast_axes(b: Builder, t: Array, yt: Array, arg: Var, call: Call) -> tuple[list[int], bool]:
    """The axes of the result along which `arg` was repeated; whether that takes the run time."""
    assert t.dims is not None and yt.dims is not None
    lead = len(yt.dims) - len(t.dims)
    if lead < 0:  # `y *= x` into fewer axes than `x` has raises where it is reached
        return [], True
    others = [b.type(a) for a in (*call.args, *(v for _, v in call.kwargs)) if a is not arg]
    axes, unknown = list(range(lead)), False
    for k, dim in enumerate(t.dims):
        axis = lead + k
        if dim == "many" or yt.dims[axis] == "one":
            continue
        partners = {o.dims[axis - len(yt.dims)] for o in others if wide(o, len(yt.dims) - axis)}  # type: ignore[union-attr,index]
        unsure = any(isinstance(o, Array) and o.dims is None or not known_rank(o) for o in others)
        if not unsure and not partners - {"one"}:
            continue
        if dim == "one" and yt.dims[axis] == "many":
            axes.append(axis)
        else:
            unknown = True
    return axes, unknown


def wide(t: Type, from_end: int) -> bool:
    return isinstance(t, Array) and t.dims is not None and len(t.dims) >= from_end


def known_rank(t: Type) -> bool:
    return rank(t) is not None or isinstance(t, (Known, Scalar))


def reduction(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    bound = bind_rule(rule.body, 1, call)
    a = bound.args[0]
    if moves(rule, call, bound, active):
        b.context.sweep_composite(b, rule.general, call, y_bar, cot, active)
        return
    if not active(a):
        return
    assert isinstance(a, Var)
    settings = dict(bound.settings)
    axis, keepdims = settings.get("axis", Const(None)), settings.get("keepdims", Const(False))
    if rank(b.type(a)) == 0 or b.known(axis) and b.value(axis) is None and rank(b.type(call.result)) == 0:
        y, g = call.result, y_bar
    else:
        y = b.call(rt.expand, call.result, a, axis, keepdims)
        g = b.call(rt.expand, y_bar, a, axis, keepdims)
    p = inline_rule(b, rule.body, (y, *operands(b, call, rule, (a,))), bound.settings)
    if rank(b.type(a)) == 0:
        cot.add(a, times(b, p, g))
    elif rank(b.type(p)) == 0:
        cot.add(a, expand_like(b, times(b, p, g), a))
    else:
        product = scaled(b, p, g)
        if rank(b.type(p)) is None:  # the partial may be a number: then the product has the reduced shape
            product = expand_like(b, product, a)
        if isinstance(product, Var):
            b.context.shape[product] = b.context.shape.get(a, a)
        cot.add(a, product)


def pullback(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """linear, bilinear and vjp: the body gives the cotangents."""
    bound = bind_rule(rule.body, 2, call)
    cotangents = cotangents_of(b, rule, bound, y_bar, call)
    for k, arg in enumerate(bound.args):
        if active(arg):
            if k in cotangents:
                check_cotangent(b, call, k, cotangents[k], arg)
                cot.add(arg, cotangents[k])
            else:
                refuse_argument(call, k)
    for name, setting in bound.settings:
        if active(setting):
            refuse_argument(call, name)


def cotangents_of(b: Builder, rule: Rule, bound: Binding, y_bar: Atom, call: Call) -> dict[int, Atom]:
    """What a pullback's body gives, by the positions of the arguments."""
    wrt = positions_of(rule, len(bound.args))
    args = operands(b, call, rule, bound.args)
    y_bar = as_result(b, y_bar, call)
    result = inline_rule(b, rule.body, (y_bar, call.result, *args), bound.settings, len(wrt))
    if is_readable(rule.body):
        return by_position(b, rule, call, result, bound.args)
    return {k: fitted(b, g, bound.args[k]) for k, g in zip(wrt, b.items(result))}


def positions_of(rule: Rule, count: int) -> tuple[int, ...]:
    """The positions of the arguments that a pullback has cotangents for."""
    return rule.wrt if rule.wrt is not None else (0,) if rule.kind == "linear" else tuple(range(count))


def by_position(b: Builder, rule: Rule, call: Call, result: Atom, args: Sequence[Atom]) -> dict[int, Atom]:
    """The cotangents of a pullback by position: one for each of `wrt`, or one for each parameter of
    the primal from the first on; a rule for one argument may return its cotangent bare."""
    wrt = positions_of(rule, len(args))
    listed = isinstance(b.type(result), (TupleT, ListT))
    several = listed and all(isinstance(b.type(args[k]), (Array, Scalar)) for k in wrt if k < len(args))
    bare = len(wrt) == 1 and not several and (rule.kind == "linear" or not listed)
    given = b.items(result) if listed and not bare else [result]
    if len(given) == len(wrt):
        return dict(zip(wrt, given))
    check_number(call, rule.body, 2, len(given), 0, "cotangent")
    return {k: g for k, g in enumerate(given) if rule.wrt is None or k in wrt}


def composite(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """Differentiate the body in place of the call, in the adjoint code."""
    b.context.sweep_composite(b, rule.body, call, y_bar, cot, active)


def rrule(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """An rrule met where the forward code is already written: run it whole in the adjoint."""
    made = inline_rule(b, rule.rrule, call.args, call.kwargs, 2)
    add_pulled(b, rule, call, b.items(made)[1], y_bar, cot, active)


def add_pulled(
    b: Builder, rule: Rule, call: Call, pull: Atom, y_bar: Atom, cot: Cotangents, active: Active
) -> None:
    """Add what the pullback that an rrule gave returns."""
    bound, listed = pulled_back(b, rule, pull, y_bar, call)
    for k, (arg, g) in enumerate(zip(bound.args, listed)):
        if active(arg):
            check_cotangent(b, call, k, g, arg)
            cot.add(arg, g)
    for name, setting in bound.settings:
        if active(setting):
            refuse_argument(call, name)


def pulled_back(b: Builder, rule: Rule, pull: Atom, y_bar: Atom, call: Call) -> tuple[Binding, list[Atom]]:
    """A call's arguments by the parameters of its rrule, and their cotangents by the pullback that it
    gave: one for each of the arguments, or one for each parameter."""
    bound = bind_rule(rule.rrule, 0, call)
    y_bar = as_result(b, y_bar, call)
    if not is_readable(rule.rrule):
        given = b.items(call_pullback(b, pull, y_bar, len(bound.args)))
        return bound, [fitted(b, g, arg) for g, arg in zip(given, bound.args)]
    pulled = b.dispatch(pull, [y_bar], [])
    listed = b.items(pulled) if isinstance(b.type(pulled), (TupleT, ListT)) else [pulled]
    check_number(call, rule.rrule, 0, len(listed), len(bound.args), "cotangent")
    return bound, listed


def frule(b: Builder, rule: Rule, call: Call, y_bar: Atom, cot: Cotangents, active: Active) -> None:
    """Only a forward rule: transpose it."""
    b.context.transpose_frule(b, rule.frule, call, y_bar, cot, active)


KINDS: dict[str, Any] = {
    "elementwise": elementwise,
    "reduction": reduction,
    "linear": pullback,
    "bilinear": pullback,
    "vjp": pullback,
    "composite": composite,
    "rrule": rrule,
    "frule": frule,
}
