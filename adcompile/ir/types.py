"""Abstract types: what specialisation knows of a value.

    Never                          no value reaches here (a recursion not yet inferred)
    Known(value)                   this very value: None, bool, int, str, function, module, dtype …
    Scalar(kinds)                  one of these Python or NumPy scalar types
    Array(dtype, dims)             an exact numpy.ndarray; dims is None where the rank is unknown
    TupleT | ListT | DictT         containers of known structure
    Seq(item, cls)                 a list or tuple of unknown length
    Record(item, cls, node)        a Seq: a tuple whose items are told by `node`, and may be such tuples in turn; while
                                   specialising only
    RangeT | IterT(kind, parts)    range; zip, enumerate, reversed, dict views … over these parts
    SliceT(parts)                  slice(start, stop, step)
    Closure(function, …, cells)    a function whose code is known and whose cells have these types
    Method(function, self)         a bound method
    Choice(options)                one of several known callables
    Instance(cls, own)             an object of this class, nothing known of its attributes but that `own`
                                   names those of the class that it hides by its own
    Filled(cls, own, sites)        an Instance: a list, dict or set that was made at one of these places of the
                                   program, where what such containers hold is known (analysis/contents)
    ObjectT(cls, names, types)     an object of this class with these attributes
    Ref(cell)                      a list, dict or object that may be written into; while specialising only
    Boxed(cls, content)            such a one that differs in every iteration; while specialising only
    Maybe(type)                    an Unknown: None on some paths, else of this type
    Kept(types)                    an Unknown: what `rt.hold` keeps for a pullback, values of these types
    Unknown                        anything

A dimension is "one", "many" (not one: zero counts) or "any".
"""

from __future__ import annotations

import enum
from dataclasses import field
from typing import Any, Literal, Union

import numpy as np

from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.runtime.state import held_by

Dim = Literal["one", "many", "any"]


@frozen
class Never:
    pass


@frozen
class Unknown:
    pass


_PLAIN = frozenset({bool, int, str, bytes, type(None)})
"""Classes of which equal values are the same value."""


