"""Operators and builtins on objects: what the methods of their classes say, followed."""

from __future__ import annotations

import cmath
import dataclasses
import math
import operator
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import cell_handlers, dispatch, handles, handles_cells
from adcompile.analysis.containers import entry, others
from adcompile.analysis.guards import guard_class, relied_on
from adcompile.analysis.heap import cell_of
from adcompile.analysis.iteration import known_items
from adcompile.analysis.library import has_operators
from adcompile.analysis.objects import is_generated, is_object
from adcompile.analysis.operands import check_order, number_takes
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Array, Instance, Known, ObjectT, Ref, Scalar, TupleT, Type, widen
from adcompile.runtime.objects import stated
from adcompile.runtime.structure import ARITHMETIC

COMPARED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
SPECIAL: dict[Any, tuple[str, ...]] = {
    operator.neg: ("__neg__",), operator.pos: ("__pos__",), operator.invert: ("__invert__",), abs: ("__abs__",),
    operator.getitem: ("__getitem__",), operator.setitem: ("__setitem__",), operator.delitem: ("__delitem__",),
    operator.contains: ("__contains__",), len: ("__len__",), iter: ("__iter__",),
    float: ("__float__", "__index__"), int: ("__int__", "__index__", "__trunc__"), operator.index: ("__index__",),
    complex: ("__complex__", "__float__", "__index__"), round: ("__round__",), math.trunc: ("__trunc__",),
    math.floor: ("__floor__", "__float__", "__index__"), math.ceil: ("__ceil__", "__float__", "__index__"),
    str: ("__str__", "__repr__"), repr: ("__repr__",), format: ("__format__",), hash: ("__hash__",),
}  # fmt: skip
"""What asks an object for what: the methods that are looked for, in this order."""
ALIASES = {operator.abs: abs, operator.inv: operator.invert}
CONVERTS: tuple[Any, ...] = (float, complex, math.floor, math.ceil)
"""These make of what a method gives what they make of any number."""
NOT = Const(NotImplemented)


def operator_named(name: str) -> Any:
    return getattr(operator, name + "_" if name in ("and", "or", "not") else name)


def method_call(b: Builder, owner: Atom, name: str, rest: Sequence[Atom], place: Place | None) -> Atom:
    """`type(owner).name(owner, …)`, or NotImplemented where the class has no such method."""
    cls = class_named(b, owner)
    method = None if cls is None else stated(cls, name)
    if not isinstance(method, FunctionType) or cls is None:
        relied_on(b, () if cls is None else (cls,))
        return NOT
    guard_class(b, cls, name, Known(method))
    home = next(c for c in cls.__mro__ if name in vars(c))
    if is_generated(home, method):
        return generated(b, home, owner, name, rest, place)
    return dispatch(b, Const(method), [owner, *rest], [], "", place)


def generated(b: Builder, cls: type, owner: Atom, name: str, rest: Sequence[Atom], place: Place | None) -> Atom:
    """What a dataclass compares: the tuples of its fields."""
    fields = [f.name for f in dataclasses.fields(cls) if f.compare]
    same = rest and b.type(rest[0]) != Known(None) and class_named(b, rest[0]) is class_named(b, owner)
    if not same or name not in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__"):
        return NOT
    rows = [b.build(TupleT(()), [b.call(getattr, x, f) for f in fields]) for x in (owner, rest[0])]
    return b.call(operator_named(name.strip("_")), *rows, place=place)


def class_named(b: Builder, atom: Atom) -> type | None:
    """The class whose methods say what operators do: of an object, and of a namedtuple."""
    t = b.type(atom)
    if isinstance(t, Ref):
        return t.cell.cls
    return t.cls if isinstance(t, (ObjectT, TupleT)) or isinstance(t, Instance) and has_operators(b, atom) else None


