"""Storage of what loops keep, for kernels: arrays that grow, and parts of them."""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from adcompile.backend.native.helper import helper


@helper
def grown(items, top, need):
    """Storage with room for `need` items, the first `top` of which are there."""
    out = np.empty(max(2 * items.shape[0], need), items.dtype)
    for k in range(top):
        out[k] = items[k]
    return out


@helper
def noted(words, sizes):
    """Note how many bytes the arrays of an arena have held (`backend/native/arena`). One call for all of them: Numba
    compiles a function anew for each number that is written out among its arguments."""
    count = len(sizes)
    for k in range(count):
        need = (sizes[k] + 7) // 8
        if need > words[count + k]:
            words[count + k] = need
        if need > words[k]:
            words[2 * count] = 1


@intrinsic
def part(typing_context, items, start, stop):
    """The items from `start` up to `stop`, which must be there, without holding on to them: Numba counts who does, and
    to count up and down again takes as long as to add a dozen numbers (`backend/native/borrowed`)."""
    if not isinstance(items, types.Array) or items.ndim != 1 or items.layout != "C":
        return None

    def codegen(context, builder, signature, args):
        return cut(context, builder, items, args[0], args[1], builder.sub(args[2], args[1]), False)

    return items(items, types.int64, types.int64), codegen


def cut(context, builder, of, array, start, count, holds):
    """For code of other intrinsics: so many items of a vector; `holds`: of an array that holds the memory, too."""
    whole, out = (arrayobj.make_array(of)(context, builder, *value) for value in ((array,), ()))
    where = {"data": builder.gep(whole.data, [start]), "shape": [count]}
    size = {"strides": [whole.itemsize], "itemsize": whole.itemsize}
    arrayobj.populate_array(out, **where, **size, meminfo=whole.meminfo if holds else None, parent=None)
    return out._getvalue()


@intrinsic
def lent(typing_context, arena, start, stop, number):
    """The words of an arena from `start` up to `stop` as an array of another kind of numbers, without holding on to
    them. Compiles in a thirtieth of the time of `view`, which looks at all that types may be."""
    of = types.Array(number.instance_type, 1, "C")

    def codegen(context, builder, signature, args):
        whole = arrayobj.make_array(arena)(context, builder, args[0])
        out = arrayobj.make_array(of)(context, builder)
        kind = context.get_data_type(of.dtype)
        size = context.get_constant(types.intp, context.get_abi_sizeof(kind))
        count = builder.sdiv(builder.mul(builder.sub(args[2], args[1]), whole.itemsize), size)
        data = builder.bitcast(builder.gep(whole.data, [args[1]]), kind.as_pointer())
        arrayobj.populate_array(out, data, [count], [size], size, meminfo=None, parent=None)
        return out._getvalue()

    return of(arena, types.int64, types.int64, number), codegen


@intrinsic
def loose(typing_context, items):
    """The same array, without holding on to it: views of it are not counted."""
    if not isinstance(items, types.Array):
        return None

    def codegen(context, builder, signature, args):
        return uncounted(context, builder, items, args[0])

    return items(items), codegen


def uncounted(context, builder, of, array):
    """For code of other intrinsics: the same array, without holding on to it."""
    whole, out = (arrayobj.make_array(of)(context, builder, *value) for value in ((array,), ()))
    where = {"data": whole.data, "shape": whole.shape, "strides": whole.strides, "itemsize": whole.itemsize}
    arrayobj.populate_array(out, **where, meminfo=None, parent=None)
    return out._getvalue()


@intrinsic
def held(typing_context, items):
    """Nothing: the array is there up to here."""

    def codegen(context, builder, signature, args):
        return context.get_dummy_value()

    return types.none(items), codegen
