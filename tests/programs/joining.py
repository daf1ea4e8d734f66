"""Building arrays of parts: array, stack, concatenate, select."""

import numpy as np

_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])
_V = np.array([0.5, -0.7, 1.2])


def array_of_scalars(x, y):
    v = np.array([x, y, x * y, 1.0])
    return np.sum(v**2)


def array_of_nested_lists(t):
    r = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    return np.sum(r @ r @ np.array([1.0, 2.0]))


def array_of_rows(x):
    return np.sum(np.array([x, x * x, np.ones(3)]) ** 2)


def asarray_forms(x):
    return np.sum(np.asarray(x) ** 2) + np.sum(np.asarray([x[0], 2.0]) ** 3)


def concatenate_vectors(x, y):
    return np.sum(np.concatenate([x, y, x[:1]]) ** 2 * np.arange(1.0, 2.0 + len(x) + len(y)))


def concatenate_axis(a):
    b = np.concatenate((a, a[:, :1] * 2.0), axis=1)
    return np.sum(b * np.arange(8.0).reshape(2, 4)) + np.sum(np.concatenate([a, a], axis=None)[4:] ** 2)


def stack_forms(x, y):
    return (
        np.sum(np.stack([x, y]) * np.arange(6.0).reshape(2, 3))
        + np.sum(np.stack((x, y), axis=1) ** 2)
        + np.sum(np.vstack([x, y])[1] ** 2)
        + np.sum(np.hstack([x, y]) * np.arange(6.0))
        + np.sum(np.column_stack([x, y])[:, 0])
    )


def append_values(x, s):
    return np.sum(np.append(x, s) * np.arange(4.0))


def select_and_piecewise(x):
    return np.sum(np.select([x > 1.0, x > 0.0], [x**2, 3.0 * x], default=-x))


def accumulate_in_rebound_tuple(x):
    history = ()
    for i in range(3):
        x = np.sin(x) * (i + 1)
        history = history + (x,)
    return np.sum(np.stack(history) ** 2)


def accumulate_in_rebound_list(x):
    history = [x]
    for i in range(3):
        history = [*history, history[-1] * x]
    return history[-1] + history[1]


def block_matrix(a):
    m = np.block([[a, 2.0 * a], [a * a, np.zeros((2, 3))]])
    return np.sum(m**2 * np.arange(24.0).reshape(4, 6))


def eye_and_outer(x):
    return np.sum((np.eye(3) * x + np.outer(x, x)) ** 2)


SAMPLES = {
    "array_of_scalars": [(0.4, -1.2)],
    "array_of_nested_lists": [(0.4,)],
    "array_of_rows": [(_V,)],
    "asarray_forms": [(_V,)],
    "concatenate_vectors": [(_V, _V[:2]), (_V[:1], np.array([]))],
    "concatenate_axis": [(_A,)],
    "stack_forms": [(_V, _V[::-1] * 0.5)],
    "append_values": [(_V, 0.3)],
    "select_and_piecewise": [(_V,)],
    "accumulate_in_rebound_tuple": [(_V,)],
    "accumulate_in_rebound_list": [(0.7,)],
    "block_matrix": [(_A,)],
    "eye_and_outer": [(_V,)],
}
