"""Arrays for samples: the same in every run."""

import numpy as np

_rng = np.random.default_rng(20240817)


def real(*shape):
    """Numbers far enough from each other and from 0 for differences of the primal."""
    n = int(np.prod(shape, dtype=int))
    return _rng.permutation(np.linspace(-2.0, 2.3, n) + 0.1 * _rng.random(n) / max(n, 1)).reshape(shape)


def positive(*shape):
    return np.abs(real(*shape)) + 0.3


def complexes(*shape):
    return real(*shape) + 1j * real(*shape)


def single(*shape):
    return real(*shape).astype(np.float32)


def regular(*shape):
    """Square matrices that are well conditioned, with different eigenvalues."""
    return real(*shape) + 3.0 * np.eye(shape[-1]) * np.arange(1, shape[-1] + 1)


def definite(*shape):
    a = real(*shape)
    return a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1]) * np.arange(1, shape[-1] + 1)
