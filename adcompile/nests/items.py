"""What a loop nest is made of: expressions on one element, and what is done with their values.

    expression = Load(base, index) | Number(atom) | At(axis) | Value(item) | Op(fn, args)
    item       = Compute(var, value)           a temporary, stored only if somebody needs it in memory
               | Store(view, fn, value)        view[…] = value, or view[…] = fn(view[…], value); or `known` to be so
               | Reduce(var, fn, value, last)  over all axes, or the last one

All stand in the loops of one space, a key for each axis, and index arrays by `nests/views.Axis`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Literal, Union

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Call, Role, Var
from adcompile.nests.elementwise import SELECTIONS, DType
from adcompile.nests.keys import Keys
from adcompile.nests.views import Axis, View, along, compose

Index = tuple[Axis, ...]
FUNCTION = 20
"""Operations that a function costs."""


@frozen(eq=False)
class Load:
    base: Var
    index: Index
    dtype: DType


@frozen(eq=False)
class Number:
    """A scalar, as one of this dtype."""

    atom: Atom
    dtype: DType


@frozen(eq=False)
class At:
    """Where along an axis an element lies."""

    axis: Axis
    dtype: DType = np.dtype(np.int64)


@frozen(eq=False)
class Value:
    """What another item of the same space gives."""

    item: Compute | Reduce

    @property
    def dtype(self) -> DType:
        return self.item.dtype


@frozen(eq=False)
class Op:
    """`fn(*args)`; `fn` is None for a conversion to `dtype`."""

    fn: Any
    args: tuple[Expr, ...]
    dtype: DType


Expr = Union[Load, Number, At, Value, Op]


@frozen(eq=False)
class Compute:
    var: Var
    value: Expr
    space: Keys
    dtype: DType
    role: Role
    call: Call


@frozen(eq=False)
class Store:
    view: View
    fn: Any  # None: what was there goes
    value: Expr
    space: Keys
    dtype: DType
    role: Role
    call: Call
    known: bool = False

    @property
    def adds(self) -> bool:
        """Whether its place among others that add to the same memory is free."""
        return self.fn in (operator.add, operator.sub) and self.role != "primal"


@frozen(eq=False)
class Reduce:
    var: Var
    fn: Any  # operator.add, np.maximum or np.minimum
    value: Expr
    space: Keys
    last: bool
    keep: bool
    dtype: DType
    role: Role
    call: Call

    @property
    def extents(self) -> Keys:
        if not self.last:
            return ()
        return (*self.space[:-1], 1) if self.keep else self.space[:-1]


Item = Union[Compute, Store, Reduce]
Mode = Literal["read", "write", "add"]
Access = tuple[Var, Index, Mode]


def is_known(item: Item) -> bool:
    """Whether an item only says what is there."""
    return isinstance(item, Store) and item.known


def leaves_of(expr: Expr) -> Iterator[Load | Number | At | Value]:
    work = [expr]
    while work:
        e = work.pop()
        if isinstance(e, Op):
            work.extend(e.args)
        else:
            yield e


def values_of(item: Item) -> list[Compute | Reduce]:
    """The items whose values an item uses."""
    return [e.item for e in leaves_of(item.value) if isinstance(e, Value)]


def accesses(item: Item) -> list[Access]:
    """The memory that an item reads and writes; a value that it takes from another item is no access."""
    out: list[Access] = [(e.base, e.index, "read") for e in leaves_of(item.value) if isinstance(e, Load)]
    if isinstance(item, Store):
        out.append((item.view.base, item.view.index, "add" if item.adds else "write"))
        if item.fn is not None and not item.adds:
            out.append((item.view.base, item.view.index, "read"))
    elif isinstance(item, Compute) or item.last:
        out.append((item.var, own_index(item), "write"))
    return out


def touched(item: Item) -> list[Access]:
    """The same, as if all temporaries lay in memory."""
    values = (e.item for e in leaves_of(item.value) if isinstance(e, Value))
    return [*((v.var, own_index(v), "read") for v in values if isinstance(v, Compute) or v.last), *accesses(item)]


def own_index(item: Compute | Reduce) -> Index:
    """Where in its memory an item puts its value."""
    if isinstance(item, Compute):
        return tuple(Axis(k) for k in range(len(item.space)))
    outer = tuple(Axis(k) for k in range(len(item.space) - 1))
    return (*outer, Axis(None, step=0)) if item.keep else outer


def neutral(fn: Any, dtype: DType) -> Any:
    """What a reduction begins with."""
    return dtype.type(0 if fn is operator.add else -np.inf if fn is np.maximum else np.inf)


def cost(expr: Expr) -> int:
    """In operations on one element."""
    total, work = 0, [expr]
    while work:
        e = work.pop()
        if isinstance(e, Op):
            function = isinstance(e.fn, np.ufunc) and e.fn not in SELECTIONS and e.fn is not np.logical_not
            total += 0 if e.fn is None else FUNCTION if function else 1
            work.extend(e.args)
    return total


def seen_through(expr: Expr, window: View, known: dict[int, Expr]) -> Expr:
    """The expression on the elements that a view of its value shows, values computed anew."""
    if id(expr) in known:
        return known[id(expr)]
    match expr:
        case Load():
            through = compose(View(expr.base, expr.index, ()), window)
            new: Expr = Load(expr.base, through.index, expr.dtype)
        case At():
            new = At(along(expr.axis, window))
        case Op():
            new = Op(expr.fn, tuple(seen_through(a, window, known) for a in expr.args), expr.dtype)
        case Value():
            new = expr if isinstance(expr.item, Reduce) else seen_through(expr.item.value, window, known)
        case Number():
            new = expr
    known[id(expr)] = new
    return new
