"""What a value is in a kernel: numbers by their machine type, arrays, and tuples and lists of them.

A kernel has one machine type for what Python and NumPy have two classes for: `float` and `np.float64` are both
"f8". Which of the two semantics an operation has is decided where it is printed, from the abstract types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Union

import numpy as np

from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir.types import Array, Known, ListT, Maybe, Scalar, Seq, TupleT, Type, widen

if TYPE_CHECKING:
    from adcompile.ir.nodes import Var  # which processes that find their kernels compiled do without

Code = Literal["f8", "f4", "i8", "i4", "b1", "c16"]
""""i4" is for arrays alone, as libraries have them for indices: what is read of them is an integer, and there is no
arithmetic that gives numbers of their class."""

CLASSES: dict[Code, frozenset[type]] = {
    "f8": frozenset({float, np.float64}),
    "f4": frozenset({np.float32}),
    "i8": frozenset({int, np.int64}),
    "b1": frozenset({bool, np.bool_}),
    "c16": frozenset({complex, np.complex128}),
}
DTYPES: dict[Code, str] = {
    "f8": "np.float64",
    "f4": "np.float32",
    "i8": "np.int64",
    "i4": "np.int32",
    "b1": "np.bool_",
    "c16": "np.complex128",
}
ORDER: tuple[type, ...] = (int, float, np.float32, np.float64)
"""The class of a sum, difference or product is the last of those of its operands."""
_OF_DTYPE: dict[np.dtype, Code] = {
    np.dtype(np.float64): "f8",
    np.dtype(np.float32): "f4",
    np.dtype(np.int64): "i8",
    np.dtype(np.int32): "i4",
    np.dtype(np.bool_): "b1",
    np.dtype(np.complex128): "c16",
}


class NotNative(Exception):
    """Something that a kernel cannot hold or do, and where it is."""

    def __init__(self, what: str, place: Place | None = None) -> None:
        super().__init__(what)
        self.what, self.place = what, place


class Unkept(NotNative):
    """A list that is used in other ways than those of what loops keep."""

    def __init__(self, what: str, place: Place | None, root: Var) -> None:
        super().__init__(what, place)
        self.root = root


@frozen
class Number:
    code: Code


@frozen
class ArrayOf:
    code: Code
    rank: int


@frozen
class TupleOf:
    items: tuple[Native, ...]


@frozen
class ListOf:
    item: Native


Native = Union[Number, ArrayOf, TupleOf, ListOf]


def read_of(array: ArrayOf, place: str) -> tuple[Number, str]:
    """What is read of one place of an array, and the text that reads it."""
    return (Number("i8"), f"np.int64({place})") if array.code == "i4" else (Number(array.code), place)


def code_of(kinds: frozenset[type]) -> Code | None:
    """The machine type of a number that has one of these classes. Where an int may be a float too it
    is kept as one, which is exact within 2**53."""
    for code, classes in CLASSES.items():
        if kinds and kinds <= classes:
            return code
    if kinds & CLASSES["f8"] and kinds <= CLASSES["f8"] | {int}:
        return "f8"
    return None


def held(t: Type) -> Native | None:
    """What a value that comes by several ways is held as: numbers of which some have single precision as others, which
    is exact, and what may be None as what it is where it is there."""
    if isinstance(t, Maybe):
        return held(t.type)
    if isinstance(t, Scalar) and is_mixed(t.kinds):
        return Number("f8")
    return native_of(t)


def is_unheld(t: Type) -> bool:
    """Whether a number, or one in tuples and lists, is a truth value on some paths only: nobody knows in a kernel what
    it adds up to."""
    match widen(t):
        case Maybe(type=inner) | Seq(item=inner):
            return is_unheld(inner)
        case Scalar(kinds):
            return bool(kinds & CLASSES["b1"]) and not kinds <= CLASSES["b1"]
        case TupleT(items=items) | ListT(items=items):
            return any(map(is_unheld, items))
        case _:
            return False


def is_mixed(kinds: frozenset[type]) -> bool:
    """Whether the precision of a number is decided at run time."""
    return np.float32 in kinds and len(kinds) > 1 and kinds <= set(ORDER)


def native_of(t: Type) -> Native | None:
    """What a value of an abstract type is in a kernel; None: nothing."""
    t = widen(t)
    match t:
        case Known(value) if value is None:
            return None
        case Scalar(kinds):
            code = code_of(kinds)
            return None if code is None else Number(code)
        case Array(dtype, dims):
            code = _OF_DTYPE.get(dtype)
            return ArrayOf(code, len(dims)) if code is not None and dims else None
        case TupleT(items, cls) if cls is tuple:
            made = tuple([native_of(item) for item in items])
            return None if any(item is None for item in made) else TupleOf(tuple(i for i in made if i is not None))
        case ListT(items) if items:
            of_items = {native_of(item) for item in items}
            only = of_items.pop() if len(of_items) == 1 else None
            return None if only is None else ListOf(only)
        case Seq(item, cls) if cls in (list, tuple):  # a tuple of any length is a list that nobody writes into
            found = native_of(item)
            return None if found is None else ListOf(found)
        case _:
            return None
