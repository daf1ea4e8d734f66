"""Helpers of rule bodies: index arithmetic that depends on shapes only, and a few linear maps.

The first half is constant (no derivative); each linear map of the second half has a rule in
`adcompile.rules.numpy.helpers`.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any

import numpy as np

from adcompile.runtime.arrays import unbroadcast

# -- constants -------------------------------------------------------------------------------


def positions(items: Any) -> tuple[int, ...]:
    """0, 1, … for each item of a sequence: a loop over them unrolls where its length is known."""
    return tuple(range(len(items)))


def row_order(pivots: Any) -> Any:
    """The order of the rows that exchanging row k with row pivots[k], one after the other, makes."""
    order = np.arange(len(pivots))
    for k, other in enumerate(pivots):
        order[k], order[other] = order[other], order[k]
    return order


def is_listed(items: Any) -> bool:
    """Whether the items of a sequence are known one by one, so that loops over it unroll."""
    return len(items) <= 16


def wrapped(indices: Any, length: int, mode: str) -> Any:
    """The indices that `np.take` and `np.choose` use under `mode`. A tuple of them is a list, not a place in
    several axes."""
    if mode == "wrap":
        return np.mod(indices, length)
    if mode == "clip":
        return np.clip(indices, 0, length - 1)
    return list(indices) if isinstance(indices, tuple) else indices


def along(indices: Any, axis: int, ndim: int) -> Any:
    """The index that reads `indices` along one axis of an array of `ndim` axes."""
    whole = (slice(None),)
    return whole * (axis % ndim) + (indices,)


def along_axis(indices: Any, axis: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The index of `np.take_along_axis`."""
    axis = axis % len(shape)
    grid = [np.reshape(np.arange(n), (-1,) + (1,) * (len(shape) - k - 1)) for k, n in enumerate(shape)]
    return (*grid[:axis], indices, *grid[axis + 1 :])


def grid(y: Any, choices: Any) -> tuple[Any, ...]:
    """The open grid over the result of `np.choose`, as index of the choices (an array)."""
    shape, own = np.shape(y), np.shape(choices)[1:]
    axes = [
        np.arange(n).reshape((-1,) + (1,) * (len(own) - k - 1)) for k, n in enumerate(shape[len(shape) - len(own) :])
    ]
    return tuple(np.zeros_like(a) if n == 1 else a for a, n in zip(axes, own))


def inverse_axes(axes: Any) -> tuple[int, ...]:
    """The permutation that undoes `np.transpose(a, axes)`."""
    n = len(axes)
    order = [int(k) % n for k in axes]
    return tuple(order.index(k) for k in range(n))


def inverse_rollaxis(axis: int, start: int, ndim: int) -> tuple[int, ...]:
    """The permutation that undoes `np.rollaxis`."""
    axis = axis % ndim
    start = start + ndim if start < 0 else start
    order = [k for k in range(ndim) if k != axis]
    order.insert(start - 1 if axis < start else start, axis)
    return inverse_axes(order)


def negated(shift: Any) -> tuple[int, ...]:
    """The shifts that undo those of `np.roll`."""
    return tuple(-int(s) for s in shift)


def repeated_shape(shape: tuple[int, ...], repeats: Any, axis: int) -> tuple[int, ...]:
    """The shape in which the copies that `np.repeat` makes have an axis of their own."""
    axis = axis % len(shape)
    return (*shape[: axis + 1], int(repeats), *shape[axis + 1 :])


def tiled_shape(shape: tuple[int, ...], reps: Any) -> tuple[int, ...]:
    """The shape in which the copies that `np.tile` makes have the even axes."""
    counts = tuple(np.atleast_1d(reps))
    rank = max(len(shape), len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - len(shape)) + tuple(shape)
    return tuple(int(n) for pair in zip(counts, shape) for n in pair)


def even_axes(ndim: int) -> tuple[int, ...]:
    return tuple(range(0, ndim, 2))


