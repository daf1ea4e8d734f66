"""Builtins, and functions of functools, that work on types and containers."""

from __future__ import annotations

import itertools
import operator
import types as python_types
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis import iteration
from adcompile.analysis.attributes import class_of
from adcompile.analysis.begin import Begin
from adcompile.analysis.builder import Builder, Lifted, is_structured, parts
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.contents import sites_in
from adcompile.analysis.demotion import demote
from adcompile.analysis.heap import cell_of, give, is_opaque
from adcompile.analysis.infer import run_loop
from adcompile.analysis.iteration import as_sequence, element_type, indexable, known_items
from adcompile.analysis.keyed import real_or_keyed
from adcompile.analysis.laziness import all_of, check_own, check_turns, lazy_rows, states_of, taken, view_of
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.live import is_written
from adcompile.analysis.optional import note_identity, note_negation
from adcompile.analysis.pools import collectors
from adcompile.analysis.structure import Args, Kwargs, element_or, known_container
from adcompile.analysis.terminated import Terminated, run_primal
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Continue, For, Raise, Var
from adcompile.ir.types import (
    INT,
    UNKNOWN,
    Array,
    Cell,
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    Method,
    ObjectT,
    RangeT,
    Ref,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    Unknown,
    differentiable,
    join,
)

# -- arithmetic of derivatives ------------------------------------------------------------------


