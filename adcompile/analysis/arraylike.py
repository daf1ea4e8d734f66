"""Lists and tuples where NumPy makes arrays of them: `np.dot([a, b], x)`, `x + [a, b]`.

NumPy's functions convert such an argument first, and so do we, as a call of np.array of its own:
rules then see arrays alone. Lists that mean something else (a sequence of operands, a shape, an
index) stay as they are, and so do all arguments of calls that can carry no derivative.
"""

from __future__ import annotations

import builtins
import inspect
import operator
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.heap import look, settle
from adcompile.analysis.real import as_now
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Const
from adcompile.ir.types import (
    NONE,
    Array,
    Known,
    ListT,
    ObjectT,
    Ref,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    differentiable,
    holds_ref,
    is_scalar_class,
)
from adcompile.rules.kinds import signature_of
from adcompile.rules.numpy.dims import array, dims_of, dtype_of
from adcompile.rules.registry import Rule
from adcompile.rules.typing import result_type
from adcompile.runtime.objects import stated

Kwargs = list[tuple[str, Atom]]

PARTS = {
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.copy, np.concatenate, np.stack,
    np.hstack, np.vstack, np.column_stack, np.dstack, np.block,
}  # fmt: skip
"""What a list is the parts of an array to."""

OPERANDS: dict[Any, tuple[int, ...]] = {
    np.select: (0, 1), np.choose: (1,), np.ndarray.choose: (1,), np.linalg.multi_dot: (0,),
}  # fmt: skip
"""Where a list is a sequence of operands, each of which may be a list for an array."""

ARRAYS_ONLY = {
    np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.rollaxis, np.take_along_axis,
    *(getattr(np, name) for name in ("unstack", "astype") if hasattr(np, name)),
}  # fmt: skip
"""Some or all calls of these with a list raise, or mean something else than with its array."""

PLACES: dict[Any, tuple[int, ...]] = {
    np.select: (2,), np.piecewise: (0,), np.apply_along_axis: (2,), np.pad: (0,), np.histogram: (0, 4),
    np.where: (0, 1, 2), np.compress: (0, 1), np.extract: (0, 1), np.choose: (0,), np.ndarray.choose: (),
    np.linalg.multi_dot: (),
}  # fmt: skip
"""Where array-likes stand, if not at all places that the rule differentiates by and no others."""

SETTINGS = frozenset(
    "axis axes dtype out keepdims where n num deg rcond full cov m ind norm rowvar bias ddof endpoint edge_order "
    "indices method overwrite_input returned order copy dx".split()
)
"""What parameters are called, of functions that are composites of others, that are no arrays."""

EMPTY = (ListT(()), TupleT(()), Known(()))
UNTYPED = {np.dot, np.inner, np.vdot, np.ndarray.dot}
"""To these an empty list has the dtype of a list, or of their owner."""

FORWARD = "add sub mul truediv floordiv mod pow matmul"
IN_PLACE: dict[Any, Any] = {getattr(operator, f"i{name}"): getattr(operator, name) for name in FORWARD.split()}
OPERATORS = {*IN_PLACE, *IN_PLACE.values(), builtins.pow}
LEADING = {
    "elementwise": 1, "reduction": 1, "linear": 2, "bilinear": 2, "vjp": 2, "implicit": 1,
    "composite": 0, "integral": 0, "trajectory": 0,
}  # fmt: skip


@frozen
class Places:
    """The parameters that take array-likes; `rest` is the position from which on all do, and
    `sequences` take sequences of array-likes."""

    positions: frozenset[int]
    names: frozenset[str]
    rest: int | None = None
    sequences: frozenset[int | str] = frozenset()

    def takes(self, key: int | str) -> bool:
        if isinstance(key, str):
            return key in self.names or key in self.sequences
        return key in self.positions or self.rest is not None and key >= self.rest or key in self.sequences


@frozen
class Lists:
    """The types of a call's arguments when some were lists yet, of known lengths."""

    args: list[Type]
    kwargs: dict[str, Type]

    def type(self, fn: Any, rule: Rule, args: list[Type], kwargs: dict[str, Type]) -> Type:
        """The type of the result: by the arrays, unless the lists tell more, or tell that
        its class depends on what they hold."""
        found = result_type(fn, rule, args, kwargs)
        exact = all(map(is_exact, (*self.args, *self.kwargs.values())))
        if exact and not isinstance(found, Unknown):
            return found
        before = result_type(fn, rule, self.args, self.kwargs)
        return found if isinstance(before, Unknown) else before


