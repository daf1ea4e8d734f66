"""Results that are stored in more room than they need: `out=` is filled by broadcasting. Masks of another shape."""

import numpy as np

_WEIGHTS = np.arange(1.0, 7.0)


def _weighted(a):
    return np.sum(a * a * _WEIGHTS[: a.size].reshape(a.shape))


def out_of_a_number(x):
    y, z = np.zeros(3), np.zeros((2, 3))
    np.sin(x[0], out=y)
    np.add(x[0], x[1], out=z)
    np.conj(x.sum(), out=x)
    return _weighted(y) + _weighted(z) + _weighted(x)


def out_of_one_element(x):
    y, k = np.zeros(3), len(x) - 1
    np.sin(x[:1], out=y)
    np.subtract(x[1], x[None, 0], out=x[:k])
    np.multiply(y[:1], x[2:], out=y[:2])
    return _weighted(y) + _weighted(x)


def out_of_a_row(x):
    y = np.zeros((2, 3))
    np.multiply(x, x[0], out=y)
    np.negative(x[:1], out=y[1])
    np.add(y, y[:1], out=y)
    np.clip(x, 0.0, 2.0, out=y[:1])
    np.maximum(x, 1.5, out=y[1:])
    return _weighted(y)


def out_of_slices(x):
    y, n = np.zeros(len(x)), len(x)
    for k in range(n):
        np.add(x[k:], y[k:], out=y[k:])
        np.exp(y[:k], out=y[:k])
        np.multiply(x[k : k + 1], 0.5, out=y[: n - k])
    return _weighted(y)


def masks_of_other_shapes(x):
    m = np.outer(x, x[:2])
    np.putmask(m, (m > 1.5).T, 2 * x[0])
    np.putmask(m, m.ravel() > 2.0, x)
    np.putmask(x, (x > 1.2)[:, None], x[1] * 2.0)
    return _weighted(m) + _weighted(x)


_X = np.array([1.1, 2.2, 1.3])

SAMPLES = {
    "out_of_a_number": [(_X,)],
    "out_of_one_element": [(_X,)],
    "out_of_a_row": [(_X,)],
    "out_of_slices": [(_X,), (_X[:1],)],
    "masks_of_other_shapes": [(_X,)],
}
