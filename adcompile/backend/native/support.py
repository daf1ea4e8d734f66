"""What kernels call: checked arithmetic of Python's numbers, growing storage, array functions Numba lacks.

Compiled into the kernels; this module and those that it imports need Numba: it is imported when a kernel is made.
Whatever Python would raise raises `Fault` here: the caller runs the same code on NumPy, which raises the rest.
"""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from adcompile.backend.native.borders import padded_matrix, padded_vector, unpadded_matrix, unpadded_vector
from adcompile.backend.native.helper import helper
from adcompile.backend.native.independent import independent
from adcompile.backend.native.integers import (
    add,
    comb,
    factorial,
    floordiv,
    gcd,
    mod,
    mul,
    perm,
    power,
    sub,
    whole,
)
from adcompile.backend.native.interleaved import interleave
from adcompile.backend.native.items import item, popped, pushed, pushed_part, pushed_zeros, room_like
from adcompile.backend.native.layout import (
    added_to,
    dense,
    diagonal,
    diagonal_of,
    disjoint,
    distinct,
    flattened,
    in_line,
    in_rows,
    ordered,
    truncated,
    writable,
)
from adcompile.backend.native.orders import (
    all_interpolated,
    cells,
    interpolated,
    median_of,
    nonzero,
    order_of,
    place_in,
    places_in,
    sort_order,
    sorted_numbers,
)
from adcompile.backend.native.places import (
    added_all_at,
    added_all_pair,
    added_all_where,
    added_at,
    added_pair,
    added_where,
    at,
    index,
    last_at,
    last_pair,
    length,
    picked_at,
    picked_pair,
    picked_where,
    put_all_at,
    put_all_pair,
    put_all_where,
    put_at,
    put_pair,
    put_where,
)
from adcompile.backend.native.registers import whole_registers
from adcompile.backend.native.storage import grown, held, lent, loose, noted, part
from adcompile.backend.native.stores import put
from adcompile.runtime.native import Fault

__all__ = [
    "Fault", "added_to", "disjoint", "distinct", "flattened", "in_rows", "ordered", "grown", "noted", "held", "lent",
    "item", "popped", "pushed", "room_like", "loose", "part", "all_interpolated", "at", "cells", "interpolated",
    "nonzero", "median_of", "order_of", "place_in",
    "places_in", "sort_order", "sorted_numbers", "add", "comb", "factorial", "floordiv", "gcd", "mod", "mul", "perm",
    "power", "sub", "whole", "added_all_at", "added_all_where", "added_at", "added_where", "index", "last_at",
    "added_all_pair", "added_pair", "last_pair", "picked_pair", "put_all_pair", "put_pair",
    "diagonal", "diagonal_of", "truncated", "padded_matrix", "padded_vector", "unpadded_matrix", "unpadded_vector",
    "length", "picked_at", "picked_where", "put", "put_all_at", "put_all_where", "put_at", "put_where",
    "whole_registers", "interleave", "independent", "writable",
]  # fmt: skip

# -- floats of Python, which raise where NumPy warns --------------------------------------------


@helper
def finite(x):
    """What a function of `math` has given; it may have had to raise."""
    if not math.isfinite(x):
        raise Fault
    return x


@helper
def unsigned(x):
    """What would be zero without a sign if it stood for an integer."""
    if x == 0.0 and math.copysign(1.0, x) < 0.0:
        raise Fault
    return x


@helper
def divisor(x):
    if x == 0:
        raise Fault
    return x


@njit(error_model="numpy", fastmath={"reassoc"}, forceinline=True)
def plus(a, b):
    """A step of a sum whose terms may be added in any order: eight at once, say."""
    return a + b


# -- minimum and maximum ------------------------------------------------------------------------


@helper
def lesser(a, b):
    """`min(a, b)`: the first unless the second is less."""
    return b if b < a else a


@helper
def greater(a, b):
    return b if b > a else a


@helper
def minimum(a, b):
    """`np.minimum(a, b)`: nan wins."""
    return a if a < b or a != a else b


@helper
def maximum(a, b):
    return a if a > b or a != a else b


def _extremum(name):
    """A step of an extremum whose terms may be compared in any order, which LLVM knows of its own function."""

    @intrinsic
    def step(typing_context, a, b):
        if a != b or not isinstance(a, types.Float):
            return None

        def emit(context, builder, signature, args):
            kind = context.get_value_type(a)
            function = builder.module.declare_intrinsic(f"llvm.{name}", (kind,), ir.FunctionType(kind, (kind, kind)))
            return builder.call(function, args)

        return a(a, b), emit

    return step


