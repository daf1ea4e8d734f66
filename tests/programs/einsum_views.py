"""What NumPy may give back as it is, or as a view: the derivative must not write there."""

import numpy as np


def axes_in_another_order(x):
    y = np.einsum("ij->ji", x)
    return np.sum(y * y) + np.sum(x * 2.0)


def a_diagonal(x):
    y = np.einsum("ii->i", x)
    return np.sum(y * y) * 3.0 + np.sum(np.einsum("ii", x) * x)


def the_same(x):
    y = np.einsum("ij", x)
    z = np.einsum("ji", x) * 2.0
    return np.sum(z * y) + np.sum(y**3)


def of_a_number(x):
    y = np.einsum("ij->ji", np.atleast_2d(x))
    return np.sum(y**2 * 3.0) + np.sum(np.einsum("i->i", np.broadcast_to(x, (3,))) ** 3)


def by_lists_of_axes(x):
    y = np.einsum(x, [0, 1], [1, 0])
    return np.sum(y * y) + np.sum(x * 2.0) + np.sum(np.einsum(x, [0, 0]) * x)


def real_already(x):
    y = np.real_if_close(x)
    return np.sum(y * y) + np.sum(x * 2.0)


def differentiated_not_at_all(x):
    y, z = np.polyder(x[0], 0), np.polyint(x[1], 0)
    return np.sum(y * y) + np.sum(z * z) + np.sum(x * 2.0)


_X = np.array([[0.5, 1.2], [0.3, -0.7]])
SAMPLES = {
    "axes_in_another_order": [(_X,)],
    "a_diagonal": [(_X,)],
    "the_same": [(_X,)],
    "by_lists_of_axes": [(_X,)],
    "real_already": [(_X,)],
    "differentiated_not_at_all": [(_X,)],
    "of_a_number": [(0.7,), (np.float64(0.7),), (np.array(0.7),)],
}