@handles(rt.quotient)
def quotient(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """The operator, unless it would be Python's own, which raises where NumPy gives inf or nan."""
    return b.call(operator.truediv, *args, name=name, place=place) if any(is_numpy(b.type(a)) for a in args) else None


@handles(rt.power)
def power(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    # no number is too small for an exponent that is not negative; one too large was so for the function itself
    safe = b.known(args[1]) and not isinstance(n := b.value(args[1]), complex) and n >= 0 and not b.known(args[0])
    raises = not safe and not any(is_numpy(b.type(a)) for a in args)
    return None if raises else b.call(operator.pow, *args, name=name, place=place)


def is_numpy(t: Type) -> bool:
    """Whether arithmetic with such a value is NumPy's."""
    return isinstance(t, Array) or isinstance(t, Scalar) and all(issubclass(k, np.generic) for k in t.kinds)


# -- questions about types ----------------------------------------------------------------------


@handles(len)
def length(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if isinstance(t, (TupleT, ListT, DictT)):
        return Const(len(parts(t)))
    if isinstance(t, Array) and t.dims and t.dims[0] == "one":
        return Const(1)
    if isinstance(t, Instance) and isinstance(getattr(t.cls, "__len__", None), python_types.FunctionType):
        return dispatch(b, Const(t.cls.__len__), args, [], name, place)  # type: ignore[attr-defined]
    return b.emit(len, args, INT, (), name or "n", place) if not isinstance(t, Known) else None


NEVER_NONE = (Ref, ObjectT, Scalar, Array, TupleT, ListT, DictT, Seq, RangeT, IterT, SliceT, Closure, Method, Instance)


def identity_of(fn: Any) -> Any:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
        left, right = b.type(args[0]), b.type(args[1])
        if isinstance(left, Ref) and isinstance(right, Ref):
            return identity_of_cells(b, fn, left.cell, right.cell, place, name)
        if isinstance(left, Known) and isinstance(right, Known):
            return Const(fn(left.value, right.value))
        for known, other in ((left, right), (right, left)):
            one_of_a_kind = (type, python_types.ModuleType, python_types.FunctionType)
            singleton = isinstance(known, Known) and (known.value is None or isinstance(known.value, one_of_a_kind))
            if singleton and isinstance(other, NEVER_NONE) or is_bool(known) and never_bool(other):
                return Const(fn is operator.is_not)
        check_identity(b, left, right, place)
        result = b.emit(fn, args, Scalar(frozenset({bool})), (), name, place)
        note_identity(b, result, args[0], args[1], fn is operator.is_)
        return result

    return handler


def identity_of_cells(b: Builder, fn: Any, left: Cell, right: Cell, place: Place | None, name: str) -> Atom:
    """Of what is followed: those made here are one where their cell is; what the caller has may be there twice, and
    what depends on the path may be any of what it can be."""
    if left is right:
        return Const(fn is operator.is_)
    first, second = origins(left), origins(right)
    theirs = all(any(c.real is not None for c in cells) for cells in (first, second))
    if not theirs and first.isdisjoint(second):
        return Const(fn is operator.is_not)
    if len(first) > 1 or len(second) > 1 or left.real is None or right.real is None:
        raise same_or_not(place)
    return b.emit(fn, (left.real, right.real), Scalar(frozenset({bool})), (), name, place)


def origins(cell: Cell) -> set[Cell]:
    """The cells that a cell may be, itself among them."""
    return {cell}.union(*map(origins, cell.sources))


def same_or_not(place: Place | None) -> Unsupported:
    return Unsupported(
        "whether two objects are one and the same, of which one is known only when the code runs",
        place,
        "compare what tells them apart: a number, a name, or a position",
    )


COPIES = (ListT, DictT, Seq)


def check_identity(b: Builder, left: Type, right: Type, place: Place | None) -> None:
    """Refuse to ask whether two lists, dicts or objects are one where one of them may be a copy of what is followed."""
    if isinstance(left, (Known, Scalar, Array)) or isinstance(right, (Known, Scalar, Array)):
        return
    states = b.context.store.states
    copied = [c.cls for c in b.context.given if c in states and not is_opaque(b.type(states[c].content))]
    asked = [t.cell.cls for t in (left, right) if isinstance(t, Ref)]
    if isinstance(left, COPIES):  # one of which may have been made anew where branches come together
        asked += [cls for cls in (list, dict) if may_be(left, cls) and may_be(right, cls)]
    if any(may_be(t, cls) for cls in (*copied, *asked) for t in (left, right) if not isinstance(t, Ref)):
        raise same_or_not(place)


def may_be(t: Type, cls: type) -> bool:
    """Whether a value of this type may be an instance of a class of objects that are followed."""
    match t:
        case Maybe(held):
            return may_be(held, cls)
        case Instance(of) | ObjectT(of):
            return issubclass(of, cls) or issubclass(cls, of)
        case ListT():
            return cls is list
        case Seq(_, of):
            return cls is of
        case DictT():
            return cls is dict
        case _:
            return isinstance(t, Unknown)


def is_bool(t: Type) -> bool:
    return isinstance(t, Known) and type(t.value) is bool


def never_bool(t: Type) -> bool:
    return bool not in t.kinds if isinstance(t, Scalar) else isinstance(t, NEVER_NONE)


handles(operator.is_, look=())(identity_of(operator.is_))
handles(operator.is_not, look=())(identity_of(operator.is_not))


@handles(operator.not_)
def negation(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    t = b.type(args[0])
    if isinstance(t, Known):
        return Const(not t.value)
    if isinstance(t, (TupleT, ListT, DictT)):
        return Const(not parts(t))
    result = b.emit(operator.not_, args, Scalar(frozenset({bool})), (), name, place)
    note_negation(b, result, args[0])
    return result


# -- iterables ----------------------------------------------------------------------------------


@handles(range, look=())
def make_range(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Var:
    unit = len(args) == 1 or len(args) == 2 and b.known(args[0]) and b.value(args[0]) == 0
    return b.emit(range, args, RangeT(unit), (), "", place)


def lengths_of(b: Builder, args: Args) -> set[int | None]:
    """How many items iterables have; None where that is met when the code runs."""
    columns = [known_items(b, a) for a in args]
    return {None if c is None else len(c) for c in columns}


def lazy(kind: str, fn: Any) -> None:
    @handles(fn, look=())
    def make(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if kind == "enumerate" and kwargs:
            args = [args[0], dict(kwargs)["start"]]
        strict = dict(kwargs).get("strict", Const(False)) if kind == "zip" else Const(False)
        lengths = set[int | None]() if b.known(strict) and not b.value(strict) else lengths_of(b, args)
        if len(lengths) > 1 and None not in lengths or not b.known(strict):
            return b.emit(fn, args, UNKNOWN, kwargs, name, place)
        said = [("strict", strict)] if lengths else []
        made = b.emit(fn, args, IterT(kind, tuple(b.type(a) for a in args)), said, name, place)
        if kind == "reversed":
            b.context.turned[made] = states_of(b, [c for c in map(cell_of, args) if c is not None])
        return made


for _kind, _fn in (("zip", zip), ("enumerate", enumerate), ("reversed", reversed)):
    lazy(_kind, _fn)
for _kind, _fn in (("keys", dict.keys), ("values", dict.values), ("items", dict.items)):
    lazy(_kind, _fn)


def collect(b: Builder, source: Atom, transform: Any, place: Place | None) -> Atom | None:
    """A list of `transform(builder, item)` over an iterable, as a loop where it is not known."""
    rows = lazy_rows(b, source)  # an item is made as it is asked for
    if rows is not None and len(rows) <= 4096:
        return b.call(ops.build_list, *(transform(b, row(b)) for row in rows))
    items = known_items(b, source)
    if items is not None and len(items) <= 4096:
        first = Begin(b, {})
        made = b.call(ops.build_list, *(transform(b, i) for i in items))
        check_own(b, [source], first)
        return made
    if indexable(b, source) is None and not isinstance(b.type(source), RangeT) and not sites_in(b.type(source)):
        return None
    element, carried, result, start = Var("item"), Var("items"), Var("items"), b.call(ops.build_list)
    iterable, value, pushed = Var("source"), Var("value"), Var("items")
    body = Block(
        (element, carried),
        (
            Call(value, Const(Lifted(transform)), (element,), (), place),
            Call(pushed, Const(ops.push), (carried, value), (), place),
        ),
        Continue((pushed,)),
    )
    from_outside = {iterable: source, (initial := Var("start")): start}
    loop = For((result,), iterable, (initial,), body, place)
    env: dict[Var, Atom] = dict(from_outside)
    begin = Begin(b, {})
    run_loop(b, loop, env, iteration.plan(b, source, place))
    check_turns(b, [source], begin)
    return env[result]


collectors.append(collect)


@handles(operator.mul, look=(0, 1))
def repeat_container(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`xs * n` of a tuple or list: its items again where n is known, else a loop if they may carry derivatives."""
    for items, count in (args, args[::-1]):
        t, n = known_container(b.type(items)), b.type(count)
        if not isinstance(t, (TupleT, ListT, Seq)) or not is_count(n):
            continue
        if isinstance(n, Known) and not isinstance(t, Seq) and n.value * len(b.items(items)) <= 64:
            build = ops.build_tuple if isinstance(t, TupleT) else ops.build_list
            return b.call(build, *(b.items(items) * n.value), name=name, place=place)
        if any(differentiable(p) and not isinstance(p, Known) for p in ((t.item,) if isinstance(t, Seq) else parts(t))):
            repeated = repeat_items(b, items, t, count, place)
            return repeated if class_of(t) is list else b.call(tuple, repeated, name=name, place=place)
    return None


def is_count(t: Type) -> bool:
    if isinstance(t, Scalar):
        return all(issubclass(kind, (int, np.integer)) for kind in t.kinds)
    return isinstance(t, Known) and isinstance(t.value, int)


def repeat_items(b: Builder, items: Atom, t: TupleT | ListT | Seq, count: Atom, place: Place | None) -> Atom:
    if not isinstance(t, Seq) and any(map(is_structured, parts(t))):
        if b.context.contents is not None and class_of(t) is list and items in b.context.definition:
            demote(b, operator.mul, items, place)
        raise Unsupported(
            "a list of containers that carry derivatives, repeated", place, "write [[…] for _ in range(n)] instead"
        )
    source = items if isinstance(t, Seq) else as_sequence(b, b.items(items))
    length = b.call(len, items)

    def item(c: Builder, k: Atom) -> Atom:
        return c.call(operator.getitem, source, c.call(operator.mod, k, length))

    single = None if isinstance(t, Seq) or len(parts(t)) != 1 else b.items(items)[0]
    whole = b.call(range, count if single is not None else b.call(operator.mul, count, length))
    out = collect(b, whole, item if single is None else lambda c, k: single, place)
    assert out is not None
    return out


def made_by_view(b: Builder, source: Atom) -> Atom | None:
    """A list of all that an iterator gives whose items are made by calls."""
    view = view_of(b, source)
    return None if view is None or view.make is None or taken(b, source) else all_of(b, source, view)


def converter(cls: type, build: Any) -> Any:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if not args:
            return b.call(build, place=place)
        t = b.type(args[0])
        items = known_items(b, args[0])
        if items is not None:
            return b.call(build, *items)
        made = made_by_view(b, args[0])
        if made is not None:
            return made if cls is list else b.call(tuple, made, name=name, place=place)
        if isinstance(t, (Seq, RangeT)) or isinstance(t, Instance) and t.cls is np.ndindex:
            item = t.item if isinstance(t, Seq) else element_type(b, args[0], t)
            return b.emit(cls, args, Seq(item, cls), (), name, place)
        if isinstance(t, (Array, IterT)):
            collected = collect(b, args[0], lambda _, item: item, place)
            if collected is not None and cls is tuple and isinstance(b.type(collected), Seq):
                return b.emit(tuple, [collected], Seq(b.type(collected).item, tuple), (), name, place)  # type: ignore[union-attr]
            return collected
        return b.emit(cls, args, Instance(cls), (), name, place)

    return handler


handles(list)(converter(list, ops.build_list))
handles(tuple)(converter(tuple, ops.build_tuple))


@handles(dict)
def to_dict(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    pairs: dict[Any, Atom] = {}
    if args:
        t = b.type(args[0])
        if isinstance(t, DictT):
            pairs.update(zip(t.keys, b.items(args[0])))
        else:
            items = known_items(b, args[0])
            rows = [known_items(b, i) for i in items] if items is not None else [None]
            if any(r is None or len(r) != 2 or not b.known(b.key(r[0])) for r in rows):
                made = real_or_keyed(b, dict, args, [], name, place, args[0])
                for key, value in kwargs:
                    b.call(operator.setitem, made, Const(key), value, place=place)
                return made
            pairs.update((b.value(b.key(r[0])), r[1]) for r in rows if r is not None)
    pairs.update(kwargs)
    return b.build(DictT(tuple(pairs), ()), list(pairs.values()), name, place)


@handles(dict.fromkeys)
def dict_of_keys(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    keys = known_items(b, args[0])
    if keys is None or not all(map(b.known, keys)):
        pairs = b.call(zip, args[0], b.call(itertools.repeat, *(args[1:] or [None])))
        return real_or_keyed(b, dict.fromkeys, args, kwargs, name, place, pairs)
    value = args[1] if len(args) > 1 else Const(None)
    pairs = {b.value(k): value for k in keys}
    return b.build(DictT(tuple(pairs), ()), list(pairs.values()), name, place)


@handles(dict.get)
def dict_get(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if isinstance(t, DictT) and b.known(b.key(args[1])):
        key = b.value(b.key(args[1]))
        return b.items(args[0])[t.keys.index(key)] if key in t.keys else args[2] if len(args) > 2 else Const(None)
    if isinstance(t, DictT):
        return element_or(b, args[0], t, b.key(args[1]), args[2] if len(args) > 2 else Const(None), name)
    owner = args[0]
    example = b.context.example.get(owner) if isinstance(owner, Var) else None
    if isinstance(owner, Var) and isinstance(example, dict) and b.known(args[1]) and not is_written(b, owner):
        if b.value(args[1]) not in example:
            return None
        return b.call(operator.getitem, args[0], args[1], name=name, place=place)
    return None


@handles(list.copy, dict.copy)
def copy_container(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    t = b.type(args[0])
    if isinstance(t, Seq):
        return b.emit(list, args, t, (), name, place)
    return b.build(t, b.items(args[0]), name, place) if isinstance(t, (ListT, DictT)) else None


# -- lists that grow ----------------------------------------------------------------------------


@handles(ops.push)
def push(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """A list one longer: known structure while it is, a sequence in loops (by join)."""
    t = b.type(args[0])
    if not isinstance(t, ListT):
        args = [args[0], give(b, args[1])]
    if isinstance(t, ListT) and len(t.items) < 4096:
        return b.build(t, [*b.items(args[0]), args[1]], name, place)
    item = join(t.item, deep_widen(b.type(args[1]))) if isinstance(t, Seq) else UNKNOWN
    return b.emit(ops.push, args, Seq(item, list), (), name, place)


@handles(ops.pop)
def pop(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """(the list without its last item, that item)."""
    t = b.type(args[0])
    if isinstance(t, ListT):
        items = b.items(args[0])
        if not items:
            raise Terminated(Raise(Const(IndexError("pop from empty list")), None, place))
        return b.build_tuple(b.build(ListT(()), items[:-1]), items[-1])
    item = t.item if isinstance(t, Seq) else UNKNOWN
    return b.emit(ops.pop, args, TupleT((t, item)), (), name, place)


# -- elements by a method -----------------------------------------------------------------------


def element_method(method: Any) -> None:
    """`xs.__getitem__`, above all as the key of an order: an element of `xs`."""

    @handles(method, look=())
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        t = b.type(args[0])
        cls = type(t.value) if isinstance(t, Known) else class_of(t) or list
        plain = len(args) == 2 and getattr(cls, "__getitem__", method) is method  # a class's own would call this one
        return dispatch(b, Const(operator.getitem), args, kwargs, name, place) if plain else None


for _method in (list.__getitem__, tuple.__getitem__, dict.__getitem__):
    element_method(_method)


def limits_of_dtype(fn: Any) -> None:
    """What NumPy says of the numbers of a dtype is known where the dtype is."""

    @handles(fn)
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        if len(args) != 1 or kwargs or not b.known(args[0]):
            return None
        return Const(run_primal(lambda: fn(b.value(args[0])), place))


limits_of_dtype(np.finfo)
limits_of_dtype(np.iinfo)