maximum_of_all, minimum_of_all = _extremum("maximum"), _extremum("minimum")


# -- lists ---------------------------------------------------------------------------------------


@helper
def none_of(item):
    """An empty list for items like this one. A list display over `range(0)` in its place has Numba run a pass that
    takes writes into arrays which such a list holds for dead."""
    out = [item]
    out.pop()
    return out


@helper
def copies(items):
    """Copies of arrays, in a list of the same kind."""
    out = room_like(items, len(items))
    for k in range(len(items)):
        pushed(out, item(items, k).copy())
    return out


@helper
def zeros_of_all(items):
    out = room_like(items, len(items))
    for k in range(len(items)):
        pushed_zeros(out, item(items, k))
    return out


@helper
def zero_vectors(items, dtype):
    """Zeros like vectors, in a list of the same kind: one piece of memory, each from the start of a line."""
    out, size = room_like(items, len(items)), 0
    for k in range(len(items)):
        size += (item(items, k).shape[0] + 7) // 8 * 8
    block, size = np.zeros(size, dtype), 0
    for k in range(len(items)):
        count = item(items, k).shape[0]
        pushed_part(out, block, size, count)
        size += (count + 7) // 8 * 8
    return out


@helper
def sums_of_all(a, b):
    """The sums of arrays of the same shapes, in a list of the same kind."""
    out = room_like(a, len(a))
    for k in range(len(a)):
        p, q = item(a, k), item(b, k)
        if p.shape != q.shape:
            raise Fault
        pushed(out, p + q)
    return out


@helper
def array_of(items, dtype):
    """Numbers as an array. Of none, NumPy makes floats."""
    out = np.empty(len(items), dtype)
    for k in range(len(items)):
        out[k] = items[k]
    return out


@helper
def matrix_of(items):
    """Vectors of one length as the rows of a matrix. Of none, NumPy makes a vector."""
    if len(items) == 0:
        raise Fault
    out = np.empty((len(items), items[0].shape[0]), items[0].dtype)
    for k in range(len(items)):
        if items[k].shape[0] != out.shape[1]:
            raise Fault
        out[k] = items[k]
    return out


@helper
def listed(a):
    """The numbers of an array."""
    out = [a.dtype.type(0)]
    out.pop()
    for k in range(a.shape[0]):
        out.append(a[k])
    return out


@helper
def integer(x):
    """An integer that comes as a float, as it is exactly."""
    if not abs(x) < 2.0**53:
        raise Fault
    return np.int64(x)


@helper
def floats(items):
    """Integers as the floats that they are exactly."""
    out = [0.0]
    out.pop()
    for v in items:
        if abs(v) > 2**53:
            raise Fault
        out.append(float(v))
    return out


@helper
def integers(a):
    out = [0]
    out.pop()
    for k in range(a.shape[0]):
        out.append(integer(a[k]))
    return out


@helper
def parts_of(a, out):
    """The parts of an array along its first axis, in a list of views."""
    for k in range(a.shape[0]):
        pushed(out, a[k])
    return out


# -- arrays -------------------------------------------------------------------------------------


@helper
def span(start, stop, count):
    """`np.linspace(start, stop, count)`, in its steps."""
    if count < 0:
        raise Fault
    out, distance, parts = np.empty(count), stop - start, count - 1
    step = distance / parts if parts > 0 else distance
    for k in range(count):
        out[k] = (k / parts * distance if step == 0.0 and parts > 0 else k * step) + start
    if parts > 0:
        out[parts] = stop
    return out


@helper
def summed_1(g, x):
    """`rt.unbroadcast(g, x)` of vectors."""
    if x.shape[0] != g.shape[0] and x.shape[0] != 1:
        raise Fault
    out = np.zeros(x.shape[0])
    for i in range(g.shape[0]):
        out[i if out.shape[0] > 1 else 0] += g[i]
    return out


@helper
def summed_2(g, x):
    """`rt.unbroadcast(g, x)` of matrices."""
    (m, n), (rows, columns) = x.shape, g.shape
    if m != rows and m != 1 or n != columns and n != 1:
        raise Fault
    out = np.zeros((m, n))
    for i in range(rows):
        for j in range(columns):
            out[i if m > 1 else 0, j if n > 1 else 0] += g[i, j]
    return out


