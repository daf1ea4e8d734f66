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


def singles_in_lists_of_doubles(s):
    v = np.zeros(len(s)) + s
    items, rows, k = [], [], 0
    for x in v:
        items.append(x)
        rows.insert(0, x * 2.0)
    y, z = np.array(items), np.stack(rows)
    column = y.reshape(-1, 1)
    column[0] *= 2.0
    while k < 3:
        rows[0] = v[k]
        k += 1
    z[1:].reshape(-1, 1)[0] = 0.5
    return np.sum(y * z) + np.sum(np.array(rows) ** 3)


SAMPLES = {
    "doubles_into_singles": [(X, S)],
    "singles_and_doubles": [(S,)],
    "singles_and_scalars": [(S,)],
    "singles_in_lists_of_doubles": [(S,)],
}
