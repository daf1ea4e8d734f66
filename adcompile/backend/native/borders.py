"""Arrays padded with what they hold themselves, and the way back, for kernels: `x[rt.padded_index(…)]`.

An element of the border is the one at the edge ("edge"), or the one a whole length away ("wrap").
"""

# Numba gives the functions their types when they are called.
# pyright: basic, reportUntypedFunctionDecorator=false, reportMissingImports=false

from __future__ import annotations

import numpy as np

from adcompile.backend.native.helper import helper
from adcompile.runtime.native import Fault


@helper
def source(k, n, wraps):
    """Which element of n lies at k, where the first one lies at 0."""
    if 0 <= k < n:
        return k
    if wraps:
        return k % n
    return 0 if k < 0 else n - 1


@helper
def padded_vector(x, before, after, wraps):
    n = x.shape[0]
    if n == 0:
        raise Fault
    out = np.empty(before + n + after, x.dtype)
    for k in range(out.shape[0]):
        out[k] = x[source(k - before, n, wraps)]
    return out


@helper
def padded_matrix(x, above, below, before, after, wraps):
    n, m = x.shape
    if n == 0 or m == 0:
        raise Fault
    out = np.empty((above + n + below, before + m + after), x.dtype)
    for i in range(out.shape[0]):
        row = x[source(i - above, n, wraps)]
        for k in range(before):
            out[i, k] = row[source(k - before, m, wraps)]
        for k in range(m):
            out[i, before + k] = row[k]
        for k in range(m, m + after):
            out[i, before + k] = row[source(k, m, wraps)]
    return out


@helper
def unpadded_vector(x, g, before, after, wraps):
    n = x.shape[0]
    if n == 0 or g.shape[0] != before + n + after:
        raise Fault
    out = np.zeros(n, g.dtype)
    for k in range(g.shape[0]):
        out[source(k - before, n, wraps)] += g[k]
    return out


@helper
def unpadded_matrix(x, g, above, below, before, after, wraps):
    n, m = x.shape
    if n == 0 or m == 0 or g.shape != (above + n + below, before + m + after):
        raise Fault
    out = np.zeros((n, m), g.dtype)
    for i in range(g.shape[0]):
        row, given = out[source(i - above, n, wraps)], g[i]
        for k in range(before):
            row[source(k - before, m, wraps)] += given[k]
        for k in range(m):
            row[k] += given[before + k]
        for k in range(m, m + after):
            row[source(k, m, wraps)] += given[before + k]
    return out
