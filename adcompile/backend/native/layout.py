"""How arrays lie in memory, for kernels: what their types do not say."""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload
from numba.np.arrayobj import extents_may_overlap, get_array_memory_extents, make_array, populate_array

from adcompile.backend.native.helper import helper
from adcompile.runtime import loops
from adcompile.runtime.native import Fault


@intrinsic
def _address(typing_context, a):
    def codegen(context, builder, signature, args):
        return builder.ptrtoint(make_array(a)(context, builder, args[0]).data, context.get_value_type(types.intp))

    return types.intp(a), codegen


@overload(loops.address)
def _address_of(a):
    """Without holding on to the array, as `ctypes` does (`backend/native/borrowed`)."""
    return lambda a: _address(a)


distinct, ordered = helper(loops.distinct), helper(loops.ordered)


@intrinsic
def disjoint(typing_context, a, b):
    """`loops.disjoint`: asked before each row that is written, it must be a handful of instructions."""

    def codegen(context, builder, signature, args):
        ends, nothing = [], []
        for of, value in zip((a, b), args):
            array = make_array(of)(context, builder, value)
            shape, strides = (cgutils.unpack_tuple(builder, t, of.ndim) for t in (array.shape, array.strides))
            ends += get_array_memory_extents(context, builder, of, array, shape, strides, array.data)
            nothing.append(builder.icmp_signed("==", array.nitems, context.get_constant(types.intp, 0)))
        meet = extents_may_overlap(context, builder, *ends)
        return builder.or_(builder.or_(*nothing), builder.not_(meet))

    return types.boolean(a, b), codegen


@intrinsic
def writable(typing_context, a):
    """Nothing, for an array that may be written: there is no kernel that writes into another one."""
    if not a.mutable:
        raise TypingError("an array that is not to be written")

    def codegen(context, builder, signature, args):
        return context.get_dummy_value()

    return types.none(a), codegen


@intrinsic
def dense(typing_context, a):
    """An array whose elements lie one behind the other, row by row, as an array of the type that says so."""
    of = types.Array(a.dtype, a.ndim, "C")

    def codegen(context, builder, signature, args):
        return impl_ret_borrowed(context, builder, of, args[0])

    return of(a), codegen


@intrinsic
def diagonal(typing_context, a, offset):
    """`np.diagonal`: a view that nobody writes into."""
    return _diagonal(a, offset, True)


@intrinsic
def diagonal_of(typing_context, a, offset):
    """`rt.diagonal_of`: a view that may be written if the array may."""
    return _diagonal(a, offset, not a.mutable)


def _diagonal(a, offset, readonly):
    of = types.Array(a.dtype, 1, "A", readonly=readonly)

    def codegen(context, builder, signature, args):
        whole, out = make_array(a)(context, builder, args[0]), make_array(of)(context, builder)
        (n, m), (down, along) = (cgutils.unpack_tuple(builder, t, 2) for t in (whole.shape, whole.strides))
        none, count = context.get_constant(types.intp, 0), args[1]
        above = builder.icmp_signed(">=", count, none)
        begin = builder.mul(count, builder.select(above, along, builder.neg(down)))
        first = builder.select(above, n, builder.add(n, count))
        second = builder.select(above, builder.sub(m, count), m)
        size = builder.select(builder.icmp_signed("<", first, second), first, second)
        size = builder.select(builder.icmp_signed("<", size, none), none, size)
        shape, strides = cgutils.pack_array(builder, [size]), cgutils.pack_array(builder, [builder.add(down, along)])
        where = {"data": cgutils.pointer_add(builder, whole.data, begin), "shape": shape, "strides": strides}
        populate_array(out, **where, itemsize=whole.itemsize, meminfo=whole.meminfo, parent=whole.parent)
        return impl_ret_borrowed(context, builder, of, out._getvalue())

    return of(a, types.intp), codegen


@helper
def in_rows(a):
    """The array as one of the type that `reshape` takes."""
    if not a.flags.c_contiguous:
        raise Fault
    return dense(a)


@helper
def flattened(a, n):
    """A matrix as a vector of n elements, or of all for -1; one of a single row or column need not lie in rows."""
    if n != -1 and n != a.size:
        raise Fault
    if a.shape[0] == 1:
        return a[0, ::]
    return a[::, 0] if a.shape[1] == 1 else in_rows(a).reshape(a.size)


def in_line(a):
    """The array as BLAS takes it, row by row or column by column; others are copied."""
    return a if a.flags.c_contiguous or a.flags.f_contiguous else np.ascontiguousarray(a)


@overload(in_line)
def _in_line(a):
    return (lambda a: a) if a.layout in "CF" else (lambda a: np.ascontiguousarray(a))


@helper
def added_to(a, b):
    """Add a vector to one of the same length, also to one that shows some of its elements."""
    if a.shape[0] != b.shape[0]:
        raise Fault
    if loops.address(a) == loops.address(b) and a.strides == b.strides or disjoint(a, b):
        for k in range(a.shape[0]):
            a[k] += b[k]
    else:
        own = b.copy()
        for k in range(a.shape[0]):
            a[k] += own[k]


@helper
def truncated(a):
    """The integers that numbers are cut off to; where there is one that no integer holds, NumPy warns."""
    source = np.ascontiguousarray(a)
    numbers, out = source.reshape(source.size), np.empty(source.size, np.int64)
    for k in range(out.size):
        if not -9.2e18 < numbers[k] < 9.2e18:
            raise Fault
        out[k] = np.int64(numbers[k])
    return out.reshape(source.shape)
