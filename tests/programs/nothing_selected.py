"""Selections that are empty for some of the data: what NumPy and Python make of nothing, where it is not used."""

import functools

import numpy as np

_ROWS = np.array([[0.5, -1.5, 0.7], [-0.3, -0.4, -0.9], [1.1, 0.2, -0.6]])


def _or_first(value, row):
    return np.where(np.isnan(value), row[0], value)


def means_of_positive(x):
    total = 0.0
    for row in x:
        kept = row[row > 0]
        total += _or_first(np.mean(kept), row) ** 2 + _or_first(kept.mean(), row) * _or_first(np.average(kept), row)
        total += _or_first(np.mean([v for v in row if v > 0]), row) + _or_first(np.mean(row, where=row > 0), row)
    return total


def middles_of_positive(x):
    total = 0.0
    for row in x:
        kept = row[row > 0]
        total += _or_first(np.median(kept), row) ** 2 + _or_first(np.nanmedian(kept), row)
        total += _or_first(np.nanpercentile(kept, 30.0), row)
    return total


def spreads_of_positive(x):
    total = 0.0
    for row in x:
        kept = row[row > 0]
        total += _or_first(np.std(kept), row) ** 2 + _or_first(np.var(kept), row)
        total += _or_first(np.var(row, where=row > 0), row) + np.sum(np.histogram(kept, 2)[1] ** 2)
    return total


def largest_of_positive(x):
    total = 0.0
    for row in x:
        kept = [v for v in row if v > 0]
        total += max(kept, default=row[0]) ** 2 + min(row[row > 0], default=row[1])
        total += max((v for v in row if v > 0), default=row[2], key=abs)
        if kept:
            total += max(kept) * min(row[row > 0]) + functools.reduce(lambda a, b: a * b, kept)
    return total


SAMPLES = {
    "means_of_positive": [(_ROWS,)],
    "middles_of_positive": [(_ROWS,)],
    "spreads_of_positive": [(_ROWS,)],
    "largest_of_positive": [(_ROWS,)],
}