@frozen(eq=False)
class Known:
    value: Any

    def _key(self) -> tuple[Any, ...]:
        value = self.value
        kind = type(value)
        if kind in _PLAIN:
            return (kind, value)
        if isinstance(value, (int, float, complex, str, bytes, np.dtype)):
            return (kind, repr(value))  # which tells 0.0 from -0.0, and nan is equal to itself
        if kind is tuple or kind is frozenset:
            return (kind, tuple(Known(item)._key() for item in value))
        return (kind, id(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@frozen
class Scalar:
    kinds: frozenset[type]


@frozen
class Array:
    dtype: np.dtype[Any]
    dims: tuple[Dim, ...] | None


@frozen
class TupleT:
    items: tuple[Type, ...]
    cls: type = tuple  # or a namedtuple class


@frozen
class ListT:
    items: tuple[Type, ...]


@frozen
class DictT:
    keys: tuple[Any, ...]
    values: tuple[Type, ...]


@frozen
class Seq:
    item: Type
    cls: type = list


class Node:
    """What tuples hold that nest without end: the types of their items, as far as they are known by now."""

    def __init__(self, items: tuple[Type, ...] = ()) -> None:
        self.items = items


@frozen
class Record(Seq):
    node: Node = field(default_factory=Node)


@frozen
class RangeT:
    """`unit`: it is `range(n)`, so that the element is the number of the iteration."""

    unit: bool = False


@frozen
class IterT:
    kind: str
    parts: tuple[Type, ...]


@frozen
class SliceT:
    parts: tuple[Type, Type, Type]


@frozen
class Closure:
    """`function` is the lowered `ir.nodes.Function`; defaults and cells by position."""

    function: Any
    defaults: tuple[Type, ...]
    kwdefaults: tuple[tuple[str, Type], ...]
    cells: tuple[Type, ...]


@frozen
class Method:
    """A bound method: `function` is called with the value of type `self` first."""

    function: Any
    self: Type


@frozen
class Choice:
    """One of these known callables."""

    options: tuple[Known, ...]


@frozen
class Instance:
    cls: type
    own: tuple[str, ...] = ()
    """Attributes that objects of this type may have for themselves, and the class has as well."""


@frozen
class Filled(Instance):
    sites: frozenset[tuple[type, Place]] = frozenset()


@frozen
class OwnMethod(Instance):
    """A method, function or partial application that an object or a container in it holds, and that holds this object
    itself: where, and how many levels up the object is. `function` is the callable, of a method its function; None:
    one of several."""

    function: Any = None
    bound: tuple[tuple[Any, int], ...] = ()


@frozen
class Around(Instance):
    """An object, so many levels `up`, in itself or in what it holds."""

    up: int = 1


@frozen
class OfData(Instance):
    """A builtin method of this name that is bound to a list, dict, set or array, an object of class `data`."""

    data: type = object
    name: str = ""


def is_array_subclass(t: Type) -> bool:
    """Whether values are arrays of a class of their own, in which arithmetic may mean anything."""
    return isinstance(t, Instance) and issubclass(t.cls, np.ndarray)


@frozen
class ObjectT:
    cls: type
    names: tuple[str, ...]
    types: tuple[Type, ...]


@frozen
class Maybe(Unknown):
    type: Type


@frozen
class Kept(Unknown):
    types: tuple[Type, ...]


@frozen(eq=False)
class Cell:
    """The identity of a list, dict, object or variable of the program that is being specialised.
    What it holds is looked up in the store. `real` is the object itself where the caller has it;
    `sources` are the cells one of which this is, where that depends on the path."""

    cls: type
    name: str = ""
    place: Place | None = None
    real: Any = None
    sources: tuple[Cell, ...] = ()


@frozen
class Ref:
    """The type of a Const that holds a Cell: which one it is, is known."""

    cell: Cell


@frozen
class Boxed:
    """In what a loop assumes of the values it carries: another cell in every iteration."""

    cls: type
    content: Type


Type = Union[
    Never, Unknown, Known, Scalar, Array, TupleT, ListT, DictT, Seq, Record, RangeT, IterT, SliceT, Closure, Method,
    Choice, Instance, Filled, ObjectT, Maybe, Kept, Ref, Boxed,
]

UNKNOWN = Unknown()
NEVER = Never()
NONE = Known(None)
FLOAT = Scalar(frozenset({float}))
INT = Scalar(frozenset({int}))
BOOL = Scalar(frozenset({bool}))
FLOAT64 = Scalar(frozenset({np.float64}))

PYTHON_SCALARS: tuple[type, ...] = (bool, int, float, complex)


def is_scalar_class(cls: type) -> bool:
    """Whether values of `cls` have type Scalar: Python numbers and NumPy number scalars."""
    return cls in PYTHON_SCALARS or (issubclass(cls, (np.number, np.bool_)) and cls.__module__ == "numpy")


def scalar(*kinds: type) -> Scalar:
    return Scalar(frozenset(kinds))


def dim_of(size: int) -> Dim:
    return "one" if size == 1 else "many"


def array_type(array: np.ndarray[Any, Any]) -> Array:
    return Array(array.dtype, tuple(dim_of(n) for n in array.shape))


def is_inexact(kind: type) -> bool:
    return kind in (float, complex) or issubclass(kind, np.inexact)


def differentiable(t: Type) -> bool:
    """Whether values of this type have a tangent (of Unknown: they may have)."""
    match t:
        case Scalar(kinds):
            return any(is_inexact(k) for k in kinds)
        case Known(value):
            return is_inexact(type(value))
        case Array(dtype, _):
            return dtype.kind in "fc"
        case TupleT(items) | ListT(items):
            return any(differentiable(i) for i in items)
        case DictT(_, values) | ObjectT(_, _, values):
            return any(differentiable(v) for v in values)
        case Seq(item) | Maybe(item):
            return differentiable(item)
        case IterT(_, parts):
            return any(differentiable(p) for p in parts)
        case Closure(_, defaults, kwdefaults, cells):
            return any(map(differentiable, (*defaults, *cells, *(t for _, t in kwdefaults))))
        case Method(_, owner):
            return differentiable(owner)
        case Instance(cls):
            return cls not in (str, bytes, range, slice)
        case Unknown() | Ref() | Boxed():
            return True
        case _:
            return False


def is_complex(t: Type) -> bool:
    """Whether a value of this type may be complex."""
    match t:
        case Scalar(kinds):
            return any(k is complex or issubclass(k, np.complexfloating) for k in kinds)
        case Known(value):
            return isinstance(value, (complex, np.complexfloating))
        case Array(dtype, _):
            return dtype.kind == "c"
        case Maybe(item):
            return is_complex(item)
        case Unknown():
            return True
        case _:
            return False


def widen(t: Type) -> Type:
    """A Known number as the Scalar of its class, a text or member of an enumeration as any; other types unchanged."""
    if isinstance(t, Known) and is_scalar_class(type(t.value)):
        return Scalar(frozenset({type(t.value)}))
    if isinstance(t, Known) and isinstance(t.value, (str, bytes, enum.Enum)):
        return Instance(type(t.value))
    return t


def maybe(t: Type) -> Type:
    """None, or of this type."""
    t = widen(t)
    held = (Scalar, Array, Instance, TupleT, ListT, DictT, ObjectT, Seq, RangeT)
    return Maybe(_without_ends(t)) if isinstance(t, held) else UNKNOWN


def _without_ends(t: Type) -> Type:
    """A type in which a container that may be None is Unknown: types of linked lists would grow without end."""
    match t:
        case Maybe(Scalar() | Array() | Instance() | Record() | RangeT()) | Record():
            return t
        case Maybe():
            return UNKNOWN
        case TupleT(items, cls):
            return TupleT(tuple(map(_without_ends, items)), cls)
        case ListT(items):
            return ListT(tuple(map(_without_ends, items)))
        case DictT(keys, values):
            return DictT(keys, tuple(map(_without_ends, values)))
        case ObjectT(cls, names, types):
            return ObjectT(cls, names, tuple(map(_without_ends, types)))
        case Seq(item, cls):
            return Seq(_without_ends(item), cls)
        case _:
            return t


def join_dim(a: Dim, b: Dim) -> Dim:
    return a if a == b else "any"


def is_called(t: Type) -> bool:
    return isinstance(t, (OwnMethod, Method, Closure)) or isinstance(t, Known) and callable(t.value)


def join(a: Type, b: Type) -> Type:
    """The least type that holds the values of both."""
    if a == b:
        return a
    if isinstance(a, Never):
        return b
    if isinstance(b, Never):
        return a
    if isinstance(a, Maybe) and b == NONE or isinstance(b, Maybe) and a == NONE:
        return a if b == NONE else b
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        return maybe(join(a.type if isinstance(a, Maybe) else a, b.type if isinstance(b, Maybe) else b))
    if NONE in (a, b):
        return maybe(b if a == NONE else a)
    if is_called(a) and is_called(b) and (isinstance(a, OwnMethod) or isinstance(b, OwnMethod)):
        return OwnMethod(object)
    a, b = widen(a), widen(b)
    if a == b:
        return a
    match a, b:
        case Scalar(ka), Scalar(kb):
            return Scalar(ka | kb)
        case Array(da, sa), Array(db, sb) if da == db:
            if sa is None or sb is None or len(sa) != len(sb):
                return Array(da, None)
            return Array(da, tuple(join_dim(x, y) for x, y in zip(sa, sb)))
        case TupleT(ia, ca), TupleT(ib, cb) if ca is cb and len(ia) == len(ib):
            return TupleT(tuple(map(join, ia, ib)), ca)
        case TupleT(ia, c1), TupleT(ib, c2) if c1 is c2 is tuple:
            return Seq(_join_all((*ia, *ib)), tuple)
        case ListT(ia), ListT(ib):
            if len(ia) == len(ib):
                return ListT(tuple(map(join, ia, ib)))
            return Seq(_join_all((*ia, *ib)), list)
        case (ListT(items), Seq(item, cls)) | (Seq(item, cls), ListT(items)) if cls is list:
            return Seq(_join_all((*items, item)), list)
        case (TupleT(items), Seq(item, cls)) | (Seq(item, cls), TupleT(items)) if cls is tuple:
            return Seq(_join_all((*items, item)), tuple)
        case Seq(ia, ca), Seq(ib, cb) if ca is cb:
            return Seq(join(ia, ib), ca)
        case DictT(ka, va), DictT(kb, vb) if ka == kb:
            return DictT(ka, tuple(map(join, va, vb)))
        case ObjectT(ca, na, ta), ObjectT(cb, nb, tb) if ca is cb:
            return ObjectT(ca, na, tuple(map(join, ta, tb))) if na == nb else Instance(ca, hiding(ca, *na, *nb))
        case (ObjectT(ca, names), Instance(cb, own)) | (Instance(ca, own), ObjectT(cb, names)) if ca is cb:
            return Instance(ca, hiding(ca, *own, *names))
        case Kept(ta), Kept(tb) if len(ta) == len(tb):
            return Kept(tuple(map(join, ta, tb)))
        case SliceT(pa), SliceT(pb):
            p, q, r = map(join, pa, pb)
            return SliceT((p, q, r))
        case RangeT(), RangeT():
            return RangeT(False)
        case Closure(fa, da, ka, ca), Closure(fb, db, kb, cb) if fa is fb and len(da) == len(db):
            kw = tuple((n, join(x, y)) for (n, x), (_, y) in zip(ka, kb))
            return Closure(fa, tuple(map(join, da, db)), kw, tuple(map(join, ca, cb)))
        case Filled(ca), Filled(cb) if ca is cb:
            return Filled(ca, (), a.sites | b.sites)
        case Instance(ca, own), Instance(cb, other) if ca is cb:
            return Instance(ca, own if own == other else hiding(ca, *own, *other))
        case (DictT(), Instance(cls)) | (Instance(cls), DictT()) if cls is dict:
            return Instance(dict)
        case (ListT() | Seq(), Instance(cls)) | (Instance(cls), ListT() | Seq()) if cls is list:
            return Instance(list)
        case _:
            return UNKNOWN


def hiding(cls: type, *names: str) -> tuple[str, ...]:
    """Those of the names that the class has too: an object with its own hides what the class says."""
    return tuple(sorted({n for n in names if hasattr(cls, n)}))


def reader(cls: type) -> Any:
    """What reads an attribute that an object of this class has for itself, whatever the class says of reading."""
    return getattr if cls.__getattribute__ is object.__getattribute__ else held_by


def _join_all(types: tuple[Type, ...]) -> Type:
    out: Type = NEVER
    for t in types:
        out = join(out, t)
    return out


_ATOMIC = frozenset({Array, Scalar, Known, Unknown, Maybe, Kept})
"""The types of most values: they hold none of others."""


def holds_ref(t: Type) -> bool:
    """Whether a value of this type is, or holds, a reference to a cell."""
    return holds(t, Ref)


def handed(t: Type) -> bool:
    """Whether code that is not followed cannot take such values as they are: see analysis/real."""
    return holds(t, Ref, Method, ObjectT, OwnMethod)


def holds(t: Type, *kinds: type) -> bool:
    """Whether a type is one of these kinds, or a value of it holds such a one."""
    if type(t) in _ATOMIC:  # asked of every operand
        return False
    if isinstance(t, kinds):
        return True
    match t:
        case TupleT(items) | ListT(items) | DictT(_, items) | ObjectT(_, _, items) | IterT(_, items):
            return any(holds(item, *kinds) for item in items)
        case SliceT(items):
            return any(holds(item, *kinds) for item in items)
        case Closure(_, defaults, kwdefaults, cells):
            return any(holds(item, *kinds) for item in (*defaults, *cells, *(t for _, t in kwdefaults)))
        case Method(_, owner):
            return holds(owner, *kinds)
        case _:
            return False
