"""Integers that wrap around, beside what carries derivatives: images, counts, flags."""

import numpy as np


def negated(x, u):
    return np.sum(-u * x) + np.sum(x / (-u)) + np.sum(x - (-u) * x) + np.sum((-u) * (-x)) + np.sum((-x) / (-u))


def multiplied_small(x, u):
    y = (3 * u) * x * 2.0 + (3 * u) * (2.0 * x) + x / (5 * u)
    return np.sum(y) + np.sum(2.0 * (x * (7 * u)) + 2.0 * ((3 * u) / x))


def added(x, u):
    y = x * (u + u) + (x + u + u) ** 2 + (x * u + u) * u - (u - 3) * x
    return np.sum(y * (-(u - u[::-1])))


def of_numbers(x, u):
    k = u[0]
    return np.sum(x * (k * 3) + x * (k * 5) - (-k) * x) + x[0] * (-k) + (-k) / x[1]


def summed(x, u):
    return np.sum(-u) * x[0] + np.sum(3 * u, axis=0, dtype=np.uint8) * x[1] + np.mean(-u * np.sum(x) + (5 * u) * x)


def of_flags(x, k):
    """Bools and small integers are no cotangents."""
    y = x * (x > 0) + x * (x > -1) + x * np.isfinite(x) + x * np.any(x) - x * (x > 0.1)
    return y + x * k + x * k - x * -k + (-x) * (x > 0.2) - (-x) * k


def of_truths(x, k):
    return np.sum(x * k + x * k - (-x) * k) + np.sum(x * k) + np.sum(k * (-x))


def of_images(x, k):
    """Nor are arrays of them."""
    y = np.sum(-x * k) + np.sum(-x * k - x * k) + np.sum(k * (-x)) + np.sum(x * k + x * k) + np.sum(k * (k * x))
    return y + np.sum(np.dot(k, np.array([-x, -x]))) + np.sum(x * (k > 100) + x * (k > 0)) + np.sum(x * k) * 0.5


def in_squares_and_logarithms(x, k):
    """Their squares wrap around, and their logarithms are in half precision."""
    y = np.arctan2(x, k) + np.arctan2(k, x) * x + k**x + np.float_power(k, x * 0.1)
    return np.sum(y + np.ldexp(x, k // 50))


_X = np.array([0.9, 0.7])
_K = np.array([200, 100], np.uint8)
_U = [(_X, np.array([200, 100], np.uint8)), (_X, np.array([-128, 100], np.int8))]
SAMPLES = {
    **{name: _U for name in ("negated", "multiplied_small", "added", "of_numbers", "summed")},
    "of_images": [(0.7, _K), (np.float64(0.7), _K), (np.array(0.7), _K), (0.7, _K.astype(np.int8)), (0.7, _K.astype(int))],
    "in_squares_and_logarithms": [*((_X, k) for k in (np.array([200, 100], np.uint8), np.int8(100), True)), (0.7, np.int8(100))],
    "of_flags": [(0.7, np.uint8(200)), (np.float64(0.7), np.int8(100)), (np.array(0.7), np.array(200, np.uint8)), (0.7, np.array(100, np.int8))],
    "of_truths": [(0.7, np.array(True)), (np.float64(0.7), np.bool_(True)), (0.7, np.array([True, True]))],
}