def is_exact(t: Type) -> bool:
    return t in EMPTY or not is_arraylike(t) or dtype_of(t) is not None


def as_arrays(
    b: Builder, fn: Any, rule: Rule, args: list[Atom], kwargs: Kwargs, place: Place | None
) -> tuple[Any, list[Atom], Kwargs, Lists | None]:
    """The callable and its arguments, lists made arrays where NumPy does so itself; and what
    they were before."""
    given: list[tuple[int | str, Atom]] = [*enumerate(args), *kwargs]
    if not any(may_be_sequence(b.type(a)) for _, a in given) or rule.kind not in LEADING:
        return fn, args, kwargs, None
    places = operands(b, fn, args) if fn in OPERATORS else array_places(fn, rule)
    if places is None or not any(may_be_sequence(b.type(a)) and places.takes(k) for k, a in given):
        return fn, args, kwargs, None
    if fn is np.diff and not all(is_count(b.type(a)) for k, a in given if k in (1, "n")):
        return fn, args, kwargs, None  # the list itself, where n is 0
    settled = [settle(b, a) for _, a in given]
    if not any(carries(b.type(a)) for a in settled):
        return fn, args, kwargs, None
    made = [
        converted_items(b, a, place) if key in places.sequences
        else converted(b, fn, a, place) if places.takes(key) else a
        for (key, _), a in zip(given, settled)
    ]  # fmt: skip
    if fn in UNTYPED and len(args) > 1:
        made[:2] = [typed_as(b, fn, made[k], b.type(settled[1 - k]), place) for k in (0, 1)]
    if fn in IN_PLACE and made[0] is not settled[0]:
        fn = IN_PLACE[fn]  # `xs += x` of a tuple: nothing is written into
    named = [(name, v) for (name, _), v in zip(kwargs, made[len(args) :])]
    types = [b.type(a) for a in settled]
    return fn, made[: len(args)], named, Lists(types[: len(args)], dict(zip(dict(kwargs), types[len(args) :])))


STORED: dict[Any, tuple[int, str]] = {
    np.ufunc.at: (3, ""), np.put: (2, "v"), np.place: (2, "vals"), np.putmask: (2, "values"), np.copyto: (1, "src"),
    np.put_along_axis: (2, "values"), np.fill_diagonal: (1, "val"),
}  # fmt: skip
"""Where calls that store into an array have what they store, and what it is called."""


def with_stored(
    b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, place: Place | None
) -> tuple[list[Atom], Kwargs]:
    """The arguments of a call that stores into an array: a list that it stores is made an array."""
    k, name = next((found for f, found in STORED.items() if f is fn), (-1, ""))

    def array_of(atom: Atom) -> Atom:
        if not may_be_sequence(b.type(atom)):
            return atom
        value = settle(b, atom)
        return converted(b, fn, value, place) if carries(b.type(value)) else atom

    made = [array_of(a) if i == k else a for i, a in enumerate(args)]
    return made, [(key, array_of(a) if name and key == name else a) for key, a in kwargs]


def is_count(t: Type) -> bool:
    return isinstance(t, Known) and t.value != 0


def array_objects(
    b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, place: Place | None
) -> tuple[list[Atom], Kwargs]:
    """The arguments with objects that say by `__array__` what array they are as these, where NumPy asks them."""
    if b.context.flat_of and (is_numerical(fn) or fn in (list, tuple, sum, min, max, sorted)):
        args, kwargs = [as_now(b, a) for a in args], [(k, as_now(b, v)) for k, v in kwargs]
    types = [b.type(a) for a in (*args, *(v for _, v in kwargs))]
    if not any(isinstance(t, ObjectT) or holds_ref(t) for t in types):
        return args, kwargs
    operators = any(fn is f for f in (*OPERATORS, operator.setitem, operator.getitem))
    if not (operators and any(isinstance(t, Array) for t in types)) and not is_numerical(fn):
        return args, kwargs
    told = dict(kwargs).get("copy", Const(True))
    copied = (fn is np.array or fn is np.copy) and isinstance(told, Const) and told.value is True
    number = makes_numbers(b, fn, args, kwargs)
    if len(args) > 1 and isinstance(types[0], Array) and takes_index(fn):
        args = [args[0], position(b, args[1], place), *args[2:]]
    made = [own_array(b, a, operators, copied, number, place) for a in (*args, *(v for _, v in kwargs))]
    return made[: len(args)], [(k, v) for (k, _), v in zip(kwargs, made[len(args) :])]


