"""scipy.fft: the transforms of numpy.fft under SciPy's signatures, and the cosine and sine transforms.

Transposed, a cosine or sine transform is one of them too, but for the numbers at the ends of the axis, which the sums
count once where they count others twice (definitions: documentation of scipy.fft.dct and scipy.fft.dst).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft as fourier

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Array, TupleT, Type
from adcompile.rules.kinds import composite, constant, linear
from adcompile.rules.numpy import fft as plain
from adcompile.rules.numpy.dims import ANY, ONE, array, axis_of, dims_of
from adcompile.rules.numpy.helpers import by_value


@linear(fourier.fft, wrt=(0,))
def fft(y_bar: Any, y: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    return plain.fft_bar(y_bar, x.shape[axis], n, axis, norm)


@linear(fourier.ifft, wrt=(0,))
def ifft(y_bar: Any, y: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    return plain.ifft_bar(y_bar, x.shape[axis], n, axis, norm)


@linear(fourier.rfft, wrt=(0,))
def rfft(y_bar: Any, y: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    return plain.cut_rfft_bar(y_bar, x.shape[axis], n, axis, norm)


@linear(fourier.irfft, wrt=(0,))
def irfft(y_bar: Any, y: Any, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    return plain.irfft_bar(y_bar, x.shape[axis], axis, norm)


@composite(fourier.hfft)
def hfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    length = (x.shape[axis] - 1) * 2 if n is None else n
    return fourier.irfft(np.conj(x), length, axis, rt.fft_dual(norm))


@composite(fourier.ihfft)
def ihfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None, **settings: Any) -> Any:
    spectrum: Any = fourier.rfft(x, n, axis, rt.fft_dual(norm))
    return np.conj(spectrum)


@linear(fourier.fftn, wrt=(0,))
def fftn(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, **settings: Any
) -> Any:
    return plain.fftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.ifftn, wrt=(0,))
def ifftn(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, **settings: Any
) -> Any:
    return plain.ifftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.rfftn, wrt=(0,))
def rfftn(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, **settings: Any
) -> Any:
    return plain.rfftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.irfftn, wrt=(0,))
def irfftn(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = None, norm: Any = None, **settings: Any
) -> Any:
    return plain.irfftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.fft2, wrt=(0,))
def fft2(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, **settings: Any
) -> Any:
    return plain.fftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.ifft2, wrt=(0,))
def ifft2(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, **settings: Any
) -> Any:
    return plain.ifftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.rfft2, wrt=(0,))
def rfft2(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, **settings: Any
) -> Any:
    return plain.rfftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.irfft2, wrt=(0,))
def irfft2(
    y_bar: Any, y: Any, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, **settings: Any
) -> Any:
    return plain.irfftn_bar(y_bar, x, s, axes, norm)


@linear(fourier.fftshift, wrt=(0,))
def fftshift(y_bar: Any, y: Any, x: Any, axes: Any = None) -> Any:
    return fourier.ifftshift(y_bar, axes)


@linear(fourier.ifftshift, wrt=(0,))
def ifftshift(y_bar: Any, y: Any, x: Any, axes: Any = None) -> Any:
    return fourier.fftshift(y_bar, axes)


@composite(fourier.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, **settings: Any) -> Any:
    return fourier.fftfreq(n) / d


@composite(fourier.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, **settings: Any) -> Any:
    return fourier.rfftfreq(n) / d


# -- cosines and sines ------------------------------------------------------------------------------------------------


def ends_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Two arrays that broadcast with the cotangent along an axis."""
    bar, dims = args[1], dims_of(args[1])
    along = axis_of(args[2], len(dims)) if dims else None
    if not isinstance(bar, Array) or dims is None or along is None:
        return TupleT((UNKNOWN, UNKNOWN))
    weights = array(np.finfo(bar.dtype).dtype, tuple(ANY if k == along else ONE for k in range(len(dims))))
    return TupleT((weights, weights))


constant(rt.dct_ends, typing=ends_type, total=True)
constant(rt.dst_ends, typing=ends_type, total=True)
by_value(rt.transposed_kind)


def transposed(transform: Any, ends: Any, y_bar: Any, type: Any, axis: Any, norm: Any, orthogonalize: Any) -> Any:
    """The transposed transform: orthogonal ones count no number otherwise than the rest."""
    kind = rt.transposed_kind(type)
    if orthogonalize or orthogonalize is None and norm == "ortho":
        return transform(y_bar, kind, None, axis, norm, False, None, True)
    before, after = ends(type, y_bar, axis)
    return after * transform(before * y_bar, kind, None, axis, norm, False, None, orthogonalize)


def along_axes(transform: Any, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any) -> Any:
    over = rt.fft_axes(s, axes, x.ndim)
    for k in rt.positions(over):
        x = transform(x, type, None if s is None else s[k], over[k], norm, False, None, orthogonalize)
    return x


@linear(fourier.dct, wrt=(0,))
def dct(
    y_bar: Any, y: Any, x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    bar = transposed(fourier.dct, rt.dct_ends, y_bar, type, axis, norm, orthogonalize)
    return rt.fit(bar, x.shape[axis], axis)


@composite(fourier.idct)
def idct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return fourier.dct(x, rt.transposed_kind(type), n, axis, rt.fft_dual(norm), False, None, orthogonalize)


@linear(fourier.dst, wrt=(0,))
def dst(
    y_bar: Any, y: Any, x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    bar = transposed(fourier.dst, rt.dst_ends, y_bar, type, axis, norm, orthogonalize)
    return rt.fit(bar, x.shape[axis], axis)


@composite(fourier.idst)
def idst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return fourier.dst(x, rt.transposed_kind(type), n, axis, rt.fft_dual(norm), False, None, orthogonalize)


@composite(fourier.dctn)
def dctn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return along_axes(fourier.dct, x, type, s, axes, norm, orthogonalize)


@composite(fourier.idctn)
def idctn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, *, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return along_axes(fourier.idct, x, type, s, axes, norm, orthogonalize)


@composite(fourier.dstn)
def dstn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return along_axes(fourier.dst, x, type, s, axes, norm, orthogonalize)


@composite(fourier.idstn)
def idstn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    overwrite_x: Any = False, workers: Any = None, orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return along_axes(fourier.idst, x, type, s, axes, norm, orthogonalize)