def memory_axes(a: np.ndarray, order: str) -> tuple[int, ...]:
    """The axes in which `a.ravel(order)` goes through the elements, the slowest first; `order` is "A" or "K"."""
    if order.upper() != "K":
        return tuple(range(a.ndim))[:: -1 if reads_columns(a, order) else 1]
    axes: list[int] = []  # the fastest first: NumPy's iterators leave axes where they are that strides do not order
    for axis in reversed(range(a.ndim)):
        place = len(axes)
        for k in reversed(range(len(axes))):
            slower, faster = abs(a.strides[axis]), abs(a.strides[axes[k]])
            if slower and faster and faster <= slower:
                break
            place = k if slower and faster else place
        axes.insert(place, axis)
    return tuple(reversed(axes))


def reads_columns(a: np.ndarray, order: str) -> bool:
    """Whether `a` is read as with order "F"; `order` may be "A"."""
    return order.upper() == "F" or order.upper() == "A" and a.flags.fnc


def mesh_axes(k: int, count: int, indexing: str) -> tuple[int, ...]:
    """The axes of a result of `np.meshgrid` along which its k-th input is repeated."""
    own = 1 - k if indexing == "xy" and k < 2 and count > 1 else k
    return tuple(axis for axis in range(count) if axis != own)


def cuts(arrays: Any, axis: int) -> list[int]:
    """Where `np.split` undoes the joining of the arrays along an axis."""
    ends: list[int] = []
    end = 0
    for a in arrays[:-1]:
        end += a.shape[axis]
        ends.append(end)
    return ends


# -- linear maps -----------------------------------------------------------------------------


def unjoin(join: Any, g: Any, arrays: Any, *settings: Any) -> Any:
    """The parts of `g` that came from each of the arrays in `join(arrays, *settings)`, in the
    structure of `arrays`, real where these are: the adjoint of concatenate, stack, block, array and the like."""
    rows = join is np.array or join is np.stack
    if rows and isinstance(arrays, (list, tuple)) and not any(isinstance(a, (list, tuple)) for a in arrays[:1]):
        parts = list(map(_as_real_as, np.moveaxis(g, settings[0], 0) if settings else g, arrays))
        return parts if isinstance(arrays, list) else tuple(parts)
    total = 0

    def numbered(x: Any) -> Any:
        nonlocal total
        if isinstance(x, (list, tuple)):
            return [numbered(part) for part in x]
        start, total = total, total + np.size(x)
        return np.reshape(np.arange(start, total), np.shape(x))

    places = numbered(arrays)
    flat = np.zeros(total, np.asarray(g).dtype)
    np.add.at(flat, np.reshape(join(places, *settings), -1), np.reshape(g, -1))

    def taken(x: Any, ids: Any) -> Any:
        if isinstance(x, (list, tuple)):
            parts = [taken(part, part_ids) for part, part_ids in zip(x, ids)]
            return parts if isinstance(x, list) else tuple(parts)
        return _as_real_as(flat[ids], x)

    return taken(arrays, places)


def _as_real_as(g: Any, x: Any) -> Any:
    return np.real(g) if np.iscomplexobj(g) and not np.iscomplexobj(x) else g


# -- products --------------------------------------------------------------------------------


def axes_from(start: int, stop: int) -> tuple[int, ...]:
    return tuple(range(start, stop))


def axes_in_front(axes: Any, ndim: int) -> tuple[int, ...]:
    """The permutation that moves the given axes (an int or a tuple) to the front."""
    first = [k % ndim for k in (axes if isinstance(axes, tuple) else (axes,))]
    return (*first, *(k for k in range(ndim) if k not in first))


def directions(text: str, ndmin: int, place: int) -> tuple[int, ...]:
    """What the string says that may come first in `np.r_`: the axis, the axes that parts have at least, and where
    their own begin."""
    given = [int(number) for number in text.split(",")]
    return tuple((*given, ndmin, place)[:1]) + tuple((*given, *(ndmin, place)[len(given) - 1 :])[1:3])


def with_axes(shape: tuple[int, ...], missing: int, place: int) -> tuple[int, ...]:
    """A shape with more axes of length 1, as `np.r_` lays what has too few: its own begin at `place`."""
    before = missing if place < 0 else min(place, missing)
    return (1,) * before + shape + (1,) * (missing - before)


def axes_without(ndim: int, left_out: int) -> tuple[int, ...]:
    return tuple(k for k in range(ndim) if k != left_out)


def odd_axes(ndim: int) -> tuple[int, ...]:
    return tuple(range(1, ndim, 2))