def takes_index(fn: Any) -> bool:
    """Whether the second argument of a call says which items of the array before it are meant."""
    at = isinstance(getattr(fn, "__self__", None), np.ufunc) and fn.__name__ == "at"
    return at or fn is operator.getitem or fn is operator.setitem


def position(b: Builder, index: Atom, place: Place | None) -> Atom:
    """An index in which objects that say by `__index__` which number they are, are this: NumPy asks that first."""
    t = b.type(index)
    if isinstance(t, TupleT):
        items = b.items(index)
        made = [position(b, item, place) for item in items]
        return index if all(a is c for a, c in zip(items, made)) else b.build_tuple(*made)
    cls = t.cell.cls if isinstance(t, Ref) else t.cls if isinstance(t, ObjectT) else object
    method = stated(cls, "__index__")
    return b.dispatch(Const(method), [index], [], "", place) if isinstance(method, FunctionType) else index


INTO = (operator.setitem, np.ndarray.fill, np.put, np.ndarray.put, np.place, np.putmask, np.full_like)
"""Calls that make numbers of the dtype of their first argument of what they are given."""
OF_DTYPE: dict[Any, int] = {np.array: 1, np.asarray: 1, np.asanyarray: 1, np.full: 2, np.full_like: 2}
"""Where calls that make arrays are told of which dtype."""


def makes_numbers(b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs) -> type | None:
    """What objects in a call become where it makes numbers of an array of them: what their `__float__` or
    `__complex__` says."""
    k = next((k for f, k in OF_DTYPE.items() if f is fn), None)
    told = dict(kwargs).get("dtype", args[k] if k is not None and len(args) > k else None)
    if k is not None and told is not None and b.type(told) != NONE:
        dtype = np.dtype(b.value(told)) if b.known(told) else None
    else:
        t = b.type(args[0]) if args and any(fn is f for f in INTO) else None
        dtype = t.dtype if isinstance(t, Array) else None
    return None if dtype is None else {"f": float, "c": complex}.get(dtype.kind)


def own_array(
    b: Builder, atom: Atom, operators: bool, copied: bool, number: type | None, place: Place | None
) -> Atom:
    """What NumPy makes of an object with `__array__`, and of such objects in a list; others as they are.
    Raises Unsupported for objects that say themselves what NumPy's functions mean."""
    t = b.type(atom)
    held = look(b, atom, place) if isinstance(t, Ref) and t.cell.cls is list else atom
    if isinstance(b.type(held), (ListT, TupleT)):
        items = b.items(held)
        made = [own_array(b, item, operators, copied, number, place) for item in items]
        return atom if all(a is c for a, c in zip(items, made)) else b.build(TupleT(()), made)
    cls = t.cell.cls if isinstance(t, Ref) else t.cls if isinstance(t, ObjectT) else object
    if operators and getattr(cls, "__array_priority__", 0.0) > 0.0:
        return atom
    for name in ("__array_ufunc__", "__array_function__"):
        if isinstance(getattr(cls, name, None), FunctionType):
            message = f"a {cls.__name__} in a call of NumPy's, which asks its {name} what to do"
            raise Unsupported(message, place, "call a method of it, or pass the array that it holds")
    method = stated(cls, "__array__")
    if number is not None and method is None and not hasattr(cls, "__len__"):
        names = ("__complex__", "__float__") if number is complex else ("__float__",)
        if any(isinstance(stated(cls, name), FunctionType) for name in names):
            return b.call(number, atom, place=place)
    if not isinstance(method, FunctionType):
        sequence = all(isinstance(stated(cls, name), FunctionType) for name in ("__len__", "__getitem__"))
        return b.dispatch(Const(list), [atom], [], "", place) if sequence else atom
    told = [("copy", Const(True))] if copied and "copy" in inspect.signature(method).parameters else []
    return b.call(np.asarray, b.dispatch(Const(method), [atom], told, "", place), place=place)


