"""Recurrences and quantile positions that rules need and NumPy has no function for."""

from __future__ import annotations

from typing import Any, cast

import numpy as np


def recurrence(g: Any, a: Any) -> Any:
    """y[0] = g[0], y[i] = g[i] + a[i] * y[i - 1] along axis 0; a[0] is not read."""
    y = np.array(g, dtype=np.result_type(g, a))
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]
    return y


def quantile_position(q: Any, counts: Any, method: str) -> Any:
    """Where among `counts` sorted values the quantile `q` lies, by one of NumPy's methods.

    `counts` has any shape and `q` any other: the result has shape `q.shape + counts.shape`.
    All methods interpolate between neighbours, so the quantile of 0, 1, 2, … is the position.
    """
    q, counts = np.asarray(q, float), np.asarray(counts)
    out = np.zeros(q.shape + counts.shape)
    for n in np.unique(counts):
        places: Any = np.arange(float(n))
        position = np.quantile(places, q, method=cast(Any, method)) if n else np.zeros(q.shape)
        out[..., counts == n] = np.asarray(position)[..., None]
    return out


# the plotting positions of the continuous methods
_PARAMETERS = {
    "linear": (1.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}


def quantile_slope(q: Any, counts: Any, method: str) -> Any:
    """The derivative of `quantile_position` for `q`: 0 for the methods that select an element."""
    q, counts = np.asarray(q, float), np.asarray(counts)
    q = q.reshape(q.shape + (1,) * counts.ndim)
    if method not in _PARAMETERS:
        return np.zeros(np.broadcast_shapes(q.shape, counts.shape))
    alpha, beta = _PARAMETERS[method]
    slope = counts + 1.0 - alpha - beta
    position = counts * q + alpha + q * (1.0 - alpha - beta) - 1.0
    return np.where((position < 0) | (position > counts - 1), 0.0, slope)
