"""Functions that count an axis in each operand by itself, of operands that have different numbers of axes."""

import numpy as np

_CUBE = np.array([[[0.5, 1.5], [0.7, -0.3]], [[0.9, -0.4], [1.2, 0.8]]])
_SQUARE = np.array([[0.3, 1.1], [0.8, 2.3]])
_LINE = np.array([0.4, 1.7])
_VECTORS = np.array([[0.5, 1.5, 0.7], [0.3, -0.4, 0.9]])


def dots_along_own_axes(a, b, axis):
    weights = np.reshape(np.arange(1.0, 9.0), (2, 2, 2))
    first, second = np.vecdot(a, b, axis=axis) * weights, np.linalg.vecdot(b, a, axis=axis)
    return np.sum(np.abs(first + 1.0) ** 2) + np.sum(np.real(second * second * (1.0 + 0.5j)))


def dots_kept(a, b, axis):
    return np.sum(np.vecdot(a, b, axis=axis, keepdims=True) ** 2 * np.reshape(np.arange(1.0, 5.0), (2, 2)))


def areas_over_own_axes(y, x, axis):
    return np.sum(np.trapezoid(y, x, axis=axis) ** 2 * np.array([1.0, 10.0]))


def areas_of_given_widths(y, dx, axis):
    return np.sum(np.trapezoid(y, dx=dx, axis=axis) ** 2 * np.array([1.0, 10.0]))


def crossed_along_own_axes(a, b):
    first = np.cross(a, b, axisa=0, axisb=1, axisc=0)
    return np.sum(first**2) + np.sum(np.linalg.cross(a, np.transpose(b, (1, 0, 2)), axis=0) ** 3)


def one_product(a, b):
    return np.vecdot(a, b) * np.linalg.vecdot(a, a)


SAMPLES = {
    "one_product": [(np.array([0.3, 0.8]), np.array([1.2, -0.4]))],
    "dots_along_own_axes": [
        (_CUBE, _SQUARE, 0),
        (_SQUARE, _CUBE, 1),
        (_CUBE, _LINE, 0),
        (_CUBE, _SQUARE * (1.0 + 0.5j), 0),
        (_CUBE, _SQUARE, -1),
    ],
    "dots_kept": [(_SQUARE, _LINE, 0), (_LINE, _SQUARE, -1)],
    "areas_over_own_axes": [(_CUBE, _SQUARE, 1), (_CUBE, _SQUARE, 0), (_SQUARE, _CUBE, -2), (_SQUARE, _LINE, 0)],
    "areas_of_given_widths": [(_CUBE, _SQUARE[:1], 0), (_CUBE, _SQUARE[:1], 1), (_SQUARE, 0.5, 0)],
    "crossed_along_own_axes": [(_VECTORS.T, np.stack([_VECTORS.T, 0.5 * _VECTORS.T - 0.2]))],
}
if not hasattr(np, "vecdot"):  # NumPy 2
    del SAMPLES["dots_along_own_axes"], SAMPLES["dots_kept"], SAMPLES["one_product"]