def by_position(fn: Any, rule: Rule, args: list[Atom], kwargs: Kwargs) -> tuple[list[Atom], Kwargs]:
    """Arrays given by name to a function of NumPy's, by position, which is how rules have them. What may be
    spoilt (`overwrite_a=True`) is left as it is: a derivative may read it, and nobody may rely on what is left."""
    names = leading_names(fn, rule) if kwargs else ()
    given = {k: v for k, v in kwargs if not k.startswith(SPOILING)}
    args = [Const(False) if k in spoiling_places(fn) else a for k, a in enumerate(args)]
    while len(args) < len(names) and names[len(args)] in given:
        args.append(given.pop(names[len(args)]))
    return args, list(given.items())


SPOILING = "overwrite_"
NAMED = {np.ndarray.dot, np.ndarray.repeat, np.ndarray.take}
"""Methods whose text signature says that they take by position alone what they take by name, too."""


@lru_cache(maxsize=1024)
def spoiling_places(fn: Any) -> frozenset[int]:
    """The positions of parameters that allow a function of NumPy's or SciPy's to spoil what it is given."""
    primal = signature_of(fn) if is_numerical(fn) else None
    return frozenset(k for k, name in enumerate(primal.parameters if primal else ()) if name.startswith(SPOILING))


@lru_cache(maxsize=1024)
def leading_names(fn: Any, rule: Rule) -> tuple[str, ...]:
    """The first parameters of a callable that may be given by position or by name, as far as the
    rule differentiates by them."""
    if not is_numerical(fn) or isinstance(fn, np.ufunc) or rule.body is None or rule.kind not in LEADING:
        return ()
    parameters = list(inspect.signature(rule.body).parameters.values())[LEADING[rule.kind] :]
    count = len(parameters) if rule.kind == "composite" else max(rule.wrt or (0,)) + 1
    primal = None if fn in NAMED else signature_of(fn)
    out: list[str] = []
    for k, p in enumerate(parameters[:count]):
        same = list(primal.parameters.values())[k : k + 1] if primal is not None else [p]
        if rule.kind == "composite" and p.name in SETTINGS:
            break
        if p.kind is not p.POSITIONAL_OR_KEYWORD or [(q.name, q.kind) for q in same] != [(p.name, p.kind)]:
            break
        out.append(p.name)
    return tuple(out)


def typed_as(b: Builder, fn: Any, atom: Atom, other: Type, place: Place | None) -> Atom:
    """An empty list as an array of the dtype that it has beside an operand of this type."""
    if b.type(atom) not in EMPTY:
        return atom
    decided = fn is np.ndarray.dot or not isinstance(other, Array)
    return b.call(np.array, atom, place=place, dtype=mixed_dtype(other) if decided else None)


def converted(b: Builder, fn: Any, atom: Atom, place: Place | None) -> Atom:
    t = b.type(atom)
    if t in EMPTY and fn in UNTYPED or not is_arraylike(t) and not holds_unknown(t):
        return atom
    if t in EMPTY or dtype_of(t) is not None or holds_unknown(t):
        return b.call(np.array, atom, place=place)
    return b.emit(np.array, (atom,), array(mixed_dtype(t), dims_of(t)), (), "", place)


def converted_items(b: Builder, atom: Atom, place: Place | None) -> Atom:
    t = b.type(atom)
    if not isinstance(t, (TupleT, ListT)) or not any(map(is_arraylike, t.items)):
        return atom
    return b.build(t, [converted(b, None, item, place) for item in b.items(atom)])


def operands(b: Builder, fn: Any, args: list[Atom]) -> Places | None:
    """The operands of an operator, if another is an array, which decides what it means. Numbers
    of NumPy's do so too, but repeat a list when they multiply it."""
    if len(args) != 2:
        return None
    for a in args:
        t = b.type(a)
        if isinstance(t, Array):
            return Places(frozenset({0, 1}), frozenset())
        numbers = isinstance(t, Scalar) and all(issubclass(k, np.generic) for k in t.kinds)
        if numbers and fn not in (operator.mul, operator.imul, operator.matmul, operator.imatmul):
            return Places(frozenset({0, 1}), frozenset())
    return None


