"""Calls of Python functions: inlined, unless they are recursive: then called by reference, and specialised once for
each tuple of argument types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from adcompile.analysis.builder import Builder, Context, Restart, Tentative, is_structured, parts
from adcompile.analysis.heap import fresh, give_followed, is_mutable, reached, settle
from adcompile.analysis.infer import run_function
from adcompile.analysis.leaves import deep_widen, leaf_names, leaf_types, rebuild_carried, value_leaves
from adcompile.analysis.live import live_key
from adcompile.analysis.nesting import Nodes, as_records, growing, not_nested
from adcompile.analysis.terminated import Terminated
from adcompile.analysis.yielding import suspended
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Function, Raise, Return, Signature, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    NEVER,
    Array,
    Boxed,
    Cell,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    Method,
    Never,
    Node,
    ObjectT,
    Ref,
    Seq,
    TupleT,
    Type,
    join,
)

ROUNDS = 12
DEPTH = 8
"""How often a method may be called again by itself, for objects of one class that are there already."""
BUDGET = 64
"""How many such calls are inlined, in all, of one function."""
GROWTH = 16
"""How often a recursive function may call itself for larger types each time."""
LARGE = 1000
"""The size of types that grow by more than a part at a time."""

Objects = tuple[tuple[type | None, Cell | None], ...]


@frozen
class AsObject:
    """Where a list, dict or object is made that a recursive function gets, and might write into: if it does, the
    program is specialised again with a real one there, of which only the class is known."""

    place: Any
    """Of a variable that functions share, with its name; of what is there already, what names it (binding.live_key)."""


@frozen
class AsResult:
    """A recursive function whose lists, dicts and objects might be written into by who gets them: if they are, the
    program is specialised again with real ones, of which only the class is known."""

    function: Function


@dataclass
class Specialised:
    """A function of the program for one tuple of argument types."""

    ref: FunctionRef
    nodes: Nodes
    """The tuples in the result that nest in each other without end."""
    result: Type = field(default=NEVER)
    asked: bool = False
    """Whether a call has taken the result for what it was when the function was not done."""


@frozen
class Entered:
    """A call that is being inlined: of which function, for which objects, and the store when it began."""

    function: Function
    objects: Objects
    mark: int


OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
"""Where functions of ours are, which stand for a call of the user's."""


def enter(b: Builder, function: Function, params: list[Atom], cells: list[Atom], place: Place | None) -> Atom:
    """Inline a lowered function, or call it by reference if it is recursive."""
    context = b.context
    if function.yields and len(params) < len(function.params):
        return suspended(b, function, params, cells, place, partial(run_generator, function, params, cells, place))
    if function in context.separate:
        return call_separate(b, function, params, cells, place)
    around = [e for e in context.inlining if e.function == function]
    objects = objects_of(b, params, around)
    if around and not is_another(context, around, objects):
        context.separate.add(function)
        raise Restart
    outer, unwound = context.inlining, context.store.unwound
    context.inlining = [*outer, Entered(function, objects, context.store.mark())]
    ours = function.place is not None and function.place.file.startswith(OURS)
    where = (place, True) if ours else (b.place, b.pinned and b.role != "primal")  # what ours calls, but for rules
    try:
        with b.pinned_at(*where):
            return run_function(b, function, params, cells)
    finally:
        context.inlining, context.store.unwound = outer, unwound


def run_generator(
    function: Function, params: list[Atom], cells: list[Atom], place: Place | None, b: Builder, each: Atom
) -> None:
    """Run a generator's function: for each item it calls `each`, and ends when that gives True."""
    if function in b.context.separate or any(e.function == function for e in b.context.inlining):
        raise Unsupported(f"{function.name}() is a generator that runs itself", place, "collect the items in a list")
    enter(b, function, [*params, each], cells, place)


def objects_of(b: Builder, params: Sequence[Atom], around: Sequence[Entered]) -> Objects:
    """What tells the calls of a function apart: the classes of the objects it is called for, and which objects they
    are, if they were there when the outermost of these calls began. Of both there are only so many: a chain of
    calls that differ in them ends."""
    made = b.context.store.changed(around[0].mark) if around else {}
    out: list[tuple[type | None, Cell | None]] = []
    for t in map(b.type, params):
        if isinstance(t, Ref) and t.cell.cls not in (list, dict, ops.Variable):
            there = t.cell not in made or made[t.cell] is not None
            out.append((t.cell.cls, t.cell if there else None))
        elif isinstance(t, (Instance, ObjectT)):
            out.append((t.cls, None))
        elif isinstance(t, Known) and isinstance(t.value, type):
            out.append((t.value, None))
        else:
            out.append((None, None))
    return tuple(out)


def is_another(context: Context, around: Sequence[Entered], objects: Objects) -> bool:
    """Whether a call within calls of the same function is for other objects than these: no recursion, but what a
    method of a base class is for, as where a network's `__call__` comes to those of its layers."""
    classes = [cls for cls, _ in objects]
    alike = [e for e in around if [cls for cls, _ in e.objects] == classes]
    if not alike:
        return any(classes)
    if len(alike) >= DEPTH or any(e.objects == objects for e in alike):
        return False
    function = around[0].function
    context.nested[function] = context.nested.get(function, 0) + 1
    return context.nested[function] <= BUDGET


