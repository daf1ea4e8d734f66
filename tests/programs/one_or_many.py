"""Dimensions that are one in one call and many in the next, beside some that never are."""

import numpy as np

_Y = np.array([1.0, 2.0, 3.0])


def averaged(x, w, s, n):
    a = np.average(x[:4, :n], weights=w, axis=0)
    return np.mean(a * (_Y * s))


def solved_in_part(x, w, s, n):
    a = np.linalg.solve(np.diag(w), x[:4, :n])[0]
    return np.mean((a + _Y * s) ** 2)


def integrated_in_part(x, w, s, n):
    a = np.trapezoid(x[:4, :n], w, axis=0) + np.gradient(x[:4, :n], w, axis=0)[0]
    return np.sum(a * (_Y * s))


def contracted_in_part(x, w, s, n):
    a = np.tensordot(w, x[:4, :n], 1) * np.linalg.multi_dot([w, x[:4, :n]])
    return np.sum(a * (_Y * s)) + np.sum(np.tensordot(np.ones((n, 4)), x[:4], 1) * (_Y * s))


def windowed(x, w, s, n):
    a = np.lib.stride_tricks.sliding_window_view(x[:4, :n] * s, 2, axis=0)[0, :, 0]
    return np.sum(a * _Y) + np.sum(np.add.reduceat(x[:4, :n], [0, 2], axis=0)[0] * (_Y * s))


_X = np.array([[0.9, 0.7, 1.3], [0.2, 0.5, 0.4], [1.1, 0.3, 0.8], [0.6, 1.2, 0.1]])
_W = np.array([0.4, 0.9, 1.6, 2.2])
SAMPLES = {
    name: [(_X, _W, 2.0, 1), (_X, _W, 2.0, 3)]
    for name in ("averaged", "solved_in_part", "integrated_in_part", "contracted_in_part", "windowed")
}
