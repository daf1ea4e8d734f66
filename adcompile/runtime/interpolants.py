"""Derivatives of SciPy's tables of values, by the place where they are read."""

from __future__ import annotations

from typing import Any

import numpy as np


def table_derivative(table: Any, x: Any, order: int) -> Any:
    """The derivative of `scipy.interpolate.interp1d(…)(x)` of some order, from 1 on: that of the piece in which x
    lies, zero where a fill value stands.

    The shape is that of the result. At a point of the table it is the derivative of the piece on the left.
    """
    flat, shape = table._prepare_x(x)
    if hasattr(table, "_spline"):
        slope = table._spline(flat, order)
    elif table._kind == "linear" and order == 1:
        right = np.clip(np.searchsorted(table.x, flat), 1, len(table.x) - 1)
        step = table.x[right] - table.x[right - 1]
        slope = (table._y[right] - table._y[right - 1]) / step[:, None]
    else:
        slope = np.zeros((len(flat), *table._y.shape[1:]), table._y.dtype)
    if not table._extrapolate:
        slope = np.where(((flat < table.x[0]) | (flat > table.x[-1]))[:, None], 0, slope)
    return table._finish_y(slope, shape)