def is_not_implemented(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is NotImplemented


def binary(name: str, reflected: str) -> Callable[..., Atom | None]:
    own, other = f"__{name}__", f"__{reflected}__"
    compares = name in COMPARED

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, _: str) -> Atom | None:
        if len(args) != 2:
            return modular(b, args, place) if name == "pow" else None
        left, right = args
        first, second = class_named(b, left), class_named(b, right)
        earlier = comes_first(first, second, None if compares else other)
        out = asked(b, right, other, left, place) if earlier else NOT
        if is_not_implemented(out):
            out = asked(b, left, own, right, place)
        if is_not_implemented(out) and not earlier and (compares or first is None or first is not second):
            cls = second or object
            if number_takes(b.type(left), cls):
                return None
            check_order(b.type(left), cls, other, place)
            out = asked(b, right, other, left, place)
        if not is_not_implemented(out):
            return out
        if any(compares_itself(class_named(b, a)) for a in args):
            return None
        if name in ("eq", "ne") and all(is_object(b, a) for a in args):
            return Const((cell_of(left) is cell_of(right)) is (name == "eq"))
        if name == "ne" and any(is_object(b, a) for a in args):
            return b.call(operator.not_, b.call(operator.eq, left, right))
        return None

    return handler


def comes_first(left: type | None, right: type | None, reflected: str | None) -> bool:
    """Whether the right operand is asked first: its class is one of the left's, and says anew what the
    reflected operator does (asked of all where they are compared)."""
    if left is None or right is None or left is right or not issubclass(right, left):
        return False
    return reflected is None or stated(right, reflected) is not stated(left, reflected)


def asked(b: Builder, owner: Atom, name: str, other: Atom, place: Place | None) -> Atom:
    """What an operand says; unequal is what is not equal where its class says nothing else."""
    out = method_call(b, owner, name, [other], place)
    if name != "__ne__" or not is_not_implemented(out) or stated(class_named(b, owner) or int, name) is not NE:
        return out
    equal = method_call(b, owner, "__eq__", [other], place)
    return equal if is_not_implemented(equal) else b.call(operator.not_, equal, place=place)


NE = object.__ne__


def modular(b: Builder, args: Args, place: Place | None) -> Atom | None:
    """`pow(a, b, n)` of an object."""
    out = method_call(b, args[0], "__pow__", args[1:], place)
    return None if is_not_implemented(out) else out


def compares_itself(cls: type | None) -> bool:
    """Whether objects are compared by a method that is not written in Python."""
    method = stated(cls or object, "__eq__")
    return method is not object.__eq__ and not isinstance(method, FunctionType)


def in_place(name: str) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, hint: str) -> Atom | None:
        if not any(is_object(b, a) or has_operators(b, a) for a in args):
            return None
        out = method_call(b, args[0], f"__i{name}__", args[1:], place)
        return dispatch(b, Const(operator_named(name)), args, [], hint, place) if is_not_implemented(out) else out

    return handler


def special(fn: Any, names: tuple[str, ...]) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, _: str) -> Atom | None:
        if kwargs or not args or class_named(b, args[0]) is None:
            return None
        rest = [*args[1:], *([Const("")] if fn is format and len(args) == 1 else [])]
        for name in names:
            if of_builtin(class_named(b, args[0]), name):  # which Python asks, and nothing else
                return None
            out = method_call(b, args[0], name, rest, place)
            if not is_not_implemented(out):
                plain = name != names[0] or fn in (float, complex) and b.type(out) != Scalar(frozenset({fn}))
                return b.call(fn, out, place=place) if fn in CONVERTS and plain else out
        return None

    return handler


def of_builtin(cls: type | None, name: str) -> bool:
    """Whether a class has a method from one that is not written in Python, such as `int`."""
    found = stated(cls or object, name)
    return found is not None and not isinstance(found, FunctionType) and found is not vars(object).get(name)


def register(fn: Any, handler: Callable[..., Atom | None]) -> None:
    others[fn] = handler
    if fn not in cell_handlers:
        cell_handlers[fn] = entry(fn)


for _name in ARITHMETIC:
    register(operator_named(_name), binary(_name, f"r{_name}"))
    register(operator_named("i" + _name), in_place(_name))
for _name, _reflected in COMPARED.items():
    register(operator_named(_name), binary(_name, _reflected))


