"""Functions that give several views at once, and operators called by the names of their methods."""

import numpy as np


def _weighed(y):
    return np.sum(y**2 * np.arange(1.0, y.size + 1).reshape(y.shape))


def halves_written(x):
    y = x * 1.0
    a, b = np.split(y, 2)
    a *= b[0]
    b[1] = a[0]
    return _weighed(y)


def parts_written_in_turn(x):
    y = x * 1.0
    for part in np.split(y, 2):
        part *= part[0]
    return _weighed(y)


def uneven_parts_written(x):
    y = x * 1.0
    a, b, c = np.array_split(y, 3)
    b *= a[0]
    return _weighed(y) + np.sum(c)


def columns_and_rows_written(x):
    y = (x * 1.0).reshape(2, 2)
    a, b = np.hsplit(y, 2)
    a *= b
    c, d = np.vsplit(y, 2)
    d += c**2
    return _weighed(y)


def planes_written(x):
    y = (x * 1.0).reshape(1, 2, 2)
    a, b = np.dsplit(y, 2)
    a *= b
    return _weighed(y)


def at_least_of_several(x):
    y, z = x * 1.0, x * 2.0
    a, b = np.atleast_1d(y, z)
    a *= b[0]
    c, d = np.atleast_2d(y, y[1:])
    c *= d[0, 0]
    return _weighed(y) + _weighed(z)


def methods_of_operators(x):
    y = x * 1.0
    y.__iadd__(x)
    y.__imul__(y[0])
    y.__setitem__(1, y[0] ** 2)
    np.ndarray.__setitem__(y, slice(2, 4), 3 * x[:2])
    z = y.__getitem__(slice(1, 3))
    z *= z[0]
    return _weighed(y)

def factors_written(x):
    """What a rule reads of its own results is written; a difference too, which such rules are made of."""
    m = np.outer(x, x) + np.diag(x + np.arange(1.0, 5.0))
    values, vectors = np.linalg.eigh(m)
    values[values < 1.0] = 0.5
    q, r = np.linalg.qr(m)
    q *= np.sign(np.diag(r))
    r[0] *= q[0]
    steps = np.diff(values)
    steps[0] = steps[1] ** 2
    return np.sum((vectors * values) @ vectors.T * m) + np.sum(q @ r * m) + np.sum(steps)


_X = np.array([0.9, 0.4, 1.3, 0.7])
SAMPLES = {
    "halves_written": [(_X,)],
    "parts_written_in_turn": [(_X,)],
    "uneven_parts_written": [(_X,)],
    "columns_and_rows_written": [(_X,)],
    "planes_written": [(_X,)],
    "at_least_of_several": [(_X,)],
    "methods_of_operators": [(_X,)],
    "factors_written": [(_X,)],
}
