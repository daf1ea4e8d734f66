"""np.ndenumerate and np.nditer: iterators over the elements of one array, each read as it is by then.

The indices are listed where the iterator is made, in the order in which it goes through the array; an
item is the element at one of them, as the array holds it when the item is asked for.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import dispatch, handles
from adcompile.analysis.heap import look
from adcompile.analysis.laziness import ELEMENTS, Read, View, given
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import INT, Array, IterT, Known, ListT, Scalar, Seq, TupleT
from adcompile.runtime import arrays

ONE_ARRAY = "order op_flags"
"""The settings of np.nditer that leave it an iterator of 0-d arrays, over one array."""


@handles(np.ndenumerate, look=())
def ndenumerate(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """Pairs of an index and the element there, in the order of the indices."""
    source = args[0] if args else dict(kwargs).get("arr")
    array = None if source is None or len(args) + len(kwargs) != 1 else as_array(b, source, place)
    if array is None:
        return None
    shape = b.call(getattr, array, "shape")
    indices = b.call(np.ndindex, shape)
    positions = b.emit(list, (indices,), positions_type(b, array), (), "positions", place)

    def read(c: Builder, i: Atom) -> Atom:
        index = c.call(operator.getitem, positions, i)
        return c.call(ops.build_tuple, index, c.call(operator.getitem, array, index))

    return over(b, np.ndenumerate, array, [], positions, read, place, name)


@handles(np.nditer, look=())
def nditer(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """0-d arrays that show the elements of one array, in the order in which they lie in memory."""
    settings = dict(kwargs)
    source = args[0] if args else settings.pop("op", None)
    values = {key: plain(b, value) for key, value in settings.items()}
    if source is None or len(args) > 1 or not values.keys() <= set(ONE_ARRAY.split()):
        return None
    order, flags = values.get("order", "K"), values.get("op_flags", ["readonly"])
    flags = flags[0] if isinstance(flags, list) and len(flags) == 1 and isinstance(flags[0], list) else flags
    writes = flags in (["readwrite"], ["writeonly"])
    array = as_array(b, source, place) if isinstance(b.type(source), Array) else None
    if array is None or order not in ("K", "C", "F", "A") or not writes and flags != ["readonly"]:
        return None
    positions = b.emit(arrays.in_order, (array, Const(order)), positions_type(b, array), (), "positions", place)

    def read(c: Builder, i: Atom) -> Atom:
        index = c.items(c.call(operator.getitem, positions, i))
        item = c.call(operator.getitem, array, c.call(ops.build_tuple, *index, Ellipsis))
        return item if writes else c.call(np.broadcast_to, item, ())

    return over(b, np.nditer, array, kwargs, positions, read, place, name)


def as_array(b: Builder, atom: Atom, place: Place | None) -> Atom | None:
    """What both make of their argument, if it is an array of known rank."""
    t = b.type(look(b, atom))
    if isinstance(t, (ListT, TupleT, Seq, Scalar)):
        atom = dispatch(b, Const(np.asarray), [atom], [], "items", place)
        t = b.type(atom)
    return atom if isinstance(t, Array) and t.dims is not None else None


def positions_type(b: Builder, array: Atom) -> Seq:
    t = b.type(array)
    assert isinstance(t, Array) and t.dims is not None
    return Seq(TupleT((INT,) * len(t.dims)), list)


def over(
    b: Builder, fn: Any, array: Atom, kwargs: Kwargs, positions: Atom, read: Read, place: Place | None, name: str
) -> Atom:
    var = b.emit(fn, [array], IterT(ELEMENTS, (b.type(array),)), kwargs, name, place)
    return given(b, var, View(None, b.call(len, positions), read), [array], lasting=True)


def plain(b: Builder, atom: Atom) -> Any:
    """The value of a setting: text, or lists of it; None where it is not known."""
    atom = look(b, atom)
    t = b.type(atom)
    if isinstance(t, Known):
        return list(t.value) if isinstance(t.value, tuple) else t.value
    return [plain(b, item) for item in b.items(atom)] if isinstance(t, (ListT, TupleT)) else None
