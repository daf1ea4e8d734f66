"""Arrays written into others, for kernels.

Numba's own `a[...] = b` brings, for the message of an error that a kernel never shows, most of what Numba knows of
strings: 2 to 4 seconds of compiling in each kernel, of 4 to 6.
"""

# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from adcompile.backend.native.helper import helper
from adcompile.backend.native.layout import disjoint
from adcompile.backend.native.storage import held
from adcompile.runtime import loops
from adcompile.runtime.native import Fault


@intrinsic
def spread(typing_context, items, to):
    """A view of `items` that has the shape of `to`, which it `fits`: axes of length 1, and those that are not there,
    stand still."""
    if not isinstance(items, types.Array):
        return None
    view = types.Array(items.dtype, to.ndim, "A", readonly=not items.mutable)
    missing, more = max(to.ndim - items.ndim, 0), max(items.ndim - to.ndim, 0)

    def codegen(context, builder, signature, args):
        have = arrayobj.make_array(items)(context, builder, args[0])
        want = arrayobj.make_array(to)(context, builder, args[1])
        zero, one = (context.get_constant(types.intp, n) for n in (0, 1))
        sizes = cgutils.unpack_tuple(builder, have.shape, items.ndim)
        steps = cgutils.unpack_tuple(builder, have.strides, items.ndim)
        own = [builder.select(builder.icmp_signed("==", n, one), zero, s) for n, s in zip(sizes, steps)]
        out = arrayobj.make_array(view)(context, builder)
        where = {"data": have.data, "shape": want.shape, "itemsize": have.itemsize}
        strides = cgutils.pack_array(builder, [zero] * missing + own[more:])
        arrayobj.populate_array(out, **where, strides=strides, meminfo=None, parent=None)
        return out._getvalue()

    return view(items, to), codegen


@intrinsic
def fill(typing_context, to, items):
    """Each element of `to` becomes that of `items`, an array of the same shape that does not lie across it."""
    if not isinstance(items, types.Array) or items.ndim != to.ndim or not to.mutable:
        return None

    def codegen(context, builder, signature, args):
        target, source = (arrayobj.make_array(t)(context, builder, a) for t, a in zip((to, items), args))
        sizes, integer = cgutils.unpack_tuple(builder, target.shape, to.ndim), context.get_value_type(types.intp)
        with cgutils.loop_nest(builder, sizes, integer) as indices:
            read = cgutils.get_item_pointer(context, builder, items, source, indices)
            value = arrayobj.load_item(context, builder, items, read)
            value = context.cast(builder, value, items.dtype, to.dtype)
            written = cgutils.get_item_pointer(context, builder, to, target, indices)
            arrayobj.store_item(context, builder, to, value, written)
        return context.get_dummy_value()

    return types.none(to, items), codegen


@helper
def fits(to, items):
    """Whether NumPy stretches an array to the shape of another one, or drops axes of length 1 in front."""
    more = items.ndim - to.ndim
    for k in range(items.ndim):
        if items.shape[k] != 1 and (k < more or items.shape[k] != to.shape[k - more]):
            return False
    return True


@helper
def put_stretched(to, items):
    if not fits(to, items):
        raise Fault
    if disjoint(to, items):
        fill(to, spread(items, to))
    elif to.shape != items.shape or to.strides != items.strides or loops.address(to) != loops.address(items):
        own = items.copy()
        fill(to, spread(own, to))
        held(own)


@njit(error_model="numpy", forceinline=True)  # rows of a few numbers are written in loops
def put(to, items):
    """`to[...] = items`: of an array of its shape, or of one that is stretched to it. Raises Fault for others."""
    if to.ndim == items.ndim:  # which Numba decides before it gives types to what follows
        if to.shape == items.shape and disjoint(to, items):
            fill(to, items)
        else:
            put_stretched(to, items)
    else:
        put_stretched(to, items)
