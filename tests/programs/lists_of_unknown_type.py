"""Lists of no known type where NumPy makes arrays of them: read from a file, taken out of what nobody knows."""

import pickle

import numpy as np

_HELD = pickle.dumps({
    "w": [1.0, 2.0, 0.5], "m": [[1.0, 2.0, 3.0], [0.5, 1.0, 0.0]], "t": (0.5, 1.5, 2.5), "n": [1, 2, 3], "c": 2.5,
})  # fmt: skip


def _held(name):
    return pickle.loads(_HELD)[name]


def weights(x):
    w = _held("w")
    return np.dot(w, x) ** 2 + x.dot(w) * x[0] + np.inner(x, w) * np.vdot(w, x)


def matrices(x):
    m = _held("m")
    return np.sum((m @ x) ** 2) + np.sum(np.dot(m, x) * np.matmul(m, x)) + np.sum(np.inner(x, m) ** 2)


def exponents(x):
    n, w = _held("n"), _held("w")
    return np.sum(x**n) + np.sum(np.power(x, w)) + np.sum(w**x) + np.sum(x / w) * np.sum(np.divide(w, x))


def angles_of_lists(x):
    t = _held("t")
    return np.sum(np.arctan2(t, x)) * np.sum(np.hypot(x, t)) + np.sum(np.logaddexp(t, x) * np.fmod(x, t))


def rows(x):
    total = 0.0
    for row in _held("m"):
        total = total * x[1] + np.dot(row, x) * np.dot(x, row)
    return total


def solved(x):
    return np.linalg.solve(np.diag(x) + 1.0, _held("w")) @ x + np.sum(np.kron(_held("t"), x) ** 2)


def integrated(x):
    return np.interp(x[0], [0.0, 1.0, 2.0], _held("w")) * np.average(x, weights=_held("w"))


def written(x):
    y = x.copy()
    w = _held("w")
    y -= w
    y *= w
    for k, v in enumerate(_held("n")):
        y[k] += v * x[k] ** v
        y[1:] += np.multiply(w[1:], y[1:]) / w[1:]
    return np.dot(y, w) * np.dot(w, y)


def number_or_list(x, names):
    total = 0.0
    for name in names:
        total = total + np.sum(np.dot(_held(name), x) ** 2) * (np.sum(x ** _held(name)) if name != "m" else x[0])
    return total


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "weights": [(X,)],
    "matrices": [(X,)],
    "exponents": [(X,)],
    "angles_of_lists": [(X,)],
    "rows": [(X,)],
    "solved": [(X,)],
    "integrated": [(X,)],
    "written": [(X,)],
    "number_or_list": [(X, ["c", "w", "m", "t"])],
}
