"""scipy.signal: convolutions in any number of dimensions, and filters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from adcompile import runtime as rt
from adcompile.ir.types import Known, TupleT, Type
from adcompile.rules.kinds import bilinear, vjps
from adcompile.rules.numpy.dims import Dims, argument, array, dims_of, dtype_of, static

# -- convolutions ---------------------------------------------------------------------------------------------------


def convolved_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Of floats and complex numbers. With `valid`, which argument is the longer one is not known."""
    dtypes, dims = [dtype_of(t) for t in args[:2]], [dims_of(t) for t in args[:2]]
    known = all(d is not None and d.kind in "fc" for d in dtypes) and all(dims)
    dtype = np.result_type(*[d for d in dtypes if d is not None]) if known else None
    first = dims[0] if static(argument(args, kwargs, 2, "mode", "full")) == "same" else None
    rank = None if dims[0] is None else len(dims[0])
    found: Dims | None = first if first is not None else None if rank is None else ("any",) * rank
    return array(dtype, found)


def whole(y_bar: Any, mode: Any, first: Any, second: Any, axes: Any) -> Any:
    """The cotangent of the full convolution along `axes`, of which `mode` has kept a part."""
    if mode == "full":
        return y_bar
    return np.pad(y_bar, rt.convolution_rims(first.shape, second.shape, y_bar.shape, axes))


@bilinear(signal.convolve, typing=convolved_type)
def convolve(y_bar: Any, y: Any, in1: Any, in2: Any, *, mode: Any = "full", method: Any = "auto") -> Any:
    full = whole(y_bar, mode, in1, in2, None)
    if in1.ndim == 0:
        return full * np.conj(in2), full * np.conj(in1)
    return (
        signal.convolve(full, np.conj(np.flip(in2)), "valid", method),
        signal.convolve(full, np.conj(np.flip(in1)), "valid", method),
    )


@bilinear(signal.fftconvolve, typing=convolved_type)
def fftconvolve(y_bar: Any, y: Any, in1: Any, in2: Any, *, mode: Any = "full", axes: Any = None) -> Any:
    """Axes other than `axes` broadcast."""
    if in1.ndim == 0:
        return y_bar * np.conj(in2), y_bar * np.conj(in1)
    full = whole(y_bar, mode, in1, in2, axes)
    return (
        rt.unbroadcast(signal.fftconvolve(full, np.conj(np.flip(in2, axes)), "valid", axes), in1),
        rt.unbroadcast(signal.fftconvolve(full, np.conj(np.flip(in1, axes)), "valid", axes), in2),
    )


# -- filters --------------------------------------------------------------------------------------------------------


def filtered_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Initial conditions broadcast, final ones do not."""
    zi = argument(args, kwargs, 4, "zi")
    given = [*args[:3], *([] if zi == Known(None) else [zi])]
    dtypes = [dtype_of(t) for t in given]
    dtype = np.result_type(*[d for d in dtypes if d is not None]) if all(d is not None for d in dtypes) else None
    dtype = None if dtype is None else dtype if dtype.kind in "fc" else np.dtype(float)
    y = array(dtype, dims_of(args[2]))
    given_dims = dims_of(zi)
    final: Dims | None = None if given_dims is None else tuple("any" if d == "one" else d for d in given_dims)
    return y if zi == Known(None) else TupleT((y, array(dtype, final)))


@vjps(signal.lfilter, wrt=(0, 1, 2, 4), typing=filtered_type)
def lfilter(y_bar: Any, y: Any, b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    numerator, denominator, signals = np.atleast_1d(b), np.atleast_1d(a), np.moveaxis(x, axis, -1)
    if zi is None:
        bars = filter_bar(np.moveaxis(y_bar, axis, -1), np.moveaxis(y, axis, -1), numerator, denominator, signals)
        shaped = np.reshape(bars[0], np.shape(b)), np.reshape(bars[1], np.shape(a))
        return *shaped, np.moveaxis(bars[2], -1, axis), None
    # what is left of the signal runs out of the filter behind its end, which tells the final conditions
    n, final, start = x.shape[axis], np.moveaxis(y[1], axis, -1), np.moveaxis(zi, axis, -1)
    monic, last = denominator / denominator[0], np.zeros_like(final)
    one = np.ones_like(monic[:1])
    rest = signal.lfilter(one, monic, final)
    rest_bar, monic_bar = last, 0.0 * monic
    if y_bar[1] is not None:
        final_bar = np.moveaxis(y_bar[1], axis, -1)
        rest_bar = backwards(np.conj(monic), one, final_bar)
        monic_bar = weights(final_bar, delayed(rest, len(monic)))
    whole = np.concatenate((np.moveaxis(y[0], axis, -1), rest), axis=-1)
    inner = np.zeros_like(whole[..., :n]) if y_bar[0] is None else np.moveaxis(y_bar[0], axis, -1)
    whole_bar = np.concatenate((inner, rest_bar), axis=-1)
    entered = np.concatenate((signals, last), axis=-1)
    bars = filter_bar(whole_bar, whole, numerator, denominator, entered)
    # a[0]·zi enters beside the signal
    v = backwards(one, np.conj(denominator), whole_bar)[..., : start.shape[-1]]
    at_first = np.sum(v * np.conj(start)) - np.sum(monic_bar * np.conj(monic)) / np.conj(denominator[0])
    a_bar = bars[1] + monic_bar / np.conj(denominator[0]) + np.eye(1, len(monic), dtype=monic.dtype)[0] * at_first
    zi_bar = np.moveaxis(rt.unbroadcast(np.conj(denominator[0]) * v, start), -1, axis)
    x_bar = np.moveaxis(bars[2][..., :n], -1, axis)
    return np.reshape(bars[0], np.shape(b)), np.reshape(a_bar, np.shape(a)), x_bar, zi_bar


def filter_bar(y_bar: Any, y: Any, b: Any, a: Any, x: Any) -> Any:
    """Along the last axis, from Σ a[k] y[n − k] = Σ b[k] x[n − k]."""
    v = backwards(np.ones_like(a[:1]), np.conj(a), y_bar)
    x_bar = backwards(np.conj(b), np.ones_like(b[:1]), v)
    return weights(v, delayed(x, len(b))), -weights(v, delayed(y, len(a))), x_bar


def backwards(b: Any, a: Any, x: Any) -> Any:
    """The filter run against time: with conjugated coefficients the adjoint."""
    return np.flip(signal.lfilter(b, a, np.flip(x, -1)), -1)


def delayed(x: Any, count: Any) -> Any:
    """For each delay below `count` the signals along the last axis delayed by it, zeros before their beginnings."""
    places = np.arange(x.shape[-1]) - np.arange(count)[:, None]
    return np.where(places >= 0, x[..., np.maximum(places, 0)], 0.0)


def weights(v: Any, shifted: Any) -> Any:
    """Σ v[n] conj(x[n − k]) for each delay k."""
    count, n = shifted.shape[-2], shifted.shape[-1]
    return np.einsum("mn,mkn->k", np.reshape(v, (-1, n)), np.reshape(np.conj(shifted), (-1, count, n)))
