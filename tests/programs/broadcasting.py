"""Operands of different shapes: the adjoint sums over what was broadcast."""

import numpy as np


def scalar_times_array(s, x):
    return np.sum(s * x + x / s)


def row_and_column(r, c):
    return np.sum(np.sin(r + c) * c)


def bias_added(x, w, b):
    return np.sum(np.tanh(x @ w + b))


def size_one_axes(a, b):
    return np.sum(a * b * (a - b))


def missing_leading_axes(a, b):
    return np.sum((a + b) ** 2 * b)


def newaxis_outer(x, y):
    return np.sum((x[:, None] - y[None, :]) ** 2)


def pairwise_distances(p):
    d = p[:, None, :] - p[None, :, :]
    return np.sum(np.sqrt(np.sum(d**2, axis=-1) + 0.1))


def normalise_rows(a):
    centred = a - a.mean(axis=1, keepdims=True)
    return np.sum((centred / np.sqrt(np.sum(centred**2, axis=1, keepdims=True) + 1.0)) ** 3)


def where_broadcasts(x, s):
    return np.sum(np.where(x > 0, x, s) ** 2)


def slices_of_run_time_size(x, n):
    return np.sum(x[:n] * x[-n:]) + np.sum(x[:1] * x)


def mask_broadcasts(x, m):
    y = x[m > 0]
    return np.sum(y[:, None] * y[None, :])


def broadcast_to_shape(x):
    return np.sum(np.broadcast_to(x, (3, x.size)) * np.arange(3.0)[:, None] ** 2)


def zero_dimensional_and_vector(s, x):
    return np.sum(s * x) + np.sum(np.maximum(s, x))


def maximum_broadcasts(x, y):
    return np.sum(np.maximum(x, y) * np.minimum(x, 2.0))


def result_keeps_shape(x, s):
    return x[:, None] * s + 1.0


def running_scalar_broadcast(x):
    s = x[0]
    y = x * s
    for v in y:
        y = y + v * 0.1
    return np.sum(y)


def negative_broadcast_added_to(x):
    c = 0.8 * np.cumsum(x)
    table = {"first": c[0], "all": x * 2.0}
    t = 0.5
    for e in table.values():
        t = t * 0.5 + np.sum(np.sin(e))
    return np.sum((x - c[:]) * t)


SAMPLES = {
    "negative_broadcast_added_to": [(np.array([1.3, 0.7]),)],
    "scalar_times_array": [(1.3, np.array([0.5, -0.7])), (1.3, np.array([[0.5], [-0.7]])), (1.3, np.array([]))],
    "row_and_column": [(np.array([[0.5, -0.7, 0.1]]), np.array([[1.2], [0.3]]))],
    "bias_added": [(np.array([[0.5, -0.7]]), np.array([[0.2, 0.1, 0.3], [0.5, -0.2, 0.4]]), np.array([0.1, 0.2, -0.3]))],
    "size_one_axes": [
        (np.array([[0.5, -0.7]]), np.array([[1.2], [0.3], [0.1]])),
        (np.array([[0.5]]), np.array([1.2, 0.3])),
        (np.array([0.5]), np.array([1.2])),
    ],
    "missing_leading_axes": [(np.array([[0.5, -0.7], [0.1, 0.9]]), np.array([1.2, 0.3])), (np.array([0.5]), 1.2)],
    "newaxis_outer": [(np.array([0.5, -0.7]), np.array([1.2, 0.3, 0.1]))],
    "pairwise_distances": [(np.array([[0.5, -0.7], [0.1, 0.9], [-0.4, 0.2]]),)],
    "normalise_rows": [(np.array([[0.5, -0.7, 0.2], [0.1, 0.9, 0.3]]),)],
    "where_broadcasts": [(np.array([0.5, -0.7, -0.2]), 1.2)],
    "slices_of_run_time_size": [(np.array([0.5, -0.7, 0.2]), 1), (np.array([0.5, -0.7, 0.2]), 2), (np.array([0.5]), 1)],
    "mask_broadcasts": [(np.array([0.5, -0.7, 0.2]), np.array([1, 0, 1])), (np.array([0.5, -0.7]), np.array([0, 1]))],
    "broadcast_to_shape": [(np.array([0.5, -0.7]),)],
    "zero_dimensional_and_vector": [(np.array(0.4), np.array([0.5, -0.7]))],
    "maximum_broadcasts": [(np.array([[0.5, -0.7]]), np.array([[1.2], [0.3]]))],
    "result_keeps_shape": [(np.array([0.5, -0.7]), np.array([1.2, 0.3, 0.1]))],
    "running_scalar_broadcast": [(np.array([0.5, -0.7, 0.2]),)],
}