def item_at(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`items[i]` of an object, or at the position that an object stands for."""
    out = special(operator.getitem, SPECIAL[operator.getitem])(b, args, kwargs, place, name)
    if out is not None or len(args) != 2 or is_object(b, args[0]) or not is_object(b, args[1]):
        return out
    number = method_call(b, args[1], "__index__", [], place)
    return None if is_not_implemented(number) else b.call(operator.getitem, args[0], number, name=name, place=place)


register(divmod, binary("divmod", "rdivmod"))
register(pow, binary("pow", "rpow"))
for _fn, _names in SPECIAL.items():
    register(_fn, special(_fn, _names))
others[operator.getitem] = item_at
for _fn, _same in ALIASES.items():
    register(_fn, special(_same, SPECIAL[_same]))

FLOATS = """acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fabs fma fmod
    frexp gamma hypot isclose isfinite isinf isnan ldexp lgamma log log10 log1p log2 modf nextafter pow radians
    remainder sin sinh sqrt tan tanh ulp"""
"""The functions of `math` whose arguments are floats."""


COMPLEX = """acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar sin sinh
    sqrt tan tanh"""
"""The functions of `cmath`."""


def as_number(b: Builder, atom: Atom, place: Place | None, number: type = float) -> Atom:
    """What an object becomes where a float (or a complex number) is wanted, and a complex number of NumPy's where a
    float is: its real part, of which NumPy warns. Others as they are."""
    if number is float and is_complex_of_numpy(widen(b.type(atom))):
        return b.call(float, atom, place=place)
    cls = class_named(b, atom)
    asked = cls is not None and any(isinstance(stated(cls, n), FunctionType) for n in SPECIAL[number])
    return b.call(number, atom, place=place) if asked else atom


def is_complex_of_numpy(t: Type) -> bool:
    if isinstance(t, Array):
        return t.dtype.kind == "c"
    return isinstance(t, Scalar) and any(issubclass(kind, np.complexfloating) for kind in t.kinds)


def of_numbers(fn: Any, number: type = float) -> Callable[..., Atom | None]:
    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        given = [as_number(b, a, place, number) for a in args]
        same = all(a is g for a, g in zip(args, given))
        return None if same else dispatch(b, Const(fn), given, kwargs, name, place)

    return handler


def of_sequences(fn: Any) -> Callable[..., Atom | None]:
    """The same of functions that are given the floats in sequences."""

    def handler(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        rows = [known_items(b, a) for a in args]
        made = [None if row is None else [as_number(b, item, place) for item in row] for row in rows]
        if rows == made:
            return None
        given = [a if row is None else b.call(ops.build_tuple, *row) for a, row in zip(args, made)]
        return dispatch(b, Const(fn), given, kwargs, name, place)

    return handler


for _fn in (*(getattr(math, _name, None) for _name in FLOATS.split()), cmath.rect):
    if _fn is not None:
        register(_fn, of_numbers(_fn))
        handles(_fn, look=())(of_numbers(_fn))
for _fn in (getattr(math, _name, None) for _name in ("dist", "fsum", "sumprod")):
    if _fn is not None:
        register(_fn, of_sequences(_fn))
for _fn in (np.float64, np.float32):
    register(_fn, of_numbers(_fn))
for _fn in (np.complex128, np.complex64, *(getattr(cmath, _name) for _name in COMPLEX.split())):
    register(_fn, of_numbers(_fn, complex))


@handles_cells(ops.format_value)
def formatted(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """`f"{owner!r:spec}"` of an object: what its own methods write."""
    owner, conversion, spec = args
    if not is_object(b, owner) or not b.known(conversion) or b.value(conversion) == "a":
        return None
    if b.value(conversion):
        text = b.call(repr if b.value(conversion) == "r" else str, owner, place=place)
        return b.call(ops.format_value, text, "", spec, place=place)
    out = method_call(b, owner, "__format__", [spec], place)
    if is_not_implemented(out) and b.known(spec) and b.value(spec) == "":
        out = method_call(b, owner, "__str__", [], place)
    return None if is_not_implemented(out) else out


def truth(b: Builder, owner: Atom, place: Place | None) -> Atom:
    """`bool(owner)` of an object."""
    out = method_call(b, owner, "__bool__", [], place)
    if is_not_implemented(out):
        out = method_call(b, owner, "__len__", [], place)
        return Const(True) if is_not_implemented(out) else b.call(operator.ne, out, 0)
    return out


@handles_cells(bool, operator.truth)
def to_bool(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return truth(b, args[0], place) if len(args) == 1 and is_object(b, args[0]) else None


@handles_cells(operator.not_)
def to_not(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    return b.call(operator.not_, truth(b, args[0], place), place=place) if is_object(b, args[0]) else None
