"""numpy.fft. The adjoint of a transform is the inverse transform with the dual norm.

A transform of length n first cuts or fills its axis to n, and so does the adjoint afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.rules.kinds import composite, linear


def fft_bar(y_bar: Any, size: Any, n: Any, axis: Any, norm: Any) -> Any:
    bar = np.fft.ifft(y_bar, axis=axis, norm=rt.fft_dual(norm))
    return bar if n is None else rt.fit(bar, size, axis)


@linear(np.fft.fft, wrt=(0,))
def fft(y_bar: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return fft_bar(y_bar, a.shape[axis], n, axis, norm)


def ifft_bar(y_bar: Any, size: Any, n: Any, axis: Any, norm: Any) -> Any:
    bar = np.fft.fft(y_bar, axis=axis, norm=rt.fft_dual(norm))
    return bar if n is None else rt.fit(bar, size, axis)


@linear(np.fft.ifft, wrt=(0,))
def ifft(y_bar: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return ifft_bar(y_bar, a.shape[axis], n, axis, norm)


def rfft_bar(y_bar: Any, n: Any, axis: Any, norm: Any) -> Any:
    """irfft counts every frequency but the first (and the middle) twice."""
    weights = rt.half_weights(n, 0.5, axis, y_bar.ndim, y_bar.dtype)
    return np.fft.irfft(y_bar * weights, n, axis, rt.fft_dual(norm))


def cut_rfft_bar(y_bar: Any, size: Any, n: Any, axis: Any, norm: Any) -> Any:
    return rfft_bar(y_bar, size, axis, norm) if n is None else rt.fit(rfft_bar(y_bar, n, axis, norm), size, axis)


@linear(np.fft.rfft, wrt=(0,))
def rfft(y_bar: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return cut_rfft_bar(y_bar, a.shape[axis], n, axis, norm)


def irfft_bar(y_bar: Any, size: Any, axis: Any, norm: Any) -> Any:
    weights = rt.half_weights(y_bar.shape[axis], 2.0, axis, y_bar.ndim, y_bar.dtype)
    return rt.fit(weights * np.fft.rfft(y_bar, axis=axis, norm=rt.fft_dual(norm)), size, axis)


@linear(np.fft.irfft, wrt=(0,))
def irfft(y_bar: Any, y: Any, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return irfft_bar(y_bar, a.shape[axis], axis, norm)


@composite(np.fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    length = (a.shape[axis] - 1) * 2 if n is None else n
    return np.fft.irfft(np.conj(a), length, axis, norm=rt.fft_dual(norm))


@composite(np.fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    length = a.shape[axis] if n is None else n
    return np.conj(np.fft.rfft(a, length, axis, norm=rt.fft_dual(norm)))


# -- several dimensions ----------------------------------------------------------------------


def fitted(bar: Any, a: Any, s: Any, axes: Any) -> Any:
    """The adjoint of cutting or filling the axes of `a` to the lengths `s`."""
    if s is None:
        return bar
    for k in rt.positions(axes):
        bar = rt.fit(bar, a.shape[axes[k]], axes[k])
    return bar


def fftn_bar(y_bar: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    over = rt.fft_axes(s, axes, a.ndim)
    return fitted(np.fft.ifftn(y_bar, axes=over, norm=rt.fft_dual(norm)), a, s, over)


def ifftn_bar(y_bar: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    over = rt.fft_axes(s, axes, a.ndim)
    return fitted(np.fft.fftn(y_bar, axes=over, norm=rt.fft_dual(norm)), a, s, over)


def rfftn_bar(y_bar: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    over: Any = rt.fft_axes(s, axes, a.ndim)
    bar = y_bar
    if len(over) > 1:
        bar = np.fft.ifftn(bar, axes=over[:-1], norm=rt.fft_dual(norm))
    last = over[-1]
    n = a.shape[last] if s is None or s[-1] == -1 else s[-1]
    return fitted(rfft_bar(bar, n, last, norm), a, s, over)


def irfftn_bar(y_bar: Any, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    over = rt.fft_axes(s, axes, a.ndim)
    bar = irfft_bar(y_bar, a.shape[over[-1]], over[-1], norm)
    if len(over) > 1:
        bar = np.fft.fftn(bar, axes=over[:-1], norm=rt.fft_dual(norm))
    return fitted(bar, a, s, over)


@linear(np.fft.fftn, wrt=(0,))
def fftn(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return fftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.ifftn, wrt=(0,))
def ifftn(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return ifftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.rfftn, wrt=(0,))
def rfftn(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return rfftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.irfftn, wrt=(0,))
def irfftn(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return irfftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.fft2, wrt=(0,))
def fft2(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return fftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.ifft2, wrt=(0,))
def ifft2(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return ifftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.rfft2, wrt=(0,))
def rfft2(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return rfftn_bar(y_bar, a, s, axes, norm)


@linear(np.fft.irfft2, wrt=(0,))
def irfft2(y_bar: Any, y: Any, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return irfftn_bar(y_bar, a, s, axes, norm)


# -- shifts ----------------------------------------------------------------------------------


@linear(np.fft.fftshift, wrt=(0,))
def fftshift(y_bar: Any, y: Any, x: Any, axes: Any = None) -> Any:
    return np.fft.ifftshift(y_bar, axes)


@linear(np.fft.ifftshift, wrt=(0,))
def ifftshift(y_bar: Any, y: Any, x: Any, axes: Any = None) -> Any:
    return np.fft.fftshift(y_bar, axes)


# -- frequencies -----------------------------------------------------------------------------


@composite(np.fft.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    return np.fft.fftfreq(n) / d


@composite(np.fft.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    return np.fft.rfftfreq(n) / d