def kron_shape(outer: tuple[int, ...], inner: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which the factors of `np.kron` have the even and the odd axes."""
    rank = max(len(outer), len(inner))
    outer = (1,) * (rank - len(outer)) + tuple(outer)
    inner = (1,) * (rank - len(inner)) + tuple(inner)
    return tuple(int(n) for pair in zip(outer, inner) for n in pair)


def tensordot_axes(axes: Any, ndim_a: int, ndim_b: int) -> tuple[tuple[int, ...], ...]:
    """The free axes of both operands, and the permutations that bring the adjoint products,
    whose axes are the free ones and then the contracted ones, into the operands' order."""
    if isinstance(axes, (int, np.integer)):
        first: list[int] = list(range(ndim_a - int(axes), ndim_a))
        second: list[int] = list(range(int(axes)))
    else:
        pair = [[int(k) for k in np.atleast_1d(a)] for a in axes]  # NumPy takes numbers, ranges and arrays
        first, second = [k % ndim_a for k in pair[0]], [k % ndim_b for k in pair[1]]
    free_a = tuple(k for k in range(ndim_a) if k not in first)
    free_b = tuple(k for k in range(ndim_b) if k not in second)
    matched_a = [first[second.index(k)] for k in sorted(second)]
    matched_b = [second[first.index(k)] for k in sorted(first)]
    return free_a, free_b, inverse_axes((*free_a, *matched_a)), inverse_axes((*matched_b, *free_b))


def einsum_terms(spec: str, ndims: tuple[int, ...]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, ellipses spelt out."""
    spec = spec.replace(" ", "")
    inputs, arrow, output = spec.partition("->")
    terms = inputs.split(",")
    spare = [c for c in ascii_letters if c not in spec]
    width = max((n - len(t.replace("...", "")) for t, n in zip(terms, ndims) if "..." in t), default=0)
    shared = "".join(spare[:width])
    spelt = [t.replace("...", shared[width - (n - len(t.replace("...", ""))) :]) for t, n in zip(terms, ndims)]
    if arrow:
        return spelt, output.replace("...", shared)
    named = "".join(t.replace("...", "") for t in terms)
    once = sorted(c for c in set(named) if named.count(c) == 1)
    return spelt, shared + "".join(once)


def einsum_adjoint(spec: str, ndims: tuple[int, ...], k: int) -> str:
    """The subscripts whose einsum of the result's cotangent, the other operands and the fillers
    is the cotangent of operand k."""
    terms, output = einsum_terms(spec, ndims)
    letters, fillers = _einsum_fillers(terms, output, k)
    return ",".join((output, *terms[:k], *terms[k + 1 :], *fillers)) + "->" + letters


def einsum_fillers(a: Any, spec: str, ndims: tuple[int, ...], k: int) -> tuple[Any, ...]:
    """What `einsum_adjoint` multiplies with beside the operands: a vector of ones for a letter
    that only operand k (here `a`) has, an identity matrix for every repetition of a letter in it."""
    letters, fillers = _einsum_fillers(*einsum_terms(spec, ndims), k)
    dtype = np.asarray(a).dtype
    dtype = np.finfo(dtype).dtype if dtype.kind in "fc" else np.dtype(float)
    lengths = dict(zip(letters, np.shape(a)))
    return tuple(np.ones(lengths[f], dtype) if len(f) == 1 else np.eye(lengths[f[0]], dtype=dtype) for f in fillers)


def _einsum_fillers(terms: list[str], output: str, k: int) -> tuple[str, list[str]]:
    spare = iter(c for c in ascii_letters if c not in "".join(terms))
    rest = output + "".join(terms[:k] + terms[k + 1 :])
    letters, fillers = "", []
    for c in terms[k]:
        if c in letters:
            fresh = next(spare)
            fillers.append(c + fresh)
            letters += fresh
        else:
            if c not in rest:
                fillers.append(c)
            letters += c
    return letters, fillers


def interleaved_spec(*operands: Any) -> str:
    """The subscripts of `np.einsum(a, [0, 1], b, [1, 2])` as a string."""

    def spelt(term: Any) -> str:
        return "".join("..." if c is Ellipsis else chr((65 if c < 26 else 71) + c) for c in term)

    lists = operands[1::2] if len(operands) % 2 == 0 else operands[1:-1:2]
    spec = ",".join(map(spelt, lists))
    return spec if len(operands) % 2 == 0 else spec + "->" + spelt(operands[-1])


def is_static(value: Any) -> bool:
    """Whether a value is known when the derivative is made: there, the rule of this function answers."""
    return True


def einsum_bar(a: Any, g: Any, *operands: Any) -> Any:
    """The cotangent of the array `a`, for which None stands among the operands of an einsum
    whose subscripts are given by lists."""
    k = next(j for j, x in enumerate(operands) if x is None) // 2
    arrays, spec = [*operands[: len(operands) // 2 * 2 : 2]], interleaved_spec(*operands)
    arrays[k] = a
    ndims = tuple(map(np.ndim, arrays))
    others = [np.conj(x) for j, x in enumerate(arrays) if j != k]
    fillers = einsum_fillers(a, spec, ndims, k)
    return unbroadcast(np.einsum(einsum_adjoint(spec, ndims, k), g, *others, *fillers), a)


def fit(x: Any, n: int, axis: int) -> Any:
    """`x` cut, or filled up with zeros, to length `n` along an axis."""
    if x.shape[axis] >= n:
        return x[along(slice(0, n), axis, x.ndim)]
    shape = list(x.shape)
    shape[axis] = n
    out = np.zeros(shape, x.dtype)
    out[along(slice(0, x.shape[axis]), axis, x.ndim)] = x
    return out


# -- matrices --------------------------------------------------------------------------------


def size_of(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=int))


def as_complex(x: Any) -> Any:
    """What NumPy gives as real numbers because their imaginary parts happen to be zero."""
    return x if np.iscomplexobj(x) else np.asarray(x, np.result_type(x, np.complex64))


def direction(x: Any, /, **settings: Any) -> Any:
    """`np.sign` of what may be complex: z/|z|, 0 at 0."""
    return np.sign(x, **settings)


def parts_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """`np.nan_to_num` of what may be complex."""
    return np.nan_to_num(x, copy, nan, posinf, neginf)


def as_found(x: Any, y: Any) -> Any:
    """A tangent or cotangent of `y`, which may be real: real where `y` is. What containers hold is left."""
    if not isinstance(x, (np.ndarray, complex, np.complexfloating)) or isinstance(y, (list, tuple, dict)):
        return x
    return x if np.iscomplexobj(y) else np.real(x)


def axes_to_end(axes: Any, ndim: int) -> tuple[int, ...]:
    """The permutation that `np.linalg.tensorsolve` moves the given axes to the end with."""
    order = list(range(ndim))
    for k in axes:
        order.remove(k)
        order.append(k)
    return tuple(order)


def diagonal_index(shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> tuple[Any, ...]:
    """The index that reads a diagonal."""
    first, second = axis1 % len(shape), axis2 % len(shape)
    length = max(0, min(shape[first] + min(offset, 0), shape[second] - max(offset, 0)))
    index: list[Any] = [slice(None)] * len(shape)
    index[first] = np.arange(length) - min(offset, 0)
    index[second] = np.arange(length) + max(offset, 0)
    return tuple(index)


def diagonal_place(ndim: int, axis1: int, axis2: int) -> int:
    """Where NumPy puts the axis of the elements that `diagonal_index` reads."""
    first, second = axis1 % ndim, axis2 % ndim
    return min(first, second) if abs(first - second) == 1 else 0


def diagonal_mask(shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    """True on a diagonal; the other axes have length 1."""
    first, second = axis1 % len(shape), axis2 % len(shape)
    eye = np.eye(shape[first], shape[second], offset, dtype=bool)
    eye = eye if first < second else eye.T
    return np.expand_dims(eye, tuple(k for k in range(len(shape)) if k not in (first, second)))


# -- pad, insert -----------------------------------------------------------------------------


def check_slopes(f: Any) -> None:
    """Raises what `np.gradient` raises of a vector that is too short."""
    if len(f) < 2:
        np.gradient(f)


def interior(shape: tuple[int, ...], pad_width: Any) -> tuple[slice, ...]:
    """Where `np.pad` leaves the array in its result."""
    return tuple(slice(before, before + n) for n, (before, _) in zip(shape, _widths(shape, pad_width)))


def interior_mask(shape: tuple[int, ...], inside: tuple[slice, ...]) -> Any:
    mask = np.zeros(shape, bool)
    mask[inside] = True
    return mask


def padded_index(shape: tuple[int, ...], pad_width: Any, mode: Any) -> tuple[Any, ...]:
    """The index that reads an array as `np.pad` does under a mode that only repeats elements."""
    axes = [np.pad(np.arange(n), width, mode) for n, width in zip(shape, _widths(shape, pad_width))]
    return np.ix_(*axes)


def _widths(shape: tuple[int, ...], pad_width: Any) -> list[tuple[int, int]]:
    if isinstance(pad_width, dict):
        given = {int(k) % len(shape): v for k, v in pad_width.items()}
        pairs = [given.get(k, 0) for k in range(len(shape))]
        return [(int(p), int(p)) if np.ndim(p) == 0 else (int(p[0]), int(p[1])) for p in pairs]
    return [(int(a), int(b)) for a, b in np.broadcast_to(pad_width, (len(shape), 2))]


def insertion_places(shape: tuple[int, ...], obj: Any, values: tuple[int, ...], axis: Any) -> Any:
    """Which element each element of `np.insert` comes from: of the array, then of the values."""
    n, m = size_of(shape), size_of(values)
    return np.insert(np.reshape(np.arange(n), shape), obj, np.reshape(np.arange(n, n + m), values), axis)


def no_derivative(message: str) -> Any:
    """Stands for a cotangent that no rule gives; raises if it is needed."""
    raise NotImplementedError(f"the derivative of {message}")


# -- fft -------------------------------------------------------------------------------------


def fft_dual(norm: Any) -> Any:
    """The norm under which the inverse transform is the adjoint."""
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def fft_axes(s: Any, axes: Any, ndim: int) -> tuple[int, ...]:
    """The axes that an n-dimensional transform runs over."""
    if axes is not None:
        return tuple(int(k) % ndim for k in axes)
    return tuple(range(ndim - len(s), ndim)) if s is not None else tuple(range(ndim))


def half_weights(n: int, inner: Any, axis: int, ndim: int, dtype: Any) -> Any:
    """For the n // 2 + 1 frequencies of a real transform: 1 where a frequency is its own
    mirror image, `inner` elsewhere; shaped to broadcast along the axis."""
    weights = np.full(n // 2 + 1, inner, np.finfo(dtype).dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    shape = [1] * ndim
    shape[axis] = -1
    return np.reshape(weights, shape)


# -- differences, convolution ----------------------------------------------------------------


def with_length(shape: tuple[int, ...], n: int, axis: int) -> tuple[int, ...]:
    axis = axis % len(shape)
    return (*shape[:axis], n, *shape[axis + 1 :])


def shape_along(ndim: int, axis: int) -> tuple[int, ...]:
    """The shape that lays a vector along an axis."""
    axis = axis % ndim
    return (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)


def convolution_margins(n: int, m: int, mode: Any) -> tuple[int, int]:
    """How many elements of the full convolution of lengths n and m are cut off before and after."""
    long, short = max(n, m), min(n, m)
    if mode == "valid" or mode == 0:
        return short - 1, short - 1
    before = (short - 1) // 2 if mode == "same" or mode == 1 else short // 2
    return before, n + m - 1 - long - before


def convolution_rims(first: Any, second: Any, kept: Any, axes: Any) -> tuple[tuple[int, int], ...]:
    """How many elements of the full convolution of arrays of two shapes are cut off before and after what is `kept`
    of them: the middle. Along other axes than `axes` they broadcast."""
    chosen = range(len(kept)) if axes is None else {int(k) % len(kept) for k in np.atleast_1d(axes)}
    lengths = [n + m - 1 if k in chosen else max(n, m) for k, (n, m) in enumerate(zip(first, second))]
    missing = [whole - own for whole, own in zip(lengths, kept)]
    return tuple((n // 2, n - n // 2) for n in missing)


def correlation_mode(n: int, m: int, mode: Any) -> Any:
    """The mode of the convolution with the reversed second argument that is the correlation."""
    if mode in ("same", 1) and m > n and min(n, m) % 2 == 0:
        return "same from the other side"
    return mode
