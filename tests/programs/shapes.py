"""Reshaping, transposing, repeating, padding, splitting."""

import numpy as np

_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])
_V = np.array([0.5, -0.7, 1.2, 0.1])


def reshape_forms(a):
    w = np.arange(6.0)
    return np.sum(a.reshape(6) * w) + np.sum(np.reshape(a, (3, -1))[0] ** 2) + np.sum(a.reshape(-1, 1) * w)


def ravel_flatten(a):
    return a.ravel() @ a.flatten() + np.ravel(a)[2]


def transpose_forms(a):
    return np.sum(a.T @ a * np.transpose(a.T @ a)) + np.sum(np.swapaxes(a, 0, 1)[0]) + a.transpose(1, 0)[2, 1]


def move_axes(a):
    b = a[:, :, None] * np.array([1.0, 2.0])
    c = np.moveaxis(b, 0, -1)
    return np.sum(c * np.arange(12.0).reshape(3, 2, 2)) + np.sum(np.rollaxis(b, 2)[1] ** 2)


def squeeze_and_expand(x):
    y = np.expand_dims(x, 0)
    return np.sum(np.squeeze(y) * y[0]) + np.sum(np.expand_dims(x, (0, 2)) ** 2) + np.sum(x[None].squeeze(0))


def roll_and_flip(a):
    return (
        np.sum(np.roll(a, 1) * a)
        + np.sum(np.roll(a, 1, axis=1) * a**2)
        + np.sum(np.flip(a, 0) * a)
        + np.sum(np.fliplr(a) * np.flipud(a) * a)
        + np.sum(np.rot90(a)[0])
    )


def repeat_and_tile(x):
    return (
        np.sum(np.repeat(x, 2) * np.arange(8.0))
        + np.sum(np.tile(x, 2) * np.arange(8.0))
        + np.sum(np.tile(x, (2, 1)) * np.arange(8.0).reshape(2, 4))
    )


def pad_constant(x):
    return np.sum(np.pad(x, 1) * np.arange(6.0) ** 2) + np.sum(np.pad(x, (2, 0)) ** 2)


def at_least(x, s):
    return np.sum(np.atleast_2d(x) ** 2) + np.sum(np.atleast_1d(s) ** 3)


def split_in_parts(x):
    a, b = np.split(x, 2)
    parts = np.array_split(x, 3)
    return a @ b + np.sum(parts[0] ** 2) + parts[1][0] * parts[2][0]


def diagonal_forms(x):
    d = np.diag(x)
    return np.sum(d @ d) + np.sum(np.diag(np.outer(x, x), 1))


def triangles(a):
    b = a @ a.T
    return np.sum(np.triu(b) ** 2) + np.sum(np.tril(b, -1) * b)


def astype_and_copy(x):
    return np.sum(x.copy() * x.astype(np.float64)) + np.sum(x.astype(int)) * x[0]


def differences(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.diff(x, n=2) ** 3) + np.sum(np.gradient(x) ** 2)


def linspace_and_full(a, b):
    t = np.linspace(a, b, 5)
    return np.sum(t**2) + np.sum(np.full(3, a) * b) + t[1]


def shape_used_as_number(a):
    return np.sum(a) / a.size + a.shape[0] * np.sum(a**2) / a.shape[1] + len(a) * a[0, 0] + a.ndim * a[1, 1]


def meshgrid_surface(x, y):
    u, v = np.meshgrid(x, y)
    return np.sum(np.sin(u) * v)


def broadcast_arrays_pair(x, s):
    a, b = np.broadcast_arrays(x, s)
    return np.sum(a * b + b**2)


def along_rows_and_columns(x):
    squares = np.apply_along_axis(lambda v: v * v[::-1], 0, x)
    return np.sum(squares * x) + np.apply_along_axis(lambda v: np.sum(v**2), 1, x) @ np.arange(float(len(x)))


SAMPLES = {
    "along_rows_and_columns": [(np.array([[0.5, 1.5, 0.7], [2.0, 0.1, -0.4]]),)],
    "reshape_forms": [(_A,)],
    "ravel_flatten": [(_A,)],
    "transpose_forms": [(_A,)],
    "move_axes": [(_A,)],
    "squeeze_and_expand": [(_V,)],
    "roll_and_flip": [(_A,)],
    "repeat_and_tile": [(_V,)],
    "pad_constant": [(_V,)],
    "at_least": [(_V, 0.4)],
    "split_in_parts": [(_V,)],
    "diagonal_forms": [(_V,)],
    "triangles": [(_A,)],
    "astype_and_copy": [(_V,)],
    "differences": [(_V,)],
    "linspace_and_full": [(0.3, 1.9)],
    "shape_used_as_number": [(_A,)],
    "meshgrid_surface": [(_V[:2], _V[1:])],
    "broadcast_arrays_pair": [(_A, _V[:3])],
}
