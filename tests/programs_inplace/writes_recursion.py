"""Functions that call themselves and write into the caller's arguments."""

import numpy as np


def _wave(u, v, n):
    if n > 0:
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[0]
        _wave(v, u, n - 1)


def wave_steps(u, v):
    _wave(u, v, 3)
    return np.sum(u**2) + np.sum(v**3)


def _reversed(a):
    if len(a) > 1:
        first = a[0].copy()
        a[0] = a[-1] * a[0]
        a[-1] = first
        _reversed(a[1:-1])


def reversal(x):
    _reversed(x)
    return np.sum(x**2 * np.arange(1.0, len(x) + 1))


def _pick(x, n):
    return x + 1.0 if n == 0 else _pick(x, n - 1)


def fresh_result_is_written(x):
    z = _pick(x, 2)
    z[0] = 5.0
    x *= 2.0
    return np.sum(z * x)


def _eliminated(a, k):
    if k + 1 == len(a):
        return a[k, k]
    a[k + 1 :, k:] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k:])
    return a[k, k] * _eliminated(a, k + 1)


def determinant_in_place(a):
    return _eliminated(a, 0)


def _solved(rows, b):
    if len(rows) == 1:
        b[0] /= rows[0, 0]
        return
    b[-1] /= rows[-1, -1]
    b[:-1] -= rows[:-1, -1] * b[-1]
    _solved(rows[:-1, :-1], b[:-1])


def back_substitution(a, b):
    _solved(a, b)
    return np.sum(b**2)


_X = np.array([0.9, 0.4, 1.3, 0.7, 0.5])
_A = np.array([[2.0, 0.3, 0.4], [0.1, 1.5, 0.2], [0.5, 0.6, 1.8]])
SAMPLES = {
    "wave_steps": [(_X, _X[::-1].copy())],
    "reversal": [(_X,)],
    "fresh_result_is_written": [(_X,)],
    "determinant_in_place": [(_A,)],
    "back_substitution": [(_A, np.array([0.7, 0.4, 1.2]))],
}
