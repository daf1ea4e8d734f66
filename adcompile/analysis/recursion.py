"""Recursive functions: called by reference, specialised once for each tuple of argument types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.heap import fresh, give_followed, reached, settle
from adcompile.analysis.infer import Terminated, run_function
from adcompile.analysis.leaves import deep_widen, leaf_names, leaf_types, rebuild_carried, value_leaves
from adcompile.errors import Place, Unsupported
from adcompile.ir.nodes import Atom, Const, Function, Raise, Return, Signature
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import NEVER, DictT, Known, Never, Type, join

ROUNDS = 12


@dataclass(frozen=True)
class AsObject:
    """Where a list, dict or object is made that a recursive function gets, and might write into: if it does, the
    program is specialised again with a real one there, of which only the class is known."""

    place: Place


@dataclass
class Specialised:
    """A function of the program for one tuple of argument types."""

    ref: FunctionRef
    result: Type = field(default=NEVER)


def call_separate(
    b: Builder, function: Function, params: list[Atom], cells: list[Atom], place: Place | None
) -> Atom:
    """Call a recursive function by reference, specialised on the types of the leaves."""
    made = [cell.place for cell in reached(b, [*params, *cells]) if cell.real is None and cell.place is not None]
    b.context.alternatives.update(AsObject(place) for place in made)
    values = [give_followed(b, v) for v in (*params, *cells)]
    types = tuple(deep_widen(b.type(v)) for v in values)
    key = (function, types)
    spec = b.context.specialised.get(key)
    if spec is None:
        spec = Specialised(FunctionRef(function.name))
        b.context.specialised[key] = spec
        specialise_separate(b, spec, function, types)
    leaves = [leaf for v, t in zip(values, types) for leaf in value_leaves(b, v, t)]
    if isinstance(spec.result, Never):
        raise Terminated(endless(b.place))
    return b.emit(Const(spec.ref), leaves, spec.result, (), function.name, place)


def endless(place: Place | None) -> Raise:
    """What comes of a recursion that has no end; one that is not inferred yet has another round."""
    return Raise(Const(RecursionError("maximum recursion depth exceeded")), None, place)


def specialise_separate(b: Builder, spec: Specialised, function: Function, types: tuple[Type, ...]) -> None:
    context = b.context
    outer, context.inlining = context.inlining, []
    context.apart += 1
    mark = context.store.mark()
    own = len(function.params) - 1  # the dict of further keyword arguments, which each call makes
    origin = [*function.params, *function.captured]
    for _ in range(ROUNDS):
        before = dict(context.specialised)
        inner = Builder(context, b.role)
        params = [
            [inner.new(n, leaf) for n, leaf in zip(leaf_names(var.name, t), leaf_types(t))]
            for var, t in zip(origin, types)
        ]
        values = [rebuild_carried(inner, v.name, t, leaves) for v, t, leaves in zip(origin, types, params)]
        for v, t in zip(range(len(values)), types):
            if isinstance(t, Known):
                values[v] = Const(t.value)
        try:
            context.store.undo(mark)
            if function.signature.kwarg is not None and isinstance(types[own], DictT):
                values[own] = fresh(inner, dict, values[own], function.signature.kwarg)
            result = run_function(inner, function, values[: len(function.params)], values[len(function.params) :])
            result = settle(inner, result)
            end: Return | Raise = Return(result)
            joined = join(spec.result, deep_widen(inner.type(result)))
        except Terminated as stop:
            assert isinstance(stop.end, Raise)
            end, joined = stop.end, spec.result
        stable = joined == spec.result
        spec.result = joined
        if stable:
            break
        forget(context, before)
    else:
        raise Unsupported(
            "the type of the result of this recursive function keeps growing", function.place, "write it as a loop"
        )
    context.store.undo(mark)
    flat = tuple(p for leaves in params for p in leaves)
    body = inner.block((), end)
    context.functions[spec.ref] = Function(function.name, flat, (), body, Signature(), function.place)
    context.inlining = outer
    context.apart -= 1


def forget(context: Context, before: Mapping[object, object]) -> None:
    """Drop the functions made since `before`: they assume of this one what has turned out otherwise."""
    for key, made in list(context.specialised.items()):
        if key not in before:
            del context.specialised[key]
            if isinstance(made, Specialised):
                context.functions.pop(made.ref, None)
