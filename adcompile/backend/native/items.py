"""Items of lists as Numba has them, for kernels: put in and taken out without counting more than once who holds them.

Numba's own `append` and `pop` count the list too, and the item once more and once less.
"""

# Numba has no stubs, and gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.cpython import listobj
from numba.extending import intrinsic
from numba.np import arrayobj

from adcompile.backend.native.storage import cut, uncounted


@intrinsic
def item(typing_context, items, k):
    """The array at a place of a list, without holding on to it (`backend/native/uncounted`)."""
    if not isinstance(items, types.List) or not isinstance(items.dtype, types.Array):
        return None

    def codegen(context, builder, signature, args):
        inside = listobj.ListInstance(context, builder, items, args[0])
        at = inside.fix_index(args[1])
        inside.guard_index(at, msg="no such item")
        return uncounted(context, builder, items.dtype, inside.getitem(at))

    return items.dtype(items, types.int64), codegen


@intrinsic
def room_like(typing_context, items, count):
    """An empty list of the same kind, with room for `count` items."""
    if not isinstance(items, types.List):
        return None

    def codegen(context, builder, signature, args):
        return listobj.ListInstance.allocate(context, builder, items, args[1]).value

    return items(items, types.int64), codegen


@intrinsic
def pushed(typing_context, items, value):
    """`items.append(value)`."""
    if not isinstance(items, types.List):
        return None

    def codegen(context, builder, signature, args):
        _put_last(context, builder, items, args[0], args[1], True)
        return context.get_dummy_value()

    return types.none(items, items.dtype), codegen


@intrinsic
def pushed_zeros(typing_context, items, like):
    """`items.append(np.zeros_like(like))`."""
    of = types.Array(items.dtype.dtype, items.dtype.ndim, "C")

    def codegen(context, builder, signature, args):
        shape = cgutils.unpack_tuple(builder, arrayobj.make_array(like)(context, builder, args[1]).shape)
        made = arrayobj._empty_nd_impl(context, builder, of, shape)
        cgutils.memset(builder, made.data, builder.mul(made.nitems, made.itemsize), 0)
        value = context.cast(builder, made._getvalue(), of, items.dtype)
        _put_last(context, builder, items, args[0], value, False)
        return context.get_dummy_value()

    return types.none(items, like), codegen


@intrinsic
def pushed_part(typing_context, items, block, begin, count):
    """`items.append(block[begin : begin + count])`, with no array in between that has to be counted."""
    of = types.Array(items.dtype.dtype, 1, "C")
    if not isinstance(block, types.Array) or block != of:
        return None

    def codegen(context, builder, signature, args):
        part = cut(context, builder, of, args[1], args[2], args[3], True)
        _put_last(context, builder, items, args[0], context.cast(builder, part, of, items.dtype), True)
        return context.get_dummy_value()

    return types.none(items, block, types.int64, types.int64), codegen


def _put_last(context, builder, items, into, value, counted):
    inside = listobj.ListInstance(context, builder, items, into)
    size = inside.size
    inside.resize(builder.add(size, size.type(1)))
    inside.inititem(size, value, incref=counted)


@intrinsic
def popped(typing_context, items):
    """`items.pop()`: the list's hold on the item goes to whoever gets it."""
    if not isinstance(items, types.List):
        return None

    def codegen(context, builder, signature, args):
        inside = listobj.ListInstance(context, builder, items, args[0])
        cgutils.guard_zero(context, builder, inside.size, (IndexError, "pop from empty list"))
        size = inside.size
        last = builder.sub(size, size.type(1))
        out = inside.getitem(last)
        inside.zfill(last, size)
        inside._payload.size = last  # its room stays: `resize` would give it back at once, and take it again
        return impl_ret_new_ref(context, builder, items.dtype, out)

    return items.dtype(items), codegen
