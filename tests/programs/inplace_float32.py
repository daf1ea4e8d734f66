"""Writes between single and double precision."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
S = np.array([0.3, 0.7, 1.1, 0.45], np.float32)


def doubles_into_singles(x, s):
    a = s * 2
    a[1:] = x[1:]
    a *= s
    return np.sum(a**2)


def singles_and_doubles(x):
    y = x * 2
    y[0] = y[1] ** 2
    z = np.zeros(len(x))
    z[:] = y
    z *= x
    y += z
    return np.sum(z) + np.sum(y)


def singles_and_scalars(x):
    y = x.copy()
    y *= np.float64(2.0)
    y[0] = 3.0 * float(y[1])
    return np.sum(y**2)


SAMPLES = {
    "doubles_into_singles": [(X, S)],
    "singles_and_doubles": [(S,)],
    "singles_and_scalars": [(S,)],
}
