"""Arrays made by np.r_, np.c_, np.fromiter and np.vectorize, and the methods of ufuncs."""

import math

import numpy as np

_X = np.array([0.3, -0.7, 1.1])
_A = np.array([[0.5, 1.5, 0.7], [0.3, -0.4, 0.9]])
_W = np.array([0.4, 1.3, -0.6, 0.8, 0.2, -1.1])


def parts_in_a_row(x):
    return (
        np.sum(np.r_[x, 2.0 * x] * _W) + np.r_[0.0, x[1:], 1.0][1] ** 2 + np.r_[x[0], 0:2][0] * np.r_["0,2", x, x][1, 2]
    )


def whole_numbers_beside(x):
    joined = np.concatenate((x, np.arange(2))) * np.hstack([x, [1, 2]])
    return np.sum(joined) + np.sum(np.stack((x, np.arange(3)))[1] * x)


def columns(x, a):
    return np.sum(np.c_[x[:2], a] ** 2) + np.sum(np.c_[x, x * x] @ np.array([1.0, -2.0]))


def from_items(x):
    return np.sum(np.fromiter((t * t for t in x), float) * x) + np.fromiter([t * 3.0 for t in x], float, count=2)[1]


def for_each_element(x, a):
    kinked = np.vectorize(lambda t: t * t if t > 0 else np.sin(t))
    both = np.vectorize(lambda t, s: (t * s, t))(a, x[0])
    return np.sum(kinked(a) * a) + np.sum(both[0] * both[1])


_DECAY = np.vectorize(lambda t: math.exp(-t), otypes=[float])


@np.vectorize
def _bent(t, k=2):
    return t**k if t > 0.5 else k * t


def for_each_element_as_told(x, a):
    """With `otypes` the first result decides nothing, and nothing may come of no elements."""
    kinked = np.vectorize(lambda t: t * t if t > 0 else 0, otypes=[np.float64])
    both = np.vectorize(lambda t, s: (t * s, t + s), otypes="dd", doc="two")
    product, total = both(a, x[0])
    return np.sum(kinked(a) * a) + np.sum(_DECAY(a) * product) + np.sum(total) + np.sum(_DECAY(x[:0])) + _bent(x, 3)[1]


def for_each_number_of_pythons(x):
    """Functions get floats, which are of double precision."""
    return np.sum(np.vectorize(lambda t: t * t * t / 3)(x))


def grids(x, a):
    rows, columns = np.ogrid[0 : a.shape[0], 0 : a.shape[1]]
    whole = np.mgrid[0:2, 0 : len(x)]
    return np.sum(a * rows * (columns + 1)) + np.sum(x ** whole[0] * whole[1]) + np.sum(np.mgrid[0:1:5j] * x[0])


def scans(x, a):
    running = np.maximum.accumulate(a, axis=1) * np.minimum.accumulate(a, axis=1)
    return np.sum(running) + np.sum(np.logaddexp.accumulate(x) * x) + np.sum(np.multiply.accumulate(x))


def reductions_by_stretches(x, a):
    sums = np.add.reduceat(a, [0, 2], axis=1) * np.maximum.reduceat(a, [0, 1], axis=1)
    return np.sum(sums) + np.sum(np.multiply.reduceat(x, [0, 2]) + np.logaddexp.reduceat(x, [1, 0]))


def tables(x):
    return np.sum(np.hypot.outer(x, x + 2.0) * np.arctan2.outer(x, x)) + np.sum(np.logaddexp.outer(x, x[:2]) ** 2)


def quantiles_of_rows(x, a):
    middle = np.median([x, x * x, 1.0 - x], axis=1)
    return (
        np.sum(middle**2)
        + np.sum(np.quantile(a * a, [0.2, 0.6], axis=1))
        + np.sum(np.percentile([x, 2.0 * x], 30, axis=0))
    )


def like_in_another_shape(x):
    ones, rows = np.ones_like(x, shape=(2, 3)), np.zeros_like(x, float, "C", True, (2, 3))
    rows[0] = x
    rows += x * ones
    one = np.zeros_like(x, shape=(1,))
    one += x[0]
    return np.sum(ones * x) + np.sum(rows**2) + np.sum(one * x)


def nuclear_norm(a):
    return np.linalg.norm(a * a, "nuc")


SAMPLES = {
    "parts_in_a_row": [(_X,)],
    "like_in_another_shape": [(_X,)],
    "whole_numbers_beside": [(_X,)],
    "columns": [(_X, _A)],
    "from_items": [(_X,)],
    "for_each_element": [(_X, _A)],
    "for_each_element_as_told": [(_X, _A)],
    "for_each_number_of_pythons": [(_X,)],
    "grids": [(_X, _A)],
    "scans": [(_X, _A)],
    "reductions_by_stretches": [(_X, _A)],
    "tables": [(_X,)],
    "quantiles_of_rows": [(_X, _A)],
    "nuclear_norm": [(_A,)],
}
