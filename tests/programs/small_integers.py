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


def between_coordinates(x, t):
    """NumPy takes the distances of floats."""
    y = np.gradient(x, t) * 1e9 + np.gradient(np.outer(x, x), t, axis=0, edge_order=2)[:, 0] * 1e9
    return np.sum(y * x)


def of_integer_values(x, k):
    return np.sum(np.gradient(k, x)) + np.sum(np.interp(x, [0, 1, 2], k)) + np.interp(x[0] * 40, k[:0:-1], x[1:])


def in_periods(x, k, period):
    return np.sum(np.interp(x * 40.0, k, x * x, period=period)) + np.sum(np.interp(x * 40.0, [0.0, 3.0, 60.0], k, period=period))


def of_weights(x, k):
    """Their product wraps around."""
    parts = [np.cov(x, aweights=k), np.cov(x, fweights=k), np.cov(x, aweights=k, fweights=k[::-1]), np.average(x, weights=k)]
    return np.sum(np.array(parts) * x[0])


def with_exponents(x, n):
    """One less than no exponent wraps around."""
    y = np.sum((x * 10.0)[:, None] ** n) + np.sum(np.power.outer(x, n)) + np.sum(np.float_power(x, n))
    return y + np.sum(np.power(x - x[0], n)) + np.sum(np.polyval(x, n * 100))


def fitted_to_integers(t, x, w):
    return np.polyfit(t, x, 1) + np.polyfit(t, x, 1, rcond=1e-9) * np.polyfit(t, x, 1, w=w) + np.polyfit(x, t, 1, w=w)


def rolled_by(x, n):
    y = np.roll(x, n) * x + np.roll(x, np.array([1, 1], np.uint8)) * x * x
    return y + np.roll(np.outer(x, x), n, 1)[0]


_X = np.array([0.9, 0.7])
_Z = np.array([0.37, 1.82, 1.43])
_K = np.array([200, 100], np.uint8)
_U = [(_X, np.array([200, 100], np.uint8)), (_X, np.array([-128, 100], np.int8))]
SAMPLES = {
    **{name: _U for name in ("negated", "multiplied_small", "added", "of_numbers", "summed")},
    "of_images": [(0.7, _K), (np.float64(0.7), _K), (np.array(0.7), _K), (0.7, _K.astype(np.int8)), (0.7, _K.astype(int))],
    "in_squares_and_logarithms": [*((_X, k) for k in (np.array([200, 100], np.uint8), np.int8(100), True)), (0.7, np.int8(100))],
    "of_flags": [(0.7, np.uint8(200)), (np.float64(0.7), np.int8(100)), (np.array(0.7), np.array(200, np.uint8)), (0.7, np.array(100, np.int8))],
    "of_truths": [(0.7, np.array(True)), (np.float64(0.7), np.bool_(True)), (0.7, np.array([True, True]))],
    "between_coordinates": [(_Z, t) for t in (np.array([0, 4_000_000_000, 9_000_000_000]), np.array([200, 90, 3], np.uint8), [0, 1, 4])],
    "of_integer_values": [(_Z, np.array(k)) for k in (np.array([200, 90, 3], np.uint8), np.array([100, 20, -100], np.int8))],
    "in_periods": [(_Z, np.array([3, 200, 90], np.uint8), np.uint8(250)), (_Z, np.array([-128, 1, 90], np.int8), 300)],
    "of_weights": [(_Z, k) for k in (np.array([100_000, 50_000, 70_000], np.int32), np.array([100, 50, 70], np.uint8))],
    "with_exponents": [(_Z, n) for n in (np.arange(3, dtype=np.uint8), np.arange(3, dtype=np.uint64), np.arange(3))],
    "fitted_to_integers": [(t, _Z, w) for t, w in ((np.arange(3), np.array([2, 1, 3])), (np.array([0, 9, 200], np.uint8), np.array([20, 1, 3], np.uint8)))],
    "rolled_by": [(_Z, n) for n in (np.uint8(1), np.uint64(2), np.int8(-1), 1)],
}
