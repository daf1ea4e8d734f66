"""Calls that work on structure: displays, elements, attributes, unpacking, names of modules."""

from __future__ import annotations

import importlib
import operator
import sys
import types as python_types
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder, Tentative, is_structured, parts
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.filling import display
from adcompile.analysis.heap import fresh, give, look
from adcompile.analysis.infer import branch_on
from adcompile.analysis.iteration import indexable, known_items
from adcompile.analysis.leaves import deep_widen
from adcompile.analysis.live import LARGE, any_element, element_at, is_written, live_type, may_change, type_at
from adcompile.analysis.nesting import present, record_item
from adcompile.analysis.positions import read_at
from adcompile.analysis.slots import assign_name, global_value
from adcompile.analysis.terminated import Terminated, run_primal
from adcompile.errors import Place, Unsupported
from adcompile.frontend.source import SYNTHESISED
from adcompile.ir import ops
from adcompile.ir.abstract import is_installed, note_read, type_of
from adcompile.ir.nodes import Atom, Const, Function, GlobalRef, Raise, Var
from adcompile.ir.stack import in_caller
from adcompile.ir.types import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Closure,
    DictT,
    Instance,
    IterT,
    Known,
    ListT,
    Maybe,
    RangeT,
    Record,
    Ref,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    differentiable,
    holds_ref,
    join,
    widen,
)

Args = list[Atom]
Kwargs = list[tuple[str, Atom]]
EVERY = tuple(range(256))
DATA = (bool, int, float, complex, str, bytes, type(None))


# -- names --------------------------------------------------------------------------------------


