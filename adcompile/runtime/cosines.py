"""Cosine and sine transforms: which one is the transpose of which, and what it counts otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.adjoints import shape_along


def transposed_kind(kind: int) -> int:
    """The transform of kind II is the transpose, and the inverse, of that of kind III, but for factors."""
    return {2: 3, 3: 2}.get(kind, kind)


def dct_ends(kind: int, bar: Any, axis: int) -> tuple[Any, Any]:
    """What the cotangent of `scipy.fft.dct` is multiplied by along the axis before the transposed transform, and what
    that gives behind it: the sums count the first number of kinds I and III, and the last of kind I, once, the others
    twice (the definitions in SciPy's documentation of `dct`)."""
    return _weights(bar, axis, first=_ONCE[kind], last=_ONCE[kind] if kind == 1 else (1.0, 1.0))


def dst_ends(kind: int, bar: Any, axis: int) -> tuple[Any, Any]:
    """The same of `scipy.fft.dst`, where it is the last number of kind III."""
    return _weights(bar, axis, first=(1.0, 1.0), last=_ONCE[kind] if kind != 1 else (1.0, 1.0))


_ONCE = {1: (2.0, 0.5), 2: (2.0, 1.0), 3: (1.0, 0.5), 4: (1.0, 1.0)}


def _weights(bar: Any, axis: int, first: tuple[float, float], last: tuple[float, float]) -> tuple[Any, Any]:
    return _along(bar, axis, first[0], last[0]), _along(bar, axis, first[1], last[1])


def _along(bar: Any, axis: int, first: float, last: float) -> Any:
    weights = np.ones(bar.shape[axis], bar.real.dtype)
    weights[0] *= first
    weights[-1] *= last
    return weights.reshape(shape_along(bar.ndim, axis))