@helper
def cofactors(a):
    """Of a matrix that has an inverse: its determinant by the transpose of that."""
    return np.linalg.det(a) * np.linalg.inv(a).T


@helper
def same(a, b):
    if a != b:
        raise Fault
    return a


@njit(error_model="numpy", fastmath={"reassoc", "contract"})
def _dot(a, b):
    s = 0.0
    for k in range(a.shape[0]):
        s += a[k] * b[k]
    return s


@njit(error_model="numpy", fastmath={"reassoc", "contract"})
def _dot_backwards(a, b):
    s = 0.0
    n = a.shape[0]
    for k in range(n):
        s += a[n - 1 - k] * b[k]
    return s


def _inner(a, b):
    """The sum of the products of elements. Where they lie one behind the other, forwards or backwards, LLVM vectorises
    it if types say so; they do not for what views have been taken of."""
    ahead, back = a.strides[0] == a.itemsize, a.strides[0] == -a.itemsize
    if b.strides[0] == b.itemsize and ahead:
        return _dot(dense(a), dense(b))
    if b.strides[0] == b.itemsize and back:
        return _dot_backwards(dense(a[::-1]), dense(b))
    if b.strides[0] == -b.itemsize and ahead:
        return _dot_backwards(dense(b[::-1]), dense(a))
    return _dot(a, b)


@overload(_inner)
def _inner_of(a, b):
    """Asks for strides only where types leave them open: short products of rows are mostly the asking."""
    return (lambda a, b: _dot(a, b)) if a.layout == b.layout == "C" else _inner


@njit(error_model="numpy")
def dot(a, b):
    """The product of two vectors."""
    if a.shape[0] != b.shape[0]:
        raise Fault
    return a.dtype.type(_inner(a, b))


@njit(error_model="numpy")
def rolled(a, shift, axis):
    """`np.roll` along an axis; -1: through all elements, row by row."""
    out = np.empty(a.shape, a.dtype)
    if a.size == 0:
        return out
    n, inner = a.size, 1
    if axis >= 0:
        n = a.shape[axis]
        for k in range(axis + 1, a.ndim):
            inner *= a.shape[k]
    whole, cut = n * inner, shift % n * inner
    values, into = np.ascontiguousarray(a).reshape(a.size), out.reshape(a.size)
    for begin in range(0, a.size, whole):
        for k in range(cut):
            into[begin + k] = values[begin + whole - cut + k]
        for k in range(cut, whole):
            into[begin + k] = values[begin + k - cut]
    return out


LARGE = 4096
"""Multiplications of a product from which on BLAS takes less time than the kernel's own loops."""


@njit(error_model="numpy")
def product(a, b):
    """The product of two matrices."""
    n, inner, m = a.shape[0], a.shape[1], b.shape[1]
    if b.shape[0] != inner:
        raise Fault
    if n * inner * m > LARGE:
        return np.dot(in_line(a), in_line(b))
    out = np.zeros((n, m), a.dtype)
    for i in range(n):
        for k in range(inner):
            x = a[i, k]
            for j in range(m):
                out[i, j] += x * b[k, j]
    return out


@njit(error_model="numpy", fastmath={"reassoc", "contract"})
def times_vector(a, x):
    """The product of a matrix and a vector."""
    n, inner = a.shape
    if x.shape[0] != inner:
        raise Fault
    if n * inner > LARGE:
        return np.dot(in_line(a), in_line(x))
    out = np.empty(n, a.dtype)
    for i in range(n):
        s = a.dtype.type(0.0)
        for k in range(inner):
            s += a[i, k] * x[k]
        out[i] = s
    return out


@njit(error_model="numpy")
def vector_times(x, b):
    """The product of a vector and a matrix."""
    inner, m = b.shape
    if x.shape[0] != inner:
        raise Fault
    if m * inner > LARGE:
        return np.dot(in_line(x), in_line(b))
    out = np.zeros(m, b.dtype)
    for k in range(inner):
        for j in range(m):
            out[j] += x[k] * b[k, j]
    return out


@njit(error_model="numpy")
def counted(a):
    """The sum of all elements of an array of integers or booleans, which wraps as NumPy's."""
    s = 0
    for v in a.flat:
        s += v
    return s


@njit(error_model="numpy", fastmath={"reassoc", "contract"})
def total(a):
    """The sum of all elements."""
    s = 0.0
    for v in a.flat:
        s += v
    return a.dtype.type(s)
