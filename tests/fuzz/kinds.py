"""Types of the values in a generated program, with symbolic dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Dim(NamedTuple):
    """`symbol + offset`; a constant where the symbol is empty."""

    symbol: str
    offset: int = 0

    def __str__(self) -> str:
        if not self.symbol:
            return str(self.offset)
        if not self.offset:
            return self.symbol
        return f"{self.symbol} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"

    def plus(self, k: int) -> Dim:
        return Dim(self.symbol, self.offset + k)


ONE = Dim("", 1)
Shape = tuple[Dim, ...]


def shape_text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


@dataclass(frozen=True)
class Number:
    """A float, of Python or NumPy."""


@dataclass(frozen=True)
class Whole:
    """An int from 0 up to `below`."""

    below: Dim


@dataclass(frozen=True)
class Array:
    shape: Shape
    dtype: str = "float64"

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class List:
    """A list of `count` items, of an unknown number (at least one) where that is None."""

    item: Kind
    count: int | None


@dataclass(frozen=True)
class Tuple:
    items: tuple[Kind, ...]


@dataclass(frozen=True)
class Dict:
    items: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Object:
    """An object of a class of the program: attributes `a`, an array, and `s`, a number."""

    name: str
    shape: Shape


Kind = Number | Whole | Array | List | Tuple | Dict | Object
NUMBER = Number()


@dataclass(frozen=True)
class Var:
    """A name in a program. `bound` is about how large it gets; a view of what cannot be written is not `writable`."""

    name: str
    kind: Kind
    bound: float = 1.0
    writable: bool = True


class Ex(NamedTuple):
    """An expression, and about how large it gets."""

    text: str
    bound: float = 1.0