@handles(ops.load_global)
def load_global(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    """A module-level name: functions and the like by value and guarded, data read live."""
    ref: GlobalRef = b.value(args[0])
    builtin = sys.modules["builtins"].__dict__
    assigned = global_value(b, ref, place)
    if assigned is not None:
        return assigned
    if ref.name not in ref.namespace and ref.name not in builtin:
        b.context.guard_type(ref, (), Known(ops.UNDEFINED))
        raise Terminated(Raise(Const(NameError(f"name {ref.name!r} is not defined")), None, place))
    value = ref.namespace.get(ref.name, builtin.get(ref.name))
    if ref.namespace.get("__name__") == SYNTHESISED and is_foreign(value):
        return Const(value)  # what our function is written around
    t = type_at(b, ref, (), value)
    if isinstance(t, Known):
        if not in_installed_module(ref.namespace):
            b.context.guard_value(ref, value)
        return Const(value)
    b.context.guard_type(ref, (), t)
    var = b.emit(ops.load_global, args, t, (), ref.name, place)
    b.context.example[var] = value
    b.context.origin[var] = (ref, ())
    return var


@handles(ops.assign_global, look=())
def assign_global(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return assign_name(b, b.value(args[0]), b.value(args[1]), args[2], place)


def is_foreign(value: Any) -> bool:
    """Whether a call of it runs code that is not Python."""
    return callable(value) and not isinstance(getattr(type(value), "__call__", None), python_types.FunctionType)  # noqa: B004


def member(b: Builder, owner: Atom, step: str, value: Any, fn: Any, name: str, place: Place | None) -> Atom:
    """Read an attribute or element of a live object whose present value is `value`."""
    origin = b.context.origin.get(owner) if isinstance(owner, Var) else None
    if origin is None:
        t = live_type(value, may_change(b, value))
    else:
        t = type_at(b, origin[0], (*origin[1], step), value)
    if origin is None and step.isidentifier() and isinstance(b.type(owner), Instance):
        note_read(type(b.context.example[owner]), step)  # type: ignore[index]
    if isinstance(t, Known) and not isinstance(value, DATA) and origin is None:
        return Const(value)
    var = b.emit(fn, (owner, Const(step)), widen(t), (), name or (step if step.isidentifier() else ""), place)
    if origin is not None:
        ref, path = origin
        b.context.guard_type(ref, (*path, step), t)
        b.context.origin[var] = (ref, (*path, step))
        if isinstance(t, Known):
            return Const(value)
    b.context.example[var] = value
    return var


@handles(ops.identity, look=())
def identity(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return args[0]


# -- displays -----------------------------------------------------------------------------------


@handles(ops.build_tuple, look=())
def build_tuple(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.build(TupleT(()), args, name, place)


@handles(ops.build_list, look=())
def build_list(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    if place in b.context.demoted:
        return display(b, ops.build_list, args, name, place)
    return b.build(ListT(()), args, name, place)


@handles(ops.make_function, look=(1, 2))
def make_function(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    function: Function = b.value(args[0])
    named = args[2] if function.signature.keyword_only else Const({})
    defaults, kwdefaults = b.items(args[1]), b.items(named)
    kw_type = b.type(named)
    keys = kw_type.keys if isinstance(kw_type, DictT) else tuple(b.value(named))
    closure = Closure(
        function,
        tuple(b.type(d) for d in defaults),
        tuple((k, b.type(d)) for k, d in zip(keys, kwdefaults)),
        tuple(b.type(c) for c in args[3:]),
    )
    return b.emit(ops.make_function, args, closure, (), name or function.name, place)


@handles(ops.start_list)
def start_list(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return b.build(ListT(()), [], name, place)


@handles(ops.collected)
def collected(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    return args[0]


@handles(ops.tuple_concat, look=EVERY)
def concat_tuple(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    joined = concat_list(b, args, kwargs, place, name)
    return None if joined is None else b.call(tuple, joined, name=name, place=place)


@handles(ops.list_concat, look=EVERY)
def concat_list(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    rows = [known_items(b, a) for a in args]
    if all(r is not None for r in rows):
        return b.call(ops.build_list, *(item for r in rows if r is not None for item in r))
    total: Atom | None = None
    for a in args:
        part = b.call(list, a)
        total = part if total is None else b.call(operator.add, total, part, name=name, place=place)
    return total


@handles(ops.dict_merge, look=EVERY)
def dict_merge(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    merged: dict[Any, Atom] = {}
    for a in args:
        t = b.type(a)
        keys = t.keys if isinstance(t, DictT) else tuple(t.value) if isinstance(t, Known) else None
        if keys is None:
            return None
        merged.update(zip(keys, b.items(a)))
    return b.build(DictT(tuple(merged), ()), list(merged.values()), name, place)


@handles(ops.kwargs_merge, look=EVERY)
def kwargs_merge(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`dict_merge`, refusing repeated names as Python does."""
    seen: set[Any] = set()
    for a in args:
        t = b.type(a)
        for key in t.keys if isinstance(t, DictT) else ():
            if key in seen:
                message = f"got multiple values for keyword argument {key!r}"
                raise Terminated(Raise(Const(TypeError(message)), None, place))
            seen.add(key)
    return dict_merge(b, args, kwargs, place, name)


@handles(operator.add, look=(0, 1))
def add_containers(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`xs + ys` of known tuples or known lists."""
    for form, build in ((TupleT, ops.build_tuple), (ListT, ops.build_list)):
        if all(isinstance(known_container(b.type(a)), form) for a in args):
            return b.call(build, *(item for a in args for item in b.items(a)), name=name, place=place)
    return None


def known_container(t: Type) -> Type:
    return TupleT(()) if isinstance(t, Known) and type(t.value) is tuple else t


def compared(fn: Any) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        """`(i, j) != (0, 0)` of tuples of known items."""
        if not any(isinstance(b.type(a), TupleT) for a in args):
            return None
        sides = [b.key(a) for a in args]
        if len(sides) != 2 or not all(map(b.known, sides)):
            return None
        try:
            return Const(fn(*map(b.value, sides)))
        except TypeError:
            return None  # Python raises it where the code runs

    return handler


for _fn in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
    handles(_fn)(compared(_fn))


@handles(eval, exec, locals, globals, vars)
def computed_names(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    raise Unsupported(
        "code or names made at run time (eval, exec, locals, globals, vars) are not followed",
        place,
        "write the expression out, or keep the values in a dict",
    )


@handles(ops.unpack)
def unpack(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`a, b = value`: known structure, or elements read by number after a check of the length."""
    count = b.value(args[1])
    t = b.type(args[0])
    if isinstance(t, Maybe) and isinstance(t.type, (Record, TupleT)):
        args = [b.emit(ops.expect_length, args, t.type, (), getattr(args[0], "name", ""), place), args[1]]
    items = known_items(b, args[0])
    if items is not None and len(items) == count:
        return b.call(ops.build_tuple, *items)
    if items is not None:
        word = "too many values" if len(items) > count else "not enough values"
        raise Terminated(Raise(Const(ValueError(f"{word} to unpack (expected {count})")), None, place))
    if isinstance(t, IterT) and indexable(b, args[0]) is not None:
        args = [look(b, b.call(list, args[0])), args[1]]
    t = b.type(args[0])
    if isinstance(t, (Array, Seq)):
        checked = b.emit(ops.expect_length, (args[0], args[1]), t, (), getattr(args[0], "name", ""), place)
        b.context.shape[checked] = b.context.shape.get(args[0], args[0])  # type: ignore[arg-type]
        return b.call(ops.build_tuple, *(b.call(operator.getitem, checked, i) for i in range(count)))
    return b.emit(ops.unpack, args, TupleT((UNKNOWN,) * count), (), name, place)


@handles(ops.unpack_star)
def unpack_star(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    before, after = b.value(args[1]), b.value(args[2])
    items = known_items(b, args[0])
    if items is None:
        t = b.type(args[0])
        if isinstance(t, Array) and t.dims or isinstance(t, Seq):
            middle_end = Const(None) if after == 0 else Const(-after)
            head = [b.call(operator.getitem, args[0], i) for i in range(before)]
            middle = b.call(list, b.call(operator.getitem, args[0], b.call(slice, before, middle_end, None)))
            middle = fresh(b, list, middle, "rest", place)
            tail = [b.call(operator.getitem, args[0], i - after) for i in range(after)]
            return b.call(ops.build_tuple, *head, middle, *tail)
        parts = (*(UNKNOWN,) * before, Seq(UNKNOWN), *(UNKNOWN,) * after)
        return b.emit(ops.unpack_star, args, TupleT(parts), (), name, place)
    if len(items) < before + after:
        message = f"not enough values to unpack (expected at least {before + after}, got {len(items)})"
        raise Terminated(Raise(Const(ValueError(message)), None, place))
    middle = fresh(b, list, b.call(ops.build_list, *items[before : len(items) - after]), "rest", place)
    return b.call(ops.build_tuple, *items[:before], middle, *items[len(items) - after :])


@handles(slice, look=())
def build_slice(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    start, stop, step = (Const(None), args[0], Const(None)) if len(args) == 1 else (*args, Const(None))[:3]
    return b.build(SliceT((UNKNOWN, UNKNOWN, UNKNOWN)), [start, stop, step], name, place)


# -- elements -----------------------------------------------------------------------------------


@handles(operator.getitem)
def getitem(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    owner, index = args
    whole = b.context.flat_of.get(owner)
    if whole is not None:  # `a.flat[i]`, as `a` is now; a slice of it is a copy
        one = isinstance(b.type(index), Scalar) or b.known(index) and type(b.value(index)) is int
        now = b.call(np.ndarray.ravel if one else np.ndarray.flatten, whole)
        return dispatch(b, Const(operator.getitem), [now, index], [], name, place)
    owner = present(b, owner)
    t = b.type(owner)
    if isinstance(t, Known) and isinstance(getattr(type(t.value), "__getitem__", None), python_types.FunctionType):
        return dispatch(b, Const(type(t.value).__getitem__), [owner, index], [], name, place)
    if isinstance(t, Known) and b.known(index):
        return known_element(b, owner, index, place) if isinstance(t.value, (tuple, list, dict, str, range)) else None
    if isinstance(t, Known) and isinstance(t.value, (tuple, list)):
        t = TupleT(tuple(type_of(v) for v in t.value))
    if isinstance(t, (TupleT, ListT)):
        return element(b, owner, t, index, name, place)
    if isinstance(t, DictT):
        return dict_element(b, owner, t, index, name, place)
    if isinstance(t, Seq):
        item = record_item(b, owner, t, index)
        return sequence_element(b, owner, t, index, name, place) if item is None else item
    if isinstance(t, Instance):
        return instance_element(b, owner, t, index, name, place)
    if isinstance(t, RangeT):
        return range_element(b, [owner, index], name, place)
    if isinstance(t, Array) and t.dims:
        return read_at(b, owner, t.dims, index, b.type(index), name, place)
    return None


def known_element(b: Builder, owner: Atom, index: Atom, place: Place | None) -> Atom:
    try:
        return Const(b.value(owner)[b.value(index)])
    except (IndexError, KeyError, TypeError) as error:
        raise Terminated(Raise(Const(error), None, place)) from None


def element(b: Builder, owner: Atom, t: TupleT | ListT, index: Atom, name: str, place: Place | None) -> Atom:
    it = b.type(index)
    n = len(t.items)
    if isinstance(it, Known) and isinstance(it.value, (int, np.integer)):
        i = int(it.value)
        if not -n <= i < n:
            kind = "tuple" if isinstance(t, TupleT) else "list"
            raise Terminated(Raise(Const(IndexError(f"{kind} index out of range")), None, place))
        return b.item(owner, i % n)
    if isinstance(it, SliceT) and all(isinstance(p, Known) for p in it.parts):
        s = slice(*(p.value for p in it.parts))  # type: ignore[union-attr]
        build = ops.build_tuple if isinstance(t, TupleT) else ops.build_list
        return b.call(build, *run_primal(lambda: b.items(owner)[s], place))
    joined: Type = NEVER
    cls = tuple if isinstance(t, TupleT) else list
    apart = (isinstance(i, Ref) or is_structured(i) and Array in map(type, parts(i)) for i in t.items)
    if b.context.tentative and any(apart):
        raise Tentative  # which of these lists, objects or tuples of arrays is meant is known iteration by iteration
    items = [give(b, item) for item in b.items(owner)]
    joined = NEVER
    for item in items:
        joined = join(joined, deep_widen(b.type(item)))
    sequence = b.emit(ops.build_tuple if cls is tuple else ops.build_list, items, Seq(joined, cls))
    return sequence_element(b, sequence, Seq(joined, cls), index, name, place)


def range_element(b: Builder, args: Args, name: str, place: Place | None) -> Atom:
    """A number of a range, or the range that a slice of one is."""
    whole = isinstance(b.type(args[1]), SliceT) or b.known(args[1]) and isinstance(b.value(args[1]), slice)
    if not whole:
        return b.emit(operator.getitem, args, INT, (), name, place)
    part = b.emit(operator.getitem, args, Instance(range), (), name, place)
    return b.call(range, *(b.emit(getattr, (part, Const(n)), INT, (), n) for n in ("start", "stop", "step")))


def sequence_element(b: Builder, owner: Atom, t: Seq, index: Atom, name: str, place: Place | None) -> Atom:
    is_slice = isinstance(b.type(index), SliceT)
    return b.emit(operator.getitem, (owner, index), Seq(t.item, t.cls) if is_slice else t.item, (), name, place)


def dict_element(b: Builder, owner: Atom, t: DictT, index: Atom, name: str, place: Place | None) -> Atom:
    index = b.key(index)
    if not b.known(index):
        joined: Type = NEVER
        for v in t.values:
            joined = join(joined, widen(v))
        if differentiable(joined) and len(t.keys) <= LARGE:

            def missing(c: Builder) -> Atom:
                error = c.emit(KeyError, (index,), Instance(KeyError), (), "", place)
                raise Terminated(Raise(error, None, place))

            return chosen_element(b, t.keys, b.items(owner), index, name, missing)
        return b.emit(operator.getitem, (owner, index), joined, (), name, place)
    key = b.value(index)
    if key not in t.keys:
        raise Terminated(Raise(Const(KeyError(key)), None, place))
    return b.items(owner)[t.keys.index(key)]


def is_plain_key(t: Type) -> bool:
    """Whether nobody's own code says what a key is equal to."""
    if isinstance(t, Known):
        return isinstance(t.value, (int, float, str, bytes, type(None)))
    text = isinstance(t, Instance) and t.cls in (str, bytes)
    return text or isinstance(t, Scalar) or isinstance(t, TupleT) and all(map(is_plain_key, t.items))


def element_or(b: Builder, owner: Atom, t: DictT, index: Atom, default: Atom, name: str) -> Atom | None:
    """`d.get(index, default)` of a key that is met when the code runs; None where the dict itself is asked."""
    if not is_plain_key(b.type(index)):
        return None
    types = (*t.values, b.type(default))
    numbers = any(differentiable(widen(v)) for v in types) and not any(map(holds_ref, types))
    if t.keys and (not numbers or len(t.keys) > LARGE):
        return None
    return chosen_element(b, t.keys, b.items(owner), index, name, lambda _: default)


def chosen_element(
    b: Builder, keys: tuple[Any, ...], items: list[Atom], index: Atom, name: str, missing: Callable[[Builder], Atom]
) -> Atom:
    """The item whose key is `index`: a chain of tests."""

    def option(k: int) -> Callable[[Builder], Atom]:
        def run(c: Builder) -> Atom:
            return branch_on(c, c.call(operator.eq, index, keys[k]), lambda _: items[k], option(k + 1), name)

        return run if k < len(keys) else missing

    return option(0)(b)


def instance_element(b: Builder, owner: Atom, t: Instance, index: Atom, name: str, place: Place | None) -> Atom | None:
    """An element of a live container, or an object whose class defines __getitem__."""
    method = getattr(t.cls, "__getitem__", None)
    if isinstance(method, python_types.FunctionType):
        return dispatch(b, Const(method), [owner, index], [], name, place)
    example = b.context.example.get(owner) if isinstance(owner, Var) else None
    if isinstance(owner, Var) and isinstance(example, (list, dict)) and b.known(index):
        key = b.value(index)
        try:
            value: Any = example[key] if isinstance(example, list) or key in example else {}[key]  # and put none in
        except (KeyError, IndexError, TypeError):
            return b.emit(operator.getitem, (owner, index), UNKNOWN, (), name, place)
        u, way = element_at(b, owner, key, value)
        if u == UNKNOWN or value is None and is_written(b, owner):  # the program puts things there
            return b.emit(operator.getitem, (owner, index), UNKNOWN, (), name, place)
        var = b.emit(operator.getitem, (owner, index), u, (), name, place)
        b.context.example[var] = value
        if way is not None:
            b.context.guard_type(*way, u)
            b.context.origin[var] = way
        return var
    if isinstance(example, (list, dict)) and not isinstance(b.type(index), SliceT):
        return b.emit(operator.getitem, (owner, index), any_element(b, owner, example), (), name, place)
    return b.emit(operator.getitem, (owner, index), UNKNOWN, (), name, place)


def in_installed_module(namespace: dict[str, Any]) -> bool:
    module = sys.modules.get(namespace.get("__name__", ""))
    return module is not None and module.__dict__ is namespace and is_installed(module)


@handles(importlib.import_module)
def import_module(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """An import inside a function: the module, if there is one; else the call, which raises."""
    if not all(map(b.known, args)) or kwargs:
        return None
    try:
        return Const(in_caller(importlib.import_module, *map(b.value, args)))
    except ImportError:
        return b.emit(importlib.import_module, args, UNKNOWN, (), name, place)


@handles(ops.import_from)
def import_from(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    if not all(map(b.known, args)):
        return b.emit(ops.import_from, args, UNKNOWN, (), name, place)
    module, attribute = map(b.value, args)
    try:
        found = in_caller(ops.import_from, module, attribute)
    except ImportError:
        return b.emit(ops.import_from, args, UNKNOWN, (), name, place)
    return dispatch(b, Const(getattr), list(args), [], name, place) if hasattr(module, attribute) else Const(found)


@handles(ops.unsupported)
def unsupported(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom:
    error: Unsupported = b.value(args[0])
    raise error.at(place)
