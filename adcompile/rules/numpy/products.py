"""Products of arrays: matmul, dot, inner, outer, tensordot, einsum, kron, cross.

The cotangent of an operand is the cotangent of the result times the conjugate of the other
operand, contracted over what the operand does not have.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, Dim, Known, ListT, Seq, TupleT, Type, Unknown, widen
from adcompile.rules.kinds import bilinear, vjps
from adcompile.rules.numpy.dims import MISSING, Dims, array, broadcast, dims_of, dtype_of, element, product, static
from adcompile.rules.numpy.shape import shape_of
from adcompile.rules.registry import Rule, register
from adcompile.rules.typing import broadcast_type
from adcompile.rules.typing_standin import standin_type
from adcompile.runtime.adjoints import einsum_terms

# -- matmul ----------------------------------------------------------------------------------


def product_type(dtype: np.dtype[Any] | None, dims: Dims | None) -> Type:
    return element(dtype) if dims == () and dtype is not None else array(dtype, dims)


def product_dtype(args: list[Type]) -> np.dtype[Any] | None:
    if not (isinstance(args[0], Array) and isinstance(args[1], Array)):
        return None
    return np.result_type(args[0].dtype, args[1].dtype)


def matmul_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, b, dtype = dims_of(args[0]), dims_of(args[1]), product_dtype(args)
    if dtype is None or kwargs or a == () or b == ():
        return UNKNOWN
    if a is None or b is None:
        return array(dtype, None)
    batch = broadcast([a[:-2], b[:-2]]) or ()
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    return product_type(dtype, (*batch, *rows, *columns))


register(rt.product_outline, Rule("constant", typing=lambda args, kwargs: matmul_type(args[:2], kwargs)))


@bilinear(operator.matmul, np.matmul, np.ndarray.__matmul__, wrt=(0, 1), typing=matmul_type)
def matmul(y_bar: Any, y: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar * np.conj(b), y_bar * np.conj(a)
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return np.outer(y_bar, np.conj(b)), np.conj(a).T @ y_bar
    if np.ndim(a) == 1 and np.ndim(b) == 2:
        return np.conj(b) @ y_bar, np.outer(np.conj(a), y_bar)
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return y_bar @ np.conj(b).T, np.conj(a).T @ y_bar
    if np.ndim(a) == 1:
        a_bar = (np.conj(b) @ y_bar[..., None])[..., 0]
        return rt.unbroadcast(a_bar, a), np.conj(a)[:, None] * y_bar[..., None, :]
    if np.ndim(b) == 1:
        return y_bar[..., None] * np.conj(b), np.tensordot(y_bar, np.conj(a), np.ndim(y_bar))
    if np.ndim(b) == 2:  # of a stack by one matrix: one product, without a matrix for each of the stack
        leading = rt.axes_from(0, np.ndim(a) - 1)
        return y_bar @ np.conj(b).T, np.tensordot(np.conj(a), y_bar, (leading, leading))
    if np.ndim(a) == 2:
        others = rt.axes_without(np.ndim(b), np.ndim(b) - 2)
        return np.tensordot(y_bar, np.conj(b), (others, others)), np.conj(a).T @ y_bar
    a_bar = y_bar @ np.swapaxes(np.conj(b), -1, -2)
    b_bar = np.swapaxes(np.conj(a), -1, -2) @ y_bar
    return rt.unbroadcast(a_bar, a), rt.unbroadcast(b_bar, b)


# -- dot, inner, outer, vdot -----------------------------------------------------------------


def dot_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, b, dtype = dims_of(args[0]), dims_of(args[1]), product_dtype(args)
    if (a == () or b == ()) and len(args) == 2:
        return broadcast_type(np.multiply, args)
    if dtype is None or kwargs:
        return UNKNOWN
    if a is None or b is None:
        return array(dtype, None)
    return product_type(dtype, (*a[:-1], *b[:-2], *(b[-1:] if len(b) > 1 else ())))


@bilinear(np.dot, np.ndarray.dot, wrt=(0, 1), typing=dot_type)
def dot(y_bar: Any, y: Any, a: Any, b: Any, out: Any = None) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return rt.unbroadcast(y_bar * np.conj(b), a), rt.unbroadcast(y_bar * np.conj(a), b)
    if a.ndim == 1 and b.ndim == 1:
        return y_bar * np.conj(b), y_bar * np.conj(a)
    if a.ndim == 2 and b.ndim == 1:
        return np.outer(y_bar, np.conj(b)), np.conj(a).T @ y_bar
    if a.ndim == 1 and b.ndim == 2:
        return np.conj(b) @ y_bar, np.outer(np.conj(a), y_bar)
    if a.ndim == 2 and b.ndim == 2:
        return y_bar @ np.conj(b).T, np.conj(a).T @ y_bar
    if b.ndim == 1:
        return y_bar[..., None] * np.conj(b), np.tensordot(y_bar, np.conj(a), np.ndim(y_bar))
    free_b = rt.axes_without(b.ndim, b.ndim - 2)
    a_bar = np.tensordot(y_bar, np.conj(b), (rt.axes_from(a.ndim - 1, y.ndim), free_b))
    leading = rt.axes_from(0, a.ndim - 1)
    b_bar = np.moveaxis(np.tensordot(np.conj(a), y_bar, (leading, leading)), 0, -2)
    return a_bar, b_bar


def inner_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, b, dtype = dims_of(args[0]), dims_of(args[1]), product_dtype(args)
    if a == () or b == ():
        return broadcast_type(np.multiply, args)
    if dtype is None:
        return UNKNOWN
    return array(dtype, None) if a is None or b is None else product_type(dtype, (*a[:-1], *b[:-1]))


@bilinear(np.inner, wrt=(0, 1), typing=inner_type)
def inner(y_bar: Any, y: Any, a: Any, b: Any, /) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return rt.unbroadcast(y_bar * np.conj(b), a), rt.unbroadcast(y_bar * np.conj(a), b)
    if a.ndim == 1 and b.ndim == 1:
        return y_bar * np.conj(b), y_bar * np.conj(a)
    if a.ndim == 2 and b.ndim == 1:
        return np.outer(y_bar, np.conj(b)), np.conj(a).T @ y_bar
    leading, trailing = rt.axes_from(0, a.ndim - 1), rt.axes_from(a.ndim - 1, y.ndim)
    a_bar = np.tensordot(y_bar, np.conj(b), (trailing, rt.axes_from(0, b.ndim - 1)))
    b_bar = np.tensordot(y_bar, np.conj(a), (leading, leading))
    return a_bar, b_bar


def outer_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    a, b, dtype = dims_of(args[0]), dims_of(args[1]), product_dtype(args)
    if dtype is None or kwargs:
        return UNKNOWN
    return array(dtype, ("any" if a is None else product(a), "any" if b is None else product(b)))


@bilinear(np.outer, wrt=(0, 1), typing=outer_type)
def outer(y_bar: Any, y: Any, a: Any, b: Any, out: Any = None) -> Any:
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return y_bar @ np.conj(b), np.conj(a) @ y_bar
    a_bar = y_bar @ np.conj(np.ravel(b))
    b_bar = np.conj(np.ravel(a)) @ y_bar
    return np.reshape(a_bar, shape_of(a)), np.reshape(b_bar, shape_of(b))


@bilinear(np.linalg.outer, wrt=(0, 1), typing=outer_type)
def linalg_outer(y_bar: Any, y: Any, x1: Any, x2: Any, /) -> Any:
    return y_bar @ np.conj(x2), np.conj(x1) @ y_bar


def scalar_product_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dtype = product_dtype(args)
    return UNKNOWN if dtype is None else element(dtype)


@bilinear(np.vdot, wrt=(0, 1), typing=scalar_product_type)
def vdot(y_bar: Any, y: Any, a: Any, b: Any, /) -> Any:
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.conj(y_bar) * b, y_bar * a
    a_bar = np.conj(y_bar) * np.ravel(b)
    b_bar = y_bar * np.ravel(a)
    return np.reshape(a_bar, shape_of(a)), np.reshape(b_bar, shape_of(b))


# -- tensordot, einsum -----------------------------------------------------------------------


def tensordot_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Of axes in lists of unknown length only the run tells how many are left."""
    axes = args[2] if len(args) > 2 else kwargs.get("axes", Known(2))
    parts = axes.items if isinstance(axes, (TupleT, ListT)) else (axes,)
    if any(isinstance(widen(part), (Array, Seq, Unknown)) for part in parts):
        return array(product_dtype(args), None)
    return standin_type(np.tensordot, tuple(args), tuple(sorted(kwargs.items())))