def array_places_of(b: Builder, call: Call, rule: Rule) -> Places | None:
    """Where a call may take array-likes; None if nowhere."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn not in OPERATORS:
        return array_places(fn, rule)
    if len(call.args) == 2 and all(isinstance(b.type(a), Unknown) for a in call.args):
        return Places(frozenset({0, 1}), frozenset())
    return operands(b, fn, list(call.args))


@lru_cache(maxsize=1024)
def array_places(fn: Any, rule: Rule) -> Places | None:
    """Where a callable of NumPy's or SciPy's takes array-likes; None if nowhere."""
    if not is_numerical(fn) or fn in PARTS or fn in ARRAYS_ONLY or rule.body is None:
        return None
    parameters = list(inspect.signature(rule.body).parameters.values())[LEADING[rule.kind] :]
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if rule.kind == "elementwise" and not isinstance(fn, np.ufunc):
        positional += [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in ("min", "max")]  # np.clip
    wrt = PLACES.get(fn, rule.wrt)
    if wrt is None and rule.kind == "composite":
        wrt = tuple(k for k, name in enumerate(positional) if name not in SETTINGS)
    elif wrt is None:
        wrt = (0,) if rule.kind in ("linear", "reduction") else tuple(range(len(positional)))
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters) and fn not in PLACES and rule.wrt is None
    if getattr(fn, "__objclass__", None) is np.ndarray:
        wrt = tuple(k for k in wrt if k > 0)  # the owner of a method is no list
        if not wrt:
            return None
    sequences = {key for k in OPERANDS.get(fn, ()) for key in (k, positional[k])}
    names = frozenset() if isinstance(fn, np.ufunc) else frozenset(positional[k] for k in wrt if k < len(positional))
    return Places(frozenset(wrt), names, len(positional) if starred else None, frozenset(sequences))


def is_numerical(fn: Any) -> bool:
    """Whether a callable is NumPy's or SciPy's, which make arrays of what they get."""
    if isinstance(fn, np.ufunc) or isinstance(getattr(fn, "__self__", None), np.ufunc):
        return True
    if getattr(fn, "__objclass__", None) is np.ndarray:
        return True
    return str(getattr(fn, "__module__", "")).partition(".")[0] in ("numpy", "scipy")


def may_be_sequence(t: Type) -> bool:
    if isinstance(t, Ref):
        return t.cell.cls is list
    return isinstance(t, (TupleT, ListT, Seq)) or isinstance(t, Known) and isinstance(t.value, (tuple, list))


def carries(t: Type) -> bool:
    """Whether a value of this type may carry a derivative; constants do not."""
    match t:
        case Known():
            return False
        case TupleT(items) | ListT(items):
            return any(map(carries, items))
        case _:
            return not holds_ref(t) and differentiable(t)


def is_arraylike(t: Type) -> bool:
    """Whether a value is a list or tuple of which np.array makes an array of one known dtype and
    rank. What NumPy may refuse (rows of different rank), it shall refuse where it is called."""
    if t in EMPTY:
        return True
    match t:
        case TupleT(items) | ListT(items):
            return all(map(is_element, items)) and mixed_dtype(t) is not None and dims_of(t) is not None
        case Seq(item):
            return is_element(item) and mixed_dtype(t) is not None
        case Known(value) if isinstance(value, (tuple, list)):
            inner = tuple(Known(v) for v in value)  # type: ignore[reportUnknownVariableType]
            return is_arraylike(TupleT(inner))
        case _:
            return False


def holds_unknown(t: Type) -> bool:
    """Whether a value is such a list or tuple but for items that are known when the code runs."""
    items = t.items if isinstance(t, (TupleT, ListT)) else (t.item,) if isinstance(t, Seq) else ()
    unknown = [isinstance(item, Unknown) or holds_unknown(item) for item in items]
    return any(unknown) and all(known or is_element(item) for known, item in zip(unknown, items))


def is_element(t: Type) -> bool:
    match t:
        case Scalar():
            return True
        case Array(dtype, _):
            return dtype.kind in "biufc"
        case Known(value) if not isinstance(value, (tuple, list)):
            return is_scalar_class(type(value))
        case _:
            return is_arraylike(t)


def mixed_dtype(t: Type) -> np.dtype[Any] | None:
    """The dtype of a list of these items. Where an item may be one of several numbers, their
    common one: a list that holds only ints has no derivative anyway."""
    match t:
        case TupleT(items) | ListT(items) if items:
            parts = [mixed_dtype(i) for i in items]
            return None if any(p is None for p in parts) else np.result_type(*[p for p in parts if p is not None])
        case Seq(item):
            return mixed_dtype(item)
        case Scalar(kinds):
            return np.result_type(*[np.dtype(k) for k in kinds])
        case _:
            return dtype_of(t)
