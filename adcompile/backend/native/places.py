"""Places in arrays, for kernels: indices, ranges, and the elements that arrays of integers and of booleans name."""

# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from adcompile.backend.native.helper import helper
from adcompile.backend.native.stores import put
from adcompile.runtime.native import Fault


@helper
def index(i, n):
    """An index as one from the start; negative ones count from the end."""
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise Fault
    return i


@intrinsic
def at(typing_context, i):
    """An index that is not negative. Numba looks for negative ones of signed types at each element that is read, and
    LLVM does not always see that there are none: such loops are not vectorised."""
    if not isinstance(i, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        return args[0]

    return types.uint64(types.int64), codegen


@helper
def length(start, stop, step):
    """The number of items of a range."""
    if step > 0:
        return (stop - start + step - 1) // step if stop > start else 0
    return (start - stop - step - 1) // -step if stop < start else 0


def _assigned(a, k, value):
    """`a[k] = value`, of an element or a row."""
    raise AssertionError("for kernels")


@overload(_assigned)
def _assigned_of(a, k, value):
    def element(a, k, value):
        a[k] = value

    return (lambda a, k, value: put(a[k], value)) if isinstance(value, types.Array) else element


def _added(a, k, value):
    """`a[k] += value`."""
    raise AssertionError("for kernels")


@overload(_added)
def _added_of(a, k, value):
    def element(a, k, value):
        a[k] += value

    def row(a, k, value):  # which Numba would write once more where it is
        part = a[k]
        part += value

    return element if a.ndim == 1 else row


@helper
def picked_at(a, places):
    out = np.empty((places.shape[0],) + a.shape[1:], a.dtype)
    for k in range(places.shape[0]):
        _assigned_from(out, k, a, index(places[k], a.shape[0]))
    return out


@helper
def picked_pair(a, places):
    rows, columns = places
    if rows.shape[0] != columns.shape[0]:
        raise Fault
    out = np.empty(rows.shape[0], a.dtype)
    for k in range(out.shape[0]):
        out[k] = a[index(rows[k], a.shape[0]), index(columns[k], a.shape[1])]
    return out


@helper
def last_pair(a, places):
    """Which writes stay, of elements of a matrix."""
    rows, columns = places
    if rows.shape[0] != columns.shape[0]:
        raise Fault
    out, written = np.empty(rows.shape[0], np.bool_), np.zeros(a.shape, np.bool_)
    for k in range(out.shape[0] - 1, -1, -1):
        i, j = index(rows[k], a.shape[0]), index(columns[k], a.shape[1])
        out[k] = not written[i, j]
        written[i, j] = True
    return out


@helper
def last_at(a, places):
    """Which writes stay, element by element: of places that come several times the last one."""
    out, written = np.empty((places.shape[0],) + a.shape[1:], np.bool_), np.zeros(a.shape[0], np.bool_)
    for j in range(places.shape[0] - 1, -1, -1):
        k = index(places[j], a.shape[0])
        out[j] = not written[k]
        written[k] = True
    return out


def _from(write, alone):
    """`write(a, k, values[n])` as a function of its own: of rows of matrices without a view of each, which Numba would
    count; of numbers by `alone`."""

    def of(a, k, values, n):
        raise AssertionError("for kernels")

    @overload(of)
    def of_rank(a, k, values, n):
        def row(a, k, values, n):
            for j in range(a.shape[1]):
                alone(a, (at(k), at(j)), values[at(n), at(j)])

        return row if a.ndim == values.ndim == 2 else (lambda a, k, values, n: write(a, k, values[n]))

    return of


@helper
def _put(a, k, value):
    a[k] = value


@helper
def _add(a, k, value):
    a[k] += value


_assigned_from, _added_from = _from(_assigned, _put), _from(_added, _add)


@helper
def picked_where(a, mask):
    if mask.shape[0] != a.shape[0]:
        raise Fault
    out, n = np.empty(a.shape[0], a.dtype), 0
    for k in range(a.shape[0]):
        if mask[k]:
            out[n] = a[k]
            n += 1
    return out[:n].copy()


def _writers(write, write_from):
    """Writes of values, and of one number, to places that an array of integers names, and to those of a mask."""

    @helper
    def at(a, places, values):
        if values.shape != (places.shape[0],) + a.shape[1:]:
            raise Fault
        for k in range(places.shape[0]):
            write_from(a, index(places[k], a.shape[0]), values, k)

    @helper
    def all_at(a, places, value):
        for k in range(places.shape[0]):
            write(a, index(places[k], a.shape[0]), value)

    @helper
    def where(a, mask, values):
        if mask.shape[0] != a.shape[0] or values.shape[0] != np.sum(mask):
            raise Fault
        n = 0
        for k in range(a.shape[0]):
            if mask[k]:
                write(a, k, values[n])
                n += 1

    @helper
    def all_where(a, mask, value):
        if mask.shape[0] != a.shape[0]:
            raise Fault
        for k in range(a.shape[0]):
            if mask[k]:
                write(a, k, value)

    return at, all_at, where, all_where


def _pair_writers(adds):
    """The same of elements of a matrix, whose rows and columns two arrays name."""

    @helper
    def pair(a, places, values):
        rows, columns = places
        if rows.shape[0] != columns.shape[0] or values.shape != rows.shape:
            raise Fault
        for k in range(rows.shape[0]):
            i, j = index(rows[k], a.shape[0]), index(columns[k], a.shape[1])
            a[i, j] = a[i, j] + values[k] if adds else values[k]

    @helper
    def all_pair(a, places, value):
        rows, columns = places
        if rows.shape[0] != columns.shape[0]:
            raise Fault
        for k in range(rows.shape[0]):
            i, j = index(rows[k], a.shape[0]), index(columns[k], a.shape[1])
            a[i, j] = a[i, j] + value if adds else value

    return pair, all_pair


put_at, put_all_at, put_where, put_all_where = _writers(_assigned, _assigned_from)
added_at, added_all_at, added_where, added_all_where = _writers(_added, _added_from)
put_pair, put_all_pair = _pair_writers(False)
added_pair, added_all_pair = _pair_writers(True)
