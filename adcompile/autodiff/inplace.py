"""What functions that write into their first argument store there, as functions without effects.

The first parameter is what the target held before; the result is what all of it holds then. They
are followed like any code of the user, so that both modes come of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# ruff: noqa: ANN001, ANN201  rule bodies carry no annotations


def fill(a, value):
    return np.zeros_like(a) + value


def copyto(dst, src, casting="same_kind", where=True):
    return np.where(where, src, dst)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    return np.sort(a, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    return np.partition(a, kth, axis)


def putmask(a, mask, values):
    return np.where(mask, np.resize(values, np.shape(a)), a)


def fill_diagonal(a, val, wrap=False):
    return np.where(np.eye(np.shape(a)[0], np.shape(a)[1], dtype=bool), val, a)


BODIES: dict[Any, Callable[..., Any]] = {
    np.ndarray.fill: fill,
    np.copyto: copyto,
    np.ndarray.sort: sort,
    np.ndarray.partition: partition,
    np.putmask: putmask,
    np.fill_diagonal: fill_diagonal,
}
