"""Writes into what NumPy gives back as it is, or as a view."""

import numpy as np


def einsum_by_string(x):
    y = np.einsum("ij->ji", x)
    y *= 2.0
    return np.sum(x * x * y.T)


def einsum_by_lists(x):
    y = np.einsum(x, [0, 1], [1, 0])
    y *= 2.0
    return np.sum(x * x * y.T)


def not_differentiated(x):
    y = np.polyder(x[0], 0)
    y *= 2.0
    z = np.polyint(x[1], 0)
    z[0] = x[0, 1]
    return np.sum(x * x * x)


def not_close_to_complex(x):
    y = np.real_if_close(x)
    y[0] *= 3.0
    return np.sum(x * x)


_X = np.array([[0.5, 1.2], [0.3, -0.7]])
SAMPLES = {
    name: [(_X,)] for name in ("einsum_by_string", "einsum_by_lists", "not_differentiated", "not_close_to_complex")
}