@bilinear(np.tensordot, wrt=(0, 1), typing=tensordot_type)
def tensordot(y_bar: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    free_a, free_b, order_a, order_b = rt.tensordot_axes(axes, np.ndim(a), np.ndim(b))
    n = len(free_a)
    a_bar = np.tensordot(y_bar, np.conj(b), (rt.axes_from(n, n + len(free_b)), free_b))
    b_bar = np.tensordot(np.conj(a), y_bar, (free_a, rt.axes_from(0, n)))
    return np.transpose(a_bar, order_a), np.transpose(b_bar, order_b)


@bilinear(np.linalg.tensordot, wrt=(0, 1), typing=tensordot_type)
def linalg_tensordot(y_bar: Any, y: Any, x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    return tensordot(y_bar, y, x1, x2, axes)


def conjugates(operands: Any, left_out: int) -> Any:
    """The conjugates of all operands but one."""
    others: tuple[Any, ...] = ()
    for k in rt.positions(operands):
        if k != left_out:
            others = (*others, np.conj(operands[k]))
    return others


def ranks(operands: Any) -> Any:
    found: tuple[Any, ...] = ()
    for k in rt.positions(operands):
        found = (*found, np.ndim(operands[k]))
    return found


def einsum_bars(y_bar: Any, spec: Any, operands: Any) -> Any:
    """The cotangents of the operands of an einsum. The adjoint of an operand is the einsum of
    the others; a diagonal needs an identity matrix, an axis summed alone a vector of ones."""
    bars: tuple[Any, ...] = ()
    for k in rt.positions(operands):
        a = operands[k]
        adjoint = rt.einsum_adjoint(spec, ranks(operands), k)
        fillers = rt.einsum_fillers(a, spec, ranks(operands), k)
        g = np.einsum(adjoint, y_bar, *conjugates(operands, k), *fillers)
        bars = (*bars, rt.unbroadcast(g, a))
    return bars


def einsum_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Every letter of the result has the dimension of the axes that it names."""
    spec, operands = static(args[0]), args[1:]
    if not isinstance(spec, str):
        operands = args[: len(args) // 2 * 2 : 2]
        lists = [static(a) if k % 2 or k == len(args) - 1 else None for k, a in enumerate(args)]
        if any(item is MISSING for item in lists):
            return UNKNOWN
        spec = rt.interleaved_spec(*lists)
    shapes, dtypes = [dims_of(a) for a in operands], [dtype_of(a) for a in operands]
    known = [s for s in shapes if s is not None]
    if len(known) < len(operands) or any(d is None for d in dtypes) or set(kwargs) - {"optimize"}:
        return UNKNOWN
    terms, output = einsum_terms(spec, tuple(map(len, known)))
    if not output and static(kwargs.get("optimize", Known(False))) is not False:
        # a number, or an array without axes where the last step is a matrix product
        return standin_type(np.einsum, tuple(args), tuple(kwargs.items()))
    letters: dict[str, set[Dim]] = {}
    for term, dims in zip(terms, known):
        for letter, dim in zip(term, dims):
            letters.setdefault(letter, set()).add(dim)
    if any(len(term) != len(dims) for term, dims in zip(terms, known)) or not letters.keys() >= set(output):
        return UNKNOWN  # the call raises
    dtype = np.result_type(*[d for d in dtypes if d is not None])
    return product_type(dtype, tuple(product(letters[c]) for c in output))


def holding(operands: Any, place: int, value: Any) -> Any:
    """The operands with another one in one place."""
    found: tuple[Any, ...] = ()
    for j in rt.positions(operands):
        found = (*found, value if j == place else operands[j])
    return found


def einsum_bars_of_lists(y_bar: Any, operands: Any) -> Any:
    """The cotangents of all operands, of which the lists are known only at run time."""
    bars: tuple[Any, ...] = ()
    for k in rt.positions(operands):
        is_array = k % 2 == 0 and k < len(operands) - 1 and operands[k] is not None
        bars = (*bars, rt.einsum_bar(operands[k], y_bar, *holding(operands, k, None)) if is_array else None)
    return bars


def einsum_bar_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """The type of the array that it is the cotangent of, in the dtype of the result's."""
    g = dtype_of(args[1])
    return args[0] if g is None or not isinstance(args[0], Array) else array(g, args[0].dims)


@vjps(rt.einsum_bar, typing=einsum_bar_type)
def einsum_bar(y_bar: Any, y: Any, a: Any, g: Any, *operands: Any) -> Any:
    """Both are contractions of the same operands: `y_bar` takes the place of the one left out."""
    placed: tuple[Any, ...] = ()
    for k in rt.positions(operands):
        placed = (*placed, y_bar if operands[k] is None else operands[k])
    bars: tuple[Any, ...] = (None, np.einsum(*placed))
    for k in rt.positions(operands):
        is_array = k % 2 == 0 and k < len(operands) - 1 and operands[k] is not None
        bars = (*bars, rt.einsum_bar(operands[k], g, *holding(placed, k, None)) if is_array else None)
    return bars


@vjps(np.einsum, typing=einsum_type)
def einsum(y_bar: Any, y: Any, subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    if isinstance(subscripts, str):
        return (None, *einsum_bars(y_bar, subscripts, operands))
    if not rt.is_static(rt.interleaved_spec(subscripts, *operands)):
        return einsum_bars_of_lists(y_bar, (subscripts, *operands))
    arrays: tuple[Any, ...] = (subscripts,)
    for k in rt.positions(operands):
        if k % 2 == 1 and k < len(operands) - 1:
            arrays = (*arrays, operands[k])
    bars = einsum_bars(y_bar, rt.interleaved_spec(subscripts, *operands), arrays)
    spread: tuple[Any, ...] = ()
    for k in rt.positions(bars):
        spread = (*spread, bars[k], None)
    return spread if len(operands) % 2 == 1 else (*spread, None)


# -- kron, cross -----------------------------------------------------------------------------


@bilinear(np.kron, wrt=(0, 1))
def kron(y_bar: Any, y: Any, a: Any, b: Any) -> Any:
    rank = max(np.ndim(a), np.ndim(b))
    blocks = np.reshape(y_bar, rt.kron_shape(shape_of(a), shape_of(b)))
    spread_a = np.reshape(a, rt.kron_shape(shape_of(a), (1,) * rank))
    spread_b = np.reshape(b, rt.kron_shape((1,) * rank, shape_of(b)))
    a_bar = np.sum(blocks * np.conj(spread_b), axis=rt.odd_axes(2 * rank))
    b_bar = np.sum(blocks * np.conj(spread_a), axis=rt.even_axes(2 * rank))
    return np.reshape(a_bar, shape_of(a)), np.reshape(b_bar, shape_of(b))


def cross_bars(y_bar: Any, a: Any, b: Any) -> Any:
    """For vectors along the last axis."""
    if a.shape[-1] == 3 and b.shape[-1] == 3:
        a_bar = np.cross(np.conj(b), y_bar)
        b_bar = np.cross(y_bar, np.conj(a))
    else:
        plane = a.shape[-1] == 2 and b.shape[-1] == 2
        zero = np.zeros_like(y_bar)
        g = np.stack((zero, zero, y_bar), axis=-1) if plane else y_bar
        a_bar = rt.fit(np.cross(np.conj(rt.fit(b, 3, -1)), g), a.shape[-1], -1)
        b_bar = rt.fit(np.cross(g, np.conj(rt.fit(a, 3, -1))), b.shape[-1], -1)
    return rt.unbroadcast(a_bar, a), rt.unbroadcast(b_bar, b)


def cross_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Whether vectors are of length 2, and their product a number, only the lengths of lists tell."""
    found = standin_type(np.cross, tuple(args), tuple(sorted(kwargs.items())))
    return array(product_dtype(args), None) if isinstance(found, Unknown) else found


@bilinear(np.cross, wrt=(0, 1), typing=cross_type)
def cross(
    y_bar: Any, y: Any, a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a_last, b_last = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    plane = a_last.shape[-1] == 2 and b_last.shape[-1] == 2
    a_bar, b_bar = cross_bars(y_bar if plane else np.moveaxis(y_bar, axisc, -1), a_last, b_last)
    return np.moveaxis(a_bar, -1, axisa), np.moveaxis(b_bar, -1, axisb)


def linalg_cross_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Vectors of length 3."""
    dims, axis = broadcast([dims_of(args[0]), dims_of(args[1])]), kwargs.get("axis", Known(-1))
    return array(product_dtype(args), None if dims is None or static(axis) is MISSING else dims)


@bilinear(np.linalg.cross, wrt=(0, 1), typing=linalg_cross_type)
def linalg_cross(y_bar: Any, y: Any, x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return cross(y_bar, y, x1, x2, axis=axis)


# -- products of vectors along an axis (NumPy 2) ---------------------------------------------


def dot_bars(g: Any, x1: Any, x2: Any) -> Any:
    """For vectors along the last axis, of which `g` has one element."""
    return rt.unbroadcast(np.conj(g) * x2, x1), rt.unbroadcast(g * x1, x2)


def vecdot(y_bar: Any, y: Any, x1: Any, x2: Any, /, *, axis: Any = -1, keepdims: Any = False) -> Any:
    if axis == -1:
        return dot_bars(y_bar if keepdims else np.expand_dims(y_bar, -1), x1, x2)
    # each has its vectors along an axis of its own, and what is left of both is broadcast
    g = np.moveaxis(y_bar, axis, -1) if keepdims else np.expand_dims(y_bar, -1)
    x1_bar, x2_bar = dot_bars(g, np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1))
    return np.moveaxis(x1_bar, -1, axis), np.moveaxis(x2_bar, -1, axis)


def linalg_vecdot(y_bar: Any, y: Any, x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return vecdot(y_bar, y, x1, x2, axis=axis)


def matvec(y_bar: Any, y: Any, x1: Any, x2: Any, /) -> Any:
    x1_bar = y_bar[..., :, None] * np.conj(x2)[..., None, :]
    x2_bar = (np.swapaxes(np.conj(x1), -1, -2) @ y_bar[..., None])[..., 0]
    return rt.unbroadcast(x1_bar, x1), rt.unbroadcast(x2_bar, x2)


def vecmat(y_bar: Any, y: Any, x1: Any, x2: Any, /) -> Any:
    # y_j = Σ conj(x1_i) x2_ij
    x1_bar = (x2 @ np.conj(y_bar)[..., None])[..., 0]
    x2_bar = x1[..., :, None] * y_bar[..., None, :]
    return rt.unbroadcast(x1_bar, x1), rt.unbroadcast(x2_bar, x2)


if hasattr(np, "vecdot"):
    bilinear(np.vecdot, wrt=(0, 1))(vecdot)
if hasattr(np.linalg, "vecdot"):
    bilinear(np.linalg.vecdot, wrt=(0, 1))(linalg_vecdot)
if hasattr(np, "matvec"):
    bilinear(np.matvec, wrt=(0, 1))(matvec)
if hasattr(np, "vecmat"):
    bilinear(np.vecmat, wrt=(0, 1))(vecmat)


@bilinear(np.linalg.matmul, wrt=(0, 1), typing=matmul_type)
def linalg_matmul(y_bar: Any, y: Any, x1: Any, x2: Any, /) -> Any:
    return matmul(y_bar, y, x1, x2)
