"""Arrays read at tuples whose length is met when the code runs: `a[tuple(p)]`, where p is an array of ints.

What comes out is a number where the tuple has as many items as the array has axes, and else a part of the array. It
is taken for a part. If a derivative is refused because of that, the program is specialised again with a number there,
and the length is tested when the code runs.
"""

from __future__ import annotations

import operator

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch
from adcompile.analysis.heap import cell_of
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import Dim, ListT, Seq, TupleT, Type
from adcompile.rules.numpy.index import is_int

FEWER = "an array is read at a tuple that has fewer items than the array has axes"


@frozen
class AsNumber:
    """Where an array is read that may give a number."""

    place: Place | None


def is_position(t: Type) -> bool:
    """Whether values of this type are tuples of ints, of unknown length."""
    return isinstance(t, Seq) and t.cls is tuple and is_int(t.item)


def read_at(
    b: Builder, owner: Atom, dims: tuple[Dim, ...], index: Atom, t: Type, name: str, place: Place | None
) -> Atom | None:
    """`owner[index]` of an array with these axes; None where it is read as it is written."""
    if holds_places(b, index):
        return dispatch(b, Const(operator.getitem), [owner, with_arrays(b, index, place)], [], name, place)
    if not isinstance(t, Seq) or not is_position(t):
        return None
    if AsNumber(place) not in b.context.keyed:
        b.context.alternatives.add(AsNumber(place))
        return None
    args = (index, Const(len(dims)), Const(""), Const(FEWER))
    whole = b.emit(ops.expect_length, args, TupleT((t.item,) * len(dims)), (), "at", place)
    return dispatch(b, Const(operator.getitem), [owner, whole], [], name, place)


def holds_places(b: Builder, index: Atom) -> bool:
    """Whether an index is a list of numbers, of which NumPy makes an array, or has one among its parts."""
    t = b.type(index)
    if isinstance(t, TupleT):
        return t.cls is tuple and any(is_list_of_places(b, a) for a in b.items(index))
    return is_list_of_places(b, index)


def is_list_of_places(b: Builder, index: Atom) -> bool:
    cell = cell_of(index)
    t = b.type(index if cell is None else b.context.store.states[cell].content)
    return isinstance(t, ListT) and bool(t.items) and all(map(is_int, t.items))


def with_arrays(b: Builder, index: Atom, place: Place | None) -> Atom:
    """An index with the arrays that NumPy makes of lists of numbers: loops that keep it keep arrays."""
    if is_list_of_places(b, index):
        return b.call(np.array, index, name="at", place=place)
    if not isinstance(b.type(index), TupleT):
        return index
    return b.call(ops.build_tuple, *(with_arrays(b, a, place) for a in b.items(index)), place=place)
