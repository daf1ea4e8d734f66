"""Calls that do the same with each of several arguments, one call for each; and those that give several arrays of a
list."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.analysis.arraylike import is_arraylike
from adcompile.analysis.builder import Builder
from adcompile.analysis.calls import handles
from adcompile.analysis.heap import fresh
from adcompile.analysis.structure import Args, Kwargs
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const
from adcompile.ir.types import ListT, TupleT
from adcompile.rules.numpy.dims import dims_of

GIVES_LIST = isinstance(np.atleast_1d(0, 0), list)
"""NumPy 1 gave a list of several arrays, where NumPy 2 gives a tuple."""


def _each(fn: Any) -> None:
    @handles(fn, look=())
    def one_by_one(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
        """What becomes of a number or a list is new memory, and of an array a view: so each is followed by itself."""
        if len(args) < 2 or kwargs:
            return None
        made = [b.dispatch(Const(fn), [a], [], "", place) for a in args]
        return fresh(b, list, b.build(ListT(()), made), name, place) if GIVES_LIST else b.build(TupleT(()), made, name)


for _fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    _each(_fn)


@handles(np.array_split)
def parts_of_list(b: Builder, args: Args, kwargs: Kwargs, place: Place | None, name: str) -> Atom | None:
    """The parts of a list of numbers are those of the array that is made of it."""
    dims = dims_of(b.type(args[0])) if len(args) == 2 and not kwargs and is_arraylike(b.type(args[0])) else None
    if dims is None or len(dims) != 1:
        return None
    return b.dispatch(Const(np.array_split), [b.call(np.array, args[0], place=place), args[1]], [], name, place)