def call_separate(
    b: Builder, function: Function, params: list[Atom], cells: list[Atom], place: Place | None
) -> Atom:
    """Call a recursive function by reference, specialised on the types of the leaves."""
    for cell in reached(b, [*params, *cells]):
        if cell.real is None and cell.place is not None:
            shared = cell.cls is ops.Variable
            b.context.alternatives.add(AsObject((cell.place, cell.name) if shared else cell.place))
    origins = [b.context.origin.get(v) for v in (*params, *cells) if isinstance(v, Var) and is_mutable(b.type(v))]
    b.context.alternatives.update(AsObject(live_key(*origin)) for origin in origins if origin is not None)
    values = [give_followed(b, v) for v in (*params, *cells)]
    if any(isinstance(b.type(v), IterT) for v in values):
        raise Unsupported("an iterator that a recursive function is given", place, "pass a list: list(items)")
    types = tuple(deep_widen(b.type(v)) for v in values)
    key = (function, types)
    spec = b.context.specialised.get(key)
    if spec is None:
        before, around, apart = dict(b.context.specialised), b.context.inlining, b.context.apart
        spec = Specialised(FunctionRef(function.name), b.context.nodes.setdefault(key, {}))
        b.context.specialised[key] = spec
        check_growth(b.context, function, place or b.place)
        try:
            specialise_separate(b, spec, function, types)
        except Tentative:  # the loop around is run item by item: then nobody may find what was not done
            forget(b.context, before)
            b.context.inlining, b.context.apart = around, apart
            raise
    else:
        spec.asked = True
    leaves = [leaf for v, t in zip(values, types) for leaf in value_leaves(b, v, t)]
    if isinstance(spec.result, Never):  # not inferred yet, or all ways through it end in exceptions: the call raises
        b.emit(Const(spec.ref), leaves, Known(None), (), function.name, place)
        raise Terminated(endless(b.place))
    return b.emit(Const(spec.ref), leaves, as_records(spec.result, spec.nodes), (), function.name, place)


def check_growth(context: Context, function: Function, place: Place | None) -> None:
    """Refuse a call within calls of the same function, each for larger types than the one before: tuples in tuples,
    functions around functions, arrays of more and more axes. No number of specialisations is enough for these,
    unless the types themselves say when it ends. (What is being specialised has no function yet.)"""
    begun = [key[1] for key, made in context.specialised.items() if key[0] is function and is_begun(context, made)]
    sizes = [tuple(map(size, types)) for types in begun]
    steps = 0
    for inner, outer in zip(sizes[::-1], sizes[-2::-1]):
        if any(i < o for i, o in zip(inner, outer)):
            break
        steps += inner != outer
    if steps >= GROWTH or steps > 2 and sum(sizes[-1]) > LARGE:
        raise Unsupported(
            f"{function.name}() calls itself with arguments of a larger type each time: tuples, lists or objects that "
            "nest deeper, functions around functions, or arrays of more axes",
            place,
            "build them in a loop over a known range, or fill a list by append; if nothing in the function has a "
            "derivative, say so: adcompile.rules.non_differentiable(function)",
        )


def is_begun(context: Context, made: object) -> bool:
    return isinstance(made, Specialised) and made.ref not in context.functions


def size(t: Type) -> int:
    """How large a type is: the parts it has, at all depths."""
    match t:
        case Array(_, dims):
            return 1 + len(dims or ())
        case Seq(content) | Method(_, content) | Boxed(_, content) | Maybe(content):
            return 1 + size(content)
        case _:
            return 1 + sum(map(size, parts(t))) if is_structured(t) else 1


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
        spec.asked = False
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
            joined = join(spec.result, result_type(context, function, deep_widen(inner.type(result))))
            if spec.asked and note_nesting(spec, joined):
                joined = NEVER  # from the beginning
        except Terminated as stop:
            assert isinstance(stop.end, Raise)
            end, joined = stop.end, spec.result
        stable = joined == spec.result or not spec.asked
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


def result_type(context: Context, function: Function, t: Type) -> Type:
    """The type of what a recursive function returns, which is nobody's cell: a write into it is not seen."""
    if not is_mutable(t):
        return t
    context.alternatives.add(AsResult(function))
    return as_real(t) if AsResult(function) in context.keyed else t


def as_real(t: Type) -> Type:
    """Lists, dicts and objects as those that are there when the code runs."""
    if isinstance(t, TupleT):
        return replace(t, items=tuple(map(as_real, t.items)))
    if not is_mutable(t):
        return t
    return Instance(list if isinstance(t, (ListT, Seq)) else dict if isinstance(t, DictT) else t.cls)  # type: ignore[union-attr]


def note_nesting(spec: Specialised, result: Type) -> bool:
    """Whether it turns out that tuples in the result nest without end, or that such a one does not."""
    found: Nodes = {path: Node() for path in growing(spec.result, result) if path not in spec.nodes}
    if result == spec.result != NEVER:
        found.update(dict.fromkeys(not_nested(result, spec.nodes)))
    spec.nodes.update(found)
    return bool(found)


def forget(context: Context, before: Mapping[object, object]) -> None:
    """Drop the functions made since `before`: they assume of this one what has turned out otherwise."""
    for key, made in list(context.specialised.items()):
        if key not in before:
            del context.specialised[key]
            if isinstance(made, Specialised):
                context.functions.pop(made.ref, None)
