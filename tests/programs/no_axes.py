"""Functions of arrays that are given a number, or an array without axes."""

import numpy as np


def turned(x):
    return np.sum(np.transpose(x)) + np.array(x * x).T * np.array(np.sin(x)).transpose()


def summed_up(x):
    y = np.cumsum(x) * np.cumsum(np.array(x * x), axis=0) + np.nancumsum(x * x, axis=0)
    return np.sum(y * np.cumprod(x, axis=0)) + np.sum(np.array(x * x).cumsum(axis=0))


def multiplied_over_none(x):
    zero = np.array(x) * 0.0
    return np.prod(x * x, axis=0) + np.nanprod(x, axis=-1) ** 3 + np.prod(zero + x, axis=0) * np.prod(zero, axis=0)


def padded(x):
    return np.sum(np.pad(x * x, 0)) + np.sum(np.pad(np.array(x), 0) ** 3)


def cast(x):
    return np.sum(np.array(x * x).astype(complex).real) + np.float64(np.array(x).astype(np.float64) * x)


def selected(x):
    return np.sum(np.compress([True], x * x)) + np.sum(np.compress([True], np.array(x), axis=0) ** 3)


def in_pieces(x):
    y = np.piecewise(x * x, [x < 0, x >= 0], [lambda t: t**2, np.sin])
    return np.sum(y) + np.sum(np.piecewise(x, np.array([x < 0.1, x > 0.1]), [lambda t: 2.0, lambda t: t * t, 3.0]))


def folded(x):
    row = np.array([0.5, 1.0, -2.0])
    y = np.convolve(row, x * x) + np.convolve(x, row) + np.correlate(row, [x * x * x], "full")
    return np.sum(y * row) + np.sum(np.convolve(x, np.array(x)) ** 2)


def repeated_along(x):
    y = np.repeat(np.array(x * x), 2, axis=0) * np.take(np.array(x), [0, 0], axis=0) + np.repeat(x, 2)
    return np.sum(y * np.array([1.0, 2.0])) + np.sum(np.take(x * x, [0, 0]) ** 2)


def summed_up_flat(x):
    """Without an axis, a matrix is flattened."""
    y = np.array([[x, 2.0 * x, x * x]])
    return np.sum(np.cumsum(y) * np.arange(3.0)) + np.sum(np.exp(y.cumsum()) * np.arange(3.0))


def powers_of_bases(x):
    bases = np.array([2.0, 3.0])
    y = np.logspace(x, 1.0, 4, base=bases) + np.logspace(0.5, np.array([0.3, 0.7]) * x, 4, base=x + 2.0)
    return np.sum(y**2) + np.sum(np.logspace(x, 1.0, 4, base=bases * x, axis=-1))


SAMPLES = {
    name: [(0.7,), (np.float64(0.7),), (np.array(0.7),)]
    for name in (
        "turned",
        "summed_up",
        "multiplied_over_none",
        "padded",
        "cast",
        "selected",
        "in_pieces",
        "folded",
        "repeated_along",
        "summed_up_flat",
        "powers_of_bases",
    )
}
